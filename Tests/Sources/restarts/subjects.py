"""The sources that are restarted: for each its settings, its changes, its model and its restarts.

A subject changes what its source reads, and keeps a model of it. `expected` has the rows that a page
must have, as the cells of `columns`.
"""

import json
import os
import pathlib
import sqlite3
import sys

HERE = pathlib.Path(__file__).resolve().parent
for folder in ("postgres", "stream", "http"):
    sys.path.append(str(HERE.parent / folder))

from cluster import Cluster  # noqa: E402
from server import Answer, Server as WebServer  # noqa: E402
from servers import Kafka, Nats, Proxy, Redis, pause  # noqa: E402

KEYS = 40
NEWEST = 30


class Subject:
    """A source and the model of what it reads."""

    columns = ("id", "v")
    plugin = None  # a word in the command line of its program, if it has one

    def __init__(self, name, folder, numbers):
        self.name, self.folder, self.numbers = name, folder, numbers
        self.rows = {}

    def step(self, dice):
        """Changes up to twenty rows of the model.

        Returns the changed keys with their values, None for a deleted row.
        """
        changed = {}
        for _ in range(dice.randint(1, 20)):
            key = dice.randrange(KEYS)
            if key in self.rows and dice.random() < 0.2:
                changed[key] = None
                del self.rows[key]
            else:
                changed[key] = self.rows[key] = next(self.numbers)
        return changed

    def expected(self):
        return list(self.rows.items())

    def may_show(self, rows):
        """Whether these rows are right, too."""
        return False

    def restarts(self):
        """The restarts other than those of the program and of the server, by name."""
        return {}

    def stop(self):
        pass


class Postgres(Subject):
    plugin = "postgres.py"
    cluster = None

    def __init__(self, name, folder, numbers, live):
        super().__init__(name, folder, numbers)
        if Postgres.cluster is None:
            Postgres.cluster = Cluster()
        self.live = live
        self.cluster.sql(f"CREATE TABLE {name} (id int PRIMARY KEY, v int NOT NULL)")
        if live == "notify":
            program = HERE.parents[2] / "Plugins/postgres/postgres.py"
            self.cluster.sql(os.popen(f"'{program}' --trigger-sql {name}").read())
        more = {"slot": f"slot_{name}"} if live == "replication" else {}
        settings = {"dsn": self.cluster.dsn(), "table": name, "live": live, "interval": 0.2, **more}
        self.source = {"postgres": settings, "name": name}

    def change(self, dice):
        connection = self.cluster.connect()
        connection.autocommit = False
        with connection.cursor() as cursor:
            for key, value in self.step(dice).items():
                if value is None:
                    cursor.execute(f"DELETE FROM {self.name} WHERE id = %s", [key])
                else:
                    cursor.execute(
                        f"INSERT INTO {self.name} VALUES (%s, %s) ON CONFLICT (id) DO UPDATE SET v = excluded.v",
                        [key, value],
                    )
        connection.commit()
        connection.close()

    def restart(self):
        self.cluster.kill()
        self.cluster.start()

    def drop_slot(self):
        self.cluster.sql(
            "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active_pid IS NOT NULL"
        )
        for _ in range(200):  # until its process has ended, unless the source has made it anew
            try:
                self.cluster.sql(
                    "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
                    f"WHERE slot_name = 'slot_{self.name}' AND NOT active"
                )
                return
            except Exception:  # it is active again
                pause(0.02)

    def disconnect(self):
        self.cluster.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE backend_type IN ('client backend', 'walsender') AND pid <> pg_backend_pid()"
        )

    def restarts(self):
        found = {"database": self.restart, "connections": self.disconnect}
        return {**found, "slot": self.drop_slot} if self.live == "replication" else found

    def stop(self):
        if Postgres.cluster is not None:
            Postgres.cluster.stop()
            Postgres.cluster = None


class Stream(Subject):
    """A stream of which the latest message of each key is shown, or the newest messages."""

    plugin = "stream.py"

    def __init__(self, name, folder, numbers, is_latest):
        super().__init__(name, folder, numbers)
        self.is_latest = is_latest
        self.messages = []
        self.columns = ("id", "v") if is_latest else ("v",)

    def settings(self, backend, **more):
        mode = {"mode": "latest", "key": "id", "delete": "op=d"} if self.is_latest else {"rows": NEWEST}
        columns = "id:integer,v:integer"
        settings = {"backend": backend, "stream": self.name, "columns": columns, "meta": "", **mode, **more}
        return {"stream": {name: value for name, value in settings.items() if value != ""}, "name": self.name}

    def change(self, dice):
        found = []
        for key, value in self.step(dice).items():
            found.append({"id": key, "op": "d"} if value is None else {"id": key, "v": value})
            self.messages.append(value)
        self.publish(found)
        del self.messages[:-NEWEST]

    def expected(self):
        return super().expected() if self.is_latest else [(value,) for value in self.messages]


