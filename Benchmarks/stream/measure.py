"""Messages per second and processor time of the source `stream`.

Measurements for each backend, with messages of 130 bytes of JSON in six members, of 10,000 keys:

- catch up: the plugin alone reads a stream of 200,000 messages, and reports its rows;
- newest: the same with the newest 100,000 messages as rows;
- client: the same stream read by the command of its message system, to /dev/null;
- page: 1,000 messages a second of 500 keys for ten seconds, and a client that shows 50 rows;
- live: 5,000 messages a second for ten seconds, through the plugin and the server to a client.
"""

import asyncio
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Sources/stream"), str(ROOT / "Tests/Long")]
from program import Program  # noqa: E402
from servers import Kafka, Nats, Redis  # noqa: E402
from test_server import KeyClient, serve  # noqa: E402

COUNT, KEYS = 200_000, 10_000
RATE, SECONDS = 5_000, 10
COLUMNS = "id:text,price:number,size:number,side:text,at:timestamp,venue.name:text"


def payload(number):
    return json.dumps(
        {
            "id": f"k{number % KEYS}",
            "price": number / 8,
            "size": number % 1_000,
            "side": "BUY" if number & 1 else "SELL",
            "at": "2026-11-23T10:00:00.123Z",
            "venue": {"name": f"venue {number % 20}"},
        },
        separators=(",", ":"),
    ).encode()


