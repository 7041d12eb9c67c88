#!/usr/bin/env python3
"""Does tasks of a user's day with the mouse in other grids, on the same rows, in Chromium.

Tests/browser/tasks/peers.py --peers FOLDER                # prints a table of steps and seconds
Tests/browser/tasks/peers.py --peers FOLDER ag most_cpu    # one grid, one task

FOLDER has the grids' code, which is not part of this repository: `ag-grid-esm.js`,
`tabulator.min.js` and `tabulator_simple.min.css`. The grids have what their options switch on, and
no code of ours. Steps are counted as in drivers.py.
"""

import argparse
import functools
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1])]

from browsers import launch  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from tasks.source import JOBS, MIB, PROCESSES  # noqa: E402

TABLES = {
    "processes": (["pid", "name", "user", "state", "cpu", "memory", "started", "command"],
                  [row[1:] for row in PROCESSES]),
    "jobs": (["job", "team", "state", "retry", "ended", "duration", "message"], [row[1:] for row in JOBS]),
}  # fmt: skip

FRAME = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>#grid { position: absolute; inset: 60px 40px 60px 40px; }</style>"""

AG = FRAME + """<div id="grid"></div><script type="module">
import * as A from './lib/ag-grid-esm.js';
A.ModuleRegistry.registerModules([A.AllCommunityModule]);
const { columns, rows } = DATA;
A.createGrid(document.getElementById('grid'), {
  rowData: rows, theme: A.themeQuartz, defaultColDef: { filter: true, width: 130 },
  columnDefs: columns.map((field) => ({ field, headerName: field })),
});
</script>"""

TABULATOR = FRAME + """<link rel="stylesheet" href="lib/tabulator_simple.min.css">
<script src="lib/tabulator.min.js"></script><div id="grid"></div><script>
const { columns, rows } = DATA;
new Tabulator('#grid', {
  data: rows, height: '100%', movableColumns: true,
  columns: columns.map((field) => ({ title: field, field, width: 130, headerFilter: 'input' })),
});
</script>"""

# The texts of a column from top to bottom.
READ = {
    "ag": """(field) => [...document.querySelectorAll('.ag-center-cols-container .ag-row')]
      .sort((one, other) => one.getAttribute('row-index') - other.getAttribute('row-index'))
      .map((row) => document.querySelector(`.ag-row[row-index="${row.getAttribute('row-index')}"] [col-id="${field}"]`)
        ?.textContent ?? '')""",
    "tabulator": """(field) => [...document.querySelectorAll('.tabulator-row')]
      .map((row) => row.querySelector(`[tabulator-field="${field}"]`)?.textContent ?? '')""",
}
HEADS = {
    "ag": """() => [...document.querySelectorAll('.ag-header-cell')]
      .sort((one, other) => one.getBoundingClientRect().x - other.getBoundingClientRect().x)
      .map((cell) => cell.getAttribute('col-id'))""",
    "tabulator": """() => [...document.querySelectorAll('.tabulator-col[tabulator-field]')]
      .map((cell) => cell.getAttribute('tabulator-field'))""",
}


class Grid:
    """A grid on a page, driven by the mouse. Each verb counts its steps."""

    def __init__(self, page, kind):
        self.page, self.kind, self.steps = page, kind, 0

    def column(self, field):
        return self.page.evaluate(READ[self.kind], field)

    def heads(self):
        return self.page.evaluate(HEADS[self.kind])

    def head(self, field):
        return self.page.locator(
            f'.ag-header-cell[col-id="{field}"]'
            if self.kind == "ag"
            else f'.tabulator-col[tabulator-field="{field}"] .tabulator-col-title'
        ).first

    def until(self, found, message):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if found():
                return
            self.page.evaluate("() => new Promise((next) => requestAnimationFrame(() => next()))")
        raise AssertionError(message)

    def click(self, locator, **how):
        locator.click(**how)
        self.steps += 1

    def type(self, locator, text):
        locator.fill(text)
        self.steps += 1

    def drag(self, field, x, y):
        """Drags a header to a point and holds it there until the grid shows what a drop does."""
        box = self.head(field).bounding_box()
        self.page.mouse.move(box["x"] + 30, box["y"] + box["height"] / 2)
        self.page.mouse.down()
        self.page.mouse.move((box["x"] + x) / 2, (box["y"] + y) / 2, steps=8)
        self.page.mouse.move(x, y, steps=8)

    def drop(self):
        self.page.mouse.up()
        self.steps += 1


def most_cpu(grid):
    names = [row[2] for row in sorted(PROCESSES, key=lambda row: -row[5])][:3]
    sort_down(grid, "cpu", lambda: grid.column("name")[:3] == names)


