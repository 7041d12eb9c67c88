"""Sections by ranges: the dialog, the headers, filters by a range, undo and links."""

import json
import shlex
import sys
import unittest
import urllib.parse

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from rowcast_server import Server
from user import expect

HEADERS = """() => [...document.querySelectorAll('#grid .section:not([hidden])')]
  .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
  .map((row) => row.querySelector('.section-value').textContent)"""


class RangesTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 5_000, "market.rate": 0}

    def open_dialog(self, user, column="Price"):
        page = user.page
        head = page.get_by_role("columnheader", name=column, exact=False).first
        head.click(button="right")
        page.get_by_role("menu").get_by_role("menuitemcheckbox", name="Group by ranges…").click()
        return page.get_by_role("dialog", name=f"Group {column} by ranges")

    def test_the_dialog_groups_by_a_width_and_the_header_filters_by_it(self):
        for theme in ("light", "dark"):
            user = self.open("#table=quotes", scheme=theme)
            page = user.page
            dialog = self.open_dialog(user)
            width = dialog.get_by_role("combobox", name="Width", exact=True)
            expect(width).to_be_focused()
            self.assertEqual(page.evaluate(FAULTS), [])
            page.screenshot(path=ARTIFACTS / f"ranges-dialog-{theme}.png")
            width.select_option(label="Own width")
            own = dialog.get_by_role("textbox", name="Own width")
            expect(own).to_be_focused()
            own.fill("0")
            page.keyboard.press("Enter")
            expect(dialog.get_by_role("alert")).to_have_text("The width must be above 0.")
            own.fill("10,000")
            page.keyboard.press("Enter")
            expect(dialog).to_have_count(0)
            user.until(f"() => ({HEADERS})().length > 0", "there are sections")
            self.assertRegex(page.evaluate(HEADERS)[0], r"^[\d,.]+ – [\d,.]+$")
            self.assertIn("group=price&ranges=price:10000", page.url)
            page.screenshot(path=ARTIFACTS / f"ranges-sections-{theme}.png")
            self.assertEqual(page.evaluate(FAULTS), [])
            user.check_clean(self)

    def test_a_section_filters_by_its_range_and_undo_restores_the_rows(self):
        user = self.open("#table=quotes&group=price&ranges=price:10000")
        page = user.page
        user.until(f"() => ({HEADERS})().length > 0", "there are sections")
        first = page.evaluate(HEADERS)[0]
        count = int(page.locator("#grid .section:not([hidden]) .section-count").first.text_content().replace(",", ""))
        page.get_by_role("rowheader").first.click(button="right")
        page.get_by_role("menu").get_by_role("menuitem", name=f"Filter for “{first}”").click()
        user.wait_for_count(count + 2)  # with the columns' and the section's headers
        self.assertEqual(page.evaluate(HEADERS)[0], first)
        user.grid.focus()
        page.keyboard.press("Control+z")
        user.until("(few) => document.querySelector('#grid').ariaRowCount > few", "all rows are back", count + 2)
        page.reload()
        user.until(f"() => ({HEADERS})().length > 0", "the address has the ranges")
        self.assertEqual(page.evaluate(HEADERS)[0], first)
        user.check_clean(self)

    def test_undo_and_redo_take_ranges_away_and_back(self):
        user = self.open("#table=quotes")
        page = user.page
        dialog = self.open_dialog(user)
        dialog.get_by_role("button", name="Group", exact=True).click()
        user.until(f"() => ({HEADERS})().length > 0", "there are sections")
        headers = page.evaluate(HEADERS)
        user.grid.focus()
        page.keyboard.press("Control+z")
        user.until(f"() => ({HEADERS})().length === 0", "the sections are gone")
        self.assertNotIn("ranges=", page.url)
        page.keyboard.press("Control+Shift+z")
        user.until(f"(first) => ({HEADERS})()[0] === first", "the sections are back", headers[0])
        user.check_clean(self)

    def test_times_have_units(self):
        user = self.open("#table=quotes&times=utc")
        dialog = self.open_dialog(user, "Time")
        dialog.get_by_role("combobox", name="Unit").select_option(label="Minute")
        dialog.get_by_role("button", name="Group", exact=True).click()
        user.until(f"() => ({HEADERS})()[0] === '2023-11-14 22:13 – 22:14'", "the minute is in the header")
        self.assertIn("group=ts&ranges=ts:minute", user.page.url)
        user.check_clean(self)

    def test_collapsing_all_sections_collapses_ranges(self):
        user = self.open("#table=quotes&group=price&ranges=price:10000")
        page = user.page
        user.until(f"() => ({HEADERS})().length > 0", "there are sections")
        page.get_by_role("rowheader").first.click(button="right")
        page.get_by_role("menu").get_by_role("menuitem", name="Collapse all sections").click()
        user.until(f"() => ({HEADERS})().length > 3", "only headers are left")
        headers = page.evaluate(HEADERS)
        self.assertEqual(len(headers), len(set(headers)))
        page.screenshot(path=ARTIFACTS / "ranges-collapsed.png")
        user.check_clean(self)


SUGGESTED = [
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "jobs", "key": "integer", "columns": [
        {"name": "job", "type": "text", "title": "Job"}, {"name": "used", "type": "integer", "title": "Used"},
    ], "view": {"group": ["used"], "ranges": [{"column": "used", "width": 20}]}},
    {"type": "upsert", "rows": [[number, f"job {number}", number] for number in range(50)]},
]  # fmt: skip
PROGRAM = "import sys; print(sys.argv[1], flush=True); sys.stdin.read()"


