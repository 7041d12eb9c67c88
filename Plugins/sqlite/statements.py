"""Translates the host's queries to SQL, and positions in their results to cursors."""

import json
import sqlite3
from collections import OrderedDict, namedtuple

#: A contiguous part of the rows in a query's order: SQL conditions, their values, the order.
Part = namedtuple("Part", "conditions values order")
#: A term of an order: the column expression, the direction, whether it may be null.
Term = namedtuple("Term", "name descending nullable")
#: A position between two rows: the values of the adjacent row, and whether it is before that row.
Cursor = namedtuple("Cursor", "values before")


class Unreadable(Exception):
    """A table, column, query or value that is not supported; the message gives the reason."""


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def folded(text):
    """Returns the text in lower case, folded character by character as the host does."""
    return text.lower() if text.isascii() else "".join(character.lower() for character in text)


class Where:
    """The conditions of a query."""

    def __init__(self, conditions, values):
        self.conditions, self.values = conditions, values
        self.clause = " WHERE " + " AND ".join(conditions) if conditions else ""
        self.identity = (self.clause, tuple(values))

    def joined(self, part):
        """Returns the clause and values of these conditions combined with those of a part."""
        conditions = self.conditions + part.conditions
        return " WHERE " + " AND ".join(conditions) if conditions else "", self.values + part.values


class Table:
    """A table or view: its columns, its key, and its queries in SQL."""

    def __init__(self, connection, name, key):
        self.source = quoted(name)
        columns = connection.execute(f"PRAGMA table_xinfo({self.source})").fetchall()
        if not columns:
            raise Unreadable(f"unknown table “{name}”")
        self.kinds, self.nullable = OrderedDict(), {}
        #: The columns whose values certainly have the declared type. SQLite sorts, filters and
        #: groups by them.
        self.powers = set()
        for _, column, declared, not_null, _, _, hidden in columns:
            if hidden == 1:
                continue
            kind = kind_of(declared or "")
            if kind is None:
                kind = self.guessed(connection, column)
            else:
                self.powers.add(column)
            self.kinds[column] = kind
            self.nullable[column] = not not_null
        self.searches = all(name in self.powers for name, kind in self.kinds.items() if kind == "text")
        self.find_key(connection, columns, key)

    def guessed(self, connection, column):
        found = {row[0] for row in connection.execute(
            f"SELECT DISTINCT typeof({quoted(column)}) FROM (SELECT {quoted(column)} FROM "
            f"{self.source} LIMIT 1000)")} - {"null"}
        return "integer" if found == {"integer"} else "number" if found and found <= {"integer", "real"} else "text"

    def find_key(self, connection, columns, key):
        primary = [column[1] for column in columns if column[5] > 0]
        if key is None:
            try:
                connection.execute(f"SELECT rowid FROM {self.source} LIMIT 0")
                names = {name.lower() for name in self.kinds}
                rowid = next((name for name in ("rowid", "_rowid_", "oid") if name not in names), None)
                is_view = connection.execute(
                    "SELECT type FROM (SELECT * FROM sqlite_master UNION ALL SELECT * FROM "
                    "sqlite_temp_master) WHERE name = ?",
                    [self.source[1:-1].replace('""', '"')]).fetchone()
                if rowid is not None and is_view is not None and is_view[0] == "table":
                    self.key, self.key_kind = rowid, "integer"
                    return
            except sqlite3.Error as error:  # a table without rowids
                if "locked" in str(error):
                    raise
            if len(primary) != 1:
                raise Unreadable("name the key: a column with a different, non-empty value in each row")
            key = primary[0]
        if key not in self.kinds:
            raise Unreadable(f"unknown column “{key}”")
        self.key = quoted(key)
        self.key_kind = "integer" if self.kinds[key] == "integer" else "text"
        if self.key_kind == "text" and self.kinds[key] != "text":
            raise Unreadable(f"the column “{key}” holds neither whole numbers nor texts")

    # Conditions

    def compared(self, name):
        """Returns a column expression for comparisons.

        Texts are compared by their bytes, regardless of the column's declared collation.
        """
        if name not in self.kinds:
            raise Unreadable(f"unknown column “{name}”")
        return quoted(name) + (" COLLATE BINARY" if self.kinds[name] == "text" else "")

    def conditions(self, query):
        conditions, values = [], []
        if "filter" in query:
            conditions.append(self.filter(query["filter"], values))
        if query.get("search"):
            texts = [name for name, kind in self.kinds.items() if kind == "text"]
            conditions.append(
                "(" + " OR ".join(f"folded_contains({quoted(name)}, ?)" for name in texts) + ")"
                if texts else "0")
            values += [folded(query["search"])] * len(texts)
        for name, value in zip(query.get("group", []), query.get("section", [])):
            conditions.append(f"{self.compared(name)} IS ?")
            values.append(bound(value))
        return Where(conditions, values)

    def filter(self, filter, values):
        """Returns a filter in SQL.

        A comparison with NULL is never true, so only `not` has to handle NULL.
        """
        if "all" in filter:
            return "(" + " AND ".join([self.filter(part, values) for part in filter["all"]] or ["1"]) + ")"
        if "any" in filter:
            return "(" + " OR ".join([self.filter(part, values) for part in filter["any"]] or ["0"]) + ")"
        if "not" in filter:
            return f"NOT coalesce({self.filter(filter['not'], values)}, 0)"
        column, operator = self.compared(filter["column"]), filter["op"]
        if operator in ("=", "!=", "<", "<=", ">", ">="):
            values.append(self.value(filter, filter["value"]))
            return f"({column} {operator} ?)"
        if operator == "range":
            bounds = [
                (sign, self.value(filter, filter[member]))
                for sign, member in ((">=", "from"), ("<=", "through")) if member in filter]
            values += [value for _, value in bounds]
            return (
                "(" + " AND ".join(f"{column} {sign} ?" for sign, _ in bounds) + ")" if bounds
                else f"({column} IS NOT NULL)")
        if operator in ("contains", "startsWith"):
            values.append(folded(filter["value"]))
            function = "folded_contains" if operator == "contains" else "folded_begins"
            return f"{function}({quoted(filter['column'])}, ?)"
        if operator == "oneOf":
            values += [self.value(filter, value) for value in filter["values"]]
            return f"({column} IN ({', '.join('?' * len(filter['values']))}))"
        if operator == "isEmpty":
            return f"({column} IS NULL)"
        raise Unreadable(f"unknown operator “{operator}”")

    def value(self, filter, value):
        # An integer beyond 2^53 is sent as a text.
        return int(value) if self.kinds[filter["column"]] == "integer" and isinstance(value, str) else bound(value)

    # Order

    def order(self, sort):
        """Returns the terms of an order, with the key as the last term, so that the order is total.

        The key has the direction of the term before it, so an index can be scanned in either
        direction without sorting.
        """
        terms = [
            Term(
                self.compared(term["column"]), bool(term.get("descending")),
                self.nullable[term["column"]])
            for term in sort]
        return terms + [Term(self.key, bool(terms) and terms[-1].descending, False)]

    def selection(self, order):
        """Returns the columns read for a row: the terms of its order, its key and its cells."""
        return ", ".join([term.name for term in order] + [self.key] + [quoted(name) for name in self.kinds])

    def parts(self, order, after):
        """Yields the rows after a cursor as consecutive parts.

        An index on the order's columns can seek to the start of each part.
        """
        if after is None:
            yield Part([], [], written(order))
            return
        for depth in range(len(order) - 1, -1, -1):
            same, values = [], []
            for term, value in zip(order[:depth], after.values):
                same.append(f"{term.name} IS ?")
                values.append(value)
            term, value = order[depth], after.values[depth]
            rest = written(order[depth:])
            if value is None:
                continue  # null comes last, so nothing follows it
            sign = "<" if term.descending else ">"
            if depth == len(order) - 1 and after.before:
                sign += "="
            yield Part(same + [f"{term.name} {sign} ?"], values + [value], rest)
            if term.nullable:
                yield Part(same + [f"{term.name} IS NULL"], values, written(order[depth + 1:]))


