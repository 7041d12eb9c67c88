"""The order of sections, and collapsing all of them: by pointer, keyboard and palette."""

import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from reader import expect

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
        reader = self.open(fragment, **how)
        self.run_command(reader, "collapse all", "Collapse all sections")
        expect(reader.grid).to_have_attribute("aria-rowcount", "22")
        return reader

    def run_command(self, reader, words, label):
        reader.grid.focus()
        reader.page.keyboard.press("Control+k")
        reader.page.keyboard.type(words)
        box = reader.page.get_by_role("dialog", name="Commands")
        expect(box.get_by_role("option", selected=True)).to_contain_text(label)
        reader.page.keyboard.press("Enter")


class SectionOrderTest(CollapsedTest):
    def test_section_header_menu_sets_order_that_survives_reload(self):
        reader = self.open_collapsed()
        page = reader.page
        page.get_by_role("rowheader").filter(has_text="Sector-05").click(button="right")
        page.get_by_role("menu").get_by_role("menuitem", name="Order the sections…").click()
        menu = page.get_by_role("menu", name="Order of the sections of Sector")
        expect(menu.get_by_role("menuitemradio", name="By value, ascending")).to_have_attribute("aria-checked", "true")
        page.screenshot(path=ARTIFACTS / "section-order-menu.png")
        self.assertEqual(page.evaluate(FAULTS), [])
        menu.get_by_role("menuitemradio", name="Largest first").click()
        reader.until(is_ordered("count", "1"), "the largest sections are first")
        self.assertIn("sections=sector:-count", page.url)
        page.screenshot(path=ARTIFACTS / "section-order-largest.png")
        page.reload()
        reader.wait_for_count(22)
        reader.until(is_ordered("count", "1"), "the order is in the address")
        reader.check_clean(self)

    def test_keyboard_orders_sections_by_total_and_undoes_it(self):
        reader = self.open_collapsed()
        page = reader.page
        reader.grid.focus()
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
        reader.until(is_ordered("total", "1"), "the greatest averages are first")
        page.keyboard.press("Control+z")
        reader.until(f"() => ({HEADERS})()[0].value === 'Sector-00'", "the sections are by value again")
        self.assertNotIn("sections=", page.url)
        reader.check_clean(self)

    def test_the_palette_orders_and_expands_all_sections(self):
        reader = self.open_collapsed()
        self.run_command(reader, "sections sector smallest", "Sections of Sector: Smallest first")
        reader.until(is_ordered("count", "-1"), "the smallest sections are first")
        self.run_command(reader, "expand all", "Expand all sections")
        expect(reader.grid).to_have_attribute("aria-rowcount", "5022")
        reader.check_clean(self)


class MovingSectionsTest(CollapsedTest):
    settings = {"market.rows": 5_000, "market.rate": 3_000}

    def test_sections_stay_in_order_while_their_totals_change(self):
        reader = self.open_collapsed("#table=quotes&group=sector&show=mean:price&sections=sector:-mean:price")
        reader.until(is_ordered("total", "1"), "the greatest averages are first")
        before = reader.page.evaluate(HEADERS)
        reader.until(
            f"(before) => JSON.stringify(({HEADERS})().map(({{ value }}) => value)) !== "
            "JSON.stringify(before.map(({ value }) => value))", "sections move", before)
        reader.until(is_ordered("total", "1"), "they are in order again")
        reader.check_clean(self)


if __name__ == "__main__":
    unittest.main()
