"""Random messages, restarts of the source and of its connection, compared with a dictionary."""

import json
import os
import random
import unittest

from program import Program
from servers import Kafka, Nats, Redis, shared

SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 32)))


class ModelTests(unittest.TestCase):
    def setUp(self):
        self.random = random.Random(SEED)
        self.stream = self.id().rsplit(".", 1)[1]
        self.prefix = ""  # of keys

    def batch(self, model, numbers):
        """Random (key, value) pairs for the model: None for a deletion, bytes for poison."""
        found = []
        for _ in range(self.random.choice((1, 5, 50, 2_000))):
            key = f"k{self.random.randrange(100)}"
            kind = self.random.random()
            if kind < 0.1:
                value = None
                model.pop(key, None)
            elif kind < 0.15:
                value = b"{broken"
            else:
                value = model[key] = next(numbers)
            found.append((key, value))
        return found

    def follow(self, publish, **settings):
        model, numbers = {}, iter(range(10**9))
        publish(self.batch(model, numbers))
        settings = {"stream": self.stream, "mode": "latest", "columns": "v:number", **settings}
        program = Program(**settings)
        try:
            for _ in range(12):
                publish(self.batch(model, numbers))
                if self.random.random() < 0.25:
                    program.process.kill()
                    program.process.wait()
                    program.end()
                    program = Program(**settings)
                elif self.random.random() < 0.5:
                    self.compare(program, model)
            self.compare(program, model)
        finally:
            program.end()

    def compare(self, program, model):
        try:
            program.until_column("v", {self.prefix + key: value for key, value in model.items()}, 30)
        except AssertionError as error:
            raise AssertionError(f"SEED={SEED}: {error}") from None

    def payload(self, value):
        return value if isinstance(value, bytes) else json.dumps({"v": value}).encode()

    def test_nats_rows_match_model_across_source_restarts(self):
        server = shared(Nats)
        server.add(self.stream, [f"{self.stream}.>"])

        def publish(batch):
            server.publish(
                [(f"{self.stream}.{key}", b"" if value is None else self.payload(value)) for key, value in batch]
            )

        self.prefix = f"{self.stream}."
        self.follow(publish, backend="nats", servers=f"127.0.0.1:{server.port}")

    def test_redis_rows_match_model_across_source_restarts(self):
        server = shared(Redis)

        def publish(batch):
            with server.client.pipeline() as pipeline:
                for key, value in batch:
                    # Poison has no key here.
                    fields = (
                        {"bad": "1"}
                        if isinstance(value, bytes)
                        else {"id": key, **({} if value is None else {"v": value})}
                    )
                    pipeline.xadd(self.stream, fields)
                pipeline.execute()

        self.follow(
            publish, backend="redis", servers=f"redis://127.0.0.1:{server.port}", key="id", columns="id:text,v:number"
        )

    def test_kafka_rows_match_model_across_source_restarts(self):
        server = shared(Kafka)
        server.create(self.stream, 3)

        def publish(batch):
            server.publish(self.stream, [(key, None if value is None else self.payload(value)) for key, value in batch])

        self.follow(publish, backend="kafka", servers=server.servers)


if __name__ == "__main__":
    unittest.main()
