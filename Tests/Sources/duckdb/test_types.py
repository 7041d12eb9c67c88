"""Cells of every type of DuckDB."""

import unittest

from test_pages import FilesCase

HUGE = 170141183460469231731687303715884105727
COLUMNS = [
    ("tiny", "(-128)::TINYINT", -128),
    ("big", "(-9223372036854775808)::BIGINT", -9223372036854775808),
    ("ubig", "18446744073709551615::UBIGINT", "18446744073709551615"),
    ("price", "12345.67::DECIMAL(9,2)", 12345.67),
    ("exact", "12345678901234567890.123456789::DECIMAL(38,9)", "12345678901234567890.123456789"),
    ("units", "123456789012345678::DECIMAL(18,0)", 123456789012345678),
    ("single", "0.1::FLOAT", 0.1),
    ("double", "'nan'::DOUBLE", None),
    ("flag", "true", True),
    ("local", "TIMESTAMP '2026-01-01 00:00:00.000001'", "1767225600000.001"),
    ("zoned", "TIMESTAMPTZ '2026-01-01 02:00:00+02'", 1767225600000),
    ("nanos", "TIMESTAMP_NS '2026-01-01 00:00:00.000000001'", "1767225600000.000001"),
    ("seconds", "TIMESTAMP_S '2026-01-01 00:00:00'", 1767225600000),
    ("late", "TIMESTAMP '9999-01-01'", None),
    ("never", "TIMESTAMP 'infinity'", None),
    ("day", "DATE '2026-01-02'", "2026-01-02"),
    ("clock", "TIME '01:02:03.5'", "01:02:03.5"),
    ("span", "INTERVAL '1 day 2 hours'", "1 day 02:00:00"),
    ("mood", "'sad'::ENUM('sad', 'ok')", "sad"),
    ("identity", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("data", "'\\x00\\x01abc'::BLOB", 5),
    ("list", "[1, 2, NULL]", "[1,2,null]"),
    ("struct", "{'a': 1, 'b': 'x'}", '{"a":1,"b":"x"}'),
    ("map", "MAP {'k': 1}", '{"k":1}'),
    ("bits", "'0101'::BIT", "0101"),
    ("huge", f"{HUGE}::HUGEINT", str(HUGE)),
    ("nothing", "NULL::VARCHAR", None),
]


class TypesTests(FilesCase):
    def test_cells_of_every_type_are_exact(self):
        path = self.write(rows=1)
        selection = ", ".join(f'{sql} AS "{name}"' for name, sql, _ in COLUMNS)
        program = self.started(path, query=f"SELECT {selection} FROM files")
        cells = dict(zip(program.names, program.page()["rows"][0][1:]))
        for name, _, wanted in COLUMNS:
            with self.subTest(name):
                self.assertEqual(cells[name], wanted)
        self.assertEqual(cells["huge ≈"], float(HUGE))
        self.assertEqual(cells["span s"], 93_600)

    def test_filters_find_value_of_every_type(self):
        path = self.write(rows=1)
        selection = ", ".join(f'{sql} AS "{name}"' for name, sql, _ in COLUMNS)
        program = self.started(path, query=f"SELECT {selection} FROM files")
        for name, _, value in COLUMNS:
            with self.subTest(name):
                wanted = {"op": "isEmpty"} if value is None else {"op": "=", "value": value}
                if name == "big":
                    wanted["value"] = str(value)
                self.assertEqual(program.page(filter={"column": name, **wanted}).get("count"), 1)

    def test_block_of_long_rows_has_every_row(self):
        path = self.write(rows=200)
        program = self.started(path, query="SELECT id, repeat('ä', 9000) AS long FROM files")
        self.assertEqual(len(program.page(count=150)["rows"]), 150)


if __name__ == "__main__":
    unittest.main()
