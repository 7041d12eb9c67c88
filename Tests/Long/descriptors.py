"""Exhausted file descriptors (F15): new clients fail, existing ones are served, nothing spins."""

import asyncio
import socket
import time

from serving import Serving
from slow import pause
from viewer import Viewer

LIMIT = 128
MOST_CPU = 0.02
LONGEST = 1.0


async def run(options):
    with Serving(rows=1_000, rate=10, batches=1, limit=LIMIT) as server:
        server.wait_for_rows(1_000)
        heard = []
        page = await Viewer.connect(
            server.port, on_message=lambda *_: heard.append(time.monotonic()), light=True,
            query={"sort": [{"column": "ts", "descending": True}]})
        await page.shown
        crowd = []
        for _ in range(2 * LIMIT):
            peer = socket.socket()
            peer.setblocking(False)
            peer.connect_ex(("127.0.0.1", server.port))
            crowd.append(peer)
            await pause(0.002)
        await pause(0.5)
        lines, cpu, began = len(server.log), server.cpu, time.monotonic()
        heard.clear()
        # Silent connections time out, so new ones are accepted during this time.
        await pause(4)
        busy = (server.cpu - cpu) / (time.monotonic() - began)
        logged = len(server.log) - lines
        served = len(heard)
        for peer in crowd:
            peer.close()
        freed = time.monotonic()
        again = None
        while time.monotonic() - freed < 5:
            try:
                again = await Viewer.connect(server.port, light=True)
                await asyncio.wait([again.shown, again.closed], return_when=asyncio.FIRST_COMPLETED, timeout=1)
                if again.has_window:
                    break
            except OSError:
                pass
        recovery = time.monotonic() - freed
        print(
            f"descriptors: {LIMIT} files, {len(crowd)} callers: {busy:.1%} of a core, {logged} log "
            f"lines in 4 s, {served} patches to the page that was there; "
            f"a new one {recovery:.2f} s after",
            flush=True)
        assert served >= 2, "the page that was there is not served"
        assert options.small or busy <= MOST_CPU, f"{busy:.1%} of a core"
        assert logged <= 10, f"{logged} log lines"
        assert again is not None and again.has_window and (options.small or recovery <= LONGEST), (
            f"no new client is served for {recovery:.1f} s")
