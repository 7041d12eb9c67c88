"""The user's highlights of values: from the column menu, in the address, and undone."""

import json
import re
import shlex
import sys
import unittest
import urllib.parse

from aria import FAULTS
from pages import ARTIFACTS, PageTest
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
LONG = [
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "long", "key": "integer", "columns": [
        {"name": "used", "type": "number", "title": "Used"}, {"name": "size", "type": "integer", "title": "Size"},
    ]},
    {"type": "upsert", "rows": [[number, number, number] for number in range(3_000)]},
]  # fmt: skip
PROGRAM = "import sys; print(sys.argv[1], flush=True); sys.stdin.read()"


class HighlightsTest(PageTest):
    @classmethod
    def serve(cls):
        options = ["--no-token"]
        for name, lines in (("jobs", LINES), ("long", LONG)):
            command = [sys.executable, "-c", PROGRAM, "\n".join(map(json.dumps, lines))]
            options += ["--child", f"{name}={shlex.join(command)}"]
        return Server(options=options)

    def menu(self, user):
        user.header("^Used").click(button="right")
        user.page.get_by_role("menuitem", name="Highlight…").click()
        return user.page.get_by_role("menu", name="Highlight Used")

    def cells(self, user, selector):
        return user.page.locator(f'.row:not([hidden]) .cell[aria-colindex="2"]{selector}')

    def test_a_rule_marks_the_values_that_match(self):
        user = self.open("#table=jobs")
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
        user = self.open("#table=jobs")
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

    def test_a_rule_by_another_column_marks_the_name_of_the_row(self):
        user = self.open("#table=jobs")
        user.header("^Job").click(button="right")
        user.page.get_by_role("menuitem", name="Highlight…").click()
        user.page.get_by_role("menu", name="Highlight Job").get_by_text("Amber ▲…").click()
        box = user.page.get_by_role("dialog", name="Job: Amber ▲")
        box.get_by_label("By column").select_option(label="Used")
        box.get_by_label("From").fill("2")
        box.get_by_label("To (inclusive)").fill("3")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.screenshot(path=str(ARTIFACTS / "rule-by-another-column.png"))
        box.get_by_role("button", name="Apply").click()
        marked = user.page.locator('.row:not([hidden]) .cell[aria-colindex="1"][data-look=amber]')
        expect(marked).to_have_text(["job 2", "job 3"])
        expect(self.cells(user, "[data-look]")).to_have_count(0)
        user.header("^Job").click(button="right")
        user.page.get_by_role("menuitem", name="Highlight…").click()
        user.page.get_by_text("Amber ▲: Used 2 – 3").click()
        expect(box.get_by_label("By column")).to_have_value("used")
        expect(box.get_by_label("From")).to_have_value("2")
        user.check_clean(self)

    def test_a_rule_by_percentile_marks_the_greatest_values_of_all_rows(self):
        user = self.open("#table=jobs&sort=-used")
        self.menu(user).get_by_text("Blue ■…").click()
        box = user.page.get_by_role("dialog", name="Used: Blue ■")
        box.get_by_label("Condition", exact=True).select_option(label="among the greatest")
        box.get_by_label("Share of the values").select_option("10")
        box.get_by_role("button", name="Apply").click()
        # The 90th percentile of 0 to 39 is 35.
        expect(self.cells(user, "[data-look=blue]")).to_have_text(["39", "38", "37", "36"])
        expect(self.menu(user).get_by_text("Blue ■: top 10 %")).to_be_visible()
        user.page.keyboard.press("Escape")
        # The percentile is that of the rows that the filters let through.
        user.page.locator("#filter").fill("used < 20")
        user.page.locator("#filter").press("Enter")
        expect(self.cells(user, "[data-look=blue]")).to_have_text(["19", "18"])
        user.check_clean(self)

    def test_bars_and_heat_scales_have_the_scale_of_all_rows(self):
        rules = urllib.parse.quote(json.dumps([{"column": "used", "look": "heat"}, {"column": "size", "look": "bar"}]))
        user = self.open("#table=long&highlight=" + rules)
        # The greatest value is that of the last of 3,000 rows, of which the page holds a few.
        heat = user.page.locator('.row:not([hidden]) .cell[aria-colindex="1"][data-heat]')
        bar = user.page.locator('.row:not([hidden]) .cell[aria-colindex="2"] i')
        expect(heat.first).to_have_attribute("data-heat", "1")
        expect(user.page.locator('.row:not([hidden]) .cell[data-heat]:not([data-heat="1"])')).to_have_count(0)
        expect(bar.nth(4)).to_have_attribute("style", "width: 0%;")
        user.page.locator(".grid").focus()
        user.page.keyboard.press("Control+End")
        expect(user.page.locator('.row:not([hidden]) .cell[data-heat="8"]').last).to_be_visible()
        expect(user.page.locator('.row:not([hidden]) .bar i[style="width: 100%;"]').first).to_be_visible()
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
