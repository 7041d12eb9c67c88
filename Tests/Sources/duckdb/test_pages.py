"""Windows of files of each format, compared with DuckDB's own answers."""

import os
import pathlib
import random
import subprocess
import tempfile
import unittest

import duckdb
from program import PLUGIN, ROOT, Program

SEED = int(os.environ.get("ROWCAST_SEED", random.SystemRandom().randrange(1 << 32)))
ROWCAST = os.environ.get("ROWCAST", str(ROOT / ".build/release/rowcast"))
ROWS = """
  SELECT i AS id, 'Näme ' || (i * 7919 % 97) AS name, (i * 31 % 1000) / 8 AS price,
    CASE WHEN i % 7 > 0 THEN (i % 20)::VARCHAR END AS sector,
    TIMESTAMP '2026-01-01' + INTERVAL (i * 1537) MILLISECOND AS at, i % 3 = 0 AS flag
  FROM range({rows}) AS t(i)"""
#: Random terms of a filter: as the host sends them, and in SQL.
TERMS = [
    (lambda n: {"column": "id", "op": ">", "value": n}, "id > {}"),
    (lambda n: {"column": "id", "op": "range", "from": n, "through": n + 900}, "id BETWEEN {0} AND {0} + 900"),
    (lambda n: {"column": "price", "op": "<=", "value": n / 40}, "price <= {} / 40"),
    (lambda n: {"column": "sector", "op": "=", "value": str(n % 20)}, "sector = ({} % 20)::VARCHAR"),
    (lambda n: {"column": "sector", "op": "!=", "value": str(n % 20)}, "sector <> ({} % 20)::VARCHAR"),
    (lambda n: {"column": "sector", "op": "isEmpty"}, "sector IS NULL"),
    (lambda n: {"column": "sector", "op": "oneOf", "values": ["1", str(n % 9)]}, "sector IN ('1', ({} % 9)::VARCHAR)"),
    (
        lambda n: {"column": "name", "op": "contains", "value": f"E {n % 9}"},
        "lower(name) LIKE '%e ' || ({} % 9) || '%'"),
    (
        lambda n: {"column": "name", "op": "startsWith", "value": f"NÄME {n % 9}"},
        "starts_with(name, 'Näme ' || ({} % 9))"),
    (lambda n: {"column": "flag", "op": "=", "value": bool(n % 2)}, "flag = ({} % 2 = 1)"),
    (
        lambda n: {"column": "at", "op": "<", "value": 1_767_225_600_000 + n * 1_537},
        '"at" < TIMESTAMP \'2026-01-01\' + INTERVAL ({} * 1537) MILLISECOND',
    ),
]


class FilesCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name="rows.parquet", rows=5_000, sql=ROWS, options=""):
        path = self.folder / name
        fresh = self.folder / f"fresh-{name}"
        duckdb.sql(f"COPY ({sql.format(rows=rows)}) TO '{fresh}' {options}")
        os.replace(fresh, path)
        return str(path)

    def started(self, path, **settings):
        program = Program({"path": path, "interval": 0.05, "directory": str(self.folder), **settings})
        self.addCleanup(program.end)
        return program


class PagesTests(FilesCase):
    def test_parquet_csv_and_json_files_are_read(self):
        cases = [
            ("a.parquet", ""), ("a.csv", ""), ("b.csv.gz", ""), ("c.csv.zst", ""), ("a.json", ""),
            ("b.json.gz", "")]
        for name, options in cases:
            with self.subTest(name):
                program = self.started(self.write(name, 300, options=options))
                self.assertEqual(program.page(count=3)["count"], 300)
                page = program.page(skip=298, count=10)
                self.assertEqual([row[:2] for row in page["rows"]], [[298, 298], [299, 299]])
                self.assertFalse(page["more"])
                program.end()

    def test_files_that_match_glob_are_one_table(self):
        self.write("part1.parquet", 10)
        self.write("part2.parquet", 20)
        self.assertEqual(self.started(str(self.folder / "part*.parquet")).page()["count"], 30)

    def test_random_queries_match_duckdb(self):
        path = self.write()
        draw = random.Random(SEED)
        program = self.started(path)
        names = ["id", "name", "price", "sector", "at", "flag"]
        for number in range(60):
            filters, clauses = [], []
            for _ in range(draw.randint(0, 2)):
                term, sql = draw.choice(TERMS)
                value = draw.randrange(5_000)
                negated = draw.random() < 0.3
                filters.append({"not": term(value)} if negated else term(value))
                clauses.append(f"(({sql.format(value)}) IS {'NOT ' if negated else ''}TRUE)")
            word = draw.choice(["all", "any"])
            query = {"filter": {word: filters}} if filters else {}
            where = "WHERE " + {"all": " AND ", "any": " OR "}[word].join(clauses) if clauses else ""
            sort = [(name, draw.random() < 0.5) for name in draw.sample(names, draw.randint(0, 2))]
            if sort:
                query["sort"] = [{"column": name, "descending": descending} for name, descending in sort]
            order = "".join(f'"{name}" {"DESC" if descending else "ASC"} NULLS LAST, ' for name, descending in sort)
            wanted = [
                row[0] for row in duckdb.sql(f"SELECT id FROM '{path}' {where} ORDER BY {order}id").fetchall()
            ]
            skip, count = draw.choice([0, 50, 990, 3_000]), draw.randint(1, 200)
            page = program.page(skip=skip, count=count, **query)
            with self.subTest(seed=SEED, number=number, query=query):
                self.assertEqual([row[0] for row in page["rows"]], wanted[skip : skip + count])
                self.assertEqual(page["count"], len(wanted))
                self.assertEqual(page["more"], skip + count < len(wanted))

    def test_sections_and_search_match_duckdb(self):
        path = self.write()
        program = self.started(path)
        page = program.answer(program.ask(group=["sector"], sections={"limit": 100}))
        wanted = duckdb.sql(f"SELECT sector, count(*) FROM '{path}' GROUP BY sector").fetchall()
        self.assertEqual(sorted(map(str, page["sections"])), sorted(str(list(row)) for row in wanted))
        page = program.page(group=["sector"], section=[None], search="NÄME 1")
        wanted = duckdb.sql(f"SELECT id FROM '{path}' WHERE sector IS NULL AND contains(name, 'Näme 1')").fetchall()
        self.assertEqual(page["count"], len(wanted))
        self.assertIn("error", program.answer(program.ask(group=["id"], sections={"limit": 10})))

    def test_query_setting_accepts_one_select_only(self):
        path = self.write()
        program = self.started(path, query="SELECT sector, sum(id) AS total FROM files GROUP BY sector ORDER BY total")
        self.assertEqual(program.page()["count"], 21)
        program = self.started(path, query="SELECT id FROM files; -- all")
        self.assertEqual(program.page()["count"], 5_000)
        for query in ["DROP VIEW files", "SELECT 1; SELECT 2", f"COPY files TO '{path}.csv'", "SELEC"]:
            with self.subTest(query):
                self.assertEqual(self.started(path, query=query).refusal["setting"], "query")
        self.assertFalse(os.path.exists(path + ".csv"))
        program = self.started(path, query="SELECT missing FROM files")
        self.assertIn("the query failed", program.find("state")["message"])

    def test_exam_passes_for_parquet_file(self):
        path = self.write(rows=3_000)
        outcome = subprocess.run(
            [ROWCAST, "plugin", "check", "--patience", "60", str(PLUGIN), "--set", f"path={path}"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)


if __name__ == "__main__":
    unittest.main()
