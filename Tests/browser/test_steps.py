"""Undo, redo, Back and Forward for changes of a view, and links that name a row."""

import pathlib
import shutil
import tempfile

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import expect
from rowcast_server import Server

SOURCE = """
import json, sys
columns = [{"name": "name", "type": "text"}, {"name": "team", "type": "text"}, {"name": "load", "type": "integer"}]
print(json.dumps({"type": "hello", "version": 1, "capabilities": ["health"]}))
print(json.dumps({"type": "schema", "name": "jobs", "key": "text", "title": "Jobs", "columns": columns}))
rows = [[f"key {at}", f"job {at}", "red" if at % 2 else "blue", at] for at in range(400)]
for message in ({"type": "reload"}, {"type": "upsert", "rows": rows}, {"type": "commit"}):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "health":
        print(json.dumps({"type": "health", "id": message["id"]}), flush=True)
"""


class JobsTest(PageTest):
    @classmethod
    def serve(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "source.py").write_text(SOURCE)
        return Server(options=("--no-token", "--child", f"jobs=exec python3 {cls.folder}/source.py"))

    def sorting(self, user, title):
        return expect(user.header(f"^{title}"))


class StepsTest(JobsTest):
    def test_keys_undo_and_redo_each_change_of_the_view(self):
        user = self.open("#table=jobs")
        page = user.page
        user.header("^load").click()
        self.sorting(user, "load").to_have_attribute("aria-sort", "descending")
        user.filter.fill('"job 1"')
        expect(page.locator("#rows")).to_contain_text("111 rows match")
        user.grouping.select_option("team")
        expect(page.get_by_role("rowheader").first).to_be_visible()
        page.get_by_role("rowheader").first.click()
        user.until("() => location.hash.includes('collapsed=')", "the section is in the address")
        user.grid.focus()
        notices = page.get_by_role("group", name="Notifications")
        page.keyboard.press("Control+z")
        expect(notices).to_contain_text("Undone: collapsed sections")
        page.keyboard.press("Control+z")
        expect(notices).to_contain_text("Undone: grouping")
        expect(user.grouping).to_have_value("")
        page.keyboard.press("Control+z")
        expect(user.filter).to_have_value("")
        expect(page.locator("#rows")).to_contain_text("400 rows")
        page.keyboard.press("Control+z")
        self.sorting(user, "load").to_have_attribute("aria-sort", "none")
        page.keyboard.press("Control+z")
        expect(notices).to_contain_text("Nothing to undo")
        page.screenshot(path=ARTIFACTS / "steps.png")
        self.assertEqual(page.evaluate(FAULTS), [])
        page.keyboard.press("Control+Shift+z")
        self.sorting(user, "load").to_have_attribute("aria-sort", "descending")
        page.keyboard.press("Control+y")
        expect(user.filter).to_have_value('"job 1"')
        page.keyboard.press("Control+y")
        page.keyboard.press("Control+y")
        user.until("() => location.hash.includes('collapsed=')", "everything is redone")
        page.keyboard.press("Control+y")
        expect(notices).to_contain_text("Nothing to redo")
        user.check_clean(self)

    def test_typed_text_is_one_step_and_undone_by_back(self):
        user = self.open("#table=jobs")
        page = user.page
        user.filter.press_sequentially('"job 39"', delay=30)
        expect(page.locator("#rows")).to_contain_text("11 rows match")
        user.grid.focus()
        page.go_back()
        expect(user.filter).to_have_value("")
        page.go_forward()
        expect(page.locator("#rows")).to_contain_text("11 rows match")

    def test_column_layout_changes_can_be_undone(self):
        user = self.open("#table=jobs")
        page = user.page
        user.header("^team").click(button="right")
        page.get_by_role("menuitem", name="Hide column").click()
        expect(page.get_by_role("columnheader")).to_have_count(2)
        user.header("^load").click(button="right")
        page.get_by_role("menuitem", name="Move left").click()
        user.until("() => document.querySelector('[role=columnheader]').textContent.includes('load')", "it is first")
        user.grid.focus()
        page.keyboard.press("Control+z")
        user.until("() => document.querySelector('[role=columnheader]').textContent.includes('name')", "it is back")
        page.keyboard.press("Control+z")
        expect(page.get_by_role("columnheader")).to_have_count(3)
        self.assertEqual(page.url.split("#")[1], "table=jobs")


class RowLinkTest(JobsTest):
    def selected(self, user, name):
        row = user.page.locator('.row[aria-selected="true"]')
        expect(row).to_have_count(1)
        expect(row).to_contain_text(name)
        expect(row).to_be_in_viewport()

    def test_copied_row_link_opens_at_its_row(self):
        user = self.open("#table=jobs&sort=load")
        page = user.page
        user.grid.focus()
        page.keyboard.press("Control+End")
        user.until_rows("(rows) => rows.at(-1)?.cells[0] === 'job 399'", "the last rows appear")
        user.click_cell("job 390", button="right")
        page.get_by_role("menuitem", name="Copy a link to this row").click()
        expect(page.get_by_role("group", name="Notifications")).to_contain_text("Copied a link to this row")
        link = user.pasted()
        self.assertTrue(link.endswith("#table=jobs&sort=load&row=key+390"), link)
        other = self.open("#" + link.split("#")[1])
        self.selected(other, "job 390")
        self.assertIn("row=key+390", other.page.url)
        other.check_clean(self)

    def test_address_change_on_open_page_selects_its_row(self):
        user = self.open("#table=jobs")
        user.page.evaluate("location.hash = '#table=jobs&row=key 200'")
        self.selected(user, "job 200")

    def test_link_to_missing_or_filtered_row_shows_explanation(self):
        notices = self.open("#table=jobs&row=nobody").page.get_by_role("alert")
        text = "The row “nobody” of this link is not in the table. It may have ended or been removed.×"
        expect(notices).to_have_text(text)
        user = self.open("#table=jobs&search=job+1&row=key+20")
        alert = user.page.get_by_role("alert")
        expect(alert).to_contain_text("is not shown, because the search or a filter leaves it out")
        user.page.screenshot(path=ARTIFACTS / "row-link-left-out.png")
        self.assertEqual(user.page.evaluate(FAULTS), [])
