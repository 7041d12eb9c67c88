"""A page without a browser that measures windowed sources with the table `quotes`."""

import asyncio
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/Long"))
from replica import Replica  # noqa: E402
from viewer import Viewer  # noqa: E402

SEEN = 40
COLUMNS = "id, symbol, sector, price, size, ts, side, note"


class Page:
    """A page that looks at SEEN rows, and waits until they are there."""

    def __init__(self):
        self.replica = Replica()
        self.request = 1
        self.items = []
        self.message = None
        self.first = 0
        self.is_grouped = False
        self.news = asyncio.Event()
        self.fault = None

    async def open(self, port, first=0):
        self.first = first
        self.viewer = await Viewer.connect(port, on_message=self.receive, count=SEEN, interval=0, first=first)
        return self

    def receive(self, _, message):
        try:
            if message["type"] == "error":
                self.fault = message
            if message["type"] in ("window", "patch"):
                self.message = message
                # For sections the first window suffices: it has the headers and their row counts.
                if self.is_grouped and message["request"] == self.request:
                    self.items = (
                        message.get("items") or [item for *_, item in message.get("inserted", [])] or self.items
                    )
                else:
                    self.replica.apply(message)
                    self.items = self.replica.rows
        except Exception as error:  # noqa: BLE001: reported by the waiting caller
            self.fault = error
        self.news.set()

    def ask(self, query):
        self.request += 1
        self.first = 0
        self.is_grouped = "group" in query
        self.viewer.send({"type": "query", "request": self.request, "query": query, "viewport": self.sight(0)})

    def scroll(self, first):
        self.first = first
        self.viewer.send({"type": "viewport", "seq": self.viewer.sequence, **self.sight(first)})

    @staticmethod
    def sight(first):
        return {"first": first, "count": SEEN, "ahead": 40, "behind": 20}

    def seen(self):
        """The rows in sight; None as long as one is missing."""
        if self.message is None or self.message["request"] != self.request:
            return None
        if self.is_grouped:
            return self.items if any(isinstance(item, dict) for item in self.items) else None
        start = self.message["start"]
        rows = self.items[max(0, self.first - start) : self.first - start + SEEN]
        if self.first < start or len(rows) < min(SEEN, self.message["total"] - self.first):
            return None
        # The cells of a row that is not loaded are an object, whose member names the replica
        # stores.
        return rows if all(len(row[2]) == len(COLUMNS.split()) for row in rows) else None

    async def until(self, is_done, patience):
        end = time.monotonic() + patience
        while not is_done():
            if self.fault is not None:
                raise RuntimeError(f"the server said {self.fault}")
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), max(0.01, end - time.monotonic()))
