"""Shutdown under load (F23): clients receive close code 1001, and the server exits with 0 in 3 s.

No child process may be left.
"""

import asyncio

from serving import Serving
from viewer import Viewer, quantile

LONGEST = 3.0


async def run(options):
    times = []
    for turn in range(options.shutdowns):
        server = Serving(
            rows=1_000, rate=5_000, batches=50,
            options=["--child", "steady=sh -c 'while sleep 1; do echo \"{\\\"id\\\":1}\"; done'"])
        server.wait_for_rows(1_000)
        viewers = [await Viewer.connect(server.port, light=True, interval=0) for _ in range(20)]
        await asyncio.wait([viewer.shown for viewer in viewers], timeout=60)
        status, took = await asyncio.to_thread(server.stop, patience=10)
        times.append(took)
        codes = [await asyncio.wait_for(viewer.closed, 60) for viewer in viewers]
        assert status == 0, f"turn {turn + 1}: it ended with {status}"
        assert options.small or took <= LONGEST, f"turn {turn + 1}: it took {took:.1f} s"
        assert codes == [1001] * len(codes), f"turn {turn + 1}: closed with {sorted(set(map(str, codes)))}"
    print(
        f"shutdown: {options.shutdowns} of {options.shutdowns} ended well: "
        f"p50 {quantile(times, 0.5):.2f} s, at most {max(times):.2f} s",
        flush=True)
