#!/usr/bin/env python3
"""A plugin without faults: it sends one row, with the current time, fifty times per second."""

import os
import select
import sys
import time

NAME = sys.argv[1]


def send(text):
    data = text.encode() + b"\n"
    while data:
        data = data[os.write(1, data):]


send('{"type":"hello","version":1,"capabilities":["health"]}')
send('{"type":"schema","name":"%s","key":"integer","columns":[{"name":"told","type":"integer"}]}' % NAME)
send('{"type":"reload"}')
send('{"type":"commit"}')
try:
    while True:
        ready, _, _ = select.select([0], [], [], 0.02)
        if ready and not os.read(0, 65_536):
            break
        send('{"type":"upsert","key":1,"row":{"told":%d}}' % (time.monotonic_ns() // 1_000))
except BrokenPipeError:
    os._exit(0)
