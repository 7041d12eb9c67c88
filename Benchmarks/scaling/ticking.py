"""A source for `measure` that adds a row with the time at a rate, and keeps the last 50.

ticking.py RATE
"""

import json
import sys
import time

SCHEMA = {
    "type": "schema", "name": "jobs", "title": "Jobs", "key": "integer",
    "columns": [{"name": "number", "type": "integer"}, {"name": "time", "type": "number"}],
}  # fmt: skip


def main():
    rate = float(sys.argv[1])
    for message in ({"type": "hello", "version": 1}, SCHEMA, {"type": "state", "state": "live"}):
        print(json.dumps(message), flush=True)
    number, due = 0, time.monotonic()
    while True:
        number += 1
        key = number % 50
        print(json.dumps({"type": "upsert", "key": key, "row": {"number": number, "time": time.time()}}), flush=True)
        due += 1 / rate
        time.sleep(max(0, due - time.monotonic()))


main()
