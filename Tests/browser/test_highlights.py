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

    def menu(self, user):
        user.header("^Used").click(button="right")
        user.page.get_by_role("menuitem", name="Highlight…").click()
        return user.page.get_by_role("menu", name="Highlight Used")

    def cells(self, user, selector):
        return user.page.locator(f'.row:not([hidden]) .cell[aria-colindex="2"]{selector}')

    def test_a_rule_marks_the_values_that_match(self):
        user = self.open()
        self.menu(user).get_by_text("Red ◆…").click()
        box = user.page.get_by_role("dialog", name="Used: Red ◆")
        box.get_by_label("From").fill("3")
        box.get_by_label("To (inclusive)").fill("5")
        box.get_by_role("button", name="Apply").click()
        expect(self.cells(user, "[data-look=red]")).to_have_count(3)
        expect(self.cells(user, "[data-look=red]").first).to_have_attribute("aria-description", "highlighted")
        expect(user.page).to_have_url(re.compile("highlight="))
        expect(self.menu(user).get_by_text("Red ◆: 3 – 5")).to_be_visible()
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.keyboard.press("Escape")
        user.page.keyboard.press("Control+z")
        expect(self.cells(user, "[data-look]")).to_have_count(0)
        user.page.keyboard.press("Control+Shift+z")
        expect(self.cells(user, "[data-look=red]")).to_have_count(3)
        user.check_clean(self)

    def test_highlight_menu_adds_and_removes_heat_scale_and_bars(self):
        user = self.open()
        user.page.locator(".grid").focus()
        for label, selector in (("Heat scale", "[data-heat]"), ("Bars", ".bar")):
            self.menu(user).get_by_role("menuitemcheckbox", name=label).press("Enter")
            expect(self.cells(user, selector).first).to_be_visible()
        expect(self.cells(user, ":not(.bar)")).to_have_count(0)
        self.menu(user).get_by_role("menuitem", name="Remove all of the column").press("Enter")
        expect(self.cells(user, ".bar")).to_have_count(0)
        expect(user.page).not_to_have_url(re.compile("highlight="))
        user.check_clean(self)

    def test_severity_marks_stay_under_highlights_from_a_link(self):
        rules = [
            {"column": "used", "look": "green", "term": {"column": "used", "op": "range", "from": 38}},
            {"column": "job", "look": "bold", "term": {"column": "job", "op": "contains", "value": "9"}},
        ]
        user = self.open("#table=jobs&sort=-used&highlight=" + urllib.parse.quote(json.dumps(rules)))
        expect(self.cells(user, "[data-look=green]")).to_have_count(2)
        marked = self.cells(user, "[data-severity=critical][data-look=green]")
        expect(marked).to_have_count(2)
        expect(marked.first).to_have_attribute("aria-description", "critical, highlighted")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
