"""A plugin that sends messages of every type with random members, and random answers to requests.

    hostile_program.py SEED [windowed]

The seed also determines when it ends, floods or falls silent.
"""

import json
import os
import random
import select
import sys

NUMBERS = [
    0, 1, -1, 2, 100, 255, 65_536, 2**31 - 1, -(2**31), 2**32, 2**52, 2**53, 2**53 + 1, 2**62,
    2**63 - 1, -(2**63), 2**63, 2**64, 1e308, -1e308,
    1e-320, 0.5, 1.0,
]  # fmt: skip
TEXTS = [
    "", "a", "\0", "é" * 100, "\u202e", "\ud83d\ude00", "x" * 5_000, "{}", "null", "true", "t", "n",
    "s", "id", "1", "9223372036854775808",
    "http://[::1", "a\tb\nc", "\ufeff",
]  # fmt: skip
TYPES = (
    "hello schema upsert update delete move reload commit reject state loaded failed forget page "
    "changed image acted refuse health nonsense").split()
NAMES = (
    "key keys row rows cells before count reason state message column value id error data result "
    "group sections more begin end total name").split()
COLUMNS = [
    {"name": "n", "type": "integer"}, {"name": "t", "type": "text"},
    {"name": "s", "type": "text", "deferred": True}]
WINDOWED_COLUMNS = [{"name": "n", "type": "integer"}, {"name": "t", "type": "text"}]


class Program:
    def __init__(self, seed, is_windowed):
        self.draw = random.Random(seed)
        self.is_windowed = is_windowed
        self.requests = []

    def value(self, depth=0):
        kind = self.draw.randrange(10 if depth < 4 else 6)
        if kind < 3:
            return self.draw.choice(NUMBERS)
        if kind < 5:
            return self.draw.choice(TEXTS)
        if kind == 5:
            return self.draw.choice([None, True, False])
        if kind < 8:
            return [self.value(depth + 1) for _ in range(self.draw.choice([0, 1, 2, 3, 20]))]
        return {self.draw.choice([*NAMES, "n", "t", "s"]): self.value(depth + 1) for _ in range(self.draw.randrange(5))}

    def key(self):
        return self.draw.choice([self.draw.randrange(200), self.draw.choice(NUMBERS), self.draw.choice(TEXTS)])

    def cells(self):
        cells = [self.draw.randrange(1_000), self.draw.choice(TEXTS), None]
        if self.is_windowed:
            cells.pop()
        if self.draw.random() < 0.1:
            cells[self.draw.randrange(len(cells))] = self.value()
        return cells

    def message(self):
        if self.requests and self.draw.random() < 0.5:
            return self.answer(self.requests.pop(self.draw.randrange(len(self.requests))))
        kind = self.draw.choice(TYPES)
        message = {"type": kind}
        if self.draw.random() < 0.6:
            if kind in ("upsert", "update"):
                message["rows"] = [[self.key(), *self.cells()] for _ in range(self.draw.choice([1, 5, 200]))]
            elif kind in ("delete", "move", "reject", "failed", "loaded", "forget"):
                message.update(
                    key=self.key(), column="s", before=self.draw.choice([None, self.key()]),
                    reason=self.draw.choice(TEXTS), value=self.value())
            elif kind == "state":
                message.update(state=self.draw.choice(["live", "stale"]), message=self.draw.choice(TEXTS))
        else:
            for _ in range(self.draw.randrange(6)):
                message[self.draw.choice(NAMES)] = self.value()
        # A source that ends itself for good would end the trial, so most of these are replaced.
        return {"type": "changed"} if kind in ("refuse", "hello", "schema") and self.draw.random() < 0.98 else message

    def answer(self, request):
        answer = {"type": "page", "id": request}
        kind = self.draw.randrange(6)
        if kind < 2:
            answer["rows"] = [[self.key(), *self.cells()] for _ in range(self.draw.choice([0, 1, 50, 100, 101, 1_000]))]
            answer["count"] = self.draw.choice(NUMBERS)
            answer["more"] = self.draw.choice([True, False])
        elif kind == 2:
            answer["group"] = self.draw.choice([["t"], [], ["n", "t"]])
            answer["sections"] = [
                [self.draw.choice(TEXTS), self.draw.choice(NUMBERS)]
                for _ in range(self.draw.choice([0, 1, 100, 2_100]))]
        elif kind == 3:
            answer["error"] = self.draw.choice(TEXTS)
        else:
            for _ in range(self.draw.randrange(6)):
                answer[self.draw.choice(NAMES)] = self.value()
        return answer

    def receive(self, line):
        try:
            message = json.loads(line)
        except ValueError:
            return
        for name in ("id", "request"):
            if isinstance(message.get(name), int):
                self.requests = [*self.requests[-100:], message[name]]

    def run(self):
        columns = WINDOWED_COLUMNS if self.is_windowed else COLUMNS
        windowed = {
            "sort": ["n", "t"], "group": ["t"], "count": "exact", "paging": "offset",
            "tellsChanges": True, "cancels": False}
        capabilities = {"windowed": windowed} if self.is_windowed else {}
        send({"type": "hello", "version": 1, "capabilities": ["health"]})
        send({
            "type": "schema", "name": f"hostile{'w' if self.is_windowed else ''}", "key": "text",
            "columns": columns, **capabilities})
        send({"type": "state", "state": "live"})
        rest = b""
        while True:
            while select.select([0], [], [], 0)[0]:
                chunk = os.read(0, 65_536)
                if not chunk:
                    return
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    self.receive(line)
            for _ in range(self.draw.choice([1, 10, 100])):
                send(self.message())
            sys.stdout.flush()
            chance = self.draw.random()
            if chance < 0.002:
                sys.stdout.buffer.write(os.urandom(100) + b"\n")
            elif chance < 0.004:
                os._exit(self.draw.randrange(3))
            select.select([0], [], [], self.draw.choice([0, 0.001, 0.01]))


def send(message):
    print(json.dumps(message))


if __name__ == "__main__":
    try:
        Program(sys.argv[1] + str(os.getpid()), "windowed" in sys.argv).run()
    except BrokenPipeError:
        pass
