"""The choices of an export: format, separator and columns."""

import json
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
        {"name": "job", "type": "text"}, {"name": "cpu", "type": "number"}, {"name": "user", "type": "text"},
    ]},
    {"type": "upsert", "rows": [[1, "a;b", 0.5, "root"], [2, "c", 2, "me"]]},
]  # fmt: skip
PROGRAM = "import sys; print(sys.argv[1], flush=True); sys.stdin.read()"


class ExportTest(PageTest):
    @classmethod
    def serve(cls):
        lines = "\n".join(map(json.dumps, LINES))
        return Server(options=("--no-token", "--child", f"jobs={shlex.join([sys.executable, '-c', PROGRAM, lines])}"))

    def saved(self, user, act):
        """Returns the name and the text of the file that an act saves."""
        with user.page.expect_download() as download:
            act()
        with open(download.value.path(), encoding="utf-8", newline="") as file:
            return download.value.suggested_filename, file.read()

    def test_the_dialog_saves_the_visible_columns_with_a_separator(self):
        # The highlight is not sent to the server, which would refuse it.
        highlight = urllib.parse.quote(json.dumps([{"column": "cpu", "look": "bar"}]))
        fragment = f"#table=jobs&sort=-cpu&columns=user,-cpu,job&times=utc&lines=2&highlight={highlight}"
        user = self.open(fragment, scheme="dark")
        user.page.get_by_role("button", name="View options").click()
        user.page.get_by_role("menuitem", name="Export with choices…").click()
        box = user.page.get_by_role("dialog", name="Export")
        box.get_by_label("Separator").select_option("Semicolon ;")
        box.get_by_label("Columns").select_option("The 2 visible, in their order")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.screenshot(path=ARTIFACTS / "export-dark.png")
        name, text = self.saved(user, box.get_by_role("button", name="Export").click)
        self.assertEqual((name, text), ("jobs.csv", 'user;job\r\nme;c\r\nroot;"a;b"\r\n'))
        expect(box).to_have_count(0)
        user.check_clean(self)

    def test_keyboard_exports_with_tab_separator(self):
        user = self.open("#table=jobs", size=(400, 760))
        page = user.page
        page.locator(".grid").focus()
        for expected in ('job\tcpu\tuser\r\n"a;b"\t0.5\troot\r\nc\t2\tme\r\n',) * 2:
            page.keyboard.press("e")
            expect(page.get_by_role("menu")).to_be_visible()
            page.keyboard.press("End")
            page.keyboard.press("Enter")
            box = page.get_by_role("dialog", name="Export")
            expect(box.get_by_label("Format")).to_be_focused()
            page.keyboard.press("Tab")
            page.keyboard.type("T")
            expect(box.get_by_label("Separator")).to_have_value("tab")
            page.screenshot(path=ARTIFACTS / "export-400.png")
            self.assertEqual(self.saved(user, lambda: page.keyboard.press("Enter")), ("jobs.tsv", expected))
        user.check_clean(self)

    def test_ndjson_has_no_separator_and_menus_export_all_columns(self):
        user = self.open("#table=jobs&columns=-cpu,job,user")
        user.page.get_by_role("button", name="View options").click()
        user.page.get_by_role("menuitem", name="Export with choices…").click()
        box = user.page.get_by_role("dialog", name="Export")
        box.get_by_label("Format").select_option("NDJSON")
        expect(box.get_by_label("Separator")).to_be_disabled()
        name, text = self.saved(user, box.get_by_role("button", name="Export").click)
        self.assertEqual(name, "jobs.ndjson")
        self.assertEqual(json.loads(text.splitlines()[1]), {"job": "c", "cpu": 2, "user": "me"})
        user.page.get_by_role("button", name="View options").click()
        export = user.page.get_by_role("menuitem", name="Export CSV (2)")
        self.assertEqual(self.saved(user, export.click)[1].splitlines()[0], "job,cpu,user")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
