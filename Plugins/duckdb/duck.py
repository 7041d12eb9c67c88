#!/usr/bin/python3
"""Parquet, CSV and JSON files of any size as a live table, queried by DuckDB.

It needs Python 3.9 with the package duckdb. README.md next to this file explains the settings;
docs/plugins/programs.md explains the messages. columns.py maps types, snapshot.py copies the files into a
temporary database, reader.py makes the SQL, workers.py answers queries.
"""

import glob
import json
import os
import pathlib
import select
import signal
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The repository's own environment, for a Python that has no package duckdb.
VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"
sys.path += glob.glob(str(ROOT / ".venv/lib" / VERSION / "site-packages"))

try:
    import duckdb  # noqa: F401
except ImportError:
    print('{"type":"hello","version":1}', flush=True)
    remedy = "the Python package duckdb is missing: run scripts/setup test, or pip install duckdb"
    print(json.dumps({"type": "refuse", "setting": "path", "reason": remedy}), flush=True)
    sys.exit(1)

from columns import Unreadable
from reader import Reader
from snapshot import Folder, Snapshot, files_of, may_grow, signature
from workers import Workers

SETTINGS = {
    "type": "object",
    "required": ["path"],
    "properties": {
        "path": {"type": "string"},
        "query": {"type": "string"},
        "format": {"enum": ["auto", "parquet", "csv", "json"]},
        "memory": {"type": "integer", "minimum": 64, "maximum": 1_048_576},
        "threads": {"type": "integer", "minimum": 1, "maximum": 256},
        "disk": {"type": "integer", "minimum": 16, "maximum": 16_777_216},
        "directory": {"type": "string"},
        "interval": {"type": "number", "minimum": 0.05, "maximum": 3_600},
        "timeout": {"type": "number", "minimum": 0.1, "maximum": 3_600},
    },
}
FILTERS = ["equal", "notEqual", "order", "range", "contains", "startsWith", "oneOf", "isEmpty", "any", "not"]


class Conversation:
    """Messages on standard input and output."""

    def __init__(self):
        self.rest, self.lock, self.leave = b"", threading.Lock(), lambda: os._exit(0)

    def send(self, **message):
        self.write(json.dumps(message, separators=(",", ":"), allow_nan=False))

    def write(self, line):
        try:
            with self.lock:
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
        except BrokenPipeError:
            self.leave()

    def receive(self, patience=None):
        """Returns the messages that have come. Ends the program when the host closes the pipe."""
        if not select.select([0], [], [], patience)[0]:
            return []
        chunk = os.read(0, 65_536)
        if not chunk:
            self.leave()
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        messages = [json.loads(line) for line in lines if line.strip()]
        for message in messages:
            if message.get("type") == "health":
                self.send(type="health", id=message.get("id"))
        return messages


