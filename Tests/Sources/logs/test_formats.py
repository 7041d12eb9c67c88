"""Each format against a plain reading: equal rows, windows, filters, searches and orders."""

import pathlib
import re
import tempfile
import unittest

from program import Logs, seeded
from reading import read
from writing import LINES, WORDS, write


def is_word_in(part, cell):
    return isinstance(cell, str) and part.lower() in cell.lower()


class FormatTests(unittest.TestCase):
    maxDiff = 2_000

    def check(self, form):
        random = seeded(self)
        data = write(random, form, random.choice([50, 2_500]))
        if random.random() < 0.3:
            data = data[:-1]  # the last line has no end yet
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "app.log"
            path.write_bytes(data)
            import os
            os.utime(path, (1_790_000_000, 1_790_000_000))  # September 2026, for times without a year
            with Logs(path=str(path)) as logs:
                columns = logs.columns
                rows = [cells for _, cells in read(data, form, columns)]
                self.compare_orders(random, logs, rows)
                self.compare_windows(random, logs, rows)
                for _ in range(12):
                    self.compare_query(random, logs, rows, columns)

    def cells(self, answer):
        return [row[1:] for row in answer]

    def compare_orders(self, random, logs, rows):
        size = lambda: random.randrange(1, 700)
        self.assertEqual(self.cells(logs.all(size, sort=[{"column": "line"}])), rows)
        self.assertEqual(self.cells(logs.all(size)), rows[::-1])
        keys = [row[0] for row in logs.all(size)]
        self.assertEqual(len(set(keys)), len(rows))
        logs.settled(len(rows))

    def compare_windows(self, random, logs, rows):
        for _ in range(15):
            skip, count = random.randrange(len(rows) + 50), random.randrange(1, 120)
            page = logs.page(skip=skip, count=count, sort=[{"column": "line"}])
            self.assertEqual(self.cells(page["rows"]), rows[skip : skip + count])
            self.assertEqual(page["count"], len(rows))
            self.assertEqual(page["more"], skip + count < len(rows))
            page = logs.page(skip=skip, count=count)
            self.assertEqual(self.cells(page["rows"]), rows[::-1][skip : skip + count])
            if page["rows"]:
                back = logs.page(sort=[{"column": "line"}], after=page["end"], up_to=page["begin"], count=500)
                self.assertEqual(self.cells(back["rows"]), rows[::-1][skip : skip + count][::-1])

    def draw_term(self, random, rows, columns):
        """Returns a filter and what it means."""
        column = random.randrange(len(columns) - 1)
        name = columns[column]
        values = [row[column] for row in rows if row[column] is not None]
        value = random.choice(values) if values else "x"
        kind = "text" if isinstance(value, str) and name != "time" else "other"
        choice = random.randrange(5)
        if name == "time":
            low, high = sorted([float(value), float(random.choice(values))])
            if any(isinstance(other, str) for other in (value,)):
                return {"column": name, "op": "isEmpty"}, lambda row: row[column] is None
            return (
                {"column": name, "op": "range", "from": low, "through": high},
                lambda row: row[column] is not None and low <= float(row[column]) <= high)
        if choice == 0:
            return {"column": name, "op": "isEmpty"}, lambda row: row[column] is None
        if choice == 1:
            return {"column": name, "op": "=", "value": value}, lambda row: row[column] == value
        if kind == "text":
            part = random.choice(WORDS + ["err", "a", "e "])
            if choice == 2:
                return {"column": name, "op": "contains", "value": part}, lambda row: is_word_in(part, row[column])
            if choice == 3:
                part = value[: random.randrange(1, 4)]
                return (
                    {"column": name, "op": "startsWith", "value": part},
                    lambda row: isinstance(
                        row[column], str) and row[column].lower().startswith(part.lower()))
            pattern = random.choice([
                "timeout|refused", "^[a-z]", r"\d{2,}$", "(user|done) .*failed",
                "connection refused", r"\s(info|error)\s"])
            regex = re.compile(pattern.replace("$", r"\Z"))
            return (
                {"column": name, "op": "matches", "value": pattern},
                lambda row: isinstance(row[column], str) and regex.search(row[column]) is not None)
        if isinstance(value, bool):
            return (
                {"column": name, "op": "!=", "value": value},
                lambda row: row[column] is not None and row[column] != value)
        if choice == 2:
            chosen = random.choices(values, k=3)
            return {"column": name, "op": "oneOf", "values": chosen}, lambda row: row[column] in chosen
        return (
            {"column": name, "op": ">=", "value": value},
            lambda row: row[column] is not None and row[column] >= value)

    def compare_query(self, random, logs, rows, columns):
        query, passes = {}, []
        if random.random() < 0.5:
            part = random.choice(WORDS + ["refused user", "error", "K", "k", "i", "é", "zzz", '"', "\\", "\ufffd", "␀"])
            query["search"] = part
            texts = [number for number, column in enumerate(columns) if column not in ("time", "line")]
            passes.append(
                lambda row: any(
                    is_word_in(part, row[number]) for number in texts
                    if isinstance(row[number], str)))
        if random.random() < 0.7 or not query:
            terms = [self.draw_term(random, rows, columns) for _ in range(random.randrange(1, 4))]
            kind = random.choice(["all", "any", "not"])
            if kind == "not":
                query["filter"] = {"not": terms[0][0]}
                passes.append(lambda row: not terms[0][1](row))
            else:
                query["filter"] = {kind: [term for term, _ in terms]}
                each = all if kind == "all" else any
                passes.append(lambda row: each(passes(row) for _, passes in terms))
        expected = [row for row in rows if all(test(row) for test in passes)]
        with self.subTest(query=query):
            self.assertEqual(
                self.cells(
                    logs.all(lambda: random.randrange(1, 400), sort=[{"column": "line"}], **query)),
                expected)
            self.assertEqual(self.cells(logs.all(lambda: random.randrange(1, 400), **query)), expected[::-1])
            skip = random.randrange(len(expected) + 2)
            logs.settled(len(expected), **query)
            page = logs.page(skip=skip, count=30, **query)
            self.assertEqual(self.cells(page["rows"]), expected[::-1][skip : skip + 30])


for name in LINES:
    setattr(FormatTests, f"test_{name}_matches_plain_reading", lambda self, name=name: self.check(name))


if __name__ == "__main__":
    unittest.main()