class BrokerStream(Stream):
    """A stream of a server that all subjects of its kind share, behind a proxy."""

    kind = server = proxy = None

    def __init__(self, name, folder, numbers, is_latest):
        super().__init__(name, folder, numbers, is_latest)
        if type(self).server is None:
            type(self).server = self.kind()
            type(self).proxy = Proxy(self.server.port)

    def restart(self):
        self.server.kill()
        self.server.start()

    def cut(self):
        self.proxy.cut()
        pause(0.5)
        self.proxy.heal()

    def restarts(self):
        return {"broker": self.restart, "network": self.cut}

    def stop(self):
        if type(self).server is not None:
            self.proxy.stop()
            self.server.stop()
            type(self).server = None


class NatsStream(BrokerStream):
    kind = Nats

    def __init__(self, name, folder, numbers, is_latest):
        super().__init__(name, folder, numbers, is_latest)
        self.server.add(name, [f"{name}.>"])
        self.source = self.settings("nats", servers=f"nats://127.0.0.1:{self.proxy.port}")

    def publish(self, messages):
        self.server.publish([(f"{self.name}.{one['id']}", json.dumps(one).encode()) for one in messages])


class RedisStream(BrokerStream):
    kind = Redis

    def __init__(self, name, folder, numbers, is_latest):
        super().__init__(name, folder, numbers, is_latest)
        self.source = self.settings("redis", servers=f"redis://127.0.0.1:{self.proxy.port}/0")

    def publish(self, messages):
        for one in messages:
            self.server.client.xadd(self.name, one)


class KafkaTopic(Stream):
    def __init__(self, name, folder, numbers):
        super().__init__(name, folder, numbers, True)
        self.kafka = Kafka()
        self.kafka.create(name)
        self.source = self.settings("kafka", servers=self.kafka.servers)

    def publish(self, messages):
        self.kafka.publish(self.name, [(str(one["id"]).encode(), json.dumps(one).encode()) for one in messages])

    def restart(self):
        self.kafka.down()
        pause(0.5)
        self.kafka.up()

    def restarts(self):
        return {"broker": self.restart}


class Logs(Subject):
    """A log that grows, is renamed and is truncated. The lines of the present file are shown."""

    plugin = "/logs"
    columns = ("message",)

    def __init__(self, name, folder, numbers):
        super().__init__(name, folder, numbers)
        self.path = folder / f"{name}.log"
        self.path.write_text("")
        self.lines, self.former = [], set()
        self.source = {"logs": {"path": str(self.path), "format": "json"}, "name": name}

    def change(self, dice):
        if len(self.lines) > 200:
            self.rename()
        with self.path.open("a") as file:
            for _ in range(dice.randint(1, 20)):
                number = next(self.numbers)
                self.lines.append(f"line {number}")
                line = {"time": f"2026-11-28T10:00:00.{number % 1000:03}Z", "message": f"line {number}"}
                file.write(json.dumps(line) + "\n")

    def expected(self):
        return [(line,) for line in self.lines]

    def rename(self):
        self.path.rename(self.path.with_suffix(".log.1"))
        self.path.write_text("")
        self.former |= set(self.expected())
        self.lines = []

    def may_show(self, rows):
        """The rows of a renamed file stay until the program starts again."""
        return set(self.expected()) <= set(rows) <= {*self.expected(), *self.former} and len(rows) == len(set(rows))

    def truncate(self):
        # A file that is soon longer than before does not look truncated.
        if len(self.lines) < 80:
            self.rename()
            return
        os.truncate(self.path, 0)
        self.lines = []

    def restarts(self):
        return {"file renamed": self.rename, "file truncated": self.truncate}


