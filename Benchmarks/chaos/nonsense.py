#!/usr/bin/env python3
"""A plugin that, once a file exists, sends nine long invalid lines and half of a tenth."""

import os
import pathlib
import random
import sys
import time

NAME, GO = sys.argv[1], pathlib.Path(sys.argv[2])
draw = random.Random(NAME)


def write(data):
    while data:
        data = data[os.write(1, data):]


write(b'{"type":"hello","version":1,"capabilities":[]}\n')
write(
    b'{"type":"schema","name":"%s","key":"integer",'
    b'"columns":[{"name":"name","type":"text"},{"name":"count","type":"integer"}]}\n'
    % NAME.encode())
write(b'{"type":"upsert","key":1,"row":{"name":"one","count":1}}\n')
while not GO.exists():
    time.sleep(0.05)
for number in range(9):  # a tenth would end the plugin
    if number % 3 == 0:
        write(b"x" * draw.randint(1_000_000, 1_500_000) + b"\n")  # too long, or not JSON
    elif number % 3 == 1:
        write(b"[" + b"1," * draw.randint(400_000, 500_000) + b"1]\n")  # valid JSON, no message
    else:
        write(draw.randbytes(draw.randint(500_000, 1_000_000)).replace(b"\n", b"") + b"\n")
    write(b'{"type":"update","key":1,"row":{"count":%d}}\n' % number)
# The start of a valid message, which is never completed.
write(b'{"type":"upsert","rows":[' + b'[1,"row",1],' * 80_000)
pathlib.Path(f"{GO}.{NAME}").touch()
time.sleep(1_000)
