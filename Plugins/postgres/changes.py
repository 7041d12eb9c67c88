"""Notices changes of the base tables, and whether the database is there."""

import os
import random
import select
import time

import psycopg2

from database import LOST

BACKOFF_LEAST, BACKOFF_MOST = 0.25, 15.0  # seconds between attempts to connect
CHECKED = 10.0  # seconds between checks of an idle connection

TRIGGER = """CREATE OR REPLACE FUNCTION rowcast_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('rowcast', TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME);
  RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS rowcast_notify ON {table};
CREATE TRIGGER rowcast_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
  FOR EACH STATEMENT EXECUTE FUNCTION rowcast_notify();
ALTER TABLE {table} ENABLE ALWAYS TRIGGER rowcast_notify;
"""


class Unavailable(Exception):
    """A way to notice changes is not available here, with the reason."""


class Ended(Exception):
    """A way to notice changes has ended and can begin again."""


class Wake:
    """Ends a wait from another thread."""

    def __init__(self):
        self.inner, self.outer = os.pipe()
        os.set_blocking(self.inner, False)
        os.set_blocking(self.outer, False)

    def set(self):
        try:
            os.write(self.outer, b"!")
        except BlockingIOError:
            pass  # it is set

    def wait(self, seconds, *sources):
        """Waits for a source or a wake-up. Returns whether it was woken."""
        found = select.select([self.inner, *sources], [], [], max(0, seconds))[0]
        if self.inner not in found:
            return False
        os.read(self.inner, 4_096)
        return True


def is_standby(connection):
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_is_in_recovery()")
        return cursor.fetchone()[0]


class Polling:
    """Compares the statistics of the base tables.

    A session holds its statistics back while it is idle. So a transaction of any table counts as a
    change too, after ten intervals. Where there are no statistics, as for foreign tables and on a
    standby, it counts at once.
    """

    DOUBTFUL = 10  # intervals

    def __init__(self, watch, connection):
        self.watch, self.connection = watch, connection
        kinds = [kind for _, _, kind in watch.source.relations.values()]
        self.tables = [oid for oid, (_, _, kind) in watch.source.relations.items() if kind in "rm"]
        if not self.tables or any(kind not in "rmp" for kind in kinds) or is_standby(connection):
            self.tables = []
        self.interval = watch.settings.get("interval", 1)
        self.words = f"changes are asked for every {self.interval:g} s"
        self.state = self.look()

    def look(self):
        """Returns the transactions that have ended, and the counters of the tables."""
        with self.connection.cursor() as cursor:
            cursor.execute(
                """SELECT pg_current_snapshot()::text, string_agg(concat_ws(':', base, pg_relation_filenode(base),
                    pg_stat_get_tuples_inserted(base),
                    pg_stat_get_tuples_updated(base), pg_stat_get_tuples_deleted(base)
                    ), ',') FROM unnest(%s::oid[]) AS u(base)""",
                [self.tables],
            )
            return cursor.fetchone()

    def run(self):
        doubted = None
        while True:
            self.watch.wake.wait(self.interval)
            now = time.monotonic()
            previous, self.state = self.state, self.look()
            if self.state[0] != previous[0] and doubted is None:
                doubted = now
            is_due = doubted is not None and now - doubted >= (self.DOUBTFUL * self.interval if self.tables else 0)
            if is_due:
                doubted = None
            if is_due or self.state[1] != previous[1]:
                self.watch.changed()


class Listening:
    """Listens for notifications of the trigger that `--trigger-sql` prints."""

    words = "changes are reported by the trigger rowcast_notify"

    def __init__(self, watch, connection):
        self.watch, self.connection = watch, connection
        self.names = {f"{schema}.{name}" for schema, name, _ in watch.source.relations.values()}
        if is_standby(connection):
            raise Unavailable("the server is a standby, which sends no notifications")
        self.check()
        with connection.cursor() as cursor:
            cursor.execute("LISTEN rowcast")

    def check(self):
        source = self.watch.source
        tables = [oid for oid, (_, _, kind) in source.relations.items() if kind in "rf"]
        if not tables or any(kind == "m" for _, _, kind in source.relations.values()):
            raise Unavailable("its rows do not come from tables that can have triggers")
        with self.connection.cursor() as cursor:
            cursor.execute(
                """SELECT min(base::regclass::text) FROM unnest(%s::oid[]) AS u(base) WHERE NOT EXISTS (
                SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
                WHERE t.tgrelid IN (SELECT base UNION SELECT relid FROM pg_partition_ancestors(base))
                  AND p.proname = 'rowcast_notify' AND t.tgenabled <> 'D')""",
                [tables],
            )
            missing = cursor.fetchone()[0]
        if missing is not None:
            raise Unavailable(
                f"the table {missing} has no trigger rowcast_notify; postgres.py --trigger-sql {missing} prints it"
            )

    def run(self):
        looked = time.monotonic()
        while True:
            was_woken = self.watch.wake.wait(looked + CHECKED - time.monotonic(), self.connection)
            self.connection.poll()
            notices, self.connection.notifies[:] = list(self.connection.notifies), []
            if any(notice.payload in self.names for notice in notices):
                self.watch.changed()
            if was_woken or time.monotonic() >= looked + CHECKED:
                looked = time.monotonic()
                try:
                    self.check()
                except Unavailable as error:
                    raise Ended(str(error)) from error


