#!/usr/bin/env python3
# breaks: stays
# It takes what one read gives for one line.
import json, os


def say(message):
    os.write(1, (json.dumps(message) + "\n").encode())


say({"type": "hello", "version": 1})
heard = b""
while b"configure" not in heard or not heard.endswith(b"\n"):
    heard += os.read(0, 65536)
say({"type": "schema", "name": "jobs", "key": "integer", "columns": [{"name": "name", "type": "text"}]})
say({"type": "reload"})
say({"type": "upsert", "rows": [[1, "build"], [2, "test"], [3, "deploy"]]})
say({"type": "commit"})
while chunk := os.read(0, 65536):
    if json.loads(chunk)["type"] == "health":
        say({"type": "health"})
