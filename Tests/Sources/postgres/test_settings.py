"""Settings, errors, cancellation, and tables of unusual shapes."""

import json
import os
import tempfile
import unittest

from program import Program
from shared import cluster, database
from test_live import wait


class SettingsTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = database()
        cls.sql("""CREATE TABLE jobs (id integer PRIMARY KEY, name text, kind text);
            INSERT INTO jobs SELECT i, 'job ' || i, 'kind ' || i % 7 FROM generate_series(1, 60000) AS i;
            CREATE TABLE bare (a integer, b text);
            CREATE TABLE pairs (a integer, b text, n integer, PRIMARY KEY (a, b));
            INSERT INTO pairs SELECT i % 5, 'b"' || i, i FROM generate_series(1, 50) AS i;
            ANALYZE""")
        cls.sql(
            "DO $$ BEGIN CREATE ROLE locked LOGIN PASSWORD 'right-one'; EXCEPTION WHEN duplicate_object "
            "THEN END $$; GRANT SELECT ON jobs TO locked"
        )

    @classmethod
    def sql(cls, statement, values=None):
        return cluster().sql(statement, values, database=cls.database)

    def program(self, dsn=None, patience=120, **settings):
        if not {"table", "query"} & set(settings):
            settings["table"] = "jobs"
        program = Program({"dsn": dsn or cluster().dsn(database=self.database), "live": "none", **settings}, patience)
        self.addCleanup(program.end)
        return program

    def refusal(self, **settings):
        program = self.program(**settings)
        self.assertIsNotNone(program.refusal, program.log)
        return program.refusal["setting"], program.refusal["reason"]

    # Refusals

    def test_invalid_settings_are_refused_by_name(self):
        self.assertEqual(self.refusal(table="nothing")[0], "table")
        self.assertIn("SCHEMA.NAME", self.refusal(table="nothing")[1])
        self.assertEqual(self.refusal(table="jobs", query="SELECT 1"), ("table", "set either table or query"))
        self.assertEqual(self.refusal(query="SELECT nonsense", key="x")[0], "query")
        self.assertEqual(self.refusal(query="DELETE FROM jobs", key="x")[0], "query")
        self.assertEqual(self.refusal(query="SELECT 1 AS x, 2 AS x", key="x")[0], "query")
        self.assertEqual(self.refusal(table="bare")[0], "key")
        self.assertIn("no primary key", self.refusal(table="bare")[1])
        self.assertEqual(self.refusal(table="jobs", key="nope")[0], "key")
        self.assertEqual(self.refusal(query="SELECT '{}'::json AS x", key="x")[0], "key")
        self.assertEqual(self.refusal(slot="Bad Slot")[0], "slot")
        self.assertEqual(self.refusal(passfile="/nowhere")[0], "passfile")

    def test_passwords_are_never_printed(self):
        for dsn in (
            f"host={cluster().socket} user=locked dbname={self.database} password=wrong-one",
            "host=/nowhere password=wrong-one",
            "password=wrong-one bogus wrong-one",
            "postgresql://x:wrong-one@[::bad/db",
            "passwort=wrong-one",
        ):
            program = self.program(dsn=dsn)
            program.until(lambda: program.refusal or program.find("state") and program.log)
            said = " ".join(program.log) + str(program.messages)
            self.assertNotIn("wrong-one", said)
            self.assertIsNone(program.schema)
        self.assertEqual(self.refusal(dsn="passwort=wrong-one")[0], "dsn")

    def test_wrong_password_is_reported_and_retried(self):
        program = self.program(dsn=cluster().dsn(user="locked", database=self.database, password="wrong-one"))
        self.assertIn('password authentication failed for user "locked"', program.find("state")["message"])
        self.assertEqual(program.find("state")["state"], "stale")
        # It asks again, and serves when the password is right.
        self.sql("ALTER ROLE locked PASSWORD 'wrong-one'")
        try:
            program.until(lambda: program.find("schema"))
            self.assertEqual(len(program.page(count=3)["rows"]), 3)
        finally:
            self.sql("ALTER ROLE locked PASSWORD 'right-one'")

    def test_password_file_and_service_file_are_used(self):
        with tempfile.TemporaryDirectory() as folder:
            passfile, services = os.path.join(folder, "pass"), os.path.join(folder, "services")
            with open(passfile, "w") as file:
                file.write("*:*:*:locked:right-one\n")
            os.chmod(passfile, 0o600)
            with open(services, "w") as file:
                file.write(f"[shop]\nhost={cluster().socket}\ndbname={self.database}\nuser=locked\n")
            program = Program(
                {"service": "shop", "servicefile": services, "passfile": passfile, "table": "jobs", "live": "none"}
            )
            self.addCleanup(program.end)
            self.assertEqual(program.page(count=1)["rows"], [[1, 1, "job 1", "kind 1"]])

    # Errors of queries

    def test_cancelled_statement_ends_in_the_database(self):
        program = self.program(
            query="SELECT i AS id, pg_sleep(0.05)::text AS slept FROM generate_series(1, 1000) AS i",
            key="id",
            connections=2,
        )
        running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE %s"
        number = program.ask(rows={"skip": 0, "count": 100}, filter={"column": "slept", "op": "=", "value": "x"})
        wait(lambda: self.sql(running, ["%slept%= 'x'%LIMIT%"])[0][0] == 1)
        program.send(type="cancel", queries=[number])
        wait(lambda: self.sql(running, ["%slept%= 'x'%LIMIT%"])[0][0] == 0)
        self.assertEqual(program.page(count=1, filter={"column": "id", "op": "=", "value": 2_000})["rows"], [])
        self.assertNotIn(number, program.pages)

    def test_statement_timeout_error_names_setting(self):
        program = self.program(query="SELECT 1 AS id, pg_sleep(30)::text AS slept", key="id", timeout=0.3)
        error = program.page(filter={"column": "slept", "op": "=", "value": "x"})["error"]
        self.assertIn("0.3 s (setting timeout)", error)

    def test_empty_key_is_an_error(self):
        program = self.program(query="SELECT nullif(id, 3) AS id FROM jobs WHERE id < 5", key="id")
        self.assertIn("the key column “id” is empty in a row", program.page()["error"])

    def test_invalid_position_and_unknown_column_are_errors(self):
        program = self.program()
        self.assertIn("does not belong to this order", program.page(after="nonsense")["error"])
        self.assertIn("does not belong to this order", program.page(after="[0,[1]]")["error"])
        self.assertIn("unknown column", program.page(sort=[{"column": "x"}])["error"])
        self.assertNotIn("error", program.page(count=1))

    # Shapes

    def test_composite_key_is_encoded_as_json_array(self):
        program = self.program(table="pairs")
        rows = program.every(count=7)
        self.assertEqual([row[0] for row in rows], [f'["{row[1]}",{quote(row[2])}]' for row in rows])
        self.assertEqual([row[1:] for row in rows], sorted([[i % 5, f'b"{i}', i] for i in range(1, 51)]))
        rows = program.every(count=7, sort=[{"column": "b", "descending": True}])
        self.assertEqual([row[2] for row in rows], sorted((f'b"{i}' for i in range(1, 51)), reverse=True))

    def test_query_may_contain_percent_signs(self):
        program = self.program(
            query="SELECT id, name, id % 10 AS \"a%b\" FROM jobs WHERE name LIKE 'job 1%';", key="id"
        )
        page = program.page(
            count=2, sort=[{"column": "a%b", "descending": True}], filter={"column": "a%b", "op": "<", "value": 9}
        )
        self.assertEqual(page["rows"], [[59998 - 40000 - 0, 19998, "job 19998", 8], [19988, 19988, "job 19988", 8]])

    def test_table_name_may_be_qualified_and_quoted(self):
        self.sql(
            'CREATE SCHEMA "S p"; CREATE TABLE "S p"."T%""q" ("the id" uuid PRIMARY KEY, "select" text); '
            'INSERT INTO "S p"."T%%""q" VALUES (\'00000000-0000-0000-0000-000000000001\', \'x\')'.replace("%%", "%")
        )
        program = self.program(table='"S p"."T%""q"')
        self.assertEqual(
            program.page(filter={"column": "select", "op": "contains", "value": "X"})["rows"],
            [["00000000-0000-0000-0000-000000000001"] * 2 + ["x"]],
        )

    def test_icu_collations_reach_schema_and_order_rows(self):
        self.sql(
            """CREATE COLLATION numeric_de (provider = icu, locale = 'de-u-kn-true');
            CREATE TABLE words (id integer PRIMARY KEY, de text COLLATE "de-x-icu", kn text COLLATE
              numeric_de, c text);
            INSERT INTO words
              VALUES (1, 'Zebra', 'a10', 'Zebra'), (2, 'Äpfel', 'a9', 'Äpfel'), (3, 'apfel', 'a1', 'apfel')"""
        )
        program = self.program(table="words")
        self.assertEqual(
            [column.get("collation") for column in program.schema["columns"]], [None, "de", "de-u-kn", None]
        )
        order = {
            name: [row[0] for row in program.every(count=1, sort=[{"column": name}])] for name in ("de", "kn", "c")
        }
        self.assertEqual(order, {"de": [3, 2, 1], "kn": [3, 2, 1], "c": [1, 3, 2]})
        less = {"column": "de", "op": "<", "value": "a"}
        self.assertEqual([row[0] for row in program.page(filter=less)["rows"]], [1])

    def test_long_texts_are_truncated_but_sorted_in_full(self):
        self.sql(
            "CREATE TABLE long (id integer PRIMARY KEY, t text); INSERT INTO long SELECT i, repeat('ä', "
            "9999) || i || 'end' FROM generate_series(1, 120) AS i"
        )
        program = self.program(table="long")
        rows = program.every(count=100)
        self.assertEqual([len(row[2]) for row in rows], [10_000] * 120)
        self.assertEqual(len(program.page(filter={"column": "t", "op": "contains", "value": "end"})["rows"]), 0)
        wanted = sorted(range(1, 121), key=lambda number: f"{number}end")
        page = program.page(count=100)
        # A line of the host's protocol has at most a megabyte.
        self.assertTrue(page["more"] and len(json.dumps(page["rows"], ensure_ascii=False).encode()) < 900_000)
        self.assertEqual([row[0] for row in program.every(count=30, sort=[{"column": "t"}])], wanted)
        page = program.page(count=30, sort=[{"column": "t"}])
        # Another process finds the place by the row, unless that has changed.
        other = self.program(table="long")
        rest = other.page(after=page["end"], count=20, sort=[{"column": "t"}])
        self.assertEqual([row[0] for row in rest["rows"]], wanted[30:50])
        self.sql("UPDATE long SET t = 'short' WHERE id = %s", [wanted[29]])
        rest = program.page(after=page["end"], count=20, sort=[{"column": "t"}])
        self.assertEqual([row[0] for row in rest["rows"]], wanted[30:50])
        another = self.program(table="long")
        self.assertIn("has changed since", another.page(after=page["end"], sort=[{"column": "t"}])["error"])

    def test_order_without_an_index_is_logged_once(self):
        program = self.program()
        for _ in range(3):
            program.page(count=5, sort=[{"column": "kind"}])
            program.page(count=5, sort=[{"column": "id", "descending": True}])
        program.until(lambda: program.log)
        found = [line for line in program.log if "no index serves" in line]
        self.assertEqual(len(found), 1, program.log)
        self.assertIn('CREATE INDEX ON "public"."jobs" ("kind", "id")', found[0])
        self.sql("CREATE INDEX ON jobs (kind, id)")
        self.assertEqual(program.page(count=1, sort=[{"column": "kind"}])["rows"][0][0], 7)

    def test_rows_at_large_offsets_are_exact(self):
        program = self.program()
        for sort, rows in (
            ([], list(range(1, 60_001))),
            (
                [{"column": "kind", "descending": True}],
                sorted(range(1, 60_001), key=lambda i: (i % 7, i), reverse=True),
            ),
        ):
            numbers = [
                program.ask(sort=sort, rows={"skip": skip, "count": 3}) for skip in (31_234, 31_334, 31_999, 59_999)
            ]
            for skip, number in zip((31_234, 31_334, 31_999, 59_999), numbers):
                self.assertEqual([row[0] for row in program.answer(number)["rows"]], rows[skip : skip + 3])
            after = program.page(sort=sort, count=10)["end"]
            self.assertEqual(program.page(sort=sort, after=after, skip=4_321, count=1)["rows"][0][0], rows[4_331])
            self.assertEqual(program.page(sort=sort, skip=60_000, count=1)["rows"], [])
            self.assertEqual(program.page(sort=sort, skip=99_000, count=1)["rows"], [])

    def test_expensive_counts_are_estimates_until_counted_exactly(self):
        self.sql("CREATE TABLE many AS SELECT i AS id FROM generate_series(1, 400000) AS i")
        self.sql("ALTER TABLE many ADD PRIMARY KEY (id); ANALYZE many")
        some = {"column": "id", "op": "<=", "value": 200_000}
        program = self.program(table="many")
        self.assertEqual(program.schema["windowed"]["count"], "exact")
        first = program.page(count=1, filter=some)
        self.assertTrue(first["estimated"])
        self.assertLess(abs(first["count"] - 200_000), 20_000)
        program.until(lambda: program.changes)
        wait(lambda: "estimated" not in program.page(count=1, filter=some))
        self.assertEqual(program.page(count=1, filter=some)["count"], 200_000)
        # A cheap count is made at once.
        few = {"column": "id", "op": "<=", "value": 200}
        page = program.page(count=1, filter=few)
        self.assertEqual((page["count"], "estimated" in page), (200, False))
        estimating = self.program(table="many", count="estimated")
        self.assertEqual(estimating.schema["windowed"]["count"], "estimated")
        self.assertTrue(estimating.page(count=1, filter=some)["estimated"])
        self.assertEqual(estimating.page(count=1, filter=few)["count"], 200)


def quote(text):
    return '"' + text.replace('"', '\\"') + '"'


if __name__ == "__main__":
    unittest.main()
