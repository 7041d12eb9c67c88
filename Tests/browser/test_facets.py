"""The facets panel: counts of values and ranges, and the filters that a choice makes."""

import json
import shlex
import sys
import unittest

from aria import FAULTS
from pages import PageTest
from playwright.sync_api import expect
from rowcast_server import Server

COLUMNS = [
    {"name": "job", "type": "text", "title": "Job"},
    {"name": "state", "type": "text", "title": "State", "style": "badge"},
    {"name": "nice", "type": "integer", "title": "Nice"},
    {"name": "host", "type": "text", "title": "Host", "style": "badge"},
]  # fmt: skip
STATES = ["done", "done", "done", "late", "new"]
# 24 done, 8 late, 8 new; 40 hosts of one row each.
ROWS = [[number, f"job {number}", STATES[number % 5], number % 4, f"host {number:02}"] for number in range(40)]
# The action finishes the first late job.
PROGRAM = """
import json, sys
for line in json.loads(sys.argv[1]): print(json.dumps(line), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] != "action": continue
    print(json.dumps({"type": "update", "key": 3, "row": {"state": "done"}}), flush=True)
    print(json.dumps({"type": "acted", "id": asked["id"], "result": "finished"}), flush=True)
"""


class FacetsTest(PageTest):
    @classmethod
    def serve(cls):
        options = ["--no-token"]
        for name in ("jobs", "live"):
            lines = [
                {"type": "hello", "version": 1},
                {"type": "schema", "name": name, "key": "integer", "columns": COLUMNS,
                 "actions": [{"name": "finish", "title": "Finish one", "rows": False}]},
                {"type": "upsert", "rows": ROWS},
            ]  # fmt: skip
            program = shlex.join([sys.executable, "-c", PROGRAM, json.dumps(lines)])
            options += ["--child", f"{name}={program}"]
        return Server(options=options)

    def open(self, fragment="#table=jobs", **how):
        return super().open(fragment, locale="en-US", **how)

    def opened(self, fragment="#table=jobs", **how):
        """Returns a reader with the panel open and its values counted."""
        reader = self.open(fragment, **how)
        reader.page.locator("#facets").click()
        expect(self.entry(reader, "State", "done")).to_be_visible()
        return reader

    def facet(self, reader, title):
        return reader.page.get_by_role("group", name=title, exact=True)

    def entry(self, reader, title, label):
        return self.facet(reader, title).locator(f'.facet-entry:has(.facet-label:text-is("{label}"))')

    def values(self, reader, title):
        """Returns the labels and counts of a facet."""
        return self.facet(reader, title).locator(".facet-entry").evaluate_all(
            """(all) => all.map((el) => ['.facet-label', '.facet-count']
              .map((part) => el.querySelector(part).textContent))""")

    def wait_for_rows(self, reader, count):
        reader.wait_for_count(count + 1)  # with the row of column headers

    def test_the_panel_counts_values_and_a_click_filters(self):
        reader = self.opened()
        self.assertEqual(self.values(reader, "State"), [["done", "24"], ["late", "8"], ["new", "8"]])
        self.entry(reader, "State", "late").click()
        self.wait_for_rows(reader, 8)
        expect(self.entry(reader, "State", "late")).to_have_attribute("aria-selected", "true")
        expect(reader.page.locator(".chip")).to_have_text("State late")
        # The other values of the column stay, and the other columns follow.
        self.assertEqual(self.values(reader, "State"), [["done", "24"], ["late", "8"], ["new", "8"]])
        self.entry(reader, "State", "new").click()
        self.wait_for_rows(reader, 16)
        self.entry(reader, "State", "late").click()
        self.wait_for_rows(reader, 8)
        self.facet(reader, "State").get_by_role("button", name="Clear").click()
        self.wait_for_rows(reader, 40)
        self.assertEqual(reader.page.evaluate(FAULTS), [])
        reader.check_clean(self)

    def test_alt_click_and_the_menu_leave_values_out(self):
        reader = self.opened()
        self.entry(reader, "State", "done").click(modifiers=["Alt"])
        self.wait_for_rows(reader, 16)
        expect(reader.page.locator(".chip")).to_have_text("State not done")
        expect(self.entry(reader, "State", "done")).to_have_attribute("aria-label", "done, 24 rows, left out")
        self.entry(reader, "State", "late").click(button="right")
        reader.page.get_by_role("menuitemcheckbox", name="Leave these rows out").click()
        self.wait_for_rows(reader, 8)
        self.entry(reader, "State", "done").click()
        self.wait_for_rows(reader, 32)
        reader.page.keyboard.press("Control+z")
        self.wait_for_rows(reader, 8)
        reader.check_clean(self)

    def test_keys_open_and_close_facets_and_filter_by_values(self):
        reader = self.open()
        reader.page.locator("#grid").focus()
        reader.page.keyboard.press("f")
        expect(self.entry(reader, "State", "done")).to_be_focused()
        reader.page.keyboard.press("ArrowDown")
        expect(self.entry(reader, "State", "late")).to_be_focused()
        reader.page.keyboard.press("Enter")
        self.wait_for_rows(reader, 8)
        expect(self.entry(reader, "State", "late")).to_be_focused()
        reader.page.keyboard.press("Delete")
        self.wait_for_rows(reader, 32)
        reader.page.keyboard.press("Space")
        self.wait_for_rows(reader, 40)
        reader.page.keyboard.press("Shift+F10")
        expect(reader.page.get_by_role("menu", name="late")).to_be_visible()
        reader.page.keyboard.press("Escape")
        expect(self.entry(reader, "State", "late")).to_be_focused()
        reader.page.keyboard.press("Escape")
        expect(reader.page.locator(".facets")).to_have_count(0)
        reader.until("() => document.querySelector('#grid').contains(document.activeElement)", "the focus is back")
        reader.check_clean(self)

    def test_counts_update_while_hovered_values_keep_their_order(self):
        reader = self.opened("#table=live")
        self.entry(reader, "State", "new").hover()
        other = self.open("#table=live")
        other.page.keyboard.press("Control+k")
        other.page.get_by_role("combobox", name="Command").fill("finish one")
        other.page.keyboard.press("Enter")
        expect(self.entry(reader, "State", "done").locator(".facet-count")).to_have_text("25")
        self.assertEqual(self.values(reader, "State"), [["done", "25"], ["late", "7"], ["new", "8"]])
        reader.page.mouse.move(900, 400)
        reader.until("""() => [...document.querySelectorAll('.facet-label')].slice(0, 3)
          .map(({ textContent }) => textContent).join() === 'done,new,late'""", "the values are in order")
        reader.check_clean(self)

    def test_added_numeric_facet_filters_by_range_and_survives_reload(self):
        reader = self.opened()
        reader.page.get_by_role("button", name="Columns").click()
        reader.page.get_by_role("menuitemcheckbox", name="Nice").click()
        expect(self.entry(reader, "Nice", "0")).to_be_visible()
        self.assertEqual(self.values(reader, "Nice"), [["0", "10"], ["1", "10"], ["2", "10"], ["3", "10"]])
        self.entry(reader, "Nice", "1").click()
        self.entry(reader, "Nice", "2").click()
        self.wait_for_rows(reader, 20)
        expect(reader.page.locator(".chip")).to_have_text("Nice 1 – 2")
        reader.page.reload()
        expect(self.entry(reader, "Nice", "2")).to_have_attribute("aria-selected", "true")
        self.wait_for_rows(reader, 20)
        reader.check_clean(self)

    def test_long_facet_has_search_box_and_shows_all_on_request(self):
        reader = self.opened()
        host = self.facet(reader, "Host")
        expect(host.locator(".facet-entry")).to_have_count(10)
        host.get_by_role("button", name="30 more").click()
        expect(host.locator(".facet-entry")).to_have_count(40)
        host.get_by_role("searchbox").fill("host 3")
        expect(host.locator(".facet-entry")).to_have_count(10)
        reader.page.keyboard.press("ArrowDown")
        reader.page.keyboard.press("Enter")
        self.wait_for_rows(reader, 1)
        reader.check_clean(self)

    def test_each_pane_has_its_own_facets_panel(self):
        reader = self.opened()
        reader.page.keyboard.press("s")
        reader.page.locator("#stage-2 .row").first.wait_for()
        expect(reader.page.locator("#stage .facets")).to_be_visible()
        expect(reader.page.locator("#facets")).to_have_attribute("aria-pressed", "false")
        reader.page.keyboard.press("f")
        expect(reader.page.locator("#stage-2 .facet-entry").first).to_be_focused()
        reader.check_clean(self)

    def test_facets_panel_covers_narrow_page(self):
        reader = self.opened(size=(400, 700))
        width = reader.page.locator(".facets").evaluate("(el) => el.getBoundingClientRect().width")
        self.assertEqual(width, 400)
        self.entry(reader, "State", "late").click()
        reader.page.get_by_role("button", name="Close the facets").click()
        self.wait_for_rows(reader, 8)
        self.assertEqual(reader.page.evaluate(FAULTS), [])
        reader.check_clean(self)


if __name__ == "__main__":
    unittest.main()
