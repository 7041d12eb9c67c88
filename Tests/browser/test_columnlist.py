"""The list that shows and hides columns, with its search."""

import json
import re
import shlex
import sys
import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from playwright.sync_api import expect
from rowcast_server import Server

TITLES = ["Job", "CPU user", "CPU system", "CPU idle", "Memory", "Disk read", "Disk write", "Net in", "Net out", "Host",
          "Began", "Owner"]  # fmt: skip
LINES = [
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "jobs", "key": "integer", "columns": [
        {"name": title.lower().replace(" ", "_"), "type": "text", "title": title, "description": f"The {title}"}
        for title in TITLES
    ]},
    {"type": "upsert", "rows": [[number, *(f"{title} {number}" for title in TITLES)] for number in range(40)]},
    {"type": "schema", "name": "few", "key": "integer", "columns": [{"name": name, "type": "text"} for name in "ab"]},
]  # fmt: skip
PROGRAM = "import sys; print(sys.argv[1], flush=True); sys.stdin.read()"


def child(lines):
    return shlex.join([sys.executable, "-c", PROGRAM, "\n".join(map(json.dumps, lines))])


class ColumnListTest(PageTest):
    @classmethod
    def serve(cls):
        few = [LINES[0], LINES[3], {"type": "upsert", "rows": [[1, "x", "y"]]}]
        return Server(options=("--no-token", "--child", f"jobs={child(LINES[:3])}", "--child", f"few={child(few)}"))

    def list(self, user):
        user.page.get_by_role("button", name="View options").click()
        user.page.get_by_role("menuitem", name="Choose columns…").click()
        return user.page.get_by_role("dialog", name="Columns")

    def heads(self, user, count):
        expect(user.page.get_by_role("columnheader")).to_have_count(count)
        return user.titles()

    def test_checkboxes_and_buttons_show_and_hide_columns(self):
        user = self.open("#table=jobs", scheme="dark")
        box = self.list(user)
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.screenshot(path=ARTIFACTS / "columns-dark.png")
        box.get_by_text("Memory", exact=True).click()
        expect(box.get_by_role("status")).to_have_text("11 of 12 shown")
        box.get_by_role("searchbox", name="Find a column").fill("cpu")
        expect(box.get_by_role("checkbox")).to_have_count(3)
        box.get_by_role("button", name="Hide all but these 3").click()
        self.assertEqual(self.heads(user, 3), TITLES[1:4])
        expect(user.page).to_have_url(re.compile("columns=-job,cpu_user,cpu_system,cpu_idle,-memory"))
        box.get_by_role("searchbox").fill("disk")
        box.get_by_role("button", name="Show these 2").click()
        self.assertEqual(self.heads(user, 5), TITLES[1:4] + TITLES[5:7])
        box.get_by_role("searchbox").fill("zzz")
        expect(box.get_by_text("No column has these words.")).to_be_visible()
        self.assertEqual(user.page.evaluate(FAULTS), [])
        box.get_by_role("searchbox").fill("")
        box.get_by_role("button", name="Reset").click()
        self.heads(user, 12)
        box.get_by_role("button", name="Done").click()
        expect(box).to_have_count(0)
        expect(user.page.get_by_role("button", name="View options")).to_be_focused()
        user.check_clean(self)

    def test_keyboard_finds_columns_and_hides_them(self):
        user = self.open("#table=jobs", size=(400, 760))
        user.page.locator(".grid").focus()
        user.page.keyboard.press("Control+k")
        user.page.keyboard.type("choose columns")
        user.page.keyboard.press("Enter")
        box = user.page.get_by_role("dialog", name="Columns")
        expect(box.get_by_role("searchbox", name="Find a column")).to_be_focused()
        user.page.screenshot(path=ARTIFACTS / "columns-400.png")
        user.page.keyboard.type("net")
        user.page.keyboard.press("Enter")
        expect(box.get_by_role("checkbox", name="Net in")).not_to_be_checked()
        user.page.keyboard.press("ArrowDown")
        user.page.keyboard.press("ArrowDown")
        expect(box.get_by_role("checkbox", name="Net out")).to_be_focused()
        user.page.keyboard.press("Space")
        expect(box.get_by_role("checkbox", name="Net out")).not_to_be_checked()
        user.page.keyboard.press("ArrowUp")
        user.page.keyboard.press("ArrowUp")
        expect(box.get_by_role("searchbox")).to_be_focused()
        user.page.keyboard.press("Escape")
        expect(box.get_by_role("checkbox")).to_have_count(12)
        user.page.keyboard.press("Escape")
        expect(box).to_have_count(0)
        self.heads(user, 10)
        user.page.keyboard.press("Control+z")
        self.heads(user, 11)
        user.check_clean(self)

    def drag(self, user, title, place):
        """Drags a header to a place and returns the words at the pointer, before the release."""
        box = user.header(title).bounding_box()
        user.page.mouse.move(box["x"] + 20, box["y"] + 10)
        user.page.mouse.down()
        user.page.mouse.move(*place, steps=6)
        words = user.page.locator(".drag-ghost")
        expect(words).to_be_visible()
        return words

    def test_a_header_that_is_dragged_out_of_the_table_hides_its_column(self):
        user = self.open("#table=jobs")
        grid = user.grid.bounding_box()
        expect(self.drag(user, "^Memory", (grid["x"] + 200, grid["y"] + 100))).to_have_text("Memory")
        above = (grid["x"] + 200, 12)
        user.page.mouse.move(*above, steps=6)
        expect(user.page.locator(".drag-ghost")).to_have_text("Hide Memory")
        user.page.screenshot(path=ARTIFACTS / "columns-drag-out.png")
        user.page.keyboard.press("Escape")
        expect(user.page.locator(".drag-ghost")).to_have_count(0)
        user.page.mouse.up()
        self.assertEqual(self.heads(user, 12), TITLES, "Escape leaves all as it was")
        expect(self.drag(user, "^Memory", above)).to_have_text("Hide Memory")
        user.page.mouse.up()
        self.assertEqual(self.heads(user, 11), [title for title in TITLES if title != "Memory"])
        expect(user.page).to_have_url(re.compile("-memory"))
        user.page.keyboard.press("Control+z")
        self.assertEqual(self.heads(user, 12), TITLES)
        user.check_clean(self)

    def test_the_last_column_is_not_hidden_by_a_drag(self):
        user = self.open("#table=few&columns=-b")
        self.heads(user, 1)
        expect(self.drag(user, "^a", (300, 12))).to_have_text("a")
        user.page.mouse.up()
        expect(user.page.locator(".drag-ghost")).to_have_count(0)
        self.assertEqual(self.heads(user, 1), ["a"])
        user.check_clean(self)

    def test_a_short_list_has_no_search_and_keeps_one_column(self):
        user = self.open("#table=few")
        user.header("^a").click(button="right")
        user.page.get_by_role("menuitem", name="Choose columns…").click()
        box = user.page.get_by_role("dialog", name="Columns")
        expect(box.get_by_role("searchbox")).to_have_count(0)
        expect(box.get_by_role("checkbox", name="a")).to_be_focused()
        user.page.keyboard.press("Enter")
        self.assertEqual(self.heads(user, 1), ["b"])
        expect(box.get_by_role("checkbox", name="b")).to_be_disabled()
        self.assertEqual(user.page.evaluate(FAULTS), [])
        box.get_by_role("button", name="Show all").click()
        self.heads(user, 2)
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
