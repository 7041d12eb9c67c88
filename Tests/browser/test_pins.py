"""Pinned rows: they stay above the scrolled rows, with live values, by key."""

import json
import re
import shlex
import sys
import unittest
import urllib.parse

from aria import FAULTS
from browsers import IS_FIREFOX
from pages import ARTIFACTS, PageTest
from playwright.sync_api import expect
from rowcast_server import Server

LINES = [
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "jobs", "key": "integer", "label": "job", "columns": [
        {"name": "job", "type": "text", "title": "Job"},
        {"name": "used", "type": "number", "title": "Used"},
        {"name": "state", "type": "text", "title": "State", "style": "badge"},
    ]},
    {"type": "upsert", "rows": [[row, f"job {row}", row, "running" if row % 3 else "idle"] for row in range(500)]},
]  # fmt: skip
# Row 400 counts up, and row 450 comes and goes, until the server closes standard input.
PROGRAM = """
import json, select, sys
print(sys.argv[1], flush=True)
count = 0
while True:
    readable, _, _ = select.select([sys.stdin], [], [], 0.1)
    if readable and not sys.stdin.readline():
        break
    count += 1
    print(json.dumps({"type": "update", "key": 400, "row": {"used": 1000 + count}}), flush=True)
    row = {"type": "upsert", "rows": [[450, "job 450", count, "idle"]]}
    print(json.dumps(row if count % 40 < 20 else {"type": "delete", "key": 450}), flush=True)
"""
PINNED = ".pinned-rows .row"


