#!/usr/bin/env python3
"""A plugin for fault injection: ten rows and a few changes per second, until it gets a signal.

SIGUSR1 makes it flood for a second. SIGUSR2 makes it write garbage. SIGHUP makes it hang: it keeps
running without answering.
"""

import json
import os
import random
import select
import signal
import sys
import time

ROWS = 10
wanted = []
for number, what in ((signal.SIGUSR1, "flood"), (signal.SIGUSR2, "garbage"), (signal.SIGHUP, "hang")):
    signal.signal(number, lambda *_, what=what: wanted.append(what))


def write(data):
    """Writes all data; blocks while the host does not read."""
    while data:
        data = data[os.write(1, data):]


def send(message):
    write(json.dumps(message).encode() + b"\n")


def rows(counter):
    return [[key, f"row {key}", counter] for key in range(ROWS)]


def flood(draw):
    end = time.monotonic() + 1
    counter = draw.randrange(1_000_000)
    while time.monotonic() < end:
        counter += 1
        send({"type": "upsert", "rows": rows(counter) * 20})


def garbage(draw):
    for _ in range(draw.randint(1, 15)):
        kind = draw.randrange(4)
        if kind == 0:
            write(draw.randbytes(draw.randint(1, 2_000)) + b"\n")
        elif kind == 1:
            write(b"{" * draw.randint(1, 5_000) + b"\n")
        elif kind == 2:
            write(b'{"type":"upsert","key":' + b"9" * draw.randint(1, 400) + b"}\n")
        else:
            write(b"x" * draw.randint(1, 1_500_000) + b"\n")


def main():
    draw = random.Random(sys.argv[1])
    send({"type": "hello", "version": 1, "capabilities": ["health"]})
    send({"type": "schema", "name": sys.argv[1], "key": "integer",
         "columns": [{"name": "name", "type": "text"}, {"name": "count", "type": "integer"}]})
    send({"type": "reload"})
    send({"type": "upsert", "rows": rows(0)})
    send({"type": "commit"})
    counter = 0
    while True:
        ready, _, _ = select.select([0], [], [], 0.2)
        if ready:
            heard = os.read(0, 65_536)
            if not heard:
                return
            if b'"health"' in heard:
                send({"type": "health"})
        while wanted:
            what = wanted.pop(0)
            if what == "hang":
                # Half of a line, and then nothing more.
                write(b'{"type":"upsert","key":1,"row":{"co')
                while True:
                    signal.pause()
            elif what == "flood":
                flood(draw)
            else:
                garbage(draw)
        counter += 1
        send({"type": "update", "key": counter % ROWS, "row": {"count": counter}})


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)
