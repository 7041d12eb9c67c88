"""The page of a task, and what the tasks read from it."""

import pathlib
import re
import shlex
import sys
import tempfile
import time

from aria import FAULTS
from axe import violations
from browsers import IS_FIREFOX
from user import User, expect
from rowcast_server import Server

FOLDER = pathlib.Path(__file__).resolve().parent
PHONE = (390, 844)

# The visible rows from top to bottom: their positions and their texts by the title of the column.
ROWS = """() => {
  const grid = document.querySelector('.grid');
  const titles = new Map([...grid.querySelectorAll('[role=columnheader]')]
    .map((head) => [head.getAttribute('aria-colindex'), head.querySelector('.head-title').textContent.trim()]));
  return [...grid.querySelectorAll('.row:not([hidden])')].map((row) => ({
    index: Number(row.getAttribute('aria-rowindex')), isSelected: row.getAttribute('aria-selected') === 'true',
    cells: Object.fromEntries([...row.querySelectorAll('[role=gridcell]')]
      .map((cell) => [titles.get(cell.getAttribute('aria-colindex')), cell.textContent])),
  })).sort((one, other) => one.index - other.index);
}"""

SECTIONS = """() => [...document.querySelectorAll('.grid .section:not([hidden])')]
  .filter((section) => section.checkVisibility?.() ?? true)
  .map((section) => ({
    index: Number(section.getAttribute('aria-rowindex')), text: section.textContent.replace(/\\s+/g, ' ').trim(),
    value: section.querySelector('.section-value')?.textContent ?? '' }))
  .sort((one, other) => one.index - other.index)"""