class WholeFile(Subject):
    """A source that reads a whole file which is replaced by each change."""

    suffix = "json"

    def __init__(self, name, folder, numbers):
        super().__init__(name, folder, numbers)
        self.path = folder / f"{name}.{self.suffix}"
        self.rows[0] = next(numbers)
        self.write()

    def change(self, dice):
        self.step(dice)
        self.rows.setdefault(0, 0)  # an empty list has no columns
        self.write()

    def write(self):
        other = self.path.with_name(f"{self.path.name}.new")
        other.write_text(self.text())
        other.rename(self.path)

    def text(self):
        return json.dumps([{"id": key, "v": value} for key, value in self.rows.items()])


class Watch(WholeFile):
    def __init__(self, name, folder, numbers):
        super().__init__(name, folder, numbers)
        self.source = {"watch": f"cat {self.path}", "name": name, "every": 0.2, "key": "id"}


class Duck(WholeFile):
    plugin, suffix = "duck.py", "csv"

    def __init__(self, name, folder, numbers):
        super().__init__(name, folder, numbers)
        self.source = {"duckdb": {"path": str(self.path), "interval": 0.1}, "name": name}

    def text(self):
        return "id,v\n" + "".join(f"{key},{value}\n" for key, value in self.rows.items())

    def damage(self):
        """Replaces the file by half of a line for a moment."""
        self.path.write_text('id,v\n1,"')
        pause(0.3)
        self.write()

    def restarts(self):
        return {"file damaged": self.damage}


class Web(Subject):
    plugin = "endpoint.py"

    def __init__(self, name, folder, numbers):
        super().__init__(name, folder, numbers)
        self.rows[0] = next(numbers)
        self.server = WebServer(self.answer)
        self.source = {"http": {"url": self.server.url, "interval": 0.2, "key": "id"}, "name": name}
        self.is_cut = False

    def answer(self, _):
        body = json.dumps([{"id": key, "v": value} for key, value in list(self.rows.items())])
        return Answer(body, cut=len(body) // 2) if self.is_cut else Answer(body)

    def change(self, dice):
        self.step(dice)
        self.rows.setdefault(0, 0)

    def restart(self):
        port = self.server.port
        self.server.close()
        pause(0.3)
        self.server = WebServer(self.answer, port)

    def cut(self):
        self.is_cut = True
        pause(0.5)
        self.is_cut = False

    def restarts(self):
        return {"web server": self.restart, "answers cut off": self.cut}

    def stop(self):
        self.server.close()


class Sqlite(Subject):
    plugin = "sqlite.py"

    def __init__(self, name, folder, numbers):
        super().__init__(name, folder, numbers)
        self.path = folder / f"{name}.db"
        self.make(self.path)
        self.source = {"sqlite": {"path": str(self.path), "table": "jobs"}, "name": name}

    def make(self, path):
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE jobs (id INTEGER PRIMARY KEY, v INTEGER)")
            database.executemany("INSERT INTO jobs VALUES (?, ?)", list(self.rows.items()))
        database.close()

    def change(self, dice):
        with sqlite3.connect(self.path, timeout=60) as database:
            for key, value in self.step(dice).items():
                if value is None:
                    database.execute("DELETE FROM jobs WHERE id = ?", [key])
                else:
                    database.execute("INSERT OR REPLACE INTO jobs VALUES (?, ?)", [key, value])
        database.close()

    def replace(self):
        other = self.path.with_suffix(".new")
        self.make(other)
        other.rename(self.path)

    def lock(self):
        """Holds the file for longer than SQLite waits for it."""
        database = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        database.execute("BEGIN EXCLUSIVE")
        pause(7)
        database.execute("ROLLBACK")
        database.close()

    def restarts(self):
        return {"file replaced": self.replace, "file locked": self.lock}


def all_subjects(folder, numbers, names):
    """Makes the subjects with these names, or all; the caller stops them."""
    makers = {
        "replicated": (Postgres, "replication"),
        "notified": (Postgres, "notify"),
        "polled": (Postgres, "poll"),
        "natslatest": (NatsStream, True),
        "natsnewest": (NatsStream, False),
        "redislatest": (RedisStream, True),
        "redisnewest": (RedisStream, False),
        "kafkalatest": (KafkaTopic,),
        "logs": (Logs,),
        "watched": (Watch,),
        "csv": (Duck,),
        "web": (Web,),
        "sqlite": (Sqlite,),
    }
    if unknown := names - makers.keys():
        raise SystemExit(f"there is no source {', '.join(unknown)}: {', '.join(makers)}")
    return [
        kind(name, folder, numbers, *more) for name, (kind, *more) in makers.items() if not names or name in names
    ]
