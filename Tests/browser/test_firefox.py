"""Fifty million rows in Firefox, whose tallest element is about half as tall as Chromium's."""

import unittest

from firefox import Firefox
from painting import TOP_ROW
from reader import READ_ROWS
from rowcast_server import STAND_IN, Server

COUNT = 50_000_000
ROW = 28
END, HOME, UP, PAGE_UP = "\ue010", "\ue011", "\ue013", "\ue00e"


class FirefoxTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("huge", command=STAND_IN)
        cls.addClassCleanup(cls.server.stop)
        cls.firefox = Firefox()
        cls.addClassCleanup(cls.firefox.close)

    def setUp(self):
        self.firefox.open("about:blank")
        self.firefox.open(self.server.url)
        self.until_rows("(rows) => rows.length > 0", "rows appear")
        self.assertEqual(self.firefox.evaluate("() => document.querySelector('#grid').getAttribute('aria-rowcount')"), str(COUNT + 1))

    def until_rows(self, condition, message):
        return self.firefox.until(f"() => {{ const rows = ({READ_ROWS})(); return ({condition})(rows) && rows; }}", message)

    def jump(self, part):
        self.firefox.evaluate("(part) => { const grid = document.querySelector('#grid'); grid.scrollTop = part * (grid.scrollHeight - grid.clientHeight); }", part)
        self.until_rows(f"(rows) => rows.length > 20 && Math.abs(rows[10].index / {COUNT} - {part}) < 0.001", f"rows at {part} appear")

    def test_both_ends_and_the_middle_are_reached(self):
        self.firefox.evaluate("() => document.querySelector('#grid').focus()")
        self.firefox.press(END, control=True)
        rows = self.until_rows(f"(rows) => rows.at(-1)?.index === {COUNT + 1}", "the last row appears")
        self.assertEqual(rows[-1]["cells"][1], f"row {COUNT - 1} of {COUNT}")
        bottom = self.firefox.evaluate("() => document.querySelector('#grid').getBoundingClientRect().bottom")
        self.assertLessEqual(rows[-1]["bottom"], bottom + 1, "and all of it")
        self.firefox.press(HOME, control=True)
        self.until_rows("(rows) => rows[0]?.index === 2", "the first row appears")
        self.jump(0.5)

    def test_a_wheel_moves_exactly_its_pixels_wherever_the_reader_is(self):
        for part in (0, 0.25, 0.5, 0.9):
            self.jump(part)
            for step in (96, ROW * 200, -ROW * 7):
                before = self.firefox.until(TOP_ROW, "there is a row at the top")
                place = before["index"] * ROW - before["offset"] + step
                self.firefox.wheel(600, 400, step)
                self.firefox.until(f"(place) => {{ const top = ({TOP_ROW})(); return top && Math.abs(top.index * {ROW} - top.offset - place) < 0.6; }}",
                                   f"a wheel moves by {step} px at {part}", place)

    def test_keys_move_by_one_row(self):
        self.firefox.evaluate("() => document.querySelector('#grid').focus()")
        self.firefox.press(END, control=True)
        for row in range(COUNT, COUNT - 4, -1):
            self.firefox.press(UP)
            self.firefox.until(
                "(row) => document.getElementById('active-cell')?.closest('[role=row]').getAttribute('aria-rowindex') === String(row)",
                f"a key leads to row {row}", row)


if __name__ == "__main__":
    unittest.main()
