"""Predictions for a million clients, 100 million rows and a million updates a second."""

import math
from dataclasses import dataclass

import model
from simulation import Load, simulate

CLIENTS, ROWS, UPDATES = 1_000_000, 100_000_000, 1_000_000
# The parts into which the tables are divided, each with its own NATS servers and relays.
PARTS = [10, 20, 50, 100, 200]
# The different queries of a part's clients, and the share of the loop that is used.
VIEWS, SHARE = 23, .7
BATCHES = 10
INTERVAL = .3
# The time after which relays mark a table as stale, and the stream's size (docs/cluster.md).
SILENCE, RETENTION = 2.5, 256 * 2 ** 20
# The bytes that one sorted view adds for each row (a note of `rowcast-bench w1`).
VIEW_BYTES = 12.3
# The bytes of TCP, IP and WebSocket headers for a patch and its acknowledgement: extrapolated.
FRAME_BYTES = 150
# The memory for all views of a table, `Limits.viewBytes`.
VIEWS_LIMIT = 4 * 2 ** 30


@dataclass
class Part:
    """One of the equal parts of the load."""

    parts: int
    rows: int
    rate: float
    rows_share: float
    thread_share: float
    publisher_share: float
    clients: int
    relays: int
    snapshot: float
    relay_memory: float
    stream: float
    p99: float
    loop: float


def patches(rate, rows):
    """Returns the patches a second of a client with a window of W4."""
    load = Load(rate=rate, rows=rows, clients=400, batches=BATCHES, interval=INTERVAL)
    return simulate(model.Costs(), load, seconds=3).patches / load.clients


def part(points, count):
    costs, sizes = model.calibrate(points), model.snapshots(points)
    rows, rate = ROWS // count, UPDATES / count
    used = costs.loop_base + rate * (costs.loop_row + VIEWS * costs.view_row) + BATCHES * VIEWS * costs.view_batch
    each = patches(rate, rows)
    clients = max(0, min(10_000, math.floor((SHARE - used) / (each * costs.patch) / 50) * 50))
    relays = math.ceil(CLIENTS / count / clients) if clients else 0
    p99 = loop = 0
    if clients:
        load = Load(rate=rate, rows=rows, clients=clients, batches=BATCHES, views=VIEWS)
        result = simulate(costs, load, seconds=2)
        p99, loop = result.latency(.99), result.loop
    memory = sizes.relay_bytes + rows * (sizes.row_bytes + VIEWS * VIEW_BYTES) + clients * client_bytes(points)
    return Part(
        count, rows, rate, used, rate * costs.relay_row, rate * costs.publish_row, clients, relays,
        rows * sizes.write_time, memory, rate * row_bytes(points), p99, loop)


def client_bytes(points):
    """Returns the memory of a client with a window of its own."""
    few, many = points.one(kind="different", clients=600), points.one(kind="different", clients=2_000)
    return model.line(few, many, "relay_bytes", "clients")[0]


def row_bytes(points):
    """Returns the bytes of an update in the stream."""
    point = points.one(kind="alone", rate=20_000)
    return point["stored"] / point["rate"]


def patch_bytes(points):
    point = points.one(kind="different", clients=2_000)
    return point["bytes"] / point["patches"]


def limits(points):
    """Returns the load at which each part of one table reaches a bound, the lowest loads first."""
    costs, sizes = model.calibrate(points), model.snapshots(points)
    view = costs.loop_row + VIEWS * costs.view_row
    idle = costs.loop_base + BATCHES * VIEWS * costs.view_batch
    slow, fast = patches(1_000, 100_000), BATCHES / math.ceil(BATCHES * INTERVAL)
    return [
        ("rows", "relays mark the table as stale while a snapshot is written",
         f"{SILENCE / sizes.write_time / 1e6:.1f}M rows"),
        ("rows", f"the memory for {VIEWS} sorted views", f"{VIEWS_LIMIT / VIEW_BYTES / VIEWS / 1e6:.0f}M rows"),
        ("rows", "the limit of a table", "100M rows"),
        ("rows", "the rows and these views in 64 GiB",
         f"{64 * 2 ** 30 / (sizes.row_bytes + VIEWS * VIEW_BYTES) / 1e6:.0f}M rows"),
        ("updates", f"the loop of a relay without clients, with {VIEWS} views",
         f"{(1 - idle) / view / 1e3:.0f}k updates/s"),
        ("updates", "half of the stream fills while a snapshot of 1M rows is written",
         f"{RETENTION / 2 / row_bytes(points) / (1e6 * sizes.write_time) / 1e3:.0f}k updates/s"),
        ("updates", "the publisher's thread", f"{1 / costs.publish_row / 1e3:.0f}k updates/s"),
        ("updates", "the thread of a relay that reads the stream", f"{1 / costs.relay_row / 1e3:.0f}k updates/s"),
        ("clients of a relay", "connections of one address, behind a proxy that hides addresses", "100"),
        ("clients of a relay", "one token of several", "5,000"),
        ("clients of a relay", "the loop, windows of their own, 1,000 updates/s",
         f"{math.floor((1 - idle - 1_000 * view) / (slow * costs.patch) / 50) * 50:,}"),
        ("clients of a relay", "the limit of a server", "10,000"),
        ("clients of a relay", "the loop, one window",
         f"{math.floor((1 - idle) / (fast * costs.shared_patch) / 50) * 50:,}"),
    ]


def network(points, best):
    """Returns bytes a second of each tier for the whole load."""
    each = patches(best.rate, best.rows)
    client = CLIENTS * each * (patch_bytes(points) + FRAME_BYTES)
    return [
        ("publisher to NATS", UPDATES * row_bytes(points), best.stream),
        ("between NATS servers, two more replicas", 2 * UPDATES * row_bytes(points), 2 * best.stream),
        ("NATS to relays", best.parts * best.relays * best.stream, best.relays * best.stream),
        ("relays to clients", client, client / (best.parts * best.relays)),
    ]
