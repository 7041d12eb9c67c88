#!/usr/bin/python3
"""Any table, view or query of a PostgreSQL database as a live table.

Only the rows that clients need are read. It needs Python 3.9 with psycopg2 (Debian's
python3-psycopg2) and PostgreSQL 13 or newer. README.md next to this file explains settings and
rights; docs/plugins/windowed.md explains the messages. columns.py and statements.py make the SQL,
pages.py answers queries, changes.py and replication.py notice changes.

    postgres.py --trigger-sql TABLE      prints the trigger that reports changes by NOTIFY
"""

import json
import os
import random
import re
import select
import sys
import threading
import time

try:
    import psycopg2
except ImportError:
    print('{"type":"hello","version":1}', flush=True)
    reason = "psycopg2 is missing: apt install python3-psycopg2"
    print(json.dumps({"type": "refuse", "setting": "dsn", "reason": reason}), flush=True)
    sys.exit(1)

from catalog import Source
from changes import BACKOFF_LEAST, BACKOFF_MOST, TRIGGER, Listening, Polling, Waiting, Watch
from columns import Text, Unreadable
from counts import Counts
from database import Database, Log, Refusal
from pages import Reader, Workers
from replication import Replication
from statements import Statements

SETTINGS = {
    "type": "object",
    "properties": {
        "dsn": {"type": "string"},
        "service": {"type": "string"},
        "servicefile": {"type": "string"},
        "passfile": {"type": "string"},
        "table": {"type": "string"},
        "query": {"type": "string"},
        "key": {"type": "string"},
        "series": {"type": "string"},
        "count": {"enum": ["exact", "estimated"]},
        "live": {"enum": ["auto", "replication", "notify", "poll", "none"]},
        "slot": {"type": "string"},
        "publication": {"type": "string"},
        "interval": {"type": "number", "minimum": 0.05, "maximum": 3_600},
        "timeout": {"type": "number", "minimum": 0.1, "maximum": 3_600},
        "connections": {"type": "integer", "minimum": 1, "maximum": 16},
    },
}
FILTERS = ["equal", "notEqual", "order", "range", "oneOf", "isEmpty", "any", "not"]
MODES = {
    "auto": [Replication, Listening, Polling],
    "replication": [Replication],
    "notify": [Listening],
    "poll": [Polling],
    "none": [Waiting],
}


class Conversation:
    """Messages on standard input and output."""

    def __init__(self):
        self.rest = b""
        self.lock = threading.Lock()

    def send(self, **message):
        self.write(json.dumps(message, separators=(",", ":"), allow_nan=False))

    def write(self, line):
        try:
            with self.lock:
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
        except BrokenPipeError:
            os._exit(0)  # the host has gone

    def receive(self, patience=None):
        """Returns the messages that have come. Ends the program when the host closes the pipe."""
        if not select.select([0], [], [], patience)[0]:
            return []
        chunk = os.read(0, 65_536)
        if not chunk:
            os._exit(0)  # workers may be waiting for the database
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        messages = [json.loads(line) for line in lines if line.strip()]
        for message in messages:
            if message.get("type") == "health":
                self.send(type="health", id=message.get("id"))
        return messages


def first_inspected(conversation, database, settings):
    """The source, once the database is there.

    Until then the state names the reason and the time of the next attempt.
    """
    pause = BACKOFF_LEAST
    while True:
        try:
            return inspected(database, settings)
        except psycopg2.Error as error:
            reason = f"cannot connect to the database: {database.reason(error)}"
        conversation.send(type="state", state="stale", message=f"{reason}; the next attempt is in {pause:.2g} s")
        database.log.write("error", reason, topic="away")
        end = time.monotonic() + pause * random.uniform(0.5, 1)
        while (rest := end - time.monotonic()) > 0:
            conversation.receive(rest)  # answers health checks
        pause = min(BACKOFF_MOST, pause * 2)


