"""The exam, and the program behind a real server with a WebSocket client."""

import json
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

from program import PATIENCE, ROOT, built, seeded
from writing import LINES, write

sys.path.insert(0, str(ROOT / "Tests/Long"))
from replica import Replica  # noqa: E402
from serving import Server, plugin  # noqa: E402
from viewer import frame  # noqa: E402


class Client:
    """One WebSocket: acknowledges what comes, and checks it with the replica."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket.sendall(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: rowcast.v1\r\n\r\n".encode())
        self.stream = self.socket.makefile("rb")
        while self.stream.readline() not in (b"\r\n", b""):
            continue
        self.replica = Replica()
        self.requests = 0
        self.request = None
        self.tables = {}
        self.errors = []
        self.send(type="hello", version=1, client="test")

    def send(self, **message):
        self.socket.sendall(frame(1, json.dumps(message).encode()))

    def receive(self):
        head, length = self.stream.read(2)
        length &= 0x7F
        if length == 126:
            length = struct.unpack(">H", self.stream.read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.stream.read(8))[0]
        payload = self.stream.read(length)
        if head & 0xF == 9:
            return self.socket.sendall(frame(10, payload))
        message = json.loads(payload)
        if message["type"] in ("hello", "tables"):
            for table in message.get("tables", []):
                self.tables[table["name"]] = table
        elif message["type"] in ("window", "patch"):
            self.request = message.get("request", self.request)
            self.replica.apply(message)
            self.send(type="ack", seq=message["seq"])
        elif message["type"] == "error":
            self.errors.append(message)

    def open(self, first=0, kind="query", **query):
        self.requests += 1
        viewport = {"first": first, "count": 40, "ahead": 40, "behind": 40}
        if first == 0:
            viewport["stick"] = "top"
        request = {"type": kind, "request": self.requests, "query": query, "viewport": viewport}
        if kind == "open":
            request.update(table="logs", interval=20)
        self.send(**request)

    def wait(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, (
                f"{what} did not come: {self.replica.rows[:3]}, {self.replica.total} rows, "
                f"{self.errors}")
            self.receive()

    def shows(self, cells, column, total=None):
        """Waits until the window begins with these cells of a column."""
        self.wait(
            lambda: self.request == self.requests
            and [row[2][column : column + 1] for row in self.replica.rows[: len(cells)]]
            == [[cell] for cell in cells]
            and (total is None or self.replica.total == total),
            f"{cells} of {total}")

    def close(self):
        self.stream.close()
        self.socket.close()


def serve(*settings):
    """Starts a server with the plugin."""
    settings = dict(setting.split("=", 1) for setting in settings)
    return Server(*plugin(built("ROWCAST_LOGS", "logs"), settings), command=[built("ROWCAST", "rowcast")])


def line(number):
    return (
        f"2026-03-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z "
        f"{'ERROR' if number % 1000 == 0 else 'INFO'} line {number}\n")


class ServerTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "app.log"

    def test_exam_passes_for_iso_and_one_random_format(self):
        random = seeded(self)
        for form in random.sample(sorted(set(LINES) - {"iso"}), 1) + ["iso"]:
            with self.subTest(form=form):
                self.path.write_bytes(write(random, form, 1_500))
                words = [
                    built("ROWCAST", "rowcast"), "plugin", "check", "--patience", "60", "--set",
                    f"path={self.path}", built("ROWCAST_LOGS", "logs")]
                exam = subprocess.run(words, capture_output=True, text=True)
                self.assertEqual(exam.returncode, 0, exam.stdout + exam.stderr)

    def test_client_views_stay_current_while_file_grows(self):
        self.path.write_text("".join(map(line, range(30_000))))
        with serve(f"path={self.path}", "zone=UTC") as server:
            client = Client(server.port)
            self.addCleanup(client.close)
            client.open(kind="open")
            newest = lambda last, step=1: [f"line {number}" for number in range(last, last - 10 * step, -step)]
            client.shows(newest(29_999), 2, 30_000)
            columns = {column["name"]: column for column in client.tables["logs"]["columns"]}
            self.assertEqual(columns["level"]["style"], "badge")
            with open(self.path, "a") as file:
                file.write("".join(map(line, range(30_000, 31_001))))
            client.shows(newest(31_000), 2, 31_001)
            client.open(search="error")
            client.shows(newest(31_000, 1_000), 2, 32)
            with open(self.path, "a") as file:
                file.write("".join(map(line, range(31_001, 32_001))))
            client.shows(newest(32_000, 1_000), 2, 33)
            client.open(sort=[{"column": "line", "descending": False}])
            client.shows([f"line {number}" for number in range(10)], 2, 32_001)
            client.open(filter={"column": "message", "op": "matches", "value": "^line 1.*77$"})
            client.wait(
                lambda: client.replica.total == 10 + 1 + 100 and client.request == client.requests,
                "the rows of a pattern")
            client.open(first=20_000, sort=[{"column": "line", "descending": True}])
            client.wait(
                lambda: any(row[2][2:3] == ["line 12000"] for row in client.replica.rows),
                "a row in the middle")
            self.assertEqual(client.errors, [])
            with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=PATIENCE) as answer:
                figures = answer.read().decode()
            self.assertRegex(figures, r'rowcast_source_contradictions_total\{[^}]*"logs"[^}]*\} 0\n')

    def test_server_logs_reason_of_refused_path(self):
        with serve(f"path={self.path.parent}") as server:
            client = Client(server.port)
            self.addCleanup(client.close)
            deadline = time.monotonic() + PATIENCE
            while "is a folder: name a file" not in "".join(server.log):
                self.assertLess(time.monotonic(), deadline)
                threading.Event().wait(0.05)


if __name__ == "__main__":
    unittest.main()
