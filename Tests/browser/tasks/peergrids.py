"""Other grids on a page, driven by the mouse. Each verb counts its steps as those in drivers.py."""

import re
import time

AG_ROWS = """(grid) => [...grid.querySelectorAll('.ag-center-cols-container .ag-row')]
  .sort((one, other) => one.getAttribute('row-index') - other.getAttribute('row-index'))
  .map((row) => [...grid.querySelectorAll(`.ag-row[row-index="${row.getAttribute('row-index')}"] [col-id]`)])
  .map((cells) => Object.fromEntries(cells.map((cell) =>
    [cell.getAttribute('col-id').replace(/^ag-Grid-AutoColumn.*/, 'group'), cell.textContent.trim()])))"""

TABULATOR_ROWS = """(grid) => [...grid.querySelectorAll('.tabulator-row')].map((row) => Object.fromEntries(
  [...row.querySelectorAll('[tabulator-field]')]
    .map((cell) => [cell.getAttribute('tabulator-field'), cell.textContent])))"""

# The names of columns are in the first row of headers; rows of sections have headers, too.
PERSPECTIVE_ROWS = """(grid) => {
  const heads = [...grid.querySelectorAll('thead tr:first-child th')];
  const names = heads.map((head) => head.textContent.trim()).filter(Boolean);
  return [...grid.querySelectorAll('tbody tr')].map((row) => ({
    ...Object.fromEntries([...row.querySelectorAll('td')].map((cell, at) => [names[at], cell.textContent.trim()])),
    group: [...row.querySelectorAll('th')].map((head) => head.textContent.trim()).filter(Boolean).at(-1) ?? '' }));
}"""


class Grid:
    """A grid, whose rows and headers its subclass finds."""

    kind = root = rows_script = ""
    pause = 0  # milliseconds between keys

    def __init__(self, page):
        self.page, self.steps = page, 0

    def rows(self):
        """Returns the drawn rows from top to bottom: texts by the name of the column."""
        try:
            return self.page.locator(self.root).first.evaluate(self.rows_script, timeout=2_000)
        except Exception:  # noqa: BLE001 (the grid draws itself again)
            return []

    def column(self, field):
        return [row.get(field, "") for row in self.rows()]

    def until(self, found, message):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if found():
                return
            self.page.evaluate("() => new Promise((next) => requestAnimationFrame(() => next()))")
        raise AssertionError(f"{message} (not within 60 s)")

    def click(self, locator, **how):
        locator.click(**how)
        self.steps += 1

    def type(self, locator, text):
        """Types into a field, after a click if it has not the focus."""
        locator.wait_for()
        if not locator.evaluate("(field) => field === field.getRootNode().activeElement"):
            self.click(locator)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text, delay=self.pause)
        self.steps += 1

    def drag(self, locator, to, at=30):
        """Drags an element to a point, and holds it there for some frames."""
        box = locator.bounding_box()
        x, y = box["x"] + at, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + 8, y - 6, steps=3)
        self.page.mouse.move((x + to[0]) / 2, (y + to[1]) / 2, steps=8)
        self.page.mouse.move(*to, steps=8)
        for _ in range(6):
            self.page.evaluate("() => new Promise((next) => requestAnimationFrame(() => next()))")

    def drop(self):
        self.page.mouse.up()
        self.steps += 1

    def sort(self, field, is_done, **how):
        """Clicks a header until the rows have an order, at most three times."""
        for _ in range(3):
            order = lambda: (self.rows(), self.head(field).evaluate("(head) => head.closest('[aria-sort]')?.ariaSort"))
            before = order()
            self.click(self.head(field), **how)
            self.until(lambda: is_done() or order() != before, f"a click sorts by {field}")
            if is_done():
                return
        raise AssertionError(f"three clicks do not sort by {field}")

    def center(self, locator, across=0.5):
        box = locator.bounding_box()
        return box["x"] + box["width"] * across, box["y"] + box["height"] / 2


