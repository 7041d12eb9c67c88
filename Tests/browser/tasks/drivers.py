"""The three ways of a user: the mouse, the keyboard alone, and touches on a phone.

Each has the same verbs. A verb uses only what the way has, and counts its steps: a click, a drag, a
tap, a long press, a swipe or a key is one step, and so is the text that is typed into one field.
"""

import re

from browsers import IS_FIREFOX
from user import expect

# The place of the active cell: the position of its row in the table, and its column.
ACTIVE = """() => {
  const kinds = ['gridcell', 'rowheader', 'columnheader'];
  const cell = document.activeElement.closest(kinds.map((kind) => `.grid [role=${kind}]`).join());
  const row = cell?.closest('[aria-rowindex]');
  const column = Number(cell?.getAttribute('aria-colindex') ?? 1);
  return row ? { row: Number(row.getAttribute('aria-rowindex')), column } : null;
}"""

MENU = """() => [...document.querySelectorAll('[role=menu] .choice')].map((choice) => ({
  text: choice.textContent.trim(), label: choice.firstElementChild.textContent,
  isFocused: choice === document.activeElement }))"""

# Whether a press at a point reaches an element.
IS_REACHED = """(element, [x, y]) => element.contains(document.elementFromPoint(x, y))"""


class Driver:
    """A way to use the page. `day` is the page and what the tasks read from it."""

    name = ""

    def __init__(self, day):
        self.day, self.page, self.steps = day, day.page, 0

    def step(self):
        self.steps += 1

    def aim(self, locator, scroll, place):
        """Scrolls to an element and returns a point in it, once a press there reaches it: columns
        grow and bars appear while a page loads. `place` chooses the point in a box."""

        def found():
            self.day.settle()
            point = place(self.day.reach(locator, scroll))
            return point if locator.evaluate(IS_REACHED, list(point)) else None

        return self.day.until(found, f"a press reaches {locator}", timeout=60)

    # The verbs that the ways with a pointer share. `hit` is a click or a tap, and `menu_at` a right
    # click or a long press.

    def press(self, locator):
        """Presses a button or another control."""
        expect(locator).to_be_visible()
        self.hit(locator)

    def choose(self, label, kind=None):
        """Chooses an item of the open menu."""
        self.press(self.day.menu_item(label))

    def type(self, locator, text):
        """Types into a field in place of its text."""
        if not locator.evaluate("(field) => field === document.activeElement"):
            self.press(locator)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)
        self.step()

    def enter(self):
        """Presses Enter, which phones have on their keyboards, too."""
        self.page.keyboard.press("Enter")
        self.step()

    def tick(self, locator):
        self.press(locator)

    def select(self, locator, label):
        """Chooses an option of a select element."""
        self.step()
        locator.select_option(label=label)

    def filter(self, text):
        """Filters by a text in the filter bar."""
        self.type(self.day.user.filter, text)
        self.enter()

    def see(self, locator):
        """Brings a cell into view."""
        self.day.reach(locator, getattr(self, "scroll", None) or self.swipe, is_whole=True)

    def option(self, label):
        """Chooses an item of the options menu."""
        self.press(self.page.get_by_role("button", name="View options"))
        self.choose(label)

    def command(self, label):
        """Runs a command of the palette."""
        self.open_palette()
        self.page.keyboard.type(label)
        self.step()
        self.press(self.page.get_by_role("option", name=label).first)

    def cell_menu(self, row, column):
        """Opens the menu of a cell."""
        self.menu_at(self.day.cell(row, column))

    def section_menu(self, text):
        self.menu_at(self.day.section(text))

    def open_row(self, row, column):
        """Opens the details of a row."""
        self.cell_menu(row, column)
        self.choose("Show details")

    def undo(self):
        self.page.go_back()
        self.step()

    def redo(self):
        self.page.go_forward()
        self.step()


