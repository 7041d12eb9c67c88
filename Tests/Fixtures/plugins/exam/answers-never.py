#!/usr/bin/env python3
# breaks: answers
# It hears that cells are wanted, and does nothing.
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
    if json.loads(line)["type"] == "health":
        say({"type": "health"})
