"""The plugin under `rowcast plugin check`."""

import json
import os
import shlex
import subprocess
import unittest

from program import PLUGIN, ROOT
from servers import Kafka, Nats, Redis, shared

COMMAND = shlex.split(os.environ.get("ROWCAST", str(ROOT / ".build/release/rowcast")))


def encoded(**members):
    return json.dumps(members).encode()


class ExamTests(unittest.TestCase):
    def setUp(self):
        self.stream = self.id().rsplit(".", 1)[1]

    def check(self, **settings):
        words = [*COMMAND, "plugin", "check", "--patience", "60"]
        for name, value in {"stream": self.stream, **settings}.items():
            words += ["--set", f"{name}={value}"]
        found = subprocess.run([*words, str(PLUGIN)], capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stdout[-4_000:] + found.stderr)

    def nats_with_messages(self):
        server = shared(Nats)
        server.add(self.stream, [f"{self.stream}.>"])
        server.publish(
            [
                (f"{self.stream}.s{number % 700}", encoded(id=number, name="name", at="2026-11-23T10:00:00.123456Z"))
                for number in range(3_000)
            ]
        )
        return f"127.0.0.1:{server.port}"

    def test_exam_passes_for_latest_nats(self):
        self.check(backend="nats", servers=self.nats_with_messages(), mode="latest")

    def test_exam_passes_for_latest_redis(self):
        server = shared(Redis)
        for number in range(500):
            server.client.xadd(self.stream, {"id": number % 50, "v": f"{number}.5", "text": "x" * 200})
        self.check(backend="redis", servers=f"redis://127.0.0.1:{server.port}", mode="latest", key="id")

    def test_exam_passes_for_latest_kafka(self):
        server = shared(Kafka)
        server.create(self.stream, 2)
        server.publish(self.stream, [(f"k{number % 50}", encoded(v=number)) for number in range(500)])
        self.check(backend="kafka", servers=server.servers, mode="latest")


class NewestExamTests(ExamTests):
    """The tables of the newest messages, apart so that both halves run at the same time."""

    test_exam_passes_for_latest_nats = test_exam_passes_for_latest_redis = test_exam_passes_for_latest_kafka = None

    def test_exam_passes_for_newest_nats(self):
        self.check(backend="nats", servers=self.nats_with_messages(), rows=2_000, meta="time,key,sequence")


if __name__ == "__main__":
    unittest.main()
