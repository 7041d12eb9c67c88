"""The activity panel, which a key opens, and rows whose source is down."""

import re
import unittest

from pages import ARTIFACTS, PageTest
from user import expect
from rowcast_server import STAND_IN


class PanelTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 20_000, "market.rate": 2_000}
    command = STAND_IN

    def value(self, panel, title):
        return panel.locator("dt", has_text=title).locator("xpath=following-sibling::dd[1]")

    def test_key_toggles_activity_panel_with_live_values(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            user.page.keyboard.press("i")
            panel = user.page.get_by_role("region", name="Activity")
            expect(panel).to_be_visible()
            expect(self.value(panel, "Connection")).to_have_text("live")
            expect(self.value(panel, "Patches")).to_have_text(re.compile(r"^[\d.]*[1-9][\d.]* per second$"))
            expect(self.value(panel, "Received")).to_have_text(re.compile(r"^[\d.]*[1-9][\d.]*\s([KM]i)?B per second$"))
            expect(self.value(panel, "Flush interval")).to_have_text("300\u202fms")
            expect(self.value(panel, "Socket to screen")).to_have_text(re.compile(r"p50 \d+\.\d\sms, p99 \d+\.\d\sms"))
            user.until(
                "() => [...document.querySelectorAll('#panel path')].every((path) => "
                "path.getAttribute('d').includes('L'))",
                "both charts are drawn")
            user.page.screenshot(path=ARTIFACTS / f"panel-{scheme}.png")
            user.page.keyboard.press("i")
            expect(panel).to_have_count(0)
            user.check_clean(self)

    def test_scrolling_reuses_row_nodes(self):
        user = self.open()
        user.page.keyboard.press("i")
        expect(user.page.get_by_role("region", name="Activity")).to_be_visible()
        for _ in range(10):
            user.wheel(1_500)
        user.until("() => document.querySelector('#grid').scrollTop > 14_000", "the wheel has arrived")
        user.until("() => Number(/used ([\\d.]+)×/.exec(document.querySelector('#panel').textContent)[1]) > 2",
                     "each node was used more than twice")


class DownTest(PageTest):
    plugins = ("down",)
    command = STAND_IN

    def test_rows_of_failed_source_are_dimmed_with_reason_and_countdown(self):
        user = self.open()
        old = user.page.locator("#old")
        expect(old).to_contain_text("Source down: it ended with 1")
        expect(old).to_contain_text("retrying in")
        user.until(
            "() => getComputedStyle(document.querySelector('#body')).color !== "
            "getComputedStyle(document.body).color",
            "the rows are aged")
        before = old.inner_text()
        user.until("(before) => document.querySelector('#old').innerText !== before", "it counts down", before)
        user.page.screenshot(path=ARTIFACTS / "source-down.png")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
