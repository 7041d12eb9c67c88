#!/usr/bin/env python3
"""Serves any table or query of a SQLite file as a live table, reading only requested rows.

Needs only Python 3.8 with its module sqlite3 (SQLite 3.30 or newer). SQLite sorts, filters,
searches, groups and counts. Rows are read in blocks, each from the end of the previous one, so an
index makes the millionth row as fast as the first. docs/plugins/windowed.md specifies the messages.
`statements.py` in this folder generates the SQL.
"""

import json
import math
import os
import select
import sqlite3
import sys
import threading
import time

from counts import Counts
from statements import Table, Unreadable, cursor_from, cursor_text, folded, follows, quoted

SETTINGS = {
    "type": "object",
    "required": ["path"],
    "properties": {
        "path": {"type": "string"},
        "table": {"type": "string"},
        "query": {"type": "string"},
        "key": {"type": "string"},
        "interval": {"type": "number", "minimum": 0.05, "maximum": 3_600},
    },
}
FILTERS = ["equal", "notEqual", "order", "range", "contains", "startsWith", "oneOf", "isEmpty", "any", "not"]

TEXT_LIMIT = 2_000  # characters of a cell; longer texts are cut
LINE_LIMIT = 800_000  # bytes of a block's rows, below the limit of 1 MB per line

VIEW = "rowcast query"
LOCKED = "another program has locked the file; trying again"


class Refusal(Exception):
    """A setting that is invalid."""

    def __init__(self, setting, reason):
        super().__init__(reason)
        self.setting = setting


def is_locked(error):
    """Whether another program holds a lock on the file, which passes."""
    cause = error.__cause__ or error
    return isinstance(cause, sqlite3.OperationalError) and "locked" in str(cause)


def connect(path, patience=5):
    connection = sqlite3.connect(
        f"file:{path.replace('%', '%25').replace('?', '%3f').replace('#', '%23')}?mode=ro",
        uri=True, timeout=patience, isolation_level=None, check_same_thread=False)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.create_function(
        "folded_contains", 2,
        lambda text, part: None if text is None else part in folded(str(text)), deterministic=True)
    connection.create_function(
        "folded_begins", 2,
        lambda text, part: None if text is None else folded(str(text)).startswith(part),
        deterministic=True)
    return connection


def view(connection, query):
    connection.execute(f"CREATE TEMP VIEW {quoted(VIEW)} AS {query}")


