"""The order of sections, and collapsing all of them: by pointer, keyboard and palette."""

import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import expect

# The counts and the totals of the section headers, from top to bottom.
HEADERS = """() => [...document.querySelectorAll('#grid .section:not([hidden])')]
  .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
  .map((row) => ({
    value: row.querySelector('.section-value').textContent,
    count: Number(row.querySelector('.section-count').textContent.replaceAll(',', '')),
    total: Number((row.querySelector('.total-value')?.textContent ?? '').replaceAll(',', '')),
  }))"""


def is_ordered(by, sign):
    return f"""() => {{
      const all = ({HEADERS})().map((header) => header.{by});
      return all.length > 10 && all.every((value, at) => at === 0 || {sign} * (all[at - 1] - value) >= 0);
    }}"""


class CollapsedTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 5_000, "market.rate": 0}

    def open_collapsed(self, fragment="#table=quotes&group=sector&show=mean:price", **how):
        """Opens a table with all sections collapsed from the palette."""
        user = self.open(fragment, **how)
        self.run_command(user, "collapse all", "Collapse all sections")
        expect(user.grid).to_have_attribute("aria-rowcount", "22")
        return user

    def run_command(self, user, words, label):
        user.grid.focus()
        user.page.keyboard.press("Control+k")
        user.page.keyboard.type(words)
        box = user.page.get_by_role("dialog", name="Commands")
        expect(box.get_by_role("option", selected=True)).to_contain_text(label)
        user.page.keyboard.press("Enter")


class SectionOrderTest(CollapsedTest):
    def test_section_header_menu_sets_order_that_survives_reload(self):
        user = self.open_collapsed()
        page = user.page
        page.get_by_role("rowheader").filter(has_text="Sector-05").click(button="right")
        page.get_by_role("menu").get_by_role("menuitem", name="Order the sections…").click()
        menu = page.get_by_role("menu", name="Order of the sections of Sector")
        expect(menu.get_by_role("menuitemradio", name="By value, ascending")).to_have_attribute("aria-checked", "true")
        page.screenshot(path=ARTIFACTS / "section-order-menu.png")
        self.assertEqual(page.evaluate(FAULTS), [])
        menu.get_by_role("menuitemradio", name="Largest first").click()
        user.until(is_ordered("count", "1"), "the largest sections are first")
        self.assertIn("sections=sector:-count", page.url)
        page.screenshot(path=ARTIFACTS / "section-order-largest.png")
        page.reload()
        user.wait_for_count(22)
        user.until(is_ordered("count", "1"), "the order is in the address")
        user.check_clean(self)

    def test_keyboard_orders_sections_by_total_and_undoes_it(self):
        user = self.open_collapsed()
        page = user.page
        user.grid.focus()
        page.keyboard.press("Control+Home")
        page.keyboard.press("Shift+F10")
        page.keyboard.press("o")
        page.keyboard.press("Enter")
        menu = page.get_by_role("menu", name="Order of the sections of Sector")
        item = menu.get_by_role("menuitemradio", name="By average of Price, descending")
        expect(item).to_be_visible()
        page.keyboard.press("End")
        page.keyboard.press("ArrowUp")
        expect(item).to_be_focused()
        page.keyboard.press("Enter")
        user.until(is_ordered("total", "1"), "the greatest averages are first")
        page.keyboard.press("Control+z")
        user.until(f"() => ({HEADERS})()[0].value === 'Sector-00'", "the sections are by value again")
        self.assertNotIn("sections=", page.url)
        user.check_clean(self)

    def test_the_palette_orders_and_expands_all_sections(self):
        user = self.open_collapsed()
        self.run_command(user, "sections sector smallest", "Sections of Sector: Smallest first")
        user.until(is_ordered("count", "-1"), "the smallest sections are first")
        self.run_command(user, "expand all", "Expand all sections")
        expect(user.grid).to_have_attribute("aria-rowcount", "5022")
        user.check_clean(self)


class MovingSectionsTest(CollapsedTest):
    settings = {"market.rows": 5_000, "market.rate": 3_000}

    def test_sections_stay_in_order_while_their_totals_change(self):
        user = self.open_collapsed("#table=quotes&group=sector&show=mean:price&sections=sector:-mean:price")
        user.until(is_ordered("total", "1"), "the greatest averages are first")
        before = user.page.evaluate(HEADERS)
        user.until(
            f"(before) => JSON.stringify(({HEADERS})().map(({{ value }}) => value)) !== "
            "JSON.stringify(before.map(({ value }) => value))", "sections move", before)
        user.until(is_ordered("total", "1"), "they are in order again")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
