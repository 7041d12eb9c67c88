"""A plugin with a whole list as a program, over its JSON lines and without a host."""

import json
import os
import signal
import subprocess
import threading
import time


class Program:
    """One run of the plugin, and the table that a host makes of its messages."""

    def __init__(self, plugin, reads=True, environment=None, **settings):
        names = ("PATH", "HOME", "LANG")
        self.process = subprocess.Popen(
            [str(plugin)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**{name: os.environ[name] for name in names if name in os.environ}, **(environment or {})},
        )
        self.news = threading.Condition()
        self.may_read = threading.Event()
        if reads:
            self.may_read.set()
        self.rows, self.list, self.named = {}, None, set()
        self.schema = self.refusal = self.keep = None
        self.states, self.rejects, self.log, self.faults = [], [], [], []
        self.reloads = self.lines = self.health = 0
        self.has_ended = False
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._receive, self._receive_log)]
        for thread in self.threads:
            thread.start()
        self.send(type="hello", version=1, host="test")
        self.send(type="configure", settings=settings)

    def send(self, **message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _receive(self):
        for line in self.process.stdout:
            self.may_read.wait()
            with self.news:
                self.lines += 1
                if len(line) > 1_048_577:
                    self.faults.append("a line is too long")
                self._apply(json.loads(line))
                self.news.notify_all()
        with self.news:
            self.has_ended = True
            self.news.notify_all()

    def _receive_log(self):
        for line in self.process.stderr:
            with self.news:
                self.log.append(line.decode())
                self.news.notify_all()

    def _apply(self, message):
        kind = message["type"]
        if kind == "schema":
            self.schema = message
            self.names = [column["name"] for column in message["columns"]]
            self.keep = message.get("keep", {}).get("rows")
        elif kind == "reload":
            self.list, self.named = {}, set()
        elif kind == "commit" and self.list is not None:
            for key in self.named & self.rows.keys():
                self.list.setdefault(key, self.rows[key])
            self.rows, self.list = self.list, None
            self.reloads += 1
            self.listed = time.monotonic()
        elif kind == "upsert":
            rows = self.rows if self.list is None else self.list
            for key, *cells in message["rows"]:
                if self.list is not None and key in rows:
                    self.faults.append(f"{key} is twice in a list")
                if len(cells) != len(self.names):
                    self.faults.append(f"{key} has {len(cells)} cells")
                rows[key] = dict(zip(self.names, cells))
            while self.keep is not None and len(rows) > self.keep:
                del rows[next(iter(rows))]
        elif kind == "delete":
            for key in message["keys"]:
                self.rows.pop(key, None)
        elif kind == "reject":
            if "key" in message:
                self.named.add(message["key"])
            self.rejects.append(message)
        elif kind == "state":
            self.states.append((message["state"], message["message"]))
        elif kind == "refuse":
            self.refusal = message
        elif kind == "health":
            self.health = message["id"]

    def until(self, is_done, patience=120):
        """Waits for a condition on the table, and returns its value."""
        end = time.monotonic() + patience
        with self.news:
            while not (found := is_done()):
                if not self.news.wait(max(0, end - time.monotonic())) and time.monotonic() >= end:
                    raise AssertionError(
                        f"waited {patience} s in vain; {len(self.rows)} rows {list(self.rows.items())[:5]}, "
                        f"states {self.states[-3:]}, rejects {self.rejects[-3:]}, log {self.log[-5:]}"
                    )
            return found

    def column(self, name):
        """The cells of a column, by key."""
        return {key: row[name] for key, row in list(self.rows.items())}

    def until_column(self, name, cells, patience=120):
        """Waits until a column has exactly these cells."""
        try:
            self.until(lambda: self.reloads and self.column(name) == cells, patience)
        except AssertionError:
            found = self.column(name) if self.rows else {}
            wrong = {key: (cells.get(key), found.get(key)) for key in cells.keys() | found.keys()}
            wrong = {key: pair for key, pair in wrong.items() if pair[0] != pair[1]}
            raise AssertionError(
                f"{len(wrong)} wrong cells {dict(list(wrong.items())[:5])}; {self.states[-2:]} {self.log[-5:]}"
            ) from None

    def until_state(self, *parts, state=None, since=0, patience=120):
        """Waits for a state with these texts, and returns its message."""
        return self.until(
            lambda: next(
                (
                    text
                    for kind, text in self.states[since:]
                    if all(part in text for part in parts) and state in (None, kind)
                ),
                None,
            ),
            patience,
        )

    def stop(self):
        """Stops the process, and waits until the system has done so."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        """Ends the program and returns its exit code."""
        self.may_read.set()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self.threads:
            thread.join(5)
        self.process.stdout.close()
        self.process.stderr.close()
        if self.faults:
            raise AssertionError(self.faults[:5])
        return self.process.returncode

    @property
    def output(self):
        """All texts for people."""
        return "".join(self.log) + str(self.states) + str(self.rejects) + str(self.refusal)
