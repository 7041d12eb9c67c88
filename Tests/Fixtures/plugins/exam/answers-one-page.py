#!/usr/bin/env python3
# breaks: answers
# It answers its first query only.
import json, sys


def say(message):
    print(json.dumps(message), flush=True)


ROWS = [[number, "row %d" % number] for number in range(500)]
say({"type": "hello", "version": 1, "capabilities": ["health"]})
say({"type": "schema", "name": "far", "key": "integer", "prefetch": {"inFlight": 4, "patience": 2000},
     "columns": [{"name": "name", "type": "text"}], "windowed": {"cancels": True}})
answered = False
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "health":
        say({"type": "health", "id": message["id"]})
    elif message["type"] == "query":
        if answered:
            continue
        answered = True
        wish = message["rows"]
        rows = ROWS[wish["skip"]:wish["skip"] + wish["count"]]
        say({"type": "page", "id": message["id"], "rows": rows, "more": wish["skip"] + len(rows) < len(ROWS), "count": len(ROWS)})
