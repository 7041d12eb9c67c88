"""Networks that are cut, and histories that are hard to read."""

import json
import unittest

from program import Program
from servers import Nats, Proxy, Redis, shared


def encoded(**members):
    return json.dumps(members).encode()


class FaultTests(unittest.TestCase):
    def setUp(self):
        self.stream = self.id().rsplit(".", 1)[1]

    def program(self, **settings):
        program = Program(**{"stream": self.stream, **settings})
        self.addCleanup(program.end)
        return program

    def test_reading_resumes_without_reload_after_network_cut(self):
        nats, redis = shared(Nats), shared(Redis)
        nats.add(self.stream, [f"{self.stream}.>"])
        proxies = Proxy(nats.port), Proxy(redis.port)
        for proxy in proxies:
            self.addCleanup(proxy.stop)

        def write(number):
            nats.publish([(f"{self.stream}.a", encoded(v=number))])
            redis.client.xadd(self.stream, {"id": "1", "v": number})

        write(1)
        programs = [
            self.program(backend="nats", servers=f"127.0.0.1:{proxies[0].port}", rows=100),
            self.program(backend="redis", servers=f"redis://127.0.0.1:{proxies[1].port}", rows=100),
        ]
        for program in programs:
            program.until(lambda: len(program.rows) == 1)
        for proxy in proxies:
            proxy.cut()
        for program in programs:
            program.until_state("trying again", state="stale")
        for number in range(2, 50):
            write(number)
        for proxy in proxies:
            proxy.heal()
        for program in programs:
            program.until(lambda: [row["v"] for row in program.rows.values()] == list(range(1, 50)), 30)
            program.until(lambda: program.states[-1][0] == "live" and "0 messages behind" in program.states[-1][1])
            self.assertEqual(program.reloads, 1)
            self.assertEqual(program.rejects, [])

    def test_filtered_subject_of_short_stream_reports_no_gap(self):
        nats = shared(Nats)
        nats.add(self.stream, [f"{self.stream}.>"], max_msgs=20)
        program = self.program(
            backend="nats", servers=f"127.0.0.1:{nats.port}", subject=f"{self.stream}.rare", columns="v:integer", rows=9
        )
        program.until_state("0 messages behind")
        for number in range(6):
            nats.publish(
                [(f"{self.stream}.rare", encoded(v=number))]
                + [(f"{self.stream}.often", b"{}") for _ in range(19)]
            )
            program.until(lambda: number in program.column("v").values())
        since = len(program.states)
        program.until_state("0 messages behind", since=since - 1)
        self.assertNotIn("missed", program.states[-1][1])
        self.assertEqual(program.rejects, [])

    def test_history_is_read_to_its_end_if_last_messages_are_invalid(self):
        nats = shared(Nats)
        nats.add(self.stream, [f"{self.stream}.>"])
        nats.publish(
            [(f"{self.stream}.rare", encoded(v=7)), (f"{self.stream}.a", encoded(v=-1))]
            + [(f"{self.stream}.a", encoded(v=number)) for number in range(20_000)]
            + [(f"{self.stream}.a", b"{"), (f"{self.stream}.rare", b"{")]
        )
        program = self.program(backend="nats", servers=f"127.0.0.1:{nats.port}", mode="latest", columns="v:integer")
        program.until_column("v", {f"{self.stream}.a": 19_999, f"{self.stream}.rare": 7})
        program.until_state("2 rejected")


if __name__ == "__main__":
    unittest.main()
