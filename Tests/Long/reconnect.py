"""Ten thousand clients lose their server and reconnect within a minute (F18).

Jittered pauses and the server's rate limit spread the load.
"""

import asyncio
import collections
import math
import random
import resource
import time

from serving import Serving
from viewer import Viewer, quantile

LONGEST = 60.0
MEDIAN = 10.0
MOST_AT_ONCE = 0.10
MOST_MEMORY = 1.5


async def run(options):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(options.arrivals, hard - 200)
    seed = random.randrange(1 << 32)
    dice = random.Random(seed)
    server = Serving(rows=10_000, rate=10, batches=1)
    server.wait_for_rows(10_000)
    port = server.port

    async def arrive():
        viewer = await Viewer.connect(port, light=True)
        await asyncio.wait([viewer.shown], timeout=30)
        return viewer

    viewers = []
    while len(viewers) < count:
        viewers += await asyncio.gather(*(arrive() for _ in range(min(200, count - len(viewers)))))
    assert all(viewer.has_window for viewer in viewers), "not everyone has a window before the storm"
    calm = server.resident
    lost = [viewer.closed for viewer in viewers]
    server.kill()
    await asyncio.wait(lost)
    viewers.clear()
    began = time.monotonic()
    arrivals = collections.Counter()
    back = []
    rejected = 0
    opened = None
    most = 0
    done = asyncio.Event()

    async def come_back():
        nonlocal rejected, opened
        attempt = 0
        while True:
            wait = dice.random() * min(30, 1.5 * 2**attempt)
            attempt += 1
            # The intended time counts, because this process serves ten thousand clients and gets to
            # them later, many at a time.
            due = time.monotonic() + wait
            await asyncio.wait([asyncio.ensure_future(done.wait())], timeout=wait)
            try:
                if opened is not None:
                    arrivals[int(due * 10)] += 1
                viewer = await Viewer.connect(port, light=True)
                # A client may connect before `Serving` returns.
                opened = opened or time.monotonic()
                await asyncio.wait([viewer.shown, viewer.closed], return_when=asyncio.FIRST_COMPLETED, timeout=30)
                if viewer.has_window:
                    back.append(time.monotonic() - opened)
                    viewers.append(viewer)
                    return
                rejected += 1
                viewer.abort()
            except OSError:
                pass

    tasks = [asyncio.ensure_future(come_back()) for _ in range(count)]
    server = await asyncio.to_thread(Serving, rows=10_000, rate=10, batches=1, port=port)
    opened = opened or time.monotonic()
    down = opened - began
    waiting = set(tasks)
    while waiting and time.monotonic() - opened < LONGEST + 10:
        _, waiting = await asyncio.wait(waiting, timeout=0.2)
        most = max(most, server.resident)
    done.set()
    worst = max(arrivals.values())
    figures = server.metrics()
    print(
        f"reconnect: seed {seed}; {len(back)} of {count} back after {down:.1f} s without a server: "
        f"p50 {quantile(back, 0.5):.1f} s, all in {max(back):.1f} s; {worst} arrivals in the worst "
        f"100 ms ({worst / count:.1%}); {rejected} were sent away once "
        f"({figures['rowcast_turned_away_total']:.0f} by the server's budget); "
        f"{most / 1e6:.0f} MB at most, {calm / 1e6:.0f} MB before",
        flush=True,
    )
    for task in waiting:
        task.cancel()
    for viewer in viewers:
        viewer.abort()
    server.stop()
    assert len(back) == count, f"{count - len(back)} are not back"
    assert options.small or max(back) <= LONGEST and quantile(back, 0.5) <= MEDIAN, "they come back too slowly"
    # With few clients, more than a tenth may arrive at once by chance (seed 2272449110: 102 of
    # 1,000). Allow four standard deviations.
    chance = 4 * math.sqrt(MOST_AT_ONCE * count) if options.small else 0
    assert worst <= MOST_AT_ONCE * count + chance, f"{worst} arrive within 100 ms"
    assert most <= MOST_MEMORY * calm, f"memory overshoots {most / calm:.2f} times"
