"""A PostgreSQL server of its own in a temporary directory, reached through a Unix socket only."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading

import psycopg2


def binaries():
    """The folder with initdb and postgres, the newest version's."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
    if found:
        return os.path.dirname(found[-1])
    initdb = shutil.which("initdb")
    return os.path.dirname(os.path.realpath(initdb)) if initdb else None


def quick_folder():
    """A folder in memory if there is room, so that a busy disk does not slow the tests."""
    try:
        status = os.statvfs("/dev/shm")
    except OSError:
        return None
    return "/dev/shm" if status.f_bavail * status.f_frsize > 2 << 30 and os.access("/dev/shm", os.W_OK) else None


def state(process):
    """The letter for the state of a process; X if there is none."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(") ", 1)[1][0]
    except OSError:
        return "X"


def wait_until(condition, what):
    for _ in range(1_200):
        if condition():
            return
        threading.Event().wait(0.05)
    raise AssertionError(f"not within a minute: {what}")


class Cluster:
    """A cluster whose superuser is `tester`.

    Connections are trusted, except those of the role `locked`, which needs a password.
    """

    def __init__(self, wal_level="logical", settings=(), existing=None, more=""):
        """Makes a cluster, in the folder `existing` if given, or starts the one that is in it."""
        self.directory = existing or tempfile.mkdtemp(prefix="rowcast-pg-", dir=quick_folder())
        self.data = os.path.join(self.directory, "data")
        self.socket = self.directory
        self.binaries = binaries()
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        if self.user:
            entry = pwd.getpwnam(self.user)
            os.chown(self.directory, entry.pw_uid, entry.pw_gid)
        os.chmod(self.directory, 0o755)
        self.process = None
        if not os.path.exists(self.data):
            self.make(wal_level, settings)
        # The folder may have been renamed.
        with open(os.path.join(self.data, "postgresql.auto.conf"), "w") as file:
            file.write(f"unix_socket_directories = '{self.socket}'\n{more}")
        self.start()

    def make(self, wal_level, settings):
        self.run(
            "initdb", "-D", self.data, "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"
        )
        with open(os.path.join(self.data, "pg_hba.conf"), "w") as file:
            file.write("local all locked scram-sha-256\nlocal all all trust\nlocal replication all trust\n")
        # A killed server needs no flush; only a crash of the machine does.
        lines = [
            "listen_addresses = ''",
            f"wal_level = {wal_level}",
            "log_min_messages = fatal",
            "max_wal_senders = 10",
            "max_replication_slots = 10",
            "shared_buffers = 64MB",
            "wal_sender_timeout = 10s",
            "fsync = off",
            *settings,
        ]
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            file.write("\n".join(lines) + "\n")

    def standby(self):
        """Starts a server that replays this one's log."""
        directory = tempfile.mkdtemp(prefix="rowcast-pg-", dir=quick_folder())
        if self.user:
            entry = pwd.getpwnam(self.user)
            os.chown(directory, entry.pw_uid, entry.pw_gid)
        data = os.path.join(directory, "data")
        self.run("pg_basebackup", "-D", data, "-R", "-c", "fast", "-h", self.socket, "-U", "tester")
        with open(os.path.join(data, "postgresql.auto.conf")) as file:
            origin = next(line for line in file if line.startswith("primary_conninfo"))
        return Cluster(existing=directory, more=origin)

    def command(self, program, *arguments):
        words = [os.path.join(self.binaries, program), *arguments]
        if self.user:
            words = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", *words]
        return words

    def run(self, program, *arguments):
        subprocess.run(self.command(program, *arguments), check=True, stdout=subprocess.DEVNULL, cwd="/")

    def start(self):
        """Starts the server and returns when it takes connections."""
        log = open(os.path.join(self.directory, "log"), "ab")
        self.process = subprocess.Popen(
            self.command("postgres", "-D", self.data), stdout=log, stderr=log, cwd="/", start_new_session=True
        )
        log.close()
        ready = self.command("pg_isready", "-q", "-h", self.socket, "-U", "tester", "-t", "1")
        for _ in range(600):
            if subprocess.run(ready).returncode == 0:
                return
            try:
                self.process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(
                "PostgreSQL does not start: " + open(os.path.join(self.directory, "log")).read()[-2_000:]
            )

    def dsn(self, user="tester", database="postgres", **more):
        return " ".join(
            [f"host={self.socket}", f"user={user}", f"dbname={database}"]
            + [f"{name}={value}" for name, value in more.items()]
        )

    def connect(self, **words):
        connection = psycopg2.connect(self.dsn(**words))
        connection.autocommit = True
        return connection

    def sql(self, statement, values=None, **words):
        """Executes a statement on a connection of its own and returns the rows, if any."""
        connection = self.connect(**words)
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, values)
                return cursor.fetchall() if cursor.description else None
        finally:
            connection.close()

    def kill(self):
        """Ends all its processes at once, as a crash does."""
        # It must not start others meanwhile: one that is left keeps the next server from starting.
        self.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: state(self.process.pid) in "TZX", "PostgreSQL is stopped")
        children = self.children()
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.kill()
        self.process.wait()
        wait_until(lambda: all(state(child) in "ZX" for child in children), f"the processes {children} end")

    def children(self):
        """The process numbers of its backends and background processes."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return [int(word) for word in file.read().split()]

    def stop(self, keeps=False):
        """Ends it; `keeps` leaves its folder."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        if not keeps:
            shutil.rmtree(self.directory, ignore_errors=True)