class Day:
    """A server with the tables, and a page on it in one of the ways."""

    def __init__(self, browser, way, tables, fragment="", scheme="light"):
        self.folder = tempfile.TemporaryDirectory(prefix="rowcast-tasks-")
        self.tables = tables
        self.server = self.serve()
        is_phone = way.name == "phone"
        how = {"has_touch": True, "is_mobile": True} if is_phone and not IS_FIREFOX else {}
        self.user = User(
            browser,
            self.server,
            fragment or f"#table={tables[0]}",
            size=PHONE if is_phone else (1280, 760),
            scheme=scheme,
            locale="en-US",
            timezone_id="Europe/Berlin",
            accept_downloads=True,
            **how,
        )
        self.page = self.user.page
        self.driver = self.page.context.new_cdp_session(self.page) if how else None
        self.user.wait_for_rows()
        self.is_cut_off = False

    def serve(self, port=0):
        options = ["--no-token", "--views", f"{self.folder.name}/views"]
        for table in self.tables:
            options += ["--child", f"{table}={shlex.join([sys.executable, str(FOLDER / 'source.py'), table])}"]
        return Server(options=options, port=port)

    def close(self):
        self.user.close()
        self.server.stop()
        self.folder.cleanup()

    # What the page shows.

    def rows(self):
        return self.page.evaluate(ROWS)

    def titles(self):
        return [
            text.strip()
            for text in self.page.locator(".grid").first.locator("[role=columnheader] .head-title").all_inner_texts()
        ]

    def column_index(self, title):
        return self.titles().index(title) + 1

    def column(self, title):
        """Returns the texts of a column from top to bottom."""
        return [row["cells"].get(title, "") for row in self.rows()]

    def sections(self):
        return self.page.evaluate(SECTIONS)

    def until(self, found, message, timeout=60):
        """Waits until a function returns a truthy value, and returns it."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            answer = found()
            if answer:
                return answer
            self.frame()
        raise AssertionError(f"{message} (not within {timeout} s)")

    def until_column(self, title, texts, message):
        """Waits until a column begins with these texts."""
        try:
            self.until(lambda: self.column(title)[: len(texts)] == texts, message)
        except AssertionError as fault:
            raise AssertionError(f"{fault}: {self.column(title)[: len(texts)]} instead of {texts}") from None

    def until_only(self, title, texts, message):
        """Waits until a column has exactly these texts, in any order."""
        try:
            self.until(lambda: sorted(self.column(title)) == sorted(texts), message)
        except AssertionError as fault:
            raise AssertionError(f"{fault}: {sorted(self.column(title))} instead of {sorted(texts)}") from None

    def expect_count(self, text):
        expect(self.page.locator("#rows")).to_have_text(re.compile(text))

    # Places.

    def head(self, title):
        return (
            self.page.locator(".grid [role=columnheader]")
            .filter(has=self.page.locator(".head-title", has_text=re.compile(f"^\\s*{re.escape(title)}\\s*$")))
            .first
        )

    def cell(self, row, column):
        """Returns the cell of a column in the row with a text."""
        line = self.page.locator(
            ".grid .row:not([hidden])", has=self.page.get_by_role("gridcell", name=row, exact=True)
        ).first
        return line.locator(f'[aria-colindex="{self.column_index(column)}"]')

    def index_of(self, row):
        for one in self.rows():
            if row in one["cells"].values():
                return one["index"]
        raise AssertionError(f"no row {row}")

    def section(self, text):
        return self.page.get_by_role("rowheader", name=re.compile(text)).first

    def index_of_section(self, text):
        return next(one["index"] for one in self.sections() if re.search(text, one["text"]))

    def menu_item(self, label):
        """Returns an item of the open menu: a text, or a pattern."""
        name = label if isinstance(label, re.Pattern) else re.compile(f"^{re.escape(label)}(?=$|\\s|…)")
        return self.page.locator("[role=menu] .choice", has=self.page.locator("span", has_text=name)).first

    @staticmethod
    def is_label(text, label):
        return (
            label.search(text) is not None
            if isinstance(label, re.Pattern)
            else re.match(f"{re.escape(label)}(?=$|\\s|…)", text) is not None
        )

    def expect_menu(self):
        expect(self.page.get_by_role("menu")).to_be_visible()

    def dialog(self, name):
        return self.page.get_by_role("dialog", name=name)

    def settle(self):
        """Waits until no row is moving."""
        self.user.until(
            "() => document.getAnimations().every(({ playState }) => playState !== 'running')", "motion ends"
        )

    def frame(self):
        """Waits for the next frame."""
        self.page.evaluate("() => new Promise((next) => requestAnimationFrame(() => next()))")

    def middle(self):
        box = self.page.locator(".grid").first.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def reach(self, locator, scroll, is_whole=False):
        """Scrolls the table until an element is visible in it, and returns the element's box."""
        for _ in range(12):
            box = locator.bounding_box()
            if box is None:
                raise AssertionError(f"{locator} is not drawn")
            if not locator.evaluate("(element) => element.closest('.grid') !== null"):
                if not 0 <= box["y"] < self.page.viewport_size["height"]:
                    locator.evaluate("(element) => element.scrollIntoView({ block: 'nearest', inline: 'nearest' })")
                    self.frame()
                    return locator.bounding_box()
                return box
            grid = self.page.locator(".grid").first.bounding_box()
            right = box["x"] + (box["width"] if is_whole else min(box["width"], 40))
            across = (
                right - (grid["x"] + grid["width"])
                if right > grid["x"] + grid["width"]
                else box["x"] - grid["x"]
                if box["x"] < grid["x"] - 1
                else 0
            )
            bottom = grid["y"] + grid["height"]
            is_head = locator.evaluate("(element) => element.closest('.heads') !== null")
            down = 0 if is_head else box["y"] + box["height"] - bottom if box["y"] + box["height"] > bottom else 0
            if across == 0 and down == 0:
                return box
            width, height = grid["width"] * 0.7, grid["height"] * 0.7
            scroll(
                max(-width, min(width, across + (60 if across > 0 else -60 if across < 0 else 0))),
                max(-height, min(height, down + (40 if down > 0 else 0))),
            )
            self.rest(locator)
        raise AssertionError(f"scrolling does not reach {locator}")

    def expect_within(self, locator):
        """Asserts that an element is within the visible part of the table."""
        box, grid = locator.bounding_box(), self.page.locator(".grid").first.bounding_box()
        assert grid["x"] - 1 <= box["x"] and box["x"] + box["width"] <= grid["x"] + grid["width"] + 1, (
            f"{box} is not within {grid}"
        )

    def rest(self, locator):
        """Waits until an element does not move for six frames."""
        box, count = None, 0
        while count < 6:
            self.frame()
            now = locator.bounding_box()
            box, count = now, count + 1 if now == box else 0

    def tab_towards(self, locator):
        """Returns Tab or Shift+Tab, by the order of the page."""
        return locator.evaluate("""(control) => {
          const root = document.querySelector('dialog[open]') ?? document;
          const all = [...root.querySelectorAll('button, input, select, a[href], [tabindex]')]
            .filter((one) => one.tabIndex >= 0 && !one.disabled && one.getClientRects().length > 0
              && getComputedStyle(one).visibility !== 'hidden');
          const place = (element) => {
            const at = all.indexOf(element);
            const isBehind = (one) => element.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
            return at >= 0 ? at : all.findIndex(isBehind);
          };
          // Not around the ends, where the browser's own bar is.
          if (document.activeElement === document.body) return 'Tab';
          return place(control) > place(document.activeElement) ? 'Tab' : 'Shift+Tab';
        }""")

    # Rules that hold in every state.

    def faults(self, axe):
        """Returns the violations of accessibility rules."""
        found = self.page.evaluate(FAULTS)
        if axe is not None:
            found += violations(self.page, axe)
        return found
