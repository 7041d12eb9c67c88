"""Tasks about filters, search, links and views."""

import re

from user import expect
from tasks.catalog import task
from tasks.source import JOBS, MIB, PROCESSES, SKIPPED


def jobs(condition):
    return [row[1] for row in JOBS if condition(row)]


def follow_link(day, expected):
    """Opens the copied link in another page, and asserts the rows in it."""
    link = day.user.pasted()
    assert link.startswith(day.server.origin), link
    page = day.page.context.new_page()
    page.goto(link)
    rows = page.locator(".row:not([hidden])")
    expect(rows).to_have_count(len(expected))
    for name in expected:
        expect(page.get_by_role("gridcell", name=name, exact=True)).to_be_visible()
    page.close()


@task("Send a link to all failed jobs of the last 15 minutes except retries", "jobs")
def failed_jobs(day, driver):
    driver.filter("state = failed ended < 15m -retry:yes")
    expected = jobs(lambda row: row[3] == "failed" and row[5] < 14 and not row[4])
    day.until_only("Job", expected, "only these jobs are left")
    driver.cell_menu(expected[0], "Job")
    driver.choose("Copy a link to this view")
    expect(day.page.locator(".acted-line")).to_contain_text("Copied a link")
    follow_link(day, expected)


@task("See the jobs that ended after job 9, without those that are done", "jobs")
def newer(day, driver):
    driver.cell_menu("job 9", "Ended")
    driver.choose(re.compile("or newer$"))
    day.until(lambda: "job 10" not in day.column("Job"), "older jobs are gone")
    done = jobs(lambda row: row[3] == "done" and row[0] <= 9)
    driver.cell_menu(done[0], "State")
    driver.choose("Exclude “done”")
    day.until_only("Job", jobs(lambda row: row[0] <= 9 and row[3] != "done"), "the jobs that are left")


@task("Show the processes with 200 to 400 MiB of memory", "processes")
def between(day, driver):
    driver.column_menu("Memory")
    driver.choose("Filter…")
    box = day.dialog("Filter Memory")
    driver.type(box.get_by_label("From"), "200..400 MiB")
    driver.enter() if driver.name != "keyboard" else driver.key("Enter")
    names = [row[2] for row in PROCESSES if 200 * MIB <= row[6] <= 400 * MIB]
    day.expect_count(f"^{len(names)} rows match")


@task("Count the jobs of a team by state, and leave out those that are done", "jobs")
def facets(day, driver):
    if driver.name == "keyboard":
        driver.key("f")
    else:
        driver.press(day.page.get_by_role("button", name="Facets", exact=True))
    panel = day.page.get_by_role("region", name="Facets")
    expect(panel).to_be_visible()
    value = lambda text: panel.get_by_role("option", name=re.compile(f"^{text}"))
    expect(value("web")).to_be_visible()
    if driver.name == "keyboard":
        reach_option(driver, value("web"))
        driver.key("Enter")
    else:
        driver.press(value("web"))
    day.expect_count(f"^{len(jobs(lambda row: row[2] == 'web'))} rows match")
    if driver.name == "keyboard":
        reach_option(driver, value("done"))
        driver.key("Delete")
    else:
        driver.menu_at(value("done"))
        driver.choose("Leave these rows out")
    day.expect_count(f"^{len(jobs(lambda row: row[2] == 'web' and row[3] != 'done'))} rows match")


# The arrow key that leads to a value in the list with the focus, or an empty text in another list.
ARROW = """(one) => {
  const { activeElement: active } = document;
  if (active.closest('[role=listbox]') !== one.closest('[role=listbox]')) return '';
  return active.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING ? 'ArrowDown' : 'ArrowUp';
}"""


def reach_option(driver, option):
    """Moves to a value of the facets with arrows, or with Tab to its list first."""
    for _ in range(40):
        if option.evaluate("(one) => one === document.activeElement"):
            return
        ahead = option.evaluate(ARROW)
        driver.key(ahead or "Tab")
    raise AssertionError("the value is not reached")


