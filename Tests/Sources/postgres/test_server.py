"""The plugin under `rowcast plugin check`, and behind the real server with a client."""

import asyncio
import os
import random
import re
import shlex
import subprocess
import sys
import threading
import time
import unittest

from model import MOODS, Table
from program import PLUGIN, ROOT
from shared import SEED, cluster, database

sys.path.insert(0, str(ROOT / "Tests/Long"))
from replica import Replica  # noqa: E402
from viewer import Viewer  # noqa: E402

COMMAND = shlex.split(os.environ.get("ROWCAST", str(ROOT / ".build/release/rowcast")))


class Server:
    """`rowcast serve` with the plugin."""

    def __init__(self, settings):
        words = [
            *COMMAND,
            "serve",
            "--port",
            "0",
            "--no-token",
            "--log-level",
            "info",
            "--interval",
            "50",
            "--plugin",
            str(PLUGIN),
        ]
        for name, value in settings.items():
            words += ["--set", f"postgres.{name}={value}"]
        self.log = []
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.ready = threading.Event()
        self.port = None
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        if not self.ready.wait(30) or self.port is None:
            self.stop()
            raise AssertionError("the server does not listen: " + "".join(self.log)[-2_000:])

    def read(self):
        for line in self.process.stdout:
            self.log.append(line)
            found = re.search(r"listening on \w+://[^:/]+:(\d+)", line)
            if found:
                self.port = int(found[1])
                self.ready.set()
        self.ready.set()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.reader.join(5)
        self.process.stdout.close()


class Client:
    """A client of the protocol with a copy of its window."""

    def __init__(self):
        self.replica, self.states, self.news = Replica(), [], asyncio.Event()
        self.sources, self.count = [], None

    async def open(self, port, **options):
        self.viewer = await Viewer.connect(port, on_message=self.receive, interval=0, **options)
        return self

    def receive(self, _, message):
        if message["type"] in ("window", "patch"):
            self.replica.apply(message)
            self.count = message["rows"]
        elif message["type"] == "status":
            self.states.append(message["source"])
        elif message["type"] in ("hello", "sources"):
            self.sources = message.get("sources", [])
        self.news.set()

    @property
    def rows(self):
        """The cells of the rows, None for a row that is not loaded."""
        return [row[2] if len(row[2]) == 3 else None for row in self.replica.rows]

    async def until(self, is_done, patience=120):
        end = time.monotonic() + patience
        while not (found := is_done()):
            self.news.clear()
            try:
                await asyncio.wait_for(self.news.wait(), max(0.01, end - time.monotonic()))
            except asyncio.TimeoutError:
                raise AssertionError(f"waited in vain; rows {self.rows[:3]}, states {self.states[-2:]}") from None
        return found


