"""Runs tasks in one browser."""

import os
import time
import traceback

from axe import axe_source
from browsers import NAME, launch
from playwright.sync_api import sync_playwright
from tasks.catalog import all_tasks
from tasks.day import Day
from tasks.drivers import WAYS


def do(browser, task, way, axe, pictures=None, scheme="light"):
    """Does a task in one way and checks the end state. Returns the result as a dictionary."""
    result = {
        "task": task.name,
        "title": task.title,
        "way": way.name,
        "browser": NAME,
        "steps": 0,
        "seconds": 0.0,
        "fault": "",
    }
    day = None
    try:
        day = Day(browser, way, task.tables, task.fragment, scheme)
        driver = way(day)
        begin = time.monotonic()
        task.run(day, driver)
        result |= {"steps": driver.steps, "seconds": round(time.monotonic() - begin, 1)}
        if pictures:
            day.settle()
            day.page.screenshot(path=pictures / f"{task.name}-{way.name}-{NAME}.png")
        faults = day.faults(axe)
        if faults:
            result["fault"] = "\n".join(faults)
        day.user.check_clean(Clean(), is_cut_off=day.is_cut_off)
    except Exception as fault:  # noqa: BLE001 (any failure is a result)
        last = traceback.extract_tb(fault.__traceback__)
        place = next(
            (
                f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.line}"
                for frame in reversed(last)
                if "tasks" in frame.filename
            ),
            "",
        )
        result["fault"] = f"{place}\n{str(fault)[:1_500]}"
        if pictures and day is not None:
            day.page.screenshot(path=pictures / f"{task.name}-{way.name}-{NAME}-failed.png")
    finally:
        if day is not None:
            day.close()
    return result


class Clean:
    """The assertions that `User.check_clean` needs."""

    @staticmethod
    def assertEqual(found, expected):
        if found != expected:
            raise AssertionError(f"{found} instead of {expected}")


def run_all(names, ways, pictures):
    """Does the tasks with these names, or all, and prints a line for each."""
    chosen = [task for task in all_tasks() if not names or task.name in names]
    unknown = set(names) - {task.name for task in chosen}
    if unknown:
        raise SystemExit(f"no tasks {', '.join(sorted(unknown))}: use {', '.join(task.name for task in all_tasks())}")
    axe = axe_source()
    if axe is None:
        raise SystemExit("axe-core is not installed: run scripts/setup test")
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    results = []
    with sync_playwright() as playwright:
        browser = launch(playwright=playwright)
        for task in chosen:
            for way in WAYS:
                if ways and way.name not in ways:
                    continue
                result = do(browser, task, way, axe, pictures)
                results.append(result)
                how = f"{result['steps']:3} steps {result['seconds']:5.1f} s"
                print(
                    f"{'FAILED' if result['fault'] else 'ok    '} {task.name:14} {way.name:9} {NAME:9} {how}",
                    flush=True,
                )
                if result["fault"]:
                    print(result["fault"], flush=True)
        browser.close()
    return results