def written(order):
    return ", ".join(
        term.name + (" DESC" if term.descending else "")
        + (" NULLS LAST" if term.nullable and not term.descending else "")
        for term in order)


def kind_of(declared):
    """Returns the cell type for a declared column type by SQLite's affinity rules, or None."""
    declared = declared.upper()
    if "BOOL" in declared:
        return "boolean"
    if "INT" in declared:
        return "integer"
    if any(word in declared for word in ("CHAR", "CLOB", "TEXT")):
        return "text"
    if any(word in declared for word in ("REAL", "FLOA", "DOUB")):
        return "number"
    return None


def bound(value):
    return int(value) if isinstance(value, bool) else value


# Cursors


def cursor_text(values, before):
    """Returns a cursor as text. Raises `Unreadable` for values that JSON cannot represent."""
    if any(isinstance(value, bytes) for value in values):
        raise Unreadable("a value to sort by is neither a number nor a text")
    return json.dumps([1 if before else 0, list(values)], separators=(",", ":"))


def cursor_from(text, order):
    if text is None:
        return None
    try:
        before, values = json.loads(text)
        if len(values) != len(order):
            raise ValueError
    except ValueError as error:
        raise Unreadable("this is not a place in this order") from error
    return Cursor(values, bool(before))


def rank(value):
    """Returns a sort key that orders mixed types as SQLite does: numbers, texts, then bytes."""
    if isinstance(value, str):
        return (1, value.encode("utf-8", "surrogatepass"))
    if isinstance(value, bytes):
        return (2, value)
    return (0, value)


def follows(place, cursor, order):
    """Returns whether a row is after a cursor."""
    for value, other, term in zip(place, cursor.values, order):
        if value is None and other is None:
            continue
        if value is None or other is None:
            return value is None
        if rank(value) == rank(other):
            continue
        return (rank(value) > rank(other)) != term.descending
    return cursor.before