class ServerTests(unittest.TestCase):
    def setUp(self):
        self.database = database()

    def sql(self, statement, values=None):
        return cluster().sql(statement, values, database=self.database)

    def server(self, **settings):
        server = Server({"dsn": cluster().dsn(database=self.database), "table": "quotes", **settings})
        self.addCleanup(server.stop)
        return server

    def quotes(self, rows=2_000):
        self.sql(
            f"CREATE TABLE quotes (id integer PRIMARY KEY, price integer NOT NULL, note text);"
            f"INSERT INTO quotes SELECT i, i * 10, NULL FROM generate_series(1, {rows}) AS i; CREATE "
            f"INDEX ON quotes (price, id); ANALYZE"
        )

    def check(self, *settings):
        words = [*COMMAND, "plugin", "check", "--patience", "60"]
        for setting in (f"dsn={cluster().dsn(database=self.database)}", *settings):
            words += ["--set", setting]
        found = subprocess.run([*words, str(PLUGIN)], capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stdout[-4_000:] + found.stderr)

    def test_exam_passes_for_table_with_every_type(self):
        table = Table(random.Random(SEED), 300)
        self.sql(
            f"CREATE TYPE mood AS ENUM "
            f"({', '.join(chr(39) + label.replace(chr(39), chr(39) * 2) + chr(39) for label in MOODS)})"
        )
        self.sql(table.create())
        connection = cluster().connect(database=self.database)
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO things VALUES ({', '.join(['%s'] * len(table.inserts[0]))})", table.inserts
            )
        connection.close()
        self.check("table=things")

    def test_exam_passes_for_aggregating_query(self):
        self.quotes()
        self.check(
            "query=SELECT price % 7 AS rest, count(*) AS rows, sum(price) AS sum, avg(price) FROM quotes "
            "GROUP BY 1",
            "key=rest",
            "live=poll",
        )

    def test_plugin_check_fails_and_names_invalid_setting(self):
        for setting in ("interval=0", "live=sometimes", "colour=red", "connections=99"):
            words = [
                *COMMAND,
                "plugin",
                "check",
                "--patience",
                "60",
                "--set",
                setting,
                "--set",
                "table=quotes",
                str(PLUGIN),
            ]
            found = subprocess.run(words, capture_output=True, text=True)
            self.assertNotEqual(found.returncode, 0, setting)
            self.assertIn(setting.split("=")[0], found.stdout + found.stderr)

    def test_client_receives_changes_during_constant_writes(self):
        self.quotes()
        server = self.server()

        async def run():
            client = await Client().open(server.port, count=40)
            await client.until(lambda: client.count == 2_000 and len(client.rows) >= 40 and all(client.rows[:40]))
            stop = threading.Event()
            writer = threading.Thread(target=self.write, args=(stop,))
            writer.start()
            try:
                for number in range(4):
                    self.sql("UPDATE quotes SET note = %s WHERE id = 5", [f"round {number}"])
                    await client.until(lambda: any(row and row[2] == f"round {number}" for row in client.rows))
            finally:
                stop.set()
                writer.join()
            wanted = [list(row) for row in self.sql("SELECT id, price, note FROM quotes ORDER BY id LIMIT 40")]
            await client.until(lambda: client.rows[:40] == wanted)
            self.assertFalse([state for state in client.states if state.get("contradictions")])
            client.viewer.abort()

        asyncio.run(run())

    def write(self, stop):
        connection = cluster().connect(database=self.database)
        source = random.Random(SEED)
        with connection.cursor() as cursor:
            while not stop.wait(0.002):
                cursor.execute(
                    "UPDATE quotes SET price = %s WHERE id = %s", [source.randint(0, 10**6), source.randint(1, 2_000)]
                )
        connection.close()

    def test_client_keeps_window_across_database_crash_and_slot_drop(self):
        self.quotes()
        server = self.server(slot="page")

        async def run():
            client = await Client().open(server.port, first=500, count=40, query={"sort": [{"column": "price"}]})
            await client.until(lambda: len(client.rows) >= 40 and all(client.rows[:40]))
            wanted = client.rows[:40]
            self.assertEqual(wanted[0], [501, 5_010, None])
            cluster().kill()
            stale = await client.until(
                lambda: next((state for state in client.states if state["state"] == "stale"), None), 40
            )
            self.assertIn("the database is away", stale["message"])
            self.assertEqual(client.rows[:40], wanted)
            cluster().start()
            self.sql("UPDATE quotes SET note = 'after' WHERE id = 510")
            wanted[9] = [510, 5_100, "after"]
            try:
                await client.until(lambda: client.rows[:40] == wanted)
            except AssertionError as error:
                differing = [row for row in client.rows if row not in wanted]
                found = self.sql("SELECT id, price, note FROM quotes WHERE id = 510")
                log = "".join(server.log)[-3_000:]
                raise AssertionError(f"{error}; other rows {differing[:3]}, in the database {found}\n{log}") from None
            await client.until(lambda: client.states[-1]["state"] == "live", 60)
            # The slot is dropped under it.
            self.sql(
                "SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE slot_name = 'page'"
            )
            dropped = (
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
                "WHERE slot_name = 'page' AND NOT active"
            )
            for _ in range(50):
                if self.sql(dropped):
                    break
                self.sql(
                    "SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE "
                    "slot_name = 'page' AND active"
                )
            self.sql("UPDATE quotes SET note = 'dropped' WHERE id = 511")
            wanted[10] = [511, 5_110, "dropped"]
            await client.until(lambda: client.rows[:40] == wanted, 60)
            client.viewer.abort()

        asyncio.run(run())
        server.stop()
        for _ in range(50):
            if self.sql(
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = "
                "'page' AND NOT active"
            ) or not self.sql("SELECT FROM pg_replication_slots WHERE slot_name = 'page'"):
                break

    def test_authentication_error_is_reported_without_password(self):
        self.quotes()
        self.sql(
            "DO $$ BEGIN CREATE ROLE locked LOGIN PASSWORD 'right-one'; EXCEPTION WHEN duplicate_object THEN END $$"
        )
        server = self.server(dsn=cluster().dsn(user="locked", database=self.database, password="wrong-one"))

        async def run():
            client = await Client().open(server.port)
            found = await client.until(
                lambda: next((source for source in client.sources if source["source"]["message"]), None)
            )
            client.viewer.abort()
            return found

        found = asyncio.run(run())
        self.assertEqual(found["source"]["state"], "stale")
        self.assertIn('password authentication failed for user "locked"', found["source"]["message"])
        self.assertNotIn("wrong-one", str(found) + "".join(server.log))


if __name__ == "__main__":
    unittest.main()
