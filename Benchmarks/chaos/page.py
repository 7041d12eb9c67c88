"""A client without a browser: opens a table and acknowledges its messages.

It uses only the standard library.
"""

import base64
import json
import os
import socket
import struct


class Page:
    """A connection to one table of a server on the loopback interface."""

    def __init__(self, port, table, interval=300):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Origin: http://127.0.0.1:{port}\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: rowcast.v1\r\n\r\n".encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self._some()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise ConnectionError(head.decode(errors="replace"))
        self.send({"type": "hello", "version": 1})
        self.send({"type": "open", "table": table, "request": 1, "interval": interval})

    def _some(self):
        data = self.socket.recv(65_536)
        if not data:
            raise ConnectionError("the server has hung up")
        return data

    def _take(self, count):
        while len(self.rest) < count:
            self.rest += self._some()
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def _send(self, opcode, payload):
        length = len(payload)
        head = bytes([0x80 | opcode])
        if length < 126:
            head += bytes([0x80 | length])
        else:
            head += bytes([0x80 | 126]) + struct.pack(">H", length)
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload)))

    def send(self, message):
        self._send(1, json.dumps(message).encode())

    def message(self):
        """Returns the next message, and acknowledges windows and patches."""
        text = b""
        while True:
            first, second = self._take(2)
            length = second & 0x7F
            if length == 126:
                length = struct.unpack(">H", self._take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._take(8))[0]
            payload = self._take(length)
            opcode = first & 0xF
            if opcode == 9:
                self._send(10, payload)
            elif opcode == 8:
                raise ConnectionError(f"the server has closed: {payload!r}")
            elif opcode in (0, 1):
                text += payload
                if first & 0x80:
                    break
        message = json.loads(text)
        if message["type"] in ("window", "patch"):
            self.send({"type": "ack", "seq": message["seq"]})
        return message
