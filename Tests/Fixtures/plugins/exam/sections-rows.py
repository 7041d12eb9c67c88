#!/usr/bin/env python3
# breaks: sections
# It tells all rows when it is asked for those of a section.
import json, sys


def say(message):
    print(json.dumps(message), flush=True)


ROWS = [[number, "row %d" % number, ("even", "odd", None)[number % 3]] for number in range(500)]
say({"type": "hello", "version": 1, "capabilities": ["health"]})
say({"type": "schema", "name": "far", "key": "integer", "prefetch": {"inFlight": 4, "patience": 2000},
     "columns": [{"name": "name", "type": "text"}, {"name": "kind", "type": "text"}],
     "windowed": {"group": ["kind"], "cancels": True}})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "health":
        say({"type": "health", "id": message["id"]})
    elif message["type"] == "query" and "sections" in message:
        kinds = [row[2] for row in ROWS]
        sections = [[kind, kinds.count(kind)] for kind in ("even", "odd", None)]
        say({"type": "page", "id": message["id"], "group": message["group"], "sections": sections})
    elif message["type"] == "query":
        rows, wish = ROWS, message["rows"]
        page = rows[wish["skip"]:wish["skip"] + wish["count"]]
        say({"type": "page", "id": message["id"], "rows": page, "more": wish["skip"] + len(page) < len(rows), "count": len(rows)})
