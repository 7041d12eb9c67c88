"""Kafka, with librdkafka's mock cluster."""

import json
import unittest

from program import Program
from servers import Kafka, shared, write


def encoded(**members):
    return json.dumps(members).encode()


class KafkaTests(unittest.TestCase):
    def setUp(self):
        self.kafka = shared(Kafka)
        self.topic = self.id().rsplit(".", 1)[1]

    def program(self, **settings):
        program = Program(**{"backend": "kafka", "servers": self.kafka.servers, "stream": self.topic, **settings})
        self.addCleanup(program.end)
        return program

    def test_latest_mode_keeps_last_value_and_applies_tombstones(self):
        self.kafka.create(self.topic, 4)
        self.kafka.publish(
            self.topic, [(f"k{number % 20}", encoded(v=number, a={"b": "x"})) for number in range(1_000)]
        )
        self.kafka.publish(self.topic, [("k3", None), ("k4", b"")])
        program = self.program(mode="latest")
        wanted = {f"k{number % 20}": number for number in range(980, 1_000) if number % 20 not in (3, 4)}
        program.until_column("v", wanted)
        self.kafka.publish(
            self.topic, [("k5", None), ("k6", encoded(v=-1)), ("new", encoded(v=1)), (None, encoded(v=2))]
        )
        del wanted["k5"]
        program.until_column("v", {**wanted, "k6": -1, "new": 1})
        program.until_state("0 messages behind; 1 rejected")
        self.assertRegex(program.rejects[0]["reason"], r"partition \d offset \d+: it has no key")
        self.assertEqual(program.reloads, 1)

    def test_table_keeps_newest_messages_of_all_partitions(self):
        self.kafka.create(self.topic, 3)
        for number in range(30):
            # Equal times have no order between partitions.
            self.kafka.producer.produce(
                self.topic, key=f"k{number}", value=encoded(v=number), timestamp=1_700_000_000_000 + number
            )
        self.kafka.producer.flush(20)
        program = self.program(rows=10)
        program.until(lambda: program.reloads and sorted(program.column("v").values()) == list(range(20, 30)))
        self.kafka.publish(self.topic, [("k", encoded(v=number)) for number in range(30, 34)])
        program.until(lambda: sorted(program.column("v").values()) == list(range(24, 34)))

    def test_invalid_messages_are_rejected_and_others_shown(self):
        self.kafka.create(self.topic)
        self.kafka.publish(
            self.topic,
            [("a", encoded(v=1)), ("b", b"{"), ("c", b"\xff"), ("d", encoded(text="x" * 5_000)), ("e", encoded(v=2))],
        )
        program = self.program(mode="latest", max_message=4_096)
        program.until_column("v", {"a": 1, "e": 2})
        program.until_state("3 rejected")
        self.assertEqual([reject["key"] for reject in program.rejects], ["b", "c", "d"])
        self.assertIn("b partition 0 offset 1: it is not JSON", program.rejects[0]["reason"])

    def test_reading_resumes_without_reload_after_broker_outage(self):
        self.kafka = Kafka()
        self.kafka.create(self.topic, 2)
        self.kafka.publish(self.topic, [(f"k{number}", encoded(v=number)) for number in range(10)])
        program = self.program(mode="latest")
        wanted = {f"k{number}": number for number in range(10)}
        program.until_column("v", wanted)
        since = len(program.states)
        self.kafka.down()
        program.until_state("trying again", state="stale", since=since)
        self.kafka.up()
        self.kafka.publish(self.topic, [("k3", encoded(v=33)), ("k4", None)])
        del wanted["k4"]
        program.until_column("v", {**wanted, "k3": 33}, 40)
        program.until_state("0 messages behind", state="live", since=since + 1)
        self.assertEqual(program.reloads, 1)

    def test_restarted_source_has_current_rows_and_same_schema(self):
        self.kafka.create(self.topic)
        self.kafka.publish(self.topic, [(f"k{number}", encoded(v=number)) for number in range(10)])
        program = self.program(mode="latest")
        program.until(lambda: program.reloads)
        program.process.kill()
        program.process.wait()
        self.kafka.publish(self.topic, [("k1", None), ("k2", encoded(w=1))])
        again = self.program(mode="latest")
        again.until_column("v", {f"k{number}": number if number != 2 else None for number in range(10) if number != 1})
        self.assertEqual(again.schema, program.schema)

    def test_messages_trimmed_during_stop_are_reported_as_missed(self):
        self.kafka.create(self.topic)
        self.kafka.publish(self.topic, [(f"k{number}", encoded(v=1)) for number in range(10)])
        program = self.program(mode="latest")
        program.until(lambda: len(program.rows) == 10)
        program.stop()
        # A partition of the mock cluster keeps 5 MiB; requests on their way bring some of it.
        self.kafka.publish(self.topic, [(f"n{number}", encoded(v=2, text="x" * 20_000)) for number in range(2_000)])
        program.go_on()
        program.until_state("missed", "messages left partition 0 before they were read (offsets")
        program.until(lambda: program.reloads == 2 and "n1999" in program.rows)
        self.assertNotIn("k0", program.rows)
        self.assertGreater(program.rejects[0]["count"], 1_000)

    def test_missing_topic_is_reported_and_read_once_available(self):
        self.kafka.create(self.topic)
        self.kafka.set_error(self.topic, 3)
        program = self.program()
        program.until_state(f"the topic “{self.topic}” does not exist", state="stale")
        self.kafka.set_error(self.topic, 0)
        self.kafka.publish(self.topic, [("a", encoded(v=1))])
        program.until_column("v", {"0:0": 1})

    def test_config_file_sets_options_and_names_invalid_ones(self):
        self.kafka.create(self.topic)
        self.kafka.publish(self.topic, [("a", encoded(v=1))])
        good = write("good.properties", "# comment\nfetch.wait.max.ms = 20\nclient.id=rowcast-test\n")
        self.program(config=good).until_column("v", {"0:0": 1})
        bad = self.program(config=write("bad.properties", "no.such.option=1\n"))
        bad.until(lambda: bad.refusal)
        self.assertEqual(bad.refusal["setting"], "config")
        self.assertIn("no.such.option", bad.refusal["reason"])
        broken = self.program(config=write("broken.properties", "\nfetch.wait.max.ms\n"))
        broken.until(lambda: broken.refusal)
        self.assertIn("line 2 of", broken.refusal["reason"])

    def test_sasl_password_is_not_shown(self):
        self.kafka.create(self.topic)
        file = write(
            "sasl.properties",
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.username=reader\nsasl.password=secret-one\n",
        )
        program = self.program(config=file)
        program.until(lambda: program.states and program.states[-1][0] == "stale")
        self.assertNotIn("secret-one", program.output)


if __name__ == "__main__":
    unittest.main()
