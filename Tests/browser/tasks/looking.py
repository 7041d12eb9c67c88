"""Tasks about single rows, values, copies and files."""

import re

from user import expect
from tasks.catalog import task
from tasks.source import COURSE, PROCESSES


@task("Read the price of SYM03 three changes ago", "prices")
def history(day, driver):
    driver.open_row("SYM03", "Symbol")
    panel = day.page.get_by_role("complementary", name="Row")
    chart = panel.locator(".chart").first
    expect(chart).to_be_visible()
    expected = f"{COURSE[-4] + 3:.2f}"
    reading = chart.locator(".chart-reading")
    if driver.name == "keyboard":
        driver.go(chart)
        driver.key("ArrowLeft", "ArrowLeft", "ArrowLeft")
    else:
        plot = chart.locator(".chart-plot")
        plot.evaluate("(element) => element.scrollIntoView({ block: 'nearest' })")
        box = plot.bounding_box()
        at = len(COURSE) - 4
        x, y = box["x"] + box["width"] * at / (len(COURSE) - 1), box["y"] + box["height"] / 2
        if driver.name == "mouse":
            day.page.mouse.move(x, y)
            driver.step()
        else:
            tap(day, driver, x, y)
    expect(reading).to_contain_text(expected)


def tap(day, driver, x, y):
    if day.driver is None:
        day.page.mouse.click(x, y)
    else:
        day.page.touchscreen.tap(x, y)
    driver.step()


# Whether the text up to the sum's unit is visible.
IS_SUM_VISIBLE = """(picked) => {
  const text = picked.firstChild;
  const range = document.createRange();
  range.setStart(text, 0);
  range.setEnd(text, text.data.indexOf('GiB') + 3);
  const right = picked.getBoundingClientRect().right;
  return text.data.includes('GiB') && range.getBoundingClientRect().right <= right && right <= innerWidth;
}"""


@task("Add up the memory of three processes, and copy their rows to a spreadsheet", "processes")
def add_up(day, driver):
    chosen = [PROCESSES[at] for at in (1, 2, 4)]
    driver.select_rows([row[2] for row in chosen], "Memory")
    gigabytes = sum(row[6] for row in chosen) / 1024**3
    megabytes = sum(row[6] for row in chosen) / 1024**2
    picked = day.page.locator("#picked")
    expect(picked).to_contain_text(
        re.compile(f"Memory sum ({gigabytes:.1f} GiB|{megabytes:,.0f})".replace(" GiB", "\\s?GiB"))
    )
    assert picked.evaluate(IS_SUM_VISIBLE), "the sum is not cut off"
    driver.copy()
    expect(day.page.locator(".acted-line")).to_contain_text("Copied 3 rows")
    lines = day.user.pasted().split("\n")
    names = [line.split("\t")[1] for line in lines if line.count("\t") > 3]
    assert names[-3:] == [row[2] for row in chosen], lines


@task("Save the processes of one user as a CSV file", "processes")
def export(day, driver):
    own = [row for row in PROCESSES if row[3] == "mail"]
    with day.page.expect_download() as download:
        if driver.name == "keyboard":
            driver.filter("user = mail")
            day.expect_count(f"^{len(own)} rows match")
            driver.key("Escape", "e")
            driver.choose(re.compile("^Export CSV"))
        else:
            driver.cell_menu(own[0][2], "User")
            driver.choose("Save rows with “mail” as CSV")
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        lines = file.read().split("\r\n")
    assert len(lines) == len(own) + 2 and all(",mail," in line for line in lines[1:-1]), lines[:3]


@task("Stay at the newest lines of a log", "logs")
def newest(day, driver):
    driver.follow()
    expect(day.page.locator("#follow")).to_have_attribute("aria-pressed", "true")
    last = lambda: max((row["index"] for row in day.rows()), default=0)
    day.until(lambda: last() > 300, "the end is in view")
    before = last()
    day.until(lambda: last() >= before + 4, "new lines come into view")


@task("Hold the prices still for a moment, then go on", "prices")
def pause(day, driver):
    driver.pause()
    button = day.page.locator("#pause")
    expect(button).to_have_attribute("aria-pressed", "true")
    held = day.column("Ticks")[:5]
    expect(button).to_contain_text("changes", use_inner_text=False)
    assert day.column("Ticks")[:5] == held
    driver.pause()
    day.until(lambda: day.column("Ticks")[0] not in (held[0], ""), "the prices go on")


@task("Work in the dark with more rows on the screen", "processes")
def dark(day, driver):
    height = lambda: day.page.locator(".grid .row:not([hidden])").first.bounding_box()["height"]
    before = height()
    driver.option("Dark")
    driver.option("Compact")
    day.until(lambda: height() < before, "rows are lower")
    assert day.page.evaluate("document.documentElement.dataset.theme") == "dark"
