"""Columns that the server fills: histories, and the time of the last change."""

import json
import re
import shlex
import sys
import unittest

from aria import FAULTS
from pages import PageTest
from playwright.sync_api import expect
from rowcast_server import Server

SCHEMA = {
    "type": "schema", "name": "disks", "key": "integer", "changed": "touched", "columns": [
        {"name": "mount", "type": "text", "title": "Mount"},
        {"name": "used", "type": "number", "title": "Used", "unit": "%", "history": 5},
        {"name": "files", "type": "integer", "title": "Files"},
    ],
}  # fmt: skip
VALUES = [10, 30, 20, 50, 40, 70]
PROGRAM = """
import json, sys
for line in json.loads(sys.argv[1]): print(json.dumps(line), flush=True)
sys.stdin.read()
"""


class HistoryTest(PageTest):
    @classmethod
    def serve(cls):
        lines = [{"type": "hello", "version": 1}, SCHEMA]
        lines += [{"type": "upsert", "rows": [[1, "/", value, 7], [2, "/home", 3, 8]]} for value in VALUES]
        child = f"disks={shlex.join([sys.executable, '-c', PROGRAM, json.dumps(lines)])}"
        return Server(options=("--no-token", "--child", child, "--history", "disks.files=9"))

    def details(self, **how):
        user = self.open(**how)
        user.page.locator(".cell", has_text="/").first.click()
        user.page.keyboard.press("Enter")
        return user, user.page.locator(".chart:visible")

    def test_history_and_change_time_columns_follow_the_others(self):
        user = self.open()
        heads = user.page.get_by_role("columnheader")
        expect(heads).to_have_count(6)
        titles = [re.sub(r"\s+", " ", text).strip() for text in heads.all_inner_texts()]
        self.assertEqual([title[:12] for title in titles[3:]], ["Used, last 5", "Files, last ", "Changed"])
        expect(user.page.locator(".spark path[d^=M]")).to_have_count(1)
        user.check_clean(self)

    def test_rows_are_filtered_by_the_time_of_their_change(self):
        user = self.open()
        user.page.locator("#filter").fill("touched < 1h")
        user.wait_for_count(3)
        user.page.locator("#filter").fill("touched > 1h")
        user.wait_for_count(1)
        user.check_clean(self)

    def test_details_show_a_chart_of_the_history(self):
        user, chart = self.details()
        expect(chart).to_have_count(1)
        expect(chart).to_have_attribute("aria-label", "Used, last 5")
        expect(chart.locator(".chart-most")).to_have_text("70%")
        expect(chart.locator(".chart-least")).to_have_text("20%")
        expect(chart.locator(".chart-reading")).to_have_text("70% · the last value")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.check_clean(self)

    def test_the_crosshair_follows_the_pointer(self):
        user, chart = self.details()
        box = chart.locator(".chart-plot").bounding_box()
        user.page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 20)
        expect(chart.locator(".chart-reading")).to_have_text("20% · value 2 of 5")
        expect(chart.locator(".chart-line")).to_be_visible()
        user.page.mouse.move(box["x"], box["y"] - 60)
        expect(chart.locator(".chart-line")).to_be_hidden()
        user.check_clean(self)

    def test_the_crosshair_moves_by_keys(self):
        user, chart = self.details()
        chart.focus()
        for _ in range(2):
            user.page.keyboard.press("ArrowLeft")
        expect(chart).to_have_attribute("aria-valuetext", "50% · value 3 of 5")
        user.page.keyboard.press("Home")
        expect(chart).to_have_attribute("aria-valuenow", "1")
        user.page.keyboard.press("End")
        expect(chart.locator(".chart-reading")).to_have_text("70% · the last value")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
