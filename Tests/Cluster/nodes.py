"""Processes and clients of Tests/Cluster/run."""

import base64
import json
import os
import pathlib
import re
import shlex
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Long"))
from replica import Replica  # noqa: E402

COMMAND = shlex.split(os.environ.get("ROWCAST", str(ROOT / ".build/release/rowcast")))


def until(condition, patience, what):
    """Waits until a condition is true, and returns the seconds that it took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > patience:
            raise AssertionError(f"not within {patience} s: {what}")
        threading.Event().wait(0.02)
    return time.monotonic() - began


def free_port():
    with socket.socket() as peer:
        peer.bind(("127.0.0.1", 0))
        return peer.getsockname()[1]


class Process:
    """A process whose output is kept."""

    # All of them, for callers that end them after a failure.
    started = []

    def __init__(self, words, env=None, log=None):
        self.log = [] if log is None else log
        self.process = subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
            env=env)
        self.started.append(self)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.log.append(line)

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("the process does not end: " + "".join(self.log)[-2000:]) from None


class Nats(Process):
    """A NATS server with JetStream."""

    def __init__(self, folder, port=None):
        self.port = port or free_port()
        super().__init__(["nats-server", "-js", "-sd", str(folder), "-a", "127.0.0.1", "-p", str(self.port)])
        until(self.answers, 30, "the NATS server starts")

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return any("Server is ready" in line for line in self.log)
        except OSError:
            return False

    def exchange(self, sent, end):
        """Sends commands of the text protocol of NATS, and returns the answer up to this end."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as link:
            link.sendall(b'CONNECT {"verbose":false}\r\nSUB _INBOX.test 1\r\n' + sent)
            answer = b""
            while end not in answer:
                part = link.recv(1 << 16)
                assert part and b'"error"' not in answer, f"NATS refuses {sent}: {answer}"
                answer += part
            return answer

    def delete_stream(self, name):
        """Deletes a stream of JetStream."""
        self.exchange(f"PUB $JS.API.STREAM.DELETE.{name} _INBOX.test 0\r\n\r\n".encode(), b'"success":true')

    def forge_heartbeat(self, table):
        """Writes a heartbeat with a wrong digest, as the owner of the table would."""
        last = json.dumps({"last_by_subj": f"rowcast.changes.{table}"})
        answer = self.exchange(
            f"PUB $JS.API.STREAM.MSG.GET.ROWCAST_{table} _INBOX.test {len(last)}\r\n{last}\r\n".encode(), b"}}")
        message = base64.b64decode(re.search(rb'"data":"([^"]+)"', answer)[1])
        # The fencing number of the last message, no times, and four bytes with their CRC-32C.
        forged = b"RCT1\x03\x00" + message[6:14] + bytes(16) + struct.pack("<II", 4, 0x29308CF4) + b"\1\2\3\4"
        head = f"PUB rowcast.changes.{table} _INBOX.test {len(forged)}\r\n".encode()
        self.exchange(head + forged + b"\r\n", b'"seq"')


