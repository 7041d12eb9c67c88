"""The plugin under `rowcast plugin check`, and behind the real server with a client."""

import asyncio
import random
import subprocess
import sys
import threading
import unittest

from model import MOODS, Table
from program import PLUGIN, ROOT
from shared import SEED, cluster, database

sys.path[:0] = [str(ROOT / "Tests/Long"), str(ROOT / "Tests/Sources/shared")]
from client import Client  # noqa: E402
from serving import COMMAND, Server, plugin  # noqa: E402


class RowClient(Client):
    """A client of the table `quotes`."""

    @property
    def rows(self):
        """The cells of the rows, None for a row that is not loaded."""
        return [cells if len(cells) == 3 else None for cells in self.cells]


class ServerTests(unittest.TestCase):
    def setUp(self):
        self.database = database()

    def sql(self, statement, values=None):
        return cluster().sql(statement, values, database=self.database)

    def server(self, **settings):
        settings = {"dsn": cluster().dsn(database=self.database), "table": "quotes", **settings}
        server = Server("--interval", "50", *plugin(PLUGIN, settings))
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
            client = await RowClient().open(server.port, count=40)
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
            client = await RowClient().open(server.port, first=500, count=40, query={"sort": [{"column": "price"}]})
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
            client = await RowClient().open(server.port)
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
