#!/usr/bin/env python3
# breaks: images
# It has no answer for an image that there is not.
import base64, json, sys


def say(message):
    print(json.dumps(message), flush=True)


DOT = base64.b64encode(b"GIF89a" + bytes(20)).decode()
say({"type": "hello", "version": 1, "capabilities": ["health", "images"]})
say({"type": "schema", "name": "faces", "key": "text", "columns": [{"name": "face", "type": "image"}]})
say({"type": "reload"})
say({"type": "upsert", "rows": [["a", "smile"], ["b", "grin"], ["c", "wink"], ["d", None]]})
say({"type": "commit"})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "health":
        say({"type": "health", "id": message["id"]})
    elif message["type"] == "image" and message["key"] in ("smile", "grin", "wink"):
        say({"type": "image", "id": message["id"], "data": DOT})
