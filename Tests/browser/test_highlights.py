"""The user's highlights of values: from the column menu, in the address, and undone."""

import json
import re
import shlex
import sys
import unittest
import urllib.parse

from aria import FAULTS
from pages import PageTest
from playwright.sync_api import expect
from rowcast_server import Server

LINES = [
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "jobs", "key": "integer", "columns": [
        {"name": "job", "type": "text", "title": "Job"},
        {"name": "used", "type": "number", "title": "Used", "critical": 38},
    ]},
    {"type": "upsert", "rows": [[number, f"job {number}", number] for number in range(40)]},
]  # fmt: skip
PROGRAM = "import sys; print(sys.argv[1], flush=True); sys.stdin.read()"


class HighlightsTest(PageTest):
    @classmethod
    def serve(cls):
        lines = "\n".join(map(json.dumps, LINES))
        return Server(options=("--no-token", "--child", f"jobs={shlex.join([sys.executable, '-c', PROGRAM, lines])}"))

    def menu(self, reader):
        reader.header("^Used").click(button="right")
        reader.page.get_by_role("menuitem", name="Highlight…").click()
        return reader.page.get_by_role("menu", name="Highlight Used")

    def cells(self, reader, selector):
        return reader.page.locator(f'.row:not([hidden]) .cell[aria-colindex="2"]{selector}')

    def test_a_rule_marks_the_values_that_match(self):
        reader = self.open()
        self.menu(reader).get_by_text("Red ◆…").click()
        box = reader.page.get_by_role("dialog", name="Used: Red ◆")
        box.get_by_label("From").fill("3")
        box.get_by_label("To (inclusive)").fill("5")
        box.get_by_role("button", name="Apply").click()
        expect(self.cells(reader, "[data-look=red]")).to_have_count(3)
        expect(self.cells(reader, "[data-look=red]").first).to_have_attribute("aria-description", "highlighted")
        expect(reader.page).to_have_url(re.compile("highlight="))
        expect(self.menu(reader).get_by_text("Red ◆: 3 – 5")).to_be_visible()
        self.assertEqual(reader.page.evaluate(FAULTS), [])
        reader.page.keyboard.press("Escape")
        reader.page.keyboard.press("Control+z")
        expect(self.cells(reader, "[data-look]")).to_have_count(0)
        reader.page.keyboard.press("Control+Shift+z")
        expect(self.cells(reader, "[data-look=red]")).to_have_count(3)
        reader.check_clean(self)

    def test_highlight_menu_adds_and_removes_heat_scale_and_bars(self):
        reader = self.open()
        reader.page.locator(".grid").focus()
        for label, selector in (("Heat scale", "[data-heat]"), ("Bars", ".bar")):
            self.menu(reader).get_by_role("menuitemcheckbox", name=label).press("Enter")
            expect(self.cells(reader, selector).first).to_be_visible()
        expect(self.cells(reader, ":not(.bar)")).to_have_count(0)
        self.menu(reader).get_by_role("menuitem", name="Remove all of the column").press("Enter")
        expect(self.cells(reader, ".bar")).to_have_count(0)
        expect(reader.page).not_to_have_url(re.compile("highlight="))
        reader.check_clean(self)

    def test_severity_marks_stay_under_highlights_from_a_link(self):
        rules = [
            {"column": "used", "look": "green", "term": {"column": "used", "op": "range", "from": 38}},
            {"column": "job", "look": "bold", "term": {"column": "job", "op": "contains", "value": "9"}},
        ]
        reader = self.open("#table=jobs&sort=-used&highlight=" + urllib.parse.quote(json.dumps(rules)))
        expect(self.cells(reader, "[data-look=green]")).to_have_count(2)
        marked = self.cells(reader, "[data-severity=critical][data-look=green]")
        expect(marked).to_have_count(2)
        expect(marked.first).to_have_attribute("aria-description", "critical, highlighted")
        self.assertEqual(reader.page.evaluate(FAULTS), [])
        reader.check_clean(self)


if __name__ == "__main__":
    unittest.main()
