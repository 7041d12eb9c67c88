"""The list of tasks. Importing the modules with the tasks fills it."""

from dataclasses import dataclass
from typing import Callable


@dataclass
class Task:
    """A task of a user. `run(day, driver)` does it with a way's verbs and asserts the outcome."""

    title: str
    tables: tuple
    fragment: str
    run: Callable

    @property
    def name(self):
        return self.run.__name__


TASKS = []


def task(title, *tables, start=""):
    """Adds a task on these tables. The first is open, unless `start` is another fragment."""

    def add(run):
        TASKS.append(Task(title, tables, start, run))
        return run

    return add


def all_tasks():
    from tasks import acting, finding, looking, ordering  # noqa: F401

    return TASKS
