"""A source for Tests/Cluster/run: it passes on the lines of a file, also those appended later.

    feed.py LINES ACTIONS

Two publishers with the same file have the same rows. Each action is noted in the file ACTIONS. The
column `extra` is deferred: it is "extra KEY", and fails for the key 13. There is one image.
"""

import json
import os
import select
import sys

SCHEMA = {
    "type": "schema", "name": "jobs", "title": "Jobs", "key": "integer",
    "columns": [
        {"name": "number", "type": "integer"}, {"name": "text", "type": "text"},
        {"name": "extra", "type": "text", "deferred": True}],
    "images": True,
    "actions": [
        {"name": "mark", "title": "Mark", "rows": False, "patience": 5000,
         "arguments": [{"name": "word", "label": "Word", "type": "text"}]},
        {"name": "mark-row", "title": "Mark the row", "patience": 5000,
         "arguments": [{"name": "word", "label": "Word", "type": "text"}]}],
}  # fmt: skip


def main():
    lines, actions = sys.argv[1:]
    for message in ({"type": "hello", "version": 1}, SCHEMA, {"type": "state", "state": "live"}):
        print(json.dumps(message), flush=True)
    inputs = b""
    with open(lines) as file:
        while True:
            text = file.read()
            if text:
                sys.stdout.write(text)
                sys.stdout.flush()
            if not select.select([0], [], [], 0.02)[0]:
                continue
            part = os.read(0, 65536)
            if not part:
                return
            *whole, inputs = (inputs + part).split(b"\n")
            for line in whole:
                answer(json.loads(line), actions)


PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def answer(message, actions):
    if message.get("type") == "load":
        for key, column in message["cells"]:
            result = {"type": "loaded", "value": f"extra {key}"}
            if key == 13:
                result = {"type": "failed", "reason": "no extra 13"}
            print(json.dumps({**result, "key": key, "column": column}), flush=True)
    if message.get("type") == "image":
        data = PICTURE if message["key"] == "picture" else None
        print(json.dumps({"type": "image", "id": message["id"], "data": data}), flush=True)
    if message.get("type") != "action":
        return
    word = message["arguments"]["word"]
    with open(actions, "a") as file:
        file.write(word + "\n")
    print(json.dumps({"type": "acted", "id": message["id"], "result": f"marked {word}"}), flush=True)


main()
