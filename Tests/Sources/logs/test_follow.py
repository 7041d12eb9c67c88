"""Files that grow, rotate, are cut, compressed or missing; parts, merging, commands, cancels."""

import gzip
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

from program import PATIENCE, Failed, Logs, seeded
from reading import read
from writing import write


def line(number, extra=""):
    return f"2026-03-01T00:{number // 60 % 60:02}:{number % 60:02}Z INFO line {number}{extra}\n"


def lines(numbers):
    return "".join(map(line, numbers))


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = self.folder / "app.log"

    def append(self, text, path=None):
        with open(path or self.path, "ab") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def messages(self, logs, **query):
        message = logs.columns.index("message") + 1
        return [row[message] for row in logs.all(**query)]

    def expect(self, logs, numbers, **query):
        """Waits until a query has the lines with these numbers, the newest first."""
        expected = [f"line {number}" for number in reversed(list(numbers))]
        # While files are rotated, a folder may hold a line twice: a count can be right too early.
        logs.until(lambda: self.messages(logs, **query), lambda found: found == expected)


class FollowTests(Folder):
    def test_appended_lines_and_continuations_are_shown(self):
        self.append(lines(range(5)))
        with Logs(path=str(self.path)) as logs:
            self.expect(logs, range(5))
            changes = logs.changes
            self.append(lines(range(5, 900)))
            logs.wait(lambda: logs.changes > changes, "a change")
            self.expect(logs, range(900))
            self.append(line(900)[:-1])
            self.expect(logs, range(901))
            self.append("\n  at a stack trace\n" + line(901))
            logs.settled(902)
            self.assertEqual(self.messages(logs)[1], "line 900\n  at a stack trace")

    def test_search_stays_current_while_file_grows(self):
        random = seeded(self)
        data = b""
        self.append(write(random, "iso", 20))
        with Logs(path=str(self.path)) as logs:
            for _ in range(8):
                self.append(write(random, "iso", random.choice([1, 30, 2_000])))
                data = self.path.read_bytes()
                rows = [cells for _, cells in read(data, "iso", logs.columns)]
                found = [row for row in rows if "refused" in row[2]]
                logs.settled(len(found), search="refused")
                self.assertEqual([row[1:] for row in logs.all(search="refused")], found[::-1])
                self.assertEqual([row[1:] for row in logs.all(search="refused", sort=[{"column": "line"}])], found)

    def test_pending_searches_are_answered_while_file_grows(self):
        random = seeded(self)
        block = "".join(
            f"2026-03-01T00:00:00Z INFO {random.choice(['alpha', 'beta', 'gamma'])} {number}\n"
            for number in range(20_000)).encode()
        self.append(block * 30)
        with Logs(path=str(self.path)) as logs:
            identities = []
            for round in range(40):
                identities += [logs.ask(search=f"alpha {round}"), logs.ask(search="gamma", skip=round * 1_000)]
                self.append(block[: random.randrange(len(block))] + b"\n")
            for identity in identities:
                logs.answer(identity)
            data = self.path.read_bytes()
            logs.settled(data.count(b" gamma"), search="gamma")
            logs.settled(sum(line != b"" for line in data.split(b"\n")))
            found = [row[3] for row in logs.all(search="alpha 39", sort=[{"column": "line"}])]
            expected = [line[26:].decode() for line in data.split(b"\n") if b"alpha 39" in line]
            self.assertEqual([text.removeprefix("INFO ") for text in found], [text.strip() for text in expected])

    def test_rotation_by_rename_is_followed(self):
        self.append(lines(range(10)))
        with Logs(path=str(self.path)) as logs:
            self.expect(logs, range(10))
            os.rename(self.path, f"{self.path}.1")
            self.append(lines(range(10, 12)), f"{self.path}.1")  # the writer has not noticed yet
            self.append(lines(range(12, 20)))
            logs.has_logged("rotated")
            self.expect(logs, range(20))
            self.append(line(20))
            self.expect(logs, range(21))
            os.unlink(f"{self.path}.1")
            logs.has_logged("deleted")
            self.expect(logs, range(12, 21))

    def test_copied_and_truncated_file_keeps_all_lines(self):
        self.append(lines(range(100)))
        with Logs(path=str(self.path), parts=True) as logs:
            self.expect(logs, range(100))
            (self.folder / "app.log.1").write_bytes(self.path.read_bytes())
            os.truncate(self.path, 0)
            self.append(lines(range(100, 105)))
            logs.has_logged("truncated")
            self.expect(logs, range(105))

    def test_truncation_is_detected_if_file_has_grown_again(self):
        self.append(lines(range(3)))
        with Logs(path=str(self.path)) as logs:
            self.expect(logs, range(3))
            with open(self.path, "r+b") as file:
                file.truncate(0)
                file.write(lines(range(50, 99)).encode())
            logs.has_logged("truncated")
            self.expect(logs, range(50, 99))

    def test_missing_or_deleted_file_is_awaited(self):
        with Logs(path=str(self.path)) as logs:
            logs.has_logged("does not exist")
            self.append(lines(range(3)))
            self.expect(logs, range(3))
            os.unlink(self.path)
            logs.has_logged("removed")
            self.append(lines(range(3, 7)))
            self.expect(logs, range(3, 7))

    def test_row_keys_are_the_same_after_restart(self):
        self.append(lines(range(30)))
        with Logs(path=str(self.path)) as logs:
            before = logs.all()
        self.append(lines(range(30, 40)))
        with Logs(path=str(self.path)) as logs:
            logs.settled(40)
            self.assertEqual(logs.all()[10:], before)


