"""Answers the host's queries: several at once, each in a read-only transaction of one moment."""

import queue
import threading
import time

import psycopg2

from catalog import indexes_hint
from columns import Text, Unreadable, encoded
from database import LOST, run
from jumps import Jumps, LongValues
from statements import cursor_from, cursor_text

LINE_LIMIT = 800_000  # bytes of a block's rows, below the limit of 1 MB per line
#: Rows to skip at once; the rest is skipped as the page is read.
FAR = 1_000
#: Estimated rows above which a sort without an index is worth a line in the log.
SORTED_ROWS = 20_000


class Reader:
    """Makes answers on connections that workers own."""

    def __init__(self, statements, counts, log):
        self.statements, self.counts, self.log = statements, counts, log
        self.source = statements.source
        self.orders = set()
        self.jumps = Jumps(statements, counts)
        self.values = LongValues(statements.source)

    def answer(self, connection, query):
        """The members of the answer to a query, all but a dear count from one moment."""
        try:
            with connection.cursor() as cursor:
                where = self.statements.conditions(query)
                if "sections" in query:
                    return self.sections(cursor, query, where)
                return self.rows(cursor, query, where)
        finally:
            if not connection.closed:
                connection.rollback()

    def sections(self, cursor, query, where):
        limit = query["sections"]["limit"]
        columns = [self.statements.column(name) for name in query["group"]]
        grouped = ", ".join(column.grouped for column in columns)
        shown = ", ".join(column.shown if column.grouped == column.raw else column.grouped for column in columns)
        clause, values = where.joined()
        found = run(
            cursor,
            f"SELECT {shown}, count(*) FROM {self.source.sql}{clause} GROUP BY {grouped} LIMIT %s",
            values + [limit + 1],
        ).fetchall()
        if len(found) > limit:
            raise Unreadable(f"there are more than {limit} sections")
        return {
            "group": query["group"],
            "sections": [[column.cell(value) for value, column in zip(row, columns)] + [row[-1]] for row in found],
        }

    def rows(self, cursor, query, where):
        span = query["rows"]
        order = self.statements.order(query.get("sort", []))
        after, end = (
            self.values.whole(cursor, order, cursor_from(span.get(name), order)) for name in ("after", "upTo")
        )
        skip, wanted = span["skip"], span["count"]
        rows, places, size = [], [], 0
        more = False
        if skip >= FAR:
            after = self.jumps.place(cursor, where, order, after, skip - skip % FAR)
            if after is None:
                return self.page(cursor, rows, places, False, where)
            skip %= FAR
        for part in self.statements.parts(order, after):
            selected = []
            selection = self.statements.selection(order, end, selected)
            clause, values = where.joined(part.conditions, part.values)
            # The inner statement keeps the cells of skipped and sorted rows from being computed.
            statement = (
                f"SELECT {selection} FROM (SELECT * FROM {self.source.sql}{clause}{part.order} LIMIT %s OFFSET %s) AS s"
                f"{part.order}"
            )
            self.look_at_plan(cursor, order, query, statement, selected + values + [wanted + 1, 0])
            found = run(cursor, statement, selected + values + [wanted - len(rows) + 1, skip]).fetchall()
            if skip and not found:
                skip -= run(cursor, f"SELECT count(*) FROM {self.source.sql}{clause}", values).fetchone()[0]
                continue
            skip = 0
            for row in found:
                if row[0]:  # behind the end
                    return self.page(cursor, rows, places, False, where)
                line = self.line(row, order)
                size += len(line.encode())
                if len(rows) == wanted or rows and size > LINE_LIMIT:
                    return self.page(cursor, rows, places, True, where)
                rows.append(line)
                places.append(row[1 : len(order) + 1])
        return self.page(cursor, rows, places, more, where)

    def line(self, row, order):
        """A row as JSON: its key and its cells."""
        start = len(order) + 1
        parts = row[start : start + len(self.source.key)]
        if None in parts:
            name = self.source.key[parts.index(None)].name
            raise Unreadable(
                f"the key column “{name}” is empty in a row; leave such rows out with WHERE, or choose another key"
            )
        if len(parts) > 1:
            key = encoded(parts)
        else:
            key = parts[0]
        cells = [column.cell(value) for column, value in zip(self.source.columns, row[start + len(parts) :])]
        return encoded([key] + cells)

    def page(self, cursor, rows, places, more, where):
        rows_in_all, is_estimate = self.counts.tell(where, cursor)
        members = {"more": more, "count": rows_in_all, **({"estimated": True} if is_estimate else {})}
        for place in places[:1] + places[-1:]:
            self.values.keep(place)
        if places:
            members["begin"] = cursor_text(places[0], before=True)
            members["end"] = cursor_text(places[-1], before=False)
        return {"rows": rows, **members}

    def look_at_plan(self, cursor, order, query, statement, values):
        """Logs once for each order that no index serves it."""
        identity = tuple((term["column"], bool(term.get("descending"))) for term in query.get("sort", []))
        if not identity or identity in self.orders or query["rows"].get("after") is not None:
            return
        if query.get("filter") or query.get("search") or query.get("section"):
            return  # the plan depends on the values
        self.orders.add(identity)
        plan = run(cursor, "EXPLAIN (FORMAT JSON) " + statement, values).fetchone()[0]
        rows = sorted_rows(plan[0]["Plan"])
        if rows > SORTED_ROWS:
            words = ", ".join(f"“{name}”{' descending' if descending else ''}" for name, descending in identity)
            self.log.write(
                "warning",
                f"no index serves the order by {words}: each page sorts about {rows:,} rows"
                + indexes_hint(self.source, order),
                topic=("order", identity),
            )