def cpu(process):
    """Seconds of processor of a process so far."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1_024


class NatsStream:
    settings = {"backend": "nats"}

    def __init__(self):
        self.server = Nats()
        self.server.add("quotes", ["quotes.>"])
        self.settings = {**self.settings, "servers": f"127.0.0.1:{self.server.port}", "stream": "quotes"}

    def publish(self, first, count):
        self.server.publish([(f"quotes.k{number % KEYS}", payload(number)) for number in range(first, first + count)])

    def publish_to(self, name, payloads):
        self.server.add(name, [f"{name}.>"])
        self.server.publish([(f"{name}.a", text) for text in payloads])


class RedisStream:
    def __init__(self):
        self.server = Redis("appendfsync no\n")
        self.settings = {
            "backend": "redis",
            "servers": f"redis://127.0.0.1:{self.server.port}",
            "stream": "quotes",
            "field": "data",
        }

    def publish(self, first, count):
        for start in range(first, first + count, 5_000):
            with self.server.client.pipeline(transaction=False) as pipeline:
                for number in range(start, min(start + 5_000, first + count)):
                    pipeline.xadd("quotes", {"data": payload(number)})
                pipeline.execute()

    def publish_to(self, name, payloads):
        for text in payloads:
            self.server.client.xadd(name, {"data": text})


class KafkaTopic:
    def __init__(self):
        self.server = Kafka()
        # A partition of the mock cluster keeps 5 MiB.
        self.server.create("quotes", 16)
        self.settings = {"backend": "kafka", "servers": self.server.servers, "stream": "quotes"}

    def publish(self, first, count):
        for start in range(first, first + count, 5_000):
            end = min(start + 5_000, first + count)
            self.server.publish("quotes", [(f"k{number % KEYS}", payload(number)) for number in range(start, end)])

    def publish_to(self, name, payloads):
        self.server.create(name)
        self.server.publish(name, [(None, text) for text in payloads])


def catch_up(stream, **settings):
    begin = time.monotonic()
    program = Program(**stream.settings, columns=COLUMNS, **settings)
    program.until(lambda: program.reloads and program.states and "0 messages behind" in program.states[-1][1], 120)
    process = program.process.pid
    used, memory = cpu(process), peak(process)
    listed = program.listed - begin
    program.end()
    return listed, used, memory


def live(stream):
    server = serve(**stream.settings, mode="latest", key="id", columns=COLUMNS)
    try:
        return asyncio.run(watch(stream, server))
    finally:
        server.stop()


async def watch(stream, server):
    client = await KeyClient().open(server.port, count=50)
    await client.until(lambda: client.states and ": 0 messages behind" in (client.states[-1]["message"] or ""))
    client.states.clear()
    plugin = server.programs("stream.py")[0]
    before = cpu(plugin), cpu(server.process.pid)
    begin = time.monotonic()
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, write, stream)
    wrote = time.monotonic() - begin
    spent = cpu(plugin) - before[0], cpu(server.process.pid) - before[1]
    texts = [state["message"] or "" for state in client.states]
    lags = [
        int(found[1].replace(",", ""))
        for found in (re.search(r"([\d,]+) messages? behind", text) for text in texts)
        if found
    ]
    client.viewer.abort()
    return wrote, spent, max(lags, default=0)


CLIENTS = {
    "redis": "redis-cli -p {port} XREAD COUNT {count} STREAMS quotes 0",
    "kafka": "kcat -b {servers} -C -t quotes -o beginning -c {count} -q",
}


def client(name, stream):
    """Seconds in which a command reads all messages, and its processor time; None without one."""
    command = CLIENTS.get(name, "missing").format(
        port=getattr(stream.server, "port", 0), servers=stream.settings["servers"], count=COUNT
    ).split()
    if shutil.which(command[0]) is None:
        return None
    begin, before = time.monotonic(), os.times()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - begin, used


async def page(name, stream):
    """Seconds to the first window, and the sorted delays from a message to its row on the page."""
    begin = time.monotonic()
    settings = {**stream.settings, "stream": "pages", "mode": "latest", "key": "id", "columns": "id:text,sent:number"}
    server = serve(**settings)
    try:
        client = await KeyClient().open(server.port, count=50)
        await client.until(lambda: len(client.rows) >= 50)
        first = time.monotonic() - begin
        seen, delays = {}, []
        apply = client.receive

        def receive(viewer, message):
            apply(viewer, message)
            now = time.monotonic()
            for key, row in client.rows.items():
                if row[1] and seen.get(key) != row[1]:
                    seen[key] = row[1]
                    delays.append(now - row[1])

        client.viewer.on_message = receive
        process = server.programs("stream.py")[0]
        before = cpu(process), cpu(server.process.pid)
        sender = subprocess.Popen([sys.executable, __file__, "send", name, stream.settings["servers"]])
        while sender.poll() is None:
            await asyncio.sleep(0.1)
        assert sender.returncode == 0
        spent = cpu(process) - before[0], cpu(server.process.pid) - before[1]
        client.viewer.abort()
        return first, sorted(delays), spent, peak(process)
    finally:
        server.stop()


def pages_payload(number, sent):
    return json.dumps({"id": f"k{number % 500}", "sent": sent}).encode()


def send(name, servers):
    """Sends 1,000 messages a second, one by one, in a process of its own."""
    if name == "redis":
        import redis

        connection = redis.Redis.from_url(servers)

        def write(number):
            connection.xadd("pages", {"data": pages_payload(number, time.monotonic())})
    elif name == "kafka":
        import confluent_kafka

        producer = confluent_kafka.Producer({"bootstrap.servers": servers, "linger.ms": 0})

        def write(number):
            producer.produce("pages", pages_payload(number, time.monotonic()))
            producer.poll(0)
    else:
        asyncio.run(send_to_nats(servers))
        return
    tick, begin = threading.Event(), time.monotonic()
    for number in range(1_000 * SECONDS):
        write(number)
        tick.wait(max(0, begin + (number + 1) / 1_000 - time.monotonic()))
    if name == "kafka":
        producer.flush(10)


async def send_to_nats(servers):
    import nats

    connection = await nats.connect(f"nats://{servers}")
    begin = time.monotonic()
    for number in range(1_000 * SECONDS):
        await connection.publish("pages.a", pages_payload(number, time.monotonic()))
        await asyncio.sleep(max(0, begin + (number + 1) / 1_000 - time.monotonic()))
    await connection.close()


def write(stream):
    """Writes at a steady rate."""
    tick = threading.Event()
    begin = time.monotonic()
    for part in range(SECONDS * 20):
        stream.publish(COUNT + part * RATE // 20, RATE // 20)
        tick.wait(max(0, begin + (part + 1) / 20 - time.monotonic()))


def main():
    if sys.argv[1:2] == ["send"]:
        send(*sys.argv[2:])
        return
    kinds = {"nats": NatsStream, "redis": RedisStream, "kafka": KafkaTopic}
    for name in sys.argv[1:] or kinds:
        stream = kinds[name]()
        stream.publish(0, COUNT)
        for label, settings in (("catch up", {"mode": "latest", "key": "id"}), ("newest", {"rows": 100_000})):
            count = COUNT if label == "catch up" else 100_000
            taken, used, memory = catch_up(stream, **settings)
            print(
                f"{name} {label}: {count / taken:,.0f} messages/s, {used / count * 1e6:.1f} µs of processor each, "
                f"peak {memory:.0f} MB",
                flush=True,
            )
        if (found := client(name, stream)) is not None:
            rate, used = COUNT / found[0], found[1] / COUNT * 1e6
            print(f"{name} client: {rate:,.0f} messages/s, {used:.1f} µs each", flush=True)
        stream.publish_to("pages", [pages_payload(number, 0.0) for number in range(500)])
        first, delays, (plugin, server), memory = asyncio.run(page(name, stream))
        print(
            f"{name} page: first window {first:.2f} s; {len(delays)} changes, median "
            f"{delays[len(delays) // 2] * 1e3:.0f} ms, p99 {delays[len(delays) * 99 // 100] * 1e3:.0f} ms; "
            f"plugin {plugin / SECONDS:.0%}, server {server / SECONDS:.0%} of a processor, peak {memory:.0f} MB",
            flush=True,
        )
        wrote, (plugin, server), lag = live(stream)
        print(
            f"{name} live: {RATE * SECONDS / wrote:,.0f} messages/s, plugin {plugin / wrote:.0%}, "
            f"server {server / wrote:.0%} of a processor, lag at most {lag:,}",
            flush=True,
        )
        if hasattr(stream.server, "stop"):
            stream.server.stop()


if __name__ == "__main__":
    main()