class Waiting:
    """Reports no changes; notices only that the database is away."""

    words = "changes are not looked for (setting live)"

    def __init__(self, watch, connection):
        self.watch, self.connection = watch, connection

    def run(self):
        while True:
            self.watch.wake.wait(CHECKED)
            with self.connection.cursor() as cursor:
                cursor.execute("SELECT 1")


class Watch:
    """Keeps a connection, reconnects with growing pauses, and says when the rows may have changed.

    After each connection everything counts as changed, so that nothing that happened meanwhile is lost.
    """

    def __init__(self, database, source, settings, conversation, workers, counts, modes):
        self.database, self.source, self.settings = database, source, settings
        self.conversation, self.workers, self.counts, self.modes = conversation, workers, counts, modes
        self.log = database.log
        self.wake = Wake()
        self.state = ("live", "")
        self.pause = BACKOFF_LEAST
        self.is_first = True

    def changed(self):
        self.counts.age()
        self.conversation.send(type="changed")

    def tell(self, state, message):
        if (state, message) != self.state:
            self.state = (state, message)
            self.conversation.send(type="state", state=state, message=self.log.scrub(message))

    def run(self):
        while True:
            began = time.monotonic()
            try:
                self.watch()
            except Unavailable as error:
                # Only a mode that the settings demand gets here.
                self.refuse(str(error))
            except Ended as error:
                self.log.write("warning", f"{error}; everything is read again")
            except LOST as error:
                # The next attempt shows whether the database is away or only this connection.
                self.log.write("warning", f"the connection was lost: {self.database.reason(error)}")
            except psycopg2.Error as error:
                self.log.write("error", f"changes cannot be noticed: {self.database.reason(error)}")
            if time.monotonic() - began > 10:
                self.pause = BACKOFF_LEAST
            self.rest()

    def refuse(self, reason):
        if self.is_first:
            self.conversation.send(type="refuse", setting="live", reason=self.log.scrub(reason))
            os._exit(0)
        self.log.write("error", reason, topic="mode")
        self.tell("stale", reason)

    def rest(self):
        time.sleep(self.pause * random.uniform(0.5, 1))
        self.pause = min(BACKOFF_MOST, self.pause * 2)

    def connected(self):
        """Returns a connection; says that the database is away until there is one."""
        pause = BACKOFF_LEAST
        while True:
            try:
                connection = self.database.connect()
            except psycopg2.Error as error:
                reason = f"the database is away: {self.database.reason(error)}"
                with self.workers.change:
                    self.workers.unreachable = reason
                self.tell("stale", reason)
                self.log.write("warning", reason, topic="away")
                time.sleep(pause * random.uniform(0.5, 1))
                pause = min(BACKOFF_MOST, pause * 2)
                continue
            connection.autocommit = True
            with self.workers.change:
                was_unreachable, self.workers.unreachable = self.workers.unreachable is not None, None
            if was_unreachable:
                self.log.write("info", "the database is back")
                self.log.logged.pop("away", None)
            return connection

    def watch(self):
        connection = self.connected()
        mode = None
        try:
            mode = self.choose_mode(connection)
            self.tell("live", mode.words)
            self.log.write("info", mode.words, topic="mode")
            if not self.is_first:
                self.changed()
            self.is_first = False
            mode.run()
        finally:
            if hasattr(mode, "close"):
                mode.close()
            connection.close()

    def choose_mode(self, connection):
        """The first way to notice changes that is available."""
        for mode in self.modes[:-1]:
            try:
                return mode(self, connection)
            except Unavailable as error:
                self.log.write("info", f"{mode.__name__.lower()} is not available: {error}", topic=mode)
        return self.modes[-1](self, connection)
