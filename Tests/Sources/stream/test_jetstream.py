"""The reader of NATS JetStream without its program, against a real nats-server."""

import sys
import time
import unittest

from program import PLUGIN
from servers import Nats, pause, shared

sys.path.append(str(PLUGIN.parent))

import jetstream  # noqa: E402
from options import Options  # noqa: E402

PATIENCE = 120


class JetStreamTests(unittest.TestCase):
    def setUp(self):
        self.nats = shared(Nats)
        self.stream = self.id().rsplit(".", 1)[1]
        self.nats.add(self.stream, [f"{self.stream}.>"])
        self.addCleanup(setattr, jetstream, "EXPIRY", jetstream.EXPIRY)
        jetstream.EXPIRY = 3

    def publish(self, count):
        self.nats.publish([(f"{self.stream}.a", b"{}")] * count)

    def until(self, holds, step):
        end = time.monotonic() + PATIENCE
        while not holds():
            self.assertLess(time.monotonic(), end, "the condition does not become true")
            step()

    def receive(self, reader):
        """Receives what the server has sent so far, without reading it."""
        reader.run(reader.connection.flush())
        pause(0.05)

    def test_messages_lost_after_an_expired_request_are_reported(self):
        self.publish(3)
        server = f"nats://127.0.0.1:{self.nats.port}"
        options = Options(
            {"backend": "nats", "servers": server, "stream": self.stream, "subject": f"{self.stream}.a"}, {}
        )
        reader = jetstream.JetStream(options, None)
        self.addCleanup(reader.close)
        reader.connect()
        reader.begin(None)
        self.until(lambda: reader.position == 3, lambda: reader.read(0.1))
        # Two messages answer the request, which then expires before they are read.
        reader.read(0)
        self.publish(2)
        self.until(lambda: len(reader.arrived) == 2 and reader.outstanding == 0, lambda: self.receive(reader))
        self.publish(5)
        self.nats.do(lambda js, _: js.purge_stream(self.stream, seq=9))
        self.until(lambda: reader.position == 10, lambda: reader.read(0.1))
        self.assertEqual(reader.jumps, [(6, 9)])
        _, gaps = reader.status()
        self.assertEqual([gap.count for gap in gaps], [3])


if __name__ == "__main__":
    unittest.main()
