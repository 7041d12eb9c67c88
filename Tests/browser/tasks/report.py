"""Writes the measured steps and seconds into a Markdown document."""

from tasks.catalog import all_tasks

BEGIN, END = "<!-- results: written by Tests/browser/tasks/run --report -->", "<!-- end of the results -->"
WAYS = ["mouse", "keyboard", "phone"]


def tables(results):
    """Returns the table of results as Markdown."""
    found = {(one["task"], one["way"], one["browser"]): one for one in results}

    def cell(task, way, browser, key):
        one = found.get((task.name, way, browser))
        return "–" if one is None else "failed" if one["fault"] else str(one[key])

    lines = [
        "| | task | mouse | keyboard | phone | Chromium: seconds | Firefox: seconds |",
        "|-|-|-|-|-|-|-|",
    ]
    for number, task in enumerate(all_tasks(), 1):
        steps = []
        for way in WAYS:
            pair = [cell(task, way, browser, "steps") for browser in ("chromium", "firefox")]
            steps.append(pair[0] if pair[0] == pair[1] or pair[1] == "–" else " / ".join(pair))
        seconds = [
            " · ".join(cell(task, way, browser, "seconds") for way in WAYS) for browser in ("chromium", "firefox")
        ]
        lines.append(f"| {number} | {task.title} | {' | '.join([*steps, *seconds])} |")
    return "\n".join(lines)


def write_report(path, results):
    """Replaces the results in a document."""
    write_between(path, BEGIN, END, tables(results))


def write_between(path, begin, end, text):
    """Replaces what is between two lines of a document."""
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    if rest == "" or end not in rest:
        raise SystemExit(f"{path} has no lines for the results: add {begin} and {end}")
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def results_in(path):
    """Returns the steps and seconds of the mouse in Chromium, by the title of the task."""
    text = path.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.count("|") > 7]
    return {row[2]: f"{row[3].split(' / ')[0]} · {row[6].split(' · ')[0]}" for row in rows[2:]}
