"""Clients that disappear in the middle of a patch (F10): nothing may leak.

Connections are reset after each byte of a patch of about 4 KiB.
"""

import socket
import struct
import time

from serving import Serving
from viewer import frame


def opened(port):
    """Returns a connection that has sent its upgrade, hello and open, and awaits its first window.
    """
    peer = socket.create_connection(("127.0.0.1", port), timeout=10)
    peer.sendall(
        (
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: rowcast.v1\r\n"
            "\r\n"
        ).encode()
        + frame(1, b'{"type":"hello","version":1,"client":"reset"}')
        + frame(
            1,
            b'{"type":"open","table":"quotes","request":1,'
            b'"viewport":{"first":0,"count":30,"ahead":0,"behind":0}}')
    )
    return peer


def read(peer, count):
    data = b""
    while len(data) < count:
        piece = peer.recv(count - len(data))
        if not piece:
            break
        data += piece
    return data


def reset(peer):
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def reset_after(count, port):
    """Resets a connection after `count` bytes.

    Returns False if the server rejected it because of its rate limit.
    """
    try:
        peer = opened(port)
        came = len(read(peer, count))
        reset(peer)
        return came == count
    except ConnectionError:
        return False


async def run(options):
    with Serving(rows=1_000, rate=0) as server:
        server.wait_for_rows(1_000)
        peer = opened(server.port)
        data = b""
        while b'"type":"window"' not in data or not data.endswith(b"}"):
            data += peer.recv(65_536)
        peer.close()
        length = len(data)
        window = length - data.find(b'{"type":"window"')
        server.wait_for_no_sessions()
        files, resident = server.files, None
        began = time.monotonic()
        cycles = 0
        while cycles < options.resets:
            for count in range(1, length + 1, options.step):
                latest = time.monotonic() + 10
                while not reset_after(count, server.port):
                    assert time.monotonic() < latest, "the server accepts no connection for 10 s"
                cycles += 1
            server.wait_for_no_sessions()
            # The memory for clients that may reconnect is bounded, and the allocator has settled by
            # now.
            if resident is None and cycles >= options.resets // 2:
                resident, first = server.resident, cycles
        slope = (server.resident - resident) / max(1, cycles - first)
        server.wait_for_files(files)
        print(
            f"reset: {cycles} resets at each byte of {length} ({window} of the window), "
            f"{cycles / (time.monotonic() - began):.0f} a second; {slope:.1f} bytes a cycle",
            flush=True,
        )
        # With few resets the slope is meaningless.
        assert options.small or slope < 1, f"{slope:.1f} bytes a cycle are left behind"
        assert opened(server.port).recv(12) == b"HTTP/1.1 101", "the server does not go on"