class SuggestedRangesTest(PageTest):
    @classmethod
    def serve(cls):
        command = [sys.executable, "-c", PROGRAM, "\n".join(map(json.dumps, SUGGESTED))]
        return Server(options=("--no-token", "--child", f"jobs={shlex.join(command)}"))

    def test_a_source_suggests_ranges_which_a_user_can_replace(self):
        user = self.open()
        page = user.page
        user.until(f"() => ({HEADERS})()[0] === '0 – 19'", "the sections are ranges")
        self.assertNotIn("ranges=", page.url)
        page.get_by_role("rowheader").first.click(button="right")
        page.get_by_role("menuitem", name="Stop grouping by this column").click()
        user.until(f"() => ({HEADERS})().length === 0", "the sections are gone")
        page.locator("#reset").click()
        user.until(f"() => ({HEADERS})()[0] === '0 – 19'", "the sections are back")
        user.check_clean(self)


# A row for each hour of some days in UTC: 2026-03-07 to 09, 2026-03-28 to 30 and 2026-10-24 to 26.
HOURS = [
    day + 3_600 * hour for day in (1_772_755_200, 1_774_569_600, 1_792_713_600) for hour in range(5 * 24)
]
CLOCKS = [
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "hours", "key": "integer", "columns": [
        {"name": "at", "type": "timestamp", "title": "At"}, {"name": "number", "type": "integer", "title": "Number"},
    ]},
    {"type": "upsert", "rows": [[number, at * 1_000, number] for number, at in enumerate(HOURS)]},
]  # fmt: skip
SECTIONS = """() => Object.fromEntries([...document.querySelectorAll('#grid .section:not([hidden])')]
  .map((row) => [row.querySelector('.section-value').textContent, row.querySelector('.section-count').textContent]))"""


class ClocksTest(PageTest):
    @classmethod
    def serve(cls):
        command = [sys.executable, "-c", PROGRAM, "\n".join(map(json.dumps, CLOCKS))]
        return Server(options=("--no-token", "--child", f"hours={shlex.join(command)}"))

    def collapsed(self, user):
        user.until(f"() => Object.keys(({SECTIONS})()).length > 0", "there are sections")
        user.page.get_by_role("rowheader").first.click(button="right")
        user.page.get_by_role("menuitem", name="Collapse all sections").click()

    def test_days_of_a_change_of_clocks_have_23_and_25_hours(self):
        for zone, days in (
            ("Europe/Berlin", {"2026-03-28": "24", "2026-03-29": "23", "2026-10-25": "25", "2026-10-26": "24"}),
            ("America/New_York", {"2026-03-07": "24", "2026-03-08": "23", "2026-03-09": "24"}),
        ):
            user = self.open("#table=hours&group=at&ranges=at:day", timezone_id=zone)
            self.collapsed(user)
            user.until(
                f"(days) => Object.entries(days).every(([day, count]) => ({SECTIONS})()[day] === count)",
                f"{zone} has days of {days} hours", days,
            )
            user.check_clean(self)

    def test_times_in_the_filter_bar_have_the_offset_of_their_date(self):
        for day in ("2026-03-28", "2026-03-31"):  # before and after the change of the clocks
            query = urllib.parse.quote_plus(f'at >= {day} and at < "{day} 01:00"')
            user = self.open(f"#table=hours&where={query}", timezone_id="Europe/Berlin")
            expect(user.page.locator("#rows")).to_contain_text("1 row matches")
            expect(user.page.locator(".sheet [role=gridcell]").first).to_contain_text(f"{day} 00:00")
            user.check_clean(self)

    def test_the_dialog_groups_by_days_and_the_hours_in_them(self):
        user = self.open("#table=hours", timezone_id="Europe/Berlin")
        page = user.page
        page.get_by_role("columnheader", name="At").first.click(button="right")
        page.get_by_role("menu").get_by_role("menuitemcheckbox", name="Group by ranges…").click()
        dialog = page.get_by_role("dialog", name="Group At by ranges")
        dialog.get_by_role("combobox", name="Unit").select_option(label="Day")
        dialog.get_by_role("combobox", name="Then by").select_option(label="Hour")
        self.assertEqual(page.evaluate(FAULTS), [])
        page.screenshot(path=ARTIFACTS / "ranges-twice-dialog.png")
        dialog.get_by_role("button", name="Group", exact=True).click()
        user.until(
            f"() => ({HEADERS})().slice(0, 2).join() === '2026-03-06,2026-03-06 01:00 – 02:00'",
            "hours are in their day",
        )
        self.assertIn("group=at,at&ranges=at:day,at:hour", page.url)
        for label, title in (("Group by", "At (day)"), ("then by", "At (hour)")):
            chosen = page.get_by_role("combobox", name=label, exact=True).locator("option:checked")
            expect(chosen).to_have_text(title)
        expect(page.locator("#grid .section-column").filter(has_text="At (day)").first).to_be_visible()
        expect(page.locator("#grid .section-column").filter(has_text="At (hour)").first).to_be_visible()
        page.screenshot(path=ARTIFACTS / "ranges-twice.png")
        # The filter of the hour is that of its level alone.
        page.get_by_role("rowheader", name="01:00").first.click(button="right")
        expect(page.get_by_role("menu", name="Section At (hour)")).to_be_visible()
        page.get_by_role("menuitem", name="Filter for this section").click()
        user.until("() => document.querySelector('#grid').ariaRowCount === '4'", "one row is left, with three headers")
        page.reload()
        user.until(f"() => ({HEADERS})().length === 2", "the address has both levels")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
