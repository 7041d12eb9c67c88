"""Firefox: fifty million rows, though its tallest element is about half as tall as Chromium's; and rows that the page does not hold."""

import unittest

from firefox import Firefox
from painting import TOP_ROW
from reader import READ_ROWS
from quotes import note
from rowcast_server import STAND_IN, Server

COUNT = 50_000_000
ROWS = 12_000
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


class BeyondInFirefoxTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("market", settings={"market.rows": ROWS, "market.rate": 0})
        cls.addClassCleanup(cls.server.stop)
        cls.firefox = Firefox()
        cls.addClassCleanup(cls.firefox.close)

    def open(self, fragment):
        self.firefox.open("about:blank")
        self.firefox.open(self.server.url + fragment)
        self.firefox.until("(count) => document.querySelector('#grid').getAttribute('aria-rowcount') === count", "all rows are counted", str(ROWS + 1))
        self.firefox.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")
        self.firefox.evaluate("() => document.querySelector('#grid').focus()")
        self.firefox.press(HOME, control=True)
        self.firefox.until("() => document.activeElement.id === 'active-cell'", "a cell is active")

    def copy(self):
        """What the browser's own command does; keys that are sent from outside do not reach it. Answers the lines without the titles."""
        text = self.firefox.evaluate("""() => {
          const clipboardData = new DataTransfer();
          document.activeElement.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
          return clipboardData.getData('text/plain');
        }""")
        return text.split("\n")[1:]

    def notice(self, text):
        self.firefox.until("(text) => document.querySelector('.acted').textContent.includes(text)", f"it says {text}", text, timeout=30_000)

    def test_a_whole_column_is_copied_though_most_of_it_is_not_here(self):
        self.open("#table=quotes")
        self.firefox.evaluate("() => void Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        self.firefox.press(" ", control=True)
        self.assertEqual(self.copy(), [], "nothing is given away before all of it is here")
        self.notice(f"{ROWS:,} rows are here: copy once more")
        self.assertEqual(self.copy(), [str(row) for row in range(ROWS)])
        self.notice(f"Copied {ROWS:,} rows")

    def test_a_text_is_found_far_away(self):
        self.open("#table=quotes")
        self.firefox.press("f", control=True)
        for row in (ROWS - 2, 3):
            self.firefox.evaluate("""(text) => {
              const input = document.querySelector('#find input');
              input.value = text;
              input.dispatchEvent(new InputEvent('input', { bubbles: true }));
              input.focus();
            }""", note(row))
            self.firefox.press("\ue007")
            self.firefox.until("(text) => document.getElementById('active-cell')?.textContent === text", "its cell is active", note(row), timeout=30_000)


if __name__ == "__main__":
    unittest.main()
