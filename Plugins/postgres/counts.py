"""The number of rows of queries, kept so that a page does not wait for it after every change."""

import threading
import time
from collections import OrderedDict, namedtuple

from database import run

#: A count, the generation of the data that it belongs to, and its cost in seconds.
Known = namedtuple("Known", "generation rows cost")

KEPT = 100
#: Counts that cost less, in seconds, are repeated at once after each change.
CHEAP = 0.02


class Counts:
    """Counts by query.

    A cheap count is repeated for each answer after a change. A dear one is counted once for an
    answer. After a change the answers have the count from before it, a thread counts again, and
    `changed` is called when the count differs.
    """

    def __init__(self, database, source, changed, is_estimated, log):
        self.database, self.source, self.changed, self.is_estimated, self.log = (
            database,
            source,
            changed,
            is_estimated,
            log,
        )
        self.generation = 0
        self.known = OrderedDict()
        self.waiting = OrderedDict()
        self.counting = set()
        self.change = threading.Condition()
        threading.Thread(target=self.work, daemon=True).start()

    def age(self):
        """The data has changed."""
        with self.change:
            self.generation += 1

    def tell(self, where, cursor):
        """Returns the number of rows now, or before the last change, or an estimate."""
        with self.change:
            while True:
                known = self.known.get(where.identity)
                if known is not None and (known.generation == self.generation or known.cost >= CHEAP):
                    self.known.move_to_end(where.identity)
                    if known.generation != self.generation:
                        self.ask(where)
                    return known.rows
                if self.is_estimated and known is None:
                    break
                if where.identity not in self.counting:
                    break
                self.change.wait(1)
            generation = self.generation
            if not self.is_estimated or known is not None:
                self.counting.add(where.identity)
        if self.is_estimated and known is None:
            return self.estimate(where, cursor)
        try:
            self.keep(where, self.counted(cursor, where, generation))
        finally:
            with self.change:
                self.counting.discard(where.identity)
                self.change.notify_all()
        with self.change:
            return self.known[where.identity].rows

    def estimate(self, where, cursor):
        clause, values = where.joined()
        plan = run(cursor, f"EXPLAIN (FORMAT JSON) SELECT FROM {self.source.sql}{clause}", values).fetchone()[0]
        rows = plan[0]["Plan"]["Plan Rows"]
        if rows < 10_000:
            with self.change:
                generation = self.generation
            known = self.counted(cursor, where, generation)
            self.keep(where, known)
            return known.rows
        with self.change:
            self.ask(where)
        return int(rows)

    def counted(self, cursor, where, generation):
        clause, values = where.joined()
        began = time.monotonic()
        rows = run(cursor, f"SELECT count(*) FROM {self.source.sql}{clause}", values).fetchone()[0]
        return Known(generation, rows, time.monotonic() - began)

    def ask(self, where):
        """Queues a count, the latest last; the oldest of too many is dropped. The lock is held."""
        self.waiting[where.identity] = where
        self.waiting.move_to_end(where.identity)
        if len(self.waiting) > KEPT:
            self.waiting.popitem(last=False)
        self.change.notify_all()

    def keep(self, where, known):
        """Stores a count and returns the number of rows before, None if there was none."""
        with self.change:
            before = self.known.get(where.identity)
            self.known[where.identity] = known
            self.known.move_to_end(where.identity)
            if len(self.known) > KEPT:
                self.known.popitem(last=False)
            self.change.notify_all()
            return None if before is None else before.rows

    def work(self):
        connection = None
        while True:
            with self.change:
                while not self.waiting:
                    self.change.wait()
                _, where = self.waiting.popitem(last=False)
                known = self.known.get(where.identity)
                generation = self.generation
                if known is not None and known.generation == generation or where.identity in self.counting:
                    continue
                if known is None:
                    self.counting.add(where.identity)
            began = time.monotonic()
            try:
                connection = connection or self.database.connect()
                with connection.cursor() as cursor:
                    before = self.keep(where, self.counted(cursor, where, generation))
                connection.rollback()
                if (before is not None or self.is_estimated) and before != self.known[where.identity].rows:
                    self.changed()
            except Exception as error:  # noqa: BLE001 - the thread must go on
                self.log.write("warning", f"counting rows failed: {self.database.reason(error)}", topic="count")
                if connection is not None:
                    connection.close()
                connection = None
            finally:
                with self.change:
                    self.counting.discard(where.identity)
                    self.change.notify_all()
            # Counting takes at most a tenth of the time, however often the data changes.
            time.sleep(min(60, 9 * (time.monotonic() - began)))
