"""The tasks of a user's day in other grids: what a grid does, or why it does not."""

from collections import Counter

from tasks.source import JOBS, MIB, PROCESSES

AG, PERSPECTIVE, TABULATOR = "ag", "perspective", "tabulator"
DONE = {}  # the functions by task and grid


def does(task, table, *grids):
    def add(run):
        for grid in grids:
            DONE[task, grid] = (table, run)
        return run

    return add


def jobs(condition):
    return [row[1] for row in JOBS if condition(row)]


def processes(condition):
    return [row[2] for row in PROCESSES if condition(row)]


def until_only(grid, field, names, message):
    """Waits until the drawn rows are some of those expected, from the first one on."""
    grid.until(lambda: (found := [one for one in grid.column(field) if one]) and found == names[: len(found)]
               and len(found) >= min(len(names), 8), message)  # fmt: skip


@does("most_cpu", "processes", AG, PERSPECTIVE, TABULATOR)
def most_cpu(grid):
    names = [row[2] for row in sorted(PROCESSES, key=lambda row: -row[5])][:3]
    grid.sort("cpu", lambda: grid.column("name")[:3] == names)


@does("newest", "logs", AG, PERSPECTIVE, TABULATOR)
def newest(grid):
    grid.sort("time", lambda: "(entry 299)" in "".join(grid.column("message")[:1]))


NAMES_BY_BOTH = [row[1] for row in sorted(JOBS, key=lambda row: (row[2], -row[6]))][:10]


@does("two_sorts", "jobs", AG, PERSPECTIVE)
def two_sorts(grid):
    key = "Control" if grid.kind == PERSPECTIVE else "Shift"
    grid.sort("team", lambda: grid.column("team")[0] == min(row[2] for row in JOBS))
    grid.sort("duration", lambda: grid.column("job")[:10] == NAMES_BY_BOTH, modifiers=[key])


@does("two_sorts", "jobs", TABULATOR)
def two_sorts_backwards(grid):
    longest = max(JOBS, key=lambda row: row[6])[1]
    grid.sort("duration", lambda: grid.column("job")[0] == longest)  # the last header decides first
    grid.click(grid.head("team"), modifiers=["Shift"])
    grid.until(lambda: grid.column("job")[:10] == NAMES_BY_BOTH, "the jobs have both orders")


RECENT = jobs(lambda row: row[5] <= 9.5 and row[3] != "done")


@does("newer", "jobs", AG)
def newer_in_ag(grid):
    grid.compare("ended", "Less than or equal to", 9.5)
    grid.leave_out("state", "done")
    until_only(grid, "job", RECENT, "the jobs that are left")


@does("newer", "jobs", PERSPECTIVE)
def newer_in_perspective(grid):
    grid.settings()
    grid.where("ended", "<=", 9.5)
    grid.where("state", "!=", "done")
    until_only(grid, "job", RECENT, "the jobs that are left")


MIDDLE = processes(lambda row: 200 * MIB <= row[6] <= 400 * MIB)


@does("between", "processes", AG)
def between_in_ag(grid):
    grid.compare("memory", "Between", 200 * MIB - 1, 400 * MIB + 1)
    until_only(grid, "name", MIDDLE, "only these rows are left")


@does("between", "processes", PERSPECTIVE)
def between_in_perspective(grid):
    grid.settings()
    grid.where("memory", ">=", 200 * MIB)
    grid.where("memory", "<=", 400 * MIB)
    until_only(grid, "name", MIDDLE, "only these rows are left")


STATES = Counter(row[3] for row in JOBS if row[2] == "web" and row[3] != "done")


@does("facets", "jobs", AG)
def facets_in_ag(grid):
    grid.keep("team", "web")
    grid.leave_out("state", "done")
    grid.group("state")
    expected = {f"{state}({count})" for state, count in STATES.items()}
    grid.until(lambda: expected == {text.replace(" ", "") for text in grid.column("group") if "(" in text},
               f"the states have counts {expected}")  # fmt: skip


@does("facets", "jobs", PERSPECTIVE)
def facets_in_perspective(grid):
    grid.settings()
    grid.where("team", "==", "web")
    grid.where("state", "!=", "done")
    grid.place("state", "group_by")
    expected = {state: str(count) for state, count in STATES.items()}
    grid.until(lambda: {row["group"]: row.get("job") for row in grid.rows()[1:]} == expected, "the states have counts")


@does("add_up", "processes", AG)
def add_up(grid):
    chosen = [PROCESSES[at] for at in (1, 2, 4)]
    for at, row in enumerate(chosen):
        grid.click(grid.cell(row[2], "memory"), modifiers=["Control"] if at else [])
    total = f"{sum(row[6] for row in chosen):,}"
    grid.until(lambda: total in grid.page.locator(".ag-status-bar").inner_text(), "the sum is shown")
    for at, row in enumerate(chosen):
        grid.click(grid.cell(row[2], "ag-Grid-RowNumbersColumn"), modifiers=["Control"] if at else [])
    grid.page.keyboard.press("Control+c")
    grid.steps += 1
    copied = lambda: grid.page.evaluate("navigator.clipboard.readText()").split("\n")
    names = lambda: [line.split("\t")[1] for line in copied() if "\t" in line]
    grid.until(lambda: names()[-3:] == [row[2] for row in chosen], "the rows are copied")


