#!/usr/bin/env python3
"""Makes a SQLite file of quotes with indexes for the benchmark's orders and filters.

    Benchmarks/sqlite/quotes.py quotes.db --rows 10000000
"""

import argparse
import os
import sqlite3
import time

#: Indexes that let the table be sorted, filtered and grouped without a full scan.
INDEXES = {
    "by_symbol": "symbol",
    "by_price": "price",
    "by_ts": "ts",
    # A combined index for a sector's rows by price, which also counts the sections by sector.
    "by_sector_price": "sector, price",
}

TABLE = """CREATE TABLE quotes (
  id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, sector TEXT NOT NULL, price REAL NOT NULL,
  size INTEGER, ts INTEGER NOT NULL, side TEXT NOT NULL, note TEXT
)"""

# Multiplications by odd numbers modulo 2^31 give a reproducible order that differs from the row
# order.
ROWS = """WITH RECURSIVE n(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
INSERT INTO quotes SELECT i, printf('SYM%05d', (i * 1103515245 & 2147483647) % 10000),
  printf('Sector-%02d', (i * 1103515245 & 2147483647) % 10000 % 20),
  ((i * 1664525 + 1013904223) & 2147483647) / 10000.0,
  CASE WHEN i % 50 = 0 THEN NULL ELSE 1 + (i * 22695477 & 2147483647) % 10000 END, 1700000000000 + i,
  CASE WHEN i * 69069 & 1024 THEN 'SELL' ELSE 'BUY' END,
  printf('note-%08x-%02d', i * 134775813 & 2147483647, i % 100) FROM n"""


def make(path, rows, say=lambda text: None):
    """Makes the file under a temporary name and renames it, so an existing file is always complete.
    """
    part = path + ".part"
    for name in (part, part + "-wal", part + "-shm"):
        if os.path.exists(name):
            os.remove(name)
    connection = sqlite3.connect(part, isolation_level=None)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -400000")
    connection.execute(TABLE)
    began = time.monotonic()
    for first in range(0, rows, 1_000_000):
        connection.execute("BEGIN")
        connection.execute(ROWS, (first, min(rows, first + 1_000_000)))
        connection.execute("COMMIT")
        say(f"{min(rows, first + 1_000_000)} rows, {time.monotonic() - began:.0f} s")
    for name, columns in INDEXES.items():
        connection.execute(f"CREATE INDEX {name} ON quotes ({columns})")
        say(f"index {name}, {time.monotonic() - began:.0f} s")
    connection.execute("ANALYZE")
    # Readers and a writer do not block each other.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    os.rename(part, path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("path")
    parser.add_argument("--rows", type=int, default=10_000_000)
    options = parser.parse_args()
    make(options.path, options.rows, print)
