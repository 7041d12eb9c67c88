"""Rows that are not loaded, and a server that is down for a while."""

import unittest

from pages import ARTIFACTS, PageTest
from painting import seen, watch
from reader import expect
from rowcast_server import STAND_IN, Server

# For each visible row, by its number: the content of its second cell.
PLACES = """() => Object.fromEntries([...document.querySelectorAll('#body .row:not([hidden])')].map((row) => {
  const cell = row.querySelectorAll('[role=gridcell]')[1];
  return [Number(row.getAttribute('aria-rowindex')) - 2, cell.classList.contains('failed')
    ? 'failed' : cell.classList.contains('pending') ? 'pending' : cell.textContent];
}))"""


class WindowedTest(PageTest):
    plugins = ("lazy",)
    command = STAND_IN

    def open(self, fragment="", **how):
        from reader import Reader
        reader = Reader(self.browser, self.server, fragment, **how)
        self.addCleanup(reader.close)
        reader.until(
            "() => document.querySelector('#body .row:not([hidden])') !== null",
            "something is in the places of the rows")
        return reader

    def test_row_shows_placeholder_until_its_cells_are_loaded(self):
        reader = self.open()
        watch(reader.page, PLACES)
        reader.until(f"() => ({PLACES})()[0] === 'row 0 of 100000'", "the rows come")
        states = [frame.get("0") for frame in seen(reader.page)]
        self.assertTrue(all(state in ("pending", "row 0 of 100000") for state in states), states)
        reader.check_clean(self)

    def test_jump_shows_placeholders_until_rows_are_loaded(self):
        reader = self.open()
        reader.until(f"() => ({PLACES})()[0] === 'row 0 of 100000'", "the first rows come")
        reader.page.evaluate(
            "() => { const grid = document.querySelector('#grid'); "
            "grid.scrollTop = 0.5 * (grid.scrollHeight - grid.clientHeight); }")
        places = reader.until(
            f"() => {{ const places = ({PLACES})(); return Object.keys(places).every((at) => "
            f"at > 40_000) && Object.values(places).includes('pending') && places; }}",
            "placeholders stand there")
        self.assertGreater(len(places), 20)
        reader.page.screenshot(path=ARTIFACTS / "placeholders.png")
        reader.until(
            f"() => Object.entries(({PLACES})()).every(([at, text]) => text === 'failed' "
            f"|| text === `row ${{at}} of 100000`)",
            "and the rows come")
        reader.check_clean(self)

    def test_failed_row_shows_its_reason_as_text(self):
        reader = self.open()
        reader.until(f"() => ({PLACES})()[7] === 'failed'", "it is marked")
        titles = reader.page.evaluate(
            "() => [...document.querySelectorAll('.row[aria-rowindex=\"9\"] .cell')].map(({ title "
            "}) => title)")
        self.assertEqual(set(titles), {"the disk <b>is gone</b>"})
        reader.page.screenshot(path=ARTIFACTS / "placeholder-failed.png")
        # Hovering hides nothing, and the row's panel shows the same text without a pointer.
        reader.until("() => document.querySelector('.acted') !== null", "the page handles events of the pointer")
        failed = reader.page.locator('.row[aria-rowindex="9"] .cell').nth(1)
        failed.hover()
        failed.dispatch_event("pointerover")
        expect(failed).to_have_attribute("title", "the disk <b>is gone</b>")
        failed.click()
        reader.page.keyboard.press("Enter")
        said = reader.until(
            "() => { const cell = document.querySelector('.detail .cell.failed'); return cell "
            "&& [cell.title, getComputedStyle(cell, '::before').content]; }",
            "the panel says it, too")
        self.assertEqual(said[0], "the disk <b>is gone</b>")
        # Firefox returns the expression instead of its value.
        self.assertTrue("is gone" in said[1] or "attr(title)" in said[1], said)
        reader.check_clean(self)


class GoneTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 3_000, "market.rate": 0}

    def end(self):
        self.server.process.kill()
        self.server.process.wait()

    def begin_again(self):
        """Starts the server again on the same port, as an operator does."""
        self.server.process.stdout.close()
        type(self).server = Server(*self.plugins, settings=self.settings, port=self.server.port)

    def try_again(self, reader):
        """Clicks the connection's state, unless the page has already reconnected by itself."""
        reader.page.evaluate("document.querySelector('#state').click()")

    def test_disconnect_dims_rows_and_reconnect_restores_the_view(self):
        reader = self.open("#table=quotes&sort=-price")
        reader.wait_for_count(3_001)
        reader.wheel(1_400)
        reader.until("() => document.querySelector('#grid').scrollTop === 1400", "the wheel has arrived")
        rows = [row["cells"] for row in reader.rows() if row["y"] > 80]
        self.end()
        expect(reader.state).to_contain_text("Disconnected")
        reader.until(
            "() => getComputedStyle(document.querySelector('#body')).color !== "
            "getComputedStyle(document.body).color",
            "the rows are aged")
        # The notice of the lost connection may cover part of the first rows.
        aged = [row["cells"] for row in reader.rows() if row["y"] > 80]
        self.assertGreater(len(aged), 20)
        self.assertEqual(aged, rows[: len(aged)], "and stay")
        covered = reader.page.evaluate(
            "() => document.elementFromPoint(innerWidth - 60, 300).closest('#grid') === null")
        self.assertFalse(covered, "nothing lies over the rows")
        reader.page.screenshot(path=ARTIFACTS / "gone.png")
        self.begin_again()
        self.try_again(reader)
        expect(reader.state).to_contain_text("Live")
        reader.until(
            "() => getComputedStyle(document.querySelector('#body')).color === "
            "getComputedStyle(document.body).color",
            "the rows are of now")
        self.assertEqual(
            reader.page.evaluate("document.querySelector('#grid').scrollTop"), 1_400,
            "the scroll position is kept")
        self.assertIn("sort=-price", reader.page.url)
        expect(reader.header("price")).to_have_attribute("aria-sort", "descending")
        reader.check_clean(self, is_cut_off=True)

    def test_filter_typed_while_disconnected_applies_after_reconnect(self):
        reader = self.open("#table=quotes")
        reader.wait_for_count(3_001)
        self.end()
        expect(reader.state).to_contain_text("Disconnected")
        reader.filter.fill("no such thing anywhere")
        reader.filter.press("Enter")
        self.begin_again()
        self.try_again(reader)
        expect(reader.state).to_contain_text("Live")
        expect(reader.page.get_by_text("Filter: no such thing anywhere")).to_be_visible()
        reader.check_clean(self, is_cut_off=True)


if __name__ == "__main__":
    unittest.main()
