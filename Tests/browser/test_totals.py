"""Totals under their columns: in section headers, and in the row at the bottom of the table."""

import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import expect

# The right edges of the texts of a column: its totals in headers and at the bottom, and its cells.
EDGES = """(column) => {
  const right = (el) => {
    const range = document.createRange();
    range.selectNodeContents(el.querySelector('.total-value') ?? el);
    return Math.round(range.getBoundingClientRect().right);
  };
  const all = (selector) => [...document.querySelectorAll(`#grid ${selector} [aria-colindex="${column}"]`)]
    .filter((el) => el.checkVisibility() && el.textContent.trim() !== '').map(right);
  return { headers: all('.section:not([hidden])'), cells: all('.row:not([hidden])'), foot: all('.totals-row') };
}"""


class TotalsTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 5_000, "market.rate": 0}

    def open_totalled(self, fragment="#table=quotes&group=sector&show=sum:size,p95:price", **how):
        user = self.open(fragment, **how)
        self.foot = user.page.get_by_role("row", name="Totals of all rows")
        expect(self.foot).to_be_visible()
        return user

    def test_totals_align_with_cells_of_their_column(self):
        for scheme, size in (("light", (1280, 760)), ("dark", (1280, 760)), ("light", (400, 760))):
            user = self.open_totalled(scheme=scheme, size=size)
            at = user.column("Size") + 1
            user.page.evaluate("() => { document.querySelector('#grid').scrollLeft = 300; }")
            user.until(f"(at) => ({EDGES})(at).headers.length > 0", "headers are drawn", at)
            edges = user.page.evaluate(EDGES, at)
            self.assertGreater(len(edges["cells"]), 5)
            self.assertEqual(len(edges["foot"]), 1)
            self.assertEqual(len(set(edges["headers"] + edges["cells"] + edges["foot"])), 1, edges)
            user.page.screenshot(path=ARTIFACTS / f"totals-{scheme}-{size[0]}.png")
            user.check_clean(self)
            user.close()

    def test_the_totals_are_named_by_function_and_column(self):
        user = self.open_totalled("#table=quotes&show=sum:size,p95:price,median:price")
        page = user.page
        cells = self.foot.get_by_role("gridcell")
        expect(cells.filter(has_text="Sum of Size")).to_have_count(1)
        price = cells.filter(has_text="95th percentile of Price")
        expect(price).to_contain_text("Median of Price")
        expect(price).to_have_attribute("title", "95th percentile of Price\nMedian of Price")
        expect(self.foot.get_by_role("rowheader")).to_have_text("All rows")
        expect(user.grid).to_have_attribute("aria-rowcount", "5002")
        expect(self.foot).to_have_attribute("aria-rowindex", "5002")
        self.assertEqual(page.evaluate(FAULTS), [])

    def test_keys_reach_the_totals_and_open_their_menu(self):
        user = self.open_totalled("#table=quotes&show=sum:size")
        page = user.page
        at = user.column("Size")
        user.grid.focus()
        page.keyboard.press("Control+End")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Home")
        expect(self.foot.get_by_role("rowheader")).to_be_focused()
        for _ in range(at):
            page.keyboard.press("ArrowRight")
        expect(self.foot.get_by_role("gridcell").filter(has_text="Sum of Size")).to_be_focused()
        page.keyboard.press("Enter")
        menu = page.get_by_role("menu", name="Totals of Size")
        expect(menu.get_by_role("menuitemcheckbox").filter(has_text="Sum")).to_have_attribute("aria-checked", "true")
        menu.get_by_role("menuitemcheckbox", name="Median").click()
        expect(self.foot).to_contain_text("Median of Size")
        self.assertIn("median:size", page.url)
        page.keyboard.press("Control+z")
        expect(self.foot).not_to_contain_text("Median of Size")
        page.keyboard.press("ArrowUp")
        user.until("() => document.activeElement.closest('.row')?.getAttribute('aria-rowindex') === '5001'",
                     "the last row has the focus")
        user.check_clean(self)

    def test_right_click_opens_totals_menu_that_removes_totals_row(self):
        user = self.open_totalled("#table=quotes&show=sum:size")
        self.foot.get_by_role("gridcell").filter(has_text="Sum of Size").click(button="right")
        menu = user.page.get_by_role("menu", name="Totals of Size")
        menu.get_by_role("menuitemcheckbox").filter(has_text="Sum").click()
        expect(self.foot).to_have_count(0)
        expect(user.grid).to_have_attribute("aria-rowcount", "5001")

    def test_text_column_menu_adds_first_value_to_totals(self):
        user = self.open("#table=quotes&sort=price")
        header = user.header("Symbol")
        header.hover()
        header.locator(".head-more").click()
        user.page.get_by_role("menuitem", name="Totals…").click()
        menu = user.page.get_by_role("menu", name="Totals of Symbol")
        menu.get_by_role("menuitemcheckbox", name="First value").click()
        foot = user.page.get_by_role("row", name="Totals of all rows")
        at = user.column("Symbol")
        first = user.rows()[0]["cells"][at]
        expect(foot.get_by_role("gridcell").filter(has_text="First value of Symbol")).to_contain_text(first)
        user.check_clean(self)

    def test_a_hidden_column_has_its_total_in_the_status_line(self):
        user = self.open("#table=quotes&show=sum:size&columns=id,-size")
        expect(user.page.locator("#rows")).to_contain_text("Σ Size")
        expect(user.page.get_by_role("row", name="Totals of all rows")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
