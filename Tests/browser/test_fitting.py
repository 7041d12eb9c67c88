"""Cells, bars and lists with little room: text is not ambiguous, and everything is reachable."""

import json
import os
import pathlib
import shlex
import tempfile
import unittest

from browsers import IS_FIREFOX, launch, only_chromium
from pages import ARTIFACTS, PageTest
from user import User, expect
from rowcast_server import Server

# Prints its file, and then the lines that a test writes to its pipe.
SOURCE = """#!/bin/sh
cat "$1"
exec cat "$2"
"""

COLUMNS = [
    {"name": "name", "type": "text"}, {"name": "count", "type": "integer"},
    {"name": "price", "type": "number", "unit": "ms"},
    {"name": "share", "type": "integer", "style": "bar"}, {"name": "code", "type": "integer", "style": "badge"},
    {"name": "narrow", "type": "timestamp", "width": 6},
    {"name": "label", "type": "text", "style": "badge", "width": 12},
    {"name": "kind", "type": "text"},
]
HEBREW = "שלום עולם " * 12

# The visible cells of a column that show only part of their text, and whether this is marked.
CUT = """(column) => [...document.querySelectorAll(`#grid .row:not([hidden]) .cell[aria-colindex="${column}"]`)]
  .map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  const box = cell.getBoundingClientRect();
  const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
  const over = Math.max(...rects.map((one) => Math.max(box.left - one.left, one.right - box.right)), 0);
  const style = getComputedStyle(cell);
  return { text: cell.textContent, over, isMarked: style.overflowX !== 'visible'
    && style.textOverflow.startsWith('ellipsis') };
}).filter(({ over }) => over > 0.5)"""


def lines(*messages):
    return "".join(json.dumps(message) + "\n" for message in messages)


def row(key, factor=1):
    cells = [
        f"row {key}", key * factor, key * 1.5 * factor, key * factor, key * factor,
        1_700_000_000_000 + key, HEBREW, ["", None, "some"][key % 3]]
    return {"type": "upsert", "key": key, "cells": cells}


