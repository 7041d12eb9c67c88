"""Files that change, shrink, break and vanish under the source."""

import os
import pathlib
import signal
import sys
import unittest

from program import PLUGIN
from test_pages import FilesCase

sys.path.append(str(PLUGIN.parent))
import snapshot  # noqa: E402


def states(program):
    return [message.get("message") for _, message in program.messages if message["type"] == "state"]


class LiveTests(FilesCase):
    def test_replaced_file_is_read_again(self):
        path = self.write(rows=500)
        program = self.started(path)
        self.assertEqual(program.page()["count"], 500)
        self.write(rows=20)
        program.until(program.changes)
        self.assertEqual(program.page()["count"], 20)

    def test_appended_csv_is_read_again(self):
        path = self.write("rows.csv", rows=50)
        program = self.started(path)
        self.assertEqual(program.page()["count"], 50)
        with open(path, "a") as file:
            file.write("50,name,1.5,3,2026-01-01 00:00:00,true\n")
        program.until(program.changes)
        self.assertEqual(program.page(skip=50)["rows"][0][:3], [50, 50, "name"])

    def test_file_may_grow_while_it_is_open_for_writing(self):
        path = self.write("rows.csv", rows=50)
        self.assertFalse(snapshot.may_grow(snapshot.signature([path])))
        with open(path, "a"):
            self.assertTrue(snapshot.may_grow(snapshot.signature([path])))
        with open(path):  # for reading only
            self.assertFalse(snapshot.may_grow(snapshot.signature([path])))
        os.utime(path, (1, 1))
        with open(path, "a"):  # long ago, as a log that is kept open
            self.assertFalse(snapshot.may_grow(snapshot.signature([path])))

    def test_new_file_that_matches_pattern_is_read(self):
        self.write("a1.parquet", 10)
        program = self.started(str(self.folder / "a*.parquet"))
        self.assertEqual(program.page()["count"], 10)
        self.write("a2.parquet", 5)
        program.until(program.changes)
        self.assertEqual(program.page()["count"], 15)

    def test_rows_are_kept_while_file_is_truncated(self):
        path = self.write(rows=500)
        program = self.started(path)
        program.until(lambda: any("500 rows of 1 file" in text for text in states(program)))
        self.assertEqual(program.page()["count"], 500)
        os.truncate(path, 100)
        program.until(lambda: any(text and "failed" in text for text in states(program)))
        self.assertEqual(program.page()["count"], 500)
        self.write(rows=30)
        program.until(program.changes)
        self.assertEqual(program.page()["count"], 30)
        program.until(lambda: "30 rows of 1 file" in states(program)[-1])

    def test_file_truncated_during_first_copy_is_retried(self):
        path = self.write(sql="SELECT i AS id, md5(i::VARCHAR) AS name FROM range(2000000) t(i)")
        program = self.started(path)
        program.page()
        os.truncate(path, 100)
        program.until(lambda: any("failed" in text for text in states(program)))
        self.write(sql="SELECT i AS id, md5(i::VARCHAR) AS name FROM range(30) t(i)")
        program.until(program.changes)
        self.assertEqual(program.page()["count"], 30)

    def test_rows_are_kept_after_file_is_deleted(self):
        path = self.write(rows=40)
        program = self.started(path)
        program.until(lambda: any("40 rows of 1 file" in text for text in states(program)))
        os.unlink(path)
        program.until(lambda: any(text and "no file matches" in text for text in states(program)))
        self.assertEqual(program.page()["count"], 40)

    def test_changed_columns_are_reported_and_rows_kept(self):
        path = self.write(rows=40)
        program = self.started(path)
        program.until(lambda: any("40 rows of 1 file" in text for text in states(program)))
        self.write(sql="SELECT 1 AS other")
        program.until(lambda: any(text and "columns" in text for text in states(program)))
        self.assertEqual(program.page()["count"], 40)

    def test_missing_or_corrupt_file_is_retried_until_valid(self):
        path = self.folder / "rows.parquet"
        program = self.started(str(path))
        self.assertIn("no file matches", states(program)[0])
        path.write_bytes(b"PAR1 nothing")
        program.until(lambda: any(text and "failed" in text for text in states(program)))
        self.write(rows=7)
        program.until(lambda: program.find("schema"))
        self.assertEqual(program.page()["count"], 7)

    def test_csv_error_names_line(self):
        path = self.write("rows.csv", rows=40_000)
        with open(path, "a") as file:
            file.write("x,name,1.5,3,2026-01-01 00:00:00,true\n")
        program = self.started(path)
        program.until(lambda: any("Line: 40002" in text for text in states(program)))

    def test_exceeded_disk_limit_names_setting(self):
        path = self.write(sql="SELECT hash(i) AS a, hash(i + 1) AS b, hash(i + 2) AS c FROM range(3000000) t(i)")
        program = self.started(path, disk=16)
        program.until(lambda: any(text and "setting disk" in text for text in states(program)), 40)

    def test_queries_are_answered_after_20_cancelled_ones(self):
        path = self.write(rows=300_000, sql="SELECT i AS id, md5(i::VARCHAR) AS name FROM range({rows}) t(i)")
        program = self.started(path)
        self.assertEqual(program.page()["count"], 300_000)
        asked = [
            program.ask(search=f"zz{number}", sort=[{"column": "name"}], rows={"skip": 5_000, "count": 10})
            for number in range(20)
        ]
        program.send(type="cancel", queries=asked)
        self.assertEqual(program.page(count=5)["count"], 300_000)
        self.assertEqual(program.page(sort=[{"column": "name"}], skip=200_000, count=5)["count"], 300_000)

    def test_temporary_folder_is_removed_after_kill_and_at_exit(self):
        path = self.write(rows=10)
        program = self.started(path)
        program.page()
        self.assertTrue(list(self.folder.glob("rowcast-duckdb-*")))
        program.process.send_signal(signal.SIGKILL)
        program.process.wait()
        again = self.started(path)
        again.page()
        self.assertEqual(len(list(self.folder.glob("rowcast-duckdb-*"))), 1)
        again.end()
        self.assertFalse(list(pathlib.Path(self.folder).glob("rowcast-duckdb-*")))


if __name__ == "__main__":
    unittest.main()