class Source:
    """The current snapshot, and the thread that replaces it when a file changes."""

    def __init__(self, settings, conversation, folder):
        self.settings, self.conversation, self.folder = settings, conversation, folder
        self.reader, self.number, self.reported, self.schema = None, 0, None, None
        self.loading, self.lock = None, threading.Lock()
        self.known, self.introduced = threading.Event(), threading.Event()

    def state(self, state, message):
        """Reports a state when it differs from the last one."""
        with self.lock:
            if (state, message) == self.reported or state == "live" and not self.introduced.is_set():
                return
            self.reported = (state, message)
            self.conversation.send(type="state", state=state, message=message)
            if state == "stale":
                print(f"warning: {message}", file=sys.stderr, flush=True)

    def report_progress(self):
        """Reports how much of a copy is done; called while one may be under way."""
        snapshot = self.loading
        if snapshot is None or self.reader is None:
            return
        percent = snapshot.progress()
        share = "" if percent is None else f", {percent:.0f} %"
        self.state("live", f"copying the rows into a temporary database{share}")

    def done(self):
        """Returns the state's text while all is well."""
        snapshot = self.reader.snapshot
        files = "1 file" if len(snapshot.files) == 1 else f"{len(snapshot.files):,} files"
        return f"{snapshot.rows:,} rows of {files}, in a temporary database"

    def run(self):
        loaded = failed = None
        interval = self.settings.get("interval", 1)
        while True:
            before = signature(files_of(self.settings["path"]))
            if before != loaded and before != failed:
                if loaded is not None or may_grow(before):
                    # A file that is still being written is not read yet.
                    time.sleep(min(interval, 1))
                    if signature(files_of(self.settings["path"])) != before:
                        rows = "; the rows are those from before" if loaded is not None else ""
                        self.state("stale", f"the files are being written{rows}")
                        continue
                try:
                    loaded, failed = self.load(), None
                    self.state("live", self.done())
                except Unreadable as error:
                    failed = before
                    if error.setting:
                        self.conversation.send(type="refuse", setting=error.setting, reason=str(error))
                        self.conversation.leave()
                    if self.reader is not None and not self.reader.snapshot.ready.is_set():
                        self.reader.snapshot.error = str(error)
                    rows = "; the rows are those from before" if loaded is not None else ""
                    self.state("stale", f"{error}{rows}")
            elif before == loaded:
                failed = None
                self.state("live", self.done())
            time.sleep(interval)

    def load(self):
        self.number += 1
        snapshot = Snapshot(self.settings, self.folder, self.number)
        try:
            if self.schema is not None and snapshot.schema() != self.schema:
                raise Unreadable("the columns of the files have changed; restart the source")
            has_failed = self.reader is not None and not self.reader.snapshot.ready.is_set()
            is_first = self.reader is None or has_failed
            if is_first:
                if self.reader is not None:
                    self.reader.snapshot.close()
                self.reader, self.schema = Reader(snapshot), snapshot.schema()
                self.known.set()
            self.loading = snapshot
            try:
                snapshot.copy()
            finally:
                self.loading = None
        except Unreadable as error:
            snapshot.error = str(error)
            if self.reader is None or self.reader.snapshot is not snapshot:
                snapshot.close()
            raise
        old, self.reader = self.reader, self.reader if is_first else Reader(snapshot)
        if old is not self.reader:
            # Cursors of running queries keep the database open until they end.
            old.snapshot.close()
        if old is not self.reader or has_failed:
            self.conversation.send(type="changed")
        return snapshot.signature


def schema(reader, settings):
    columns = reader.snapshot.columns
    names = [column.name for column in columns]
    return {
        "type": "schema",
        "name": os.path.basename(settings["path"]).split(".")[0].replace("*", "") or "files",
        "key": "integer",
        "columns": [column.described() for column in columns],
        "prefetch": {"inFlight": 3, "patience": 3_600_000},
        "windowed": {
            "sort": names, "filters": FILTERS, "filterColumns": names, "group": names,
            "searches": any(column.kind == "text" for column in columns),
            "count": "exact", "paging": "offset", "tellsChanges": True, "cancels": True,
        },
    }  # fmt: skip


def main():
    conversation = Conversation()
    conversation.send(type="hello", version=1, capabilities=["health"], settings=SETTINGS)
    settings = None
    while settings is None:
        settings = next((m["settings"] for m in conversation.receive() if m.get("type") == "configure"), None)
    try:
        folder = Folder(settings.get("directory"))
    except OSError as error:
        reason = f"making a temporary folder failed: {error}; name another folder"
        conversation.send(type="refuse", setting="directory", reason=reason)
        return

    def leave(*_):
        folder.remove()
        os._exit(0)

    conversation.leave = leave
    signal.signal(signal.SIGTERM, leave)
    source = Source(settings, conversation, folder)
    threading.Thread(target=run_or_end, args=(source.run,), daemon=True).start()
    while not source.known.is_set():
        conversation.receive(0.05)
    conversation.send(**schema(source.reader, settings))
    source.introduced.set()
    workers = Workers(3, settings.get("timeout", 60), conversation.write, lambda: source.reader)
    while True:
        for message in conversation.receive(0.5):
            if message.get("type") == "query":
                workers.ask(message)
            elif message.get("type") == "cancel":
                workers.cancel(message.get("queries", []))
        workers.interrupt_late()
        source.report_progress()


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
