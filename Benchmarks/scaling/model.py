"""The costs of measured.json, and the check of the simulation against other points."""

import json
import pathlib
from dataclasses import dataclass, replace

from simulation import Costs, Load, join, simulate

FOLDER = pathlib.Path(__file__).resolve().parent
# The greatest difference between a simulated and a measured figure.
TOLERANCE = .2


@dataclass
class Check:
    """A measured figure that no cost was derived from."""

    name: str
    unit: str
    measured: float
    simulated: float

    @property
    def difference(self):
        return self.simulated / self.measured - 1

    @property
    def holds(self):
        return abs(self.difference) <= TOLERANCE


class Points:
    def __init__(self, path=FOLDER / "measured.json"):
        content = json.loads(pathlib.Path(path).read_text())
        self.machine, self.points, self.noted = content["machine"], content["points"], content["noted"]

    def find(self, role=None, **conditions):
        found = [point for point in self.points if all(point.get(key) == value for key, value in conditions.items())]
        if role is not None:
            found = [point for point in found if point["role"] == role]
        return found

    def one(self, **conditions):
        found = self.find(**conditions)
        assert len(found) == 1, f"{len(found)} points with {conditions}"
        return found[0]

    def note(self, name):
        return next(note for note in self.noted if note["name"] == name)


def line(first, last, key, by):
    """Returns the slope and the start of the line through two points."""
    slope = (last[key] - first[key]) / (last[by] - first[by])
    return slope, first[key] - slope * first[by]


def thread(point):
    return point["relay_cpu"] - point["relay_loop_cpu"]


def calibrate(points):
    """Derives the costs from the points whose role is `cost`."""
    first, last = points.find("cost", kind="alone")
    costs = Costs()
    costs.publish_row, costs.publish_base = line(first, last, "publisher_cpu", "rows")
    costs.nats_row, costs.nats_base = line(first, last, "nats_cpu", "rows")
    costs.loop_row, costs.loop_base = line(first, last, "relay_loop_cpu", "rows")
    whole_row, whole_base = line(first, last, "relay_cpu", "rows")
    costs.relay_row, costs.relay_thread_base = whole_row - costs.loop_row, whole_base - costs.loop_base
    # Two points with the same rate give the cost of a patch, one with another rate that of views.
    few, many, busy = points.find("cost", kind="different")
    costs.patch, rest = line(few, many, "relay_loop_cpu", "patches")
    views = 23
    slow = (rest - costs.loop_base - few["rows"] * costs.loop_row) / views
    fast = busy["relay_loop_cpu"] - costs.loop_base - busy["rows"] * costs.loop_row - busy["patches"] * costs.patch
    costs.view_row = (fast / views - slow) / (busy["rows"] - few["rows"])
    costs.view_batch = (slow - few["rows"] * costs.view_row) / few["messages"]
    (shared,) = points.find("cost", kind="same")
    view = shared["rows"] * costs.view_row + shared["messages"] * costs.view_batch
    spent = shared["relay_loop_cpu"] - costs.loop_base - shared["rows"] * costs.loop_row - view
    costs.shared_patch = spent / shared["patches"]
    return costs


@dataclass
class Snapshots:
    """Costs of a snapshot for each row, in seconds and bytes."""

    write: float
    write_time: float
    read: float
    read_time: float
    row_bytes: float
    relay_bytes: float


def snapshots(points):
    first, last = points.find("cost", kind="snapshot")
    # The publisher waits a second between two snapshots.
    row_bytes, relay_bytes = line(first, last, "relay_bytes", "rows")
    return Snapshots(
        line(first, last, "publisher_cpu_per_snapshot", "rows")[0], line(first, last, "snapshot_period", "rows")[0],
        line(first, last, "relay_cpu", "rows")[0], line(first, last, "relay_ready", "rows")[0], row_bytes, relay_bytes)


def checks(points):
    """Simulates the points whose role is `check`."""
    costs, found = calibrate(points), []
    for point in points.find("check", kind="alone"):
        result = simulate(costs, Load(rate=point["rows"]))
        name = f"{point['rate']:,} updates/s, no client"
        found.append(Check(f"{name}: publisher", "% of a core", 100 * point["publisher_cpu"], 100 * result.publisher))
        found.append(Check(f"{name}: NATS", "% of a core", 100 * point["nats_cpu"], 100 * result.nats))
        found.append(Check(f"{name}: relay", "% of a core", 100 * point["relay_cpu"], 100 * result.relay))
    for kind, text in (("different", "with windows of their own"), ("same", "with one window")):
        for point in points.find("check", kind=kind):
            result = simulate(costs, Load(rate=point["rate"], clients=point["clients"], same=kind == "same"))
            name = f"{point['clients']:,} clients {text}, {point['rate']:,} updates/s"
            found.append(Check(f"{name}: relay", "% of a core", 100 * point["relay_cpu"], 100 * result.relay))
            found.append(Check(f"{name}: patches", "a second", point["patches"], result.patches))
    first, last = points.find("cost", kind="snapshot")
    for point in points.find("check", kind="snapshot"):
        for key, text, unit, factor in (
                ("publisher_cpu_per_snapshot", "processor time of the publisher", "s", 1),
                ("relay_cpu", "processor time of a relay that starts", "s", 1),
                ("relay_ready", "time until that relay is ready", "s", 1),
                ("relay_bytes", "memory of that relay", "MB", 1e-6)):
            slope, start = line(first, last, key, "rows")
            name = f"snapshot of {point['rows']:,} rows: {text}"
            found.append(Check(name, unit, factor * point[key], factor * (start + slope * point["rows"])))
    return found + noted_checks(points, costs)


def noted_checks(points, costs):
    """Simulates measurements of release builds on other machines, each with its own cost."""
    found = []
    note = points.note("different")
    own = replace(costs, patch=note["cost"]["patch_us"] * 1e-6)
    result = simulate(own, Load(rate=1_000, clients=note["clients"]), seconds=4)
    name = f"{note['clients']:,} clients with windows of their own, one node"
    found.append(Check(f"{name}: server", "% of a core", note["check"]["cpu_percent"], 100 * result.loop))
    found.append(Check(f"{name}: p99", "ms", note["check"]["p99_ms"], 1e3 * result.latency(.99)))
    note = points.note("same")
    own = replace(costs, shared_patch=note["cost"]["patch_us"] * 1e-6)
    result = simulate(own, Load(rate=1_000, clients=note["clients"], same=True, interval=0))
    name = f"{note['clients']:,} clients with one window, one node, no interval"
    found.append(Check(f"{name}: p99", "ms", note["check"]["p99_ms"], 1e3 * result.latency(.99)))
    note = points.note("join")
    connected = note["cost"]["connected_s"]
    window = (note["cost"]["half_s"] - connected) / (note["clients"] / 2)
    served = join(note["clients"], connected / note["clients"], window)
    name = f"{note['clients']:,} clients that join at once"
    found.append(Check(f"{name}: the last has its window", "s", note["check"]["last_s"], max(served)))
    return found
