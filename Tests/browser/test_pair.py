"""Two tables side by side, each with its own query, position and pause.

The second table is opened by a key, a button or a link.
"""

import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import expect
from rowcast_server import STAND_IN

# The first and the last visible row of each pane.
PANES = """() => [...document.querySelectorAll('.stage')].filter((stage) => stage.checkVisibility()).map((stage) => ({
  label: stage.querySelector('[role=grid]').getAttribute('aria-label'),
  count: stage.querySelector('[role=grid]').getAttribute('aria-rowcount'),
  top: stage.querySelector('[role=grid]').scrollTop, rows: stage.querySelectorAll('.row:not([hidden])').length,
  box: (({ left, top, width, height }) => ({ left, top, width, height }))(stage.getBoundingClientRect()),
  isActive: stage.classList.contains('active-stage'), status: stage.querySelector('.stage-status')?.textContent,
  sorts: [...stage.querySelectorAll('[role=columnheader]')].map((head) =>
    head.getAttribute('aria-sort')).filter((sort) => sort !== 'none'),
}))"""


class PairTest(PageTest):
    plugins = ("market", "jobs")
    settings = {"market.rows": 5_000, "market.rate": 500}
    command = STAND_IN

    def panes(self, user):
        return user.page.evaluate(PANES)

    def open_both(self, **how):
        user = self.open("#table=market", **how)
        user.page.get_by_role("button", name="Split view").click()
        user.until(
            "() => document.querySelectorAll('.stage .row').length > 0 "
            "&& document.querySelector('#stage-2 .row:not([hidden]) .cell') !== null",
            "the second table has rows")
        user.until(
            "() => document.querySelectorAll('.acted').length === 2",
            "what comes after the first rows is there")
        return user

    def test_split_view_button_opens_next_table_to_the_right(self):
        for scheme in ("light", "dark"):
            user = self.open_both(scheme=scheme)
            first, second = self.panes(user)
            self.assertEqual([first["label"], second["label"]], ["Market", "Jobs"])
            self.assertEqual([first["count"], second["count"]], ["5001", "61"])
            self.assertLessEqual(first["box"]["left"] + first["box"]["width"], second["box"]["left"] + 1)
            self.assertEqual(first["box"]["top"], second["box"]["top"])
            self.assertEqual([first["isActive"], second["isActive"]], [False, True])
            self.assertIn("5,000 rows", first["status"])
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.page.screenshot(path=ARTIFACTS / f"pair-{scheme}.png")
            user.check_clean(self)

    def test_panes_sort_scroll_and_pause_independently(self):
        user = self.open_both()
        for direction in ("ascending", "descending"):
            user.page.locator("#stage-2").get_by_role("columnheader", name="Name", exact=True).click()
            user.until(
                f"() => document.querySelector('#stage-2 [aria-sort={direction}]') !== null",
                f"the second one is sorted, {direction}")
        user.page.keyboard.press("F6")
        user.page.keyboard.press("p")
        expect(user.page.locator("#pause")).to_have_attribute("aria-pressed", "true")
        user.page.locator("#grid").hover()
        user.page.mouse.wheel(0, 600)
        user.until("() => document.querySelector('#grid').scrollTop === 600", "the first one scrolls")
        first, second = self.panes(user)
        self.assertEqual([first["sorts"], second["sorts"]], [[], ["descending"]])
        self.assertEqual(second["top"], 0)
        self.assertIn("paused", first["status"])
        self.assertNotIn("paused", second["status"])
        user.page.keyboard.press("F6")
        expect(user.page.locator("#pause")).to_have_attribute("aria-pressed", "false")
        user.check_clean(self)

    def test_filter_bar_applies_to_focused_pane(self):
        user = self.open_both()
        user.page.keyboard.press("/")
        expect(user.filter).to_be_focused()
        user.page.keyboard.type('"job 5"')
        user.until(
            "() => document.querySelector('#grid-2').getAttribute('aria-rowcount') === '12'",
            "the second one is searched")
        self.assertEqual(user.page.locator("#grid").get_attribute("aria-rowcount"), "5001")
        user.page.keyboard.press("Escape")
        user.page.keyboard.press("F6")
        expect(user.filter).to_have_value("")
        self.assertEqual(user.page.title(), "Market · Rowcast")
        user.page.keyboard.press("F6")
        expect(user.filter).to_have_value('"job 5"')
        self.assertTrue(
            user.page.evaluate(
                "document.querySelector('#stage-2').contains(document.activeElement)"),
            "keys go to the second one")
        user.check_clean(self)

    def test_link_restores_both_panes_and_sort_of_second(self):
        user = self.open_both()
        user.page.locator("#stage-2").get_by_role("columnheader", name="Name", exact=True).click()
        user.until("() => document.querySelector('#stage-2 [aria-sort=ascending]') !== null", "it is sorted")
        self.assertIn("beside=", user.page.url)
        other = self.open("#" + user.page.url.split("#", 1)[1])
        other.until(
            "() => document.querySelector('#stage-2 [aria-sort=ascending]') !== null",
            "the second one is shown, and sorted")
        first, second = self.panes(other)
        self.assertEqual([first["label"], second["label"]], ["Market", "Jobs"])
        other.check_clean(self)

    def test_closing_a_pane_keeps_other_table_and_key_splits_again(self):
        user = self.open_both()
        user.page.locator("#stage").get_by_role("button", name="Close this pane").click()
        user.until(
            "() => document.querySelector('#grid').getAttribute('aria-label') === 'Jobs'",
            "the second one takes the first one's place")
        self.assertEqual(len(self.panes(user)), 1)
        self.assertNotIn("beside=", user.page.url)
        user.page.keyboard.press("s")
        user.until(
            "() => document.querySelector('#stage-2').checkVisibility() "
            "&& document.querySelector('#grid-2').getAttribute('aria-label') === 'Market' "
            "&& document.querySelector('#stage-2 .row:not([hidden]) .cell') !== null",
            "a key shows two again")
        user.page.keyboard.press("s")
        user.until("() => !document.querySelector('#stage-2').checkVisibility()", "and one")
        self.assertEqual(self.panes(user)[0]["label"], "Market", "the one that had the focus stays")
        user.check_clean(self)

    def test_panes_stack_vertically_on_narrow_screen(self):
        user = self.open_both(size=(600, 800))
        first, second = self.panes(user)
        self.assertEqual(first["box"]["left"], second["box"]["left"])
        self.assertGreaterEqual(second["box"]["top"], first["box"]["top"] + first["box"]["height"] - 1)
        self.assertGreater(second["rows"], 3)
        user.page.screenshot(path=ARTIFACTS / "pair-narrow.png")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
