"""Ten thousand clients connect to a running server within a second (F18).

All are served, and none is closed.
"""

import asyncio
import resource
import time

from serving import Serving
from viewer import Viewer, quantile

PATIENCE = 90  # seconds until the last window, on a busy machine
LONGEST_JOIN = 1.0  # seconds from the first connection to the last


async def run(options):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(options.arrivals, hard - 200)
    server = Serving(rows=10_000, rate=10, batches=1)
    server.wait_for_rows(10_000)
    before = server.metrics()["rowcast_turned_away_total"]
    began = time.monotonic()
    # Connections are made by the system, so that this process does not spread them.
    viewers = [await Viewer.connect(server.port, light=True) for _ in range(count)]
    joined = time.monotonic() - began
    windows = []

    async def note(viewer):
        await asyncio.wait([viewer.shown, viewer.closed], return_when=asyncio.FIRST_COMPLETED)
        if viewer.has_window:
            windows.append(time.monotonic() - began)

    await asyncio.wait([asyncio.ensure_future(note(viewer)) for viewer in viewers], timeout=PATIENCE)
    closed = sum(viewer.closed.done() for viewer in viewers)
    turned_away = server.metrics()["rowcast_turned_away_total"] - before
    print(
        f"join: {count} connected in {joined:.2f} s: {len(windows)} served, {closed} closed, {turned_away:.0f} turned "
        f"away; windows p50 {quantile(windows, 0.5):.1f} s, the last after {max(windows, default=0):.1f} s",
        flush=True,
    )
    for viewer in viewers:
        viewer.abort()
    server.stop()
    assert len(windows) == count and closed == 0 and turned_away == 0, f"{count - len(windows)} are not served"
    assert options.small or joined <= LONGEST_JOIN, "they did not join within a second"
