"""Queries of the host in SQL, and the places where their pages begin and end."""

import hashlib
import json
from collections import namedtuple

from columns import Text, Unreadable

#: A contiguous part of the rows in a query's order: SQL conditions, their values, the order.
Part = namedtuple("Part", "conditions values order")
#: A position between two rows: the values of the adjacent row, and whether it is before that row.
Cursor = namedtuple("Cursor", "values before")

CURSOR_LIMIT = 4_000  # bytes; the host takes 4,096
LONG_VALUE = 300  # characters; a cursor has a digest of a longer value


class Term:
    """A term of an order: a column or a part of the key, and the direction."""

    def __init__(self, column, descending):
        self.column, self.descending = column, descending
        self.ordered, self.normal, self.cast = column.ordered, column.normal, column.cast
        self.may_be_empty, self.filled, self.empty = column.may_be_empty, column.filled, column.empty

    @property
    def place(self):
        """The value that a cursor holds, null where the cell is empty."""
        return f"({self.normal})::text"

    def equals(self, value, values):
        if value is None:
            return self.empty
        values.append(value)
        return f"{self.ordered} = %s::{self.cast}"

    def beyond(self, value, values, or_at=False):
        values.append(value)
        return f"{self.ordered} {'<' if self.descending else '>'}{'=' if or_at else ''} %s::{self.cast}"

    def written(self, is_first):
        """The term in ORDER BY.

        The first one is used where it is not empty, in the form that an index serves both ways.
        """
        if is_first or not self.may_be_empty:
            return self.ordered + (" DESC" if self.descending else "")
        return self.normal + (" DESC NULLS LAST" if self.descending else "")


class Where:
    """The conditions of a query."""

    def __init__(self, conditions, values):
        self.conditions, self.values = conditions, values
        self.identity = json.dumps([conditions, values], default=str)

    def joined(self, conditions=(), values=()):
        every = [*self.conditions, *conditions]
        return " WHERE " + " AND ".join(every) if every else "", [*self.values, *values]


