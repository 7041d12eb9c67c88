"""Changes by logical replication: pgoutput through a slot and a publication."""

import hashlib
import os
import secrets
import struct
import time
from datetime import datetime, timezone

import psycopg2
from psycopg2.extras import REPLICATION_LOGICAL

from changes import Ended, Unavailable, is_standby
from columns import literal

LOOKED = 5.0  # seconds between looks at the slot
REPLIED = 1.0  # seconds between confirmations
MOST_HIDDEN = 10_000  # commits that are remembered until others see them
FAR_BEHIND = 16 << 20  # bytes of lag that are worth a line in the log
EPOCH = datetime(2000, 1, 1, tzinfo=timezone.utc).timestamp()


def ident(name):
    return '"' + name.replace('"', '""') + '"'


def lag_words(behind, delay):
    """The lag in words that change only when it does noticeably."""
    size = "less than 1" if behind < 1 << 20 else f"{behind >> 20:,}"
    seconds = "less than 1" if delay < 1 else f"{delay:.0f}"
    return f"{size} MB and {seconds} s behind"


class Replication:
    """Reads the stream of a slot and reports visible changes of the source's tables."""

    def __init__(self, watch, connection):
        self.watch, self.connection, self.source, self.log = watch, connection, watch.source, watch.log
        self.stream = None
        self.known = {}  # relation ids that are not of the base tables: whether they are relevant
        self.is_temporary = "slot" not in watch.settings
        self.slot = watch.settings.get("slot") or f"rowcast_{os.getpid()}_{secrets.token_hex(4)}"
        self.delay = 0  # the greatest time from a commit to its report since the last look at the slot
        with connection.cursor() as cursor:
            self.check(cursor)
            self.publication = self.find_publication(cursor)
        self.words = self.described(lag_words(0, 0))
        self.begin()

    def described(self, lag):
        kind = "temporary slot" if self.is_temporary else "slot"
        return f"changes by logical replication, {kind} {self.slot}: {lag}"

    # What it needs

    def check(self, cursor):
        cursor.execute(
            "SELECT current_setting('wal_level'), rolreplication OR rolsuper, current_user FROM pg_roles "
            "WHERE rolname = current_user"
        )
        level, may, user = cursor.fetchone()
        if is_standby(self.connection):
            raise Unavailable("the server is a standby")
        if level != "logical":
            raise Unavailable(
                f"the server's wal_level is {level}; replication needs wal_level = logical and a restart"
            )
        if not may:
            raise Unavailable(f"the role {user} may not replicate; ALTER ROLE {ident(user)} REPLICATION allows it")
        self.tables = [oid for oid, (_, _, kind) in self.source.relations.items() if kind == "r"]
        others = [name for _, name, kind in self.source.relations.values() if kind not in "rp"]
        if others or not self.tables:
            raise Unavailable(f"{others[0] if others else 'the query'} has changes that are not replicated")
        cursor.execute(
            "SELECT min(relname) FROM pg_class WHERE oid = ANY(%s::oid[]) AND relpersistence <> 'p'", [self.tables]
        )
        unlogged = cursor.fetchone()[0]
        if unlogged is not None:
            raise Unavailable(f"the table {unlogged} is unlogged or temporary, so its changes are not replicated")

    def find_publication(self, cursor):
        wanted = self.watch.settings.get("publication")
        filtered = "AND t.rowfilter IS NULL" if self.source.version >= 150_000 else ""
        cursor.execute(
            f"""SELECT p.pubname FROM pg_publication p
            WHERE pubinsert AND pubupdate AND pubdelete AND pubtruncate AND (%s::text IS NULL OR pubname =
              %s) AND NOT EXISTS (
              SELECT FROM unnest(%s::oid[]) AS u(base) WHERE NOT EXISTS (
                SELECT FROM pg_publication_tables t JOIN pg_namespace n ON n.nspname = t.schemaname
                JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename
                WHERE t.pubname = p.pubname {filtered} AND c.oid IN (SELECT base UNION SELECT relid FROM
                  pg_partition_ancestors(base))))
            ORDER BY puballtables, pubname LIMIT 1""",
            [wanted, wanted, self.tables],
        )
        found = cursor.fetchone()
        if found is not None:
            return found[0]
        names = self.roots(cursor)
        tables = ", ".join(names)
        if wanted is not None:
            raise Unavailable(
                f"the publication {wanted} does not publish every change of {tables}; ALTER PUBLICATION "
                f"{ident(wanted)} "
                f"ADD TABLE {tables} may mend it"
            )
        return self.make_publication(cursor, tables)

    def roots(self, cursor):
        """The tables, those with partitions by their root."""
        cursor.execute(
            "SELECT DISTINCT coalesce(pg_partition_root(base), base)::regclass::text FROM "
            "unnest(%s::oid[]) AS u(base) ORDER BY 1",
            [self.tables],
        )
        return [row[0] for row in cursor.fetchall()]

    def make_publication(self, cursor, tables):
        cursor.execute(
            """SELECT min(relname) FROM pg_class c WHERE c.oid = ANY(%s::oid[]) AND NOT (relreplident IN
              ('f', 'i') OR
            relreplident = 'd' AND EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisprimary))""",
            [self.tables],
        )
        bare = cursor.fetchone()[0]
        if bare is not None:
            # With a publication, updates of such a table would fail.
            raise Unavailable(
                f"the table {bare} has no primary key; ALTER TABLE ... REPLICA IDENTITY FULL would let it "
                f"be published"
            )
        name = "rowcast_" + hashlib.sha256(tables.encode()).hexdigest()[:8]
        statement = f"CREATE PUBLICATION {name} FOR TABLE {tables}"
        try:
            cursor.execute("SET default_transaction_read_only = off")
            cursor.execute(statement)
        except psycopg2.errors.DuplicateObject:
            raise Unavailable(
                f"the publication {name} exists and does not publish every change of {tables}; drop it"
            ) from None
        except (psycopg2.errors.InsufficientPrivilege, psycopg2.errors.ReadOnlySqlTransaction) as error:
            raise Unavailable(
                f"no publication has {tables} ({self.watch.database.reason(error)}); their owner "
                f"can make it: {statement}"
            ) from None
        finally:
            cursor.execute("SET default_transaction_read_only = on")
        self.log.write("info", f"created the publication {name} for {tables}")
        return name

    # The slot

    def begin(self):
        try:
            self.stream = self.watch.database.connect(replication=True)
        except psycopg2.OperationalError as error:
            raise Unavailable(
                f"the server takes no replication connection: {self.watch.database.reason(error)}"
            ) from error
        try:
            self.cursor = self.stream.cursor()
            if self.is_temporary or not self.has_slot():
                self.make_slot()
            publications = literal(ident(self.publication)).strip()
            self.cursor.start_replication_expert(
                f"START_REPLICATION SLOT {ident(self.slot)} LOGICAL 0/0 (proto_version '1', "
                f"publication_names {publications})",
                decode=False,
                status_interval=10,
            )
        except psycopg2.Error as error:
            self.close()
            reason = self.watch.database.reason(error)
            if isinstance(error, psycopg2.errors.ObjectInUse):
                raise Ended(f"the slot {self.slot} is in use by another client: {reason}") from error
            if isinstance(
                error,
                (
                    psycopg2.errors.ConfigurationLimitExceeded,
                    psycopg2.errors.InsufficientPrivilege,
                    psycopg2.errors.ObjectNotInPrerequisiteState,
                    psycopg2.errors.InvalidName,
                ),
            ):
                raise Unavailable(f"the slot {self.slot} cannot be used: {reason}") from error
            raise Ended(f"replication could not begin: {reason}") from error

    def make_slot(self):
        kind = " TEMPORARY" if self.is_temporary else ""
        self.cursor.execute(f"CREATE_REPLICATION_SLOT {ident(self.slot)}{kind} LOGICAL pgoutput NOEXPORT_SNAPSHOT")
        if not self.is_temporary:
            self.log.write(
                "info",
                f"created the replication slot {self.slot}; the server keeps its log for it, also while "
                f"this source is not running",
            )

    def has_slot(self):
        """Whether the named slot is there and usable. One that has lost its log is dropped."""
        with self.connection.cursor() as cursor:
            cursor.execute(
                "SELECT plugin, database = current_database(), wal_status FROM pg_replication_slots "
                "WHERE slot_name = %s",
                [self.slot],
            )
            found = cursor.fetchone()
            if found is None:
                if self.watch.has_slot:
                    self.log.write(
                        "warning",
                        f"the slot {self.slot} was dropped; it is created again, and everything is read again",
                    )
                self.watch.has_slot = True
                return False
            self.watch.has_slot = True
            plugin, is_here, status = found
            if plugin != "pgoutput" or not is_here:
                raise Unavailable(f"the slot {self.slot} belongs to another database or decoder; choose another name")
            if status == "lost":
                self.log.write(
                    "warning",
                    f"the slot {self.slot} was too far behind and has lost its log; it is created again, "
                    "and everything is read again",
                )
                cursor.execute("SELECT pg_drop_replication_slot(%s)", [self.slot])
                return False
        return True

    def close(self):
        if self.stream is not None:
            try:
                self.stream.close()
            except psycopg2.Error:
                pass

    # The stream

    def run(self):
        try:
            self.read()
        except psycopg2.Error as error:
            raise Ended(
                f"replication through the slot {self.slot} has ended: {self.watch.database.reason(error)}"
            ) from error

    def read(self):
        looked = replied = committed = time.monotonic()
        # Commits that were not reported yet, because others do not see their rows.
        transactions, current, is_relevant = [], None, False
        while True:
            message = self.cursor.read_message()
            if message is not None:
                data = message.payload
                kind = data[:1]
                if kind == b"B":
                    current = struct.unpack_from(">qqI", data, 1)
                    is_relevant = False
                elif kind == b"C":
                    if is_relevant:
                        transactions.append(current[2])
                        committed = time.monotonic()
                        self.delay = max(self.delay, time.time() - (current[1] / 1e6 + EPOCH))
                    current = None
                elif kind in b"IUD":
                    is_relevant = is_relevant or self.concerns(struct.unpack_from(">I", data, 1)[0])
                elif kind == b"T":
                    number = struct.unpack_from(">I", data, 1)[0]
                    is_relevant = is_relevant or any(map(self.concerns, struct.unpack_from(f">{number}I", data, 6)))
                if len(transactions) < 1_000 and time.monotonic() - looked < LOOKED:
                    continue
            if transactions:
                # When others see a later one, they are read again anyway.
                hidden = self.hidden(transactions)[-MOST_HIDDEN:]
                if len(hidden) < len(transactions):
                    self.watch.changed()
                    # Changes within 10 ms are reported together.
                    self.watch.wake.wait(0.01)
                transactions = hidden
            now = time.monotonic()
            if now - replied >= REPLIED:
                replied = now
                if current is None:
                    self.cursor.send_feedback(flush_lsn=self.cursor.wal_end, reply=True)
            if now - looked >= LOOKED:
                looked = now
                self.look_at_slot()
            if message is None:
                pause = replied + REPLIED - now
                if transactions:
                    pause = min(pause, 0.001 if now - committed < 1 else 0.1)
                self.watch.wake.wait(pause, self.cursor)

    def concerns(self, relation):
        if relation in self.source.relations:
            return True
        if relation not in self.known:
            # A partition that was made or attached later.
            with self.connection.cursor() as cursor:
                cursor.execute("SELECT pg_partition_root(%s::oid)::oid", [relation])
                self.known[relation] = cursor.fetchone()[0] in self.source.relations
        return self.known[relation]

    def hidden(self, transactions):
        """Returns the transactions whose rows others do not see yet.

        A commit is in the log before that, and a page that is read too early would keep the old rows.
        It takes long while the server waits for a synchronous standby.
        """
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT pg_current_snapshot()::text")
            least, most, running = cursor.fetchone()[0].split(":")
        most = int(most)
        running = {int(number) & 0xFFFFFFFF for number in running.split(",") if number}
        # Transaction numbers of the stream lack their upper half.
        is_visible = lambda number: (number - most) & 0xFFFFFFFF >= 0x80000000 and number not in running
        return [number for number in transactions if not is_visible(number)]

    def look_at_slot(self):
        with self.connection.cursor() as cursor:
            cursor.execute(
                """SELECT active, wal_status, pg_wal_lsn_diff(
                CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END,
                  confirmed_flush_lsn)::int8
                FROM pg_replication_slots WHERE slot_name = %s""",
                [self.slot],
            )
            found = cursor.fetchone()
        if found is None:
            raise Ended(f"the slot {self.slot} was dropped")
        active, status, behind = found
        if not active or status == "lost":
            raise Ended(f"the slot {self.slot} is {'lost' if status == 'lost' else 'not active'}")
        delay, self.delay = self.delay, 0
        words = lag_words(behind, delay)
        if behind >= FAR_BEHIND:
            self.log.write("warning", f"the slot {self.slot} is {words} (wal_status {status})", topic="lag")
        elif self.log.logged.pop("lag", None) is not None:
            self.log.write("info", f"the slot {self.slot} has caught up")
        words += "" if status == "reserved" else f", wal_status {status}"
        self.watch.tell("live", self.described(words))
