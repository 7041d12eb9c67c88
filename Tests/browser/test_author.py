"""Developing a plugin with `rowcast plugin run`: its table and log, and reloads after edits."""

import os
import pathlib
import tempfile
import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import User
from rowcast_server import Server

JOBS = """#!/bin/sh
echo 'warning: the disk is nearly full' >&2
echo '{"id":1,"name":"build","seconds":12}'
echo '{"id":2,"name":"test","seconds":40}'
exec sleep 1000
"""

# For each pane: whether it is visible, its table's name, columns and rows, and its position.
PANES = """() => [...document.querySelectorAll('.stage')].filter((stage) => stage.checkVisibility()).map((stage) => ({
  label: stage.querySelector('[role=grid]').getAttribute('aria-label'),
  columns: [...stage.querySelectorAll('[role=columnheader]')].map((head) => head.textContent),
  rows: [...stage.querySelectorAll('.row:not([hidden])')].map((row) =>
    [...row.querySelectorAll('.cell')].map((cell) => cell.textContent).join(' ')),
  note: stage.querySelector('.note:not([hidden])')?.innerText ?? '',
  box: (({ left, top, width }) => ({ left, top, width }))(stage.getBoundingClientRect()),
}))"""


def write(file, text):
    """Replaces a program. Its file may be running, and is then not writable."""
    new = file.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.chmod(0o755)
    os.rename(new, file)


class AuthorTest(PageTest):
    @classmethod
    def serve(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.file = pathlib.Path(folder.name) / "jobs.sh"
        write(cls.file, JOBS)
        return cls.start(cls.file)

    @staticmethod
    def start(file):
        return Server(what=("plugin", "run", str(file)))

    def open(self, fragment="", server=None, **how):
        user = User(self.browser, server or self.server, fragment, **how)
        self.addCleanup(user.close)
        return user

    def until_panes(self, user, condition, message):
        return user.until(
            f"() => {{ const panes = ({PANES})(); return panes.length === 2 "
            f"&& ({condition})(panes) && panes; }}",
            message, timeout=60_000)

    def test_plugin_run_opens_table_and_log_together(self):
        for scheme, size in (("light", (1280, 760)), ("dark", (1280, 760)), ("light", (600, 760))):
            user = self.open(scheme=scheme, size=size)
            table, log = self.until_panes(
                user,
                "([table, log]) => table.rows.length === 2 && log.rows.some((row) => "
                "row.includes('the disk is nearly full'))",
                "both have rows")
            self.assertEqual([table["label"], log["label"]], ["jobs", "Log"])
            self.assertEqual(log["columns"], ["Time", "Level", "Text"])
            if size[0] == 600:  # stacked vertically
                self.assertEqual(table["box"]["left"], log["box"]["left"])
                self.assertLess(table["box"]["top"], log["box"]["top"])
            else:
                self.assertEqual(table["box"]["top"], log["box"]["top"])
                self.assertLessEqual(table["box"]["left"] + table["box"]["width"], log["box"]["left"] + 1)
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.page.screenshot(path=ARTIFACTS / f"author-{scheme}-{size[0]}.png")
            user.check_clean(self)

    def test_failed_plugin_shows_reason_and_log_until_it_works(self):
        broken = self.file.with_name("broken.sh")
        write(broken, "#!/bin/sh\necho 'error: jobs.txt is missing' >&2\nexit 4\n")
        with self.start(broken) as server:
            user = self.open(server=server)
            table, log = self.until_panes(
                user,
                "([table, log]) => table.note.includes('exited with code 4') "
                "&& log.rows.some((row) => row.includes('jobs.txt is missing'))",
                "it is said why")
            self.assertIn("No data from “broken” yet", table["note"])
            self.assertEqual(table["rows"], [])
            user.page.screenshot(path=ARTIFACTS / "author-broken.png")
            # The table appears once the plugin works, without user input.
            write(broken, JOBS)
            self.until_panes(
                user, "([table]) => table.rows.length === 2 && table.label === 'broken'",
                "its table has come")

    def test_edited_plugin_updates_columns_and_keeps_sort_and_sockets(self):
        file = self.file.with_name("tasks.sh")
        write(file, JOBS)
        with self.start(file) as server:
            user = self.open(server=server)
            self.until_panes(
                user, "([table, log]) => table.rows.length === 2 && log.rows.length > 0",
                "both have rows")
            for direction in ("descending", "ascending"):
                user.page.locator("#stage").get_by_role("columnheader", name="seconds", exact=True).click()
                self.until_panes(
                    user,
                    f"([table]) => document.querySelector('#stage [aria-sort={direction}]') !== "
                    "null",
                    f"it is sorted, {direction}")
            sockets = [url for url in user.requests if url.endswith("/ws")]
            write(
                file, JOBS.replace('"seconds":12', '"seconds":99,"host":"anna"').replace(
                    '"seconds":40', '"seconds":40,"host":"berta"'))
            table, log = self.until_panes(
                user, "([table]) => table.columns.includes('host') && table.rows.length === 2",
                "the new column is shown")
            self.assertEqual(table["rows"], ["2 test 40 berta", "1 build 99 anna"], "in the order that was chosen")
            self.assertTrue(any("the disk is nearly full" in row for row in log["rows"]), "the log goes on")
            user.page.screenshot(path=ARTIFACTS / "author-other-columns.png")
            write(file, JOBS.replace(',"seconds":12', "").replace(',"seconds":40', ""))
            table, _ = self.until_panes(
                user,
                "([table]) => table.columns.join() === 'id,name' && table.rows.length === 2",
                "a column is gone")
            self.assertEqual(table["rows"], ["1 build", "2 test"])
            self.assertEqual(
                [url for url in user.requests if url.endswith("/ws")], sockets,
                "over the sockets that were there")
            user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
