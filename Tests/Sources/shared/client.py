"""A client of a server with one table, on asyncio."""

import asyncio
import time

from replica import Replica
from viewer import Viewer


class Client:
    """A client of the protocol with a copy of its window, and the reported states of the source."""

    def __init__(self):
        self.replica, self.states, self.news = Replica(), [], asyncio.Event()
        self.sources, self.count = [], None

    async def open(self, port, **options):
        self.viewer = await Viewer.connect(port, on_message=self.receive, interval=0, **options)
        return self

    def receive(self, _, message):
        if message["type"] in ("window", "patch"):
            self.replica.apply(message)
            self.count = message["rows"]
        elif message["type"] == "status":
            self.states.append(message["source"])
        elif message["type"] in ("hello", "sources"):
            self.sources = message.get("sources", [])
        self.news.set()

    @property
    def cells(self):
        """The cells of each row in the window; none for a row that is not loaded."""
        return [row[2] for row in self.replica.rows]

    async def until(self, is_done, patience=120):
        """Waits until a function returns a true value, and returns this value."""
        end = time.monotonic() + patience
        while not (found := is_done()):
            self.news.clear()
            try:
                await asyncio.wait_for(self.news.wait(), max(0.01, end - time.monotonic()))
            except asyncio.TimeoutError:
                raise AssertionError(f"waited in vain; rows {self.cells[:5]}, states {self.states[-2:]}") from None
        return found