class FittingTest(PageTest):
    @classmethod
    def serve(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        at = pathlib.Path(folder.name)
        (at / "source.sh").write_text(SOURCE, encoding="utf-8")
        (at / "said").write_text(lines({"type": "hello", "version": 1, "capabilities": ["commits"]},
                                       {"type": "schema", "name": "grown", "key": "integer", "columns": COLUMNS},
                                       *(row(key) for key in range(60)), {"type": "commit"}), encoding="utf-8")
        cls.pipe = at / "later"
        os.mkfifo(cls.pipe)
        command = " ".join(shlex.quote(str(part)) for part in ("sh", at / "source.sh", at / "said", cls.pipe))
        server = Server("clock", options=("--no-token", "--child", f"grown={command}"))
        cls.later = open(cls.pipe, "w", encoding="utf-8")
        cls.addClassCleanup(cls.later.close)
        return server

    def grow(self, factor):
        self.later.write(lines(*(row(key, factor) for key in range(60)), {"type": "commit"}))
        self.later.flush()

    def open(self, fragment="", **how):
        return super().open(fragment or "#table=grown", **how)

    def test_numeric_columns_widen_when_their_values_grow(self):
        user = self.open(size=(1900, 760))
        self.assertEqual(user.page.evaluate(CUT, 6), [], "a time is seen as a whole, whatever its source wishes")
        width = user.header("count").bounding_box()["width"]
        self.grow(10**10)
        self.addCleanup(self.grow, 1)
        user.until_rows(
            "(rows) => rows.some(({ cells }) => cells[1] === '590,000,000,000' "
            "|| cells[1] === '20,000,000,000')",
            "they have grown")
        for column in (2, 3, 4, 5):
            user.until(f"(column) => ({CUT})(column).length === 0", f"column {column} has room for them", column)
        self.assertGreater(user.header("count").bounding_box()["width"], width)
        user.check_clean(self)

    def test_numbers_cut_off_in_user_sized_column_show_ellipsis(self):
        user = self.open("#table=grown&columns=count:50,name", size=(900, 760))
        self.grow(10**10)
        self.addCleanup(self.grow, 1)
        user.until(f"() => ({CUT})(1).length > 10", "they have grown")
        cut = user.page.evaluate(CUT, 1)
        self.assertEqual([one["text"] for one in cut if not one["isMarked"]], [])

    def test_overlong_right_to_left_badge_shows_its_first_word(self):
        user = self.open(size=(1900, 760))
        box = user.page.evaluate("""() => {
          const cell = document.querySelector('#grid .row:not([hidden]) .cell[aria-colindex="7"]');
          const range = document.createRange();
          range.setStart(cell.querySelector('.badge').firstChild, 0);
          range.setEnd(cell.querySelector('.badge').firstChild, 4);
          const [cellBox, word] = [cell.getBoundingClientRect(), range.getBoundingClientRect()];
          return { isWithin: word.left >= cellBox.left && word.right <= cellBox.right };
        }""")
        self.assertTrue(box["isWithin"], "the first word is in sight")

    def test_section_of_empty_text_is_labeled_empty(self):
        user = self.open("#table=grown&group=kind&collapsed=")
        user.until(
            "() => new Set([...document.querySelectorAll('.section-value')].map((one) => "
            "one.textContent)).has('(empty)')",
            "the empty text has a name")
        names = user.page.evaluate(
            "() => [...new Set([...document.querySelectorAll('.section:not([hidden]) "
            ".section-value')].map((one) => one.textContent))]")
        self.assertTrue(set(names) <= {"(empty)", "—", "some"}, names)

    def test_inner_sections_are_indented_in_right_to_left_direction(self):
        user = self.open("#table=grown&group=kind,code")
        user.page.evaluate("() => { document.documentElement.dir = 'rtl'; }")
        right = user.until("""() => {
          const at = (level) => document
            .querySelector(`.section[data-level="${level}"]:not([hidden]) .section-chevron`)
            ?.getBoundingClientRect().right;
          return at(1) && [at(0), at(1)];
        }""", "there are two levels")
        self.assertAlmostEqual(right[0] - right[1], 18, delta=1)

    @only_chromium("a switch of Chromium's")
    def test_minimum_font_size_widens_columns_to_fit_values(self):
        browser = launch("--blink-settings=minimumFontSize=18")
        self.addCleanup(browser.close)
        user = User(browser, self.server, "#table=grown", size=(1900, 760))
        self.addCleanup(user.close)
        user.wait_for_rows()
        user.until("() => document.querySelector('.stretched') !== null", "it is seen that letters are wider")
        for column in range(2, 7):
            user.until(f"(column) => ({CUT})(column).length === 0", f"column {column} has room", column)
        unmarked = user.page.evaluate(
            f"() => [1, 7, 8].flatMap((column) => ({CUT})(column)).filter(({{ isMarked }}) => "
            "!isMarked)")
        self.assertEqual(unmarked, [])

    def test_letter_spacing_added_later_widens_columns(self):
        user = self.open(size=(1900, 760))
        width = user.header("count").bounding_box()["width"]
        user.page.evaluate("""() => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync('* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }');
          document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
        }""")
        user.until("() => document.querySelector('.stretched') !== null", "it is seen")
        for column in range(2, 7):
            user.until(f"(column) => ({CUT})(column).length === 0", f"column {column} has room", column)
        self.assertGreater(user.header("count").bounding_box()["width"], width)
        unmarked = user.page.evaluate(
            f"() => [1, 7, 8].flatMap((column) => ({CUT})(column)).filter(({{ isMarked }}) => "
            "!isMarked)")
        self.assertEqual(unmarked, [])
        user.check_clean(self)


class ToolbarTest(PageTest):
    plugins = ("market", "clock")
    settings = {"market.rows": 200}

    def test_toolbar_controls_are_reachable_at_all_window_widths(self):
        for group in ("", "&group=sector", "&group=sector,side,symbol"):
            user = User(self.browser, self.server, f"#table=quotes{group}", size=(320, 600))
            user.wait_for_rows()
            for width in (320, 390, 541, 640, 760, 850, 1024, 1100, 1280):
                with self.subTest(width=width, group=group):
                    user.page.set_viewport_size({"width": width, "height": 600})
                    user.until(f"() => innerWidth === {width}", "the page has the width")
                    out = user.page.evaluate("""() => new Promise((done) => {
                      // In the second frame, the page has been laid out for the new width.
                      requestAnimationFrame(() => requestAnimationFrame(() => done([
                        ...document.querySelectorAll('.top button, .top select, .top input'),
                      ].filter((one) => {
                        if (!one.checkVisibility()) return false;
                        if (!one.disabled) one.focus();
                        one.scrollIntoView({ block: 'nearest', inline: 'nearest' });
                        const box = one.getBoundingClientRect();
                        return box.left < 0 || box.right > innerWidth + 0.5 || box.width < 20;
                      }).map((one) => one.ariaLabel || one.id))));
                    })""")
                    self.assertEqual(out, [])
                    self.assertEqual(
                        user.page.evaluate(
                            "() => [document.scrollingElement.scrollLeft, "
                            "document.body.scrollLeft, scrollX]"),
                        [0, 0, 0])
                    if width >= 1024:
                        self.assertEqual(
                            user.page.evaluate(
                                "() => { const top = document.querySelector('.top'); "
                                "return top.scrollWidth - top.clientWidth; }"),
                            0)
            user.close()

    def test_toolbar_of_disconnected_page_fits_phone_screen(self):
        server = Server("market", settings={"market.rows": 200})
        self.addCleanup(server.stop)
        user = User(self.browser, server, size=(390, 700))
        self.addCleanup(user.close)
        user.wait_for_rows()
        server.stop()
        expect(user.state).to_contain_text("Disconnected")
        expect(user.state).to_contain_text("retry in")
        out = user.page.evaluate(
            "() => [...document.querySelectorAll('.top button, .top input')].filter((one) => "
            "one.checkVisibility() && one.getBoundingClientRect().right > innerWidth).map((one) => "
            "one.id)")
        self.assertEqual(out, [])
        user.page.screenshot(path=ARTIFACTS / "toolbar-lost-390.png")

    def test_table_list_closes_after_use_only_on_narrow_screens(self):
        user = self.open("#table=quotes", size=(390, 700))
        button, panel = user.page.get_by_role("button", name="Tables"), user.page.locator("#sidebar")
        button.click()
        expect(panel).to_be_visible()
        user.page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        button.click()
        expect(panel).to_be_visible()
        user.page.mouse.click(370, 500)
        expect(panel).to_be_hidden()
        button.click()
        user.page.get_by_role("tab").nth(1).click()
        expect(panel).to_be_hidden()
        user.page.set_viewport_size({"width": 1280, "height": 700})
        button.click()
        user.page.get_by_role("tab").nth(0).click()
        expect(panel).to_be_visible()

    @only_chromium("Playwright emulates no touch screen in Firefox")
    def test_column_menu_button_is_visible_on_touch_screens(self):
        user = self.open("#table=quotes", size=(390, 700), has_touch=True, is_mobile=True)
        self.assertEqual(
            user.page.evaluate(
                "() => getComputedStyle(document.querySelector('.head-more')).opacity"),
            "1")


if __name__ == "__main__":
    unittest.main()