class PinsTest(PageTest):
    @classmethod
    def serve(cls):
        lines = "\n".join(map(json.dumps, LINES))
        return Server(options=("--no-token", "--child", f"jobs={shlex.join([sys.executable, '-c', PROGRAM, lines])}"))

    def pinned(self, user, count):
        rows = user.page.locator(PINNED)
        expect(rows).to_have_count(count)
        return rows

    def job(self, user, row):
        return user.page.locator(".sheet [role=gridcell]", has_text=re.compile(f"^job {row}$"))

    def test_a_row_is_pinned_from_its_menu_and_stays_in_sight(self):
        user = self.open("#table=jobs")
        self.job(user, 7).click(button="right")
        user.page.get_by_role("menuitem", name="Pin this row on top").click()
        row = self.pinned(user, 1).first
        expect(row).to_contain_text("job 7")
        expect(row).to_have_attribute("aria-description", "pinned")
        expect(user.page).to_have_url(re.compile("pins="))
        expect(user.page.locator("#announcement")).to_have_text(re.compile("job 7.*is pinned on top"))
        user.page.locator(".grid").focus()
        user.page.keyboard.press("Control+End")
        expect(self.job(user, 499)).to_be_visible()
        expect(row).to_be_in_viewport()
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.screenshot(path=str(ARTIFACTS / "pinned-row.png"))
        user.page.keyboard.press("Control+z")
        self.pinned(user, 0)
        user.page.keyboard.press("Control+Shift+z")
        self.pinned(user, 1)
        user.check_clean(self)

    def test_a_pinned_row_outside_the_window_has_live_values(self):
        user = self.open("#table=jobs&pins=[400]&where=used+<+5")
        row = self.pinned(user, 1).first
        used = row.locator('[aria-colindex="2"]')
        expect(used).to_have_text(re.compile(r"^\s*1,?\d{3}"))
        before = used.text_content()
        expect(used).not_to_have_text(before)
        user.check_clean(self)

    def test_a_pinned_row_that_leaves_the_table_shows_as_gone(self):
        user = self.open("#table=jobs&pins=[450,%22none%22]")
        rows = self.pinned(user, 2)
        expect(rows.first).to_have_class(re.compile("gone"), timeout=60_000)
        expect(rows.first).to_have_attribute("aria-description", "pinned, no longer in the table")
        expect(rows.first).to_contain_text("job 450")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.screenshot(path=str(ARTIFACTS / "pinned-row-gone.png"))
        expect(rows.first).not_to_have_class(re.compile("gone"), timeout=60_000)
        # A row that the table never had has a text instead of values.
        expect(rows.nth(1)).to_have_attribute("title", "The table has no row with the key none.")
        expect(rows.nth(1).locator(".cell.failed")).to_have_count(3)
        user.check_clean(self)

    def test_pinned_rows_are_reached_opened_and_unpinned_by_keyboard(self):
        user = self.open("#table=jobs&pins=[3,400]")
        self.pinned(user, 2)
        user.page.locator(".grid").focus()
        user.page.keyboard.press("ArrowUp")
        active = user.page.locator(".pinned-rows .cell.active")
        expect(active).to_have_text("job 400")
        expect(active).to_be_focused()
        user.page.keyboard.press("Enter")
        detail = user.page.locator(".detail")
        expect(detail.locator(".detail-title")).to_have_text("job 400")
        expect(detail.locator(".detail-note")).to_have_text("")
        user.page.keyboard.press("Enter")
        user.page.keyboard.press("ArrowUp")
        expect(active).to_have_text("job 3")
        user.page.keyboard.press("Shift+F10")
        expect(user.page.get_by_role("menuitem", name="Unpin this row")).to_be_visible()
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.keyboard.press("Escape")
        user.page.keyboard.press("Delete")
        self.pinned(user, 1)
        expect(active).to_have_text("job 400")
        user.page.keyboard.press("Delete")
        self.pinned(user, 0)
        expect(user.page.locator(".sheet .cell.active")).to_have_text("job 0")
        user.check_clean(self)

    def drag(self, user, first, last):
        mouse = user.page.mouse
        start, end = first.bounding_box(), last.bounding_box()
        mouse.move(start["x"] + 20, start["y"] + start["height"] / 2)
        mouse.down()
        mouse.move(end["x"] + 20, end["y"] + end["height"] / 2, steps=5)
        mouse.up()

    def test_a_drag_selects_and_copies_cells_of_pinned_rows(self):
        user = self.open("#table=jobs&pins=[7,3,8]")
        rows = self.pinned(user, 3)
        cell = lambda row, column: rows.nth(row).locator(f'[aria-colindex="{column}"]')  # noqa: E731
        for row in range(3):
            expect(cell(row, 2)).to_have_text(re.compile(r"\d"))
        self.drag(user, cell(0, 1), cell(1, 2))
        expect(user.page.locator(".pinned-rows [role=gridcell][aria-selected=true]")).to_have_count(4)
        expect(user.page.locator(".sheet [aria-selected=true]")).to_have_count(0)
        expect(user.page.locator("#status, footer").first).to_contain_text("sum 10")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.screenshot(path=str(ARTIFACTS / "pinned-drag.png"))
        # Shift with an arrow key goes on, and a pointer beyond the pinned rows stays in them.
        user.page.keyboard.press("Shift+ArrowDown")
        expect(user.page.locator(".pinned-rows [role=gridcell][aria-selected=true]")).to_have_count(6)
        self.drag(user, cell(1, 1), self.job(user, 5))
        expect(user.page.locator(".pinned-rows [role=gridcell][aria-selected=true]")).to_have_count(2)
        expect(user.page.locator(".sheet [aria-selected=true]")).to_have_count(0)
        user.check_clean(self)

    def test_a_drag_below_pinned_rows_selects_the_rows_at_the_pointer(self):
        user = self.open("#table=jobs&pins=[7,3,8]")
        self.pinned(user, 3)
        self.drag(user, self.job(user, 2), self.job(user, 4))
        chosen = user.page.locator(".sheet [role=gridcell][aria-selected=true]")
        expect(chosen).to_have_count(3)
        for row in (2, 3, 4):
            expect(self.job(user, row)).to_have_attribute("aria-selected", "true")
        user.check_clean(self)

    def test_rows_below_pinned_ones_can_be_scrolled_to_and_pointed_at(self):
        user = self.open("#table=jobs&pins=" + urllib.parse.quote(json.dumps(list(range(5, 15)))))
        self.pinned(user, 10)
        first = self.job(user, 0)
        expect(first).to_be_in_viewport()
        first.click()
        expect(first).to_have_class(re.compile("active"))
        box, group = first.bounding_box(), user.page.locator(".pinned-rows").bounding_box()
        self.assertGreaterEqual(box["y"] + 1, group["y"] + group["height"])
        self.job(user, 1).click(button="right")
        item = user.page.get_by_role("menuitem", name="Pin this row on top")
        expect(item).to_have_attribute("aria-disabled", "true")
        user.page.keyboard.press("Escape")
        user.page.keyboard.press("Control+End")
        expect(self.job(user, 499)).to_be_in_viewport(ratio=0.9)
        user.check_clean(self)

    def test_copies_of_whole_columns_begin_with_the_pinned_rows(self):
        user = self.open("#table=jobs&pins=[3,450]&where=used+<+5")
        self.pinned(user, 2)
        expect(user.page.locator("#rows")).to_contain_text("5 rows match")
        self.job(user, 1).click()
        user.page.keyboard.press("Control+Space")
        expect(user.page.locator(f"{PINNED} [aria-selected=true]")).to_have_count(2)
        user.page.keyboard.press("Control+c")
        expect(user.page.locator(".acted-line")).to_contain_text("Copied 6 rows")
        self.assertEqual(user.pasted().split("\n"), ["Job", "job 3", "job 450", "job 0", "job 1", "job 2", "job 4"])
        # Rows outside the window are fetched, and the pinned ones are still copied once.
        user.filter.fill("")
        user.filter.press("Enter")
        expect(user.page.locator("#rows")).to_contain_text(re.compile("^(499|500) rows"))
        self.job(user, 1).click()
        user.page.keyboard.press("Control+Space")
        user.page.keyboard.press("Control+c")
        expect(user.page.locator(".acted-line", has_text=re.compile("Copied (499|500) rows"))).to_be_visible()
        lines = user.pasted().split("\n")
        self.assertEqual(lines[:4], ["Job", "job 3", "job 450", "job 0"])
        self.assertEqual(len(lines), len(set(lines)))
        user.check_clean(self)

    def test_find_visits_pinned_rows_first_and_once(self):
        user = self.open("#table=jobs&pins=[320,7]")
        rows = self.pinned(user, 2)
        user.page.keyboard.press("Control+f")
        user.page.keyboard.type('"job 32"')
        status = user.page.get_by_role("search", name="Find in table").get_by_role("status")
        expect(status).to_contain_text("match")
        active = user.page.locator(".cell.active")
        user.page.keyboard.press("Enter")
        expect(rows.first.locator(".cell.active")).to_have_text("job 320")
        expect(active).to_have_count(1)
        # Row 320 is skipped in its own place, which is far from the window.
        for text in ("job 32", "job 321", "job 322"):
            user.page.keyboard.press("Enter")
            expect(active).to_have_text(text)
        for text in ("job 321", "job 32"):  # a press while a search runs would begin it again
            user.page.keyboard.press("Shift+Enter")
            expect(active).to_have_text(text)
        user.page.keyboard.press("Shift+Enter")
        expect(rows.first.locator(".cell.active")).to_have_text("job 320")
        user.page.keyboard.press("Shift+Enter")
        expect(active).to_have_text("job 329")
        user.page.keyboard.press("Enter")
        expect(rows.first.locator(".cell.active")).to_have_text("job 320")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.check_clean(self)

    def test_pinned_rows_are_printed_once_under_a_heading(self):
        user = self.open("#table=jobs&pins=[4,400]")
        expect(self.pinned(user, 2).nth(1)).to_contain_text("job 400")
        user.page.evaluate("() => { dispatchEvent(new Event('beforeprint')); }")
        sheet = user.page.locator(".print")
        first = sheet.locator("tbody").first
        expect(first.locator("th")).to_have_text("Pinned rows (2)")
        self.assertEqual([row.split()[1] for row in first.locator("td:first-child").all_inner_texts()], ["4", "400"])
        expect(sheet.locator("td", has_text=re.compile("^job 4$"))).to_have_count(1)
        expect(sheet.locator("td", has_text=re.compile("^job 5$"))).to_have_count(1)
        if not IS_FIREFOX:  # which does not emulate the medium of print
            user.page.emulate_media(media="print")
            user.page.screenshot(path=str(ARTIFACTS / "print-pinned.png"))

    def test_details_stay_live_on_a_pinned_row_that_has_lost_the_focus(self):
        user = self.open("#table=jobs&pins=[400]&group=state")
        cell = self.pinned(user, 1).get_by_role("gridcell").first
        expect(cell).to_have_text("job 400")
        cell.click()
        user.page.keyboard.press("Enter")
        detail = user.page.locator(".detail")
        expect(detail.locator(".detail-title")).to_have_text("job 400")
        header = user.page.get_by_role("rowheader").first
        header.click()
        expect(header).to_have_attribute("aria-expanded", "false")
        used = detail.locator(".detail-list .cell", has_text=re.compile(r"^1,?\d{3}"))
        before = used.text_content()
        expect(used).not_to_have_text(before)
        expect(detail.locator(".detail-note")).to_have_text("")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
