"""Slow clients next to good ones (F11).

A slow client may cost at most 256 KiB, and a client that reads nothing is closed within 16 s. Good
clients must hardly be affected.

A good client's delay is the time from the source's write of a row (`ts`, in milliseconds) to the
client's read. The market does not send that time. The measure is therefore the time from an
acknowledgement to the next patch, minus the interval of 300 ms.
"""

import asyncio
import time

from serving import Serving
from viewer import Viewer, quantile

# The maximum memory for one slow client.
MOST_BYTES = 256 * 1024
LONGEST_SILENCE = 16.0
MOST_TIMES = 1.5


async def good_ones(port, count):
    """Connects clients that acknowledge at once and record their delays in `delays`."""
    delays, viewers = [], []

    def receive(viewer, payload):
        now = time.monotonic()
        if getattr(viewer, "asked", None) is not None:
            delays.append(now - viewer.asked)
        viewer.asked = now

    for number in range(count):
        query = (
            {"sort": [{"column": "price", "descending": True}]} if number % 2
            else {"sort": [{"column": "ts", "descending": True}]})
        viewers.append(await Viewer.connect(port, on_message=receive, light=True, query=query, interval=100))
    await asyncio.wait([viewer.shown for viewer in viewers], timeout=60)
    return viewers, delays


async def measure(delays, seconds):
    delays.clear()
    await pause(seconds)
    return quantile(delays, 0.5), quantile(delays, 0.99), len(delays)


async def pause(seconds):
    """Waits for `seconds`."""
    await asyncio.wait([asyncio.get_running_loop().create_future()], timeout=seconds)


class Slow(Viewer):
    """Stops reading when its window begins to arrive, or reads a kilobyte per second."""

    rate = 0
    is_slow = False
    # Small, so that the server notices unread data.
    receive_buffer = 4096

    def connection_made(self, transport):
        super().connection_made(transport)
        # At most what is read per second.
        transport.max_size = 1024

    def data_received(self, data):
        super().data_received(data)
        if not self.is_slow and b'"type":"window"' in self.buffer:
            self.is_slow = True
            self.shown.set_result(None)
        if self.is_slow:
            self.transport.pause_reading()
            if self.rate:
                asyncio.get_running_loop().call_later(len(data) / self.rate, self._go_on)

    def _go_on(self):
        if not self.transport.is_closing():
            self.transport.resume_reading()


class Trickling(Slow):
    rate = 1024


async def run(options):
    with Serving(rows=100_000, rate=10_000, batches=20) as server:
        server.wait_for_rows(100_000)
        good, delays = await good_ones(server.port, options.slow)
        await pause(3)
        before = await measure(delays, options.seconds)
        resident = server.resident
        slow = []
        query = {"sort": [{"column": "ts", "descending": True}]}
        for number in range(options.slow):
            kind = Trickling if number % 2 else Slow
            # A thousand rows: the largest window a client may request.
            slow.append(await kind.connect(server.port, light=True, query=query, count=1000, interval=0))
        await asyncio.wait([viewer.shown for viewer in slow], timeout=60)
        most = 0
        deadline = time.monotonic() + options.seconds
        delays.clear()
        while time.monotonic() < deadline:
            await pause(0.5)
            most = max(most, server.resident - resident)
        after = (quantile(delays, 0.5), quantile(delays, 0.99), len(delays))
        # A client that does not read does not notice the close, so the server's figures are used.
        closed_by = time.monotonic() + LONGEST_SILENCE
        left = None
        while time.monotonic() < closed_by + 2:
            left = server.metrics()["rowcast_sessions"] - len(good)
            if left <= options.slow // 2 + 1:
                break
            await pause(0.25)
        each = most / options.slow
        print(
            f"slow: {options.slow} slow pages and {len(good)} good ones: p50 "
            f"{before[0] * 1e3:.0f} → {after[0] * 1e3:.0f} ms, p99 {before[1] * 1e3:.0f} → "
            f"{after[1] * 1e3:.0f} ms ({after[1] / before[1]:.2f} times, {before[2]} and "
            f"{after[2]} patches); {each / 1024:.0f} KiB for each slow page; "
            f"{left:.0f} of them are left",
            flush=True,
        )
        assert each <= MOST_BYTES, f"a slow page costs {each / 1024:.0f} KiB"
        assert options.small or after[1] <= MOST_TIMES * before[1], (
            f"the good pages' p99 is {after[1] / before[1]:.2f} times what it was")
        assert left <= options.slow // 2 + 1, (
            f"{left:.0f} slow pages are still there, of whom {options.slow // 2} read something")
        assert options.small or left >= options.slow // 2, (
            f"{left:.0f} slow pages are left, although {options.slow // 2} read something all the "
            "time")
        for viewer in good + slow:
            viewer.abort()
