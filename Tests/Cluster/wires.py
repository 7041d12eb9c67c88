"""TCP connections that a test cuts: a process of its own, so that it is as fast as its peers.

    with Wires() as wires:
        port = wires.add("relay-1 nats-2", 4222)   # listens, and connects to 127.0.0.1:4222
        wires.cut("relay-1 nats-2")                # what is sent waits, also on new connections
        wires.heal("relay-1 nats-2")
        wires.slow("relay-1 nats-2", 50_000)       # bytes a second
        wires.reset("relay-1 nats-2")              # ends all connections

A cut is like a cable that is pulled: neither peer learns of it until the cable is back.
"""

import asyncio
import json
import subprocess
import sys

WHOLE = 1 << 16


class Wires:
    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def add(self, name, port):
        """Returns the port of a new wire to a port of this machine."""
        return self._ask("add", name, port)

    def cut(self, name):
        self._ask("cut", name)

    def heal(self, name):
        self._ask("heal", name)

    def slow(self, name, rate):
        self._ask("slow", name, rate)

    def reset(self, name):
        self._ask("reset", name)

    def _ask(self, *words):
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


async def pause(seconds):
    await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=seconds)


class Wire:
    """All connections between two peers."""

    def __init__(self, port):
        self.port = port
        self.isWhole = asyncio.Event()
        self.isWhole.set()
        self.rate = None
        self.writers = set()

    async def accept(self, reader, writer):
        self.writers.add(writer)
        try:
            await self.isWhole.wait()
            there, away = await asyncio.open_connection("127.0.0.1", self.port)
            self.writers.add(away)
            # The first end of either direction ends both.
            both = [asyncio.ensure_future(self.carry(reader, away)), asyncio.ensure_future(self.carry(there, writer))]
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            await self.isWhole.wait()
            for task in both:
                task.cancel()
            self.end(away)
        except OSError:
            pass
        finally:
            self.end(writer)

    def end(self, writer):
        self.writers.discard(writer)
        writer.transport.abort()

    async def carry(self, reader, writer):
        try:
            while data := await reader.read(WHOLE if self.rate is None else 4_096):
                await self.isWhole.wait()
                if self.rate is not None:
                    await pause(len(data) / self.rate)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass

    def reset(self):
        for writer in list(self.writers):
            self.end(writer)


async def main():
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    wires = {}
    while line := await reader.readline():
        word, name, *rest = json.loads(line)
        answer = None
        if word == "add":
            wires[name] = Wire(rest[0])
            server = await asyncio.start_server(wires[name].accept, "127.0.0.1", 0, limit=WHOLE)
            answer = server.sockets[0].getsockname()[1]
        elif word == "cut":
            wires[name].isWhole.clear()
        elif word == "heal":
            wires[name].isWhole.set()
            wires[name].rate = None
        elif word == "slow":
            wires[name].rate = rest[0]
        elif word == "reset":
            wires[name].reset()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
