"""Measurements of Tests/Cluster/run --measure.

The same source runs at a single node, and at a publisher whose table reaches clients through NATS
and a relay. All run at once, so that the difference of their latencies is the cost of the way. The
clients are in this process and show one row.
"""

import os
import pathlib
import shlex
import sys
import tempfile
import threading
import time

from nodes import ROOT, Client, Nats, Node, until
from servers import Servers
from wires import Wires

SECONDS = 15
TICK = os.sysconf("SC_CLK_TCK")


def source(rows, interval):
    return "jobs=" + shlex.join([sys.executable, str(ROOT / "Tests/Cluster/ticker.py"), str(rows), str(interval)])


class Stopwatch(Client):
    """A client that notes the age of its first row when it arrives, in seconds."""

    def __init__(self, node):
        self.ages = []
        super().__init__(node)

    def take(self, peer, message):
        now = time.monotonic()
        super().take(peer, message)
        if message["type"] in ("window", "patch") and self.replica.rows:
            self.ages.append(now - self.replica.rows[0][2][1])


def processor_seconds(node):
    fields = pathlib.Path(f"/proc/{node.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def latencies(url, options, what):
    """Prints the latencies with a row that changes 20 times a second."""
    nodes = {"a single node": Node("--child", source(1, 0.05))}
    nodes["the publisher"] = Node("--child", source(1, 0.05), "--publish", url, *options)
    nodes["a relay"] = Node("--from", url, *options)
    try:
        until(nodes["a relay"].is_ready, 120, "the relay is ready")
        clients = {name: Stopwatch(node) for name, node in nodes.items()}
        until(lambda: all(len(client.ages) > 20 for client in clients.values()), 60, "the clients receive rows")
        for client in clients.values():
            client.ages.clear()
        threading.Event().wait(SECONDS)
        found = {name: [quantile(list(client.ages), part) * 1e3 for part in (0.5, 0.99)]
                 for name, client in clients.items()}
        print(f"{what}: from the source to the client, milliseconds")
        for name, (middle, high) in found.items():
            print(f"  {name}: p50 {middle:.1f}, p99 {high:.1f} of {len(clients[name].ages)} patches")
        added = [mine - base for mine, base in zip(found["a relay"], found["a single node"])]
        print(f"  added by the relay: p50 {added[0]:.1f}, p99 {added[1]:.1f}", flush=True)
        for client in clients.values():
            client.isEnding = True
    finally:
        for node in nodes.values():
            node.kill()


def costs(url):
    """Prints the processor time of a relay for each changed row and message, with one client."""
    rows, interval = 100, 0.05
    nodes = [Node("--child", source(rows, interval), "--publish", url), Node("--from", url)]
    relay = nodes[1]
    try:
        until(relay.is_ready, 120, "the relay is ready")
        for count in (0, 1):
            client = Stopwatch(relay) if count else None
            until(lambda: client is None or client.ages, 60, "the client receives rows")
            before, messages, began = processor_seconds(relay), relay.figure("messages_total"), time.monotonic()
            threading.Event().wait(SECONDS)
            used = processor_seconds(relay) - before
            messages = relay.figure("messages_total") - messages
            seconds = time.monotonic() - began
            print(
                f"a relay with {count} clients: {used / messages * 1e6:.0f} µs a message of {rows} changed rows, "
                f"{used / messages / rows * 1e6:.2f} µs a row; {messages / seconds:.0f} messages a second", flush=True)
        client.isEnding = True
    finally:
        for node in nodes:
            node.kill()


def run():
    with tempfile.TemporaryDirectory(prefix="rowcast-measure-") as folder, Wires() as wires:
        folder = pathlib.Path(folder)
        single = Nats(folder / "single")
        servers = None
        try:
            latencies(single.url, [], "one NATS server")
            costs(single.url)
            single.kill()
            servers = Servers(folder, wires)
            servers.settle()
            latencies(servers.url(), ["--nats-replicas", "3"], "three NATS servers")
        finally:
            single.kill()
            if servers is not None:
                servers.discard()
