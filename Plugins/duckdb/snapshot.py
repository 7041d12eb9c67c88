"""Copies of the files' rows in a temporary DuckDB database, from which windows are read."""

import fcntl
import glob
import os
import shutil
import signal
import tempfile
import threading
import time

import duckdb

from columns import Unreadable, columns_of, literal

READERS = {
    "parquet": "read_parquet({files}, union_by_name = true)",
    "csv": "read_csv({files}, union_by_name = true)",
    "json": "read_json({files}, union_by_name = true)",
}
ENDINGS = {"parquet": "parquet", "pq": "parquet", "csv": "csv", "tsv": "csv", "txt": "csv"}
ENDINGS.update({"json": "json", "jsonl": "json", "ndjson": "json"})
PREFIX = "rowcast-duckdb-"

# The signal when a program opens a file for writing during a lease. It would end this process.
signal.signal(signal.SIGIO, signal.SIG_IGN)


def files_of(pattern):
    """Returns the files that a path, a folder's glob or `**` names, in order."""
    found = [pattern] if os.path.isfile(pattern) else sorted(glob.glob(pattern, recursive=True))
    return [path for path in found if os.path.isfile(path)]


def signature(paths):
    """Returns a value that differs when a file was written, replaced, added or removed."""
    found = []
    for path in paths:
        try:
            file = os.stat(path)
            found.append((path, file.st_ino, file.st_size, file.st_mtime_ns))
        except OSError:
            found.append((path, None))
    return found


def may_grow(found):
    """Whether a file was written in the last two seconds, and may still be open for writing."""
    return any(
        file[-1] is not None and time.time_ns() - file[-1] < 2_000_000_000 and not is_closed(file[0]) for file in found)


def is_closed(path):
    """Whether it is certain that no program has a file open for writing.

    The kernel grants a lease for reading only then. Files of other users and some file systems have
    no leases.
    """
    try:
        with open(path, "rb") as file:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            return True
    except OSError:
        return False


def format_of(path):
    parts = os.path.basename(path).lower().split(".")
    if len(parts) > 2 and parts[-1] in ("gz", "zst"):
        parts.pop()
    return ENDINGS.get(parts[-1])


class Folder:
    """A temporary folder that this process holds a lock on."""

    def __init__(self, parent):
        parent = parent or tempfile.gettempdir()
        for left in glob.glob(os.path.join(parent, PREFIX + "*")):
            self.remove_if_left(left)
        self.path = tempfile.mkdtemp(prefix=PREFIX, dir=parent)
        self.lock = open(os.path.join(self.path, "lock"), "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)

    @staticmethod
    def remove_if_left(path):
        """Removes the folder of a process that was killed."""
        try:
            with open(os.path.join(path, "lock")) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        except OSError:
            pass  # its process is alive, or belongs to another user

    def size(self):
        total = 0
        for folder, _, names in os.walk(self.path):
            for name in names:
                try:
                    total += os.stat(os.path.join(folder, name)).st_blocks * 512
                except OSError:
                    pass
        return total

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Snapshot:
    """The rows of the files at one moment. `ready` is set when all are copied."""

    def __init__(self, settings, folder, number):
        self.settings, self.folder, self.number = settings, folder, number
        self.path = os.path.join(folder.path, f"{number}.duckdb")
        self.files = files_of(settings["path"])
        if not self.files:
            raise Unreadable(f"no file matches “{settings['path']}”; check the setting path")
        self.signature = signature(self.files)
        form = settings.get("format", "auto")
        if form == "auto":
            form = format_of(self.files[0])
        if form is None:
            raise Unreadable(f"the ending of “{self.files[0]}” is unknown; set format to parquet, csv or json")
        self.form = form
        config = {
            "memory_limit": f"{settings.get('memory', 1_024)}MiB",
            "threads": settings.get("threads", 2),
            "temp_directory": os.path.join(folder.path, "spill"),
            "max_temp_directory_size": f"{settings.get('disk', 20_480)}MiB",
            "autoinstall_known_extensions": False,
            "preserve_insertion_order": True,
        }
        self.connection = duckdb.connect(self.path, config=config)
        self.ready, self.error, self.is_closed = threading.Event(), None, False
        try:
            self.connection.execute("SET TimeZone = 'UTC'")
            self.connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
            files = "[" + ", ".join(map(literal, self.files)) + "]"
            self.reader = READERS[form].format(files=files)
            self.connection.execute(f"CREATE TEMP VIEW files AS FROM {self.reader}")
            self.source = "files"
            if "query" in settings:
                # A view takes a query that ends in a semicolon or a comment.
                self.connection.execute(f"CREATE TEMP VIEW result AS {self.checked(settings['query'])}")
                self.source = "result"
            described = self.connection.execute(f"DESCRIBE SELECT * FROM {self.source}").fetchall()
            self.columns = columns_of([(row[0], row[1]) for row in described])
            self.selection = ", ".join(f"{column.expression} AS {column.sql}" for column in self.columns)
        except duckdb.Error as error:
            self.close()
            if "query" in settings and isinstance(error, (duckdb.BinderException, duckdb.CatalogException)):
                raise Unreadable(f"the query failed: {short(error)}") from error
            raise Unreadable(f"reading “{self.files[0]}” failed: {short(error)}") from error
        except Unreadable:
            self.close()
            raise

    def checked(self, query):
        try:
            statements = self.connection.extract_statements(query)
        except duckdb.Error as error:
            raise Unreadable(short(error), "query") from error
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise Unreadable("the query must be one SELECT statement", "query")
        return query

    def schema(self):
        return [(column.name, column.kind) for column in self.columns]

    def copy(self):
        """Copies all rows. Raises `Unreadable` with the reason when that fails."""
        limit = self.settings.get("disk", 20_480) << 20
        done, is_full = threading.Event(), threading.Event()

        def watch():
            while not done.wait(0.2):
                if self.folder.size() > limit:
                    is_full.set()
                    self.connection.interrupt()

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            self.connection.execute(f"CREATE TABLE rows AS SELECT {self.selection} FROM {self.source}")
            self.rows = self.connection.execute("SELECT count(*) FROM rows").fetchone()[0]
        except (duckdb.Error, MemoryError) as error:
            reason = short(error)
            if is_full.is_set():
                reason = f"its copy needs more than {limit >> 20} MiB; raise the setting disk"
            raise Unreadable(f"reading “{self.settings['path']}” failed: {reason}") from error
        finally:
            done.set()
            watcher.join()
        if signature(files_of(self.settings["path"])) != self.signature:
            raise Unreadable("a file changed while it was read")
        self.ready.set()

    def progress(self):
        """Returns the copied share in percent, or None if DuckDB does not know it."""
        try:
            percent = self.connection.query_progress()
        except (AttributeError, duckdb.Error):
            return None
        return percent if 0 <= percent <= 100 else None

    def close(self):
        self.is_closed = True
        self.connection.close()
        for path in (self.path, self.path + ".wal"):
            if os.path.exists(path):
                os.unlink(path)


def short(error):
    """Returns the first line of an error of DuckDB."""
    return str(error).strip().split("\n")[0][:400]