class Ag(Grid):
    kind = "ag"
    root, rows_script = "#grid", AG_ROWS

    def head(self, field):
        return self.page.locator(f'.ag-header-cell[col-id="{field}"]').first

    def heads(self):
        all_heads = self.page.locator(".ag-header-cell")
        return all_heads.evaluate_all("(all) => all.map((one) => one.getAttribute('col-id'))")

    def cell(self, name, field):
        """Returns the cell of a column in the row with a name."""
        at = self.page.locator(".ag-row [col-id]", has_text=re.compile(f"^{name}$")).first
        index = at.locator("xpath=ancestor::*[@row-index]").get_attribute("row-index")
        return self.page.locator(f'.ag-row[row-index="{index}"] [col-id="{field}"]')

    def open_filter(self, field):
        self.head(field).hover()
        self.click(self.head(field).locator(".ag-header-cell-filter-button"))
        return self.page.locator(".ag-filter").last

    def tick(self, box, text):
        self.click(box.locator(".ag-set-filter-item", has_text=text).locator(".ag-checkbox").first)

    def keep(self, field, value):
        """Keeps the rows with a value."""
        box = self.open_filter(field)
        self.tick(box, "(Select All)")
        self.tick(box, value)
        return box

    def leave_out(self, field, value):
        self.tick(self.open_filter(field), value)

    def compare(self, field, operation, *values):
        box = self.open_filter(field)
        self.click(box.locator(".ag-picker-field-wrapper").first)
        self.click(self.page.locator(".ag-list-item", has_text=re.compile(f"^\\s*{operation}\\s*$")))
        for at, value in enumerate(values):
            self.type(box.locator("input[type=number]:visible").nth(at), str(value))

    def group(self, field):
        self.drag(self.head(field), self.center(self.page.locator(".ag-column-drop-horizontal").first, 0.6))
        self.drop()

    def aggregate(self, field):
        """Drags a header to the values of the side bar, where it gets a sum."""
        zone = self.page.locator(".ag-column-drop-vertical", has_text="Values")
        self.drag(self.head(field), self.center(zone))
        self.drop()


class Perspective(Grid):
    kind = "perspective"
    root, rows_script = "regular-table", PERSPECTIVE_ROWS
    pause = 60  # faster keys overtake each other

    def head(self, field):
        return self.page.locator("regular-table thead tr:first-child th", has_text=re.compile(f"^\\s*{field}\\s*$"))

    def settings(self):
        self.click(self.page.locator("#settings_button"))
        self.page.locator("#group_by").wait_for()

    def chooser(self, field):
        return self.page.locator(
            ".column-selector-column", has=self.page.locator(".column_name", has_text=re.compile(f"^{field}$"))
        ).first

    def place(self, field, zone):
        """Drags a column to a list: `group_by` or `filter`."""
        items = self.page.locator(f"#{zone} .pivot-column:not(.column-empty)")
        count = items.count()
        self.drag(self.chooser(field).locator(".column-selector-draggable"),
                  self.center(self.page.locator(f"#{zone} .column-empty")))  # fmt: skip
        self.drop()
        self.until(lambda: items.count() == count + 1, f"{field} is in {zone}")
        return items.filter(has=self.page.locator(".column_name", has_text=re.compile(f"^{field}$"))).last

    def where(self, field, operation, value):
        item = self.place(field, "filter")
        if operation != "==":
            item.locator("select").select_option(operation)
            self.steps += 1
        self.type(item.locator("input"), str(value))
        return item


class Tabulator(Grid):
    kind = "tabulator"
    root, rows_script = "#grid", TABULATOR_ROWS

    def head(self, field):
        return self.page.locator(f'.tabulator-col[tabulator-field="{field}"] .tabulator-col-title').first

    def filter(self, field, text):
        self.type(self.page.locator(f'.tabulator-col[tabulator-field="{field}"] .tabulator-header-filter input'), text)


GRIDS = {"ag": Ag, "perspective": Perspective, "tabulator": Tabulator}
