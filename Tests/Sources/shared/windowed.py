"""A plugin with a windowed table as a program, over its JSON lines and without a host."""

import json
import os
import queue
import subprocess
import threading
import time


class Program:
    """One run of the plugin. `schema` is its schema, `refusal` its refusal."""

    def __init__(self, plugin, settings, patience=120):
        self.log = []
        environment = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.process = subprocess.Popen(
            [str(plugin)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.messages, self.pages, self.number = [], {}, 0
        self.news = threading.Condition()
        threading.Thread(target=self.receive, daemon=True).start()
        threading.Thread(target=self.receive_log, daemon=True).start()
        self.send(type="hello", version=1, host="test")
        self.send(type="configure", settings=settings)
        self.until(
            lambda: self.find("schema")
            or self.find("refuse")
            or self.find("state")
            or self.process.poll() is not None,
            patience,
        )
        self.schema, self.refusal = self.find("schema"), self.find("refuse")
        if self.schema:
            self.names = [column["name"] for column in self.schema["columns"]]

    def send(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def receive(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.news:
                if message["type"] == "page":
                    self.pages[message["id"]] = message
                else:
                    self.messages.append((time.monotonic(), message))
                self.news.notify_all()
        with self.news:
            self.news.notify_all()

    def receive_log(self):
        for line in self.process.stderr:
            with self.news:
                self.log.append(line.rstrip("\n"))
                self.news.notify_all()

    def find(self, kind):
        """The last message of a type."""
        return next((message for _, message in reversed(self.messages) if message["type"] == kind), None)

    def changes(self):
        return sum(1 for _, message in self.messages if message["type"] == "changed")

    def until(self, is_done, patience=120):
        """Waits for a condition on what has come, and returns its value."""
        end = time.monotonic() + patience
        with self.news:
            while not (found := is_done()):
                if not self.news.wait(min(0.2, max(0, end - time.monotonic()))) and time.monotonic() >= end:
                    raise AssertionError(
                        f"waited {patience} s in vain; messages: {self.messages[-3:]}, log: {self.log[-5:]}"
                    )
            return found

    def ask(self, **query):
        self.number += 1
        self.send(type="query", id=self.number, **query)
        return self.number

    def answer(self, number, patience=120):
        self.until(lambda: number in self.pages, patience)
        return self.pages.pop(number)

    def page(self, after=None, upTo=None, skip=0, count=100, **query):
        rows = {"skip": skip, "count": count}
        if after is not None:
            rows["after"] = after
        if upTo is not None:
            rows["upTo"] = upTo
        return self.answer(self.ask(rows=rows, **query))

    def every(self, count=37, **query):
        """All rows of a query, page after page."""
        rows, after = [], None
        while True:
            page = self.page(after=after, count=count, **query)
            if "error" in page:
                raise AssertionError(page["error"])
            rows += page["rows"]
            if not page["more"]:
                return rows
            after = page["end"]

    def end(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        if self.process.poll() is None:
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