class Reader:
    """A connection that the worker thread uses to read blocks."""

    def __init__(self, settings, changed):
        self.path = settings["path"]
        if ("table" in settings) == ("query" in settings):
            raise Refusal("table", "say either a table or a query")
        try:
            self.connection = connect(self.path)
            self.file = os.stat(self.path)
            self.connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except (sqlite3.Error, OSError) as error:
            raise Refusal("path", f"reading '{self.path}' failed: {error}") from error
        if "query" in settings:
            try:
                view(self.connection, settings["query"])
                self.table = Table(self.connection, VIEW, settings.get("key"))
            except (sqlite3.Error, sqlite3.Warning) as error:
                raise Refusal("query", str(error)) from error
            except Unreadable as error:
                raise Refusal("key", str(error)) from error
        else:
            try:
                self.table = Table(self.connection, settings["table"], settings.get("key"))
            except Unreadable as error:
                raise Refusal("key" if "key" in settings else "table", str(error)) from error
        # Counts use their own connection, so that they do not delay blocks.
        counting = connect(self.path)
        if "query" in settings:
            view(counting, settings["query"])
        self.counts = Counts(counting, self.table.source, changed)

    def version(self):
        return self.connection.execute("PRAGMA data_version").fetchone()[0]

    def answer(self, query):
        """Returns the members of the answer to a query, all from one snapshot."""
        self.connection.rollback()  # an interrupted query may have left a transaction open
        self.connection.execute("BEGIN")
        try:
            where = self.table.conditions(query)
            if "sections" in query:
                return self.sections(query, where)
            return self.rows(query, where)
        finally:
            self.connection.rollback()

    def sections(self, query, where):
        limit = query["sections"]["limit"]
        columns = ", ".join(self.table.compared(name) for name in query["group"])
        found = self.connection.execute(
            f"SELECT {columns}, count(*) FROM {self.table.source}{where.clause} GROUP BY {columns} "
            "LIMIT ?",
            where.values + [limit + 1],
        ).fetchall()
        if len(found) > limit:
            raise Unreadable(f"there are more than {limit} sections")
        kinds = [self.table.kinds[name] for name in query["group"]]
        return {"group": query["group"],
                "sections": [[shown(value, kind) for value, kind in zip(row, kinds)] + [row[-1]] for row in found]}

    def rows(self, query, where):
        span = query["rows"]
        order = self.table.order(query.get("sort", []))
        after = cursor_from(span.get("after"), order)
        end = cursor_from(span.get("upTo"), order)
        skip, wanted = span["skip"], span["count"]
        rows, places, size, more = [], [], 0, False
        for part in self.table.parts(order, after):
            clause, values = where.joined(part)
            room = wanted - len(rows) + 1
            found = self.connection.execute(
                f"SELECT {self.table.selection(order)} FROM {self.table.source}{clause} ORDER BY "
                f"{part.order} LIMIT ? OFFSET ?",
                values + [room, skip]).fetchall()
            if skip and not found:
                skip -= self.connection.execute(
                    f"SELECT count(*) FROM {self.table.source}{clause}", values).fetchone()[0]
                continue
            skip = 0
            for row in found:
                place = row[:len(order)]
                if end is not None and follows(place, end, order):
                    return self.page(rows, places, False, where)
                cells = [shown(value, kind) for value, kind in zip(row[len(order) + 1:], self.table.kinds.values())]
                written = json.dumps([row[len(order)]] + cells, separators=(",", ":"), allow_nan=False)
                size += len(written)
                if len(rows) == wanted or (rows and size > LINE_LIMIT):
                    return self.page(rows, places, True, where)
                rows.append(written)
                places.append(place)
        return self.page(rows, places, more, where)

    def page(self, rows, places, more, where):
        members = {"more": more, "count": self.counts.tell(where, self.version(), self.connection)}
        if places:
            members["begin"] = cursor_text(places[0], before=True)
            members["end"] = cursor_text(places[-1], before=False)
        return {"rows": rows, **members}


def shown(value, kind):
    """Returns a value as a cell of its column."""
    if value is None:
        return None
    if isinstance(value, bytes):
        return f"({len(value)} bytes)" if kind == "text" else None
    if kind == "text":
        text = value if isinstance(value, str) else str(value)
        return text if len(text) <= TEXT_LIMIT else text[:TEXT_LIMIT] + "…"
    if isinstance(value, str):
        return None
    if kind == "boolean":
        return bool(value)
    if kind == "integer":
        return int(value) if float(value).is_integer() else None
    return value if math.isfinite(value) else None


class Conversation:
    """The messages exchanged with the host."""

    def __init__(self):
        self.rest = b""
        self.lock = threading.Lock()

    def send(self, **message):
        self.write(json.dumps(message, separators=(",", ":")))

    def write(self, line):
        with self.lock:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    def receive(self, patience):
        """Returns the messages received within `patience` seconds.

        Exits when the host closes the pipe.
        """
        if not select.select([0], [], [], max(0, patience))[0]:
            return []
        chunk = os.read(0, 65_536)
        if not chunk:
            os._exit(0)  # the worker may be running a long query
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        messages = [json.loads(line) for line in lines if line.strip()]
        for message in messages:
            if message.get("type") == "health":
                self.send(type="health", id=message.get("id"))
        return messages