def inspected(database, settings):
    """The source as the database describes it."""
    if ("table" in settings) == ("query" in settings):
        raise Refusal("table", "set either table or query")
    if "slot" in settings and not re.fullmatch(r"[a-z0-9_]{1,63}", settings["slot"]):
        raise Refusal("slot", "a slot's name has lower-case letters, digits and underscores, at most 63")
    place = "table" if "table" in settings else "query"
    connection = database.connect()
    try:
        return Source(database, connection, settings)
    except Unreadable as error:
        raise Refusal(error.setting or place, str(error)) from error
    except (psycopg2.ProgrammingError, psycopg2.errors.FeatureNotSupported) as error:
        raise Refusal(place, database.reason(error)) from error
    finally:
        connection.close()


def schema(source, settings):
    named = {column.name for column in source.columns}
    comparable = [column.name for column in source.columns if column.is_filterable]
    texts = [column for column in source.columns if isinstance(column, Text)]
    label = next((column.name for column in texts if column.name.lower() in ("name", "title", "label")), None)
    return {
        **({"label": label} if label else {}),
        "type": "schema",
        "name": (source.table if source.is_table else "query"),
        "key": source.key_kind,
        "columns": [column.described() for column in source.columns if column.name in named],
        "prefetch": {
            "inFlight": settings.get("connections", 4),
            "patience": int(settings.get("timeout", 30) * 1_000) + 5_000,
        },
        "windowed": {
            "sort": [column.name for column in source.columns if column.is_sortable],
            "filters": FILTERS + (["contains", "startsWith"] if source.folds else []),
            "filterColumns": comparable,
            "searches": source.folds and bool(texts),
            "group": comparable,
            "count": settings.get("count", "exact"),
            "paging": "keysetAndOffset",
            "tellsChanges": True,
            "refresh": 50,
            "cancels": True,
        },
    }


def main():
    if sys.argv[1:2] == ["--trigger-sql"] and len(sys.argv) == 3:
        name = sys.argv[2]
        print(
            TRIGGER.format(
                table=name if '"' in name or re.fullmatch(r"[a-z_][a-z0-9_$.]*", name) else '"' + name + '"'
            ),
            end="",
        )
        return
    conversation = Conversation()
    conversation.send(type="hello", version=1, capabilities=["health"], settings=SETTINGS)
    settings = None
    while settings is None:
        settings = next((m["settings"] for m in conversation.receive() if m.get("type") == "configure"), None)
    log = Log()
    try:
        database = Database(settings, log)
        source = first_inspected(conversation, database, settings)
    except Refusal as refusal:
        conversation.send(type="refuse", setting=refusal.setting, reason=log.scrub(str(refusal)))
        return
    conversation.send(**schema(source, settings))
    serve(conversation, database, source, settings)


def serve(conversation, database, source, settings):
    statements = Statements(source)
    counts = Counts(
        database, source, lambda: conversation.send(type="changed"), settings.get("count") == "estimated", database.log
    )
    if settings.get("count") != "estimated":
        with counts.change:
            counts.ask(statements.conditions({}))
    reader = Reader(statements, counts, database.log)
    watch = None
    workers = Workers(
        settings.get("connections", 4), database, reader, conversation.write, lambda reason: watch.wake.set()
    )
    watch = Watch(database, source, settings, conversation, workers, counts, MODES[settings.get("live", "auto")])
    watch.has_slot = False
    threading.Thread(target=run_or_end, args=(watch.run,), daemon=True).start()
    while True:
        for message in conversation.receive():
            if message.get("type") == "query":
                workers.ask(message)
            elif message.get("type") == "cancel":
                workers.cancel(message.get("queries", []))


def run_or_end(body):
    try:
        body()
    except BaseException as error:  # noqa: B902 - a source that notices no changes must not go on
        print(f"error: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        # The host has closed the pipe, which is a normal end. Further output would fail.
        sys.stderr.close()
        os._exit(0)
