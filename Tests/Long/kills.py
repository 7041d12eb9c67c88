"""Repeated kills of the server under a hundred clients (F9).

No stale row may be shown as live, and none twice. 95 % of the clients must be consistent again
within 3 s, and all must return to their row.

The clients apply messages exactly as docs/protocol.md specifies (replica.py). They reconnect as the
page does: with full jitter, sending their last state. A client is consistent once it has received a
valid window of the new epoch. Each client pins a row far down, whose key it has requested. After a
restart it locates this key at the new server, and must receive a window that contains the row.
"""

import asyncio
import random
import time

from replica import Misfit, Replica
from serving import Serving
from viewer import Viewer, quantile

LONGEST = 3.0


class Page:
    """A client that reconnects."""

    def __init__(self, number, seed):
        self.number = number
        self.random = random.Random(f"{seed} {number}")
        self.replica = Replica()
        self.misfits = 0
        self.right = asyncio.Event()
        # Set when the row's key is known, and when the row is found after a restart.
        self.home = asyncio.Event()
        self.session = None
        self.live = False
        self.place = 10 + self.random.randrange(9_900)
        self.key = None  # the key of the pinned row
        self.is_lost = False  # True from a restart until the row is found
        self.seeking = None  # the row's id on the new server
        self.found = 0
        self.seeks = 0
        sort = [{"column": "price", "descending": True}] if number % 2 else []
        self.query = {"sort": sort} if sort else {}

    def receive(self, viewer, message):
        if message["type"] == "hello":
            self.session = message["session"]
            self.live = False
        if message["type"] == "named" and message["rows"]:
            self.key = message["rows"][0][1]
            self.home.set()
        if message["type"] == "located":
            self.go(viewer, message["rows"])
        if message["type"] not in ("window", "patch"):
            return
        former = self.replica.epoch
        try:
            if message["type"] == "patch" and message["epoch"] != former:
                raise Misfit("a patch of another epoch")
            self.replica.apply(message)
        except Misfit:
            self.misfits += 1
            raise
        self.live = True
        self.right.set()
        if self.replica.epoch != former and self.key is not None:
            self.seeks += 1
            self.seeking = None
            self.is_lost = True
        if self.is_lost:
            viewer.send({"type": "locate", "id": 1, "keys": [self.key]})
        elif self.key is None and self.replica.rows:
            viewer.send({"type": "name", "id": 1, "rows": [self.replica.rows[len(self.replica.rows) // 2][0]]})
        self.look()

    def go(self, viewer, rows):
        """Moves the viewport to the located row.

        If the server has not loaded the row yet, or it has moved, the next patch triggers another
        request.
        """
        if not self.is_lost or not rows or rows[0][2] is None:
            return
        _, self.seeking, position = rows[0]
        self.place = max(1, position - 30)
        viewport = {"first": self.place, "count": 60, "ahead": 0, "behind": 0, "anchor": self.seeking}
        viewer.send({"type": "viewport", "seq": self.replica.sequence, **viewport})
        self.look()

    def look(self):
        if self.is_lost and any(row[0] == self.seeking for row in self.replica.rows):
            self.found += 1
            self.is_lost = False
            self.home.set()

    async def live_on(self, server, until):
        attempt = 0
        while not until.is_set():
            resume = None
            if self.replica.epoch is not None:
                resume = {"epoch": self.replica.epoch, "session": self.session, "seq": self.replica.sequence}
            try:
                viewer = await Viewer.connect(
                    server["port"], on_message=self.receive, query=self.query, resume=resume,
                    first=self.place)
                await asyncio.wait(
                    [viewer.closed, asyncio.ensure_future(until.wait())],
                    return_when=asyncio.FIRST_COMPLETED)
                viewer.abort()
                if viewer.has_window:
                    attempt = 0  # as in the page after ten seconds of connection
            except OSError:
                pass
            # From now on the rows count as stale.
            self.live = False
            wait = self.random.random() * min(30, 1.5 * 2**attempt)
            attempt += 1
            await asyncio.wait([asyncio.ensure_future(until.wait())], timeout=wait)


async def run(options):
    seed = random.randrange(1 << 32)
    print(f"kills: seed {seed}", flush=True)
    server = Serving(rows=10_000, rate=1_000)
    port = server.port
    place = {"port": port}
    until = asyncio.Event()
    pages = [Page(number, seed) for number in range(options.pages)]
    tasks = [asyncio.ensure_future(page.live_on(place, until)) for page in pages]
    _, nameless = await asyncio.wait([asyncio.ensure_future(page.home.wait()) for page in pages], timeout=30)
    assert not nameless, f"{len(nameless)} pages know no key after 30 s"
    times, late = [], 0
    try:
        for kill in range(options.kills):
            epochs = {page.replica.epoch for page in pages}
            server.kill()
            for page in pages:
                page.right.clear()
                page.home.clear()
            server = await asyncio.to_thread(Serving, rows=10_000, rate=1_000, port=port)
            opened = time.monotonic()

            async def back(page):
                await page.right.wait()
                times.append(time.monotonic() - opened)

            _, missing = await asyncio.wait([asyncio.ensure_future(back(page)) for page in pages], timeout=60)
            late += len(missing)
            stale = [page.number for page in pages if page.live and page.replica.epoch in epochs]
            assert not stale, f"after kill {kill + 1} the pages {stale} show old rows as live"
            assert not missing, f"after kill {kill + 1} {len(missing)} pages are not back after 60 s"
            _, astray = await asyncio.wait([asyncio.ensure_future(page.home.wait()) for page in pages], timeout=60)
            assert not astray, f"after kill {kill + 1} {len(astray)} pages have not found their rows after 60 s"
    finally:
        until.set()
        await asyncio.wait(tasks, timeout=5)
        server.stop()
    misfits = sum(page.misfits for page in pages)
    seeks, found = sum(page.seeks for page in pages), sum(page.found for page in pages)
    p95 = quantile(times, 0.95)
    print(
        f"kills: {options.kills} kills under {options.pages} pages: right again p50 "
        f"{quantile(times, 0.5):.2f} s, p95 {p95:.2f} s, {misfits} misfits, "
        f"{found} of {seeks} rows found again",
        flush=True)
    assert misfits == 0, f"{misfits} messages did not fit"
    assert found == seeks == options.kills * options.pages, f"{found} of {seeks} rows were found again"
    assert options.small or p95 <= LONGEST, f"95 % are right again only after {p95:.2f} s"
