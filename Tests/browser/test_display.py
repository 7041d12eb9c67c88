"""The display of values: the form of times, and rows with several lines of text."""

import json
import pathlib
import re
import shlex
import sys
import tempfile
import time
import unittest
import urllib.parse

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from playwright.sync_api import expect
from rowcast_server import Server

NOON = 1_772_366_400_250  # 2026-03-01 12:00:00.250 UTC
LINES = [
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "jobs", "key": "integer", "columns": [
        {"name": "job", "type": "text", "title": "Job"},
        {"name": "began", "type": "timestamp", "title": "Began"},
        {"name": "seen", "type": "timestamp", "title": "Seen", "format": "datetime"},
        {"name": "beat", "type": "timestamp", "title": "Beat", "style": "age"},
    ]},
    {"type": "upsert", "rows": [
        [number, f"job {number}", NOON + number, NOON - number * 60_000, round(time.time() + 10 * number) * 1_000]
        for number in range(400)
    ]},
]  # fmt: skip
PROGRAM = "import sys; print(sys.argv[1], flush=True); sys.stdin.read()"


class TimesTest(PageTest):
    @classmethod
    def serve(cls):
        lines = "\n".join(map(json.dumps, LINES))
        return Server(options=("--no-token", "--child", f"jobs={shlex.join([sys.executable, '-c', PROGRAM, lines])}"))

    def cell(self, user, column):
        return user.page.locator(f'.row[aria-rowindex="2"] .cell[aria-colindex="{column}"]')

    def menu(self, user, title):
        user.header(f"^{title}").click(button="right")
        user.page.get_by_role("menuitem", name="Times…").click()
        return user.page.get_by_role("menu", name=f"Times of {title}")

    def all_times(self, user):
        user.page.get_by_role("button", name="View options").click()
        user.page.get_by_role("menuitem", name="Times…").click()
        return user.page.get_by_role("menu", name="Times")

    def test_view_options_set_time_format_of_all_columns(self):
        user = self.open(scheme="dark")
        menu = self.all_times(user)
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.screenshot(path=ARTIFACTS / "times-menu-dark.png")
        menu.get_by_role("menuitemradio", name="UTC").click()
        expect(self.cell(user, 2)).to_have_text("2026-03-01 12:00:00.250Z")
        expect(self.cell(user, 3)).to_have_text("2026-03-01 12:00:00.250Z")
        expect(user.page).to_have_url(re.compile("times=utc$"))
        self.all_times(user).get_by_role("menuitemradio", name="Without milliseconds").click()
        expect(self.cell(user, 2)).to_have_text("2026-03-01 12:00:00Z")
        expect(user.page).to_have_url(re.compile(r"times=utc\.0$"))
        user.page.keyboard.press("Control+z")
        expect(self.cell(user, 2)).to_have_text("2026-03-01 12:00:00.250Z")
        expect(user.page.get_by_text("Undone: form of times").first).to_be_visible()
        user.page.keyboard.press("Control+z")
        expect(self.cell(user, 2)).to_have_text(re.compile(r"00\.250$"))
        user.check_clean(self)

    def test_column_menu_sets_time_format_of_one_column_by_keyboard(self):
        user = self.open()
        user.page.locator(".grid").focus()
        user.page.keyboard.press("ArrowUp")
        user.page.keyboard.press("ArrowRight")
        user.page.keyboard.press("ArrowRight")
        user.page.keyboard.press("Alt+ArrowDown")
        # Totals also begins with a t.
        user.page.keyboard.type("tt")
        user.page.keyboard.press("Enter")
        menu = user.page.get_by_role("menu", name="Times of Seen")
        menu.get_by_role("menuitemradio", name="Relative").press("Enter")
        expect(self.cell(user, 3)).to_have_text(re.compile(r"^\d+.d.ago$"))
        expect(self.cell(user, 2)).to_have_text(re.compile(r"00\.250$"))
        expect(user.page).to_have_url(re.compile("times=seen:relative$"))
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.check_clean(self)

    def test_relative_times_update_without_moving_columns(self):
        user = self.open("#table=jobs&times=relative")
        page = user.page
        # Some of the rows are less than a minute away, so their texts change every second.
        texts = """() => [...document.querySelectorAll('.row:not([hidden]) .cell[aria-colindex="4"]')]
          .map((cell) => cell.textContent)"""
        boxes = "() => [...document.querySelectorAll('.head')].map((head) => head.getBoundingClientRect().left)"
        before, shown = page.evaluate(boxes), page.evaluate(texts)
        user.until(f"(shown) => ({texts})().join() !== shown.join()", "the texts change", shown)
        for text in page.evaluate(texts):
            self.assertRegex(text, r"^(now|in \d+.(s|min)|\d+.(s|min).ago)$")
        self.assertEqual(page.evaluate(boxes), before)
        user.check_clean(self)

    def test_link_sets_time_formats_and_copied_times_are_exact(self):
        user = self.open("#table=jobs&times=utc.0,began:relative")
        expect(self.cell(user, 2)).to_have_text(re.compile("ago$"))
        expect(self.cell(user, 3)).to_have_text("2026-03-01 12:00:00Z")
        self.cell(user, 3).click()
        user.page.keyboard.press("Control+c")
        self.assertRegex(user.pasted(), r"^2026-03-0[12] \d\d:\d\d:00\.250[+-]\d\d:\d\d$")
        user.check_clean(self)

    def test_time_filter_reads_input_in_format_of_its_column(self):
        user = self.open("#table=jobs&times=utc.0")
        user.header("^Seen").click(button="right")
        user.page.get_by_role("menuitem", name="Filter…").click()
        box = user.page.get_by_role("dialog", name="Filter Seen")
        box.get_by_label("From").fill("2026-03-01 11:58:00")
        box.get_by_role("button", name="Apply").click()
        expect(user.page.locator("#rows")).to_have_text(re.compile("^3 "))
        expect(user.page.locator("#terms")).to_contain_text("≥ 2026-03-01 11:58:00Z")
        user.check_clean(self)


