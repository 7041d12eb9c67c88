"""Answers the host's queries from a snapshot."""

import json
import threading
from collections import OrderedDict

from columns import Unreadable, encoded, folded

LINE_LIMIT = 900_000  # bytes of a block's rows, below the limit of 1 MB per line
#: Positions below which DuckDB's top-N finds a block; beyond, the whole order is stored.
NEAR = 1_000
CACHED_ORDERS = 6
CACHED_COUNTS = 200
SIGNS = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class Reader:
    """Makes answers from one snapshot, on cursors that workers own."""

    def __init__(self, snapshot):
        self.snapshot = snapshot
        self.by_name = {column.name: column for column in snapshot.columns}
        self.cells = ", ".join(column.sql for column in snapshot.columns)
        self.counts, self.orders = OrderedDict(), OrderedDict()
        self.number = 0
        self.lock = threading.Lock()
        self.building = threading.Lock()

    def answer(self, cursor, query):
        values = []
        clause = self.conditions(query, values)
        if "sections" in query:
            return self.sections(cursor, query, clause, values)
        return self.rows(cursor, query, clause, values)

    def early(self, cursor, query):
        """Answers a block of the files' own order while they are copied, or returns None."""
        snapshot = self.snapshot
        if snapshot.form != "parquet" or snapshot.source != "files" or "rows" not in query:
            return None
        span = query["rows"]
        if any(query.get(name) for name in ("sort", "filter", "search", "section")):
            return None
        if span.get("skip", 0) + span["count"] > NEAR:
            return None
        count = cursor.execute(f"SELECT count(*) FROM {snapshot.reader}").fetchone()[0]
        skip = span.get("skip", 0)
        found = cursor.execute(
            f"SELECT {snapshot.selection} FROM {snapshot.reader} LIMIT {span['count']} OFFSET {skip}"
        ).fetchall()
        return self.page([(skip + place, *row) for place, row in enumerate(found)], skip, count)

    def sections(self, cursor, query, clause, values):
        limit = query["sections"]["limit"]
        columns = [self.column(name) for name in query["group"]]
        grouped = ", ".join(column.sql for column in columns)
        found = cursor.execute(
            f"SELECT {grouped}, count(*) FROM rows{clause} GROUP BY {grouped} LIMIT {limit + 1}", values
        ).fetchall()
        if len(found) > limit:
            raise Unreadable(f"there are more than {limit} sections")
        sections = [[column.cell(value) for column, value in zip(columns, row)] + [row[-1]] for row in found]
        return {"group": query["group"], "sections": sections}

    def rows(self, cursor, query, clause, values):
        span = query["rows"]
        skip, wanted = span.get("skip", 0), span["count"]
        order = self.order(query.get("sort", []))
        count = self.count(cursor, clause, values)
        if skip >= count:
            return self.page([], skip, count)
        if not clause and not order:
            statement = f"SELECT rowid AS r, rowid AS p FROM rows WHERE rowid BETWEEN {skip} AND {skip + wanted - 1}"
            identities = list(range(skip, min(skip + wanted, count)))
        elif skip + wanted <= NEAR and not self.is_stored(clause, values, order):
            statement = f"SELECT rowid FROM rows{clause} ORDER BY {order}rowid LIMIT {wanted} OFFSET {skip}"
            identities = [row[0] for row in cursor.execute(statement, values).fetchall()]
        else:
            name = self.stored(cursor, clause, values, order)
            statement = f"SELECT r FROM {name} WHERE rowid BETWEEN {skip} AND {skip + wanted - 1} ORDER BY rowid"
            identities = [row[0] for row in cursor.execute(statement).fetchall()]
        return self.page(self.fetched(cursor, identities), skip, count)

    def fetched(self, cursor, identities):
        """Returns rows by their numbers, in that order."""
        if not identities:
            return []
        first, last = min(identities), max(identities)
        if last - first < len(identities):
            condition = f"rowid BETWEEN {first} AND {last}"
        else:
            condition = f"rowid IN ({', '.join(map(str, identities))})"
        found = cursor.execute(f"SELECT rowid, {self.cells} FROM rows WHERE {condition}").fetchall()
        by_identity = {row[0]: row for row in found}
        return [by_identity[identity] for identity in identities]

    def page(self, rows, skip, count):
        limit = None
        while True:
            lines = [self.line(row, limit) for row in rows]
            if sum(len(line.encode()) + 1 for line in lines) <= LINE_LIMIT:
                return {"rows": lines, "more": skip + len(rows) < count, "count": count}
            # A source with offsets must return all rows, so the longest texts are cut.
            limit = (limit or 20_000) // 2

    def line(self, row, limit):
        cells = [column.cell(value) for column, value in zip(self.snapshot.columns, row[1:])]
        if limit is not None:
            cells = [cell[:limit] if isinstance(cell, str) else cell for cell in cells]
        return encoded([row[0]] + cells)

    # Counts and orders

    def count(self, cursor, clause, values):
        if not clause:
            return self.snapshot.rows
        identity = json.dumps([clause, values])
        with self.lock:
            if identity in self.counts:
                self.counts.move_to_end(identity)
                return self.counts[identity]
        count = cursor.execute(f"SELECT count(*) FROM rows{clause}", values).fetchone()[0]
        with self.lock:
            self.counts[identity] = count
            if len(self.counts) > CACHED_COUNTS:
                self.counts.popitem(last=False)
        return count

    def is_stored(self, clause, values, order):
        with self.lock:
            return json.dumps([clause, values, order]) in self.orders

    def stored(self, cursor, clause, values, order):
        """Returns the name of a table with the row numbers of a query in its order."""
        identity = json.dumps([clause, values, order])
        with self.building:
            with self.lock:
                if identity in self.orders:
                    self.orders.move_to_end(identity)
                    return self.orders[identity]
                old = self.orders.popitem(last=False)[1] if len(self.orders) >= CACHED_ORDERS else None
                self.number += 1
                name = f"order_{self.number}"
            if old:
                cursor.execute(f"DROP TABLE {old}")
            limit = self.snapshot.settings.get("disk", 20_480) << 20
            if self.snapshot.folder.size() > limit:
                raise Unreadable("the temporary folder is full; raise the setting disk, or filter the rows")
            cursor.execute(
                f"CREATE TABLE {name} AS SELECT rowid AS r FROM rows{clause} ORDER BY {order}rowid", values
            )
            with self.lock:
                self.orders[identity] = name
            return name

    # Conditions

    def column(self, name):
        if name not in self.by_name:
            raise Unreadable(f"unknown column “{name}”")
        return self.by_name[name]

    def order(self, sort):
        return "".join(
            f"{self.column(term['column']).sql} {'DESC' if term.get('descending') else 'ASC'} NULLS LAST, "
            for term in sort
        )

    def conditions(self, query, values):
        conditions = []
        if "filter" in query:
            conditions.append(self.filter(query["filter"], values))
        if query.get("search"):
            texts = [column for column in self.snapshot.columns if column.kind == "text"]
            conditions.append(self.joined(" OR ", [f"contains({column.fold}, ?)" for column in texts], "false"))
            values += [folded(query["search"])] * len(texts)
        for name, value in zip(query.get("group", []), query.get("section", [])):
            column = self.column(name)
            conditions.append(f"{column.sql} IS NOT DISTINCT FROM {column.parameter}")
            values.append(column.bound(value))
        return " WHERE " + " AND ".join(conditions) if conditions else ""

    @staticmethod
    def joined(word, parts, empty):
        return "(" + word.join(parts or [empty]) + ")"

    def filter(self, filter, values):
        """Returns a filter in SQL. A comparison with NULL is not true, so only `not` handles it."""
        if "all" in filter:
            return self.joined(" AND ", [self.filter(part, values) for part in filter["all"]], "true")
        if "any" in filter:
            return self.joined(" OR ", [self.filter(part, values) for part in filter["any"]], "false")
        if "not" in filter:
            return f"({self.filter(filter['not'], values)} IS NOT TRUE)"
        column, operator = self.column(filter["column"]), filter["op"]
        if operator in SIGNS:
            values.append(column.bound(filter["value"]))
            return f"({column.sql} {SIGNS[operator]} {column.parameter})"
        if operator == "range":
            parts = []
            for member, sign in (("from", ">="), ("through", "<=")):
                if filter.get(member) is not None:
                    values.append(column.bound(filter[member]))
                    parts.append(f"{column.sql} {sign} {column.parameter}")
            return self.joined(" AND ", parts, f"{column.sql} IS NOT NULL")
        if operator == "oneOf":
            values += [column.bound(value) for value in filter["values"]]
            parts = [f"{column.sql} = {column.parameter}"] * len(filter["values"])
            return self.joined(" OR ", parts, "false")
        if operator == "isEmpty":
            return f"({column.sql} IS NULL)"
        if operator in ("contains", "startsWith") and column.kind == "text":
            values.append(folded(filter["value"]))
            function = "contains" if operator == "contains" else "starts_with"
            return f"{function}({column.fold}, ?)"
        raise Unreadable(f"the operator “{operator}” is not supported for the column “{column.name}”")
