"""Perspective in the process: a table with an index, and a view for each window.

    psp_local.py w1|w2|w3|w5 ROWS
"""

from importlib.metadata import version

import perspective
import pyarrow

import quotes

TYPES = {
    "id": pyarrow.int64(), "symbol": pyarrow.string(), "sector": pyarrow.string(), "price": pyarrow.float64(),
    "size": pyarrow.int64(), "bid": pyarrow.float64(), "ask": pyarrow.float64(), "ts": pyarrow.timestamp("ms"),
    "side": pyarrow.string(), "note": pyarrow.string(),
}  # fmt: skip


def sorted_by(column, direction="asc", **more):
    return {"sort": [[column, direction]], **more}


def grouped_by(*columns):
    return {"group_by": list(columns), "columns": ["size", "price"], "aggregates": {"size": "sum", "price": "mean"}}


def filtered(column, operator, value):
    return sorted_by("price", "desc", filter=[[column, operator, value]])


# The configuration of each view, and the column that is compared, or none for sections.
VIEWS = {
    "sort": (sorted_by("price", "desc"), "price"),
    "filter": (filtered("sector", "==", quotes.SECTORS[3]), "price"),
    "group": (grouped_by("sector"), None),
    quotes.BY_BID: (sorted_by("bid"), "bid"),
    quotes.BY_SYMBOL: (sorted_by("symbol"), "symbol"),
    quotes.BY_NOTE: (sorted_by("note"), "note"),
    quotes.SYMBOL_HAS_77: (filtered("symbol", "contains", "77"), "price"),
    quotes.NOTE_HAS_DEAD: (filtered("note", "contains", "dead"), "price"),
    quotes.ONE_SECTOR: (filtered("sector", "==", quotes.SECTORS[3]), "price"),
    quotes.BY_SECTOR: (grouped_by("sector"), None),
    quotes.BY_BOTH: (grouped_by("sector", "symbol"), None),
}


class Engine:
    def __init__(self):
        # The server must outlive its client.
        self.server = perspective.Server()
        empty = {name: column[:0] for name, column in quotes.rows(0, 1).items()}
        self.table = self.server.new_local_client().table(self.prepare(empty), index="id", name="quotes")
        self.views = {}

    def prepare(self, columns):
        names = [name for name in quotes.COLUMNS if name in columns]
        schema = pyarrow.schema([(name, TYPES[name]) for name in names])
        output = pyarrow.BufferOutputStream()
        values = [pyarrow.array(columns[name], type=TYPES[name]) for name in names]
        with pyarrow.ipc.new_stream(output, schema) as writer:
            writer.write_table(pyarrow.table(values, schema=schema))
        return output.getvalue().to_pybytes()

    def insert(self, batch):
        self.table.update(batch)

    update = insert

    def remove(self, keys):
        self.table.remove(keys)

    def settle(self):
        self.table.size()  # applies what waits

    def open(self, name):
        settings, compared = VIEWS[name]
        view = self.views[name] = self.table.view(**settings)

        def read():
            shown = view.to_columns(start_row=0, end_row=quotes.WINDOW)
            if compared is not None:
                return shown[compared]
            # The first row is the total, and has no path.
            sections = zip(shown["__ROW_PATH__"], shown["size"], shown["price"])
            return [(path[-1], size, price) for path, size, price in sections if path]

        return read

    def forget(self, kept=None):
        for name in [name for name in self.views if name != kept]:
            self.views.pop(name).delete()

    def jump(self, offset):
        self.views["sort"].to_columns(start_row=offset, end_row=offset + quotes.WINDOW)


if __name__ == "__main__":
    quotes.run(f"perspective-{version('perspective-python')}", Engine)
