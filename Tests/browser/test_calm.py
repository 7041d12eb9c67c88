"""What keeps a live table calm under the reader's eye: the pause and the hold. Against a real server, in a real browser."""

from test_page import PageTest, setUpModule, tearDownModule  # noqa: F401  (a module's own set-up is found by its name)
from reader import expect

ROWS = "() => JSON.stringify([...document.querySelectorAll('#body .row:not([hidden])')].map((row) => row.innerText))"


class PauseTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 2_000, "market.rate": 4_000}

    def test_a_pause_keeps_the_rows_counts_what_waits_and_goes_on(self):
        reader = self.open()
        button = reader.page.locator("#pause")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        # A patch may have been on its way; after the first count none can be.
        expect(button).to_contain_text("Resume (")
        rows, count = reader.page.evaluate(ROWS), button.inner_text()
        reader.until("(count) => document.querySelector('#pause').innerText !== count", "more waits", count)
        self.assertEqual(reader.page.evaluate(ROWS), rows)
        button.click()
        expect(button).to_have_text("Pause")
        reader.until(f"(rows) => ({ROWS})() !== rows", "the page goes on", rows)
        reader.check_clean(self)

    def test_the_key_pauses_but_not_while_text_is_typed(self):
        reader = self.open()
        button = reader.page.locator("#pause")
        reader.page.keyboard.press("p")
        expect(button).to_have_attribute("aria-pressed", "true")
        reader.page.keyboard.press("p")
        expect(button).to_have_attribute("aria-pressed", "false")
        reader.page.keyboard.press("/")
        reader.page.keyboard.press("p")
        expect(reader.filter).to_have_value("p")
        expect(button).to_have_attribute("aria-pressed", "false")

    def test_a_sort_ends_the_pause(self):
        reader = self.open()
        reader.page.keyboard.press("p")
        expect(reader.page.locator("#pause")).to_contain_text("Resume (")
        reader.header("price").click()
        expect(reader.header("price")).to_have_attribute("aria-sort", "descending")
        expect(reader.page.locator("#pause")).to_have_text("Pause")
        reader.check_clean(self)


class HoldTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 2_000, "market.rate": 4_000}

    def test_nothing_slips_away_from_under_the_pointer_while_values_go_on(self):
        reader = self.open("#sort=-" + "price")
        names = f"() => JSON.stringify([...document.querySelectorAll('#body .row:not([hidden])')].map((row) => [row.style.transform, row.cells?.[0] ?? row.firstElementChild.textContent]).sort())"
        held = reader.page.locator("#held")
        box = reader.grid.bounding_box()
        reader.page.mouse.move(box["x"] + 100, box["y"] + 200)
        reader.page.mouse.down()
        expect(held).to_contain_text("will move", timeout=20_000)
        order, values = reader.page.evaluate(names), reader.page.evaluate(ROWS)
        reader.until(f"(values) => ({ROWS})() !== values", "values go on", values)
        self.assertEqual(reader.page.evaluate(names), order)
        reader.page.mouse.up()
        reader.page.mouse.move(box["x"] + 100, box["y"] - 30)
        expect(held).to_be_hidden()
        reader.until(f"(order) => ({names})() !== order", "the moves come", order)
        reader.check_clean(self)