class PartTests(Folder):
    def test_parts_are_read_as_one_table(self):
        self.append(
            gzip.compress(lines(range(0, 40)).encode())
            + gzip.compress(lines(range(40, 50)).encode()),
            self.folder / "app.log.10.gz")
        self.append(lines(range(60, 70)), self.folder / "app.log.2")
        self.append(lines(range(70, 80)), self.folder / "app.log.1")
        self.append(gzip.compress(lines(range(70, 80)).encode()), self.folder / "app.log.1.gz")  # being compressed
        self.append(lines(range(50, 60)), self.folder / "plain")
        subprocess.run(["zstd", "-q", str(self.folder / "plain"), "-o", str(self.folder / "app.log.9.zst")], check=True)
        self.append(lines(range(80, 95)))
        with Logs(path=str(self.path), parts=True) as logs:
            self.expect(logs, range(95))
            # Line numbers are estimates until the index is complete.
            logs.until(lambda: [row[-1] for row in logs.all()], lambda found: found == list(range(95, 0, -1)))
            names = [row[logs.columns.index("file") + 1] for row in logs.all(sort=[{"column": "line"}])]
            expected = ["app.log.10.gz"] * 50 + ["app.log.9.zst"] * 10 + [
                "app.log.2"] * 10 + ["app.log.1"] * 10 + ["app.log"] * 15
            self.assertEqual(names, expected)
            self.expect(logs, range(60, 70), filter={"column": "file", "op": "=", "value": "app.log.2"})
            logs.settled(50, search="LOG.10")

    def test_rotation_of_all_parts_is_followed(self):
        self.append(gzip.compress(lines(range(0, 10)).encode()), self.folder / "app.log.2.gz")
        self.append(lines(range(10, 20)), self.folder / "app.log.1")
        self.append(lines(range(20, 30)))
        with Logs(path=str(self.path), parts=True) as logs:
            self.expect(logs, range(30))
            for turn in range(1, 4):
                for part in range(turn + 1, 1, -1):
                    os.rename(self.folder / f"app.log.{part}.gz", self.folder / f"app.log.{part + 1}.gz")
                text = (self.folder / "app.log.1").read_bytes()
                self.append(gzip.compress(text), self.folder / "app.log.2.gz.new")
                os.rename(self.folder / "app.log.2.gz.new", self.folder / "app.log.2.gz")
                os.unlink(self.folder / "app.log.1")
                os.rename(self.path, self.folder / "app.log.1")
                self.append(lines(range(20 + turn * 10, 30 + turn * 10)))
                self.expect(logs, range(30 + turn * 10))

    def test_columns_include_those_of_previous_part(self):
        self.append('{"time":"2026-03-01T00:00:00Z","msg":"a","user":"x","took":1}\n', self.folder / "app.log.1")
        self.append(
            '{"time":"2026-03-01T00:00:01Z","msg":"b"}\n'
            '{"time":"2026-03-01T00:00:01Z","msg":"c","took":1.5,"new":[1]}\n')
        with Logs(path=str(self.path)) as logs:
            self.assertEqual(logs.columns, ["time", "message", "took", "new", "user", "other", "line"])
            logs.settled(2)
            self.assertEqual(logs.all()[0][2:], ["c", 1.5, "[1]", None, None, 2])

    def test_damaged_part_is_reported_and_its_valid_lines_shown(self):
        whole = gzip.compress(lines(range(3_000)).encode())
        self.append(whole[: len(whole) // 2], self.folder / "app.log.1.gz")
        self.append(lines(range(3)))
        with Logs(path=str(self.path), parts=True) as logs:
            logs.has_logged("app.log.1.gz: unexpected end of file")
            self.assertGreater(len(self.messages(logs)), 100)

    def test_files_of_a_pattern_are_read_in_natural_name_order(self):
        for number in (2, 10, 1):
            self.append(lines(range(number * 10, number * 10 + 10)), self.folder / f"web{number}.log")
        with Logs(path=str(self.folder / "web*.log")) as logs:
            self.expect(logs, [*range(10, 30), *range(100, 110)])
            self.append(lines(range(30, 33)), self.folder / "web3.log")
            self.expect(logs, [*range(10, 33), *range(100, 110)])


class WholeTests(Folder):
    """Answers during a rotation: each has all lines, none of them twice, under the same keys."""

    def look_until(self, logs, count, files, size=500):
        """Reads again and again, until so many lines are in these files."""
        place, deadline = logs.columns.index("file") + 1, time.monotonic() + PATIENCE
        message, least = logs.columns.index("message") + 1, 0
        while True:
            rows = logs.all(size=lambda: size)
            found = [row[message] for row in rows]
            self.assertEqual(found, [f"line {number}" for number in reversed(range(len(rows)))])
            self.assertGreaterEqual(len(rows), least)
            least = len(rows)
            for row in rows:
                self.assertEqual(self.keys.setdefault(row[message], row[0]), row[0], f"the key of {row[message]}")
            if least == count and {row[place] for row in rows} == files:
                return
            self.assertLess(time.monotonic(), deadline, f"{least} lines in {files}")

    def compress(self, settings, size=500):
        """Rotates a file and compresses its parts, and reads it meanwhile."""
        self.keys = {}
        self.append(lines(range(10)))
        with Logs(path=str(self.path), parts=True, **settings) as logs:
            self.look_until(logs, 10, {"app.log"}, size)
            files = {"app.log"}
            for turn in range(1, 4):
                os.rename(self.path, self.folder / "app.log.1")
                self.append(lines(range(turn * 10, turn * 10 + 10)))
                self.look_until(logs, turn * 10 + 10, files | {"app.log.1"}, size)
                for part in range(turn, 1, -1):
                    os.rename(self.folder / f"app.log.{part}.gz", self.folder / f"app.log.{part + 1}.gz")
                text = (self.folder / "app.log.1").read_bytes()
                self.append(gzip.compress(text), self.folder / "app.log.2.gz.new")
                os.rename(self.folder / "app.log.2.gz.new", self.folder / "app.log.2.gz")
                os.unlink(self.folder / "app.log.1")
                files.add(f"app.log.{turn + 1}.gz")
                self.look_until(logs, turn * 10 + 10, files, size)

    def test_no_line_is_missing_while_a_part_is_compressed(self):
        self.compress({})

    def test_no_line_is_missing_from_blocks_while_a_part_is_compressed(self):
        self.compress({}, size=3)

    def test_no_line_is_missing_from_merged_files_that_are_compressed(self):
        self.compress({"merge": True})

    def truncate(self, settings, size=500):
        """Copies and truncates a file, and reads it meanwhile."""
        self.keys = {}
        self.append(lines(range(300)))
        with Logs(path=str(self.path), parts=True, **settings) as logs:
            self.look_until(logs, 300, {"app.log"}, size)
            files, count = {"app.log"}, 300
            # More bytes than before, and fewer.
            for turn, added in enumerate([400, 70, 30, 500, 3], 1):
                for part in range(turn - 1, 0, -1):
                    os.rename(self.folder / f"app.log.{part}", self.folder / f"app.log.{part + 1}")
                # In two pieces, as a copy of a large file is written.
                text = self.path.read_bytes()
                self.append(text[:100], self.folder / "app.log.1")
                self.append(text[100:], self.folder / "app.log.1")
                os.truncate(self.path, 0)
                self.append(lines(range(count, count + added)))
                count += added
                files.add(f"app.log.{turn}")
                self.look_until(logs, count, files, size)

    def test_no_line_is_missing_while_a_file_is_truncated(self):
        self.truncate({})

    def test_no_line_is_missing_from_blocks_while_a_file_is_truncated(self):
        self.truncate({}, size=130)

    def test_no_line_is_missing_from_merged_files_that_are_truncated(self):
        self.truncate({"merge": True})


class MergeTests(Folder):
    def test_merged_files_are_in_time_order(self):
        random = seeded(self)
        names = [f"{name}.log" for name in "abc"]
        for name in names:
            self.append(write(random, "iso", random.choice([30, 1_500])), self.folder / name)
        with Logs(path=str(self.folder / "*.log"), merge=True) as logs:
            columns, rows = logs.columns, []
            for place, name in enumerate(names):
                latest = float("-inf")
                for offset, cells in read((self.folder / name).read_bytes(), "iso", columns):
                    cells[columns.index("file")] = name
                    latest = max(latest, float(cells[0]) if cells[0] is not None else latest)
                    rows.append(((latest, place, offset), cells))
            expected = [cells for _, cells in sorted(rows, key=lambda row: row[0])]
            logs.settled(len(expected))
            self.assertEqual([row[1:] for row in logs.all(lambda: random.randrange(1, 400))], expected[::-1])
            for _ in range(15):
                skip = random.randrange(len(expected) + 10)
                page = logs.page(skip=skip, count=40)
                self.assertEqual([row[1:] for row in page["rows"]], expected[::-1][skip : skip + 40])
                if page["rows"]:
                    after = logs.page(after=page["end"], skip=7, count=5)
                    self.assertEqual([row[1:] for row in after["rows"]], expected[::-1][skip + 47 : skip + 52])
            found = [row for row in expected if "refused" in row[2]]
            logs.settled(len(found), search="refused")
            self.assertEqual([row[1:] for row in logs.all(search="refused")], found[::-1])
            skip = random.randrange(len(found) + 1)
            self.assertEqual(
                [row[1:] for row in logs.page(search="refused", skip=skip, count=20)["rows"]],
                found[::-1][skip : skip + 20])


class TimeTests(Folder):
    def test_rows_sort_by_time_and_line_in_all_directions(self):
        random = seeded(self)
        second, data = 0, []
        for number in range(4_000):
            second += random.random() < 0.01
            data.append(
                f"2026-03-01 {second // 3600:02}:{second // 60 % 60:02}:{second % 60:02} INFO line "
                f"{number} {random.choice(['yes', 'no'])}\n")
        self.append("".join(data))
        with Logs(path=str(self.path)) as logs:
            # Line numbers are estimates until the index is complete.
            rows = logs.until(
                lambda: [[row[1], row[-1]] for row in logs.all(sort=[{"column": "line"}])],
                lambda rows: [line for _, line in rows] == list(range(1, 4_001)))
            for time in (False, True):
                for place in (False, True):
                    sort = [{"column": "time", "descending": time}, {"column": "line", "descending": place}]
                    expected = sorted(rows, key=lambda row: (-row[0] if time else row[0], -row[1] if place else row[1]))
                    found = [[row[1], row[-1]] for row in logs.all(lambda: random.randrange(1, 300), sort=sort)]
                    self.assertEqual(found, expected)
                    skip = random.randrange(4_000)
                    page = logs.page(sort=sort, skip=skip, count=50)
                    self.assertEqual([[row[1], row[-1]] for row in page["rows"]], expected[skip : skip + 50])

    def test_sort_by_decreasing_times_is_an_error(self):
        self.append(lines([5, 3]))
        with Logs(path=str(self.path)) as logs:

            def refusal():
                try:
                    return logs.page(sort=[{"column": "time"}])
                except Failed as error:
                    return str(error)

            # Times are known once the index has them; the number of rows may be right before.
            logs.until(refusal, lambda found: "sort by line instead" in found)

    def test_time_range_filter_returns_exact_lines(self):
        self.append(
            "".join(
                f"2026-03-{number // 3000 + 1:02}T00:{number // 60 % 60:02}:{number % 60:02}Z INFO "
                f"line {number}\n"
                for number in range(0, 30_000)))
        with Logs(path=str(self.path)) as logs:
            logs.settled(30_000)
            begin = 1_772_582_400_000  # March 4
            query = {"filter": {"column": "time", "op": "range", "from": begin, "through": begin + 9_000}}
            found = self.messages(logs, **query)
            self.assertEqual(found, [f"line {number}" for number in range(11_999, 8_999, -1) if number % 3600 < 10])


class RefusalTests(Folder):
    def refused(self, part, **settings):
        with Logs(**settings) as logs:
            logs.wait(lambda: logs.refusal, "a refusal")
            self.assertIn(part, logs.refusal["reason"])

    def test_invalid_settings_are_refused_with_reason(self):
        self.refused("is a folder", path=str(self.folder))
        self.append(bytes(range(256)) * 20)
        self.refused("not a text file", path=str(self.path))
        self.refused("relative", path="app.log")
        self.refused("either path", path="/x", command="y")
        self.append(lines(range(3)), self.folder / "b.log")
        self.refused("not a pattern of RE2", path=str(self.folder / "b.log"), pattern="(")
        self.refused("is not a zone", path=str(self.path), zone="Mars")
        self.refused("is not a file", path="/dev/null")


class OtherTests(Folder):
    def test_named_groups_of_pattern_become_columns(self):
        self.append(
            "".join(
                f"{number}|E|2026-03-01 00:00:{number:02}|it is {number}\n  more\n"
                for number in range(20))
            + "other\n")
        with Logs(path=str(self.path), pattern=r"^(?<id>\d+)\|(?<level>\w)\|(?<time>[^|]+)\|(?<message>.*)$") as logs:
            self.assertEqual(logs.columns, ["time", "level", "message", "id", "line"])
            rows = logs.all(sort=[{"column": "line"}])
            self.assertEqual(rows[3][2:], ["E", "it is 3\n  more", 3, 7])
            self.assertEqual(rows[20][1:], [None, None, "other", None, 41])

    def test_time_is_taken_from_field_with_plausible_times(self):
        self.append(
            '{"time":0.25,"ts":1772323200.5,"level":50,"msg":"a"}\n'
            '{"time":3,"ts":1772323201,"level":30,"msg":"b","more":null}\nbroken {\n')
        with Logs(path=str(self.path)) as logs:
            self.assertEqual(logs.columns, ["time", "level", "message", "time_2", "more", "other", "line"])
            expected = [
                [1772323200500, "error", "a", 0.25, None, None, 1],
                [1772323201000, "info", "b", 3, None, None, 2],
                [None, None, "broken {"] + [None] * 3 + [3]]
            self.assertEqual([row[1:] for row in logs.all(sort=[{"column": "line"}])], expected)

    def test_long_lines_are_cut_with_note_and_not_searched_beyond(self):
        self.append(line(1, " " + "x" * 300_000 + "needle") + line(2))
        with Logs(path=str(self.path), limit=500) as logs:
            logs.settled(2)
            self.assertRegex(self.messages(logs)[1], "^line 1 x{400,500} … [(]cut after 500 bytes[)]$")
            logs.settled(0, search="needle")
            logs.settled(1, search="line 2")

    def test_command_output_is_shown_and_followed(self):
        self.append(lines(range(4_000)))
        with Logs(command=f"cat {self.path}; echo {line(4_000)[:-1]!r}; tail -n 1 -f {self.path}") as logs:
            self.expect(logs, [*range(4_001), 3_999])
            self.append(line(4_001))
            self.expect(logs, [*range(4_001), 3_999, 4_001])

    def test_failed_command_is_run_again(self):
        with Logs(command=f"echo '{line(1)[:-1]}'; exit 3") as logs:
            logs.has_logged("ended with code 3")
            logs.settled(2)

    def test_queries_are_answered_after_300_cancelled_ones(self):
        self.append(lines(range(3_000)))
        with Logs(path=str(self.path)) as logs:
            for number in range(300):
                identity = logs.ask(search=f"nothing {number}")
                logs.send(type="cancel", queries=[identity])
            self.expect(logs, range(3_000))
            logs.settled(1, search="line 2999")

    def test_memory_for_large_file_stays_below_24_mib(self):
        block = lines(range(3_600)).encode() * 20
        with open(self.path, "wb") as file:
            for _ in range(128):
                file.write(block)
        with Logs(path=str(self.path)) as logs:
            logs.settled(3_600 * 20 * 128)
            logs.settled(20 * 128, search="line 3599")
            status = pathlib.Path(f"/proc/{logs.process.pid}/status").read_text()
            resident = int(status.split("VmHWM:")[1].split()[0]) * 1024
            self.assertLess(resident, 24 << 20)


if __name__ == "__main__":
    unittest.main()
