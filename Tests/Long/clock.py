"""Clock jumps (F13): the wall clock jumps by an hour and by ten years, and the process is stopped.

No client may notice. libfaketime changes the server's wall clock but not its monotonic clock, as
setting a machine's date does.
"""

import asyncio
import datetime
import json
import os
import pathlib
import signal
import tempfile
import time

from serving import Serving
from slow import pause
from viewer import Viewer

LIBRARY = next(iter(sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
HOUR, YEAR = 3_600, 365 * 86_400
JUMPS = {"+1h": HOUR, "-1h": -HOUR, "+10y": 10 * YEAR, "-10y": -10 * YEAR, "+0": 0}
# Longer than the server's timeout for silent clients.
STILL = 20.0
INTERVAL = 100


async def patches(viewers, seconds):
    """Returns the minimum and maximum number of patches that a client received within `seconds`."""
    before = [viewer.count for viewer in viewers]
    await pause(seconds)
    came = [viewer.count - earlier for viewer, earlier in zip(viewers, before)]
    return min(came), max(came)


async def run(options):
    assert LIBRARY, "libfaketime is missing (scripts/setup long installs it)"
    with (
            tempfile.NamedTemporaryFile("w", suffix=".faketime") as date,
            tempfile.NamedTemporaryFile("w", suffix=".yaml") as configuration):
        date.write("+0")
        date.flush()
        # Needs a configuration file: without one, SIGHUP ends the server instead of reloading.
        configuration.write("log-format: json\n")
        configuration.flush()
        variables = [
            f"LD_PRELOAD={LIBRARY}", f"FAKETIME_TIMESTAMP_FILE={date.name}", "FAKETIME_NO_CACHE=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            # Otherwise waits on the monotonic clock return at once.
            "FAKETIME_FORCE_MONOTONIC_FIX=0"]
        # File times stay real.
        variables.append("NO_FAKE_STAT=1")
        # libfaketime adds a variable to the environment of the first process. Swift's runtime finds
        # the arguments by their position before the environment, which would fail, so the first
        # process is a second `env`.
        server = Serving(
            rows=1_000, rate=1_000, batches=20, options=["--config", configuration.name],
            prefix=["env", *variables, "env"])
        with server:
            await jump(server, date, options)
            await stand_still(server, options)


async def opened(server, count):
    def note(viewer, payload):
        viewer.count = getattr(viewer, "count", 0) + 1

    viewers = [await Viewer.connect(server.port, light=True, on_message=note, interval=INTERVAL) for _ in range(count)]
    await asyncio.wait([viewer.shown for viewer in viewers], timeout=30)
    return viewers


def seen(server):
    """Returns the server's wall clock, read from its log entry after a reload without changes."""
    before = len(server.log)
    os.kill(server.process.pid, signal.SIGHUP)
    deadline = time.monotonic() + 10
    while not (reloads := [line for line in server.log[before:] if "was reloaded" in line]):
        assert time.monotonic() < deadline, "the configuration is not read again"
        server.ended.wait(0.02)
    return datetime.datetime.fromisoformat(json.loads(reloads[0])["time"]).timestamp()


def gone(viewers):
    return sum(viewer.closed.done() for viewer in viewers)


async def jump(server, date, options):
    server.wait_for_rows(1_000)
    viewers = await opened(server, 100)
    await pause(2)
    least, most = await patches(viewers, options.seconds / 4)
    for offset, seconds in JUMPS.items():
        date.seek(0)
        date.truncate()
        date.write(offset)
        date.flush()
        assert abs(seen(server) - time.time() - seconds) < 60, f"the server does not see {offset}: {server.log[-1]}"
        fewest, highest = await patches(viewers, options.seconds / 4)
        print(
            f"clock: the date jumps to {offset}: {fewest} to {highest} patches a page ({least} to "
            f"{most} before), {gone(viewers)} gone",
            flush=True)
        assert gone(viewers) == 0, f"{gone(viewers)} pages are gone after {offset}"
        assert options.small or highest <= most + 2, f"a burst after {offset}: {highest} patches, {most} before"
        assert options.small or fewest >= least / 2, f"patches stay away after {offset}: {fewest}, {least} before"
    # A new token and a new client are accepted as usual.
    late = await opened(server, 1)
    for viewer in viewers + late:
        viewer.abort()


async def stand_still(server, options):
    viewers = await opened(server, 100)
    await pause(1)
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        await pause(3 if options.small else STILL)
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    before = [viewer.count for viewer in viewers]
    await pause(INTERVAL / 1e3 * 0.9)
    burst = max(viewer.count - earlier for viewer, earlier in zip(viewers, before))
    least, most = await patches(viewers, options.seconds / 4)
    print(
        f"clock: the process stands still for {3 if options.small else STILL:g} s: "
        f"{burst} patches at once, then {least} to {most} a page; {gone(viewers)} gone",
        flush=True,
    )
    assert gone(viewers) == 0, f"{gone(viewers)} pages are gone"
    assert options.small or burst <= 2, f"{burst} patches at once"
    assert least > 0, "a page gets nothing any more"
    for viewer in viewers:
        viewer.abort()
