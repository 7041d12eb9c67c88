"""Changes by replication, notification and polling; slots; a database that goes away."""

import signal
import subprocess
import threading
import time
import unittest

import psycopg2

from cluster import Cluster
from program import PLUGIN, Program
from shared import cluster, database


def wait(is_done, patience=120):
    """Waits for something that only asking can tell."""
    end, pause = time.monotonic() + patience, threading.Event()
    while not (found := is_done()):
        if time.monotonic() > end:
            raise AssertionError("waited in vain")
        pause.wait(0.02)
    return found


class LiveTests(unittest.TestCase):
    def setUp(self):
        self.database = database()
        self.sql(
            "CREATE TABLE jobs (id integer PRIMARY KEY, done integer NOT NULL); CREATE TABLE other (id "
            "integer PRIMARY KEY);"
            "INSERT INTO jobs SELECT i, 0 FROM generate_series(1, 500) AS i; ANALYZE"
        )

    def sql(self, statement, values=None, user="tester"):
        return cluster().sql(statement, values, database=self.database, user=user)

    def program(self, user="tester", **settings):
        program = Program({"dsn": cluster().dsn(user=user, database=self.database), "table": "jobs", **settings})
        self.addCleanup(program.end)
        return program

    def live(self, program, word):
        """Waits until the source reports changes in a way whose description has this word."""
        return program.until(
            lambda: next(
                (
                    m["message"]
                    for _, m in reversed(program.messages)
                    if m["type"] == "state" and m["state"] == "live" and word in m["message"]
                ),
                None,
            )
        )

    def slots(self):
        return [
            row[0]
            for row in self.sql("SELECT slot_name FROM pg_replication_slots WHERE database = %s", [self.database])
        ]

    def changes_after(self, program, statement, patience=120):
        """Whether the statement is followed by a report, and that a page then has it."""
        before = program.changes()
        self.sql(statement)
        program.until(lambda: program.changes() > before, patience)

    def first_row(self, program):
        return program.page(count=1)["rows"][0]

    # Replication

    def test_replication_reports_changes_of_the_table_only(self):
        program = self.program()
        self.live(program, "replication")
        self.changes_after(program, "UPDATE jobs SET done = 1 WHERE id = 1")
        self.assertEqual(self.first_row(program), [1, 1, 1])
        self.changes_after(program, "TRUNCATE jobs")
        before = program.changes()
        # The second one would come after the first one.
        self.sql("INSERT INTO other VALUES (1)")
        self.sql("INSERT INTO jobs VALUES (7, 7)")
        program.until(lambda: program.changes() > before)
        self.assertEqual(program.changes(), before + 1)
        self.assertEqual(program.page()["rows"], [[7, 7, 7]])

    def test_block_after_change_report_has_new_value(self):
        program = self.program()
        self.live(program, "replication")
        connection = cluster().connect(database=self.database)
        with connection.cursor() as cursor:
            for number in range(1, 101):
                before = program.changes()
                cursor.execute("UPDATE jobs SET done = %s WHERE id = 1", [number])
                program.until(lambda: program.changes() > before)
                self.assertEqual(self.first_row(program), [1, 1, number])
        connection.close()

    def test_commit_that_waits_for_standby_is_reported_once_visible(self):
        program = self.program()
        self.live(program, "replication")
        self.require_standby("nobody")
        self.addCleanup(self.require_standby, "")
        before = program.changes()
        commit = threading.Thread(target=self.sql, args=("UPDATE jobs SET done = 1 WHERE id = 1",))
        commit.start()
        waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = %s"
        ((backend,),) = wait(lambda: self.sql(waiting, [self.database]))
        # Others' commits are reported meanwhile.
        self.sql("SET synchronous_commit = local; UPDATE jobs SET done = 2 WHERE id = 2")
        program.until(lambda: program.changes() > before)
        self.assertEqual([row[2] for row in program.page(count=2)["rows"]], [0, 2])
        before = program.changes()
        self.sql("SELECT pg_cancel_backend(%s)", [backend])  # which ends the wait, and keeps the commit
        commit.join()
        program.until(lambda: program.changes() > before)
        self.assertEqual(self.first_row(program), [1, 1, 1])

    def require_standby(self, name):
        connection = cluster().connect(database=self.database)
        connection.autocommit = True  # which ALTER SYSTEM needs
        with connection.cursor() as cursor:
            cursor.execute("ALTER SYSTEM SET synchronous_standby_names = %s", [name])
            cursor.execute("SELECT pg_reload_conf()")
        connection.close()
        wait(lambda: self.sql("SHOW synchronous_standby_names")[0][0] == name)

    def test_temporary_slot_is_dropped_when_program_ends(self):
        for end in (lambda program: program.process.kill(), lambda program: program.end()):
            program = self.program()
            self.live(program, "temporary slot")
            self.assertEqual(len(self.slots()), 1)
            end(program)
            wait(lambda: not self.slots())

    def test_named_slot_is_kept_and_reused(self):
        program = self.program(slot="mine")
        self.live(program, "slot mine")
        program.end()
        self.assertEqual(self.slots(), ["mine"])
        wait(lambda: self.sql("SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'mine'")[0][0])
        program = self.program(slot="mine")
        self.live(program, "slot mine")
        self.changes_after(program, "DELETE FROM jobs WHERE id = 1")
        program.end()
        wait(lambda: self.sql("SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'mine'")[0][0])
        self.sql("SELECT pg_drop_replication_slot('mine')")

    def test_dropped_slot_is_created_again(self):
        program = self.program(slot="gone")
        self.live(program, "slot gone")
        before = program.changes()
        self.sql("SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE slot_name = 'gone'")
        wait(self.drop)
        program.until(lambda: any("the slot gone was dropped" in line for line in program.log))
        program.until(lambda: program.changes() > before)
        wait(lambda: self.slots() == ["gone"])
        self.changes_after(program, "UPDATE jobs SET done = 3 WHERE id = 2")
        program.end()
        wait(self.drop)

    def drop(self):
        try:
            self.sql("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = 'gone'")
        except psycopg2.errors.ObjectInUse:
            self.sql(
                "SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE slot_name "
                "= 'gone' AND active"
            )
            return False
        return True

    def test_publication_is_used_only_if_it_includes_table(self):
        self.sql("CREATE PUBLICATION part FOR TABLE other; CREATE PUBLICATION whole FOR TABLE jobs, other")
        program = self.program(live="replication", publication="part")
        self.assertEqual(program.until(lambda: program.find("refuse"))["setting"], "live")
        self.assertIn("ALTER PUBLICATION", program.find("refuse")["reason"])
        program = self.program(live="replication", publication="whole")
        self.live(program, "replication")
        self.assertEqual(self.sql("SELECT count(*) FROM pg_publication"), [(2,)])
        before = program.changes()
        self.sql("INSERT INTO other VALUES (5)")
        self.changes_after(program, "DELETE FROM jobs WHERE id = 2")
        self.assertEqual(program.changes(), before + 1)

    def test_replication_includes_partitions_created_later(self):
        self.sql(
            "CREATE TABLE days (day integer PRIMARY KEY, n integer) PARTITION BY RANGE (day);"
            "CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM (0) TO (10); INSERT INTO days VALUES (1, 1)"
        )
        program = self.program(table="days")
        self.live(program, "replication")
        self.changes_after(program, "UPDATE days SET n = 2")
        self.sql("CREATE TABLE days_2 PARTITION OF days FOR VALUES FROM (10) TO (20)")
        self.changes_after(program, "INSERT INTO days VALUES (15, 3)")
        self.assertEqual(program.page()["rows"], [[1, 1, 2], [15, 15, 3]])

    def test_view_reports_changes_of_its_tables(self):
        self.sql("CREATE VIEW busy AS SELECT j.id, done FROM jobs j JOIN other o ON o.id = j.id")
        program = self.program(table="busy", key="id")
        self.live(program, "replication")
        self.changes_after(program, "INSERT INTO other VALUES (3)")
        self.assertEqual(program.page()["rows"], [[3, 3, 0]])
        self.changes_after(program, "UPDATE jobs SET done = 9 WHERE id = 3")
        self.assertEqual(program.page()["rows"], [[3, 3, 9]])

    # Without rights

    def reader(self):
        """A role that may only read."""
        self.sql(
            "DO $$ BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN END $$; GRANT "
            "SELECT ON ALL TABLES IN SCHEMA public TO reader"
        )
        return "reader"

    def trigger(self):
        printed = subprocess.run(
            [str(PLUGIN), "--trigger-sql", "jobs"], check=True, capture_output=True, text=True
        ).stdout
        self.sql(printed)

    def test_role_without_replication_right_uses_trigger(self):
        self.trigger()
        program = self.program(user=self.reader())
        self.live(program, "trigger")
        program.until(lambda: any("may not replicate" in line for line in program.log))
        self.changes_after(program, "UPDATE jobs SET done = 5 WHERE id = 1")
        self.assertEqual(self.first_row(program), [1, 1, 5])
        self.changes_after(program, "TRUNCATE jobs")
        before = program.changes()
        self.sql("NOTIFY rowcast, 'public.other'")
        self.changes_after(program, "INSERT INTO jobs VALUES (1, 1)")
        self.assertEqual(program.changes(), before + 1)

    def test_role_without_replication_right_or_trigger_polls(self):
        program = self.program(user=self.reader(), interval=0.1)
        self.live(program, "every 0.1 s")
        program.until(lambda: any("--trigger-sql" in line for line in program.log))
        self.changes_after(program, "UPDATE jobs SET done = 5 WHERE id = 1")
        self.changes_after(program, "TRUNCATE jobs")

    def test_polling_detects_changes_of_idle_connection(self):
        program = self.program(live="poll", interval=0.1)
        self.live(program, "every 0.1 s")
        connection = cluster().connect(database=self.database)
        self.addCleanup(connection.close)
        with connection.cursor() as cursor:
            for number in range(1, 5):
                # The session reports its statistics at most once a second, or after a long rest.
                before = program.changes()
                cursor.execute("UPDATE jobs SET done = %s WHERE id = 1", [number])
                program.until(lambda: program.changes() > before, 5)
            self.assertEqual(self.first_row(program), [1, 1, 4])

    def test_unavailable_live_mode_is_refused_with_remedy(self):
        program = self.program(user=self.reader(), live="replication")
        found = program.until(lambda: program.find("refuse"))
        self.assertEqual(found["setting"], "live")
        self.assertIn('ALTER ROLE "reader" REPLICATION', found["reason"])

    def test_standby_is_polled(self):
        standby = cluster().standby()
        self.addCleanup(standby.stop)
        program = self.program(dsn=standby.dsn(database=self.database), interval=0.1)
        self.live(program, "every 0.1 s")
        program.until(lambda: sum("standby" in line for line in program.log) == 2)
        self.changes_after(program, "UPDATE jobs SET done = 6 WHERE id = 1")
        program.until(lambda: self.first_row(program) == [1, 1, 6])

    def test_server_without_logical_wal_level_is_polled(self):
        server = Cluster(wal_level="replica")
        self.addCleanup(server.stop)
        server.sql("CREATE TABLE jobs (id integer PRIMARY KEY, done integer)")
        program = self.program(dsn=server.dsn(), interval=0.1)
        self.live(program, "every 0.1 s")
        program.until(lambda: any("wal_level = logical" in line for line in program.log))

    def test_slot_with_lost_wal_is_created_again(self):
        program = self.program(slot="slow")
        self.live(program, "slot slow")
        program.end()
        idle = "SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'slow'"
        wait(lambda: self.sql(idle)[0][0])
        self.sql("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'")
        self.sql("SELECT pg_reload_conf()")
        try:
            for _ in range(6):
                self.sql("SELECT pg_switch_wal() FROM txid_current()")
                self.sql("CHECKPOINT")
            status = "SELECT wal_status FROM pg_replication_slots WHERE slot_name = 'slow'"
            wait(lambda: self.sql("CHECKPOINT") or self.sql(status) == [("lost",)])
        finally:
            self.sql("ALTER SYSTEM RESET max_slot_wal_keep_size")
            self.sql("SELECT pg_reload_conf()")
        program = self.program(slot="slow")
        self.live(program, "slot slow")
        program.until(lambda: any("has lost its log; it is created again" in line for line in program.log))
        self.changes_after(program, "DELETE FROM jobs WHERE id = 1")
        program.end()
        wait(lambda: self.sql(idle)[0][0])
        self.sql("SELECT pg_drop_replication_slot('slow')")

    # A database that goes away

    def test_changes_and_positions_survive_database_crash(self):
        program = self.program(slot="lasting")
        self.live(program, "slot lasting")
        page = program.page(count=100)
        cluster().kill()
        stale = program.until(
            lambda: next((m for _, m in program.messages if m["type"] == "state" and m["state"] == "stale"), None)
        )
        self.assertIn("the database is away", stale["message"])
        self.assertIn("the database is away", program.page(count=10)["error"])
        before = program.changes()
        cluster().start()
        self.sql("UPDATE jobs SET done = 8 WHERE id = 101")
        program.until(
            lambda: program.messages[-1][1]["type"] == "state"
            and program.messages[-1][1]["state"] == "live"
            or program.changes() > before,
            40,
        )
        program.until(lambda: program.changes() > before, 40)
        self.assertEqual(program.page(after=page["end"], count=1)["rows"], [[101, 101, 8]])
        self.changes_after(program, "UPDATE jobs SET done = 9 WHERE id = 101")
        program.end()
        wait(lambda: self.sql("SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'lasting'")[0][0])
        self.sql("SELECT pg_drop_replication_slot('lasting')")

    def test_terminated_connections_are_replaced(self):
        program = self.program()
        self.live(program, "replication")
        program.page()
        before = program.changes()
        self.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rowcast' "
            "AND datname = %s",
            [self.database],
        )
        for _ in range(8):
            self.assertNotIn("error", program.page(count=5))
        program.until(lambda: program.changes() > before)
        self.changes_after(program, "DELETE FROM jobs WHERE id = 9")
        self.assertFalse([m for _, m in program.messages if m["type"] == "state" and m["state"] == "stale"])

    def test_program_ends_when_its_input_ends(self):
        program = self.program()
        self.live(program, "replication")
        program.process.stdin.close()
        self.assertEqual(program.process.wait(60), 0)

    def test_program_reports_change_made_while_it_was_stopped(self):
        program = self.program()
        self.live(program, "replication")
        before = program.changes()
        program.process.send_signal(signal.SIGSTOP)
        self.sql("UPDATE jobs SET done = 2")
        program.process.send_signal(signal.SIGCONT)
        program.until(lambda: program.changes() > before)


if __name__ == "__main__":
    unittest.main()
