"""Keyboard, focus, roles and announcements; large text, right-to-left text and forced colors."""

import unittest

from aria import FAULTS
from browsers import only_chromium
from pages import ARTIFACTS, PageTest
from user import expect

FOCUS = """() => {
  const cell = document.activeElement;
  const row = cell.closest('[role=row]');
  return row && [Number(row.getAttribute('aria-rowindex')), Number(cell.getAttribute('aria-colindex'))];
}"""


class KeyboardTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 5_000, "market.rate": 200}

    def reached(self, user, row, column):
        user.until(
            f"([row, column]) => {{ const at = ({FOCUS})(); return at && at[0] === row "
            f"&& at[1] === column; }}",
            f"the focus is in row {row}, column {column}; it is in {user.page.evaluate(FOCUS)}",
            [row, column])

    def in_grid(self, **how):
        user = self.open(**how)
        user.wait_for_count(5_001)
        user.grid.focus()
        self.reached(user, 2, 1)
        return user

    def test_keys_move_focus_as_the_aria_grid_pattern_requires(self):
        user = self.in_grid()
        columns = len(user.titles())
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
            user.page.keyboard.press(key)
            self.reached(user, row, column)
        user.page.keyboard.press("PageDown")
        user.until(f"() => ({FOCUS})()?.[0] > 15", "a page down")
        user.page.keyboard.press("PageUp")
        self.reached(user, 2, 2)
        user.check_clean(self)

    def test_tab_leaves_the_grid_and_returns_to_the_same_cell(self):
        user = self.in_grid()
        press = user.page.keyboard.press
        press("ArrowDown")
        press("ArrowRight")
        self.reached(user, 3, 2)
        press("Shift+Tab")
        user.until("() => !document.activeElement.closest('#grid')", "the focus has left the grid")
        press("Tab")
        self.reached(user, 3, 2)

    def test_focus_survives_scrolling_its_row_out_of_view(self):
        user = self.in_grid()
        user.page.keyboard.press("ArrowDown")
        self.reached(user, 3, 1)
        user.wheel(20_000)
        user.until("() => document.activeElement.id === 'grid'", "the grid holds the focus")
        user.page.keyboard.press("ArrowDown")
        self.reached(user, 4, 1)
        user.check_clean(self)

    def test_the_focus_stays_with_its_row_while_others_move(self):
        user = self.open("#sort=-price")
        user.wait_for_count(5_001)
        user.grid.focus()
        user.until(f"() => ({FOCUS})()", "a cell has the focus")
        name = user.page.evaluate("document.activeElement.textContent")
        patches = (
            "() => Number(/(\\d[\\d,]*) "
            "patch/.exec(document.querySelector('footer').textContent)[1].replaceAll(',', ''))")
        start = user.page.evaluate(patches)
        user.until(f"(start) => ({patches})() > start + 4", "patches arrive", start)
        # Its price may have moved the row out of view. While it is drawn, it has the focus.
        wrong = user.page.evaluate("""(name) => {
          const { activeElement } = document;
          const cells = [...document.querySelectorAll(
            '#grid [role=row]:not([hidden]) [role=gridcell][aria-colindex="1"]')];
          const own = cells.find((cell) => cell.textContent === name);
          return own !== undefined && own !== activeElement && activeElement.outerHTML;
        }""", name)
        self.assertIs(wrong, False)

    def test_keyboard_selects_and_copies_rows_and_cells(self):
        user = self.in_grid()
        user.page.evaluate("""() => {
          window.copied = null;
          document.addEventListener('copy', (event) => {
            copied = ['text/plain', 'text/html'].map((kind) => event.clipboardData.getData(kind));
          });
        }""")
        press = user.page.keyboard.press
        announcement = user.page.locator("#announcement")
        press(" ")
        press("ArrowDown")
        press("ArrowDown")
        press(" ")
        expect(announcement).to_contain_text("2 rows selected")
        expect(user.page.locator("[role=row][aria-selected=true]")).to_have_count(2)
        press("Control+c")
        text, html = user.until("() => copied", "it was copied")
        lines = text.split("\n")
        self.assertEqual(len(lines), 3)
        self.assertEqual(lines[0].split("\t"), user.titles())
        self.assertEqual([line.split("\t")[0] for line in lines[1:]], ["0", "2"])
        self.assertEqual(html.count("<tr>"), 3)
        expect(announcement).to_contain_text("Copied 2 rows")
        press("Escape")
        expect(user.page.locator("[role=row][aria-selected=true]")).to_have_count(0)
        press("Shift+ArrowDown")
        press("Shift+ArrowRight")
        expect(user.page.locator("[role=gridcell][aria-selected=true]")).to_have_count(4)
        user.page.screenshot(path=ARTIFACTS / "selection.png")
        user.page.evaluate("copied = null")
        press("Control+c")
        text, _ = user.until("() => copied", "the cells were copied")
        self.assertEqual([len(line.split("\t")) for line in text.split("\n")], [2, 2, 2])
        press("ArrowDown")
        expect(user.page.locator("[role=gridcell][aria-selected=true]")).to_have_count(0)
        press("Control+a")
        expect(announcement).to_contain_text("5,000 rows, 10 columns selected")
        user.check_clean(self)

    def test_details_panel_follows_the_active_row(self):
        user = self.in_grid()
        press = user.page.keyboard.press
        press("Enter")
        panel = user.page.get_by_role("complementary", name="Row")
        expect(panel).to_be_visible()
        self.assertEqual([title.strip() for title in panel.locator("dt").all_inner_texts()], user.titles())
        first = panel.locator("dd").first
        expect(first).to_have_text("0")
        press("ArrowDown")
        expect(first).to_have_text("1")
        user.page.screenshot(path=ARTIFACTS / "detail-light.png")
        press("Escape")
        expect(panel).to_be_hidden()
        self.reached(user, 3, 1)
        user.check_clean(self)

    def test_help_and_find_open_by_key_and_return_focus(self):
        user = self.in_grid()
        press = user.page.keyboard.press
        press("?")
        help_box = user.page.get_by_role("dialog", name="Keyboard shortcuts")
        expect(help_box).to_contain_text("Ctrl+Home")
        press("Escape")
        expect(help_box).to_have_count(0)
        self.reached(user, 2, 1)
        press("Control+f")
        find = user.page.get_by_role("searchbox", name="Find")
        expect(find).to_be_focused()
        user.page.keyboard.type("sym0")
        expect(user.page.get_by_role("search")).to_contain_text("match")
        press("Enter")
        expect(user.page.get_by_role("search")).to_contain_text("1 of")
        press("Escape")
        self.reached(user, 2, 2)
        user.check_clean(self)

    def test_sort_and_filter_are_announced(self):
        user = self.in_grid()
        announcement = user.page.locator("#announcement")
        user.header("price").click()
        expect(announcement).to_contain_text("5,000 rows, sorted by Price descending")
        user.filter.fill("SYM001")
        expect(announcement).to_contain_text("match, sorted by Price descending")

    def test_aria_rules_hold_with_details_sections_menus_and_filters(self):
        user = self.in_grid()
        check = lambda when: self.assertEqual(user.page.evaluate(FAULTS), [], when)
        check("with the focus in the grid")
        user.page.keyboard.press("Enter")
        check("with a row beside it")
        user.page.keyboard.press("Escape")
        user.wheel(40_000)
        user.until_rows("(rows) => rows[0]?.index > 500", "scrolled")
        check("after a scroll")
        user.grouping.select_option(label="Sector")
        expect(user.page.get_by_role("rowheader").first).to_be_visible()
        user.wheel(1_000)
        user.until("() => document.querySelector('#grid').scrollTop > 900", "scrolled")
        check("with sections")
        user.page.get_by_role("columnheader", name="Price", exact=True).click(button="right")
        check("with a menu")
        user.page.get_by_role("menuitem", name="Filter…").click()
        check("with a filter's box")
        user.page.get_by_label("From").fill("10")
        user.page.keyboard.press("Enter")
        expect(user.page.get_by_role("region", name="Filters")).to_be_visible()
        check("with a filter")
        user.page.get_by_role("columnheader", name="Size", exact=True).click(button="right")
        user.page.get_by_role("menuitem", name="Hide column").click()
        expect(user.page.get_by_role("columnheader", name="Size", exact=True)).to_have_count(0)
        check("without a column")

    def test_focused_elements_have_a_visible_outline(self):
        for scheme in ("light", "dark"):
            user = self.in_grid(scheme=scheme)
            outline = user.page.evaluate(
                "(({ outlineStyle, outlineWidth }) => "
                "[outlineStyle, outlineWidth])(getComputedStyle(document.activeElement))")
            self.assertEqual(outline, ["solid", "2px"])
            for _ in range(8):
                user.page.keyboard.press("Shift+Tab")
                seen = user.page.evaluate("""() => {
                  const { activeElement } = document;
                  const { outlineStyle, outlineWidth } = getComputedStyle(activeElement);
                  return activeElement === document.body || !document.hasFocus()
                    || (outlineStyle !== 'none' && outlineWidth !== '0px')
                    || activeElement.outerHTML.slice(0, 100);
                }""")
                self.assertIs(seen, True)

    def test_selected_row_has_an_outline_in_forced_colors(self):
        user = self.in_grid(scheme="dark", forced_colors="active")
        user.page.keyboard.press(" ")
        row = user.page.locator("[role=row][aria-selected=true]")
        expect(row).to_have_count(1)
        self.assertEqual(row.evaluate("(row) => getComputedStyle(row).outlineStyle"), "solid")
        user.page.screenshot(path=ARTIFACTS / "forced-colours.png")
        user.check_clean(self)

    def test_page_fits_at_200_percent_zoom(self):
        user = self.open(size=(640, 400))  # 1280 x 800 at 200 %
        user.page.screenshot(path=ARTIFACTS / "zoomed.png")
        for element in (
                user.filter, user.grouping, user.state,
                user.page.get_by_role("button", name="View options")):
            box = element.bounding_box()
            self.assertGreaterEqual(box["x"], 0)
            self.assertLessEqual(box["x"] + box["width"], 640.5)
        self.assertEqual(
            user.page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"),
            [640, 400])
        self.assertGreater(len(user.rows()), 5)

    def test_right_to_left_direction_mirrors_table_and_arrow_keys(self):
        user = self.in_grid()
        user.page.evaluate("document.documentElement.dir = 'rtl'")
        heads = [user.page.get_by_role("columnheader").nth(at).bounding_box() for at in (0, 1)]
        self.assertGreater(heads[0]["x"], heads[1]["x"])
        cells = [user.page.get_by_role("gridcell").nth(at).bounding_box() for at in (0, 1)]
        self.assertLess(abs(cells[0]["x"] - heads[0]["x"]), 1)
        self.assertGreater(cells[0]["x"], cells[1]["x"])
        user.page.keyboard.press("ArrowLeft")
        self.reached(user, 2, 2)
        user.page.screenshot(path=ARTIFACTS / "right-to-left.png")

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
            user = self.open(
                "#table=quotes&columns=id,symbol,note:90,sector,price,size,bid,ask,ts,side",
                size=(1700, 800))
            user.wait_for_count(5_001)
            user.page.evaluate("(way) => { document.documentElement.dir = way; }", way)
            symbol, note = user.page.evaluate(read, [2, 3])
            self.assertTrue(note["isCut"], way)
            self.assertAlmostEqual(note["first"], 10, delta=1, msg=f"{way}: the beginning is in sight")
            self.assertAlmostEqual(
                symbol["last" if way == "rtl" else "first"], 10, delta=1,
                msg=f"{way}: a short one stands where lines begin")
            user.page.screenshot(path=ARTIFACTS / f"cut-off-{way}.png")
            user.check_clean(self, is_cut_off=True)

    @only_chromium("what drives Firefox makes no click of a finger's tap")
    def test_taps_sort_columns_and_focus_cells(self):
        user = self.open(has_touch=True)
        user.page.get_by_role("columnheader", name="Price", exact=True).tap()
        expect(
            user.page.get_by_role(
                "columnheader", name="Price",
                exact=True)).to_have_attribute("aria-sort", "descending")
        user.page.get_by_role("gridcell").nth(11).tap()
        user.until(f"() => ({FOCUS})()", "a cell has the focus")


if __name__ == "__main__":
    unittest.main()
