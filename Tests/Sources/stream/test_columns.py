"""Types of columns and conversion of values, without a server."""

import json
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Plugins/shared"))
from columns import CONVERTERS, Untyped, Misfit, flatten, infer  # noqa: E402
from host import encode  # noqa: E402


class ColumnsTests(unittest.TestCase):
    def type_of(self, *values, name="a"):
        return infer([{name: value} for value in values])[0][1]

    def test_column_types_are_inferred_from_values(self):
        for wanted, *values in (
            ("number", 1, 2.5, None),
            ("integer", 1, 2**60),
            ("text", 1, 2**70),
            ("number", 0.5, 2**70),
            ("boolean", True, None, False),
            ("text", True, 1),
            ("text", None),
            ("text", "a", 1),
            ("timestamp", "2026-11-23T10:00:00Z", "2026-11-23 10:00:00.123456789+02:00"),
            ("text", "2026-11-23T10:00:00Z", "2026-13-23T10:00:00Z"),
            ("text", "2026-11-23T10:00:00"),
            ("series", [1, 2.5, None], []),
            ("text", [1, "a"]),
            ("text", []),
            ("text", {}),
            ("number", Untyped("1"), Untyped("2.5")),
            ("text", Untyped("007"), Untyped("1")),
            ("boolean", Untyped("true")),
            ("text", Untyped('"quoted"')),
        ):
            self.assertEqual(self.type_of(*values), wanted, values)

    def test_plausible_numbers_in_time_columns_are_times(self):
        for wanted, value in (
            ("seconds", 1_700_000_000),
            ("seconds", 1_700_000_000.5),
            ("timestamp", 1_700_000_000_000),
        ):
            self.assertEqual(self.type_of(value, name="created_at"), wanted)
        self.assertEqual(self.type_of(1_700_000_000_000_000, name="trade.ts"), "micros")
        self.assertEqual(self.type_of(1_700_000_000_000_000_000, name="time"), "nanos")
        self.assertEqual(self.type_of(1_700_000_000, name="size"), "number")
        self.assertEqual(self.type_of(1_700_000_000, 5, name="time"), "number")

    def test_columns_of_urls_are_links(self):
        self.assertEqual(infer([{"a": "https://example.org"}])[0][3], "link")
        self.assertIsNone(infer([{"a": "https://example.org"}, {"a": "no"}])[0][3])

    def test_nested_members_are_flattened_to_16_levels(self):
        self.assertEqual(
            flatten({"a": {"b": 1, "c": {"d": 2}}, "e": [{}], "f": {}}), {"a.b": 1, "a.c.d": 2, "e": [{}], "f": {}}
        )
        self.assertEqual(flatten([1]), {"value": [1]})
        deep = json.loads('{"a":' * 40 + "1" + "}" * 40)
        ((path, rest),) = flatten(deep).items()
        self.assertEqual(path, ".".join("a" * 16))
        self.assertEqual(type(rest), dict)

    def test_values_are_converted_to_cells(self):
        for kind, value, cell in (
            ("number", 2**60, float(2**60)),
            ("integer", 2**60, str(2**60)),
            ("integer", 3.0, 3),
            ("text", 1.5, "1.5"),
            ("text", {"a": [True]}, '{"a":[true]}'),
            ("text", "x" * 4_001, "x" * 4_000 + "…"),
            ("timestamp", "1970-01-01T00:00:01.000001Z", "1000.001000"),
            ("timestamp", "1969-12-31T23:59:59.999999999Z", "-0.000001"),
            ("timestamp", "2026-11-23T12:00:00+02:00", 1_795_428_000_000),
            ("seconds", 1.5, 1_500),
            ("micros", 1_500, "1.500000"),
            ("nanos", Untyped("1500000000000000001"), "1500000000000.000001"),
            ("series", [1, None, 2.5], [1, None, 2.5]),
            ("number", Untyped("1e3"), 1_000.0),
        ):
            self.assertEqual(CONVERTERS[kind](value), cell, (kind, value))

    def test_values_that_do_not_fit_column_type_raise_error(self):
        for kind, value in (
            ("number", "1"), ("number", True), ("number", math.inf), ("number", 10**400),
            ("number", Untyped("x")), ("number", Untyped("nan")),
            ("integer", 1.5), ("integer", 2**63), ("integer", False), ("boolean", 1), ("boolean", Untyped("yes")),
            ("timestamp", "soon"), ("timestamp", 10**18), ("timestamp", "9999-12-31T00:00:00Z"),
            ("timestamp", "2026-02-30T00:00:00Z"),
            ("timestamp", "0000-01-01T00:00:00Z"), ("seconds", math.nan), ("series", [[1]]),
            ("series", 1), ("series", [0] * 9_000),
        ):  # fmt: skip
            with self.assertRaises((Misfit, ValueError, OverflowError), msg=(kind, value)):
                CONVERTERS[kind](value)

    def test_lone_surrogate_is_encoded_as_question_mark(self):
        self.assertEqual(encode(["\ud800ä"]), '["?ä"]'.encode())


if __name__ == "__main__":
    unittest.main()
