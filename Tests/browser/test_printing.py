"""The pages that the browser prints."""

import json
import shlex
import sys
import unittest

from browsers import only_chromium
from pages import ARTIFACTS, PageTest
from playwright.sync_api import expect
from rowcast_server import Server

LINES = [
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "jobs", "key": "integer", "title": "Batch jobs", "columns": [
        {"name": "job", "type": "text", "title": "Job"}, {"name": "cpu", "type": "number", "title": "CPU"},
        {"name": "user", "type": "text", "title": "User"},
    ]},
    {"type": "upsert", "rows": [[number, f"job {number}", number / 4, "root"] for number in range(2_000)]},
]  # fmt: skip
PROGRAM = "import sys; print(sys.argv[1], flush=True); sys.stdin.read()"


class PrintingTest(PageTest):
    @classmethod
    def serve(cls):
        lines = "\n".join(map(json.dumps, LINES))
        return Server(options=("--no-token", "--child", f"jobs={shlex.join([sys.executable, '-c', PROGRAM, lines])}"))

    def begin(self, user):
        user.page.evaluate("() => { dispatchEvent(new Event('beforeprint')); }")
        user.page.emulate_media(media="print")
        return user.page.locator(".print")

    @only_chromium("Firefox does not emulate the medium of print")
    def test_printout_has_loaded_rows_with_headers_and_filters(self):
        user = self.open("#table=jobs&sort=-cpu&where=cpu+%3C+400&columns=cpu,-user,job", scheme="dark")
        sheet = self.begin(user)
        expect(sheet.get_by_role("heading", name="Batch jobs")).to_be_visible()
        expect(sheet).to_contain_text("1,600 rows match, sorted by CPU descending.")
        expect(sheet).to_contain_text("Filter: cpu < 400")
        expect(sheet).to_contain_text("of 1,600: those that the page holds.")
        self.assertEqual(sheet.get_by_role("columnheader").all_inner_texts(), ["CPU", "Job"])
        cells = sheet.get_by_role("cell").all_inner_texts()
        self.assertEqual(cells[:4], ["399.75", "job 1599", "399.5\u2007", "job 1598"])
        self.assertGreater(sheet.get_by_role("row").count(), 80)
        for hidden in (".top", ".stages", ".foot"):
            expect(user.page.locator(hidden)).to_be_hidden()
        user.page.screenshot(path=ARTIFACTS / "print.png")
        user.page.emulate_media(media="screen")
        expect(sheet).to_be_hidden()
        user.page.evaluate("() => { dispatchEvent(new Event('afterprint')); }")
        expect(sheet).to_have_count(0)
        user.check_clean(self)

    def test_sections_and_both_tables_of_a_split_page_are_printed(self):
        user = self.open("#table=jobs&group=user&beside=table%3Djobs")
        expect(user.page.get_by_role("grid")).to_have_count(2)
        expect(user.page.locator(".stage").nth(1).get_by_role("gridcell").first).to_be_visible()
        user.until("() => document.querySelectorAll('.acted').length === 2", "both tables are ready")
        sheet = self.begin(user)
        expect(sheet).to_have_count(2)
        expect(sheet.first.locator(".print-section")).to_have_text("User: root (2,000)")
        user.check_clean(self)

    @only_chromium("Playwright prints in Chromium only")
    def test_browser_print_has_several_pages_and_removes_print_sheet(self):
        user = self.open("#table=jobs")
        # The table is long enough for several pages, and its header is on each of them.
        pages = user.page.pdf().count(b"/Type /Page\n")
        self.assertGreater(pages, 1)
        expect(user.page.locator(".print")).to_have_count(0)
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
