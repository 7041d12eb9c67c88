"""A source for Tests/Cluster/run: it passes on the lines of a file, also those appended later.

    feed.py LINES ACTIONS

Two publishers with the same file have the same rows. Each action is noted in the file ACTIONS.
"""

import json
import os
import select
import sys

SCHEMA = {
    "type": "schema", "name": "jobs", "title": "Jobs", "key": "integer",
    "columns": [{"name": "number", "type": "integer"}, {"name": "text", "type": "text"}],
    "actions": [
        {"name": "mark", "title": "Mark", "rows": False, "patience": 5000,
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


def answer(message, actions):
    if message.get("type") != "action":
        return
    word = message["arguments"]["word"]
    with open(actions, "a") as file:
        file.write(word + "\n")
    print(json.dumps({"type": "acted", "id": message["id"], "result": f"marked {word}"}), flush=True)


main()
