"""Many clients of several relays, in a process of their own.

    crowd.py PORT,PORT,... CLIENTS SEED

Each client shows a part of the table `jobs`, sorted by number. It connects again to any relay that
is not paused, with what it holds, as the page does. Commands come as lines of JSON on standard
input, and each is answered by one line:

    {"beating": true}              the row 0 gets a new time, as "beat SECONDS", several times a second
    {"beating": false, "last": T}  the last of these times
    {"paused": [PORT, ...]}        relays that are stopped, to which no client connects
    {"watch": [PID, ...]}          the processes of the cluster
    {"rows": [[key, text], ...]}   answers {"equal": N, "of": N, "faults": [...], "late": [...], ...}

Clients get heartbeats. One that has received nothing for SILENCE shows its rows as old, as the
page does, until the next message.

A client that shows old rows as live for more than LIMIT is late. The time is counted from the first
beat that the client lacks, or from the moment since which it shows that the rows are live. Moments
at which this process or one of the cluster waited for a processor do not count.
"""

import asyncio
import collections
import glob
import json
import os
import pathlib
import random
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Long"))
from replica import Misfit, Replica  # noqa: E402
from slow import pause  # noqa: E402
from viewer import Viewer  # noqa: E402

# The promise of docs/cluster.md, in seconds. About ten threads pass on a change or its absence, and
# each may wait for a processor for up to WAITING.
LIMIT = 3.0
ALLOWANCE = 0.5
# The time without a message after which a client shows its rows as old.
SILENCE = 2.5
# The time between two beats, and between two looks at the clients.
BEAT = 0.25
LOOK = 0.1
# Looks that are so much late, in seconds, make those of the following time worthless.
HICCUP = 0.3
RECOVERY = 5.0
# A thread that waits longer for a processor in that time is as good as paused.
WAITING = 0.2


class Waits:
    """The time that threads of some processes have waited for a processor, from /proc."""

    def __init__(self):
        self.pids = []
        self.looks = collections.deque()

    def are_long(self, now):
        """Whether a thread has waited for long within the last seconds."""
        waits = {}
        for pid in self.pids:
            for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
                try:
                    with open(path) as file:
                        waits[path] = int(file.read().split()[1]) / 1e9
                except (OSError, IndexError):
                    continue
        self.looks.append((now, waits))
        while now - self.looks[0][0] > RECOVERY:
            self.looks.popleft()
        before = self.looks[0][1]
        return any(wait - before.get(path, wait) > WAITING for path, wait in waits.items())


