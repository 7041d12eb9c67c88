"""Keyboard, focus, roles and announcements; large text, right-to-left text and forced colors."""

import unittest

from aria import FAULTS
from browsers import only_chromium
from pages import ARTIFACTS, PageTest
from reader import expect

FOCUS = """() => {
  const cell = document.activeElement;
  const row = cell.closest('[role=row]');
  return row && [Number(row.getAttribute('aria-rowindex')), Number(cell.getAttribute('aria-colindex'))];
}"""


class KeyboardTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 5_000, "market.rate": 200}

    def reached(self, reader, row, column):
        reader.until(
            f"([row, column]) => {{ const at = ({FOCUS})(); return at && at[0] === row "
            f"&& at[1] === column; }}",
            f"the focus is in row {row}, column {column}; it is in {reader.page.evaluate(FOCUS)}",
            [row, column])

    def in_grid(self, **how):
        reader = self.open(**how)
        reader.wait_for_count(5_001)
        reader.grid.focus()
        self.reached(reader, 2, 1)
        return reader

    def test_keys_move_focus_as_the_aria_grid_pattern_requires(self):
        reader = self.in_grid()
        columns = len(reader.titles())
        steps = [
            ("ArrowRight", (2, 2)), ("ArrowDown", (3, 2)), ("End", (3, columns)), ("Home", (3, 1)),
            ("ArrowLeft", (3, 1)), ("Control+End", (5001, columns)),
            ("ArrowDown", (5001, columns)), ("ArrowRight", (5001, columns)),
            ("Control+Home", (2, 1)), ("Control+ArrowRight", (2, columns)),
            ("Control+ArrowDown", (5001, columns)), ("Control+ArrowLeft", (5001, 1)),
            ("Control+ArrowUp", (2, 1)), ("ArrowUp", (1, 1)), ("ArrowUp", (1, 1)),
            ("ArrowRight", (1, 2)), ("ArrowDown", (2, 2)),
        ]
        for key, (row, column) in steps:
            reader.page.keyboard.press(key)
            self.reached(reader, row, column)
        reader.page.keyboard.press("PageDown")
        reader.until(f"() => ({FOCUS})()?.[0] > 15", "a page down")
        reader.page.keyboard.press("PageUp")
        self.reached(reader, 2, 2)
        reader.check_clean(self)

    def test_tab_leaves_the_grid_and_returns_to_the_same_cell(self):
        reader = self.in_grid()
        press = reader.page.keyboard.press
        press("ArrowDown")
        press("ArrowRight")
        self.reached(reader, 3, 2)
        press("Shift+Tab")
        reader.until("() => !document.activeElement.closest('#grid')", "the focus has left the grid")
        press("Tab")
        self.reached(reader, 3, 2)

    def test_focus_survives_scrolling_its_row_out_of_view(self):
        reader = self.in_grid()
        reader.page.keyboard.press("ArrowDown")
        self.reached(reader, 3, 1)
        reader.wheel(20_000)
        reader.until("() => document.activeElement.id === 'grid'", "the grid holds the focus")
        reader.page.keyboard.press("ArrowDown")
        self.reached(reader, 4, 1)
        reader.check_clean(self)

    def test_the_focus_stays_with_its_row_while_others_move(self):
        reader = self.open("#sort=-price")
        reader.wait_for_count(5_001)
        reader.grid.focus()
        reader.until(f"() => ({FOCUS})()", "a cell has the focus")
        name = reader.page.evaluate("document.activeElement.textContent")
        patches = (
            "() => Number(/(\\d[\\d,]*) "
            "patch/.exec(document.querySelector('footer').textContent)[1].replaceAll(',', ''))")
        start = reader.page.evaluate(patches)
        reader.until(f"(start) => ({patches})() > start + 4", "patches arrive", start)
        # Its price may have moved the row out of view. While it is drawn, it has the focus.
        wrong = reader.page.evaluate("""(name) => {
          const { activeElement } = document;
          const cells = [...document.querySelectorAll(
            '#grid [role=row]:not([hidden]) [role=gridcell][aria-colindex="1"]')];
          const own = cells.find((cell) => cell.textContent === name);
          return own !== undefined && own !== activeElement && activeElement.outerHTML;
        }""", name)
        self.assertIs(wrong, False)

    def test_keyboard_selects_and_copies_rows_and_cells(self):
        reader = self.in_grid()
        reader.page.evaluate("""() => {
          window.copied = null;
          document.addEventListener('copy', (event) => {
            copied = ['text/plain', 'text/html'].map((kind) => event.clipboardData.getData(kind));
          });
        }""")
        press = reader.page.keyboard.press
        said = reader.page.locator("#said")
        press(" ")
        press("ArrowDown")
        press("ArrowDown")
        press(" ")
        expect(said).to_contain_text("2 rows selected")
        expect(reader.page.locator("[role=row][aria-selected=true]")).to_have_count(2)
        press("Control+c")
        text, html = reader.until("() => copied", "it was copied")
        lines = text.split("\n")
        self.assertEqual(len(lines), 3)
        self.assertEqual(lines[0].split("\t"), reader.titles())
        self.assertEqual([line.split("\t")[0] for line in lines[1:]], ["0", "2"])
        self.assertEqual(html.count("<tr>"), 3)
        expect(said).to_contain_text("Copied 2 rows")
        press("Escape")
        expect(reader.page.locator("[role=row][aria-selected=true]")).to_have_count(0)
        press("Shift+ArrowDown")
        press("Shift+ArrowRight")
        expect(reader.page.locator("[role=gridcell][aria-selected=true]")).to_have_count(4)
        reader.page.screenshot(path=ARTIFACTS / "selection.png")
        reader.page.evaluate("copied = null")
        press("Control+c")
        text, _ = reader.until("() => copied", "the cells were copied")
        self.assertEqual([len(line.split("\t")) for line in text.split("\n")], [2, 2, 2])
        press("ArrowDown")
        expect(reader.page.locator("[role=gridcell][aria-selected=true]")).to_have_count(0)
        press("Control+a")
        expect(said).to_contain_text("5,000 rows, 10 columns selected")
        reader.check_clean(self)

    def test_details_panel_follows_the_active_row(self):
        reader = self.in_grid()
        press = reader.page.keyboard.press
        press("Enter")
        panel = reader.page.get_by_role("complementary", name="Row")
        expect(panel).to_be_visible()
        self.assertEqual([title.strip() for title in panel.locator("dt").all_inner_texts()], reader.titles())
        first = panel.locator("dd").first
        expect(first).to_have_text("0")
        press("ArrowDown")
        expect(first).to_have_text("1")
        reader.page.screenshot(path=ARTIFACTS / "detail-light.png")
        press("Escape")
        expect(panel).to_be_hidden()
        self.reached(reader, 3, 1)
        reader.check_clean(self)

    def test_help_and_find_open_by_key_and_return_focus(self):
        reader = self.in_grid()
        press = reader.page.keyboard.press
        press("?")
        help_box = reader.page.get_by_role("dialog", name="Keyboard shortcuts")
        expect(help_box).to_contain_text("Ctrl+Home")
        press("Escape")
        expect(help_box).to_have_count(0)
        self.reached(reader, 2, 1)
        press("Control+f")
        find = reader.page.get_by_role("searchbox", name="Find")
        expect(find).to_be_focused()
        reader.page.keyboard.type("sym0")
        expect(reader.page.get_by_role("search")).to_contain_text("match")
        press("Enter")
        expect(reader.page.get_by_role("search")).to_contain_text("1 of")
        press("Escape")
        self.reached(reader, 2, 2)
        reader.check_clean(self)

    def test_sort_and_filter_are_announced(self):
        reader = self.in_grid()
        said = reader.page.locator("#said")
        reader.header("price").click()
        expect(said).to_contain_text("5,000 rows, sorted by Price descending")
        reader.filter.fill("SYM001")
        expect(said).to_contain_text("match, sorted by Price descending")

    def test_aria_rules_hold_with_details_sections_menus_and_filters(self):
        reader = self.in_grid()
        check = lambda when: self.assertEqual(reader.page.evaluate(FAULTS), [], when)
        check("with the focus in the grid")
        reader.page.keyboard.press("Enter")
        check("with a row beside it")
        reader.page.keyboard.press("Escape")
        reader.wheel(40_000)
        reader.until_rows("(rows) => rows[0]?.index > 500", "scrolled")
        check("after a scroll")
        reader.grouping.select_option(label="Sector")
        expect(reader.page.get_by_role("rowheader").first).to_be_visible()
        reader.wheel(1_000)
        reader.until("() => document.querySelector('#grid').scrollTop > 900", "scrolled")
        check("with sections")
        reader.page.get_by_role("columnheader", name="Price", exact=True).click(button="right")
        check("with a menu")
        reader.page.get_by_role("menuitem", name="Filter…").click()
        check("with a filter's box")
        reader.page.get_by_label("From").fill("10")
        reader.page.keyboard.press("Enter")
        expect(reader.page.get_by_role("region", name="Filters")).to_be_visible()
        check("with a filter")
        reader.page.get_by_role("columnheader", name="Size", exact=True).click(button="right")
        reader.page.get_by_role("menuitem", name="Hide column").click()
        expect(reader.page.get_by_role("columnheader", name="Size", exact=True)).to_have_count(0)
        check("without a column")

    def test_focused_elements_have_a_visible_outline(self):
        for scheme in ("light", "dark"):
            reader = self.in_grid(scheme=scheme)
            outline = reader.page.evaluate(
                "(({ outlineStyle, outlineWidth }) => "
                "[outlineStyle, outlineWidth])(getComputedStyle(document.activeElement))")
            self.assertEqual(outline, ["solid", "2px"])
            for _ in range(8):
                reader.page.keyboard.press("Shift+Tab")
                seen = reader.page.evaluate("""() => {
                  const { activeElement } = document;
                  const { outlineStyle, outlineWidth } = getComputedStyle(activeElement);
                  return activeElement === document.body || !document.hasFocus()
                    || (outlineStyle !== 'none' && outlineWidth !== '0px')
                    || activeElement.outerHTML.slice(0, 100);
                }""")
                self.assertIs(seen, True)

    def test_selected_row_has_an_outline_in_forced_colors(self):
        reader = self.in_grid(scheme="dark", forced_colors="active")
        reader.page.keyboard.press(" ")
        row = reader.page.locator("[role=row][aria-selected=true]")
        expect(row).to_have_count(1)
        self.assertEqual(row.evaluate("(row) => getComputedStyle(row).outlineStyle"), "solid")
        reader.page.screenshot(path=ARTIFACTS / "forced-colours.png")
        reader.check_clean(self)

    def test_page_fits_at_200_percent_zoom(self):
        reader = self.open(size=(640, 400))  # 1280 x 800 at 200 %
        reader.page.screenshot(path=ARTIFACTS / "zoomed.png")
        for element in (
                reader.filter, reader.grouping, reader.state,
                reader.page.get_by_role("button", name="View options")):
            box = element.bounding_box()
            self.assertGreaterEqual(box["x"], 0)
            self.assertLessEqual(box["x"] + box["width"], 640.5)
        self.assertEqual(
            reader.page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"),
            [640, 400])
        self.assertGreater(len(reader.rows()), 5)

    def test_right_to_left_direction_mirrors_table_and_arrow_keys(self):
        reader = self.in_grid()
        reader.page.evaluate("document.documentElement.dir = 'rtl'")
        heads = [reader.page.get_by_role("columnheader").nth(at).bounding_box() for at in (0, 1)]
        self.assertGreater(heads[0]["x"], heads[1]["x"])
        cells = [reader.page.get_by_role("gridcell").nth(at).bounding_box() for at in (0, 1)]
        self.assertLess(abs(cells[0]["x"] - heads[0]["x"]), 1)
        self.assertGreater(cells[0]["x"], cells[1]["x"])
        reader.page.keyboard.press("ArrowLeft")
        self.reached(reader, 2, 2)
        reader.page.screenshot(path=ARTIFACTS / "right-to-left.png")

    def test_cut_off_text_shows_its_beginning_in_both_directions(self):
        # The position of each text's first and last character and of its cell, for a column that is
        # too narrow and one that is not.
        read = """(columns) => columns.map((column) => {
          const cell = document.querySelector(`.row:not([hidden]) [aria-colindex="${column}"]`);
          const text = cell.firstChild;
          const at = (from) => {
            const range = document.createRange();
            range.setStart(text, from);
            range.setEnd(text, from + 1);
            return range.getBoundingClientRect();
          };
          const box = cell.getBoundingClientRect();
          return { first: at(0).left - box.left, last: box.right - at(text.length - 1).right,
            isCut: cell.scrollWidth > cell.clientWidth };
        })"""
        for way in ("ltr", "rtl"):
            reader = self.open(
                "#table=quotes&columns=id,symbol,note:90,sector,price,size,bid,ask,ts,side",
                size=(1700, 800))
            reader.wait_for_count(5_001)
            reader.page.evaluate("(way) => { document.documentElement.dir = way; }", way)
            symbol, note = reader.page.evaluate(read, [2, 3])
            self.assertTrue(note["isCut"], way)
            self.assertAlmostEqual(note["first"], 10, delta=1, msg=f"{way}: the beginning is in sight")
            self.assertAlmostEqual(
                symbol["last" if way == "rtl" else "first"], 10, delta=1,
                msg=f"{way}: a short one stands where lines begin")
            reader.page.screenshot(path=ARTIFACTS / f"cut-off-{way}.png")
            reader.check_clean(self, is_cut_off=True)

    @only_chromium("what drives Firefox makes no click of a finger's tap")
    def test_taps_sort_columns_and_focus_cells(self):
        reader = self.open(has_touch=True)
        reader.page.get_by_role("columnheader", name="Price", exact=True).tap()
        expect(
            reader.page.get_by_role(
                "columnheader", name="Price",
                exact=True)).to_have_attribute("aria-sort", "descending")
        reader.page.get_by_role("gridcell").nth(11).tap()
        reader.until(f"() => ({FOCUS})()", "a cell has the focus")


if __name__ == "__main__":
    unittest.main()
