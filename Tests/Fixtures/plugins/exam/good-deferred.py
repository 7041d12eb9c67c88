#!/usr/bin/env python3
# breaks: nothing
# Deferred cells, each answered.
import json, sys


def say(message):
    print(json.dumps(message), flush=True)


say({"type": "hello", "version": 1, "capabilities": ["health"]})
say({"type": "schema", "name": "faces", "key": "text", "prefetch": {"inFlight": 8, "patience": 2000},
     "columns": [{"name": "name", "type": "text"}, {"name": "rating", "type": "number", "deferred": True}]})
say({"type": "reload"})
say({"type": "upsert", "rows": [["a", "smile", None], ["b", "grin", None], ["c", "wink", None]]})
say({"type": "commit"})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "health":
        say({"type": "health", "id": message["id"]})
    elif message["type"] == "load":
        for key, column in message["cells"]:
            if key in "abc":
                say({"type": "loaded", "key": key, "column": column, "value": 4.5})
            else:
                say({"type": "failed", "key": key, "column": column, "reason": "it has no rating"})