MAIL = processes(lambda row: row[3] == "mail")


def expect_file(grid, press):
    with grid.page.expect_download() as download:
        press()
    with open(download.value.path(), encoding="utf-8-sig") as file:
        lines = [line for line in file.read().replace("\r", "").split("\n") if "daemon" in line]
    assert len(lines) == len(MAIL) and all("mail" in line for line in lines), lines[:3]


@does("export", "processes", AG)
def export_from_ag(grid):
    grid.keep("user", "mail")
    until_only(grid, "name", MAIL, "the rows of the user")
    grid.click(grid.cell(MAIL[0], "name"), button="right")
    grid.page.locator(".ag-menu-option", has_text="Export").first.hover()
    grid.steps += 1
    expect_file(grid, lambda: grid.click(grid.page.locator(".ag-menu-option", has_text="CSV Export")))


@does("export", "processes", PERSPECTIVE)
def export_from_perspective(grid):
    grid.settings()
    grid.where("user", "==", "mail")
    until_only(grid, "name", MAIL, "the rows of the user")
    grid.click(grid.page.locator("#export"))
    item = grid.page.get_by_text("csv", exact=True).or_(grid.page.get_by_text(".csv")).first
    expect_file(grid, lambda: grid.click(item))


SUMS = Counter()
for one in PROCESSES:
    SUMS[one[3]] += one[6]
MOST = [user for user, _ in SUMS.most_common(3)]
TOTAL = sum(row[6] for row in PROCESSES)


@does("most_memory", "processes", AG)
def most_memory_in_ag(grid):
    grid.aggregate("memory")
    grid.group("user")
    groups = lambda: [text.split("(")[0].strip() for text in grid.column("group") if "(" in text]
    grid.until(lambda: len(groups()) == len(SUMS), "there are groups")
    grid.sort("memory", lambda: groups()[:3] == MOST)


@does("most_memory", "processes", PERSPECTIVE)
def most_memory_in_perspective(grid):
    grid.settings()
    grid.place("user", "group_by")
    groups = lambda: [row["group"] for row in grid.rows()[1:]]
    grid.until(lambda: len(groups()) == len(SUMS), "there are groups")
    grid.sort("memory", lambda: groups()[:3] == MOST)


TEAMS = sorted({row[2] for row in JOBS})
MOBILE = {row[3] for row in JOBS if row[2] == "mobile"}


@does("two_levels", "jobs", AG)
def two_levels_in_ag(grid):
    grid.group("team")
    groups = lambda: [text.split("(")[0].strip() for text in grid.column("group") if text]
    grid.until(lambda: set(TEAMS) <= set(groups()), "there are sections")
    grid.group("state")
    levels = grid.page.locator(".ag-column-drop-horizontal .ag-column-drop-cell")
    grid.until(lambda: levels.count() == 2, "there are two levels")
    assert not MOBILE & set(groups()), "only the teams are shown"
    grid.click(grid.page.locator(".ag-row-group", has_text="mobile").locator(".ag-group-contracted").first)
    grid.until(lambda: set(groups()) >= MOBILE, "the states of the team are shown")


@does("two_levels", "jobs", PERSPECTIVE)
def two_levels_in_perspective(grid):
    grid.settings()
    grid.place("team", "group_by")
    grid.place("state", "group_by")
    groups = lambda: [row["group"] for row in grid.rows()]
    grid.until(lambda: MOBILE <= set(groups()), "there are two levels")
    label = lambda text: grid.page.locator("regular-table tbody th", has_text=text).first
    for team in TEAMS:  # it has no other way to close them
        count = len(groups())
        grid.click(label(team))
        grid.until(lambda: len(groups()) < count, f"{team} is closed")
    assert groups()[1:] == TEAMS, groups()
    grid.click(label("mobile"))
    grid.until(lambda: MOBILE <= set(groups()), "the states of the team are shown")


@does("tile", "processes", AG)
def tile_in_ag(grid):
    grid.aggregate("memory")
    bottom = grid.page.locator('.ag-row-footer [col-id="memory"], .ag-floating-bottom [col-id="memory"]').first
    grid.until(lambda: bottom.count() and str(TOTAL) in bottom.inner_text().replace(",", ""), "the total is shown")


@does("tile", "processes", PERSPECTIVE)
def tile_in_perspective(grid):
    grid.settings()
    grid.place("user", "group_by")
    grid.until(lambda: f"{TOTAL:,}" in grid.column("memory")[:1], "the total is shown")


ZOMBIES = processes(lambda row: row[4] == "zombie")


@does("critical", "processes", AG)
def critical_in_ag(grid):
    box = grid.keep("state", "zombie")
    until_only(grid, "name", ZOMBIES, "only the critical rows are shown")
    grid.tick(box, "(Select All)")
    until_only(grid, "name", processes(lambda row: True), "all rows are shown")


