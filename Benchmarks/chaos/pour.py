#!/usr/bin/env python3
"""A plugin that, once a file exists, sends its thousand rows repeatedly as fast as it can.

It stops after a given number of seconds.
"""

import os
import pathlib
import sys
import time

NAME, GO, SECONDS = sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[3])


def write(data):
    while data:
        data = data[os.write(1, data):]


def rows(counter):
    return b'{"type":"upsert","rows":[' + b",".join(b"[%d,%d]" % (key, counter) for key in range(1_000)) + b"]}\n"


write(b'{"type":"hello","version":1,"capabilities":[]}\n')
write(b'{"type":"schema","name":"%s","key":"integer","columns":[{"name":"count","type":"integer"}]}\n' % NAME.encode())
write(rows(0))
while not GO.exists():
    time.sleep(0.05)
# Prepared in advance, because making the lists takes longer than reading them.
lists = [rows(counter) for counter in range(1, 101)]
end = time.monotonic() + SECONDS
sent = 0
while time.monotonic() < end:
    write(lists[sent % 100])
    sent += 1
write(rows(999))
pathlib.Path(f"{GO}.done.new").write_text(f"{sent} 999", encoding="ascii")
os.rename(f"{GO}.done.new", f"{GO}.done")
time.sleep(1_000)
