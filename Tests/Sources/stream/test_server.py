"""The plugin behind the real server, seen by a WebSocket client."""

import asyncio
import json
import os
import statistics
import sys
import time
import unittest

from program import PLUGIN, ROOT
from servers import Kafka, Nats, Redis, shared

sys.path[:0] = [str(ROOT / "Tests/Long"), str(ROOT / "Tests/Sources/shared")]
from client import Client  # noqa: E402
from serving import Server, plugin  # noqa: E402


def encoded(**members):
    return json.dumps(members).encode()


def serve(**settings):
    """Starts a server with the plugin; its table is called `quotes`, as the client expects."""
    return Server("--interval", "50", *plugin(PLUGIN, {"table": "quotes", **settings}))


class KeyClient(Client):
    """A client that knows its rows by their keys."""

    async def open(self, port, **options):
        end = time.monotonic() + 60
        while True:  # there is no table before the first rows
            await super().open(port, **options)
            try:
                await asyncio.wait_for(self.viewer.shown, 1)
                return self
            except (asyncio.TimeoutError, asyncio.CancelledError):
                self.viewer.abort()
                if time.monotonic() > end:
                    raise AssertionError(f"no window; {self.sources}") from None

    @property
    def rows(self):
        return {cells[0]: cells for cells in self.cells}


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
        server = serve(
            backend="nats", servers=f"127.0.0.1:{nats.port}", stream=self.stream, mode="latest", columns="v:number"
        )
        self.addCleanup(server.stop)
        key = f"{self.stream}.s".__add__

        async def run():
            client = await KeyClient().open(server.port, count=60)
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
            os.kill(server.programs("stream.py")[0], 9)
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
                server = serve(
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
        client = await KeyClient().open(server.port, count=20)
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
