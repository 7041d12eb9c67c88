"""Threads that answer queries, and their cancellation."""

import threading
import time

import duckdb

from columns import Unreadable, encoded
from snapshot import short


class Job:
    """A query that a worker answers."""

    def __init__(self, number):
        self.id, self.cursor, self.is_cancelled, self.is_late = number, None, False, False
        self.began = time.monotonic()


class Workers:
    """Answers queries, the first asked first. Cancelled queries are not answered."""

    def __init__(self, number, timeout, send, current):
        self.timeout, self.send, self.current = timeout, send, current
        self.waiting, self.running = [], {}
        self.change = threading.Condition()
        for _ in range(number):
            threading.Thread(target=self.work, daemon=True).start()

    def ask(self, query):
        with self.change:
            self.waiting.append(query)
            self.change.notify()

    def cancel(self, ids):
        ids = set(ids)
        with self.change:
            self.waiting = [query for query in self.waiting if query["id"] not in ids]
            for job in self.running.values():
                if job.id in ids:
                    job.is_cancelled = True
                    self.interrupt(job)

    def interrupt_late(self):
        """Interrupts the statements of cancelled queries and those beyond the time limit.

        An interrupt between two statements has no effect, hence the repetition.
        """
        with self.change:
            for job in self.running.values():
                if job.is_cancelled:
                    self.interrupt(job)
                elif job.cursor is not None and time.monotonic() - job.began > self.timeout:
                    job.is_late = True
                    self.interrupt(job)

    @staticmethod
    def interrupt(job):
        if job.cursor is not None:
            job.cursor.interrupt()

    def work(self):
        while True:
            with self.change:
                while not self.waiting:
                    self.change.wait()
                query = self.waiting.pop(0)
                job = self.running[query["id"]] = Job(query["id"])
            answer = self.answer(query, job)
            with self.change:
                del self.running[query["id"]]
            if not job.is_cancelled:
                rows = answer.pop("rows", None)
                line = encoded({"type": "page", "id": query["id"], **answer})
                # The rows were encoded before, to measure their length.
                self.send(line if rows is None else f'{line[:-1]},"rows":[{",".join(rows)}]}}')

    def answer(self, query, job):
        try:
            reader, cursor = self.opened(job)
            if not reader.snapshot.ready.is_set():
                if reader.snapshot.error:
                    return {"error": reader.snapshot.error}
                early = reader.early(cursor, query)
                if early is not None:
                    return early
                while not reader.snapshot.ready.wait(0.1):
                    if job.is_cancelled:
                        return {}
                    if reader.snapshot.error:
                        return {"error": reader.snapshot.error}
                    if reader.snapshot.is_closed:
                        reader, cursor = self.opened(job)
            job.began = time.monotonic()
            return reader.answer(cursor, query)
        except Unreadable as error:
            return {"error": str(error)}
        except duckdb.InterruptException:
            if job.is_late:
                return {"error": f"DuckDB took longer than {self.timeout:g} s (setting timeout)"}
            return {"error": "interrupted"}
        except Exception as error:  # noqa: BLE001 - a worker that ends would answer nothing any more
            return {"error": f"{type(error).__name__}: {short(error)}"}
        finally:
            with self.change:
                cursor, job.cursor = job.cursor, None
            if cursor is not None:
                cursor.close()

    def opened(self, job):
        reader = self.current()
        try:
            cursor = reader.snapshot.connection.cursor()
        except duckdb.Error:
            reader = self.current()  # the snapshot was replaced in between
            cursor = reader.snapshot.connection.cursor()
        with self.change:
            job.cursor = cursor
        return reader, cursor
