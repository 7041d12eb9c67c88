"""Sources without a table, on the real server: a misspelled command is reported on the page."""

import pathlib
import re
import stat
import tempfile
import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import User, expect
from rowcast_server import Server


class AbsentTest(PageTest):
    plugins = ("clock",)

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.plugins = (
            "clock", cls.script("broken.sh", "exit 127"), cls.script("silent.sh", "sleep 1000"),
            cls.script(
                "mended.sh",
                f'test -e {cls.folder}/go || exit 3\necho \'{{"id":1,"name":"here"}}\'\n'
                'sleep 1000'))
        super().setUpClass()

    @classmethod
    def script(cls, name, text):
        path = cls.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def tab(self, user, name):
        return user.page.get_by_role("tab", name=re.compile(name))

    def test_failed_source_without_table_shows_reason_and_next_retry(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            expect(self.tab(user, "^broken, no table, (down|starting|stale)$")).to_be_visible()
            expect(self.tab(user, "^silent, no table, starting$")).to_be_visible()
            expect(self.tab(user, "^broken")).to_have_attribute("title", re.compile("^down: exited with code 127"))
            self.tab(user, "^broken").click()
            note = user.page.locator(".note")
            expect(note).to_contain_text("No data from “broken” yet")
            expect(note).to_contain_text(re.compile(
                r"Source down: exited with code 127.* · (retrying in \d+\s*(s|min)|trying again)"))
            user.page.screenshot(path=ARTIFACTS / f"absent-{scheme}.png")
            # The countdown advances without user input.
            user.until(
                "(before) => document.querySelector('.note').textContent !== before",
                "time goes on", note.inner_text())
            self.tab(user, "^silent").click()
            expect(note).to_contain_text(
                re.compile(
                    r"No data from “silent” yet\s*The source has sent nothing for \d+\s*(s|min)"))
            self.assertEqual(user.page.evaluate(FAULTS), [])
            # The other table opens as usual.
            self.tab(user, "^Clock").click()
            user.wait_for_rows()
            user.check_clean(self)

    def test_late_table_replaces_note_of_selected_source(self):
        user = self.open()
        self.tab(user, "^mended").click()
        expect(user.page.locator(".note")).to_contain_text("No data from “mended” yet")
        (self.folder / "go").write_text("")
        self.addCleanup((self.folder / "go").unlink)
        expect(user.page.get_by_role("gridcell", name="here", exact=True)).to_be_visible(timeout=60_000)
        expect(self.tab(user, "^mended, 1 rows, live$")).to_be_visible()
        user.check_clean(self)

    def test_only_source_without_table_shows_reason_and_no_tabs(self):
        with Server(str(self.folder / "broken.sh")) as server:
            user = User(self.browser, server)
            self.addCleanup(user.close)
            note = user.page.locator(".note")
            expect(note).to_contain_text(re.compile(r"No data from “broken” yet\s*Source down: exited with code 127"))
            expect(user.page.get_by_role("tab")).to_have_count(0)
            user.page.screenshot(path=ARTIFACTS / "absent-alone.png")
            user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