WORDS = "The quick brown fox jumps over the lazy dog and then rests. "
SHORT_LINES = "first\n  second\nthird\nfourth"
LOGS = [
    {"type": "hello", "version": 1},
    {"type": "schema", "name": "logs", "key": "integer", "columns": [
        {"name": "line", "type": "integer", "title": "Line", "style": "bar"},
        {"name": "level", "type": "text", "title": "Level", "style": "badge"},
        {"name": "message", "type": "text", "title": "Message"},
        {"name": "path", "type": "text", "title": "Path", "style": "link"},
        {"name": "note", "type": "text", "title": "Note"},
    ]},
    *({"type": "upsert", "rows": [[
        number, number, "warning" if number % 3 else "error",
        "short" if number % 5 == 4 else f"{number} " + (SHORT_LINES if number % 5 == 3 else WORDS * 14),
        "https://example.org/" + "segment" * 30, "fine",
    ] for number in range(start, start + 100)]} for start in range(0, 1_000, 100)),
]  # fmt: skip

# The first row that is drawn below the headers, and its distance from them in pixels.
TOP = """() => {
  const edge = document.querySelector('.heads').getBoundingClientRect().bottom;
  const rows = [...document.querySelectorAll('.row:not([hidden])')].map((row) => ({
    index: Number(row.getAttribute('aria-rowindex')),
    y: row.getBoundingClientRect().top - edge, height: row.offsetHeight,
  }));
  return rows.filter(({ y, height }) => y + height > 0).sort((one, other) => one.y - other.y)[0];
}"""


