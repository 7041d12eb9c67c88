#!/usr/bin/env python3
"""Serves a synthetic market: any number of quotes, with any number of changes per second.

Needs only Python 3.8. It produces the same rows and changes as the Swift plugin `market`, because
every value is a pure function of a counter. docs/plugins/programs.md specifies the messages.
"""

import json
import select
import sys
import time

COLUMNS = [
    {"name": "id", "type": "integer", "title": "Id", "width": 9, "format": "plain"},
    {"name": "symbol", "type": "text", "title": "Symbol", "width": 10},
    {"name": "sector", "type": "text", "title": "Sector", "style": "badge", "width": 11},
    {
        "name": "price", "type": "number", "title": "Price", "style": "bar", "width": 12,
        "format": "grouped.2", "better": "higher"},
    {"name": "size", "type": "integer", "title": "Size", "width": 8},
    {"name": "bid", "type": "number", "title": "Bid", "width": 12, "format": "grouped.2", "better": "higher"},
    {"name": "ask", "type": "number", "title": "Ask", "width": 12, "format": "grouped.2", "better": "higher"},
    {"name": "ts", "type": "timestamp", "title": "Time", "width": 20, "format": "datetime.3"},
    {"name": "side", "type": "text", "title": "Side", "style": "badge", "width": 6},
    {"name": "note", "type": "text", "title": "Note", "width": 26},
]

SETTINGS = {
    "type": "object",
    "properties": {
        "rows": {"type": "integer", "minimum": 0, "maximum": 10_000_000},
        "rate": {"type": "number", "minimum": 0, "maximum": 1_000_000},
        "batches": {"type": "number", "minimum": 0.01, "maximum": 1_000},
        "seed": {"type": "integer", "minimum": 0, "maximum": 0xFFFFFF},
    },
}

ROWS_PER_LINE = 1_000  # far below the limit of 1 MB per line
MASK = 0xFFFF_FFFF_FFFF_FFFF


def mix(x):
    """Mixes a counter into a uniformly distributed 64-bit number (splitmix64)."""
    z = (x + 0x9E37_79B9_7F4A_7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58_476D_1CE4_E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D0_49BB_1331_11EB) & MASK
    return z ^ (z >> 31)


class Quotes:
    """The rows and changes of one seed."""

    def __init__(self, seed):
        self.offset = (seed << 40) & MASK
        self.streams = [mix(stream) for stream in range(15)]

    def draw(self, stream, counter):
        return mix((self.streams[stream] + counter + self.offset) & MASK)

    def row(self, i):
        """Returns row `i` as a list that begins with its key."""
        draw = self.draw
        symbol = draw(1, i) % 10_000
        price = draw(2, i) % 1_000_000_000 / 10_000
        spread = (1 + draw(4, i) % 10) / 100
        note = draw(6, i)
        return [
            i, i, f"SYM{symbol:05}", f"Sector-{symbol % 20:02}", price, 1 + draw(3, i) % 10_000, price - spread,
            price + spread, 1_700_000_000_000 + i, "SELL" if draw(5, i) & 1 else "BUY",
            f"note-{note:016x}-{note % 100:02}",
        ]

    def change(self, u, rows):
        """Returns change number `u` as the key of a row and its new cells."""
        draw = self.draw
        price = draw(12, u) % 1_000_000_000 / 10_000
        spread = (1 + draw(14, u) % 10) / 100
        return [
            draw(11, u) % rows,
            {
                "price": price, "size": 1 + draw(13, u) % 10_000, "bid": price - spread, "ask": price + spread,
                "ts": 1_700_010_000_000 + u,
            },
        ]


def send(message):
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")


class Host:
    """The connection to the host; reads never block longer than requested."""

    def __init__(self):
        self.rest = b""

    def messages(self, patience):
        """Returns the messages received within `patience` seconds.

        Exits when the host closes the pipe.
        """
        sys.stdout.flush()
        ready, _, _ = select.select([0], [], [], max(0, patience))
        if not ready:
            return []
        chunk = sys.stdin.buffer.raw.read(65_536)
        if not chunk:
            sys.exit(0)
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        return [json.loads(line) for line in lines if line.strip()]

    def listen(self, patience=0.0):
        """Answers pending requests. Returns the settings if they were received."""
        settings = None
        for message in self.messages(patience):
            if message.get("type") == "health":
                send({"type": "health", "id": message.get("id")})
                sys.stdout.flush()
            elif message.get("type") == "configure":
                settings = message.get("settings", {})
        return settings


def load(host, quotes, rows):
    send({"type": "reload"})
    for first in range(0, rows, ROWS_PER_LINE):
        send({"type": "upsert", "rows": [quotes.row(i) for i in range(first, min(first + ROWS_PER_LINE, rows))]})
        host.listen()
    send({"type": "commit"})


def change(host, quotes, rows, rate, batches):
    start = time.monotonic()
    counter = 0
    tick = 0
    while True:
        tick += 1
        while (rest := start + tick / batches - time.monotonic()) > 0:
            host.listen(rest)
        # The count is derived from the start time, so rounding errors do not add up. A delay of
        # more than a second is not caught up.
        due = int(rate * (time.monotonic() - start)) - counter
        if due > rate + 1:
            start += (due - rate) / rate
            due = int(rate)
            tick = int((time.monotonic() - start) * batches)
        while due > 0:
            count = min(due, ROWS_PER_LINE)
            send({"type": "update", "rows": [quotes.change(u, rows) for u in range(counter, counter + count)]})
            counter += count
            due -= count
            host.listen()


def main():
    host = Host()
    send({"type": "hello", "version": 1, "name": "market", "capabilities": ["health"], "settings": SETTINGS})
    while (settings := host.listen(60)) is None:
        pass
    rows = settings.get("rows", 100_000)
    rate = settings.get("rate", 1_000)
    quotes = Quotes(settings.get("seed", 0))
    send({
        "type": "schema", "name": "quotes", "title": "Quotes", "key": "integer", "columns": COLUMNS,
        "label": "symbol"})
    load(host, quotes, rows)
    if rows > 0 and rate > 0:
        change(host, quotes, rows, rate, settings.get("batches", 20))
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        # The host has closed the pipe, which is a normal end. Further output would fail.
        sys.stderr.close()
        sys.exit(0)
