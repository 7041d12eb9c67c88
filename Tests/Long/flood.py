"""Clients that send as fast as they can (T10): acknowledgements, queries and pings.

Other clients must hardly be affected. The measure is that of slow.py: the time from a good client's
acknowledgement to its next patch.
"""

import asyncio
import itertools
import json

from serving import Serving
from slow import good_ones, measure, pause
from viewer import Viewer, frame

MOST_TIMES = 2.0


class Flooder(Viewer):
    """Sends the frames of `words` as fast as the server reads them."""

    words = None

    def _receive(self, opcode, payload):
        super()._receive(opcode, payload)
        if self.has_window and self.flood is None:
            self.flood = asyncio.ensure_future(self._flood())

    flood = None
    sent = 0

    async def _flood(self):
        self.transport.set_write_buffer_limits(high=65_536)
        while not self.transport.is_closing():
            self.transport.write(b"".join(itertools.islice(self.words, 100)))
            self.sent += 100
            # Waits until previous writes were accepted.
            while self.transport.get_write_buffer_size() > 65_536 and not self.transport.is_closing():
                await pause(0.01)
            await pause(0)


def send(message):
    return frame(1, json.dumps(message).encode())


def acknowledgements():
    return (send({"type": "ack", "seq": 999_999}) for _ in itertools.count())


def queries():
    """Yields distinct queries, each with its own view."""
    for number in itertools.count(2):
        sort = [{"column": ["price", "size", "symbol"][number % 3], "descending": number % 2 == 0}]
        yield send({"type": "query", "request": number, "query": {"search": f"{number % 1000}", "sort": sort}})


def pings():
    """Yields pings, which libwebsockets answers by itself."""
    return (frame(9, b"ping") for _ in itertools.count())


async def run(options):
    with Serving(rows=100_000, rate=10_000, batches=20) as server:
        server.wait_for_rows(100_000)
        good, delays = await good_ones(server.port, 20)
        await pause(2)
        before = await measure(delays, options.seconds)
        for name, words in (("acknowledgements", acknowledgements()), ("queries", queries()), ("pings", pings())):
            flooder = await Flooder.connect(server.port, light=True)
            flooder.words = words
            await flooder.shown
            after = await measure(delays, options.seconds)
            gone = flooder.closed.done()
            print(
                f"flood: one page says {flooder.sent:,} {name} in {options.seconds:g} "
                f"s{' and is closed' if gone else ''}: others' p50 {before[0] * 1e3:.0f} → "
                f"{after[0] * 1e3:.0f} ms, p99 {before[1] * 1e3:.0f} → {after[1] * 1e3:.0f} ms "
                f"({after[1] / before[1]:.2f} times, {before[2]} and {after[2]} patches)",
                flush=True,
            )
            assert after[2] > 0, f"the other pages get nothing during {name}"
            assert options.small or after[1] <= MOST_TIMES * before[1], (
                f"the others' p99 is {after[1] / before[1]:.2f} times what it was")
            flooder.abort()
        for viewer in good:
            viewer.abort()