class LinesTest(PageTest):
    @classmethod
    def serve(cls):
        lines = "\n".join(map(json.dumps, LOGS))
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "lines")
        path.write_text(lines + "\n")
        return Server(options=("--no-token", "--child", f"logs=sh -c 'cat {path}; exec cat >/dev/null'"))

    def choose(self, user, lines):
        user.page.get_by_role("button", name="View options").click()
        user.page.get_by_role("menuitem", name="Lines of text…").click()
        user.page.get_by_role("menu", name="Lines of text in a row").get_by_role("menuitemradio", name=lines).click()

    def message(self, user, row):
        return user.page.locator(f'.row[aria-rowindex="{row + 2}"] .cell[aria-colindex="3"]')

    def lines_of(self, cell):
        """Returns the number of lines of text that are visible in a cell."""
        return cell.evaluate("""(cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          const { bottom } = cell.getBoundingClientRect();
          const end = bottom - parseFloat(getComputedStyle(cell).borderBottomWidth);
          const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
          return new Set(tops.filter((top) => top < end - 1)).size;
        }""")

    def test_lines_option_sets_height_of_all_rows(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            self.choose(user, "Up to 3 lines")
            expect(user.page).to_have_url(re.compile("lines=3$"))
            heights = """() => [...new Set([...document.querySelectorAll('.row:not([hidden])')]
              .map((row) => row.offsetHeight))]"""
            self.assertEqual(user.page.evaluate(heights), [64])
            self.assertEqual([self.lines_of(self.message(user, row)) for row in (0, 3, 4)], [3, 3, 1])
            # The first line is where it is in a row with one line.
            text = """(cell) => {
              const range = document.createRange();
              range.selectNodeContents(cell);
              return range.getClientRects()[0].top - cell.getBoundingClientRect().top;
            }"""
            tops = [self.message(user, row).evaluate(text) for row in (0, 4)]
            self.assertAlmostEqual(*tops, delta=1)
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.page.screenshot(path=ARTIFACTS / f"lines-{scheme}.png")
            user.check_clean(self)

    def test_lines_option_keeps_top_row_in_place_and_can_be_undone(self):
        user = self.open("#table=logs")
        user.wheel(28 * 100)
        user.until(f"() => ({TOP})().index === 102", "the wheel has arrived")
        self.choose(user, "Up to 5 lines")
        is_there = f"""(height) => {{
          const top = ({TOP})();
          return top.index === 102 && top.height === height && Math.abs(top.y) < 1;
        }}"""
        user.until(is_there, "the row stays", 100)
        user.page.keyboard.press("Control+z")
        user.until(is_there, "the row stays", 28)
        expect(user.page).not_to_have_url(re.compile("lines="))
        user.check_clean(self)

    def test_wheel_moves_exact_pixels_and_end_key_reaches_last_row(self):
        user = self.open("#table=logs&lines=2")
        for pixels in (130, 45, 3_000):
            before = user.page.evaluate(TOP)
            user.wheel(pixels)
            user.until(
                f"""(before) => {{
                  const top = ({TOP})();
                  return Math.abs((top.index - before.index) * 46 - (top.y - before.y) - {pixels}) < 1;
                }}""", "a wheel moves by exactly its pixels", before)
        user.page.locator(".grid").focus()
        user.page.keyboard.press("Control+End")
        expect(self.message(user, 999)).to_be_visible()
        box = user.page.locator('.row[aria-rowindex="1001"]').bounding_box()
        grid = user.grid.bounding_box()
        self.assertAlmostEqual(box["y"] + box["height"], grid["y"] + grid["height"], delta=1)
        user.check_clean(self)

    def test_palette_command_sets_number_of_lines(self):
        user = self.open(size=(400, 760))
        user.page.locator(".grid").focus()
        user.page.keyboard.press("Control+k")
        user.page.keyboard.type("lines of text: up to 2")
        user.page.keyboard.press("Enter")
        user.until(f"() => ({TOP})().height === 46", "rows have two lines")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.screenshot(path=ARTIFACTS / "lines-400.png")
        user.check_clean(self)

    def test_pinned_highlighted_cells_wrap_their_text(self):
        rule = [{"column": "message", "look": "red", "term": {"column": "message", "op": "contains", "value": "fox"}}]
        link = "#table=logs&lines=3&columns=*message,level,path,note,line&highlight="
        user = self.open(link + urllib.parse.quote(json.dumps(rule)))
        cell = user.page.locator('.row[aria-rowindex="2"] .cell[data-look=red]')
        expect(cell).to_be_visible()
        self.assertEqual(self.lines_of(cell), 3)
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.page.screenshot(path=ARTIFACTS / "lines-pinned.png")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
