"""What another engine does in its own way: fifty million rows in an element about half as tall as Chromium's, the clipboard, the browser's own
keys and menus."""

import unittest

from firefox import Firefox
from painting import TOP_ROW
from quotes import note
from reader import READ_ROWS
from rowcast_server import STAND_IN, Server

COUNT = 50_000_000
ROWS = 120_000
ROW = 28
END, HOME, UP, PAGE_UP, ENTER, ESCAPE = "\ue010", "\ue011", "\ue013", "\ue00e", "\ue007", "\ue00c"


class FirefoxTest(unittest.TestCase):
    """One server and one Firefox for all tests of a class; each begins with the rows of a new page."""

    plugin = None
    settings = {}
    command = None
    count = 0

    @classmethod
    def setUpClass(cls):
        if cls.plugin is None:
            raise unittest.SkipTest("what the others have in common")
        cls.server = Server(cls.plugin, settings=cls.settings, command=cls.command)
        cls.addClassCleanup(cls.server.stop)
        cls.firefox = Firefox()
        cls.addClassCleanup(cls.firefox.close)

    def setUp(self):
        self.firefox.open("about:blank")
        self.firefox.open(self.server.url)
        self.until_rows("(rows) => rows.length > 0", "rows appear")
        self.firefox.until("(count) => document.querySelector('#grid').getAttribute('aria-rowcount') === count", "all rows are counted", str(self.count + 1))

    def until_rows(self, condition, message):
        return self.firefox.until(f"() => {{ const rows = ({READ_ROWS})(); return ({condition})(rows) && rows; }}", message)

    def until_said(self, text):
        self.firefox.until("(text) => [...document.querySelectorAll('.acted-line')].some((line) => line.textContent.includes(text))", f"“{text}” is said", text)


class FirefoxHugeTest(FirefoxTest):
    plugin, command, count = "huge", STAND_IN, COUNT

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


class FirefoxBeyondTest(FirefoxTest):
    plugin, settings, count = "market", {"market.rows": ROWS, "market.rate": 0}, ROWS

    def setUp(self):
        super().setUp()
        self.firefox.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")

    def pasted(self):
        """What is on the clipboard, as another program gets it."""
        self.firefox.evaluate("""() => {
          const box = document.createElement('textarea');
          box.id = 'elsewhere';
          document.body.append(box);
          box.focus();
        }""")
        self.firefox.press("v", control=True)
        return self.firefox.until("() => document.querySelector('#elsewhere').value", "something is pasted")

    def test_a_whole_column_is_copied_far_beyond_the_rows_that_the_page_holds(self):
        self.firefox.click('.row[aria-rowindex="2"] [aria-colindex="1"]')
        self.firefox.press(" ", control=True)
        self.firefox.press("c", control=True)
        self.until_said(f"Copied {ROWS:,} rows")
        title, *ids = self.pasted().split("\n")
        self.assertEqual(title, "Id")
        self.assertEqual([int(one) for one in ids if one], list(range(ROWS)))

    def test_find_goes_to_a_row_far_beyond_those_at_hand_and_back(self):
        self.firefox.press("f", control=True)
        self.firefox.until("() => document.activeElement.closest('[role=search]') !== null && !document.activeElement.closest('[role=search]').hidden", "the strip has the focus")
        for row in (100_000, 7):
            self.firefox.evaluate("() => document.activeElement.select()")
            self.firefox.type(note(row))
            self.firefox.press(ENTER)
            self.firefox.until("(text) => document.getElementById('active-cell')?.textContent === text", f"row {row} is the active one", note(row))
            self.firefox.until("() => document.querySelector('#find [role=status]').textContent === '1 of 1 at hand'", "it is counted")
        self.firefox.press(ESCAPE)
        self.firefox.until("() => document.querySelector('#find').hidden", "the strip is gone")


class FirefoxActionsTest(FirefoxTest):
    plugin, command, count = "jobs", STAND_IN, 60

    def menu_of(self, name):
        self.firefox.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")
        self.firefox.click("[role=gridcell]", text=name, button=2)
        self.firefox.until("() => document.querySelector('[role=menu]') !== null", "the menu of the row opens")

    def test_an_action_is_done_once_and_its_result_told(self):
        self.menu_of("job 3")
        self.firefox.click("[role=menuitem]", text="Touch")
        self.until_said("Touch: job 3: touch")
        self.until_rows("(rows) => rows.find(({ cells }) => cells.includes('job 3'))?.cells[2] === '1'", "its row has changed, once")

    def test_what_destroys_something_asks_first_and_is_not_one_key_away(self):
        self.menu_of("job 5")
        self.firefox.type("s")
        self.firefox.press(ENTER)
        self.firefox.until("() => document.querySelector('dialog[open]')?.textContent.includes('What it has done is lost.')", "it asks")
        self.assertEqual(self.firefox.evaluate("() => document.activeElement.textContent"), "Cancel")
        self.firefox.click("dialog button", text="Cancel")  # (driven like this Firefox makes no click of a key on any button)
        self.firefox.until("() => document.querySelector('dialog') === null", "the question is gone")
        self.assertEqual(self.firefox.evaluate("() => document.querySelectorAll('.acted-line').length"), 0, "and nothing was done")


if __name__ == "__main__":
    unittest.main()
