"""Sorting, filtering, columns and looks of a table, from the user's side."""

import re
import unittest

from pages import ARTIFACTS, PageTest
from user import User, expect


class HandlingTest(PageTest):
    plugins = ("market", "processes")
    settings = {"market.rows": 2_000, "market.rate": 50}

    def open(self, fragment="#table=quotes", **how):
        return super().open(fragment, **how)

    def menu(self, user, title):
        """Opens a column's menu with the mouse."""
        user.page.get_by_role("columnheader", name=title, exact=True).click(button="right")
        menu = user.page.get_by_role("menu", name=title, exact=True)
        expect(menu).to_be_visible()
        return menu

    def choose(self, user, title, choice):
        self.menu(user, title).get_by_text(choice, exact=True).click()
        expect(user.page.get_by_role("menu")).to_have_count(0)

    def again(self, user, **how):
        """Opens the same address in a browser without stored state."""
        return self.open("#" + user.page.url.split("#", 1)[1], **how)

    def count(self, user):
        return int(user.grid.get_attribute("aria-rowcount")) - 1

    def test_shift_click_adds_second_sort_column(self):
        user = self.open()
        user.header("sector").click()
        user.header("price").click(modifiers=["Shift"])
        sector, price = user.column("sector"), user.column("price")
        user.until_rows(f"""(rows) => rows.length > 10
          && rows.every(({{ cells }}, at) => at === 0 || rows[at - 1].cells[{sector}] < cells[{sector}]
          || (rows[at - 1].cells[{sector}] === cells[{sector}]
            && Number(rows[at - 1].cells[{price}].replace(/[^0-9.]/g, ''))
            >= Number(cells[{price}].replace(/[^0-9.]/g, ''))))""",
            "by sector, then price")
        self.assertIn("sort=sector,-price", user.page.url)
        user.check_clean(self)

    def test_range_filter_narrows_rows_and_link_restores_it(self):
        user = self.open()
        title = user.titles()[user.column("price")]
        self.choose(user, title, "Filter…")
        box = user.page.get_by_role("dialog", name=f"Filter {title}")
        box.get_by_label("From").fill("many")
        box.get_by_role("button", name="Apply").click()
        expect(box.get_by_role("alert")).to_have_text("“many” is not a number. Write it like 1,234.5.")
        box.get_by_label("From").fill("30000")
        box.get_by_label("To (inclusive)").fill("10000")
        box.get_by_role("button", name="Apply").click()
        expect(box.get_by_role("alert")).to_have_text("“From” is greater than “To”.")
        user.page.screenshot(path=ARTIFACTS / "filter-range.png")
        # Both ends in one field, which replace the former ones.
        box.get_by_label("To (inclusive)").fill("")
        box.get_by_label("From").fill("30000..10000")
        box.get_by_role("button", name="Apply").click()
        expect(box.get_by_role("alert")).to_have_text("“From” is greater than “To”.")
        # A fifth of all prices. A narrower range could be empty for a moment.
        box.get_by_label("From").fill("10000..30000")
        box.get_by_label("From").press("Enter")
        price = user.column("price")
        within = f"""(rows) => rows.length > 0 && rows.every(({{ cells }}) => {{
          const value = Number(cells[{price}].replace(/[^0-9.]/g, ''));
          return value >= 9_999 && value <= 30_001;
        }})"""
        user.until_rows(within, "only such prices stay")
        self.assertLess(self.count(user), 2_000)
        chip = user.page.get_by_role("region", name="Filters")
        expect(chip).to_contain_text(title)
        other = self.again(user)
        other.until_rows(within, "the link shows the same")
        expect(other.page.get_by_role("region", name="Filters")).to_contain_text(title)
        chip.get_by_role("button", name=f"Remove the filter of {title}").click()
        expect(chip).to_be_hidden()
        expect(user.grid).to_have_attribute("aria-rowcount", "2001")
        user.check_clean(self)

    def test_value_checkboxes_filter_for_and_exclude_values(self):
        user = self.open()
        title = user.titles()[user.column("sector")]
        self.choose(user, title, "Filter…")
        box = user.page.get_by_role("dialog", name=f"Filter {title}")
        values = box.get_by_role("group", name="Values").get_by_role("checkbox")
        expect(values.nth(1)).to_be_visible()
        expect(box.get_by_text(re.compile(r"^\d+ values$"))).to_be_visible()
        first, second = (values.nth(at).locator("xpath=..").locator(".value-text").inner_text() for at in (0, 1))
        values.nth(0).check()
        values.nth(1).check()
        expect(box.get_by_text(re.compile(r"^\d+ values$"))).to_be_visible()
        counts = [int(text.replace(",", "")) for text in box.locator(".value-count").all_text_contents()]
        self.assertEqual(sum(counts), 2_000, "the counts are those of all rows")
        self.assertEqual(counts, sorted(counts, reverse=True))
        user.page.screenshot(path=ARTIFACTS / "filter-values.png")
        wanted = sum(counts[:2])
        box.get_by_role("button", name="Apply").click()
        sector = user.column("sector")
        expect(user.grid).to_have_attribute("aria-rowcount", str(wanted + 1))
        user.until_rows(
            f"(rows) => rows.length > 0 && rows.every(({{ cells }}) => "
            f"['{first}', '{second}'].includes(cells[{sector}]))",
            "only these stay")
        self.choose(user, title, "Filter…")
        box.get_by_label("Condition").select_option(label="is none of")
        expect(box.get_by_text(re.compile(r"^\d+ values$"))).to_be_visible()
        values.nth(0).check()
        box.get_by_role("button", name="Apply").click()
        user.until_rows(
            f"(rows) => rows.length > 0 && rows.every(({{ cells }}) => "
            f"cells[{sector}] !== '{first}')",
            "only others stay")
        user.check_clean(self)

    def test_text_filter_applies_contains_and_refuses_lookahead(self):
        user = self.open()
        symbol = user.column("symbol")
        title = user.titles()[symbol]
        self.choose(user, title, "Filter…")
        box = user.page.get_by_role("dialog", name=f"Filter {title}")
        box.get_by_label("Text").fill("1")
        box.get_by_role("button", name="Apply").click()
        user.until_rows(
            "(rows) => rows.length > 0 && rows.every(({ cells }) => /1/.test(cells[" + str(symbol)
            + "]))",
            "only those with a 1 stay")
        self.choose(user, title, "Filter…")
        box.get_by_label("Condition").select_option(label="matches")
        box.get_by_label("Regular expression").fill("(?=a)")
        box.get_by_role("button", name="Apply").click()
        expect(box.get_by_role("alert")).to_contain_text("may not look ahead")
        user.page.keyboard.press("Escape")
        expect(box).to_have_count(0)
        expect(user.state).to_contain_text("Live")
        user.check_clean(self)

    def test_columns_hide_pin_and_widen_and_link_keeps_their_order(self):
        user = self.open(size=(820, 600))
        titles = user.titles()
        self.choose(user, titles[1], "Hide column")
        expect(user.page.get_by_role("columnheader", name=titles[1], exact=True)).to_have_count(0)
        self.choose(user, titles[4], "Pin left")
        self.assertEqual(user.titles()[:2], [titles[4], titles[0]])
        user.until_rows(
            "(rows) => rows.length > 10 && rows.every(({ cells }) => /^[0-9.,]+$/.test(cells[0]))",
            "cells moved along")
        head = user.page.get_by_role("columnheader", name=titles[0], exact=True)
        edge, before = head.locator(".head-edge").bounding_box(), head.bounding_box()["width"]
        user.page.mouse.move(edge["x"] + 3, edge["y"] + 10)
        user.page.mouse.down()
        user.page.mouse.move(edge["x"] + 63, edge["y"] + 10, steps=4)
        user.page.mouse.up()
        user.until(
            "([before]) => Math.abs(document.querySelectorAll('[role=columnheader]')[1]"
            ".getBoundingClientRect().width - before - 60) < 3",
            "the column is 60 pixels wider", [before])
        expect(head).to_have_attribute("aria-sort", "none")
        user.page.evaluate("document.querySelector('#grid').scrollLeft = 200")
        pinned = user.page.get_by_role("columnheader").nth(0)
        self.assertLess(
            pinned.bounding_box()["x"] - user.grid.bounding_box()["x"], 10,
            "it stays while the others scroll")
        cell = user.page.get_by_role("gridcell").first.bounding_box()
        self.assertLess(abs(cell["x"] - pinned.bounding_box()["x"]), 1)
        user.page.screenshot(path=ARTIFACTS / "columns-pinned.png")
        other = self.again(user, size=(820, 600))
        self.assertEqual(other.titles(), user.titles())
        user.page.reload()
        user.wait_for_rows()
        self.assertEqual(user.titles(), other.titles())
        user.check_clean(self)

    def test_dragged_header_moves_its_column_or_groups_by_it(self):
        user = self.open()
        titles = user.titles()
        box = [user.page.get_by_role("columnheader").nth(at).bounding_box() for at in range(3)]
        user.page.mouse.move(box[0]["x"] + 20, box[0]["y"] + 10)
        user.page.mouse.down()
        user.page.mouse.move(box[2]["x"] + box[2]["width"] - 15, box[2]["y"] + 12, steps=6)
        user.page.mouse.up()
        user.until(
            "(wanted) => [...document.querySelectorAll('[role=columnheader]')].slice(0, "
            "3).map((head) => head.innerText).join() === wanted",
            "it stands behind the third", ",".join([titles[1], titles[2], titles[0]]))
        expect(
            user.page.get_by_role(
                "columnheader", name=titles[0], exact=True)).to_have_attribute("aria-sort", "none")
        sector = user.header("sector").bounding_box()
        target = user.grouping.bounding_box()
        user.page.mouse.move(sector["x"] + 20, sector["y"] + 10)
        user.page.mouse.down()
        user.page.mouse.move(target["x"] + 20, target["y"] + 10, steps=6)
        user.page.mouse.up()
        expect(user.page.get_by_role("rowheader").first).to_be_visible()
        self.assertIn("group=sector", user.page.url)
        user.check_clean(self)

    def test_browser_restores_the_view_of_each_table(self):
        user = self.open()
        user.header("sector").click()
        expect(user.header("sector")).to_have_attribute("aria-sort", "ascending")
        tabs = user.page.get_by_role("tab")
        tabs.filter(has_text="Processes").click()
        user.until("() => !location.hash.includes('sort=')", "another table has its own order")
        tabs.filter(has_text="Quotes").click()
        expect(user.header("sector")).to_have_attribute("aria-sort", "ascending")
        user.page.goto(self.server.url)
        user.wait_for_rows()
        expect(user.header("sector")).to_have_attribute("aria-sort", "ascending")
        expect(user.page.get_by_role("grid", name="Quotes")).to_be_visible()

    def test_chosen_theme_and_density_survive_reload(self):
        user = self.open()
        options = user.page.get_by_role("button", name="View options")
        options.click()
        user.page.screenshot(path=ARTIFACTS / "options.png")
        user.page.get_by_role("menuitemradio", name="Dark").click()
        dark = "() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0] < 60"
        user.until(dark, "it is dark")
        options.click()
        expect(user.page.get_by_role("menuitemradio", name="Dark")).to_have_attribute("aria-checked", "true")
        user.page.get_by_role("menuitemradio", name="Compact").click()
        user.until_rows(
            "(rows) => rows.length > 10 && rows[5].y - rows[4].y === 24 "
            "&& rows[5].bottom - rows[5].y === 24",
            "rows are 24 pixels tall")
        user.page.screenshot(path=ARTIFACTS / "market-compact-dark.png")
        user.page.reload()
        user.until(dark, "and stays so")
        user.until_rows("(rows) => rows.length > 10 && rows[5].y - rows[4].y === 24", "as do the rows")
        user.check_clean(self)

    def test_keyboard_uses_column_menu_and_resizes_and_moves_columns(self):
        user = self.open()
        page = user.page
        user.grid.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Control+Home")
        page.keyboard.press("ArrowUp")
        user.until("() => document.activeElement.getAttribute('role') === 'columnheader'", "a header has the focus")
        page.keyboard.press("Alt+ArrowDown")
        menu = page.get_by_role("menu")
        expect(menu).to_be_visible()
        expect(menu.get_by_role("menuitemradio", name="Sort ascending")).to_be_focused()
        page.keyboard.press("f")
        expect(menu.get_by_role("menuitem", name="Filter…")).to_be_focused()
        page.keyboard.press("End")
        expect(menu.get_by_role("menuitem", name="Hide column")).to_be_focused()
        page.keyboard.press("Escape")
        expect(menu).to_have_count(0)
        user.until("() => document.querySelector('#grid').contains(document.activeElement)", "the focus is back")
        width = page.get_by_role("columnheader").nth(0).bounding_box()["width"]
        page.keyboard.press("Shift+ArrowRight")
        user.until(
            "([width]) => "
            "Math.abs(document.querySelector('[role=columnheader]').getBoundingClientRect().width "
            "- width - 16) < 1.5",
            "wider", [width])
        titles = user.titles()
        page.keyboard.press("Control+Shift+ArrowRight")
        user.until(
            "(title) => document.querySelectorAll('[role=columnheader]')[1].innerText === title",
            "moved", titles[0])
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
