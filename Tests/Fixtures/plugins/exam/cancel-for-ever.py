#!/usr/bin/env python3
# breaks: cancel
# It never loads again what was cancelled once.
import json, sys


def say(message):
    print(json.dumps(message), flush=True)


say({"type": "hello", "version": 1, "capabilities": ["health"]})
say({"type": "schema", "name": "faces", "key": "text", "prefetch": {"inFlight": 8, "patience": 2000},
     "columns": [{"name": "name", "type": "text"}, {"name": "rating", "type": "number", "deferred": True}]})
say({"type": "reload"})
say({"type": "upsert", "rows": [["a", "smile", None], ["b", "grin", None], ["c", "wink", None]]})
say({"type": "commit"})
cancelled = set()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "health":
        say({"type": "health"})
    elif message["type"] == "cancel":
        cancelled.update(key for key, _ in message["cells"])
    elif message["type"] == "load":
        for key, column in message["cells"]:
            if key not in cancelled:
                say({"type": "loaded", "key": key, "column": column, "value": 4.5})
