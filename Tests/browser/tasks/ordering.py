"""Tasks about order, sections and figures."""

import re
from collections import Counter

from user import expect
from tasks.catalog import task
from tasks.source import JOBS, PROCESSES


@task("Find the process that uses the most CPU", "processes")
def most_cpu(day, driver):
    driver.sort("CPU")
    names = [row[2] for row in sorted(PROCESSES, key=lambda row: -row[5])]
    day.until_column("Name", names[:3], "the first rows use the most CPU")


@task("Sort the jobs by team, and within a team by duration, the longest first", "jobs")
def two_sorts(day, driver):
    driver.sort("Team")
    driver.sort("Duration", further=True)
    jobs = sorted(JOBS, key=lambda row: (row[2], -row[6]))
    day.until_column("Job", [row[1] for row in jobs[:10]], "the jobs have both orders")


@task("Find the three users with the most memory", "processes")
def most_memory(day, driver):
    if driver.name == "keyboard":
        driver.command("Sum Memory by User")
    else:
        driver.column_menu("Memory")
        driver.choose("Sum by group…")
        driver.choose("User")
    sums = Counter()
    for row in PROCESSES:
        sums[row[3]] += row[6]
    expected = [user for user, _ in sums.most_common(3)]
    day.until(lambda: [one["value"] for one in day.sections()][:3] == expected, f"{expected} come first")
    driver.see(
        day.page.locator(".section", has=day.section("mail")).locator(f'[aria-colindex="{day.column_index("Memory")}"]')
    )


@task("Group the jobs by team and state, see only the teams, and open one", "jobs")
def two_levels(day, driver):
    driver.group("Team")
    day.until(day.sections, "there are sections")
    driver.group("State")
    day.until(lambda: len({one["value"] for one in day.sections()}) > 1, "there are two levels")
    if driver.name == "keyboard":
        driver.command("Collapse all sections")
    else:
        driver.press(day.page.get_by_role("button", name="Collapse all sections"))
    day.until(
        lambda: [one["value"] for one in day.sections()] == sorted({row[2] for row in JOBS}), "only the teams are left"
    )
    driver.fold("mobile")
    states = sorted({row[3] for row in JOBS if row[2] == "mobile"})
    day.until(lambda: set(states) <= {one["value"] for one in day.sections()}, "the states of the team are shown")


@task("See the average and the 95th percentile of the durations", "jobs")
def averages(day, driver):
    driver.column_menu("Duration")
    driver.choose("Average")
    driver.column_menu("Duration")
    driver.choose("More totals…")
    driver.choose(re.compile("95th percentile", re.I))
    durations = sorted(row[6] for row in JOBS)
    seconds = durations[-(-len(durations) * 95 // 100) - 1]
    text = f"{seconds // 60}:{seconds % 60:02}"
    totals = day.page.locator(".grid .totals").locator(f'[aria-colindex="{day.column_index("Duration")}"]')
    driver.see(totals)
    expect(totals).to_contain_text(text)
    mean = int(sum(durations) / len(durations) + 0.5)
    expect(totals).to_contain_text(f"{mean // 60}:{mean % 60:02}")


@task("Add the sum of the memory to the summary", "processes")
def tile(day, driver):
    if driver.name == "keyboard":
        driver.command("Summary: Sum of Memory")
    else:
        driver.column_menu("Memory")
        driver.choose("Add to the summary…")
        driver.choose("Sum")
    total = sum(row[6] for row in PROCESSES) / 1024**3
    strip = day.page.get_by_role("toolbar", name="Summary of all rows")
    expect(strip.locator(".tile", has_text="Memory")).to_contain_text(f"{total:.1f}")


@task("Show the critical processes, then all again", "processes")
def critical(day, driver):
    button = day.page.get_by_role("toolbar", name="Summary of all rows").get_by_role(
        "button", name=re.compile("Critical")
    )
    if driver.name == "keyboard":
        driver.command("Show only: Critical")
    else:
        driver.press(button)
    day.until_only("Name", [row[2] for row in PROCESSES if row[4] == "zombie"], "only the critical rows are shown")
    if driver.name == "keyboard":
        driver.undo()
    else:
        driver.press(button)
    day.expect_count("^120 rows")


@task("Hide the columns PID and Command", "processes")
def hide(day, driver):
    if driver.name == "phone":  # one list for both columns, without a swipe to the last one
        driver.column_menu("PID")
        driver.choose("Choose columns…")
        box = day.dialog("Columns")
        for title in ("PID", "Command"):
            driver.tick(box.get_by_role("checkbox", name=title))
        driver.press(box.get_by_role("button", name="Done"))
    for title in ("PID", "Command") if driver.name != "phone" else ():
        if driver.name == "keyboard":
            driver.command(f"Hide {title}")
        else:  # above the table
            driver.see(day.head(title))
            driver.drag(day.head(title), (640, 12))
            day.until(lambda: title not in day.titles(), f"{title} is hidden")
    day.until(lambda: day.titles() == ["Name", "User", "State", "CPU", "Memory", "Started"], "the columns are hidden")


@task("Keep the memory at the left edge, next to the name", "processes")
def pin(day, driver):
    if driver.name == "keyboard":
        driver.command("Pin Memory left with Name")
    else:
        driver.column_menu("Memory")
        driver.choose("Pin left with Name")
    day.until(lambda: day.titles()[:2] == ["Name", "Memory"], "both are pinned")


@task("Fit the messages' column to its texts, and give rows three lines", "jobs")
def wrap(day, driver):
    before = day.head("Message").bounding_box()["width"]
    driver.column_menu("Message")
    driver.choose("Fit to content")
    if driver.name == "keyboard":
        driver.command("Lines of text: up to 3 lines")
    else:
        driver.option("Lines of text…")
        driver.choose("Up to 3 lines")
    day.until(
        lambda: day.page.locator(".grid .row:not([hidden])").first.bounding_box()["height"] > 50,
        "rows have three lines",
    )
    day.until(lambda: day.head("Message").bounding_box()["width"] != before, "the column has another width")
