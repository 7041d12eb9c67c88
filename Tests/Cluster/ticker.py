"""A source for Tests/Cluster/run --measure: rows that have the time at which they were sent.

    ticker.py ROWS INTERVAL

Each INTERVAL seconds it sends all its rows again, with the time of the monotonic clock.
"""

import json
import select
import sys
import time

SCHEMA = {
    "type": "schema", "name": "jobs", "title": "Jobs", "key": "integer",
    "columns": [{"name": "number", "type": "integer"}, {"name": "sent", "type": "number"}]}


def main():
    rows, interval = int(sys.argv[1]), float(sys.argv[2])
    for message in ({"type": "hello", "version": 1}, SCHEMA, {"type": "state", "state": "live"}):
        print(json.dumps(message), flush=True)
    due = time.monotonic()
    while True:
        now = time.monotonic()
        batch = [[key, key, now] for key in range(rows)]
        print(json.dumps({"type": "upsert", "rows": batch}), flush=True)
        due = max(due + interval, now)
        # Standard input is closed when the server ends.
        if select.select([0], [], [], max(0, due - time.monotonic()))[0] and not sys.stdin.readline():
            return


main()
