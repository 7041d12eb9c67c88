#!/usr/bin/env python3
"""Does the tasks of a user's day with the mouse in other grids, on the same rows, in Chromium.

Tests/browser/tasks/peers.py --peers FOLDER                # prints steps and seconds
Tests/browser/tasks/peers.py --peers FOLDER ag most_cpu    # one grid, one task
Tests/browser/tasks/peers.py --peers FOLDER --report docs/tasks.md

FOLDER has the grids' code, which is not part of this repository (docs/tasks.md lists the files).
The grids have what their options switch on, and no code of ours. Each task begins on a newly opened
page, and is repeated; the fewest seconds count. Steps are counted as in drivers.py.
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
from tasks.catalog import all_tasks  # noqa: E402
from tasks.peergrids import GRIDS  # noqa: E402
from tasks.peerpages import NAMES, PAGES, TABLES  # noqa: E402
from tasks.peertasks import DONE, REASONS  # noqa: E402
from tasks.report import results_in, write_between  # noqa: E402

BEGIN, END = "<!-- peers: written by Tests/browser/tasks/peers.py --report -->", "<!-- end of the peers -->"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def measure(browser, origin, kind, task, pictures):
    """Does a task in a grid. Returns its steps and seconds."""
    table, run = DONE[task, kind]
    context = browser.new_context(viewport={"width": 1280, "height": 760}, locale="en-US")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=origin)
    page = context.new_page()
    try:
        page.goto(f"{origin}/{kind}-{table}.html")
        grid = GRIDS[kind](page)
        grid.until(lambda: len(grid.rows()) > 5, "rows appear")
        begin = time.monotonic()
        run(grid)
        return grid.steps, time.monotonic() - begin
    finally:
        if pictures:
            page.screenshot(path=pictures / f"{task}-{kind}.png")
        context.close()


def pages_in(folder, peers):
    """Writes the pages of all grids and tables into a folder."""
    (folder / "lib").symlink_to(peers.resolve())
    for kind, page in PAGES.items():
        for table, (columns, rows) in TABLES.items():
            data = {"columns": columns, "rows": [dict(zip(columns, row)) for row in rows]}
            (folder / f"{kind}-{table}.html").write_text(page.replace("DATA", json.dumps(data)), encoding="utf-8")


def table_of(found, own):
    """Returns the results as Markdown, with those of Rowcast."""
    lines = [f"| | task | Rowcast | {' | '.join(NAMES.values())} |", f"|-|-|-|{'-|' * len(NAMES)}"]
    for number, task in enumerate(all_tasks(), 1):
        cells = [found.get((task.name, kind)) or REASONS.get(task.name, {}).get(kind, "–") for kind in NAMES]
        lines.append(f"| {number} | {task.title} | {own.get(task.title, '–')} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", type=pathlib.Path, required=True, metavar="FOLDER", help="the grids' code")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE", help="the document to write the table into")
    parser.add_argument("--pictures", type=pathlib.Path, metavar="FOLDER", help="a folder for screenshots of the ends")
    parser.add_argument("--runs", type=int, default=2, help="the repetitions of each task (default: 2)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"grids ({', '.join(PAGES)}) and tasks (default: all)")
    options = parser.parse_args()
    all_names = [task.name for task in all_tasks()]
    unknown = set(options.names) - set(PAGES) - set(all_names)
    if unknown:
        parser.error(f"unknown {', '.join(sorted(unknown))}: use {', '.join([*PAGES, *all_names])}")
    lacking = [(name, kind) for name in all_names for kind in PAGES
               if ((name, kind) in DONE) == (kind in REASONS.get(name, {}))]  # fmt: skip
    if lacking:
        parser.error(f"tasks with neither a function nor a reason, or with both: {lacking}")
    kinds = [kind for kind in PAGES if kind in options.names] or list(PAGES)
    names = [name for name in all_names if name in options.names] or all_names
    found, failures = {}, 0
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages_in(pathlib.Path(folder), options.peers)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = launch(playwright=playwright)
        for name, kind in [(name, kind) for name in names for kind in kinds if (name, kind) in DONE]:
            try:
                runs = [measure(browser, f"http://127.0.0.1:{server.server_port}", kind, name, options.pictures)
                        for _ in range(options.runs)]  # fmt: skip
                found[name, kind] = f"{runs[0][0]} · {min(seconds for _, seconds in runs):.1f}"
            except Exception as fault:  # noqa: BLE001 (any failure is a result)
                failures += 1
                found[name, kind] = "failed"
                print(f"{name} {kind}: {str(fault)[:600]}", file=sys.stderr)
            print(f"{name:14} {kind:12} {found[name, kind]}", flush=True)
        browser.close()
        server.shutdown()
    if options.report:
        write_between(options.report, BEGIN, END, table_of(found, results_in(options.report)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