class Mouse(Driver):
    name = "mouse"

    def point(self, locator):
        """Scrolls an element into view and returns a point in it."""
        inset = lambda size, most: min(most, size / 2)
        return self.aim(
            locator,
            self.scroll,
            lambda box: (box["x"] + inset(box["width"], 20), box["y"] + inset(box["height"], 12)),
        )

    def scroll(self, across, down):
        x, y = self.day.middle()
        self.page.mouse.move(x, y)
        self.page.mouse.wheel(across, down)
        self.step()

    def hit(self, locator, key=None, button="left", count=1):
        x, y = self.point(locator)
        if key:
            self.page.keyboard.down(key)
        self.page.mouse.click(x, y, button=button, click_count=count)
        if key:
            self.page.keyboard.up(key)
        self.step()

    def menu_at(self, locator):
        self.hit(locator, button="right")
        self.day.expect_menu()

    def drag(self, locator, to, edge=False):
        """Drags an element to a point, or its right edge."""
        box = locator.bounding_box()
        x = box["x"] + (box["width"] - 2 if edge else 20)
        y = box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move((x + to[0]) / 2, (y + to[1]) / 2, steps=3)
        self.page.mouse.move(*to, steps=3)
        self.page.mouse.up()
        self.step()

    def open_palette(self):
        self.press(self.page.get_by_role("button", name="Commands and help"))
        expect(self.page.get_by_role("dialog", name="Commands")).to_be_visible()

    def sort(self, column, further=False):
        self.hit(self.day.head(column), key="Shift" if further else None)

    def column_menu(self, column):
        self.menu_at(self.day.head(column))

    def group(self, column):
        """Drags a header to the bar."""
        box = self.page.locator("#groups").bounding_box()
        self.drag(self.day.head(column), (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))

    def table(self, title):
        """Opens another table."""
        self.press(self.page.get_by_role("tab", name=title))

    def select_rows(self, rows, column):
        for row in rows:
            self.hit(self.day.cell(row, column), key="Control")

    def copy(self):
        self.page.keyboard.press("Control+c")
        self.step()

    def fold(self, text):
        self.press(self.day.section(text))

    def follow(self):
        self.press(self.page.locator("#follow"))

    def pause(self):
        self.press(self.page.locator("#pause"))


class Phone(Driver):
    """Touches on a small screen. Firefox's driver has none: there, clicks stand in for taps, and
    right clicks for long presses."""

    name = "phone"

    def point(self, locator):
        is_head = locator.get_attribute("role") == "columnheader"  # which has dots at one end
        across = lambda width: width / 2 if is_head else min(14, width / 2)
        return self.aim(
            locator,
            self.swipe,
            lambda box: (box["x"] + across(box["width"]), box["y"] + min(12, box["height"] / 2)),
        )

    def swipe(self, across, down):
        x, y = self.day.middle()
        self.step()
        if IS_FIREFOX:
            self.page.mouse.move(x, y)
            self.page.mouse.wheel(across, down)
            return
        x, y = x + across / 2, y + down / 2
        self.touch("touchStart", x, y)
        for part in range(1, 11):
            self.touch("touchMove", x - across * part / 10, y - down * part / 10)
            self.day.frame()
        self.touch("touchEnd")

    def touch(self, kind, *point):
        points = [{"x": point[0], "y": point[1]}] if point else []
        self.day.driver.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def hit(self, locator, key=None):
        """Taps. `key` makes Firefox's click select a row, as a tap does while rows are selected."""
        x, y = self.point(locator)
        if IS_FIREFOX:
            if key:
                self.page.keyboard.down(key)
            self.page.mouse.click(x, y)
            if key:
                self.page.keyboard.up(key)
        else:
            self.page.touchscreen.tap(x, y)
            self.day.frame()  # the click may follow later
        self.step()

    def menu_at(self, locator):
        x, y = self.point(locator)
        self.step()
        if IS_FIREFOX:
            self.page.mouse.click(x, y, button="right")
            self.day.expect_menu()
            return
        self.touch("touchStart", x, y)
        self.day.expect_menu()
        self.touch("touchEnd")

    def open_palette(self):
        self.option("Find a command…")
        expect(self.page.get_by_role("dialog", name="Commands")).to_be_visible()

    def sort(self, column, further=False):
        if not further:
            return self.hit(self.day.head(column))
        self.column_menu(column)
        return self.choose("Add to sort")

    def column_menu(self, column):
        self.press(self.day.head(column).locator(".head-more"))
        self.day.expect_menu()

    def group(self, column):
        self.column_menu(column)
        self.choose("Group by this column")

    def table(self, title):
        self.press(self.page.get_by_role("button", name="Tables"))
        self.press(self.page.get_by_role("tab", name=title))

    def select_rows(self, rows, column):
        self.cell_menu(rows[0], column)
        self.choose("Select the row")
        for row in rows[1:]:
            self.hit(self.day.cell(row, column), key="Control")

    def copy(self):
        self.menu_at(self.page.locator(".row[aria-selected=true] .cell").first)
        self.choose("Copy the selection")

    def fold(self, text):
        self.press(self.day.section(text))

    def follow(self):
        self.press(self.page.locator("#follow"))

    def pause(self):
        self.press(self.page.locator("#pause"))