def sorted_rows(plan):
    """The estimated input of the largest full sort of a plan."""
    below = plan.get("Plans", [])
    rows = max([sorted_rows(part) for part in below] + [0])
    if plan["Node Type"] == "Sort":
        rows = max(rows, int(below[0]["Plan Rows"]))
    return rows


class Workers:
    """Answers queries, the first asked first. Cancelled queries are not answered."""

    def __init__(self, number, database, reader, send, lost):
        self.database, self.reader, self.send, self.lost = database, reader, send, lost
        self.waiting, self.running = [], {}
        self.unreachable = None  # the reason while the database is away
        self.change = threading.Condition()
        self.cancels = queue.SimpleQueue()
        threading.Thread(target=self.cancel_running, daemon=True).start()
        for _ in range(number):
            threading.Thread(target=self.work, daemon=True).start()

    def ask(self, query):
        with self.change:
            self.waiting.append(query)
            self.change.notify()

    def cancel(self, ids):
        ids = set(ids)
        with self.change:
            self.waiting = [query for query in self.waiting if query["id"] not in ids]
            for job in [job for job in self.running.values() if job.id in ids]:
                job.is_cancelled = True
                self.cancels.put(job)

    def cancel_running(self):
        """Cancels statements through PQcancel, which opens a connection and may wait."""
        while True:
            job = self.cancels.get()
            connection = job.connection
            if connection is not None and self.running.get(job.id) is job:
                try:
                    connection.cancel()
                except psycopg2.Error:
                    pass  # the connection has ended, and with it the statement

    def work(self):
        connection = None
        while True:
            with self.change:
                while not self.waiting:
                    self.change.wait()
                query = self.waiting.pop(0)
                job = self.running[query["id"]] = Job(query["id"])
                unreachable = self.unreachable
            if unreachable is not None:
                answer = {"error": unreachable}
            else:
                connection, answer = self.answer(connection, query, job)
            with self.change:
                del self.running[query["id"]]
            if not job.is_cancelled:
                rows = answer.pop("rows", None)
                line = encoded({"type": "page", "id": query["id"], **answer})
                # The rows were encoded before, to measure their length.
                self.send(line if rows is None else f'{line[:-1]},"rows":[{",".join(rows)}]}}')

    def answer(self, connection, query, job):
        """Returns the connection for the next query, and the answer to this one."""
        for attempt in (1, 2, 3):
            began = time.monotonic()
            try:
                if connection is None or connection.closed:
                    connection = self.database.connect()
                job.connection = connection
                return connection, self.reader.answer(connection, query)
            except Unreadable as error:
                return connection, {"error": str(error)}
            except psycopg2.errors.QueryCanceled as error:
                if job.is_cancelled:
                    return connection, {"error": "cancelled"}
                if time.monotonic() - began >= self.database.timeout * 0.9 or attempt == 3:
                    return connection, {
                        "error": f"the database took longer than {self.database.timeout:g} s (setting timeout); an "
                        f"index on the columns of this query would help ({self.database.reason(error)})"
                    }
                # A cancellation meant for the statement before.
            except (psycopg2.errors.SerializationFailure, psycopg2.errors.DeadlockDetected) as error:
                if attempt == 3:
                    return connection, {"error": self.database.reason(error)}
            except (psycopg2.errors.UndefinedColumn, psycopg2.errors.UndefinedTable) as error:
                return connection, {
                    "error": f"the table is not as it was: {self.database.reason(error)}; restart the source"
                }
            except (psycopg2.Error, ValueError) as error:
                is_lost = connection is None or connection.closed or isinstance(error, LOST) and error.pgcode is None
                reason = self.database.reason(error)
                if not is_lost:
                    return connection, {"error": reason}
                if connection is None or attempt == 3:
                    self.lost(reason)
                    return None, {"error": f"the database is away: {reason}"}
                connection = None
            except Exception as error:  # noqa: BLE001 - a worker that ends would answer nothing any more
                return connection, {"error": f"{type(error).__name__}: {error}"}
            finally:
                job.connection = None
        raise AssertionError("unreachable")


class Job:
    """A query that a worker answers."""

    def __init__(self, number):
        self.id, self.connection, self.is_cancelled = number, None, False
