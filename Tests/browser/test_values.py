"""Exact values in cells, on hover, in details and on copy; the colors of changes."""

import json
import re
import shlex
import sys
import unittest

from pages import PageTest
from playwright.sync_api import expect
from rowcast_server import STAND_IN, Server

COLUMNS = [
    {"name": "city", "type": "text"}, {"name": "lat", "type": "number"}, {"name": "tiny", "type": "number"},
    {"name": "share", "type": "number", "unit": "%"}, {"name": "year", "type": "integer", "format": "plain"},
    {"name": "price", "type": "number", "format": "grouped.2", "better": "higher"},
    {"name": "size", "type": "integer", "style": "bytes"}, {"name": "took", "type": "number", "style": "duration"},
    {"name": "at", "type": "timestamp"}, {"name": "clock", "type": "timestamp", "format": "time.3"},
]  # fmt: skip
ROWS = [
    [1, "London", 51.507351, 0.000012, 0.05, 2026, 1234.567, 1536, 60.25, 1795261750123, 1795261750123],
    [2, "Paris", 48.8566, 0.5, 99.99, 1999, 2, 1048577, 0.2449, 1795261750000, 1795261750000],
    [3, "Far", -0.5, 1e-300, 7, 1066, 1e21, 3, 1e-7, 1795261750500.25, 1795261750500.25],
]
PROGRAM = "import json, sys\nfor line in json.loads(sys.argv[1]): print(json.dumps(line), flush=True)\nsys.stdin.read()"


class ValuesTest(PageTest):
    @classmethod
    def serve(cls):
        lines = [
            {"type": "hello", "version": 1},
            {"type": "schema", "name": "values", "key": "integer", "label": "city", "columns": COLUMNS},
            {"type": "upsert", "rows": ROWS},
        ]
        program = shlex.join([sys.executable, "-c", PROGRAM, json.dumps(lines)])
        return Server(options=("--no-token", "--child", f"values={program}"))

    def texts(self, user, column):
        return [cell.rstrip() for cell in user.page.locator(f'.row [aria-colindex="{column}"]').all_text_contents()]

    def cell(self, user, row, column):
        return user.page.locator(f'.row[aria-rowindex="{row + 1}"] [aria-colindex="{column}"]')

    def test_cells_show_all_digits_unless_their_format_rounds(self):
        user = self.open(size=(1700, 500), locale="en-US")
        self.assertEqual(self.texts(user, 2), ["51.507351", "48.8566", "-0.5"])
        self.assertEqual(self.texts(user, 3), ["0.000012", "0.5", "1E-300"])
        self.assertEqual(self.texts(user, 4), ["0.05%", "99.99%", "7%"])
        self.assertEqual(self.texts(user, 5), ["2026", "1999", "1066"])
        self.assertEqual(self.texts(user, 6), ["1,234.57", "2.00", "1E21"])
        self.assertRegex(self.texts(user, 9)[0], r"^\d{4}-\d\d-\d\d \d\d:\d\d:10\.123$")
        self.assertRegex(self.texts(user, 9)[1], r"^\d{4}-\d\d-\d\d \d\d:\d\d:10$")
        self.assertRegex(self.texts(user, 10)[1], r"^\d\d:\d\d:10\.000$")
        user.check_clean(self)

    def test_decimal_points_align_within_a_pixel(self):
        user = self.open(size=(1700, 500), locale="en-US")
        places = user.page.evaluate("""() => [2, 3].map((column) => [
          ...document.querySelectorAll(`.row [aria-colindex="${column}"]`),
        ].map(({ firstChild: text }) => {
          const at = text.data.indexOf('.');
          if (at < 0) return null;
          const range = document.createRange();
          range.setStart(text, at);
          range.setEnd(text, at + 1);
          return range.getBoundingClientRect().left;
        }))""")
        for column in places:
            points = [place for place in column if place is not None]
            self.assertGreater(len(points), 1)
            self.assertLess(max(points) - min(points), 0.6, column)

    def test_hover_shows_exact_value_of_shortened_cells(self):
        user = self.open(size=(1700, 500), locale="en-US")
        user.page.locator(".detail").wait_for(state="attached")
        for row, column, expected in [
                (1, 6, r"^1234\.567$"), (1, 7, "^1536 B$"), (1, 8, r"^60\.25 s$"),
                (2, 8, r"^0\.2449 s$"), (3, 8, "^1e-7 s$"), (1, 9, r"10\.123[+-]\d\d:\d\d \(.+\)$"),
                (1, 10, r"^\d{4}-\d\d-\d\d .*10\.123[+-]\d\d:\d\d")]:
            self.cell(user, row, column).hover()
            expect(self.cell(user, row, column)).to_have_attribute("title", re.compile(expected))
        self.cell(user, 1, 2).hover()
        self.assertIsNone(self.cell(user, 1, 2).get_attribute("title"), "it shows every digit")
        self.assertIsNone(self.cell(user, 1, 10).get_attribute("title"), "the pointer has left it")
        user.page.locator('.head[aria-colindex="9"]').hover()
        expect(user.page.locator('.head[aria-colindex="9"]')).to_have_attribute(
            "title", re.compile(r"Times in .+ \(UTC[+-]\d\d:\d\d\)"))

    def test_details_show_exact_values_of_shortened_cells(self):
        user = self.open(size=(1700, 900), locale="en-US")
        self.cell(user, 1, 1).click()
        user.page.keyboard.press("Enter")
        details = user.page.locator(".detail-list")
        for text in ("51.507351", "0.000012", "0.05%", "1234.567", "1536 B", "60.25 s"):
            expect(details).to_contain_text(text)
        expect(details).to_contain_text(re.compile(r"10\.123[+-]\d\d:\d\d \(.+\)"))


class ColoursOfChangesTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 300, "market.rate": 200}
    command = STAND_IN

    def test_changes_are_better_or_worse_only_in_columns_that_rate_them(self):
        for scheme in ("light", "dark"):
            user = self.open("#table=market", scheme=scheme)
            for kind, token in (("better", "--good"), ("worse", "--bad")):
                user.until(f"""() => {{
                  const cell = document.querySelector('.row [aria-colindex="3"].{kind}');
                  if (cell === null) return false;
                  const probe = document.createElement('i');
                  probe.style.color = 'var({token})';
                  cell.after(probe);
                  const isSo = getComputedStyle(cell).color === getComputedStyle(probe).color;
                  probe.remove();
                  return isSo;
                }}""", f"a price that gets {kind} has its colour")
            user.until(
                "() => document.querySelector('.row [aria-colindex=\"7\"].other') !== null",
                "a volume only changes")
            self.assertEqual(
                user.page.evaluate(
                    "document.querySelectorAll('.row .better:not([aria-colindex=\"3\"]), "
                    ".row .worse:not([aria-colindex=\"3\"])').length"),
                0)
            user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