class Spectator(Viewer):
    """One connection of a client."""

    hello_message = {**Viewer.hello_message, "alive": True}

    def __init__(self, client, port):
        super().__init__(on_message=client.take, query={"sort": [{"column": "number"}]}, count=client.count,
            interval=client.interval)
        self.port = port
        self.open_message["table"] = "jobs"
        self.open_message["viewport"] = {"first": client.first, "count": client.count, "ahead": 0, "behind": 0}
        if client.first == 0:
            self.open_message["viewport"]["stick"] = "top"
        if client.replica.epoch is not None:
            self.open_message["resume"] = client.resume()

    def connection_made(self, transport):
        super().connection_made(transport)
        transport.write(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Protocol: rowcast.v1\r\n\r\n".encode())


class Client:
    """A client that holds a part of the rows, and connects again by itself."""

    def __init__(self, number, chance, interval):
        self.interval = interval
        # One of fifty shows all rows, half of the others the first ones, at each relay.
        self.first = 0 if number % 50 == 0 or number // 4 % 2 else chance.randint(1, 150)
        self.count = 1_000 if number % 50 == 0 else 20
        self.replica = Replica()
        self.generation = 0
        self.state = None
        self.live_since = 0.0
        self.last_message = 0.0
        self.is_silent = False
        self.port = None
        self.fault = None
        self.connection = None

    def resume(self):
        replica = self.replica
        rows = [number for row in replica.rows for number in row[:2]]
        window = {"generation": self.generation, "start": replica.start, "total": replica.total, "rows": rows}
        return {"epoch": replica.epoch, "seq": replica.sequence, "window": window}

    def take(self, connection, message):
        kind = message["type"]
        if connection is not self.connection:
            return
        self.note_message()
        if kind in ("hello", "tables"):
            for table in message["tables"]:
                if table["name"] == "jobs":
                    self.generation = table.get("generation", self.generation)
                    self.show(table.get("source", {}).get("state", self.state))
        elif kind == "status":
            self.show(message["source"]["state"])
        elif kind in ("window", "patch"):
            try:
                self.replica.apply(message)
            except (Misfit, LookupError) as error:
                self.fault = f"{error}"

    def note_message(self):
        """Notes a message, which ends a silence."""
        self.last_message = time.monotonic()
        if self.is_silent:
            self.is_silent = False
            self.live_since = self.last_message

    def look(self, now):
        """Notes whether the server is silent."""
        if now - self.last_message >= SILENCE:
            self.is_silent = True

    def show(self, state):
        if state == "live" and self.state != "live":
            self.live_since = time.monotonic()
        self.state = state

    def misses(self, rows):
        """Returns what differs from these rows, sorted by key; `None` for nothing."""
        replica = self.replica
        if self.fault:
            return self.fault
        if self.port is None:
            return "is not connected"
        if replica.total != len(rows):
            return f"{replica.total} rows instead of {len(rows)}"
        least = min(self.count, replica.total - replica.start)
        if len(replica.rows) < least:
            return f"{len(replica.rows)} rows in the window instead of {least}"
        shown = [row[2][:2] for row in replica.rows]
        expected = rows[replica.start:replica.start + len(shown)]
        for mine, right in zip(shown, expected):
            if mine != right:
                return f"{mine} instead of {right}"
        return None if len(shown) == len(expected) else "too many rows in the window"

    def beat(self):
        """Returns the time that the row 0 shows; `None` without one."""
        rows = self.replica.rows
        if self.first or not rows or not isinstance(rows[0][2][1], str) or not rows[0][2][1].startswith("beat "):
            return None
        return float(rows[0][2][1][5:])


class Crowd:
    def __init__(self, ports, count, seed):
        self.ports = ports
        self.chance = random.Random(seed)
        # This process takes about two thousand patches a second.
        interval = max(20, count // 2)
        self.limit = LIMIT + ALLOWANCE + interval / 1e3
        self.clients = [Client(number, self.chance, interval) for number in range(count)]
        self.paused = set()
        self.last = self.resumed = 0.0
        self.is_beating = False
        self.late = []
        self.looks = self.worthless = 0
        self.moves = 0
        self.waits = Waits()

    async def live(self, client, number):
        """Keeps one client connected."""
        loop = asyncio.get_running_loop()
        # Not all at once.
        await pause(number * 0.002)
        while True:
            usable = [port for port in self.ports if port not in self.paused] or self.ports
            port = usable[number % len(usable)] if client.connection is None else self.chance.choice(usable)
            try:
                making = loop.create_connection(lambda: Spectator(client, port), "127.0.0.1", port)
                _, connection = await asyncio.wait_for(making, 5)
            except (OSError, asyncio.TimeoutError):
                await pause(0.2)
                continue
            client.connection = connection
            try:
                client.port = port
                await connection.closed
            finally:
                client.port = None
                # It shows aged rows until it is connected again.
                client.state = None
            self.moves += 1
            await pause(0.05 + 0.3 * self.chance.random())

    async def judge(self):
        """Looks at all clients several times a second."""
        worthless_until = before = next_wait = time.monotonic()
        while True:
            await pause(LOOK)
            now = time.monotonic()
            if now - before > LOOK + HICCUP:
                worthless_until = now + RECOVERY
            before = now
            if now >= next_wait:
                next_wait = now + 0.5
                if self.waits.are_long(now):
                    worthless_until = now + 1
            if now < worthless_until:
                self.worthless += 1
                continue
            self.looks += 1
            for number, client in enumerate(self.clients):
                client.look(now)
                if client.state != "live" or client.is_silent or client.port is None:
                    continue
                shown = client.beat()
                if shown is None:
                    continue
                # Without later beats nothing is missing.
                if not self.is_beating and shown >= self.last:
                    continue
                # The beats were interrupted after the last one.
                missing = max(shown, self.resumed) if shown >= self.last else shown
                age = now - max(missing + BEAT, client.live_since)
                if age > self.limit and len(self.late) < 100:
                    self.late.append({
                        "client": number, "port": client.port, "late": round(age, 2), "now": round(now, 2),
                        "shown": shown, "last": self.last, "resumed": round(self.resumed, 2),
                        "live": round(client.live_since, 2)})

    def answer(self, command):
        if "beating" in command:
            self.is_beating = command["beating"]
            if self.is_beating:
                self.resumed = time.monotonic()
            else:
                self.last = command["last"]
        if "paused" in command:
            self.paused = set(command["paused"])
        if "watch" in command:
            self.waits.pids = [*command["watch"], os.getpid()]
        if "rows" not in command:
            return {}
        misses = {number: client.misses(command["rows"]) for number, client in enumerate(self.clients)}
        wrong = {number: text for number, text in misses.items() if text}
        late, self.late = self.late, []
        return {
            "equal": len(self.clients) - len(wrong), "of": len(self.clients),
            "wrong": [
                f"client {number} at {self.clients[number].port}: {text}" for number, text in list(wrong.items())[:5]],
            "faults": [client.fault for client in self.clients if client.fault][:5], "late": late,
            "looks": self.looks, "worthless": self.worthless, "moves": self.moves}


async def main():
    ports, count, seed = sys.argv[1:]
    crowd = Crowd([int(port) for port in ports.split(",")], int(count), int(seed))
    reader = asyncio.StreamReader(limit=1 << 24)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    tasks = [asyncio.ensure_future(crowd.live(client, number)) for number, client in enumerate(crowd.clients)]
    tasks.append(asyncio.ensure_future(crowd.judge()))
    while line := await reader.readline():
        print(json.dumps(crowd.answer(json.loads(line))), flush=True)
        for task in tasks:
            if task.done():
                task.result()


if __name__ == "__main__":
    asyncio.run(main())
