"""Copying and finding text in rows that the page does not hold."""

import unittest

from pages import ARTIFACTS, PageTest
from quotes import note
from rowcast_server import Server
from user import expect


class QuotesTest(PageTest):
    """A table of `rows` rows that do not change."""

    plugins = ("market",)
    rows = 0

    @classmethod
    def serve(cls):
        return Server("market", settings={"market.rows": cls.rows, "market.rate": 0})

    def open(self, fragment="", **how):
        user = super().open(fragment, **how)
        user.wait_for_count(self.rows + 1)
        user.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")
        return user

    def notice(self, user, text):
        line = user.page.locator(".acted-line", has_text=text)
        expect(line).to_be_visible(timeout=60_000)
        return line

    def copied(self, user):
        """Returns the clipboard's lines without the titles."""
        return user.pasted().split("\n")[1:]

    def click_first(self, user, column):
        user.page.locator(f'.row[aria-rowindex="2"] [role=gridcell][aria-colindex="{column + 1}"]').click()


class BeyondTest(QuotesTest):
    rows = 120_000  # one column of so many can be copied, but not all columns

    def test_whole_column_is_copied_in_sort_order(self):
        user = self.open("#table=quotes&sort=-price")
        self.click_first(user, user.column("^price"))
        user.page.keyboard.press("Control+Space")
        user.page.keyboard.press("Control+c")
        self.notice(user, f"Copied {self.rows:,} rows")
        user.page.screenshot(path=ARTIFACTS / "beyond-copied.png")
        prices = [float(line) for line in self.copied(user)]
        self.assertEqual(len(prices), self.rows)
        self.assertEqual(prices, sorted(prices, reverse=True))
        user.check_clean(self)

    def test_range_between_distant_cells_is_copied_as_text_and_html(self):
        user = self.open("#table=quotes")
        self.click_first(user, 0)
        user.page.evaluate("() => { const grid = document.querySelector('#grid'); grid.scrollTop = 7_992 * 28; }")
        user.until_rows(
            "(rows) => rows.some(({ index }) => index === 8_002)",
            "the other place is in the middle of what is in sight")
        # By position: in Firefox a click by name scrolls first, and then clicks the old position.
        box = user.page.locator('.row[aria-rowindex="8002"] [role=gridcell][aria-colindex="2"]').bounding_box()
        user.page.keyboard.down("Shift")
        user.page.mouse.click(box["x"] + 10, box["y"] + 10)
        user.page.keyboard.up("Shift")
        user.page.keyboard.press("Control+c")
        self.notice(user, "Copied 8,001 rows")
        cells = [line.split("\t") for line in self.copied(user)]
        self.assertEqual([int(number) for number, _ in cells], list(range(8_001)))
        self.assertTrue(all(symbol.startswith("SYM") for _, symbol in cells))
        self.assertEqual(user.pasted("text/html").count("<tr>"), 8_002)
        user.check_clean(self)

    def test_copying_too_many_rows_is_refused_and_suggests_export(self):
        user = self.open("#table=quotes")
        self.click_first(user, 0)
        user.page.keyboard.press("Control+c")
        user.page.keyboard.press("Control+a")
        user.page.keyboard.press("Control+c")
        self.notice(user, f"{self.rows:,} rows are too many to copy. Press E to export all rows instead.")
        self.assertEqual(user.pasted(), "0", "what was copied before stays")
        user.page.screenshot(path=ARTIFACTS / "beyond-refused.png")
        user.check_clean(self)


class BeyondWindowTest(QuotesTest):
    rows = 30_000

    def test_copy_without_clipboard_api_asks_for_second_ctrl_c(self):
        user = self.open("#table=quotes&sort=-price")
        user.page.evaluate("() => { Object.defineProperty(navigator, 'clipboard', { value: undefined }); }")
        self.click_first(user, user.column("^price"))
        user.page.keyboard.press("Control+Space")
        user.page.keyboard.press("Control+c")
        self.notice(user, f"{self.rows:,} rows are ready: press Ctrl+C again")
        user.page.keyboard.press("Control+c")
        self.notice(user, f"Copied {self.rows:,} rows")
        self.assertEqual(len(user.pasted().split("\n")), self.rows + 1)
        user.check_clean(self)

    def test_find_strip_counts_matches_in_all_rows_and_filters_by_them(self):
        user = self.open("#table=quotes")
        user.page.keyboard.press("Control+f")
        strip = user.page.get_by_role("search")
        strip.get_by_role("searchbox").fill("sector-03")
        every = strip.get_by_role("button", name="matching rows")
        expect(every).to_be_visible()
        count = int(every.inner_text().split(" ")[0].replace(",", ""))
        self.assertTrue(self.rows / 40 < count < self.rows / 10, count)
        user.page.screenshot(path=ARTIFACTS / "beyond-found.png")
        strip.get_by_role("searchbox").fill("no such text")
        expect(strip.get_by_role("button", name="0 matching rows")).to_be_visible()
        strip.get_by_role("searchbox").fill("sector-03")
        expect(strip.get_by_role("button", name=f"{count:,} matching rows")).to_be_visible()
        every.click()
        expect(strip).to_be_hidden()
        expect(user.filter).to_have_value('"sector-03"')
        user.wait_for_count(count + 1)
        user.check_clean(self)

    def test_find_strip_goes_to_matches_outside_loaded_rows(self):
        user = self.open("#table=quotes")
        user.page.keyboard.press("Control+f")
        strip = user.page.get_by_role("search")
        box = strip.get_by_role("searchbox")
        for row, key in ((25_000, "Enter"), (7, "Shift+Enter"), (self.rows - 1, "Shift+Enter"), (12_000, "Enter")):
            box.fill(note(row))
            box.press(key)
            expect(strip.get_by_role("status")).to_have_text("1 of 1", timeout=60_000)
            active = user.page.locator("#active-cell")
            expect(active).to_have_text(note(row))
            expect(active).to_be_in_viewport()
        expect(box).to_be_focused()
        user.page.screenshot(path=ARTIFACTS / "beyond-sought.png")
        box.fill("no such note")
        box.press("Enter")
        expect(strip.get_by_role("status")).to_have_text("no more matches", timeout=60_000)
        box.fill(note(3))
        box.press("Enter")
        user.page.keyboard.press("Escape")
        expect(strip).to_be_hidden()
        user.check_clean(self)

    def test_find_strip_handles_text_entered_before_next_frame(self):
        user = self.open("#table=quotes")
        user.page.evaluate("""(text) => {
          const press = (target, key, how) => target.dispatchEvent(new KeyboardEvent('keydown',
            { key, bubbles: true, cancelable: true, ...how }));
          press(document.querySelector('#grid'), 'f', { ctrlKey: true });
          const box = document.querySelector('[role=search] input');
          box.value = text;
          box.dispatchEvent(new Event('input', { bubbles: true }));
          press(box, 'Enter');
        }""", note(4_000))
        expect(user.page.get_by_role("search").get_by_role("status")).to_have_text("1 of 1", timeout=60_000)
        expect(user.page.locator("#active-cell")).to_have_text(note(4_000))


if __name__ == "__main__":
    unittest.main()
