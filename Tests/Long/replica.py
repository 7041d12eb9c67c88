"""A client's rows, as docs/protocol.md specifies.

It applies windows and patches, and verifies every count, index and digest.
"""


class Misfit(Exception):
    """A patch that is inconsistent with the replica."""


def _mix(h, v):
    h = ((h ^ (v & 0xFFFFFFFF)) * 0x9E3779B1) & 0xFFFFFFFF
    return h ^ (h >> 15)


class Replica:
    def __init__(self):
        self.epoch = None
        self.sequence = 0
        self.rows = []  # [id, rev, cells]
        self.start = self.total = 0

    def apply(self, message):
        if message["type"] == "window":
            self.rows = [[row[0], row[1], list(row[2])] for row in message["items"]]
        else:
            if message["epoch"] != self.epoch or message["base"] != self.sequence:
                raise Misfit(f"a patch of {message['epoch']} from {message['base']}, not {self.epoch} {self.sequence}")
            self._patch(message)
        self.epoch, self.sequence = message["epoch"], message["seq"]
        self.start, self.total = message["start"], message["total"]
        if self.digest() != message["digest"]:
            raise Misfit("the digest is another one")
        ids = [row[0] for row in self.rows]
        if len(set(ids)) != len(ids):
            raise Misfit("a row is there twice")

    def _patch(self, message):
        if message["before"] != len(self.rows):
            raise Misfit(f"{message['before']} rows before, not {len(self.rows)}")
        for index, rev, *cells in message.get("updated", []):
            row = self.rows[index]
            row[1] = rev
            for column, cell in zip(cells[::2], cells[1::2]):
                row[2][column] = cell
        result = [None] * message["after"]
        gone = {index for index, _ in message.get("removed", [])}
        for index, _, row in message.get("inserted", []):
            result[index] = [row[0], row[1], list(row[2])]
        for origin, to in message.get("moved", []):
            result[to] = self.rows[origin]
            gone.add(origin)
        rest = iter(row for index, row in enumerate(self.rows) if index not in gone)
        for index, row in enumerate(result):
            if row is None:
                result[index] = next(rest, None)
                if result[index] is None:
                    raise Misfit("too few rows are left")
        if next(rest, None) is not None:
            raise Misfit("too many rows are left")
        self.rows = result

    def digest(self):
        h = _mix(_mix(0x811C9DC5, self.start), self.total)
        for identity, revision, _ in self.rows:
            h = _mix(_mix(_mix(_mix(h, 1), identity), identity >> 32), revision)
        return h