class Statements:
    """Makes the SQL for one source."""

    def __init__(self, source):
        self.source = source

    def column(self, name):
        if name not in self.source.by_name:
            raise Unreadable(f"unknown column “{name}”")
        return self.source.by_name[name]

    # Conditions

    def conditions(self, query):
        conditions, values = [], []
        if "filter" in query:
            conditions.append(self.filter(query["filter"], values))
        if query.get("search"):
            texts = [column for column in self.source.columns if isinstance(column, Text)]
            conditions.append(
                "(" + " OR ".join(["false"] + [column.contains(query["search"], values) for column in texts]) + ")"
            )
        for name, value in zip(query.get("group", []), query.get("section", [])):
            column = self.column(name)
            conditions.append(column.empty if value is None else column.compared("=", value, values))
        return Where(conditions, values)

    def filter(self, filter, values):
        """A filter in SQL. Comparisons with empty cells are not true, so only `not` needs care."""
        if "all" in filter:
            return "(" + " AND ".join([self.filter(part, values) for part in filter["all"]] or ["true"]) + ")"
        if "any" in filter:
            return "(" + " OR ".join([self.filter(part, values) for part in filter["any"]] or ["false"]) + ")"
        if "not" in filter:
            return f"({self.filter(filter['not'], values)} IS NOT TRUE)"
        column, operator = self.column(filter["column"]), filter["op"]
        if operator in ("=", "!=", "<", "<=", ">", ">="):
            return column.compared(operator, filter["value"], values)
        if operator == "range":
            bounds = [
                (sign, filter[member])
                for sign, member in ((">=", "from"), ("<=", "through"))
                if filter.get(member) is not None
            ]
            return (
                "("
                + " AND ".join([column.compared(sign, value, values) for sign, value in bounds] or [column.filled])
                + ")"
            )
        if operator == "oneOf":
            return column.among(filter["values"], values)
        if operator == "isEmpty":
            return column.empty
        if operator in ("contains", "startsWith") and isinstance(column, Text):
            return (column.contains if operator == "contains" else column.begins)(filter["value"], values)
        raise Unreadable(f"the operator “{operator}” is not supported for the column “{column.name}”")

    # Order

    def order(self, sort):
        """The terms of an order; the key is the last, so that no two rows are in the same place.

        It goes the way of the term before it, so that an index is read from one end to the other.
        """
        terms = [Term(self.column(term["column"]), bool(term.get("descending"))) for term in sort]
        descending = bool(terms) and terms[-1].descending
        sorted_by = {term.ordered for term in terms}
        return terms + [Term(part, descending) for part in self.source.key if part.ordered not in sorted_by]

    def selection(self, order, end, values):
        """The columns of a page: whether the row is behind its end, its place, key and cells."""
        return ", ".join(
            [self.behind(order, end, values)]
            + [term.place for term in order]
            + [part.raw if self.source.key_kind == "integer" else f"{part.raw}::text" for part in self.source.key]
            + [column.shown for column in self.source.columns]
        )

    def behind(self, order, cursor, values):
        """A condition that is true for rows behind a place."""
        if cursor is None:
            return "false"
        return self.behind_from(order, cursor.values, cursor.before, values)

    def behind_from(self, order, place, before, values):
        if not order:
            return "true" if before else "false"
        term, value = order[0], place[0]
        if value is None:
            rest = self.behind_from(order[1:], place[1:], before, values)
            return f"({term.empty} AND {rest})"
        parts = []
        if term.may_be_empty:
            parts.append(term.empty)
        parts.append(
            f"({term.filled} AND {term.beyond(value, values)})" if term.may_be_empty else term.beyond(value, values)
        )
        equal = term.equals(value, values)
        parts.append(f"({equal} AND {self.behind_from(order[1:], place[1:], before, values)})")
        return "(" + " OR ".join(parts) + ")"

    def parts(self, order, after):
        """The rows behind a place, as runs that follow each other.

        An index on the order's columns serves each of them.
        """
        if after is None:
            yield from self.runs(order, [], [])
            return
        for depth in range(len(order) - 1, -1, -1):
            same, values = [], []
            for term, value in zip(order[:depth], after.values):
                same.append(term.equals(value, values))
            term, value = order[depth], after.values[depth]
            if value is None:
                if depth == len(order) - 1 and after.before:
                    yield Part(same + [term.empty], values, "")
                continue  # empty cells come last, so nothing follows them
            bound = list(values)
            beyond = term.beyond(value, bound, or_at=depth == len(order) - 1 and after.before)
            conditions = same + [beyond] + ([term.filled] if term.may_be_empty else [])
            yield Part(conditions, bound, written(order[depth:]))
            if term.may_be_empty:
                yield from self.runs(order[depth + 1 :], same + [term.empty], values)

    def runs(self, order, conditions, values):
        """The rows that pass the conditions. Those with an empty first term follow in own runs."""
        if not order:
            yield Part(conditions, values, "")
        elif order[0].may_be_empty:
            yield Part(conditions + [order[0].filled], values, written(order))
            yield from self.runs(order[1:], conditions + [order[0].empty], values)
        else:
            yield Part(conditions, values, written(order))


def written(order):
    return " ORDER BY " + ", ".join(term.written(place == 0) for place, term in enumerate(order))


# Places


def cursor_text(values, before):
    """A place as a text. A long value is replaced by a list with its digest."""
    values = [[digest(value)] if value is not None and len(value) > LONG_VALUE else value for value in values]
    text = json.dumps([1 if before else 0, values], separators=(",", ":"), ensure_ascii=False)
    if len(text.encode()) > CURSOR_LIMIT:
        raise Unreadable("the key or a value to sort by is too long to continue from; sort by fewer columns")
    return text


def digest(value):
    return hashlib.sha256(value.encode()).hexdigest()[:32]


def is_place_value(value):
    return value is None or isinstance(value, str) or isinstance(value, list) and len(value) == 1


def cursor_from(text, order):
    if text is None:
        return None
    try:
        before, values = json.loads(text)
        if len(values) != len(order) or not all(map(is_place_value, values)):
            raise ValueError
    except (ValueError, TypeError) as error:
        raise Unreadable("the place does not belong to this order") from error
    return Cursor(values, bool(before))
