"""The program under test, spoken to as the host does."""

import glob
import json
import os
import pathlib
import queue
import random
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PATIENCE = 120


def built(variable, name):
    """Returns the path of a built product."""
    if variable in os.environ:
        return os.environ[variable]
    places = [pathlib.Path(os.environ["ROWCAST"]).parent] if "ROWCAST" in os.environ else []
    places += [ROOT / ".build" / kind for kind in ("release", "debug")]
    found = [place / name for place in places] + [pathlib.Path(p) for p in glob.glob(str(ROOT / ".build/*/*/" / name))]
    for path in found:
        if path.is_file():
            return str(path)
    raise FileNotFoundError(f"{name} is not built: swift build --product {name}, or set {variable}")


def seeded(test):
    """Returns a generator whose seed is printed with a failure."""
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    print(f"{test.id()}: SEED={seed}", flush=True)
    return random.Random(seed)


class Failed(Exception):
    """An answer with an error."""


class Logs:
    """A running program with these settings."""

    def __init__(self, **settings):
        settings.setdefault("zone", "UTC")
        self.process = subprocess.Popen(
            [built("ROWCAST_LOGS", "logs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True)
        self.change = threading.Condition()
        self.answers = {}
        self.states = []
        self.schema = self.refusal = None
        self.changes = 0
        self.last = 0
        self.has_ended = False
        threading.Thread(target=self._read, daemon=True).start()
        self.send(type="hello", version=1, host="test")
        self.send(type="configure", settings=settings)

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.change:
                kind = message["type"]
                if kind == "page":
                    self.answers[message["id"]] = message
                elif kind == "state":
                    self.states.append(message)
                elif kind == "schema":
                    self.schema = message
                elif kind == "refuse":
                    self.refusal = message
                elif kind == "changed":
                    self.changes += 1
                self.change.notify_all()
        with self.change:
            self.has_ended = True
            self.change.notify_all()

    def send(self, **message):
        self.process.stdin.write((json.dumps(message) + "\n").encode())
        self.process.stdin.flush()

    def wait(self, condition, what):
        """Waits until a condition on what was received holds, and returns it."""
        deadline = time.monotonic() + PATIENCE
        with self.change:
            while not (result := condition()):
                left = deadline - time.monotonic()
                if left <= 0 or self.has_ended and not condition():
                    raise AssertionError(f"{what} did not come; states: {self.states[-3:]}, refusal: {self.refusal}")
                self.change.wait(left)
            return result

    @property
    def columns(self):
        self.wait(lambda: self.schema, "the schema")
        return [column["name"] for column in self.schema["columns"]]

    def ask(self, skip=0, count=100, after=None, up_to=None, **query):
        self.columns
        self.last += 1
        rows = {"skip": skip, "count": count}
        if after is not None:
            rows["after"] = after
        if up_to is not None:
            rows["upTo"] = up_to
        self.send(type="query", id=self.last, rows=rows, **query)
        return self.last

    def answer(self, identity):
        message = self.wait(lambda: self.answers.pop(identity, None), f"the answer {identity}")
        if "error" in message:
            raise Failed(message["error"])
        return message

    def page(self, **query):
        return self.answer(self.ask(**query))

    def all(self, size=lambda: 500, **query):
        """Reads all rows of a query by their places."""
        rows, after = [], None
        while True:
            page = self.page(after=after, count=size(), **query)
            rows += page["rows"]
            if not page["more"]:
                return rows
            after = page["end"]

    def settled(self, count, **query):
        """Waits until a query has so many rows, and returns its first block."""
        return self.until(lambda: self.page(**query), lambda page: page["count"] == count)

    def until(self, look, is_right):
        """Looks again after changes until the result is right, and returns it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            with self.change:
                seen = self.changes
            found = look()
            if is_right(found):
                return found
            with self.change:
                if time.monotonic() > deadline:
                    raise AssertionError(f"not reached: {str(found)[:1_000]}; {self.states[-2:]}")
                if self.changes == seen:
                    self.change.wait(0.1)

    def has_logged(self, part):
        """Waits for a state with a text."""
        return self.wait(
            lambda: [state for state in self.states if part in state["message"]],
            f"a state with “{part}”")[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("the program does not end with its input")
        finally:
            self.process.stdout.close()