class Worker:
    """Answers queries one at a time in order of arrival; cancelled queries are not answered."""

    def __init__(self, reader, conversation):
        self.reader, self.conversation = reader, conversation
        self.waiting, self.current = [], None
        self.change = threading.Condition()
        threading.Thread(target=self.work, daemon=True).start()

    def ask(self, query):
        with self.change:
            self.waiting.append(query)
            self.change.notify()

    def cancel(self, ids):
        with self.change:
            self.waiting = [query for query in self.waiting if query["id"] not in ids]
            if self.current in ids:
                self.current = None
                self.reader.connection.interrupt()

    def work(self):
        while True:
            with self.change:
                while not self.waiting:
                    self.change.wait()
                query = self.waiting.pop(0)
                self.current = query["id"]
            try:
                answer = self.reader.answer(query)
            except (sqlite3.Error, Unreadable) as error:
                answer = {"error": str(error)}
            with self.change:
                is_wanted = self.current == query["id"]
                self.current = None
            if is_wanted:
                rows = answer.pop("rows", None)
                line = json.dumps({"type": "page", "id": query["id"], **answer}, separators=(",", ":"))
                # The rows were encoded before, to measure their length.
                self.conversation.write(line if rows is None else f'{line[:-1]},"rows":[{",".join(rows)}]}}')


def main():
    conversation = Conversation()
    conversation.send(type="hello", version=1, capabilities=["health"], settings=SETTINGS)
    settings = None
    while settings is None:
        settings = next((m["settings"] for m in conversation.receive(60) if m.get("type") == "configure"), None)
    reader, was_locked = None, False
    while reader is None:
        try:
            opened = Reader(settings, lambda: conversation.send(type="changed"))
            # It looks often, and must answer the host meanwhile.
            watch = connect(settings["path"], patience=1)
            version = watch.execute("PRAGMA data_version").fetchone()[0]
            reader = opened
        except (Refusal, sqlite3.OperationalError) as error:
            if is_locked(error):
                was_locked = True
                conversation.send(type="state", state="stale", message=LOCKED)
                conversation.receive(1)
            elif isinstance(error, Refusal):
                return conversation.send(type="refuse", setting=error.setting, reason=str(error))
            else:
                return conversation.send(
                    type="refuse", setting="path", reason=f"reading '{settings['path']}' failed: {error}")
    table = reader.table
    names = [name for name in table.kinds if name in table.powers]
    conversation.send(
        type="schema", name=settings.get("table", "query"), key=table.key_kind, prefetch={"inFlight": 4},
        columns=[{"name": name, "type": kind} for name, kind in table.kinds.items()],
        windowed={
            "sort": names, "filters": FILTERS, "filterColumns": names, "searches": table.searches,
            "group": names, "count": "exact", "paging": "keysetAndOffset", "tellsChanges": True,
            "refresh": 50, "cancels": True})
    worker = Worker(reader, conversation)
    interval = settings.get("interval", 0.1)
    look = time.monotonic() + interval
    while True:
        for message in conversation.receive(look - time.monotonic()):
            if message.get("type") == "query":
                worker.ask(message)
            elif message.get("type") == "cancel":
                worker.cancel(message.get("queries", []))
        if time.monotonic() < look:
            continue
        look = time.monotonic() + interval
        file = os.stat(settings["path"])
        if (file.st_dev, file.st_ino) != (reader.file.st_dev, reader.file.st_ino):
            sys.exit("the file was replaced by another one")  # the host restarts the plugin
        try:
            now, locked = watch.execute("PRAGMA data_version").fetchone()[0], False
        except sqlite3.OperationalError as error:
            if not is_locked(error):
                raise
            now, locked = version, True
        if locked != was_locked:
            was_locked = locked
            conversation.send(type="state", state="stale" if locked else "live", message=LOCKED if locked else "")
        if now != version:
            version = now
            conversation.send(type="changed")


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        # The host has closed the pipe, which is a normal end. Further output would fail.
        sys.stderr.close()
        os._exit(0)
