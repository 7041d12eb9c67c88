#!/usr/bin/env python3
"""Serves emoji and their ratings, an example of deferred cells.

Every rating takes some time to load, like a lookup over a slow connection. The host requests the
ratings of the rows in and around the viewport, the most urgent first. It cancels requests that are
not needed any more. Needs only Python 3.8. docs/plugins/programs.md specifies the messages.
"""

import heapq
import json
import random
import select
import sys
import time
import unicodedata

#: The blocks of emoji: Unicode name, first and end code point.
BLOCKS = [
    ("Miscellaneous symbols", 0x2600, 0x2700), ("Symbols and pictographs", 0x1F300, 0x1F600),
    ("Emoticons", 0x1F600, 0x1F650),
    ("Transport and maps", 0x1F680, 0x1F700), ("Supplemental symbols", 0x1F900, 0x1FA00),
]

COLUMNS = [
    {"name": "emoji", "type": "text", "title": "Emoji", "width": 6, "align": "center"},
    {"name": "name", "type": "text", "title": "Name", "width": 36},
    {"name": "block", "type": "text", "title": "Block", "style": "badge", "width": 22},
    {
        "name": "rating", "type": "integer", "title": "Rating", "style": "bar", "width": 10,
        "better": "higher", "deferred": True},
]

ACTIONS = [
    {"name": "up", "title": "Rate up"},
    {"name": "down", "title": "Rate down"},
    {"name": "set", "title": "Set the rating", "arguments": [
        {"name": "rating", "label": "Rating", "type": "integer", "default": 50, "minimum": 0, "maximum": 100}]},
]

SETTINGS = {
    "type": "object",
    "properties": {
        "shortest": {"type": "number", "minimum": 0, "maximum": 60},
        "longest": {"type": "number", "minimum": 0, "maximum": 60},
        "at_once": {"type": "integer", "minimum": 1, "maximum": 1_000},
        "seed": {"type": "integer", "minimum": 0},
    },
}


def emoji():
    """Returns all rows: a key, the character, its name, its block."""
    for block, first, end in BLOCKS:
        for code in range(first, end):
            name = unicodedata.name(chr(code), None)
            if name is not None:
                yield [f"U+{code:04X}", chr(code), name.capitalize(), block, None]


def send(**message):
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")


class Ratings:
    """The ratings and their pending loads."""

    def __init__(self, keys, settings):
        dice = random.Random(settings.get("seed", 0))
        self.ratings = {key: dice.randrange(101) for key in keys}
        self.shortest = settings.get("shortest", 0.5)
        self.longest = max(self.shortest, settings.get("longest", 2))
        self.dice = dice
        self.due = []  # heap of (time, number, key)
        self.loading = {}  # key: the number of its load; other entries of `due` were cancelled
        self.count = 0

    def load(self, key, now):
        self.count += 1
        self.loading[key] = self.count
        heapq.heappush(self.due, (now + self.dice.uniform(self.shortest, self.longest), self.count, key))

    def cancel(self, key):
        self.loading.pop(key, None)

    def next(self):
        """Returns the time at which the next rating is due."""
        while self.due and self.loading.get(self.due[0][2]) != self.due[0][1]:
            heapq.heappop(self.due)
        return self.due[0][0] if self.due else None

    def tell(self, now):
        while (due := self.next()) is not None and due <= now:
            key = heapq.heappop(self.due)[2]
            del self.loading[key]
            send(type="loaded", key=key, column="rating", value=self.ratings[key])

    def act(self, message):
        key, action = message.get("key"), message["action"]
        if key not in self.ratings:
            return send(type="acted", id=message["id"], error="there is no such emoji")
        change = {"up": 1, "down": -1}.get(action)
        rating = message["arguments"]["rating"] if change is None else self.ratings[key] + change
        if not 0 <= rating <= 100:
            return send(
                type="acted", id=message["id"],
                error=f"{key} has {self.ratings[key]} already, and ratings go from 0 to 100")
        self.ratings[key] = rating
        self.cancel(key)  # the value is known now
        send(type="update", key=key, row={"rating": rating})
        send(type="commit")
        send(type="acted", id=message["id"], result=f"{chr(int(key[2:], 16))} has {rating} now")


def messages(rest, patience):
    """Returns the messages received within `patience` seconds, and the incomplete last line.

    Exits when the host closes the pipe.
    """
    sys.stdout.flush()
    if not select.select([0], [], [], patience)[0]:
        return [], rest
    chunk = sys.stdin.buffer.raw.read(65_536)
    if not chunk:
        sys.exit(0)
    *lines, rest = (rest + chunk).split(b"\n")
    return [json.loads(line) for line in lines if line.strip()], rest


def main():
    send(type="hello", version=1, capabilities=["health", "commits"], settings=SETTINGS)
    ratings, rest = None, b""
    while True:
        due = ratings.next() if ratings else None
        received, rest = messages(rest, None if due is None else max(0, due - time.monotonic()))
        now = time.monotonic()
        for message in received:
            kind = message.get("type")
            if kind == "health":
                send(type="health", id=message.get("id"))
            elif kind == "configure":
                settings = message.get("settings", {})
                rows = list(emoji())
                ratings = Ratings([row[0] for row in rows], settings)
                send(
                    type="schema", name="ratings", title="Emoji ratings", key="text", label="name",
                    columns=COLUMNS, actions=ACTIONS,
                    prefetch={"inFlight": settings.get("at_once", 16)})
                send(type="upsert", rows=rows)
                send(type="commit")
            elif kind == "load":
                for key, column in message["cells"]:
                    if key in ratings.ratings:
                        ratings.load(key, now)
                    else:
                        send(type="failed", key=key, column=column, reason="there is no such emoji")
            elif kind == "cancel":
                for key, _ in message["cells"]:
                    ratings.cancel(key)
            elif kind == "action":
                ratings.act(message)
        if ratings:
            ratings.tell(now)


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        # The host has closed the pipe, which is a normal end. Further output would fail.
        sys.stderr.close()
        sys.exit(0)
