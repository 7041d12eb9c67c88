"""The plugin behind the real server, seen by a WebSocket client."""

import asyncio
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import threading
import time
import unittest

from program import PLUGIN, ROOT
from servers import Kafka, Nats, Redis, shared

sys.path.insert(0, str(ROOT / "Tests/Long"))
from replica import Replica  # noqa: E402
from viewer import Viewer  # noqa: E402

COMMAND = shlex.split(os.environ.get("ROWCAST", str(ROOT / ".build/release/rowcast")))


def encoded(**members):
    return json.dumps(members).encode()


class Server:
    """`rowcast serve` with the plugin; its table is called `quotes`, as the client expects."""

    def __init__(self, **settings):
        words = [
            *COMMAND,
            "serve",
            "--port",
            "0",
            "--no-token",
            "--log-level",
            "info",
            "--interval",
            "50",
            "--plugin",
            str(PLUGIN),
        ]
        for name, value in {"table": "quotes", **settings}.items():
            words += ["--set", f"stream.{name}={value}"]
        self.log, self.port, self.ready = [], None, threading.Event()
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if not self.ready.wait(30) or self.port is None:
            self.stop()
            raise AssertionError("the server does not listen: " + "".join(self.log)[-2_000:])

    def read(self):
        for line in self.process.stdout:
            self.log.append(line)
            found = re.search(r"listening on \w+://[^:/]+:(\d+)", line)
            if found:
                self.port = int(found[1])
                self.ready.set()
        self.ready.set()

    def program(self):
        """The process id of the plugin."""
        children = []
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{thread}/children") as file:
                children += file.read().split()
        for child in children:
            with open(f"/proc/{child}/cmdline") as file:
                if "stream.py" in file.read():
                    return int(child)
        raise AssertionError(f"no plugin among {children}")

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.reader.join(5)
        self.process.stdout.close()


class Client:
    """The rows of a page, kept by docs/protocol.md."""

    def __init__(self):
        self.replica, self.states, self.news = Replica(), [], asyncio.Event()

    async def open(self, port, **options):
        end = time.monotonic() + 20
        while True:  # there is no table before the first rows
            self.sources = None
            self.viewer = await Viewer.connect(port, on_message=self.receive, interval=0, **options)
            try:
                await asyncio.wait_for(self.viewer.shown, 1)
                return self
            except (asyncio.TimeoutError, asyncio.CancelledError):
                self.viewer.abort()
                if time.monotonic() > end:
                    raise AssertionError(f"no window; {self.sources}") from None

    def receive(self, _, message):
        if message["type"] in ("window", "patch"):
            self.replica.apply(message)
        elif message["type"] == "status":
            self.states.append(message["source"])
        elif message["type"] in ("hello", "sources"):
            self.sources = message.get("sources", [])
        self.news.set()

    @property
    def rows(self):
        return {row[2][0]: row[2] for row in self.replica.rows}

    async def until(self, is_done, patience=120):
        end = time.monotonic() + patience
        while not (found := is_done()):
            self.news.clear()
            try:
                await asyncio.wait_for(self.news.wait(), max(0.01, end - time.monotonic()))
            except asyncio.TimeoutError:
                raise AssertionError(
                    f"waited in vain; rows {list(self.rows.items())[:5]}, states {self.states[-2:]}"
                ) from None
        return found


class ServerTests(unittest.TestCase):
    def setUp(self):
        self.stream = self.id().rsplit(".", 1)[1]

    def nats(self, server, messages):
        server.publish([(f"{self.stream}.{subject}", payload) for subject, payload in messages])

    def test_client_receives_changes_after_server_and_plugin_kills(self):
        nats = Nats()
        self.addCleanup(nats.stop)
        nats.add(self.stream, [f"{self.stream}.>"])
        self.nats(nats, [(f"s{number}", encoded(v=number)) for number in range(30)])
        server = Server(
            backend="nats", servers=f"127.0.0.1:{nats.port}", stream=self.stream, mode="latest", columns="v:number"
        )
        self.addCleanup(server.stop)
        key = f"{self.stream}.s".__add__

        async def run():
            client = await Client().open(server.port, count=60)
            await client.until(lambda: len(client.rows) == 30)
            await self.publish(nats, [("s3", encoded(v=333)), ("s4", b""), ("s5", b"{"), ("unknown", b"")])
            await client.until(lambda: client.rows.get(key("3"), [0, 0])[1] == 333 and len(client.rows) == 29)
            await client.until(lambda: any("1 rejected" in (state["message"] or "") for state in client.states))
            # Killed server: the rows stay.
            nats.kill()
            await client.until(lambda: client.states[-1]["state"] == "stale")
            self.assertEqual(len(client.rows), 29)
            nats.start()
            await self.publish(nats, [("s6", encoded(v=666))])
            await client.until(lambda: client.rows.get(key("6"), [0, 0])[1] == 666)
            await client.until(lambda: client.states[-1]["state"] == "live")
            # Killed plugin: a row is deleted meanwhile.
            os.kill(server.program(), 9)
            await self.publish(nats, [("s7", b""), ("s8", encoded(v=888))])
            await client.until(lambda: client.rows.get(key("8"), [0, 0])[1] == 888 and len(client.rows) == 28, 40)
            self.assertEqual(client.rows[key("5")][1], 5)
            client.viewer.abort()

        asyncio.run(run())

    async def publish(self, nats, messages):
        await asyncio.get_running_loop().run_in_executor(None, self.nats, nats, messages)

    def test_median_delay_from_message_to_client_is_below_1_s(self):
        nats, redis, kafka = shared(Nats), shared(Redis), shared(Kafka)
        nats.add(self.stream, [f"{self.stream}.>"])
        kafka.create(self.stream)
        key = f"{self.stream}.a"

        def write_nats(number):
            self.nats(nats, [("a", encoded(v=number))])

        def write_redis(number):
            redis.client.xadd(self.stream, {"id": key, "v": number})

        def write_kafka(number):
            kafka.publish(self.stream, [(key, encoded(v=number))])

        for backend, servers, write, more in (
            ("nats", f"127.0.0.1:{nats.port}", write_nats, {}),
            ("redis", f"redis://127.0.0.1:{redis.port}", write_redis, {"key": "id"}),
            ("kafka", kafka.servers, write_kafka, {}),
        ):
            with self.subTest(backend):
                write(0)
                columns = "id:text,v:number" if more else "v:number"
                server = Server(
                    backend=backend, servers=servers, stream=self.stream, mode="latest", columns=columns, **more
                )
                try:
                    delays = asyncio.run(self.delays(server, write, key))
                finally:
                    server.stop()
                delays.sort()
                print(
                    f"\n{backend}: median {statistics.median(delays) * 1_000:.0f} ms, "
                    f"longest of {len(delays)} {delays[-1] * 1_000:.0f} ms",
                    end="",
                    file=sys.stderr,
                )
                self.assertLess(statistics.median(delays), 1)

    async def delays(self, server, write, key):
        client = await Client().open(server.port, count=20)
        await client.until(lambda: key in client.rows)
        found = []
        for number in range(1, 21):
            begin = time.monotonic()
            await asyncio.get_running_loop().run_in_executor(None, write, number)
            await client.until(lambda: client.rows[key][1] == number)
            found.append(time.monotonic() - begin)
        client.viewer.abort()
        return found


if __name__ == "__main__":
    unittest.main()
