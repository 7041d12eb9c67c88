"""The conversation with Rowcast over standard input and output."""

import json
import os
import signal
import sys
import threading
import time

LOGGED = 200  # characters of a foreign text in a message


class Host:
    """Sends messages and receives the settings.

    A thread reads standard input, so that `health` is answered while a client library blocks. Sending
    blocks while the host does not read; the source then reads nothing from its server.
    """

    def __init__(self):
        self.lock = threading.Lock()
        self.configured = threading.Event()
        self.settings = None
        self.secrets = []
        self.state = None
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        threading.Thread(target=self._await_end, daemon=True).start()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, **message):
        self.write(encode(message))

    def write(self, line):
        """Sends one encoded message."""
        data = memoryview(line + b"\n")
        with self.lock:
            while data:
                data = data[os.write(1, data) :]

    def report_state(self, state, message):
        """Sends the state if it has changed."""
        message = self.redacted(message)
        if (state, message) != self.state:
            self.state = (state, message)
            self.send(type="state", state=state, message=message)

    def log(self, level, message):
        sys.stderr.write(f"{level}: {self.redacted(message)}\n")
        sys.stderr.flush()

    def redacted(self, text):
        """The text on one line and without secrets."""
        text = " ".join(str(text).split())
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text[:1_000]

    def _read(self):
        for line in sys.stdin.buffer:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if message.get("type") == "health":
                self.send(type="health", id=message.get("id"))
            elif message.get("type") == "configure" and self.settings is None:
                self.settings = message.get("settings", {})
                self.configured.set()
        self._exit()

    def _await_end(self):
        signal.sigwait({signal.SIGTERM})
        self._exit()

    def _exit(self):
        """Ends the program, after the line that is being written if the host reads it."""
        self.lock.acquire(timeout=1)
        os._exit(0)


class Occasional:
    """Logs the first, tenth, hundredth and so on of each kind of event, and counts all."""

    def __init__(self, host):
        self.host = host
        self.counts = {}

    def note(self, kind, text, count=1):
        before = self.counts.get(kind, 0)
        self.counts[kind] = before + count
        if before == 0 or len(str(before)) < len(str(before + count)):
            self.host.log("warning", text if before == 0 else f"{text} ({before + count:,} of this kind)")

    @property
    def total(self):
        return sum(self.counts.values())


class Backoff:
    """Pauses that double from 0.5 s to 15 s. A connection that held for 10 s starts over."""

    def __init__(self, jitter):
        self.jitter = jitter
        self.pause = 0.5
        self.since = None

    def connected(self):
        self.since = time.monotonic()

    def next(self):
        if self.since is not None and time.monotonic() - self.since > 10:
            self.pause = 0.5
        self.since = None
        pause = self.pause * (1 + self.jitter())
        self.pause = min(15, self.pause * 2)
        return pause


_encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def encode(value):
    """JSON in UTF-8; halves of surrogate pairs become question marks."""
    text = _encoder.encode(value)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace")
