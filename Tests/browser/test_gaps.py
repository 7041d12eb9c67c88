"""Rows that are not loaded, and a server that is down for a while."""

import unittest

from pages import ARTIFACTS, PageTest
from painting import seen, watch
from user import expect
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
        from user import User
        user = User(self.browser, self.server, fragment, **how)
        self.addCleanup(user.close)
        user.until(
            "() => document.querySelector('#body .row:not([hidden])') !== null",
            "something is in the places of the rows")
        return user

    def test_row_shows_placeholder_until_its_cells_are_loaded(self):
        user = self.open()
        watch(user.page, PLACES)
        user.until(f"() => ({PLACES})()[0] === 'row 0 of 100000'", "the rows come")
        states = [frame.get("0") for frame in seen(user.page)]
        self.assertTrue(all(state in ("pending", "row 0 of 100000") for state in states), states)
        user.check_clean(self)

    def test_jump_shows_placeholders_until_rows_are_loaded(self):
        user = self.open()
        user.until(f"() => ({PLACES})()[0] === 'row 0 of 100000'", "the first rows come")
        user.page.evaluate(
            "() => { const grid = document.querySelector('#grid'); "
            "grid.scrollTop = 0.5 * (grid.scrollHeight - grid.clientHeight); }")
        places = user.until(
            f"() => {{ const places = ({PLACES})(); return Object.keys(places).every((at) => "
            f"at > 40_000) && Object.values(places).includes('pending') && places; }}",
            "placeholders stand there")
        self.assertGreater(len(places), 20)
        user.page.screenshot(path=ARTIFACTS / "placeholders.png")
        user.until(
            f"() => Object.entries(({PLACES})()).every(([at, text]) => text === 'failed' "
            f"|| text === `row ${{at}} of 100000`)",
            "and the rows come")
        user.check_clean(self)

    def test_failed_row_shows_its_reason_as_text(self):
        user = self.open()
        user.until(f"() => ({PLACES})()[7] === 'failed'", "it is marked")
        titles = user.page.evaluate(
            "() => [...document.querySelectorAll('.row[aria-rowindex=\"9\"] .cell')].map(({ title "
            "}) => title)")
        self.assertEqual(set(titles), {"the disk <b>is gone</b>"})
        user.page.screenshot(path=ARTIFACTS / "placeholder-failed.png")
        # Hovering hides nothing, and the row's panel shows the same text without a pointer.
        user.until("() => document.querySelector('.acted') !== null", "the page handles events of the pointer")
        failed = user.page.locator('.row[aria-rowindex="9"] .cell').nth(1)
        failed.hover()
        failed.dispatch_event("pointerover")
        expect(failed).to_have_attribute("title", "the disk <b>is gone</b>")
        failed.click()
        user.page.keyboard.press("Enter")
        said = user.until(
            "() => { const cell = document.querySelector('.detail .cell.failed'); return cell "
            "&& [cell.title, getComputedStyle(cell, '::before').content]; }",
            "the panel says it, too")
        self.assertEqual(said[0], "the disk <b>is gone</b>")
        # Firefox returns the expression instead of its value.
        self.assertTrue("is gone" in said[1] or "attr(title)" in said[1], said)
        user.check_clean(self)


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

    def try_again(self, user):
        """Clicks the connection's state, unless the page has already reconnected by itself."""
        user.page.evaluate("document.querySelector('#state').click()")

    def test_disconnect_dims_rows_and_reconnect_restores_the_view(self):
        user = self.open("#table=quotes&sort=-price")
        user.wait_for_count(3_001)
        user.wheel(1_400)
        user.until("() => document.querySelector('#grid').scrollTop === 1400", "the wheel has arrived")
        rows = [row["cells"] for row in user.rows() if row["y"] > 80]
        self.end()
        expect(user.state).to_contain_text("Disconnected")
        user.until(
            "() => getComputedStyle(document.querySelector('#body')).color !== "
            "getComputedStyle(document.body).color",
            "the rows are aged")
        # The notice of the lost connection may cover part of the first rows.
        aged = [row["cells"] for row in user.rows() if row["y"] > 80]
        self.assertGreater(len(aged), 20)
        self.assertEqual(aged, rows[: len(aged)], "and stay")
        covered = user.page.evaluate(
            "() => document.elementFromPoint(innerWidth - 60, 300).closest('#grid') === null")
        self.assertFalse(covered, "nothing lies over the rows")
        user.page.screenshot(path=ARTIFACTS / "gone.png")
        self.begin_again()
        self.try_again(user)
        expect(user.state).to_contain_text("Live")
        user.until(
            "() => getComputedStyle(document.querySelector('#body')).color === "
            "getComputedStyle(document.body).color",
            "the rows are of now")
        self.assertEqual(
            user.page.evaluate("document.querySelector('#grid').scrollTop"), 1_400,
            "the scroll position is kept")
        self.assertIn("sort=-price", user.page.url)
        expect(user.header("price")).to_have_attribute("aria-sort", "descending")
        user.check_clean(self, is_cut_off=True)

    def test_filter_typed_while_disconnected_applies_after_reconnect(self):
        user = self.open("#table=quotes")
        user.wait_for_count(3_001)
        self.end()
        expect(user.state).to_contain_text("Disconnected")
        user.filter.fill("no such thing anywhere")
        user.filter.press("Enter")
        self.begin_again()
        self.try_again(user)
        expect(user.state).to_contain_text("Live")
        expect(user.page.get_by_text("Filter: no such thing anywhere")).to_be_visible()
        user.check_clean(self, is_cut_off=True)


if __name__ == "__main__":
    unittest.main()
