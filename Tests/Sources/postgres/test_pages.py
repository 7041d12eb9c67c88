"""Pages, filters, orders, counts and sections, compared exactly with plain lists."""

import random
import unittest

import psycopg2.extras

from model import COLUMNS, NUMBERS, TIMES, Table, alike, comparable
from program import Program
from shared import SEED, cluster, database

ROWS = 400


class PagesTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.random = random.Random(SEED)
        print(f"seed {SEED} (ROWCAST_SEED repeats it)")
        cls.table = Table(cls.random, ROWS)
        cls.database = database()
        connection = cluster().connect(database=cls.database)
        with connection.cursor() as cursor:
            labels = ", ".join(
                cursor.mogrify("%s", [label]).decode() for label in ["sad", "fine", "happy", "Äh, no'"]
            )
            cursor.execute(f"CREATE TYPE mood AS ENUM ({labels})")
            cursor.execute(cls.table.create())
            psycopg2.extras.execute_values(cursor, "INSERT INTO things VALUES %s", cls.table.inserts)
            for index in ("price", 'note COLLATE "C"', "at", "double", "mood"):
                cursor.execute(f"CREATE INDEX ON things ({index})")
            cursor.execute("ANALYZE")
        connection.close()
        cls.program = Program(
            {"dsn": cluster().dsn(database=cls.database), "table": "things", "series": "points", "live": "none"}
        )

    @classmethod
    def tearDownClass(cls):
        cls.program.end()

    def check(self, rows, wanted, message):
        self.assertEqual([row[0] for row in rows], [row[0] for row in wanted], message)
        for found, row in zip(rows, wanted):
            for name, cell, expected in zip(self.table.names, found[1:], row[1]):
                self.assertTrue(alike(cell, expected), f"{message}: row {row[0]}, {name}: {cell!r}, not {expected!r}")

    def wanted(self, query):
        rows = self.table.rows
        if "filter" in query:
            rows = [row for row in rows if self.table.passes(row, query["filter"])]
        if "search" in query:
            rows = [row for row in rows if self.table.finds(row, query["search"])]
        return self.table.sorted(rows, query.get("sort", []))

    def test_schema_lists_columns_and_supported_queries(self):
        self.assertIsNone(self.program.refusal)
        self.assertEqual(self.program.names, self.table.names)
        can = self.program.schema["windowed"]
        self.assertEqual([name for name in self.table.names if name not in can["sort"]], ["points"])
        self.assertIn("contains", can["filters"])
        self.assertNotIn("matches", can["filters"])

    def test_every_cell_is_exact(self):
        self.check(self.program.every(), self.wanted({}), "all rows")

    def test_every_column_sorts_both_ways(self):
        for name in self.program.schema["windowed"]["sort"]:
            for descending in (False, True):
                query = {"sort": [{"column": name, "descending": descending}]}
                self.check(
                    self.program.every(count=self.random.choice([61, 400]), **query),
                    self.wanted(query),
                    f"sorted by {query}",
                )

    def test_rows_sort_by_several_columns(self):
        for _ in range(25):
            names = self.random.sample(self.program.schema["windowed"]["sort"], self.random.randint(2, 3))
            query = {
                "sort": [
                    {"column": name, "descending": self.random.random() < 0.5}
                    for name in ["flag", *names][self.random.randint(0, 1) :]
                ]
            }
            self.check(self.program.every(count=97, **query), self.wanted(query), f"sorted by {query}")

    def test_random_filters_match_model(self):
        for _ in range(250):
            query = {"filter": self.table.draw_filter(self.random)}
            if self.random.random() < 0.3:
                query["sort"] = [
                    {
                        "column": self.random.choice(["price", "note", "at", "mood #"]),
                        "descending": self.random.random() < 0.5,
                    }
                ]
            wanted = self.wanted(query)
            page = self.program.page(count=1_000, **query)
            self.assertNotIn("error", page, query)
            self.check(page["rows"], wanted, f"filtered by {query}")
            self.assertEqual(page["count"], len(wanted), query)

    def test_search_matches_model(self):
        for text in ["a", "Σ", "i", "k", "%", "\\x", "10.0", "happy", "ZZZZ", "ı", "'"]:
            query = {"search": text}
            self.check(self.program.page(count=1_000, **query)["rows"], self.wanted(query), f"search {text!r}")

    def test_blocks_begin_and_end_at_any_position(self):
        for _ in range(60):
            names = self.random.sample(self.program.schema["windowed"]["sort"], self.random.randint(0, 2))
            query = {"sort": [{"column": name, "descending": self.random.random() < 0.5} for name in names]}
            wanted = self.wanted(query)
            skip = self.random.randint(0, ROWS + 5)
            first = self.program.page(skip=skip, count=self.random.randint(1, 60), **query)
            self.check(first["rows"], wanted[skip : skip + len(first["rows"])], f"skipped {skip} by {query}")
            if skip >= ROWS:
                self.assertEqual((first["more"], first["count"]), (False, ROWS))
                continue
            start = skip + len(first["rows"])
            self.assertEqual(first["more"], start < ROWS)
            same = self.program.page(after=first["begin"], upTo=first["end"], count=100, **query)
            self.check(same["rows"], wanted[skip:start], f"from begin to end by {query}")
            self.assertFalse(same["more"])
            over = self.random.randint(0, 50)
            behind = self.program.page(after=first["end"], skip=over, count=50, **query)
            self.check(behind["rows"], wanted[start + over : start + over + 50], f"behind {start} by {query}")
            if behind["rows"] and over:
                between = self.program.page(after=first["end"], upTo=behind["begin"], count=100, **query)
                self.check(between["rows"], wanted[start : start + over], f"between by {query}")

    def test_section_counts_and_rows_match_model(self):
        for names in (["flag"], ["mood"], ["mood #", "flag"], ["code"], ["double"], ["at"], ["wide"], ["title"]):
            found = self.program.answer(self.program.ask(group=names, sections={"limit": 1_000}))
            self.assertNotIn("error", found, names)
            places = [self.table.place[name] for name in names]
            wanted = {}
            for row in self.table.rows:
                values = tuple(row[1][place] for place in places)
                wanted[values] = wanted.get(values, 0) + 1
            self.assertEqual({tuple(section[:-1]): section[-1] for section in found["sections"]}, wanted, names)
            for values in self.random.sample(sorted(wanted, key=repr), min(5, len(wanted))):
                rows = [row for row in self.table.rows if tuple(row[1][place] for place in places) == values]
                page = self.program.page(count=1_000, group=names, section=list(values))
                self.check(page["rows"], self.table.sorted(rows, []), f"section {values} of {names}")
                self.assertEqual(page["count"], len(rows))

    def test_too_many_sections_are_an_error(self):
        found = self.program.answer(self.program.ask(group=["id"], sections={"limit": 10}))
        self.assertIn("more than 10 sections", found["error"])

    def test_model_has_all_columns_and_compares_times_exactly(self):
        self.assertTrue(NUMBERS | TIMES <= set(self.table.names))
        self.assertEqual(comparable("at", "1.5"), comparable("local", 1.5))
        self.assertEqual(len(COLUMNS) + 1 + 4, len(self.table.names))


if __name__ == "__main__":
    unittest.main()
