"""Places far from the beginning of an order."""

import threading
from collections import OrderedDict

from database import run
from statements import Cursor

KEPT = 100


class Jumps:
    """Finds the place that follows a number of rows.

    The host asks for several blocks around a jump at once. The first request finds the place, the
    others wait for it; it is known until the data changes.
    """

    def __init__(self, statements, counts):
        self.statements, self.counts = statements, counts
        self.known = OrderedDict()
        self.finding = set()
        self.change = threading.Condition()

    def place(self, cursor, where, order, after, skip):
        """Returns a cursor before the row that follows `skip` others, None if there are not as many."""
        identity = (where.identity, tuple((term.ordered, term.descending) for term in order), repr(after), skip)
        with self.change:
            while identity in self.finding:
                self.change.wait(1)
            generation = self.counts.generation
            found = self.known.get(identity)
            if found is not None and found[0] == generation:
                return found[1]
            self.finding.add(identity)
        try:
            place = self.find(cursor, where, order, after, skip)
            with self.change:
                self.known[identity] = (generation, place)
                self.known.move_to_end(identity)
                if len(self.known) > KEPT:
                    self.known.popitem(last=False)
            return place
        finally:
            with self.change:
                self.finding.discard(identity)
                self.change.notify_all()

    def find(self, cursor, where, order, after, skip):
        # Only the order's columns are read, so that an index alone can serve it; the outer statement
        # makes the place of one row.
        columns = ", ".join(OrderedDict.fromkeys(term.column.raw for term in order))
        places = ", ".join(term.place for term in order)
        source = self.statements.source.sql
        for part in self.statements.parts(order, after):
            clause, values = where.joined(part.conditions, part.values)
            inner = f"SELECT {columns} FROM {source}{clause}{part.order} LIMIT 1 OFFSET %s"
            found = run(cursor, f"SELECT {places} FROM ({inner}) AS s", values + [skip]).fetchone()
            if found is not None:
                return Cursor(found, True)
            skip -= run(cursor, f"SELECT count(*) FROM {source}{clause}", values).fetchone()[0]
        return None
