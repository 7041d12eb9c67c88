"""Actions on rows from the menu, the panel and a key: confirmed if declared so, and run only once.
"""

import pathlib
import shutil
import signal
import tempfile
import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import expect
from rowcast_server import STAND_IN, Server


class ActionsTest(PageTest):
    plugins = ("jobs",)
    command = STAND_IN

    def row(self, user, name):
        return user.page.locator(".row", has=user.page.get_by_role("gridcell", name=name, exact=True))

    def menu(self, user, name):
        """Opens a row's menu with the mouse."""
        user.click_cell(name, button="right")
        menu = user.page.get_by_role("menu")
        expect(menu).to_be_visible()
        return menu

    def acts(self, user, name):
        return self.row(user, name).get_by_role("gridcell").nth(2)

    def expect_notice(self, user, text):
        line = user.page.locator(".acted-line", has_text=text)
        expect(line).to_be_visible()
        return line

    def test_row_menu_runs_action_and_shows_progress_and_result(self):
        user = self.open()
        menu = self.menu(user, "job 3")
        user.page.screenshot(path=ARTIFACTS / "actions-menu.png")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        # Stops the server, so that it is slower than the page on any machine.
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            menu.get_by_role("menuitem", name="Touch").click()
            expect(self.row(user, "job 3")).to_have_class("row acting")
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        self.expect_notice(user, "Touch: job 3: touch")
        expect(self.row(user, "job 3")).to_have_class("row")
        expect(self.acts(user, "job 3")).to_have_text("1")
        user.check_clean(self)

    def test_keyboard_runs_action_only_after_confirmation(self):
        user = self.open()
        self.menu(user, "job 5")
        user.page.keyboard.press("Escape")
        user.page.keyboard.press("Shift+F10")
        user.page.keyboard.type("sto")
        user.page.keyboard.press("Enter")
        box = user.page.get_by_role("dialog", name="Stop the job")
        expect(box).to_contain_text("What it has done is lost.")
        expect(box.get_by_role("button", name="Cancel")).to_be_focused()  # not the action
        user.page.screenshot(path=ARTIFACTS / "actions-confirm.png")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.keyboard.press("Escape")
        expect(box).to_have_count(0)
        expect(self.acts(user, "job 5")).to_have_text("0")
        self.assertTrue(user.page.evaluate("document.querySelector('#grid').contains(document.activeElement)"))
        user.page.keyboard.press("Shift+F10")
        user.page.keyboard.type("sto")
        user.page.keyboard.press("Enter")
        box.get_by_role("button", name="Stop the job").click()
        expect(self.row(user, "job 5")).to_contain_text("stopped")
        expect(self.acts(user, "job 5")).to_have_text("1")
        user.check_clean(self)

    def test_argument_form_reports_invalid_values_and_sends_valid_ones(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            self.menu(user, "job 7").get_by_role("menuitem", name="Change the limit").click()
            box = user.page.get_by_role("dialog", name="Change the limit")
            share = box.get_by_label("Share")
            expect(share).to_be_focused()
            expect(share).to_have_value("10")
            for wrong, fault in (
                    ("91", "at most 90"), ("0", "at least 1"), ("1.5", "whole number"),
                    ("x", "must be a number")):
                share.fill(wrong)
                share.press("Enter")
                expect(box.get_by_role("alert")).to_contain_text(fault)
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.page.screenshot(path=ARTIFACTS / f"actions-form-{scheme}.png")
            share.fill("90")
            box.get_by_label("Class").select_option(label="high")
            box.get_by_label("Note").fill("<b>now</b>")
            box.get_by_label("For ever").check()
            box.get_by_role("button", name="Change the limit").click()
            expect(self.row(user, "job 7")).to_contain_text(
                '{"share":90,"class":"high","note":"<b>now</b>","forever":true}')
            user.check_clean(self)

    def test_failed_action_shows_reason_until_dismissed(self):
        user = self.open()
        self.menu(user, "job 9").get_by_role("menuitem", name="Fail").click()
        line = user.page.get_by_role("alert").filter(has_text="Fail: the job does not want to <b>fail</b>")
        expect(line).to_be_visible()
        user.page.screenshot(path=ARTIFACTS / "actions-failed.png")
        line.get_by_role("button", name="Dismiss").click()
        expect(line).to_have_count(0)
        user.check_clean(self)

    def test_details_panel_offers_and_runs_row_actions(self):
        user = self.open()
        self.menu(user, "job 11").get_by_role("menuitem", name="Show details").click()
        panel = user.page.get_by_role("complementary", name="Row")
        expect(panel.get_by_role("button")).to_contain_text([
            "×", "Touch", "Stop the job…", "Change the limit…", "Fail", "Take a while"])
        user.page.screenshot(path=ARTIFACTS / "actions-detail.png")
        panel.get_by_role("button", name="Touch").click()
        self.expect_notice(user, "Touch: job 11: touch")
        expect(self.acts(user, "job 11")).to_have_text("1")
        user.check_clean(self)

    def test_action_runs_on_every_selected_row(self):
        user = self.open()
        names = [f"job {at}" for at in range(13, 18)]
        for name in names:
            user.click_cell(name, key="Control")
        self.menu(user, "job 14").get_by_role("menuitem", name="Touch").click()
        for name in names:
            expect(self.acts(user, name)).to_have_text("1")
        expect(self.acts(user, "job 18")).to_have_text("0")
        user.check_clean(self)

    def test_action_runs_once_and_reports_result_despite_disconnect(self):
        user = self.open()
        self.menu(user, "job 19").get_by_role("menuitem", name="Take a while").click()
        self.expect_notice(user, "Take a while: it took a while")
        expect(self.acts(user, "job 19")).to_have_text("1")
        user.check_clean(self, is_cut_off=True)

    def test_view_options_run_actions_of_the_table(self):
        user = self.open()
        user.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")
        user.page.get_by_role("button", name="View options").click()
        user.page.get_by_role("menuitem", name="Sweep all jobs").click()
        user.page.get_by_role("dialog", name="Sweep all jobs").get_by_role("button", name="Sweep all jobs").click()
        self.expect_notice(user, "Sweep all jobs: swept 60 jobs")
        user.check_clean(self)


class SettingsTest(PageTest):
    """The form of a source's settings, with a real source."""

    SOURCE = """
import json, sys
def say(**message):
    print(json.dumps(message), flush=True)
say(type="hello", version=1, settings={"type": "object", "properties": {
    "word": {"type": "string", "title": "Word", "default": "before"}}})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "configure":
        continue
    word = message.get("settings", {}).get("word", "before")
    if word == "broken":
        say(type="refuse", setting="word", reason="no rows have this word")
        break
    say(type="schema", name="words", key="integer", columns=[{"name": "word", "type": "text"}])
    say(type="reload")
    say(type="upsert", rows=[[n, word] for n in range(3)])
    say(type="commit")
"""

    @classmethod
    def serve(cls):
        folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        (folder / "words.py").write_text(cls.SOURCE)
        return Server(options=("--no-token", "--status", "--child", f"words=exec python3 {folder}/words.py"))

    def test_settings_can_be_tested_before_they_are_applied(self):
        user = self.open("#table=rowcast-sources")
        page = user.page
        page.get_by_role("button", name="View options").click()
        page.get_by_role("menuitem", name="Change the settings of words…").click()
        box = page.get_by_role("dialog", name="Change the settings of words")
        self.assertEqual(page.get_by_role("menuitem", name="Test settings").count(), 0)
        box.get_by_label("Word").fill("broken")
        box.get_by_role("button", name="Test").click()
        expect(box.get_by_role("alert")).to_contain_text("no rows have this word")
        box.get_by_label("Word").fill("after")
        box.get_by_label("Word").press("Tab")
        page.keyboard.press("Tab")
        expect(box.get_by_role("button", name="Test")).to_be_focused()
        page.keyboard.press("Enter")
        expect(box.get_by_role("status")).to_have_text("It works: 1 column and 3 rows.")
        page.screenshot(path=ARTIFACTS / "settings-test.png")
        self.assertEqual(page.evaluate(FAULTS), [])
        box.get_by_role("button", name="Change the settings").click()
        page.get_by_role("tab", name="words").click()
        expect(page.get_by_role("gridcell", name="after").first).to_be_visible()
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