def two_sorts(grid):
    names = [row[1] for row in sorted(JOBS, key=lambda row: (row[2], -row[6]))][:10]
    is_done = lambda: grid.column("job")[:10] == names
    if grid.kind == "tabulator":  # whose last header decides first
        longest = max(JOBS, key=lambda row: row[6])[1]
        sort_down(grid, "duration", lambda: grid.column("job")[0] == longest)
        grid.click(grid.head("team"), modifiers=["Shift"])
        return grid.until(is_done, "the jobs have both orders")
    grid.click(grid.head("team"))
    grid.until(lambda: grid.column("team")[0] == min(row[2] for row in JOBS), "the teams are sorted")
    return sort_down(grid, "duration", is_done, modifiers=["Shift"])


def sort_down(grid, field, is_done, **how):
    """Clicks a header until the rows are in descending order: twice, from none over ascending."""
    values = grid.column(field)
    grid.click(grid.head(field), **how)
    grid.until(lambda: is_done() or grid.column(field) != values, f"a click sorts by {field}")
    if not is_done():
        grid.click(grid.head(field), **how)
        grid.until(is_done, f"the greatest {field} comes first")


def between(grid):
    if grid.kind == "tabulator":
        return "needs code: its header filters compare with one value"
    grid.click(grid.page.locator('.ag-header-cell[col-id="memory"] .ag-header-cell-filter-button'))
    box = grid.page.locator(".ag-filter")
    grid.click(box.locator(".ag-picker-field-wrapper").first)
    grid.click(grid.page.locator(".ag-list-item", has_text="Between"))
    fields = box.locator("input[type=number]:visible")
    grid.type(fields.nth(0), str(200 * MIB - 1))
    grid.type(fields.nth(1), str(400 * MIB + 1))
    names = [row[2] for row in PROCESSES if 200 * MIB <= row[6] <= 400 * MIB]
    grid.until(lambda: sorted(filter(None, grid.column("name")))[:5] == sorted(names)[:5], "only these rows are left")


def hide(grid):
    if grid.kind == "tabulator":
        return "needs code: a menu with hideColumn"
    for field in ("pid", "command"):
        width = grid.page.viewport_size["width"]
        grid.drag(field, width / 2, 20)
        grid.until(lambda: field not in grid.heads(), f"{field} is hidden")
        grid.drop()


def pin(grid):
    if grid.kind == "tabulator":
        return "needs code: the option frozen of a column"
    for at, field in enumerate(("name", "memory")):
        grid.drag(field, 44, 70)
        grid.until(
            lambda: grid.page.locator(f'.ag-pinned-left-header [col-id="{field}"]').count() > 0, f"{field} is pinned"
        )
        grid.drop()


TASKS = {"most_cpu": ("processes", most_cpu), "two_sorts": ("jobs", two_sorts), "between": ("processes", between),
         "hide": ("processes", hide), "pin": ("processes", pin)}  # fmt: skip
KINDS = {"ag": AG, "tabulator": TABULATOR}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=pathlib.Path, required=True, metavar="FOLDER", help="the grids' code")
    parser.add_argument("names", nargs="*", metavar="NAME", help="grids (ag, tabulator) and tasks (default: all)")
    options = parser.parse_args()
    unknown = set(options.names) - set(KINDS) - set(TASKS)
    if unknown:
        parser.error(f"unknown {', '.join(sorted(unknown))}: use {', '.join([*KINDS, *TASKS])}")
    kinds = [kind for kind in KINDS if kind in options.names] or list(KINDS)
    tasks = [task for task in TASKS if task in options.names] or list(TASKS)
    failures = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = pathlib.Path(folder)
        (root / "lib").symlink_to(options.peers.resolve())
        for kind, page in KINDS.items():
            for table, (columns, rows) in TABLES.items():
                data = {"columns": columns, "rows": [dict(zip(columns, row)) for row in rows]}
                (root / f"{kind}-{table}.html").write_text(page.replace("DATA", json.dumps(data)), encoding="utf-8")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = launch(playwright=playwright)
        for task in tasks:
            for kind in kinds:
                table, run = TASKS[task]
                page = browser.new_page(viewport={"width": 1280, "height": 760})
                page.goto(f"http://127.0.0.1:{server.server_port}/{kind}-{table}.html")
                grid = Grid(page, kind)
                try:
                    grid.until(lambda: grid.column(TABLES[table][0][0])[:1] not in ([], [""]), "rows appear")
                    begin = time.monotonic()
                    why = run(grid)
                    took = f"{grid.steps} · {time.monotonic() - begin:.1f} s"
                    print(f"| {task} | {kind} | {why or took} |", flush=True)
                except Exception as fault:  # noqa: BLE001 (any failure is a result)
                    failures += 1
                    print(f"| {task} | {kind} | failed: {str(fault)[:400]} |", flush=True)
                page.close()
        browser.close()
        server.shutdown()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
