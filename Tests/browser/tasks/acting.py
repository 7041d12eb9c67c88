"""Tasks about actions, two tables, and a server that goes away."""

import re

from user import expect
from tasks.catalog import task
from tasks.source import JOBS


@task("Run two jobs again", "jobs")
def run_again(day, driver):
    names = [row[1] for row in JOBS if row[3] == "failed"][:2]
    driver.select_rows(names, "Job")
    driver.cell_menu(names[1], "Job")
    driver.choose("Run again")
    for name in names:
        expect(day.cell(name, "State")).to_have_text("queued")
    expect(day.page.locator(".acted-line").first).to_be_visible()


@task("Stop a job", "jobs")
def stop(day, driver):
    name = next(row[1] for row in JOBS if row[3] == "running")
    driver.cell_menu(name, "Job")
    driver.choose(re.compile("^Stop…?$"))
    box = day.dialog("Stop")
    expect(box).to_contain_text("Its work is lost.")
    driver.press(box.get_by_role("button", name="Stop"))
    expect(day.cell(name, "State")).to_have_text("failed")
    expect(day.page.locator(".acted-line", has_text=f"{name} was stopped")).to_be_visible()


@task("Look at the prices and the log together", "prices", "logs")
def together(day, driver):
    if driver.name == "mouse":
        driver.press(day.page.get_by_role("button", name="Split view"))
    elif driver.name == "keyboard":
        driver.key("s")
    else:
        driver.command("Split view on or off")
    grids = day.page.get_by_role("grid")
    expect(grids).to_have_count(2)
    expect(grids.nth(0).get_by_role("gridcell").first).to_be_visible()
    expect(grids.nth(1).get_by_role("gridcell").first).to_be_visible()
    both = day.page.evaluate(
        "() => [...document.querySelectorAll('[role=grid]')].map((grid) => grid.textContent.includes('SYM0'))"
    )
    day.until(lambda: "entry" in grids.nth(0).inner_text() + grids.nth(1).inner_text(), f"both tables are shown {both}")


@task("Go on with the same view after the server was away", "jobs")
def away(day, driver):
    driver.filter("state = failed")
    day.expect_count("^20 rows match")
    day.is_cut_off = True
    day.server.stop()
    expect(day.page.locator("#state")).to_have_attribute("data-state", "lost")
    assert set(day.column("State")) == {"failed"}
    day.server = day.serve(port=day.server.port)
    expect(day.page.locator("#state")).to_have_attribute("data-state", "live")
    day.expect_count("^20 rows match")
