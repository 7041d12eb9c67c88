"""DuckDB in memory: a table with a primary key, updates from Arrow, and a query for each window.

    duck.py w1|w2|w3|w5 ROWS
"""

import duckdb
import pyarrow

import quotes

TYPES = {
    "id": ("bigint", pyarrow.int64()), "symbol": ("varchar", pyarrow.string()), "sector": ("varchar", pyarrow.string()),
    "price": ("double", pyarrow.float64()), "size": ("bigint", pyarrow.int64()), "bid": ("double", pyarrow.float64()),
    "ask": ("double", pyarrow.float64()), "ts": ("bigint", pyarrow.int64()), "side": ("varchar", pyarrow.string()),
    "note": ("varchar", pyarrow.string()),
}  # fmt: skip
SET = ", ".join(f"{name} = batch.{name}" for name in ("price", "size", "bid", "ask", "ts"))
BY_PRICE = "order by price desc limit 60"
# The query of each window, and the column that is compared, or none for sections.
SECTIONS = ("select sector, sum(size), avg(price) from quotes group by sector order by sector", None)
QUERIES = {
    "sort": (f"select * from quotes {BY_PRICE}", "price"),
    "filter": (f"select * from quotes where sector = '{quotes.SECTORS[3]}' {BY_PRICE}", "price"),
    "group": SECTIONS,
    quotes.BY_BID: ("select * from quotes order by bid limit 60", "bid"),
    quotes.BY_SYMBOL: ("select * from quotes order by symbol limit 60", "symbol"),
    quotes.BY_NOTE: ("select * from quotes order by note limit 60", "note"),
    quotes.SYMBOL_HAS_77: (f"select * from quotes where contains(symbol, '77') {BY_PRICE}", "price"),
    quotes.NOTE_HAS_DEAD: (f"select * from quotes where contains(note, 'dead') {BY_PRICE}", "price"),
    quotes.ONE_SECTOR: (f"select * from quotes where sector = '{quotes.SECTORS[3]}' {BY_PRICE}", "price"),
    quotes.BY_SECTOR: SECTIONS,
    quotes.BY_BOTH: (
        "select sector, symbol, sum(size), avg(price) from quotes group by all order by 1, 2 limit 60", None),
}


class Engine:
    def __init__(self):
        self.connection = duckdb.connect(":memory:")
        columns = ", ".join(f"{name} {kind}" for name, (kind, _) in TYPES.items())
        self.connection.execute(f"create table quotes({columns}, primary key (id))")

    def prepare(self, columns):
        names = [name for name in TYPES if name in columns]
        return pyarrow.table({name: pyarrow.array(columns[name], type=TYPES[name][1]) for name in names})

    def insert(self, batch):
        self.connection.execute("insert into quotes select * from batch")

    def update(self, batch):
        self.connection.execute(f"update quotes set {SET} from batch where quotes.id = batch.id")

    def remove(self, keys):
        self.connection.execute(f"delete from quotes where id >= {keys[0]} and id <= {keys[-1]}")

    def settle(self):
        """Every statement is done when it returns."""

    def open(self, name):
        query, compared = QUERIES[name]

        def read():
            rows = self.connection.execute(query).fetchall()
            return rows if compared is None else [row[quotes.COLUMNS.index(compared)] for row in rows]

        return read

    def forget(self, kept=None):
        """A query leaves nothing behind."""

    def jump(self, offset):
        self.connection.execute(f"select * from quotes {BY_PRICE} offset {offset}").fetchall()


if __name__ == "__main__":
    quotes.run(f"duckdb-{duckdb.__version__}", Engine)
