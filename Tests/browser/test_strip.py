"""The summary strip above the rows, and the severity of rows."""

import json
import re
import shlex
import sys
import unittest

from aria import FAULTS
from pages import PageTest
from playwright.sync_api import expect
from rowcast_server import Server

COLUMNS = [
    {"name": "job", "type": "text", "title": "Job"},
    {"name": "state", "type": "text", "title": "State", "style": "badge", "warn": ["late"], "critical": ["failed"]},
    {"name": "used", "type": "number", "title": "Used", "unit": "%"},
]  # fmt: skip
TILES = [
    {"function": "count"}, {"function": "sum", "column": "used", "title": "Load"},
    {"function": "count", "filter": {"column": "state", "op": "oneOf", "values": ["done"]}, "title": "Done"},
]  # fmt: skip
STATES = ["done", "done", "late", "failed", "new"]
ROWS = [[number, f"job {number}", STATES[number % 5], number] for number in range(40)]
# Adds a finished job two seconds after its start, and waits.
PROGRAM = """
import json, sys, threading
for line in json.loads(sys.argv[1]): print(json.dumps(line), flush=True)
threading.Event().wait(2)
late = {"type": "upsert", "key": 100, "cells": ["late one", "done", 20]}
if "jobs" in sys.argv[1]: print(json.dumps(late), flush=True)
sys.stdin.read()
"""


