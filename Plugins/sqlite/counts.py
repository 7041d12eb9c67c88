"""How many rows the queries of a SQLite file have, without making a page wait for it after every change."""

import sqlite3
import threading
import time
from collections import OrderedDict, namedtuple

#: A count, the file version it belongs to, and its cost in CPU seconds.
Known = namedtuple("Known", "version rows cost")

KEPT = 100
#: Counts that cost less, in CPU seconds, are repeated at once after each change.
CHEAP = 0.02


def counted(connection, source, where):
    """How many rows there are, and what it cost: of a processor, so that a busy machine makes nothing dear."""
    began = time.thread_time()
    rows = connection.execute(f"SELECT count(*) FROM {source}{where.clause}", where.values).fetchone()[0]
    return rows, time.thread_time() - began


class Counts:
    """Counts by query. What is dear is counted once for an answer, and from then on beside the answers: after a change they tell the count
    before it, and `changed` is called when there is another one."""

    def __init__(self, connection, source, changed):
        self.connection, self.source, self.changed = connection, source, changed
        self.known = OrderedDict()
        self.waiting = OrderedDict()
        self.change = threading.Condition()
        threading.Thread(target=self.work, daemon=True).start()

    def tell(self, where, version, connection):
        """How many rows a query has at a version of the file, or had before it."""
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
        """Has it counted when its turn has come; of too many those that were asked for last."""
        self.waiting[where.identity] = (where, version)
        self.waiting.move_to_end(where.identity)
        if len(self.waiting) > KEPT:
            self.waiting.popitem(last=False)
        self.change.notify()

    def keep(self, where, known):
        """The rows that were told before, if any were."""
        with self.change:
            before = self.known.get(where.identity)
            self.known[where.identity] = known
            self.known.move_to_end(where.identity)
            if len(self.known) > KEPT:
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
                # The rows are at least as new as the version, which was read before.
                rows, cost = counted(self.connection, self.source, where)
            except sqlite3.Error:
                continue  # locked, or changed; the next request tries again
            if self.keep(where, Known(version, rows, cost)) != rows:
                self.changed()
            # Counting takes at most half of the time, however often the file changes.
            time.sleep(min(10, time.monotonic() - began))
