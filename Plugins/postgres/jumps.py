"""Places far from the beginning of an order."""

import threading
from collections import OrderedDict

from columns import Unreadable
from database import run
from statements import LONG_VALUE, Cursor, digest

CACHED = 100
CACHED_CHARACTERS = 8_000_000


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
        """Returns a cursor before the row that follows `skip` others, None if it is missing."""
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
                if len(self.known) > CACHED:
                    self.known.popitem(last=False)
            return place
        finally:
            with self.change:
                self.finding.discard(identity)
                self.change.notify_all()

    def find(self, cursor, where, order, after, skip):
        # Only the order's columns are read, so that an index alone can serve it. The outer
        # statement makes the place of one row.
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


class LongValues:
    """Values that cursors name by their digest, because they are too long for one.

    The last ones are kept; others are read from the row of the cursor.
    """

    def __init__(self, source):
        self.source = source
        self.known = OrderedDict()
        self.size = 0
        self.lock = threading.Lock()

    def keep(self, values):
        with self.lock:
            for value in values:
                if value is None or len(value) <= LONG_VALUE:
                    continue
                name = digest(value)
                if name not in self.known:
                    self.size += len(value)
                self.known[name] = value
                self.known.move_to_end(name)
            while self.size > CACHED_CHARACTERS and len(self.known) > 1:
                self.size -= len(self.known.popitem(last=False)[1])

    def whole(self, cursor, order, place):
        """The place with its long values."""
        if place is None or not any(isinstance(value, list) for value in place.values):
            return place
        with self.lock:
            values = [self.known.get(value[0]) if isinstance(value, list) else value for value in place.values]
        missing = [
            number for number, value in enumerate(place.values) if isinstance(value, list) and values[number] is None
        ]
        if missing:
            found = self.read(cursor, order, place.values)
            for number in missing:
                if found is None or found[number] is None or digest(found[number]) != place.values[number][0]:
                    raise Unreadable("the row at this place has changed since; scroll to another place")
                values[number] = found[number]
        return Cursor(values, place.before)

    def read(self, cursor, order, values):
        """The values of the row whose key is in a place."""
        conditions, parameters = [], []
        for part in self.source.key:
            number = next(number for number, term in enumerate(order) if term.column.raw == part.raw)
            if isinstance(values[number], list):
                return None
            conditions.append(f"{part.raw} = %s::{part.cast}")
            parameters.append(values[number])
        places = ", ".join(term.place for term in order)
        return run(
            cursor, f"SELECT {places} FROM {self.source.sql} WHERE {' AND '.join(conditions)}", parameters
        ).fetchone()