class StripTest(PageTest):
    @classmethod
    def serve(cls):
        lines = [
            {"type": "hello", "version": 1},
            {"type": "schema", "name": "jobs", "key": "integer", "columns": COLUMNS, "severity": "state",
             "view": {"tiles": TILES}},
            {"type": "upsert", "rows": ROWS},
        ]  # fmt: skip
        # Levels of two columns, none of which decides for the row.
        disks = [
            {"type": "hello", "version": 1},
            {"type": "schema", "name": "disks", "key": "integer", "view": {"tiles": TILES[:1]}, "columns": [
                {"name": "used", "type": "number", "title": "Used", "warn": 80, "critical": 95},
                {"name": "health", "type": "text", "warn": ["worn"], "critical": ["failed"]},
            ]},
            {"type": "upsert", "rows": [
                [1, 97, "good"], [2, 10, "failed"], [3, 99, "failed"], [4, 85, "good"], [5, 5, "good"],
            ]},
        ]  # fmt: skip
        children = [f"{name}={shlex.join([sys.executable, '-c', PROGRAM, json.dumps(table)])}"
                    for name, table in (("jobs", lines), ("disks", disks))]  # fmt: skip
        return Server(options=("--no-token", "--child", children[0], "--child", children[1]))

    def open(self, fragment="#table=jobs", **how):
        return super().open(fragment, **how)

    def wait_for_rows(self, user, count):
        user.wait_for_count(count + 1)  # with the row of column headers

    def main(self, user, title):
        return self.tile(user, title).locator(".tile-main")

    def tile(self, user, title):
        return user.page.locator(".tile", has=user.page.locator(f'.tile-title:text-is("{title}")'))

    def values(self, user):
        """Returns the values of the tiles by heading, once all have one."""
        return dict(user.until(
            """() => {
              const tiles = [...document.querySelectorAll('.tile')].map((tile) => [
                tile.querySelector('.tile-title').textContent, tile.querySelector('.tile-value').textContent]);
              return tiles.length > 0 && tiles.every(([, value]) => value !== '' && value !== '…') && tiles;
            }""", "the tiles have no values"))  # fmt: skip

    def test_tiles_show_values_of_all_rows_despite_filter(self):
        user = self.open(locale="en-US")
        expect(self.tile(user, "Done").locator(".tile-value")).to_have_text("17")
        values = {"Critical": "8", "Warning": "8", "Rows": "41", "Load": "800%", "Done": "17"}
        self.assertEqual(self.values(user), values)
        user.page.locator("#filter").fill('"job 7"')
        self.wait_for_rows(user, 1)
        self.assertEqual(self.values(user)["Rows"], "41")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.check_clean(self)

    def test_strip_has_54_pixels_reserved_above_the_grid(self):
        user = self.open()
        tops = user.page.evaluate(
            "['.grid', '.stage'].map((name) => document.querySelector(name).getBoundingClientRect().top)")
        self.assertEqual(tops[0] - tops[1], 54)

    def test_tile_click_filters_to_its_rows_and_second_click_restores(self):
        user = self.open()
        self.values(user)
        user.page.locator("#filter").fill("used < 10")
        self.wait_for_rows(user, 10)
        self.main(user, "Critical").click()
        self.wait_for_rows(user, 8)
        expect(self.main(user, "Critical")).to_have_attribute("aria-pressed", "true")
        expect(user.page.locator(".chip")).to_have_count(1)
        expect(user.page.locator("#filter")).to_have_value("")
        self.main(user, "Critical").click()
        self.wait_for_rows(user, 10)
        expect(user.page.locator("#filter")).to_have_value("used < 10")
        expect(self.main(user, "Critical")).to_have_attribute("aria-pressed", "false")
        self.main(user, "Done").click()
        self.wait_for_rows(user, 17)
        user.page.keyboard.press("Control+z")
        self.wait_for_rows(user, 10)
        user.check_clean(self)

    def test_severity_tiles_combine_levels_of_several_columns(self):
        user = self.open("#table=disks")
        self.assertEqual(self.values(user), {"Critical": "3", "Warning": "1", "Rows": "5"})
        self.main(user, "Critical").click()
        self.wait_for_rows(user, 3)
        expect(user.page.locator("#filter")).to_have_value('used >= 95 or health = "failed"')
        self.main(user, "Warning").click()
        self.wait_for_rows(user, 1)
        expect(self.main(user, "Warning")).to_have_attribute("aria-pressed", "true")
        self.main(user, "Warning").click()
        self.wait_for_rows(user, 5)
        user.check_clean(self)

    def test_rows_shown_tile_keeps_filter_it_was_added_with(self):
        user = self.open(locale="en-US")
        self.values(user)
        user.page.locator("#filter").fill("used > 30 -state:new")
        self.wait_for_rows(user, 7)
        user.page.locator(".tile-add").click()
        user.page.get_by_role("menuitemcheckbox", name="Rows shown").click()
        tile = self.tile(user, "used > 30 -state:new")
        expect(tile.locator(".tile-value")).to_have_text("7")
        expect(tile.locator(".tile-main")).to_have_attribute("aria-pressed", "true")
        user.page.locator("#filter").fill("")
        user.page.keyboard.press("Escape")  # closes the list of columns, which covers the strip
        self.wait_for_rows(user, 41)
        expect(tile.locator(".tile-value")).to_have_text("7")
        tile.locator(".tile-main").click()
        self.wait_for_rows(user, 7)
        user.page.locator(".tile-main").first.focus()
        user.page.keyboard.press("Control+z")
        self.wait_for_rows(user, 41)
        user.page.get_by_role("button", name="Reset view").click()
        expect(user.page.locator(".tile")).to_have_count(5)
        user.check_clean(self)

    def test_each_table_of_a_split_page_has_its_strip(self):
        user = self.open("#table=jobs&beside=table%3Ddisks")
        self.values(user)
        for at, count in enumerate((5, 3)):
            expect(user.page.locator(".strip").nth(at).locator(".tile")).to_have_count(count)

    def test_rows_are_marked_by_the_severity_column(self):
        user = self.open()
        found = user.until_rows("(rows) => rows.length > 10", "there are no rows")
        self.assertTrue(found)
        marks = user.page.evaluate(
            """() => [...document.querySelectorAll('.row:not([hidden])')].map((row) => [
              row.querySelector('[aria-colindex="2"]').textContent.trim(),
              row.dataset.severity ?? '', row.getAttribute('aria-description') ?? ''])""")
        words = {"failed": ["critical", "critical"], "late": ["warn", "warning"]}
        for state, *mark in marks:
            self.assertEqual(mark, words.get(state, ["", ""]), state)

    def test_a_tile_is_added_and_removed_with_the_keyboard(self):
        user = self.open(locale="en-US")
        self.values(user)
        user.page.locator(".tile-add").focus()
        user.page.keyboard.press("Enter")
        menu = user.page.get_by_role("menu")
        menu.get_by_role("menuitem", name="Used…").press("Enter")
        user.page.get_by_role("menu", name="Used").get_by_role("menuitemcheckbox", name="Maximum").press("Enter")
        expect(self.tile(user, "Maximum Used").locator(".tile-value")).to_have_text("39%")
        self.assertIn("tiles=", user.page.url)
        self.tile(user, "Maximum Used").locator(".tile-main").focus()
        user.page.keyboard.press("ArrowLeft")
        expect(self.tile(user, "Done").locator(".tile-main")).to_be_focused()
        user.page.keyboard.press("ArrowRight")
        user.page.keyboard.press("Delete")
        expect(user.page.locator(".tile")).to_have_count(5)
        expect(user.page.locator(".tile-main").nth(4)).to_be_focused()
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.check_clean(self)

    def test_a_tile_is_renamed_with_the_keyboard_and_with_the_pointer(self):
        user = self.open()
        self.values(user)
        self.main(user, "Load").focus()
        user.page.keyboard.press("F2")
        box = user.page.get_by_role("dialog", name="Rename the tile")
        expect(box.get_by_label("Title")).to_have_value("Load")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.keyboard.type("All of it")
        user.page.keyboard.press("Enter")
        expect(self.main(user, "All of it")).to_be_focused()
        expect(self.tile(user, "All of it").locator(".tile-value")).not_to_have_text("…")
        expect(user.page).to_have_url(re.compile("tiles="))
        self.main(user, "All of it").click(button="right")
        menu = user.page.get_by_role("menu", name="All of it")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        menu.get_by_role("menuitem", name="Rename…").click()
        box.get_by_label("Title").fill("")
        box.get_by_role("button", name="Rename").click()
        expect(self.main(user, "Sum Used")).to_be_visible()
        user.page.keyboard.press("Control+z")
        expect(self.main(user, "All of it")).to_be_visible()
        user.check_clean(self)

    def test_link_sets_the_tiles(self):
        user = self.open("#table=jobs&tiles=" + '[{"function":"distinct","column":"state"}]')
        self.assertEqual(self.values(user), {"Critical": "8", "Warning": "8", "Different State": "4"})

    def test_column_menu_adds_a_tile(self):
        user = self.open(locale="en-US")
        self.values(user)
        user.header("^Used").click(button="right")
        user.page.get_by_role("menuitem", name="Add to the summary…").click()
        user.page.get_by_role("menuitemcheckbox", name="Average").first.click()
        expect(self.tile(user, "Average Used").locator(".tile-value")).to_contain_text("19.51")

    def test_strip_scrolls_instead_of_narrow_page(self):
        user = self.open(size=(400, 700))
        self.values(user)
        sizes = user.page.evaluate(
            """() => {
              const strip = document.querySelector('.strip');
              return [strip.scrollWidth > strip.clientWidth, document.documentElement.scrollWidth];
            }""")
        self.assertEqual(sizes, [True, 400])


if __name__ == "__main__":
    unittest.main()
