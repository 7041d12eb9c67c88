"""Endless messages (T9): frames that declare 2^62 bytes, and a million fragments.

Fragments have one byte or none; some messages are never completed. A client that exceeds a limit
must be disconnected within a second. No client may cost a MiB, even while connected. Another client
is served throughout.
"""

import asyncio
import os
import struct
import time

from serving import Serving
from slow import pause
from viewer import Viewer, frame

# The maximum memory per client, and the maximum time to disconnect it after exceeding a limit.
MOST_BYTES = 1 << 20
LONGEST = 1.0
PIECES = 1_000


def fragment(payload, opcode=0):
    """Returns a masked frame that is not the last of its message."""
    mask = os.urandom(4)
    masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
    length = bytes([0x80 | len(masked)]) if len(masked) < 126 else b"\xfe" + struct.pack(">H", len(masked))
    return bytes([opcode]) + length + mask + masked


class Endless(Viewer):
    """Sends `first` once it has received a window, and then `piece` up to a thousand times."""

    first = b""
    piece = b""
    sent = 0
    began = None

    async def attack(self):
        await self.shown
        self.transport.set_write_buffer_limits(high=65_536)
        self.began = time.monotonic()
        self.transport.write(self.first)
        while self.piece and self.sent < PIECES and not self.transport.is_closing():
            self.transport.write(self.piece)
            self.sent += 1
            while self.transport.get_write_buffer_size() > 65_536 and not self.transport.is_closing():
                await pause(0.01)
            await pause(0)

    def connection_lost(self, error):
        self.stayed = time.monotonic() - self.began if self.began else 0.0
        super().connection_lost(error)


class Declares(Endless):
    """Declares a frame of 2^62 bytes, and sends some of them."""

    first = b"\x81\xff" + struct.pack(">Q", 1 << 62) + bytes(4)
    piece = bytes(65_536)


class OneByOne(Endless):
    first = fragment(b" ", opcode=1)
    piece = fragment(b" ") * 1_000


class Empty(Endless):
    first = fragment(b"", opcode=1)
    piece = fragment(b"") * 1_000


class Waits(Endless):
    """Sends all but the last byte of the longest allowed message, which exceeds no limit."""

    first = fragment(b"{" + b" " * 32_767, opcode=1) + fragment(b" " * 32_767)


async def run(options):
    with Serving(rows=10_000, rate=1_000) as server:
        server.wait_for_rows(10_000)
        heard = []
        good = await Viewer.connect(
            server.port, light=True,
            on_message=lambda viewer, payload: heard.append(time.monotonic()), interval=100)
        await good.shown
        for kind in (Declares, OneByOne, Empty, Waits):
            others = [await kind.connect(server.port, light=True, acknowledges=False) for _ in range(options.endless)]
            await asyncio.wait([viewer.shown for viewer in others], timeout=60)
            await pause(1)
            before, heard[:] = server.resident, []
            most = 0
            attacks = asyncio.gather(*(viewer.attack() for viewer in others))
            deadline = time.monotonic() + 5
            while (
                    time.monotonic() < deadline
                    and not (attacks.done() and all(viewer.closed.done() for viewer in others))):
                most = max(most, server.resident - before)
                await pause(0.02)
            await attacks
            latest = time.monotonic() + 10
            while not heard and time.monotonic() < latest:
                await pause(0.02)
            left = [viewer for viewer in others if not viewer.closed.done()]
            stayed = max((viewer.stayed for viewer in others if viewer.closed.done()), default=0.0)
            codes = sorted({viewer.code for viewer in others if viewer.code is not None})
            each = most / len(others)
            print(
                f"fragments: {len(others)} × {kind.__name__}: {each / 1024:.0f} KiB each at most, "
                f"{len(left)} still there, the last gone after {stayed * 1e3:.0f} ms with "
                f"{' or '.join(map(str, codes)) or 'no code'}; {len(heard)} patches to the good page",
                flush=True,
            )
            assert each < MOST_BYTES, f"{kind.__name__} costs {each / 1024:.0f} KiB"
            assert set(codes) <= {1002, 1009}, f"{kind.__name__} is closed with {codes}"
            if kind is Waits:
                assert len(left) == len(others), "who breaks no bound is closed"
            else:
                assert not left, f"{len(left)} of {kind.__name__} are still there"
                assert options.small or stayed <= LONGEST, f"{kind.__name__} stayed {stayed:.1f} s"
            assert heard, f"the good page gets nothing during {kind.__name__}"
            for viewer in others:
                viewer.abort()
        good.abort()
