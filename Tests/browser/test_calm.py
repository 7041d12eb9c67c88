"""Pausing a live table and holding its rows, in a real browser on a real server."""

import re

from pages import ARTIFACTS, PageTest
from user import expect

ROWS = "() => JSON.stringify([...document.querySelectorAll('#body .row:not([hidden])')].map((row) => row.innerText))"


class PauseTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 2_000, "market.rate": 4_000}

    def test_pause_freezes_rows_and_counts_changes_until_resumed(self):
        user = self.open()
        button = user.page.locator("#pause")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        # The first count may include a patch that was on its way; later ones cannot.
        expect(button).to_contain_text("Resume (")
        expect(user.state).to_contain_text("Paused")
        rows, count = user.page.evaluate(ROWS), button.inner_text()
        user.until("(count) => document.querySelector('#pause').innerText !== count", "more waits", count)
        self.assertEqual(user.page.evaluate(ROWS), rows)
        button.click()
        expect(button).to_have_text("Pause")
        user.until(f"(rows) => ({ROWS})() !== rows", "the page goes on", rows)
        user.check_clean(self)

    def test_p_key_toggles_pause_except_in_filter_bar(self):
        user = self.open()
        button = user.page.locator("#pause")
        user.page.keyboard.press("p")
        expect(button).to_have_attribute("aria-pressed", "true")
        user.page.keyboard.press("p")
        expect(button).to_have_attribute("aria-pressed", "false")
        user.page.keyboard.press("/")
        user.page.keyboard.press("p")
        expect(user.filter).to_have_value("p")
        expect(button).to_have_attribute("aria-pressed", "false")

    def test_a_sort_ends_the_pause(self):
        user = self.open()
        user.page.keyboard.press("p")
        expect(user.page.locator("#pause")).to_contain_text("Resume (")
        user.header("price").click()
        expect(user.header("price")).to_have_attribute("aria-sort", "descending")
        expect(user.page.locator("#pause")).to_have_text("Pause")
        user.check_clean(self)


    def test_paused_table_scrolls_and_marks_rows_newer_than_pause(self):
        user = self.open()
        user.page.keyboard.press("p")
        expect(user.page.locator("#pause")).to_contain_text("Resume (")
        self.assertEqual(user.state.get_attribute("data-state"), "paused")
        for pixels in (20_000, -7_000):
            user.wheel(pixels)
            user.until("""() => {
              const rows = [...document.querySelectorAll('#body .row:not([hidden])')];
              return document.querySelector('#ghost').hidden && rows.length > 10
                && Number(rows[0].getAttribute('aria-rowindex')) > 100;
            }""", "there are rows where the user has scrolled to")
        user.until(
            "() => document.querySelectorAll('.row.newer').length > 0",
            "rows that have changed since are marked")
        expect(user.page.locator("#old")).to_have_text("Paused: marked rows are newer than the pause")
        user.page.screenshot(path=ARTIFACTS / "pause-newer.png")
        rows = user.page.evaluate(ROWS)
        count = user.page.locator("#pause").inner_text()
        user.until("(count) => document.querySelector('#pause').innerText !== count", "more waits", count)
        self.assertEqual(user.page.evaluate(ROWS), rows, "what has come into sight stays as it is")
        user.page.keyboard.press("p")
        expect(user.page.locator("#pause")).to_have_text("Pause")
        expect(user.page.locator(".row.newer")).to_have_count(0)
        expect(user.page.locator("#old")).to_be_hidden()
        expect(user.state).to_contain_text("Live")
        user.check_clean(self)


class HoldTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 2_000, "market.rate": 4_000}

    def test_pressed_pointer_holds_row_order_while_values_update(self):
        user = self.open("#sort=-" + "price")
        names = (
            "() => JSON.stringify([...document.querySelectorAll('#body .row:not([hidden])')]"
            ".map((row) => [row.style.transform, row.cells?.[0] ?? row.firstElementChild.textContent]).sort())")
        held = user.page.locator("#held")
        box = user.grid.bounding_box()
        user.page.mouse.move(box["x"] + 100, box["y"] + 200)
        user.page.mouse.down()
        expect(held).to_contain_text("Order held", timeout=60_000)
        order, values = user.page.evaluate(names), user.page.evaluate(ROWS)
        user.until(f"(values) => ({ROWS})() !== values", "values go on", values)
        self.assertEqual(user.page.evaluate(names), order)
        user.page.mouse.up()
        user.page.mouse.move(box["x"] + 100, box["y"] - 30)
        expect(held).to_be_hidden()
        user.until(f"(order) => ({names})() !== order", "the moves come", order)
        user.check_clean(self)

    ORDER = (
        "() => JSON.stringify([...document.querySelectorAll('#body .row:not([hidden])')]"
        ".map((row) => [row.style.transform, row.firstElementChild.textContent]).sort())")

    def test_resting_pointer_holds_order_and_sorted_header_shows_it(self):
        user = self.open("#sort=-price")
        box = user.grid.bounding_box()
        user.page.mouse.move(box["x"] + 100, box["y"] + 200)
        mark = user.page.locator("[role=columnheader][aria-sort=descending] .head-held")
        expect(mark).to_be_visible()
        expect(mark).to_have_attribute("aria-label", re.compile(r"^Order held: [\d,]+ rows? will move$"))
        order = user.page.evaluate(self.ORDER)
        # Much longer than a pointer holds rows, and than the page waits until it asks again.
        changed = user.page.evaluate("""async (order) => {
          const now = () => JSON.stringify([...document.querySelectorAll('#body .row:not([hidden])')]
            .map((row) => [row.style.transform, row.firstElementChild.textContent]).sort());
          const end = performance.now() + 7_000;
          while (performance.now() < end) {
            if (now() !== order) return true;
            await new Promise((next) => requestAnimationFrame(next));
          }
          return false;
        }""", order)
        self.assertFalse(changed)
        user.page.screenshot(path=ARTIFACTS / "held.png")
        mark.click()
        expect(user.page.locator(".head-held")).to_have_count(0)
        expect(user.header("price")).to_have_attribute("aria-sort", "descending")
        user.until(f"(order) => ({self.ORDER})() !== order", "the moves come", order)
        user.check_clean(self)

    def test_pointer_move_after_scrolling_holds_order_until_escape(self):
        user = self.open("#sort=-price")
        user.wheel(9_000)
        user.until_rows("(rows) => rows[0]?.index > 150", "other rows are seen")
        box = user.grid.bounding_box()
        user.page.mouse.move(box["x"] + 120, box["y"] + 220)
        held = user.page.locator("#held")
        expect(held).to_contain_text("Order held")
        order = user.page.evaluate(self.ORDER)
        user.page.keyboard.press("Escape")
        user.until(f"(order) => ({self.ORDER})() !== order", "the moves come", order)
        expect(held).to_be_hidden()
        user.check_clean(self)
