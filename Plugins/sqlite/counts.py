"""Row counts of queries on a SQLite file, repeated in the background after changes."""

import sqlite3
import threading
import time
from collections import OrderedDict, namedtuple

#: A count, the file version it belongs to, and its cost in CPU seconds.
Known = namedtuple("Known", "version rows cost")

CACHED = 100
#: Counts that cost less than this, in CPU seconds, are repeated immediately after each change.
CHEAP = 0.02


def counted(connection, source, where):
    """Returns the number of rows and the CPU seconds the count took.

    CPU time does not depend on the load of the machine.
    """
    began = time.thread_time()
    rows = connection.execute(f"SELECT count(*) FROM {source}{where.clause}", where.values).fetchone()[0]
    return rows, time.thread_time() - began


class Counts:
    """Row counts by query.

    The first count of a query is exact. After a change, an expensive count is repeated in the
    background. Until it is done, answers have the previous count; then `changed` is called.
    """

    def __init__(self, connection, source, changed):
        self.connection, self.source, self.changed = connection, source, changed
        self.known = OrderedDict()
        self.waiting = OrderedDict()
        self.change = threading.Condition()
        threading.Thread(target=self.work, daemon=True).start()

    def tell(self, where, version, connection):
        """Returns the row count of a query at a version of the file, or an earlier count."""
        with self.change:
            known = self.known.get(where.identity)
            if known is not None and (known.version == version or known.cost >= CHEAP):
                self.known.move_to_end(where.identity)
                if known.version != version:
                    self.ask(where, version)
                return known.rows
        known = Known(version, *counted(connection, self.source, where))
        self.keep(where, known)
        return known.rows

    def ask(self, where, version):
        """Enqueues a background count. If too many are waiting, the oldest are dropped."""
        self.waiting[where.identity] = (where, version)
        self.waiting.move_to_end(where.identity)
        if len(self.waiting) > CACHED:
            self.waiting.popitem(last=False)
        self.change.notify()

    def keep(self, where, known):
        """Stores a count. Returns the previously reported number of rows, or None."""
        with self.change:
            before = self.known.get(where.identity)
            self.known[where.identity] = known
            self.known.move_to_end(where.identity)
            if len(self.known) > CACHED:
                self.known.popitem(last=False)
            return None if before is None else before.rows

    def is_known(self, where, version):
        known = self.known.get(where.identity)
        return known is not None and known.version == version

    def work(self):
        while True:
            with self.change:
                while not self.waiting:
                    self.change.wait()
                _, (where, version) = self.waiting.popitem(last=False)
                if self.is_known(where, version):
                    continue  # requested again during the count
            began = time.monotonic()
            try:
                # The rows are at least as new as the version, because the version was read first.
                rows, cost = counted(self.connection, self.source, where)
            except sqlite3.Error:
                continue  # locked, or changed; the next request tries again
            if self.keep(where, Known(version, rows, cost)) != rows:
                self.changed()
            # Counting takes at most half of the time, however often the file changes.
            time.sleep(min(10, time.monotonic() - began))
