"""NATS JetStream, with a real nats-server."""

import json
import random
import re
import unittest

from nats.js.api import KeyValueConfig

from program import Program
from servers import Nats, certificates, free_port, operator, pause, shared, write


def encoded(**members):
    return json.dumps(members).encode()


class NatsTests(unittest.TestCase):
    def setUp(self):
        self.nats = shared(Nats)
        self.stream = self.id().rsplit(".", 1)[1]

    def own(self, *arguments, **connection):
        self.nats = Nats(*arguments, **connection)
        self.addCleanup(self.nats.stop)

    def program(self, **settings):
        program = Program(
            **{"backend": "nats", "servers": f"nats://127.0.0.1:{self.nats.port}", "stream": self.stream, **settings}
        )
        self.addCleanup(program.end)
        return program

    def add(self, **options):
        self.nats.add(self.stream, [f"{self.stream}.>"], **options)

    def publish(self, *messages, port=None):
        """Publishes (subject, payload) pairs below the stream's name."""
        self.nats.publish([(f"{self.stream}.{subject}", payload) for subject, payload in messages], port)

    def key(self, subject):
        return f"{self.stream}.{subject}"

    def test_latest_mode_keeps_last_message_per_subject(self):
        self.add()
        self.publish(*((f"s{number % 10}", encoded(price=number, at={"place": f"p{number}"})) for number in range(100)))
        program = self.program(mode="latest")
        program.until_column("price", {self.key(f"s{number}"): 90 + number for number in range(10)})
        self.assertEqual(program.column("at.place")[self.key("s3")], "p93")
        self.publish(("s3", encoded(price=1_000)), ("s4", b""), ("new", encoded(price=-1.5)))
        wanted = {self.key(f"s{number}"): 90 + number for number in range(10) if number != 4}
        program.until_column("price", {**wanted, self.key("s3"): 1_000, self.key("new"): -1.5})
        self.assertEqual(program.reloads, 1)

    def test_latest_mode_uses_json_member_as_key(self):
        self.add()
        self.publish(
            *(("orders", encoded(order={"id": number % 5}, state=f"v{number}", op="u")) for number in range(23))
        )
        program = self.program(mode="latest", key="order.id", delete="op=d")
        program.until_column("state", {0: "v20", 1: "v21", 2: "v22", 3: "v18", 4: "v19"})
        self.assertEqual(program.schema["key"], "integer")
        self.publish(("orders", encoded(order={"id": 1}, op="d")), ("orders", encoded(order={"id": 7}, state="new")))
        program.until_column("state", {0: "v20", 2: "v22", 3: "v18", 4: "v19", 7: "new"})

    def test_key_value_bucket_shows_current_values(self):
        async def fill(js, _):
            bucket = await js.create_key_value(KeyValueConfig(bucket=self.stream, history=3))
            for name in ("a", "b", "c"):
                for number in range(4):
                    await bucket.put(name, encoded(number=number))
            await bucket.delete("b")

        self.nats.do(fill)
        program = self.program(stream=f"KV_{self.stream}", mode="latest")
        program.until_column("number", {f"$KV.{self.stream}.{name}": 3 for name in ("a", "c")})

        async def change(js, _):
            bucket = await js.key_value(self.stream)
            await bucket.purge("a")
            await bucket.put("b", encoded(number=9))

        self.nats.do(change)
        program.until_column("number", {f"$KV.{self.stream}.c": 3, f"$KV.{self.stream}.b": 9})

    def test_table_keeps_newest_messages_of_subject(self):
        self.add()
        self.publish(*((("rare" if number % 50 == 0 else "often"), encoded(number=number)) for number in range(2_000)))
        program = self.program(rows=7, subject=self.key("rare"))
        program.until_column("number", {number + 1: number for number in range(1_650, 2_000, 50)})
        self.publish(*(("rare", encoded(number=number)) for number in range(3)))
        program.until_column(
            "number",
            {1_851: 1_850, 1_901: 1_900, 1_951: 1_950, **{2_001 + number: number for number in range(3)}, 1_801: 1_800},
        )

    def test_invalid_messages_are_rejected_and_others_shown(self):
        self.add()
        self.publish(
            ("good", encoded(id=1, price=1)),
            ("broken", b'{"id":2,'),
            ("binary", b"\xff\xfe"),
            ("constant", b'{"id":3,"price":NaN}'),
            ("deep", b"[" * 4_000),
            ("keyless", encoded(price=4)),
            ("large", encoded(id=5, text="x" * 5_000)),
            ("list", encoded(id=[1])),
            ("late", encoded(id=6, price=6)),
        )
        program = self.program(mode="latest", key="id", max_message=4_096, columns="id:integer,price:number")
        program.until_column("price", {1: 1, 6: 6})
        program.until_state("0 messages behind; 7 rejected")
        for subject, sequence in (("broken", 2), ("keyless", 6), ("large", 7)):
            self.assertTrue(
                any(f"{self.key(subject)} sequence {sequence}:" in text for text in program.log), program.log
            )
        self.assertEqual(sum(reject.get("count", 1) for reject in program.rejects), 7)
        self.publish(("broken", b"{"), ("good", encoded(id=1, price="no number")), ("good", encoded(id=7, price=7)))
        program.until_column("price", {1: None, 6: 6, 7: 7})
        program.until_state("8 rejected")
        self.assertTrue(
            any(f"{self.key('broken')} sequence 10: it is not JSON" in reject["reason"] for reject in program.rejects)
        )
        self.assertTrue(any("“price” does not fit" in text for text in program.log))

    def test_invalid_message_keeps_row_of_its_subject(self):
        self.add()
        self.publish(("a", encoded(price=1)), ("b", encoded(price=2)))
        program = self.program(mode="latest")
        program.until_column("price", {self.key("a"): 1, self.key("b"): 2})
        self.publish(("a", b"{"), ("b", encoded(price=3)))
        program.until_column("price", {self.key("a"): 1, self.key("b"): 3})
        program.until(lambda: program.rejects)
        self.assertEqual(program.rejects[-1]["key"], self.key("a"))

    def test_reading_resumes_without_reload_after_server_kill(self):
        self.own()
        self.add()
        self.publish(*((f"s{number % 7}", encoded(number=number)) for number in range(500)))
        program = self.program(mode="latest")
        program.until_column("number", {self.key(f"s{number % 7}"): number for number in range(493, 500)})
        for first in (500, 600):
            since = len(program.states)
            self.nats.kill()
            program.until_state("NATS JetStream", state="stale", since=since)
            other = free_port()
            self.nats.start(other)
            self.publish(
                *((f"s{number % 7}", encoded(number=number)) for number in range(first, first + 100)), port=other
            )
            self.nats.stop()
            self.nats.start()
            program.until_column(
                "number", {self.key(f"s{number % 7}"): number for number in range(first + 93, first + 100)}, 40
            )
            program.until_state("0 messages behind", state="live", since=since + 1)
        # It went on where it was.
        self.assertEqual(program.reloads, 1)

    def test_restarted_source_has_the_same_columns(self):
        self.add()
        self.publish(*(("a", encoded(id=number, price=number)) for number in range(10)))
        program = self.program(rows=5)
        program.until_column("price", {number + 1: number for number in range(5, 10)})
        schema = program.schema
        program.process.kill()
        program.process.wait()
        self.publish(*(("a", encoded(id=number, colour="red")) for number in range(10, 15)))
        again = self.program(rows=5)
        again.until(lambda: again.reloads)
        self.assertEqual(again.schema, schema)
        self.assertEqual(set(again.column("@other").values()), {'{"colour":"red"}'})

    def purge(self, sequence, port=None):
        self.nats.do(lambda js, _: js.purge_stream(self.stream, seq=sequence), port)

    def test_messages_trimmed_during_stop_are_reported_as_missed(self):
        self.trimmed_while_it_was_stopped("missed")

    def test_missed_count_of_filtered_subject_is_upper_bound(self):
        self.trimmed_while_it_was_stopped("missed; up to", subject=self.key("a"))

    def trimmed_while_it_was_stopped(self, *texts, **settings):
        self.add()
        self.publish(*(("a", encoded(id=number)) for number in range(10)))
        program = self.program(rows=1_000, **settings)
        program.until_column("id", {number + 1: number for number in range(10)})
        program.stop()
        # The requested batch of 1,000 is on its way; the rest stays at the server.
        self.publish(*(("a", encoded(id=number)) for number in range(10, 5_010)))
        self.purge(4_001)
        program.go_on()
        program.until_state(*texts, "left the stream before they were read")
        program.until(lambda: 5_010 in program.rows)
        lost = sum(reject.get("count", 0) for reject in program.rejects)
        self.assertGreater(lost, 1_000)
        wanted = {number + 1: number for number in range(4_010, 5_010)}
        self.assertEqual({key: value for key, value in program.column("id").items() if key > 4_010}, wanted)

    def test_stream_trimmed_during_outage_is_read_again(self):
        self.own()
        self.add()
        self.publish(*(("a", encoded(id=number, v=1)) for number in range(10)))
        program = self.program(mode="latest", key="id")
        program.until_column("v", {number: 1 for number in range(10)})
        self.nats.kill()
        program.until_state("trying again", state="stale")
        other = free_port()
        self.nats.start(other)
        self.publish(*(("a", encoded(id=number, v=2)) for number in range(5, 15)), port=other)
        self.purge(16, other)
        self.nats.stop()
        self.nats.start()
        program.until_state(
            "5 missed; 5 messages left the stream before they were read (sequences 11 to 15)", patience=120
        )
        # What the stream still has is read again.
        program.until_column("v", {number: 2 for number in range(10, 15)}, 60)
        self.assertEqual(program.rejects[0]["count"], 5)

    def test_recreated_stream_replaces_all_rows(self):
        self.add()
        self.publish(*((f"s{number}", encoded(v=1)) for number in range(10)))
        program = self.program(mode="latest")
        program.until_column("v", {self.key(f"s{number}"): 1 for number in range(10)})

        async def replace(js, _):
            await js.delete_stream(self.stream)
            await js.add_stream(name=self.stream, subjects=[f"{self.stream}.>"])

        self.nats.do(replace)
        self.publish(*((f"t{number}", encoded(v=2)) for number in range(20)))
        program.until_column("v", {self.key(f"t{number}"): 2 for number in range(20)})
        program.until_state("was created again")

    def test_missing_stream_is_reported_and_read_once_created(self):
        program = self.program()
        program.until_state(f"the stream “{self.stream}” does not exist", state="stale")
        self.add()
        program.until_state("no message yet")
        program.send(type="health", id=5)
        program.until(lambda: program.health == 5)
        self.publish(("a", encoded(v=1)))
        program.until_column("v", {1: 1})

    def test_blocked_output_bounds_memory_and_lag_is_reported(self):
        self.add(max_bytes=200_000_000)
        self.publish(("a", encoded(id=0)))
        program = self.program(rows=1_000, columns="id:integer,text")
        program.until_column("id", {1: 0})
        program.may_read.clear()
        self.publish(*(("a", encoded(id=number, text="x" * 2_000)) for number in range(1, 40_000)))
        # It is blocked by its full pipe and keeps little in memory.
        end = 0
        for _ in range(20):
            end = self.resident(program)
            pause(0.05)
        self.assertLess(end, 150_000_000)
        program.may_read.set()
        # A slow machine also reports a smaller lag, before the pipe is full.
        behind = re.compile(r": ([0-9,]+) messages? behind")

        def has_great_lag():
            found = [behind.search(text) for _, text in program.states]
            return any(match and int(match[1].replace(",", "")) > 10_000 for match in found)

        program.until(has_great_lag)
        program.until_column("id", {number + 1: number for number in range(39_000, 40_000)}, 120)
        program.until(lambda: program.states[-1][1].endswith(": 0 messages behind"))

    @staticmethod
    def resident(program):
        with open(f"/proc/{program.process.pid}/statm") as file:
            return int(file.read().split()[1]) * 4_096

    def test_work_queue_stream_is_refused(self):
        self.add(retention="workqueue")
        self.publish(("a", encoded(v=1)))
        program = self.program()
        program.until_state("is only readable by changing it", state="stale")

    def test_user_and_password_authenticate_and_stay_secret(self):
        self.own('authorization { user: reader, password: "right-one" }\n', user="reader", password="right-one")
        self.add()
        self.publish(("a", encoded(v=1)))
        wrong = self.program(user="reader", password_file=write("wrong", "wrong-one\n"))
        wrong.until_state("Authorization Violation", state="stale")
        right = self.program(user="reader", password_file=write("right", "right-one\n", 0o644))
        right.until_column("v", {1: 1})
        self.assertIn("other users can read the file", right.output)
        variable = Program(
            backend="nats",
            servers=f"127.0.0.1:{self.nats.port}",
            stream=self.stream,
            environment={"ROWCAST_STREAM_USER": "reader", "ROWCAST_STREAM_PASSWORD": "right-one"},
        )
        self.addCleanup(variable.end)
        variable.until_column("v", {1: 1})
        for program in (wrong, right, variable):
            self.assertNotIn("-one", program.output)

    def test_nkey_authenticates_and_stays_secret(self):
        import nkeys

        seed = nkeys.encode_seed(bytes(random.Random(1).randrange(256) for _ in range(32)), nkeys.PREFIX_BYTE_USER)
        public = nkeys.from_seed(bytearray(seed)).public_key.decode()
        file = write("seed", seed.decode())
        self.own(f"authorization {{ users: [ {{ nkey: {public} }} ] }}\n", nkeys_seed=file)
        self.add()
        self.publish(("a", encoded(v=1)))
        program = self.program(nkey=file)
        program.until_column("v", {1: 1})
        self.assertNotIn(seed.decode(), program.output)

    def test_credentials_file_authenticates_and_stays_secret(self):
        lines, file, seed = operator()
        self.own(lines, user_credentials=file)
        self.add()
        self.publish(("a", encoded(v=1)))
        program = self.program(credentials=file)
        program.until_column("v", {1: 1})
        without = self.program()
        without.until_state("Authorization Violation", state="stale")
        for one in (program, without):
            self.assertNotIn(seed, one.output)

    def test_client_certificate_authenticates(self):
        ca, certificate, key = certificates()
        import ssl

        context = ssl.create_default_context(cafile=ca)
        context.load_cert_chain(certificate, key)
        self.own(
            f'tls {{ cert_file: "{certificate}", key_file: "{key}", ca_file: "{ca}", verify: '
            f'true }}\n',
            tls=context)
        self.add()
        self.publish(("a", encoded(v=1)))
        servers = f"localhost:{self.nats.port}"
        self.program(servers=servers, ca=ca, certificate=certificate, private_key=key).until_column("v", {1: 1})
        self.program(servers=servers, ca=ca).until_state("trying again", state="stale")

    def test_server_without_tls_is_refused_if_tls_is_required(self):
        self.add()
        for settings in ({"servers": f"tls://localhost:{self.nats.port}"}, {"tls": True}):
            program = self.program(user="reader", password_file=write("plain", "secret-one\n"), **settings)
            program.until_state("the server offers no TLS", state="stale")

    def test_tls_requires_trusted_certificate(self):
        ca, certificate, key = certificates()
        import ssl

        self.own(
            f'tls {{ cert_file: "{certificate}", key_file: "{key}" }}\n', tls=ssl.create_default_context(cafile=ca)
        )
        self.add()
        self.publish(("a", encoded(v=1)))
        self.program(servers=f"tls://localhost:{self.nats.port}", ca=ca).until_column("v", {1: 1})
        self.program(servers=f"tls://localhost:{self.nats.port}").until_state("certificate", state="stale")


if __name__ == "__main__":
    unittest.main()
