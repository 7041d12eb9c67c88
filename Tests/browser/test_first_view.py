"""The view that a source suggests: shown first, replaced by the user's own, and restored."""

import pathlib
import tempfile

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from reader import expect
from rowcast_server import Server

JOBS = """#!/bin/sh
echo '{"type":"hello","version":1}'
echo '{"type":"schema","name":"jobs","key":"integer","title":"Jobs","description":"Jobs of the last day","icon":"J",'\\
'"view":{"sort":[{"column":"seconds","descending":true}],"filter":{"not":{"column":"kind","op":"oneOf","values":["internal"]}},"order":["state"],"hidden":["kind"],"pinned":["name"]},'\\
'"columns":[{"name":"name","type":"text","description":"What is done"},{"name":"kind","type":"text"},{"name":"state","type":"text","style":"badge","warn":["late"],"critical":["failed"]},{"name":"seconds","type":"number","warn":60,"critical":600}]}'
echo '{"type":"upsert","rows":[[1,"build","user","done",12],[2,"test","user","late",99],[3,"deploy","user","failed",900],[4,"sweep","internal","done",5]]}'
exec sleep 1000
"""


class FirstViewTest(PageTest):
    @classmethod
    def serve(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "jobs.sh"
        file.write_text(JOBS, encoding="utf-8")
        file.chmod(0o755)
        return Server(options=("--no-token", "--child", f"jobs={file}"))

    def texts(self, reader, name):
        return reader.page.evaluate("""(name) => {
            const at = [...document.querySelectorAll('[role=columnheader]')].findIndex((head) => head.querySelector('.head-title').textContent === name) + 1;
            return [...document.querySelectorAll('.row:not([hidden])')].sort((one, other) => one.ariaRowIndex - other.ariaRowIndex)
              .map((row) => row.querySelector(`[aria-colindex="${at}"]`).textContent);
        }""", name)

    def test_a_plain_address_opens_the_view_that_the_source_suggests(self):
        for scheme in ("light", "dark"):
            reader = self.open(scheme=scheme)
            reader.until_rows("(rows) => rows.length === 3", "the suggested filter hides a row")
            self.assertEqual(self.texts(reader, "name"), ["deploy", "test", "build"])
            self.assertEqual(reader.page.locator(".head-title").all_text_contents(), ["name", "state", "seconds"])
            expect(reader.page.locator("#title")).to_have_text("J JobsJobs of the last day")
            expect(reader.page.locator("#terms")).to_contain_text("internal")
            expect(reader.page.get_by_role("button", name="Reset view")).to_be_hidden()
            self.assertNotIn("sort", reader.page.url)
            self.assertIn("What is done", reader.page.locator("[role=columnheader]").first.get_attribute("title"))
            reader.page.screenshot(path=str(ARTIFACTS / f"first-view-{scheme}.png"))
            self.assertEqual(reader.page.evaluate(FAULTS), [])
            reader.check_clean(self)

    def test_values_that_need_attention_are_marked_in_more_than_colour(self):
        reader = self.open()
        marks = reader.page.evaluate("""() => [...document.querySelectorAll('.row:not([hidden]) .cell')].filter((cell) => cell.dataset.severity)
            .map((cell) => [cell.textContent, cell.dataset.severity, cell.getAttribute('aria-description'), getComputedStyle(cell).boxShadow !== 'none']).sort()""")
        self.assertEqual(marks, [
            ["900", "critical", "critical", True], ["99", "warn", "warning", True],
            ["failed", "critical", "critical", True], ["late", "warn", "warning", True],
        ])

    def test_the_users_own_view_wins_and_reset_restores_the_suggested_one(self):
        reader = self.open()
        reset = reader.page.get_by_role("button", name="Reset view")
        reader.header("name").click()
        reader.until_rows("(rows) => rows[0]?.cells.includes('build')", "sorted by name")
        self.assertIn("sort=name", reader.page.url)
        reader.page.reload()
        reader.until_rows("(rows) => rows[0]?.cells.includes('build') && rows.length === 3", "the user's own view is kept")
        reset.click()
        reader.until_rows("(rows) => rows[0]?.cells.includes('deploy')", "the suggested order")
        expect(reset).to_be_hidden()
        self.assertNotIn("sort", reader.page.url)

    def test_removing_all_that_is_suggested_shows_every_row_also_after_a_reload(self):
        reader = self.open()
        reader.page.locator("#terms").get_by_role("button", name="Remove").first.click()
        reader.until_rows("(rows) => rows.length === 4", "every row")
        reader.header("seconds").click()
        reader.header("seconds").click()
        reader.until("() => !/sort=[^&]/.test(location.hash)", "no order")
        reader.page.reload()
        reader.until_rows("(rows) => rows.length === 4 && rows[0]?.cells.includes('build')", "the source's order")
        expect(reader.page.get_by_role("button", name="Reset view")).to_be_visible()
        reader.check_clean(self)
