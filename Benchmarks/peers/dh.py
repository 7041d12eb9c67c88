"""Deephaven in the process, which needs a Java runtime of version 17: the last row of each key of a
stream, and a derived table for each window.

    dh.py w1|w2|w3 ROWS

A batch counts as done when the derived table has processed it and its first 60 rows are read. The
updates of the graph are as fast as the server allows (1 ms).
"""

import os
import sys
import threading
from importlib.metadata import version

from deephaven_server import Server

SETTINGS = {
    "http.host": "127.0.0.1", "AuthHandlers": "io.deephaven.auth.AnonymousAuthenticationHandler",
    "PeriodicUpdateGraph.targetCycleDurationMillis": 1,
    "QueryTable.memoizeResults": "false",  # the same query again would be free
}  # fmt: skip
MEMORY = ["-Xms1g", "-Xmx10g"]
server = Server("127.0.0.1", 0, jvm_args=[*MEMORY, *(f"-D{name}={value}" for name, value in SETTINGS.items())])
server.start()

# They can be imported only while a server runs.
import pyarrow
from deephaven import agg, arrow, dtypes
from deephaven.execution_context import get_exec_ctx
from deephaven.stream.table_publisher import table_publisher
from deephaven.table_listener import listen
from deephaven.update_graph import shared_lock

import quotes

TYPES = {
    "id": (pyarrow.int64(), dtypes.int64), "symbol": (pyarrow.string(), dtypes.string),
    "sector": (pyarrow.string(), dtypes.string), "price": (pyarrow.float64(), dtypes.double),
    "size": (pyarrow.int64(), dtypes.int64), "bid": (pyarrow.float64(), dtypes.double),
    "ask": (pyarrow.float64(), dtypes.double), "ts": (pyarrow.int64(), dtypes.int64),
    "side": (pyarrow.string(), dtypes.string), "note": (pyarrow.string(), dtypes.string),
}  # fmt: skip


def by_price(table):
    return table.sort_descending("price")


def sections(table, *columns):
    return table.agg_by([agg.sum_("size"), agg.avg("price")], by=list(columns)).sort(list(columns))


def sector(table):
    return by_price(table.where(f"sector = `{quotes.SECTORS[3]}`"))


# The derived table of each window, and the column that is compared, or none for sections.
TABLES = {
    "sort": (by_price, "price"),
    "filter": (sector, "price"),
    "group": (lambda table: sections(table, "sector"), None),
    quotes.BY_BID: (lambda table: table.sort("bid"), "bid"),
    quotes.BY_SYMBOL: (lambda table: table.sort("symbol"), "symbol"),
    quotes.BY_NOTE: (lambda table: table.sort("note"), "note"),
    quotes.SYMBOL_HAS_77: (lambda table: by_price(table.where("symbol.contains(`77`)")), "price"),
    quotes.NOTE_HAS_DEAD: (lambda table: by_price(table.where("note.contains(`dead`)")), "price"),
    quotes.ONE_SECTOR: (sector, "price"),
    quotes.BY_SECTOR: (lambda table: sections(table, "sector"), None),
    quotes.BY_BOTH: (lambda table: sections(table, "sector", "symbol"), None),
}


class Engine:
    def __init__(self):
        self.graph = get_exec_ctx().update_graph
        # The stream must outlive the table.
        self.stream, self.publisher = table_publisher("quotes", {name: kind for name, (_, kind) in TYPES.items()})
        self.table = self.stream.last_by("id")
        self.kept, self.cycles, self.changed = {}, 0, threading.Condition()
        self.listener = listen(self.table, self.heard)

    def heard(self, update, is_replay):
        with self.changed:
            self.cycles += 1
            self.changed.notify_all()

    def prepare(self, columns):
        whole = columns if "note" in columns else {**quotes.fixed(columns["id"]), **columns}  # rows are taken whole
        return arrow.to_table(pyarrow.table({name: pyarrow.array(whole[name], type=TYPES[name][0]) for name in TYPES}))

    def insert(self, batch):
        with self.changed:
            before = self.cycles
        self.publisher.add(batch)
        self.graph.j_update_graph.requestRefresh()
        with self.changed:
            if not self.changed.wait_for(lambda: self.cycles > before, timeout=60):
                raise TimeoutError("Deephaven has not processed a batch within 60 s")

    update = insert

    def settle(self):
        with shared_lock(self.graph):
            return self.table.size

    def open(self, name):
        make, compared = TABLES[name]
        table = make(self.table)
        head = self.kept[name] = table if name in ("group", quotes.BY_SECTOR) else table.head(quotes.WINDOW)

        def read():
            with shared_lock(self.graph):  # waits for the end of a cycle
                shown = arrow.to_arrow(head)
            if compared is not None:
                return shown[compared].to_pylist()
            return list(zip(*(shown[column].to_pylist() for column in ("sector", "size", "price"))))

        return read

    def forget(self, kept=None):
        self.kept = {name: table for name, table in self.kept.items() if name == kept}


if __name__ == "__main__":
    quotes.run(f"deephaven-{version('deephaven-server')}", Engine)
    sys.stdout.flush()
    os._exit(0)  # the Java threads would keep the process