@task("Find the third process called java, then only show all of them", "processes")
def find(day, driver):
    names = [row[2] for row in PROCESSES if "java" in row[2]]
    if driver.name == "phone":
        driver.command("Find in table")
    else:
        driver.page.keyboard.press("Control+f")
        driver.step()
    box = day.page.get_by_role("search", name="Find in table")
    expect(box).to_be_visible()
    driver.page.keyboard.type("java")
    driver.step()
    expect(box.get_by_role("status")).to_contain_text("matches")
    for _ in range(3):
        if driver.name == "keyboard":
            driver.key("Enter")
        else:
            driver.press(box.get_by_role("button", name="Next match"))
    expect(day.page.locator(".grid .cell.active")).to_have_text(names[2])
    driver.press(box.locator(".find-all"))
    day.expect_count(f"^{len(names)} rows match")


@task("Save the failed jobs as a view, and open it from the standard view", "jobs")
def saved_view(day, driver):
    driver.cell_menu(jobs(lambda row: row[3] == "failed")[0], "State")
    driver.choose("Filter for “failed”")
    day.expect_count("^20 rows match")
    if driver.name == "keyboard":
        driver.command("Save view…")
    else:
        driver.option("Save view…")
    box = day.dialog("Save view")
    driver.type(box.get_by_label("Title"), "Failed jobs")
    driver.enter() if driver.name != "keyboard" else driver.key("Enter")
    expect(box).to_have_count(0)
    views = day.page.get_by_role("navigation", name="Views")
    if driver.name == "keyboard":
        # Ctrl+Z goes back to the table without the filter.
        driver.go(views.get_by_role("button", name="Failed jobs"))
        driver.key("ArrowLeft", "Enter")
    else:
        driver.press(views.get_by_role("button", name="Standard"))
    day.expect_count("^80 rows")
    if driver.name == "keyboard":
        driver.command("Open the view Failed jobs")
    else:
        driver.press(views.get_by_role("button", name="Failed jobs"))
    day.expect_count("^20 rows match")
    expect(views.get_by_role("button", name="Failed jobs")).to_have_attribute("aria-current", "true")


@task("Send a link to one job", "jobs")
def link_to_row(day, driver):
    driver.cell_menu("job 6", "Job")
    day.until(lambda: "job 6" in day.column("Job"), "the row is drawn")
    driver.choose("Copy a link to this row")
    expect(day.page.locator(".acted-line")).to_contain_text("Copied a link to this row")
    link = day.user.pasted()
    page = day.page.context.new_page()
    page.goto(link)
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("job 6")
    page.close()


@task("Take back a filter and a sort, and repeat the sort", "processes")
def undo(day, driver):
    driver.sort("Memory")
    most = max(PROCESSES, key=lambda row: row[6])[2]
    day.until_column("Name", [most], "the rows are sorted")
    driver.cell_menu(day.column("Name")[1], "User")
    user = day.rows()[1]["cells"]["User"]
    driver.choose(f"Exclude “{user}”")
    day.until(lambda: user not in day.column("User"), "the user is left out")
    driver.undo()
    day.expect_count("^120 rows")
    driver.undo()
    day.until_column("Name", [PROCESSES[0][2]], "the rows have the order of the source")
    driver.redo()
    day.until_column("Name", [most], "the rows are sorted again")


@task("Go from the processes to the jobs", "processes", "jobs")
def other_table(day, driver):
    driver.table("Jobs")
    expect(day.page).to_have_title("Jobs · Rowcast")
    day.until_column("Job", ["job 0"], "the jobs are shown")


@task("Read why rows were left out", "jobs")
def rejected(day, driver):
    driver.press(day.page.locator("#rejected"))
    box = day.dialog("Why rows were skipped")
    expect(box).to_contain_text(SKIPPED)
