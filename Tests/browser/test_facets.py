"""The facets panel: counts of values and ranges, and the filters that a choice makes."""

import json
import shlex
import sys
import unittest

from aria import FAULTS
from browsers import only_chromium
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
        """Returns a user with the panel open and its values counted."""
        user = self.open(fragment, **how)
        user.page.locator("#facets").click()
        expect(self.entry(user, "State", "done")).to_be_visible()
        return user

    def facet(self, user, title):
        return user.page.get_by_role("group", name=title, exact=True)

    def entry(self, user, title, label):
        return self.facet(user, title).locator(f'.facet-entry:has(.facet-label:text-is("{label}"))')

    def values(self, user, title):
        """Returns the labels and counts of a facet."""
        return self.facet(user, title).locator(".facet-entry").evaluate_all(
            """(all) => all.map((el) => ['.facet-label', '.facet-count']
              .map((part) => el.querySelector(part).textContent))""")

    def wait_for_rows(self, user, count):
        user.wait_for_count(count + 1)  # with the row of column headers

    def test_the_panel_counts_values_and_a_click_filters(self):
        user = self.opened()
        self.assertEqual(self.values(user, "State"), [["done", "24"], ["late", "8"], ["new", "8"]])
        self.entry(user, "State", "late").click()
        self.wait_for_rows(user, 8)
        expect(self.entry(user, "State", "late")).to_have_attribute("aria-selected", "true")
        expect(user.page.locator(".chip")).to_have_text("State late")
        # The other values of the column stay, and the other columns follow.
        self.assertEqual(self.values(user, "State"), [["done", "24"], ["late", "8"], ["new", "8"]])
        self.entry(user, "State", "new").click()
        self.wait_for_rows(user, 16)
        self.entry(user, "State", "late").click()
        self.wait_for_rows(user, 8)
        self.facet(user, "State").get_by_role("button", name="Clear").click()
        self.wait_for_rows(user, 40)
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.check_clean(self)

    def test_alt_click_and_the_menu_leave_values_out(self):
        user = self.opened()
        self.entry(user, "State", "done").click(modifiers=["Alt"])
        self.wait_for_rows(user, 16)
        expect(user.page.locator(".chip")).to_have_text("State not done")
        expect(self.entry(user, "State", "done")).to_have_attribute("aria-label", "done, 24 rows, left out")
        self.entry(user, "State", "late").click(button="right")
        user.page.get_by_role("menuitemcheckbox", name="Leave these rows out").click()
        self.wait_for_rows(user, 8)
        self.entry(user, "State", "done").click()
        self.wait_for_rows(user, 32)
        user.page.keyboard.press("Control+z")
        self.wait_for_rows(user, 8)
        user.check_clean(self)

    def test_keys_open_and_close_facets_and_filter_by_values(self):
        user = self.open()
        user.page.locator("#grid").focus()
        user.page.keyboard.press("f")
        expect(self.entry(user, "State", "done")).to_be_focused()
        user.page.keyboard.press("ArrowDown")
        expect(self.entry(user, "State", "late")).to_be_focused()
        user.page.keyboard.press("Enter")
        self.wait_for_rows(user, 8)
        expect(self.entry(user, "State", "late")).to_be_focused()
        user.page.keyboard.press("Delete")
        self.wait_for_rows(user, 32)
        user.page.keyboard.press("Space")
        self.wait_for_rows(user, 40)
        user.page.keyboard.press("Shift+F10")
        expect(user.page.get_by_role("menu", name="late")).to_be_visible()
        user.page.keyboard.press("Escape")
        expect(self.entry(user, "State", "late")).to_be_focused()
        user.page.keyboard.press("Escape")
        expect(user.page.locator(".facets")).to_have_count(0)
        user.until("() => document.querySelector('#grid').contains(document.activeElement)", "the focus is back")
        user.check_clean(self)

    @only_chromium("Firefox takes the pointer off a page while another page has keys")
    def test_counts_update_while_hovered_values_keep_their_order(self):
        user = self.opened("#table=live")
        self.entry(user, "State", "new").hover()
        other = self.open("#table=live")
        other.page.keyboard.press("Control+k")
        other.page.get_by_role("combobox", name="Command").fill("finish one")
        other.page.keyboard.press("Enter")
        expect(self.entry(user, "State", "done").locator(".facet-count")).to_have_text("25")
        self.assertEqual(self.values(user, "State"), [["done", "25"], ["late", "7"], ["new", "8"]])
        user.page.mouse.move(900, 400)
        user.until("""() => [...document.querySelectorAll('.facet-label')].slice(0, 3)
          .map(({ textContent }) => textContent).join() === 'done,new,late'""", "the values are in order")
        user.check_clean(self)

    def test_added_numeric_facet_filters_by_range_and_survives_reload(self):
        user = self.opened()
        user.page.get_by_role("button", name="Columns").click()
        user.page.get_by_role("menuitemcheckbox", name="Nice").click()
        expect(self.entry(user, "Nice", "0")).to_be_visible()
        self.assertEqual(self.values(user, "Nice"), [["0", "10"], ["1", "10"], ["2", "10"], ["3", "10"]])
        self.entry(user, "Nice", "1").click()
        self.entry(user, "Nice", "2").click()
        self.wait_for_rows(user, 20)
        expect(user.page.locator(".chip")).to_have_text("Nice 1 – 2")
        user.page.reload()
        expect(self.entry(user, "Nice", "2")).to_have_attribute("aria-selected", "true")
        self.wait_for_rows(user, 20)
        user.check_clean(self)

    def test_long_facet_has_search_box_and_shows_all_on_request(self):
        user = self.opened()
        host = self.facet(user, "Host")
        expect(host.locator(".facet-entry")).to_have_count(10)
        host.get_by_role("button", name="30 more").click()
        expect(host.locator(".facet-entry")).to_have_count(40)
        host.get_by_role("searchbox").fill("host 3")
        expect(host.locator(".facet-entry")).to_have_count(10)
        user.page.keyboard.press("ArrowDown")
        user.page.keyboard.press("Enter")
        self.wait_for_rows(user, 1)
        user.check_clean(self)

    def test_each_pane_has_its_own_facets_panel(self):
        user = self.opened()
        user.page.keyboard.press("s")
        user.page.locator("#stage-2 .row").first.wait_for()
        expect(user.page.locator("#stage .facets")).to_be_visible()
        expect(user.page.locator("#facets")).to_have_attribute("aria-pressed", "false")
        user.page.keyboard.press("f")
        expect(user.page.locator("#stage-2 .facet-entry").first).to_be_focused()
        user.check_clean(self)

    def test_facets_panel_covers_narrow_page(self):
        user = self.opened(size=(400, 700))
        width = user.page.locator(".facets").evaluate("(el) => el.getBoundingClientRect().width")
        self.assertEqual(width, 400)
        self.entry(user, "State", "late").click()
        user.page.get_by_role("button", name="Close the facets").click()
        self.wait_for_rows(user, 8)
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
