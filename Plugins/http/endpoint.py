#!/usr/bin/env python3
"""An address as a live table: JSON, NDJSON, CSV, Prometheus' text format, or Server-Sent Events.

It needs Python 3.9 and nothing else. docs/plugins/programs.md explains the messages to the host;
README.md the settings.
"""

import os
import random
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "shared"))

from client import Unavailable, Client  # noqa: E402
from host import Backoff, Host, Occasional  # noqa: E402
from reading import Events, Unreadable, format_of, rows_of_csv, rows_of_json, rows_of_ndjson, samples_of  # noqa: E402
from rows import EventRows, Rows, Samples  # noqa: E402
from settings import SETTINGS, Options, Refusal  # noqa: E402

LINGER = 0.01  # seconds in which further events are put into the same message
EVENT_LIMIT = 1 << 20  # bytes of an event


class Source:
    """Requests the address again and again, or reads its events."""

    def __init__(self, options, host):
        self.options, self.host = options, host
        self.client = Client(options)
        self.notes = Occasional(host)
        self.backoff = Backoff(random.random)
        self.format = None if options.format == "auto" else options.format
        self.rows = None
        self.tags = {}
        self.last_id = ""
        self.retry = None

    def run(self):
        while True:
            began = time.monotonic()
            try:
                if self.format == "sse":
                    self.follow()
                    raise Unavailable("the stream has ended", self.retry)
                self.poll()
                if self.format == "sse":
                    continue
                self.backoff.connected()
                self.backoff.pause = 0.5
                pause = self.options.interval - (time.monotonic() - began)
            except (Unavailable, Unreadable) as problem:
                pause = max(self.backoff.next(), getattr(problem, "pause", None) or 0)
                if self.format != "sse":
                    pause = max(pause, self.options.interval)
                self.host.log("warning", f"{self.options.url}: {problem}; the next request is in {pause:.1f} s")
                self.host.report_state("stale", f"{self.options.url}: {problem}; trying again")
            time.sleep(max(0, pause))

    # Lists.

    def poll(self):
        response = self.client.get(self.tags, self.options.limit)
        try:
            if response.status == 304:
                return self.tell()
            if self.format is None and response.type == "text/event-stream":
                self.format = "sse"
                return None
            if response.type == "text/html":
                raise Unreadable("it is HTML, which has no rows: is the address that of a page for browsers?")
            body = b"".join(response.pieces())
        finally:
            response.close()
        kind = self.format or format_of(response.type, body)
        if kind == "prometheus":
            found = samples_of(body)
            self.rows = self.rows or Samples(self.options, self.host)
        else:
            found = (
                rows_of_json(body, self.options.path)
                if kind == "json"
                else rows_of_ndjson(body) if kind == "ndjson" else rows_of_csv(body)
            )
            self.rows = self.rows or Rows(self.options, self.host)
        # The format of the first response stays, as its columns do.
        self.format = kind
        faults = self.rows.show(found)
        for fault in faults:
            self.notes.note("fault", f"{self.options.url}: {fault}")
        # A response without a readable row is requested again as a whole.
        header = response.response.getheader
        tags = {"If-None-Match": header("ETag"), "If-Modified-Since": header("Last-Modified")}
        self.tags = {name: value for name, value in tags.items() if value}
        self.tell(len(faults))

    def tell(self, faults=0):
        parts = [self.rows.notice if self.rows else "", f"{faults:,} faults in the last response" if faults else ""]
        if self.rows is not None and self.rows.columns is None:
            parts.append("no row yet: the columns are inferred from the first ones")
        self.host.report_state("live", "; ".join(part for part in parts if part))

    # Events.

    def follow(self):
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-cache"}
        if self.last_id:
            headers["Last-Event-ID"] = self.last_id
        response = self.client.get(headers, None, is_endless=True)
        try:
            if response.type != "text/event-stream":
                raise Unavailable(f"its type is “{response.type[:80]}”, not text/event-stream")
            self.rows = self.rows or EventRows(self.options, self.host)
            self.backoff.connected()
            self.tell()
            events = Events(EVENT_LIMIT)
            events.last_id = self.last_id
            faults = 0
            for piece in response.pieces():
                found = events.add(piece)
                self.last_id, self.retry = events.last_id, events.retry or self.retry
                if events.faults > faults:
                    self.notes.note("event", f"{self.options.url}: an event has more than {EVENT_LIMIT:,} bytes")
                    self.host.send(type="reject", count=events.faults - faults, reason="an event is too long")
                    faults = events.faults
                if found:
                    for fault in self.rows.take(found):
                        self.notes.note("fault", f"{self.options.url}: {fault}")
                    self.tell()
        finally:
            response.close()


def main():
    host = Host()
    host.send(type="hello", version=1, name="http", capabilities=["health", "commits"], settings=SETTINGS)
    host.configured.wait()
    try:
        options = Options(host.settings)
    except Refusal as refusal:
        host.send(type="refuse", setting=refusal.setting, reason=host.redacted(refusal))
        return
    host.secrets += options.secrets
    for path in options.open_files:
        host.log("warning", f"other users can read the file {path}: chmod 600 {path}")
    Source(options, host).run()


if __name__ == "__main__":
    try:
        main()
        # A normal end would wait for the thread that reads standard input.
        os._exit(0)
    except (BrokenPipeError, KeyboardInterrupt):
        # The host has closed the pipe, which is a normal end.
        os._exit(0)
    except BaseException as error:
        if not isinstance(error, SystemExit):
            import traceback

            traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
