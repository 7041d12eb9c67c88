"""The display of values: the form of times."""

import json
import re
import shlex
import sys
import time
import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from playwright.sync_api import expect
from rowcast_server import Server

NOON = 1_772_366_400_250  # 2026-03-01 12:00:00.250 UTC
LINES = [
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "jobs", "key": "integer", "columns": [
        {"name": "job", "type": "text", "title": "Job"},
        {"name": "began", "type": "timestamp", "title": "Began"},
        {"name": "seen", "type": "timestamp", "title": "Seen", "format": "datetime"},
        {"name": "beat", "type": "timestamp", "title": "Beat", "style": "age"},
    ]},
    {"type": "upsert", "rows": [
        [number, f"job {number}", NOON + number, NOON - number * 60_000, round(time.time() * 1_000) - 5_000]
        for number in range(400)
    ]},
]  # fmt: skip
PROGRAM = "import sys; print(sys.argv[1], flush=True); sys.stdin.read()"


class TimesTest(PageTest):
    @classmethod
    def serve(cls):
        lines = "\n".join(map(json.dumps, LINES))
        return Server(options=("--no-token", "--child", f"jobs={shlex.join([sys.executable, '-c', PROGRAM, lines])}"))

    def cell(self, reader, column):
        return reader.page.locator(f'.row[aria-rowindex="2"] .cell[aria-colindex="{column}"]')

    def menu(self, reader, title):
        reader.header(f"^{title}").click(button="right")
        reader.page.get_by_role("menuitem", name="Times…").click()
        return reader.page.get_by_role("menu", name=f"Times of {title}")

    def all_times(self, reader):
        reader.page.get_by_role("button", name="View options").click()
        reader.page.get_by_role("menuitem", name="Times…").click()
        return reader.page.get_by_role("menu", name="Times")

    def test_the_view_options_choose_the_form_of_all_times(self):
        reader = self.open(scheme="dark")
        menu = self.all_times(reader)
        self.assertEqual(reader.page.evaluate(FAULTS), [])
        reader.page.screenshot(path=ARTIFACTS / "times-menu-dark.png")
        menu.get_by_role("menuitemradio", name="UTC").click()
        expect(self.cell(reader, 2)).to_have_text("2026-03-01 12:00:00.250Z")
        expect(self.cell(reader, 3)).to_have_text("2026-03-01 12:00:00.250Z")
        expect(reader.page).to_have_url(re.compile("times=utc$"))
        self.all_times(reader).get_by_role("menuitemradio", name="Without milliseconds").click()
        expect(self.cell(reader, 2)).to_have_text("2026-03-01 12:00:00Z")
        expect(reader.page).to_have_url(re.compile(r"times=utc\.0$"))
        reader.page.keyboard.press("Control+z")
        expect(self.cell(reader, 2)).to_have_text("2026-03-01 12:00:00.250Z")
        expect(reader.page.get_by_text("Undone: form of times").first).to_be_visible()
        reader.page.keyboard.press("Control+z")
        expect(self.cell(reader, 2)).to_have_text(re.compile(r"00\.250$"))
        reader.check_clean(self)

    def test_the_column_menu_chooses_the_form_of_one_column_with_the_keyboard(self):
        reader = self.open()
        reader.page.locator(".grid").focus()
        reader.page.keyboard.press("ArrowUp")
        reader.page.keyboard.press("ArrowRight")
        reader.page.keyboard.press("ArrowRight")
        reader.page.keyboard.press("Alt+ArrowDown")
        reader.page.keyboard.type("t")
        reader.page.keyboard.press("Enter")
        menu = reader.page.get_by_role("menu", name="Times of Seen")
        menu.get_by_role("menuitemradio", name="Relative").press("Enter")
        expect(self.cell(reader, 3)).to_have_text(re.compile(r"^\d+.d.ago$"))
        expect(self.cell(reader, 2)).to_have_text(re.compile(r"00\.250$"))
        expect(reader.page).to_have_url(re.compile("times=seen:relative$"))
        self.assertEqual(reader.page.evaluate(FAULTS), [])
        reader.check_clean(self)

    def test_relative_times_stay_current_and_move_nothing(self):
        reader = self.open("#table=jobs&times=relative")
        page = reader.page
        expect(self.cell(reader, 4)).to_have_text(re.compile("^\\d+.(s|min).ago$"))
        boxes = "() => [...document.querySelectorAll('.head')].map((head) => head.getBoundingClientRect().left)"
        before, text = page.evaluate(boxes), self.cell(reader, 4).inner_text()
        expect(self.cell(reader, 4)).not_to_have_text(text)
        expect(self.cell(reader, 4)).to_have_text(re.compile("^\\d+.(s|min).ago$"))
        self.assertEqual(page.evaluate(boxes), before)
        reader.check_clean(self)

    def test_a_link_shows_its_form_from_the_first_row_on_and_copies_are_exact(self):
        reader = self.open("#table=jobs&times=utc.0,began:relative")
        expect(self.cell(reader, 2)).to_have_text(re.compile("ago$"))
        expect(self.cell(reader, 3)).to_have_text("2026-03-01 12:00:00Z")
        self.cell(reader, 3).click()
        reader.page.keyboard.press("Control+c")
        self.assertRegex(reader.pasted(), r"^2026-03-0[12] \d\d:\d\d:00\.250[+-]\d\d:\d\d$")
        reader.check_clean(self)

    def test_filters_read_times_as_the_column_shows_them(self):
        reader = self.open("#table=jobs&times=utc.0")
        reader.header("^Seen").click(button="right")
        reader.page.get_by_role("menuitem", name="Filter…").click()
        box = reader.page.get_by_role("dialog", name="Filter Seen")
        box.get_by_label("From").fill("2026-03-01 11:58:00")
        box.get_by_role("button", name="Apply").click()
        expect(reader.page.locator("#rows")).to_have_text(re.compile("^3 "))
        expect(reader.page.locator("#terms")).to_contain_text("≥ 2026-03-01 11:58:00Z")
        reader.check_clean(self)


if __name__ == "__main__":
    unittest.main()
