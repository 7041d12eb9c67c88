"""The number of rows of queries, kept so that a page does not wait for it after every change."""

import threading
import time
from collections import OrderedDict, namedtuple

from database import run

#: A count, the generation of the data that it belongs to, and its cost in seconds.
Known = namedtuple("Known", "generation rows cost")

CACHED = 100
#: Counts that cost less, in seconds, are repeated at once after each change.
CHEAP = 0.02
#: Counts with a lower planned cost are made at once. PostgreSQL's unit is about 10 µs.
CHEAP_PLAN = 2_000


class Counts:
    """Counts by query.

    A cheap count is repeated for each answer after a change. Of a dear one, answers have the
    planner's estimate until a thread has counted. After a change they have the count from before
    it, and the thread counts again. `changed` is called when an answer would have another count.
    With `is_estimated`, dear counts are never made.
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
        #: The queries with answers that have an estimate.
        self.estimated = set()
        self.change = threading.Condition()
        threading.Thread(target=self.work, daemon=True).start()

    def age(self):
        """The data has changed."""
        with self.change:
            self.generation += 1

    def tell(self, where, cursor):
        """The number of rows, now or before the last change, and whether it is an estimate."""
        with self.change:
            known = self.known.get(where.identity)
            if known is not None and (known.generation == self.generation or known.cost >= CHEAP):
                self.known.move_to_end(where.identity)
                if known.generation != self.generation:
                    self.ask(where)
                return known.rows, False
            generation = self.generation
        clause, values = where.joined()
        if known is None:
            plan = run(cursor, f"EXPLAIN (FORMAT JSON) SELECT FROM {self.source.sql}{clause}", values).fetchone()[0]
            if plan[0]["Plan"]["Total Cost"] >= CHEAP_PLAN:
                if not self.is_estimated:
                    with self.change:
                        counted = self.known.get(where.identity)  # by the thread meanwhile
                        if counted is not None:
                            return counted.rows, False
                        self.estimated.add(where.identity)
                        self.ask(where)
                return int(plan[0]["Plan"]["Plan Rows"]), True
        known = self.counted(cursor, where, generation)
        self.keep(where, known)
        return known.rows, False

    def counted(self, cursor, where, generation):
        clause, values = where.joined()
        began = time.monotonic()
        rows = run(cursor, f"SELECT count(*) FROM {self.source.sql}{clause}", values).fetchone()[0]
        return Known(generation, rows, time.monotonic() - began)

    def ask(self, where):
        """Queues a count, the latest last; the oldest of too many is dropped. The lock is held."""
        self.waiting[where.identity] = where
        self.waiting.move_to_end(where.identity)
        if len(self.waiting) > CACHED:
            self.estimated.discard(self.waiting.popitem(last=False)[0])
        self.change.notify_all()

    def keep(self, where, known):
        """Stores a count and returns whether answers had another number, or an estimate."""
        with self.change:
            before = self.known.get(where.identity)
            self.known[where.identity] = known
            self.known.move_to_end(where.identity)
            if len(self.known) > CACHED:
                self.known.popitem(last=False)
            was_estimated = where.identity in self.estimated
            self.estimated.discard(where.identity)
            return was_estimated or before is not None and before.rows != known.rows

    def next(self, rest):
        """The query to count; None before `rest` if no query is new. The lock is held."""
        fresh = [identity for identity in self.waiting if identity not in self.known]
        if fresh:
            return self.waiting.pop(fresh[-1])  # the latest is the one that somebody looks at
        if self.waiting and time.monotonic() >= rest:
            return self.waiting.popitem(last=False)[1]
        return None

    def work(self):
        connection, rest = None, 0
        while True:
            with self.change:
                while (where := self.next(rest)) is None:
                    self.change.wait(max(0, rest - time.monotonic()) if self.waiting else None)
                known = self.known.get(where.identity)
                generation = self.generation
                if known is not None and known.generation == generation:
                    continue
            began = time.monotonic()
            try:
                connection = connection or self.database.connect()
                with connection.cursor() as cursor:
                    differs = self.keep(where, self.counted(cursor, where, generation))
                connection.rollback()
                if differs:
                    self.changed()
            except Exception as error:  # noqa: BLE001 - the thread must go on
                self.log.write("warning", f"counting rows failed: {self.database.reason(error)}", topic="count")
                if connection is not None:
                    connection.close()
                connection = None
                with self.change:
                    self.estimated.discard(where.identity)
                time.sleep(min(60, 9 * (time.monotonic() - began)))
            # Repeating counts takes at most a tenth of the time, however often the data changes.
            rest = time.monotonic() + min(60, 9 * (time.monotonic() - began))
