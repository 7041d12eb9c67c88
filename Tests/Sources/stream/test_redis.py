"""Redis Streams, with a real redis-server."""

import unittest

from program import Program
from servers import Proxy, Redis, certificates, free_port, shared, write


class RedisTests(unittest.TestCase):
    def setUp(self):
        self.redis = shared(Redis)
        self.stream = self.id().rsplit(".", 1)[1]

    def own(self, *arguments, **connection):
        self.redis = Redis(*arguments, **connection)
        self.addCleanup(self.redis.stop)

    def program(self, **settings):
        program = Program(
            **{"backend": "redis", "servers": f"redis://127.0.0.1:{self.redis.port}", "stream": self.stream, **settings}
        )
        self.addCleanup(program.end)
        return program

    def add(self, client=None, **fields):
        return (client or self.redis.client).xadd(self.stream, {name: value for name, value in fields.items()}).decode()

    def test_newest_entries_have_inferred_field_types(self):
        ids = [
            self.add(number=f"{number}.5", plain=str(number), code=f"00{number}", at="2026-11-23T10:00:00Z", on="true")
            for number in range(20)
        ]
        program = self.program(rows=6)
        program.until_column("plain", {place: 14 + number for number, place in enumerate(ids[14:])})
        self.assertEqual(
            [column["type"] for column in program.schema["columns"]],
            ["timestamp", "number", "number", "text", "timestamp", "boolean", "text"],
        )
        row = program.rows[ids[-1]]
        self.assertEqual(
            [row[name] for name in ("number", "code", "at", "on")], [19.5, "0019", 1_795_428_000_000, True]
        )
        place = self.add(plain="x", code="1.50", more="7")
        program.until(lambda: place in program.rows)
        row = program.rows[place]
        self.assertEqual([row[name] for name in ("plain", "code", "@other")], [None, "1.50", '{"more":7}'])
        self.assertEqual(len(program.rows), 6)

    def test_latest_mode_keeps_last_entry_per_key(self):
        for number in range(50):
            self.add(id=f"k{number % 5}", v=str(number))
        program = self.program(mode="latest", key="id", delete="op=del")
        program.until_column("v", {f"k{number % 5}": number for number in range(45, 50)})
        self.add(id="k1", v="100")
        self.add(id="k2")
        self.add(id="k3", v="1", op="del")
        self.add(v="nobody")
        self.add(id="new", v="-1")
        program.until_column("v", {"k0": 45, "k1": 100, "k4": 49, "new": -1})
        program.until_state("1 rejected")
        self.assertIn("it has no member “id”", program.rejects[0]["reason"])

    def test_json_payload_is_read_from_field(self):
        self.add(data='{"user":{"id":1},"v":1}')
        self.add(data='{"user":{"id":2},"v":2}')
        self.add(other="1")
        self.add(data="{")
        program = self.program(mode="latest", key="user.id", field="data")
        program.until_column("v", {1: 1, 2: 2})
        program.until_state("2 rejected")
        place = self.add(data='{"user":{"id":"text"}}')
        program.until_state("3 rejected")
        self.assertIn(place, program.rejects[-1]["reason"])

    def test_reading_resumes_without_reload_after_server_kill(self):
        self.own()
        for number in range(100):
            self.add(id=str(number % 4), v=str(number))
        program = self.program(mode="latest", key="id")
        program.until_column("v", {number % 4: number for number in range(96, 100)})
        since = len(program.states)
        self.redis.kill()
        program.until_state("trying again", state="stale", since=since)
        import redis

        other = free_port()
        self.redis.start(other)
        client = redis.Redis(port=other)
        for number in range(100, 200):
            self.add(client, id=str(number % 4), v=str(number))
        client.close()
        self.redis.stop()
        self.redis.start()
        program.until_column("v", {number % 4: number for number in range(196, 200)}, 40)
        program.until_state("0 messages behind", state="live", since=since + 1)
        self.assertEqual(program.reloads, 1)

    def test_restarted_source_has_current_rows_and_same_schema(self):
        for number in range(10):
            self.add(id=str(number), v=str(number))
        program = self.program(mode="latest", key="id")
        program.until_column("v", {number: number for number in range(10)})
        program.process.kill()
        program.process.wait()
        self.add(id="3")
        self.add(id="4", colour="red")
        again = self.program(mode="latest", key="id")
        again.until_column("v", {**{number: number for number in range(10) if number != 3}, 4: None})
        self.assertEqual(again.schema, program.schema)

    def test_entries_trimmed_during_stop_are_reported_as_missed(self):
        for number in range(10):
            self.add(id=str(number), v="1")
        program = self.program(mode="latest", key="id")
        program.until_column("v", {number: 1 for number in range(10)})
        program.stop()
        for number in range(5, 15):
            last = self.add(id=str(number), v="2")
        self.redis.client.xtrim(self.stream, maxlen=3, approximate=False)
        program.go_on()
        # A read may already have the first of them.
        program.until_state("missed", f"entries left the stream before they were read (up to {last})")
        program.until_column("v", {number: 2 for number in range(12, 15)})
        self.assertIn(program.rejects[0]["count"], (6, 7))

    def test_entries_trimmed_before_start_are_not_reported(self):
        for number in range(20):
            self.add(v=str(number))
        self.redis.client.xtrim(self.stream, maxlen=10, approximate=False)
        for settings in ({"rows": 5}, {"rows": 100}):
            program = self.program(**settings)
            program.until(lambda: len(program.rows) == min(10, settings["rows"]))
            place = self.add(v="100")
            program.until(lambda: place in program.rows)
            program.until_state("0 messages behind")
            self.assertFalse(program.rejects)
            self.redis.client.xdel(self.stream, place)

    def test_recreated_stream_replaces_all_rows(self):
        for number in range(10):
            self.add(id=str(number), v="1")
        program = self.program(mode="latest", key="id")
        program.until_column("v", {number: 1 for number in range(10)})
        self.redis.client.delete(self.stream)
        program.until_state("does not exist", state="stale")
        self.add(id="20", v="2")
        program.until_column("v", {20: 2})
        program.until_state("created again")

    def test_key_of_another_type_is_reported(self):
        self.redis.client.set(self.stream, "text")
        self.program().until_state(f"the key “{self.stream}” is not a stream", state="stale")

    def test_user_password_and_certificate_are_checked_over_tls(self):
        ca, certificate, key = certificates()
        self.own(
            f"port 0\ntls-port PORT\ntls-cert-file {certificate}\ntls-key-file {key}\n"
            f"tls-ca-cert-file {ca}\ntls-auth-clients no\n"
            "user default off\nuser reader on >right-one allkeys allcommands\n",
            ssl=True,
            ssl_ca_certs=ca,
            username="reader",
            password="right-one",
        )
        self.add(v="1")
        servers = f"rediss://localhost:{self.redis.port}/0"
        program = self.program(servers=servers, ca=ca, user="reader", password_file=write("redis", "right-one"))
        program.until(lambda: len(program.rows) == 1)
        wrong = self.program(servers=servers, ca=ca, user="reader", password_file=write("redis-wrong", "wrong-one"))
        wrong.until_state("invalid username-password", state="stale")
        unknown = self.program(servers=servers, user="reader", password_file=write("redis", "right-one"))
        unknown.until_state("certificate verify failed", state="stale")
        # The certificate is for 127.0.0.1.
        proxy = Proxy(self.redis.port, "127.0.0.2")
        self.addCleanup(proxy.stop)
        other = self.program(
            servers=f"rediss://127.0.0.2:{proxy.port}/0",
            ca=ca,
            user="reader",
            password_file=write("redis", "right-one"),
        )
        other.until_state("certificate verify failed", state="stale")
        for one in (program, wrong, unknown, other):
            self.assertNotIn("-one", one.output)


if __name__ == "__main__":
    unittest.main()
