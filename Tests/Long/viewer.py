"""A client on asyncio with one WebSocket, cheap enough for ten thousand in one process."""

import asyncio
import json
import os
import socket
import struct


def frame(opcode, payload):
    """Returns one masked frame."""
    length = len(payload)
    head = bytes([0x80 | opcode])
    head += bytes([0x80 | length]) if length < 126 else bytes([0x80 | 126]) + struct.pack(">H", length)
    mask = os.urandom(4)
    long_mask = (mask * (length // 4 + 1))[:length]
    return head + mask + (int.from_bytes(payload, "big") ^ int.from_bytes(long_mask, "big")).to_bytes(length, "big")


class Viewer(asyncio.Protocol):
    """Opens `quotes` and holds its window.

    `on_message(viewer, message)` is called for windows, patches and hellos in order of arrival.
    With `light` messages are acknowledged, but only their type is parsed.
    """

    # The size of the socket's receive buffer in bytes, or None for the system's default.
    receive_buffer = None
    hello_message = {"type": "hello", "version": 1, "client": "viewer"}

    def __init__(
            self, on_message=None, light=False, query=None, count=60, interval=None, resume=None,
            acknowledges=True, first=0):
        self.on_message = on_message
        self.light = light
        self.open_message = {"type": "open", "table": "quotes", "request": 1, "query": query or {}}
        self.open_message["viewport"] = {"first": first, "count": count, "ahead": 0, "behind": 0}
        if first == 0:
            self.open_message["viewport"]["stick"] = "top"
        if interval is not None:
            self.open_message["interval"] = interval
        if resume is not None:
            self.open_message["resume"] = resume
        self.acknowledges = acknowledges
        self.buffer = bytearray()
        self.is_open = False
        self.has_window = False
        self.sequence = 0
        self.code = None
        self.closed = asyncio.get_running_loop().create_future()
        self.shown = asyncio.get_running_loop().create_future()

    @classmethod
    async def connect(cls, port, **options):
        # The request is sent with the connection, as from a separate machine. Otherwise it would
        # wait for the event loop, which serves thousands of clients.
        peer = socket.socket()
        peer.settimeout(5)
        # As browsers do; asyncio sets it for its own sockets only. Otherwise a query waits 40 ms
        # behind an acknowledgement.
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if cls.receive_buffer is not None:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, cls.receive_buffer)
        peer.connect(("127.0.0.1", port))
        peer.sendall(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Protocol: rowcast.v1\r\n\r\n".encode()
        )
        peer.setblocking(False)
        _, viewer = await asyncio.get_running_loop().create_connection(lambda: cls(**options), sock=peer)
        return viewer

    # Called by asyncio

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.buffer += data
        if not self.is_open:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if not self.buffer.startswith(b"HTTP/1.1 101"):
                self.transport.abort()
                return
            del self.buffer[: end + 4]
            self.is_open = True
            self.send(self.hello_message)
        while True:
            size = self._size()
            if size is None:
                return
            head, length = size
            payload = bytes(self.buffer[head : head + length])
            opcode = self.buffer[0] & 0xF
            del self.buffer[: head + length]
            self._receive(opcode, payload)

    def _size(self):
        buffer = self.buffer
        if len(buffer) < 2:
            return None
        length, head = buffer[1] & 0x7F, 2
        if length == 126:
            if len(buffer) < 4:
                return None
            length, head = struct.unpack_from(">H", buffer, 2)[0], 4
        elif length == 127:
            if len(buffer) < 10:
                return None
            length, head = struct.unpack_from(">Q", buffer, 2)[0], 10
        return (head, length) if len(buffer) >= head + length else None

    def connection_lost(self, error):
        if not self.closed.done():
            self.closed.set_result(self.code)
        if not self.shown.done():
            self.shown.cancel()

    # Messages from the server

    def _receive(self, opcode, payload):
        if opcode == 9:
            self.transport.write(frame(10, payload))
        elif opcode == 8:
            self.code = struct.unpack_from(">H", payload)[0] if len(payload) >= 2 else 1005
            self.transport.write(frame(8, payload[:2]))
            self.transport.close()
        elif opcode == 1:
            self._read(payload)

    def _read(self, payload):
        kind = payload[9 : payload.find(b'"', 9)].decode()
        if kind == "hello":
            self.hello = json.loads(payload)
            self.send(self.open_message)
        if kind in ("window", "patch"):
            self.sequence = json.loads(payload)["seq"] if not self.light else int(_number(payload, b'"seq":'))
            self.has_window = True
            if not self.shown.done():
                self.shown.set_result(None)
        if self.on_message is not None and (not self.light or kind in ("window", "patch")):
            self.on_message(self, payload if self.light else json.loads(payload))
        if kind in ("window", "patch") and self.acknowledges:
            self.acknowledge()

    # Messages to the server

    def send(self, message):
        if not self.transport.is_closing():
            self.transport.write(frame(1, json.dumps(message, separators=(",", ":")).encode()))

    def acknowledge(self):
        self.send({"type": "ack", "seq": self.sequence})

    def abort(self):
        self.transport.abort()


def _number(payload, name):
    start = payload.find(name) + len(name)
    end = start
    while end < len(payload) and payload[end] in b"-0123456789":
        end += 1
    return payload[start:end]


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))] if values else float("nan")