class Keys(Driver):
    name = "keyboard"

    def key(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
            self.day.frame()  # no user is faster than a frame
            self.step()

    def press(self, locator):
        """Moves to a control with Tab, forwards or backwards, and presses Enter."""
        expect(locator).to_be_visible()
        self.go(locator)
        self.key("Enter")

    def go(self, locator):
        """Moves to a control with Tab."""
        tab = None
        for _ in range(40):
            if locator.evaluate("(control) => control === document.activeElement"):
                return
            tab = tab or self.day.tab_towards(locator)  # and not back and forth
            self.key(tab)
        raise AssertionError(f"Tab does not reach {locator}")

    def tick(self, locator):
        self.go(locator)
        self.key("Space")

    def type(self, locator, text):
        self.go(locator)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)
        self.step()

    def select(self, locator, label):
        """Chooses an option of a select element by its letters."""
        self.go(locator)
        self.page.keyboard.type(label)
        self.step()

    def choose(self, label):
        """Chooses an item of the open menu with the fewest keys: arrows, Home, End, letters."""
        self.day.expect_menu()
        items = self.page.evaluate(MENU)
        to = next((at for at, item in enumerate(items) if self.day.is_label(item["label"], label)), None)
        if to is None:
            raise AssertionError(f"the menu has no item {label}: {[item['label'] for item in items]}")
        self.key(*shortest(items, self.focused(items), to))
        # Letters that follow too slowly, because the machine is busy, begin a new text.
        self.key(*shortest(items, self.focused(self.page.evaluate(MENU)), to, typing=False), "Enter")

    @staticmethod
    def focused(items):
        return next(number for number, item in enumerate(items) if item["isFocused"])

    def filter(self, text):
        self.key("/")
        self.page.keyboard.type(text)
        self.step()
        self.key("Enter")

    def see(self, locator):
        self.day.expect_within(locator)

    def option(self, label):
        self.command("View options")
        self.choose(label)

    def command(self, label):
        self.key("Control+k")
        dialog = self.page.get_by_role("dialog", name="Commands")
        expect(dialog).to_be_visible()
        self.page.keyboard.type(label)
        self.step()
        chosen = dialog.locator("[role=option][aria-selected=true]")
        for _ in range(5):
            if label.lower() in chosen.inner_text().lower():
                break
            self.key("ArrowDown")
        self.key("Enter")

    def to_cell(self, row, column):
        """Moves to a cell with the arrow keys. `row` is a text of the row, or the position of a row
        in the table; the headers are at 1."""
        target = row if isinstance(row, int) else self.day.index_of(row)
        place = self.page.evaluate(ACTIVE)
        at = self.day.column_index(column)
        if place is None or abs(place["column"] - at) > 4:
            self.command(f"Go to column {column}")
            self.day.user.until(f"() => ({ACTIVE})() !== null", "a cell has the focus")
            place = self.page.evaluate(ACTIVE)
        down, across = target - place["row"], at - place["column"]
        if target == 1 and place["row"] > 3:
            self.key("Control+ArrowUp", "ArrowUp")
            down = 0
        self.key(
            *["ArrowDown" if down > 0 else "ArrowUp"] * abs(down),
            *["ArrowRight" if across > 0 else "ArrowLeft"] * abs(across),
        )

    def sort(self, column, further=False):
        self.to_cell(1, column)
        self.key("Shift+Enter" if further else "Enter")

    def column_menu(self, column):
        self.to_cell(1, column)
        self.key("Alt+ArrowDown")
        self.day.expect_menu()

    def cell_menu(self, row, column):
        self.to_cell(row, column)
        self.key("Shift+F10")
        self.day.expect_menu()

    def section_menu(self, text):
        self.to_section(text)
        self.key("Shift+F10")
        self.day.expect_menu()

    def to_section(self, text):
        self.to_cell(self.day.index_of_section(text), self.day.titles()[0])

    def fold(self, text):
        self.to_section(text)
        self.key("Enter")

    def group(self, column):
        self.command(f"Group by {column}")

    def table(self, title):
        self.command(f"Open the table {title}")

    def select_rows(self, rows, column):
        for row in rows:
            self.to_cell(row, column)
            self.key("Space")

    def copy(self):
        self.key("Control+c")

    def open_row(self, row, column):
        self.to_cell(row, column)
        self.key("Enter")

    def undo(self):
        self.key("Control+z")

    def redo(self):
        self.key("Control+Shift+z")

    def follow(self):
        self.key("l")

    def pause(self):
        self.key("p")


def shortest(items, at, to, typing=True):
    """Returns the fewest keys that move from an item of a menu to another."""
    count = len(items)
    ways = [
        ["ArrowDown"] * ((to - at) % count),
        ["ArrowUp"] * ((at - to) % count),
        ["Home", *["ArrowDown"] * to],
        ["End", *["ArrowUp"] * (count - 1 - to)],
    ]
    texts = [item["text"].lower() for item in items]
    text = texts[to]
    if typing and to != at and re.match(r"\w", text):
        # One letter means the next item that begins with it.
        if next(n for n in (*range(at + 1, count), *range(at + 1)) if texts[n][0] == text[0]) == to:
            ways.append([text[0]])
        for size in range(2, len(text) + 1):
            if sum(other.startswith(text[:size]) for other in texts) == 1:
                ways.append(list(text[:size]))
                break
    return min(ways, key=len)


WAYS = [Mouse, Keys, Phone]
