"""Two tables side by side, each with its own query, position and pause.

The second table is opened by a key, a button or a link.
"""

import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from reader import expect
from rowcast_server import STAND_IN

# The first and the last visible row of each pane.
PANES = """() => [...document.querySelectorAll('.stage')].filter((stage) => stage.checkVisibility()).map((stage) => ({
  label: stage.querySelector('[role=grid]').getAttribute('aria-label'),
  count: stage.querySelector('[role=grid]').getAttribute('aria-rowcount'),
  top: stage.querySelector('[role=grid]').scrollTop, rows: stage.querySelectorAll('.row:not([hidden])').length,
  box: (({ left, top, width, height }) => ({ left, top, width, height }))(stage.getBoundingClientRect()),
  isActive: stage.classList.contains('active-stage'), told: stage.querySelector('.stage-told')?.textContent,
  sorts: [...stage.querySelectorAll('[role=columnheader]')].map((head) =>
    head.getAttribute('aria-sort')).filter((sort) => sort !== 'none'),
}))"""


class PairTest(PageTest):
    plugins = ("market", "jobs")
    settings = {"market.rows": 5_000, "market.rate": 500}
    command = STAND_IN

    def panes(self, reader):
        return reader.page.evaluate(PANES)

    def open_both(self, **how):
        reader = self.open("#table=market", **how)
        reader.page.get_by_role("button", name="Split view").click()
        reader.until(
            "() => document.querySelectorAll('.stage .row').length > 0 "
            "&& document.querySelector('#stage-2 .row:not([hidden]) .cell') !== null",
            "the second table has rows")
        reader.until(
            "() => document.querySelectorAll('.acted').length === 2",
            "what comes after the first rows is there")
        return reader

    def test_split_view_button_opens_next_table_to_the_right(self):
        for scheme in ("light", "dark"):
            reader = self.open_both(scheme=scheme)
            first, second = self.panes(reader)
            self.assertEqual([first["label"], second["label"]], ["Market", "Jobs"])
            self.assertEqual([first["count"], second["count"]], ["5001", "61"])
            self.assertLessEqual(first["box"]["left"] + first["box"]["width"], second["box"]["left"] + 1)
            self.assertEqual(first["box"]["top"], second["box"]["top"])
            self.assertEqual([first["isActive"], second["isActive"]], [False, True])
            self.assertIn("5,000 rows", first["told"])
            self.assertEqual(reader.page.evaluate(FAULTS), [])
            reader.page.screenshot(path=ARTIFACTS / f"pair-{scheme}.png")
            reader.check_clean(self)

    def test_panes_sort_scroll_and_pause_independently(self):
        reader = self.open_both()
        for direction in ("ascending", "descending"):
            reader.page.locator("#stage-2").get_by_role("columnheader", name="Name", exact=True).click()
            reader.until(
                f"() => document.querySelector('#stage-2 [aria-sort={direction}]') !== null",
                f"the second one is sorted, {direction}")
        reader.page.keyboard.press("F6")
        reader.page.keyboard.press("p")
        expect(reader.page.locator("#pause")).to_have_attribute("aria-pressed", "true")
        reader.page.locator("#grid").hover()
        reader.page.mouse.wheel(0, 600)
        reader.until("() => document.querySelector('#grid').scrollTop === 600", "the first one scrolls")
        first, second = self.panes(reader)
        self.assertEqual([first["sorts"], second["sorts"]], [[], ["descending"]])
        self.assertEqual(second["top"], 0)
        self.assertIn("paused", first["told"])
        self.assertNotIn("paused", second["told"])
        reader.page.keyboard.press("F6")
        expect(reader.page.locator("#pause")).to_have_attribute("aria-pressed", "false")
        reader.check_clean(self)

    def test_filter_bar_applies_to_focused_pane(self):
        reader = self.open_both()
        reader.page.keyboard.press("/")
        expect(reader.filter).to_be_focused()
        reader.page.keyboard.type('"job 5"')
        reader.until(
            "() => document.querySelector('#grid-2').getAttribute('aria-rowcount') === '12'",
            "the second one is searched")
        self.assertEqual(reader.page.locator("#grid").get_attribute("aria-rowcount"), "5001")
        reader.page.keyboard.press("Escape")
        reader.page.keyboard.press("F6")
        expect(reader.filter).to_have_value("")
        self.assertEqual(reader.page.title(), "Market · Rowcast")
        reader.page.keyboard.press("F6")
        expect(reader.filter).to_have_value('"job 5"')
        self.assertTrue(
            reader.page.evaluate(
                "document.querySelector('#stage-2').contains(document.activeElement)"),
            "keys go to the second one")
        reader.check_clean(self)

    def test_link_restores_both_panes_and_sort_of_second(self):
        reader = self.open_both()
        reader.page.locator("#stage-2").get_by_role("columnheader", name="Name", exact=True).click()
        reader.until("() => document.querySelector('#stage-2 [aria-sort=ascending]') !== null", "it is sorted")
        self.assertIn("beside=", reader.page.url)
        other = self.open("#" + reader.page.url.split("#", 1)[1])
        other.until(
            "() => document.querySelector('#stage-2 [aria-sort=ascending]') !== null",
            "the second one is shown, and sorted")
        first, second = self.panes(other)
        self.assertEqual([first["label"], second["label"]], ["Market", "Jobs"])
        other.check_clean(self)

    def test_closing_a_pane_keeps_other_table_and_key_splits_again(self):
        reader = self.open_both()
        reader.page.locator("#stage").get_by_role("button", name="Close this pane").click()
        reader.until(
            "() => document.querySelector('#grid').getAttribute('aria-label') === 'Jobs'",
            "the second one takes the first one's place")
        self.assertEqual(len(self.panes(reader)), 1)
        self.assertNotIn("beside=", reader.page.url)
        reader.page.keyboard.press("s")
        reader.until(
            "() => document.querySelector('#stage-2').checkVisibility() "
            "&& document.querySelector('#grid-2').getAttribute('aria-label') === 'Market' "
            "&& document.querySelector('#stage-2 .row:not([hidden]) .cell') !== null",
            "a key shows two again")
        reader.page.keyboard.press("s")
        reader.until("() => !document.querySelector('#stage-2').checkVisibility()", "and one")
        self.assertEqual(self.panes(reader)[0]["label"], "Market", "the one that had the focus stays")
        reader.check_clean(self)

    def test_panes_stack_vertically_on_narrow_screen(self):
        reader = self.open_both(size=(600, 800))
        first, second = self.panes(reader)
        self.assertEqual(first["box"]["left"], second["box"]["left"])
        self.assertGreaterEqual(second["box"]["top"], first["box"]["top"] + first["box"]["height"] - 1)
        self.assertGreater(second["rows"], 3)
        reader.page.screenshot(path=ARTIFACTS / "pair-narrow.png")
        reader.check_clean(self)


if __name__ == "__main__":
    unittest.main()
