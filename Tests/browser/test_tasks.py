"""Eleven of the tasks of a user's day; `Tests/browser/tasks/run` does all thirty in each way."""

import unittest

from axe import axe_source
from browsers import shared_browser
from rowcast_server import ROOT
from tasks.catalog import all_tasks
from tasks.drivers import WAYS
from tasks.runner import do


class TasksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.axe = axe_source()
        cls.browser = shared_browser()

    def do(self, name, way):
        self.assertIsNotNone(self.axe, "axe-core is not installed: run scripts/setup test")
        task = next(task for task in all_tasks() if task.name == name)
        result = do(self.browser, task, next(one for one in WAYS if one.name == way), self.axe)
        self.maxDiff = None
        self.assertEqual(result["fault"], "")
        self.assertGreater(result["steps"], 0)

    def test_the_mouse_finds_the_users_with_the_most_memory(self):
        self.do("most_memory", "mouse")

    def test_the_mouse_saves_a_view(self):
        self.do("saved_view", "mouse")

    def test_the_mouse_groups_by_two_columns_and_collapses_all(self):
        self.do("two_levels", "mouse")

    def test_the_mouse_saves_the_rows_with_a_value(self):
        self.do("export", "mouse")

    def test_the_keyboard_pins_a_column_with_the_name(self):
        self.do("pin", "keyboard")

    def test_the_keyboard_filters_and_copies_a_link(self):
        self.do("failed_jobs", "keyboard")

    def test_keyboard_finds_third_match_and_filters_by_all_matches(self):
        self.do("find", "keyboard")

    def test_keyboard_counts_and_filters_by_facets(self):
        self.do("facets", "keyboard")

    def test_a_phone_runs_an_action_on_several_rows(self):
        self.do("run_again", "phone")

    def test_a_phone_adds_up_rows_and_copies_them(self):
        self.do("add_up", "phone")

    def test_a_phone_reads_a_chart(self):
        self.do("history", "phone")

    def test_the_document_lists_all_tasks(self):
        text = (ROOT / "docs/tasks.md").read_text(encoding="utf-8")
        tasks = all_tasks()
        self.assertEqual(len(tasks), 30)
        for number, task in enumerate(tasks, 1):
            self.assertIn(f"| {number} | {task.title} |", text)


if __name__ == "__main__":
    unittest.main()