class Node(Process):
    """`rowcast serve` with these options, after the words of `prefix`."""

    def __init__(self, *options, port=0, prefix=()):
        self.options = options
        super().__init__([*prefix, *COMMAND, "serve", "--port", str(port), "--no-token", "--interval", "20", *options])
        try:
            # It waits for a leader of JetStream, and then for its first streams, a minute each.
            until(lambda: self.port or self.process.poll() is not None, 180, "the node listens")
        except AssertionError as error:
            raise AssertionError(f"{error}: " + "".join(self.log)[-2000:]) from None
        if not self.port:
            raise AssertionError("the node ends: " + "".join(self.log)[-2000:])

    @property
    def port(self):
        found = re.search(r"listening on \w+://[^:/]+:(\d+)", "".join(self.log))
        return int(found[1]) if found else 0

    def get(self, path):
        """Returns the status and text of a path; 0 if the node does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def image(self, key):
        """Returns the status and the bytes of an image."""
        try:
            url = f"http://127.0.0.1:{self.port}/image?table=jobs&key={key}"
            with urllib.request.urlopen(url, timeout=20) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, b""

    def is_ready(self):
        return self.get("/readyz")[0] == 200

    def figure(self, name, table="jobs"):
        """Returns a figure of a table, or None."""
        for line in self.get("/metrics")[1].splitlines():
            if line.startswith(f'rowcast_cluster_{name}{{table="{table}"}}'):
                return float(line.rsplit(" ", 1)[1])
        return None

    def holds_lease(self, table="jobs"):
        return self.figure("lease", table) == 1


class Client(threading.Thread):
    """A client that holds the first rows of a table, and connects again by itself."""

    def __init__(self, node, table="jobs", query=None, count=1000):
        super().__init__(daemon=True)
        self.node = node
        self.table = table
        self.query = query or {}
        self.count = count
        self.replica = Replica()
        self.fault = None
        self.state = None
        self.generation = 0
        # The windows and patches that answered an open with rows held from before.
        self.answers = []
        self.acted = {}
        self.socket = None
        self.isResuming = False
        self.isEnding = False
        self.start()

    def run(self):
        while not self.isEnding:
            try:
                self.serve()
            except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                threading.Event().wait(0.05)
            except Exception as error:  # noqa: BLE001
                self.fault = error
                return

    def serve(self):
        url = f"ws://127.0.0.1:{self.node.port}/ws"
        with connect(url, subprotocols=["rowcast.v1"], proxy=None, open_timeout=5, max_size=None) as peer:
            self.send(peer, {"type": "hello", "version": 1, "client": "cluster"})
            viewport = {"first": 0, "count": self.count, "ahead": 0, "behind": 0, "stick": "top"}
            opening = {"type": "open", "table": self.table, "request": 1, "query": self.query, "viewport": viewport}
            if self.replica.epoch is not None:
                opening["resume"] = self.resume()
            self.send(peer, opening)
            self.socket = peer
            self.isResuming = "resume" in opening
            for text in peer:
                self.take(peer, json.loads(text))

    def resume(self):
        """Returns what the client holds, with the rows for a node that has not sent them."""
        replica = self.replica
        rows = [number for row in list(replica.rows) for number in row[:2]]
        window = {"generation": self.generation, "start": replica.start, "total": replica.total, "rows": rows}
        return {"epoch": replica.epoch, "seq": replica.sequence, "window": window}

    def take(self, peer, message):
        kind = message["type"]
        if kind in ("hello", "tables"):
            tables = [table for table in message["tables"] if table["name"] == self.table]
            self.generation = tables[0].get("generation", 0) if tables else self.generation
        elif kind in ("window", "patch"):
            if self.isResuming:
                self.answers.append(message)
                self.isResuming = False
            self.replica.apply(message)
            self.send(peer, {"type": "ack", "seq": message["seq"]})
        elif kind == "status":
            self.state = message["source"]["state"] if "source" in message else message.get("state")
        elif kind == "acted":
            self.acted[message["id"]] = message.get("result") or message["error"]["code"]

    @staticmethod
    def send(peer, message):
        peer.send(json.dumps(message))

    def act(self, number, word):
        self.send(
            self.socket,
            {"type": "act", "id": number, "table": "jobs", "action": "mark", "arguments": {"word": word}})

    def extras(self):
        """Returns the deferred cells by key."""
        return {row[2][0]: row[2][2] for row in list(self.replica.rows)}

    def rows(self):
        return {row[2][0]: row[2][1] for row in list(self.replica.rows)}


class Truth:
    """The rows that the publishers' sources have, and the file that makes them."""

    def __init__(self, folder, random):
        self.lines = folder / "lines"
        self.actions = folder / "actions"
        self.lines.touch()
        self.actions.touch()
        self.random = random
        self.rows = {}
        self.last = 0

    @property
    def source(self):
        words = [sys.executable, str(ROOT / "Tests/Cluster/feed.py"), str(self.lines), str(self.actions)]
        return "jobs=" + shlex.join(words)

    def change(self, count):
        """Appends some changes."""
        lines = []
        for _ in range(count):
            kind = self.random.random()
            key = self.random.randint(1, 200)
            if kind < 0.6:
                self.last += 1
                self.rows[key] = f"value {self.last}"
                lines.append({"type": "upsert", "key": key, "row": {"number": key, "text": self.rows[key]}})
            elif kind < 0.95:
                self.rows.pop(key, None)
                lines.append({"type": "delete", "key": key})
            else:
                rows = [[key, key, text, None] for key, text in self.rows.items() if self.random.random() < 0.8]
                self.rows = {row[0]: row[2] for row in rows}
                lines += [{"type": "reload"}, *([{"type": "upsert", "rows": rows}] if rows else []), {"type": "commit"}]
        with open(self.lines, "a") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines))

    def words(self):
        return self.actions.read_text().split()


PAUSE, GO_ON = signal.SIGSTOP, signal.SIGCONT