@does("critical", "processes", PERSPECTIVE)
def critical_in_perspective(grid):
    grid.settings()
    item = grid.where("state", "==", "zombie")
    until_only(grid, "name", ZOMBIES, "only the critical rows are shown")
    grid.click(item.locator(".row_close"))
    until_only(grid, "name", processes(lambda row: True), "all rows are shown")


@does("critical", "processes", TABULATOR)
def critical_in_tabulator(grid):
    grid.filter("state", "zombie")
    until_only(grid, "name", ZOMBIES, "only the critical rows are shown")
    grid.page.keyboard.press("Control+a")
    grid.page.keyboard.press("Delete")
    grid.steps += 1
    until_only(grid, "name", processes(lambda row: True), "all rows are shown")


@does("hide", "processes", AG)
def hide_in_ag(grid):
    for field in ("pid", "command"):  # in the list at the side, which is open
        grid.click(grid.page.locator(".ag-column-select-column", has_text=field).locator(".ag-checkbox"))
        grid.until(lambda: field not in grid.heads(), f"{field} is hidden")


@does("hide", "processes", PERSPECTIVE)
def hide_in_perspective(grid):
    grid.settings()
    for field in ("pid", "command"):
        grid.click(grid.chooser(field).locator(".toggle-mode"))
        grid.until(lambda: grid.head(field).count() == 0, f"{field} is hidden")


@does("pin", "processes", AG)
def pin(grid):
    for field in ("name", "memory"):
        grid.drag(grid.head(field), (46, 140))
        grid.until(
            lambda: grid.page.locator(f'.ag-pinned-left-header [col-id="{field}"]').count() > 0, f"{field} is pinned"
        )
        grid.drop()


CALL = "needs code: a menu item that calls the server"
LINK = "needs code: an address for the grid's state"
ALL = {AG, PERSPECTIVE, TABULATOR}
GROUPS = "needs code: the option `groupBy` and sums"
# Why a grid does not do a task: from its documentation and its menus.
REASONS = {
    "run_again": {AG: CALL, TABULATOR: CALL, PERSPECTIVE: "not possible: rows have no actions"},
    "stop": {AG: CALL, TABULATOR: CALL, PERSPECTIVE: "not possible: rows have no actions"},
    "together": {
        AG: "needs code: a page with two grids", TABULATOR: "needs code: a page with two grids",
        PERSPECTIVE: "needs code: a workspace of several viewers"},
    "away": dict.fromkeys(ALL, "needs code: the connection"),
    "failed_jobs": dict.fromkeys(ALL, LINK),
    "newer": {TABULATOR: "needs code: other header filters than one text"},
    "between": {TABULATOR: "needs code: its header filters compare with one value"},
    "facets": {TABULATOR: "needs code: the option `groupBy`"},
    "find": {
        AG: "needs code: a field for its Find", PERSPECTIVE: "not possible: it has no search",
        TABULATOR: "not possible: header filters do not lead from match to match"},
    "saved_view": {
        AG: "needs code: a list of states", PERSPECTIVE: "needs code: a list of its configurations",
        TABULATOR: "needs code: a list of layouts"},
    "link_to_row": dict.fromkeys(ALL, LINK),
    "undo": {
        AG: "not possible: its undo is for edited cells", PERSPECTIVE: "not possible: it has no undo",
        TABULATOR: "not possible: its undo is for edited cells"},
    "other_table": dict.fromkeys(ALL, "needs code: a list of tables"),
    "rejected": dict.fromkeys(ALL, "needs code: the source's reasons"),
    "history": dict.fromkeys(ALL, "needs code: former values"),
    "add_up": {
        PERSPECTIVE: "not possible: no sum of a selection", TABULATOR: "needs code: the sum of its selected ranges"},
    "export": {TABULATOR: "needs code: a button that calls `download`"},
    "pause": dict.fromkeys(ALL, "needs code: a button that holds updates"),
    "dark": {
        AG: "needs code: other parameters of its theme", PERSPECTIVE: "not possible: rows have one height",
        TABULATOR: "needs code: other style sheets"},
    "most_memory": {TABULATOR: GROUPS},
    "two_levels": {TABULATOR: "needs code: the option `groupBy`"},
    "averages": {
        AG: "needs code: an aggregation with percentiles", PERSPECTIVE: "not possible: it has no percentiles",
        TABULATOR: "needs code: an aggregation with percentiles"},
    "tile": {TABULATOR: "needs code: the option `bottomCalc`"},
    "hide": {TABULATOR: "needs code: a menu that calls `hide`"},
    "pin": {PERSPECTIVE: "not possible: no column stays", TABULATOR: "needs code: the option `frozen` of a column"},
    "wrap": {
        AG: "needs code: the options `wrapText` and `autoHeight`", PERSPECTIVE: "not possible: rows have one line",
        TABULATOR: "needs code: style sheets for lines"},
}  # fmt: skip
