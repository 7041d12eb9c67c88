#!/usr/bin/env python3
"""A stream of messages as a live table: NATS JetStream, Redis Streams or a topic of Kafka.

It needs Python 3.8 and the client library of its message system. docs/plugins/programs.md explains the
messages to the host; README.md the settings.
"""

import os
import random
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "shared"))

from backend import Unavailable  # noqa: E402
from columns import Memory  # noqa: E402
from host import Backoff, Host, Occasional  # noqa: E402
from options import SETTINGS, Options, Refusal  # noqa: E402
from table import Table  # noqa: E402

LOOK = 1.0  # seconds between looks at lag and gaps
FEW, LINGER = 200, 0.005  # after fewer messages, seconds in which more may come: larger batches cost less
RELOAD_PAUSE = 30  # seconds between two full reads because of gaps


def backend_of(options, host):
    """The backend; only its client library is imported."""
    if options.backend == "nats":
        from jetstream import JetStream as StreamBackend
    elif options.backend == "redis":
        from redisstream import RedisStream as StreamBackend
    else:
        from kafkatopic import KafkaTopic as StreamBackend
    return StreamBackend(options, host)


class Source:
    """Connects a backend with a table, again and again."""

    def __init__(self, options, host, settings):
        self.options, self.host = options, host
        self.backend = backend_of(options, host)
        self.notes = Occasional(host)
        self.table = Table(options, self.backend, host, self.notes, Memory(settings))
        self.backoff = Backoff(random.random)
        self.has_begun = False
        self.missed, self.last_gap = 0, None
        self.reload_at, self.reloaded = None, -RELOAD_PAUSE
        self.read, self.looked = 0, 0.0

    def run(self):
        while True:
            try:
                self.backend.connect()
                self.follow()
            except Unavailable as unavailable:
                self.backend.close()
                pause = self.backoff.next()
                self.host.log("warning", f"{self.name}: {unavailable}; the next attempt is in {pause:.1f} s")
                self.host.report_state("stale", f"{self.name}: {unavailable}; trying again")
                time.sleep(pause)

    @property
    def name(self):
        return f"{self.backend.name} {self.options.stream}"

    def follow(self):
        if not self.has_begun:
            self.begin()
        else:
            self.note([self.backend.resume()])
        self.backoff.connected()
        self.looked = 0.0
        while True:
            if self.reload_at is not None and time.monotonic() >= self.reload_at:
                self.begin()
                self.reloaded = time.monotonic()
            messages = self.backend.read(0.2)
            arrived = time.monotonic()
            self.read += len(messages)
            self.table.take(messages)
            is_current = self.table.settle(self.backend.is_caught_up())
            if time.monotonic() - self.looked >= LOOK:
                self.look(is_current)
                self.looked = time.monotonic()
            if 0 < len(messages) < FEW:
                time.sleep(max(0, arrived + LINGER - time.monotonic()))

    def begin(self):
        self.backend.begin(None if self.options.is_latest else self.options.rows)
        self.has_begun, self.reload_at = True, None
        self.table.begin()

    def look(self, is_current):
        lag, gaps = self.backend.status()
        self.note(gaps)
        parts = []
        if self.table.columns is None and not self.table.sample:
            parts.append("no message yet: the columns are inferred from the first ones")
        elif not is_current:
            parts.append(f"reading: {self.read:,} messages read")
        if lag is not None:
            parts.append(f"{lag:,} {'message' if lag == 1 else 'messages'} behind")
        if self.table.rejections:
            parts.append(f"{self.table.rejections:,} rejected")
        if self.last_gap is not None:
            parts.append(f"{self.missed:,} missed; {self.last_gap}" if self.missed else self.last_gap)
        if self.reload_at is not None:
            parts.append("all is read again soon")
        self.host.report_state("live", f"{self.name}: {'; '.join(parts)}")

    def note(self, gaps):
        for gap in gaps:
            if gap is None:
                continue
            if gap.text:
                self.missed += gap.count or 0
                self.last_gap = gap.text
                self.host.log("warning", f"{self.name}: {gap.text}")
                self.table.reject_gap(gap)
            # A gap may have hidden deletions, and a recreated stream has other messages.
            if gap.reloads and (self.options.is_latest or gap.count is None):
                self.reload_at = max(time.monotonic(), self.reloaded + RELOAD_PAUSE) if gap.count else time.monotonic()


def main():
    host = Host()
    host.send(type="hello", version=1, name="stream", capabilities=["health"], settings=SETTINGS)
    host.configured.wait()
    try:
        options = Options(host.settings)
        host.secrets += options.secrets
        for path in options.open_files:
            host.log("warning", f"other users can read the file {path}: chmod 600 {path}")
        source = Source(options, host, host.settings)
    except Refusal as refusal:
        host.send(type="refuse", setting=refusal.setting, reason=host.redacted(refusal))
        return
    source.run()


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
