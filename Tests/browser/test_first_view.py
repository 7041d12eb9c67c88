"""The view that a source suggests: shown first, replaced by the user's own, and restored."""

import json
import pathlib
import tempfile

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import User, expect
from rowcast_server import Server

JOBS = """#!/bin/sh
echo '{"type":"hello","version":1}'
echo '{"type":"schema","name":"jobs","key":"integer","title":"Jobs","description":"Jobs of the last day","icon":"J",'\\
'"view":{"sort":[{"column":"seconds","descending":true}],'\\
'"filter":{"not":{"column":"kind","op":"oneOf","values":["internal"]}},'\\
'"order":["state"],"hidden":["kind"],"pinned":["name"]},'\\
'"columns":[{"name":"name","type":"text","description":"What is done"},'\\
'{"name":"kind","type":"text"},'\\
'{"name":"state","type":"text","style":"badge","warn":["late"],"critical":["failed"]},'\\
'{"name":"seconds","type":"number","warn":60,"critical":600}]}'
echo '{"type":"upsert","rows":[[1,"build","user","done",12],[2,"test","user","late",99],'\\
'[3,"deploy","user","failed",900],[4,"sweep","internal","done",5]]}'
exec sleep 1000
"""

# Eighty columns of numbers, of which the first ten have a level.
WIDE = "#!/bin/sh\n" + "".join(f"echo '{json.dumps(line)}'\n" for line in (
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "wide", "key": "integer", "columns": [
        {"name": f"c{at}", "type": "integer", "width": 12, **({"warn": 0} if at < 10 else {})} for at in range(80)]},
    {"type": "upsert", "key": 1, "cells": list(range(80))},
)) + "exec sleep 1000\n"


class FirstViewTest(PageTest):
    @classmethod
    def serve(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        file, cls.odd = (pathlib.Path(folder.name) / name for name in ("jobs.sh", "odd.sh"))
        cls.wide = file.with_name("wide.sh")
        filtered = '"filter":{"not":{"column":"kind","op":"oneOf","values":["internal"]}}'
        for place, text in (
                (file, JOBS), (cls.wide, WIDE),
                (
                    cls.odd,
                    JOBS.replace(
                        filtered, '"filter":{"any":[{"column":"kind","op":"=","value":"user"}]}'))):
            place.write_text(text, encoding="utf-8")
            place.chmod(0o755)
        return Server(options=("--no-token", "--child", f"jobs={file}"))

    def texts(self, user, name):
        return user.page.evaluate("""(name) => {
            const at = [...document.querySelectorAll('[role=columnheader]')].findIndex((head) =>
              head.querySelector('.head-title').textContent === name) + 1;
            return [...document.querySelectorAll('.row:not([hidden])')].sort((one, other) =>
              one.ariaRowIndex - other.ariaRowIndex)
              .map((row) => row.querySelector(`[aria-colindex="${at}"]`).textContent);
        }""", name)

    def test_plain_address_opens_view_suggested_by_source(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            user.until_rows("(rows) => rows.length === 3", "the suggested filter hides a row")
            self.assertEqual(self.texts(user, "name"), ["deploy", "test", "build"])
            self.assertEqual(user.page.locator(".head-title").all_text_contents(), ["name", "state", "seconds"])
            expect(user.page.locator("#title")).to_have_text("J JobsJobs of the last day")
            expect(user.page.locator("#terms")).to_contain_text("internal")
            expect(user.page.get_by_role("button", name="Reset view")).to_be_hidden()
            self.assertNotIn("sort", user.page.url)
            self.assertIn("What is done", user.page.locator("[role=columnheader]").first.get_attribute("title"))
            user.page.screenshot(path=str(ARTIFACTS / f"first-view-{scheme}.png"))
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.check_clean(self)

    MARKS = """() => [...document.querySelectorAll('.row:not([hidden]) .cell')]
        .filter((cell) => cell.dataset.severity)
        .map((cell) => [cell.textContent, cell.dataset.severity,
          cell.getAttribute('aria-description'), getComputedStyle(cell).boxShadow !== 'none']).sort()"""
    MARKED = [
        ["900", "critical", "critical", True], ["99", "warn", "warning", True],
        ["failed", "critical", "critical", True], ["late", "warn", "warning", True],
    ]

    def test_severe_values_are_marked_by_description_and_shadow(self):
        self.assertEqual(self.open().page.evaluate(self.MARKS), self.MARKED)

    def test_recycled_cell_loses_severity_mark_of_former_column(self):
        with Server(options=("--no-token", "--child", f"wide={self.wide}")) as server:
            user = User(self.browser, server)
            self.addCleanup(user.close)
            user.wait_for_rows()
            self.assertGreater(len(user.page.evaluate(self.MARKS)), 3)
            user.page.evaluate(
                "() => { const grid = document.querySelector('#grid'); "
                "grid.scrollLeft = grid.scrollWidth; }")
            user.until(
                "() => document.querySelector('.row:not([hidden]) "
                "[aria-colindex=\"80\"]')?.textContent === '79'",
                "the last column is drawn")
            user.until(
                "() => document.querySelector('.row:not([hidden]) [aria-colindex=\"1\"]') === null",
                "the first column is not")
            self.assertEqual(user.page.evaluate(self.MARKS), [])
            user.check_clean(self)

    def test_unsupported_suggested_filter_hides_no_rows(self):
        with Server(options=("--no-token", "--child", f"jobs={self.odd}")) as server:
            user = User(self.browser, server)
            self.addCleanup(user.close)
            user.wait_for_rows()
            user.until_rows("(rows) => rows.length === 4", "every row, as no chip says otherwise")
            expect(user.page.locator("#terms")).to_be_hidden()
            expect(user.page.get_by_role("button", name="Reset view")).to_be_hidden()

    def test_users_view_replaces_suggested_view_until_reset(self):
        user = self.open()
        reset = user.page.get_by_role("button", name="Reset view")
        user.header("name").click()
        user.until_rows("(rows) => rows[0]?.cells.includes('build')", "sorted by name")
        self.assertIn("sort=name", user.page.url)
        user.page.reload()
        user.until_rows(
            "(rows) => rows[0]?.cells.includes('build') && rows.length === 3",
            "the user's own view is kept")
        reset.click()
        user.until_rows("(rows) => rows[0]?.cells.includes('deploy')", "the suggested order")
        expect(reset).to_be_hidden()
        self.assertNotIn("sort", user.page.url)

    def test_removed_suggestions_stay_removed_after_reload(self):
        user = self.open()
        user.page.locator("#terms").get_by_role("button", name="Remove").first.click()
        user.until_rows("(rows) => rows.length === 4", "every row")
        user.header("seconds").click()
        user.header("seconds").click()
        user.until("() => !/sort=[^&]/.test(location.hash)", "no order")
        user.page.reload()
        user.until_rows("(rows) => rows.length === 4 && rows[0]?.cells.includes('build')", "the source's order")
        expect(user.page.get_by_role("button", name="Reset view")).to_be_visible()
        user.check_clean(self)
