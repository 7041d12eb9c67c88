"""The orders of Tests/Cluster/windowed in SQLite, PostgreSQL and a CSV file, and their plugins."""

import csv
import pathlib
import sqlite3
import sys

from nodes import ROOT

ROWS = 20_000
KINDS = ["new", "open", "paid", "sent", "void"]


def all_rows():
    # Each price once, so that the order by it is known.
    return [(n, f"order {n * 7919 % ROWS:05}", n * 7907 % ROWS, KINDS[n % 5]) for n in range(ROWS)]


def plugin(file, /, **settings):
    """Returns the options for a source."""
    words = ["--plugin", str(ROOT / "Plugins" / file)]
    for setting, value in settings.items():
        words += ["--set", f"{pathlib.Path(file).stem}.{setting}={value}"]
    return words


class Orders:
    """The rows that clients must have, in a SQLite file."""

    # The same statement in SQLite and PostgreSQL, whose LIKE have different rules for case.
    made = "CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT, price INTEGER, kind TEXT)"

    def __init__(self, folder):
        self.path = folder / "orders.db"
        self.base = sqlite3.connect(self.path, isolation_level=None)
        self.base.execute(self.made)
        self.base.execute("BEGIN")
        self.base.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", all_rows())
        self.base.execute("COMMIT")
        self.base.execute("CREATE INDEX by_price ON orders (price, id)")

    @property
    def options(self):
        """The options of a publisher."""
        return plugin("sqlite/sqlite.py", path=self.path, table="orders")

    def rows(self, rest, count=40, start=0):
        """Returns rows by the end of a SELECT statement."""
        found = self.base.execute(f"SELECT id, name, price, kind FROM orders {rest} LIMIT {count} OFFSET {start}")
        return [list(row) for row in found]

    def change(self, statement):
        self.base.execute(statement)

    def end(self):
        self.base.close()


class PostgresOrders(Orders):
    """The same rows in a PostgreSQL server; the changes arrive by logical replication."""

    def __init__(self, _):
        sys.path.append(str(ROOT / "Tests/Sources/postgres"))
        # Debian's psycopg2, which the environment of the cluster tests lacks.
        sys.path.append("/usr/lib/python3/dist-packages")
        from cluster import Cluster

        self.server = Cluster()
        self.base = self.server.connect().cursor()
        self.base.execute(self.made)
        self.base.executemany("INSERT INTO orders VALUES (%s, %s, %s, %s)", all_rows())
        self.base.execute("CREATE INDEX by_price ON orders (price, id)")

    @property
    def options(self):
        return plugin("postgres/postgres.py", dsn=self.server.dsn(), table="orders", live="replication")

    def rows(self, rest, count=40, start=0):
        self.base.execute(f"SELECT id, name, price, kind FROM orders {rest} LIMIT {count} OFFSET {start}")
        return [list(row) for row in self.base.fetchall()]

    def end(self):
        self.base.connection.close()
        self.server.stop()


class FileOrders(Orders):
    """The same rows in a CSV file, which is written again after each change and read by DuckDB."""

    def __init__(self, folder):
        super().__init__(folder)
        self.file = folder / "orders.csv"
        self.write()

    @property
    def options(self):
        return plugin("duckdb/duck.py", path=self.file, interval=0.1)

    def change(self, statement):
        super().change(statement)
        self.write()

    def write(self):
        """Replaces the file, so that nothing reads a half of it."""
        new = self.file.with_suffix(".new")
        with open(new, "w", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(["id", "name", "price", "kind"])
            lines.writerows(self.rows("ORDER BY id", ROWS))
        new.replace(self.file)


BASES = {"sqlite": Orders, "postgres": PostgresOrders, "duckdb": FileOrders}
