"""The tools that users take instead, on the same files: lnav, VisiData and Datasette.

A tool for terminals runs in a pseudo terminal, whose screen is emulated. The time of a text is that
of the bytes with which it appears on the screen.
"""

import fcntl
import os
import pathlib
import pty
import select
import shlex
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import termios
import time
import urllib.request

LINES, COLUMNS = 50, 160
PATIENCE = 120


class Tools:
    """The tools on this machine. Those from PyPI are in an environment of their own."""

    packages = ("datasette", "visidata", "pyte")

    def __init__(self, folder, installs):
        self.folder = pathlib.Path(folder)
        self.missing = []
        if installs and not (self.folder / "bin/vd").exists():
            subprocess.run([sys.executable, "-m", "venv", str(self.folder)], check=True)
            subprocess.run([str(self.folder / "bin/pip"), "install", "-q", *self.packages], check=True)
        sys.path += [str(place) for place in self.folder.glob("lib/python*/site-packages")]
        self.lnav = self.find(shutil.which("lnav"), "lnav: apt-get install lnav")
        hint = f"Benchmarks/sources/run --install, which makes {self.folder}"
        self.visidata = self.find(self.own("vd"), f"VisiData: {hint}")
        self.datasette = self.find(self.own("datasette"), f"Datasette: {hint}")
        try:
            import pyte  # noqa: F401
        except ImportError:
            self.missing.append(f"pyte, which emulates terminals: {hint}")
            self.lnav = self.visidata = None

    def find(self, path, name):
        if path is None:
            self.missing.append(name)
        return path

    def own(self, name):
        path = self.folder / "bin" / name
        return str(path) if path.exists() else shutil.which(name)


class Screen:
    """A program in a pseudo terminal, and what it shows."""

    def __init__(self, words, home):
        import pyte

        self.emulated = pyte.Screen(COLUMNS, LINES)
        self.stream = pyte.ByteStream(self.emulated)
        self.began = time.monotonic()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm-256color", "HOME": str(home), "LC_ALL": "C.UTF-8"}
            os.environ.pop("XDG_CONFIG_HOME", None)
            os.execvp(words[0], words)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))

    def until(self, text):
        """Waits until a text is on the screen. Returns the time of the bytes that completed it."""
        arrived = time.monotonic()
        while not any(text in line for line in self.emulated.display):
            if time.monotonic() - arrived > PATIENCE or not self.read(1):
                shown = "\n".join(line.rstrip() for line in self.emulated.display if line.strip())
                raise AssertionError(f"“{text}” is not on the screen:\n{shown}")
            arrived = self.arrived
        return arrived

    def read(self, patience):
        """Reads what the program has written. Returns false at its end."""
        self.arrived = time.monotonic()
        if not select.select([self.terminal], [], [], patience)[0]:
            return True
        try:
            bytes = os.read(self.terminal, 1 << 16)
        except OSError:
            return False
        self.arrived = time.monotonic()
        self.stream.feed(bytes)
        return bytes != b""

    def settle(self, used, family):
        """Reads on until the program has nothing to do for a second. Returns its MiB."""
        end, before = time.monotonic() + PATIENCE, -1.0
        while True:
            mark = time.monotonic() + 1
            while time.monotonic() < mark:
                if not self.read(0.1):
                    break
            seconds, size = used(family(self.pid))
            if seconds - before < 0.05 or time.monotonic() > end:
                return size
            before = seconds

    def stop(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


class LogFile:
    """A log that grows; its newest line is on the screen first."""

    task, tool = "a log", "lnav"
    table, follows = "log", True

    def __init__(self, folder, rows):
        self.path, self.count = folder / "peer.log", 0
        self.grow(rows)
        self.name = f"a log of {rows:,} lines"
        self.source = {"logs": {"path": str(self.path)}, "name": self.table}

    def grow(self, lines):
        with self.path.open("a") as file:
            for self.count in range(self.count + 1, self.count + lines + 1):
                second = self.count % 60
                file.write(
                    f"2026-11-28T10:{self.count // 60 % 60:02}:{second:02}.000Z INFO worker[{self.count % 97}]: "
                    f"job {self.count:08} was finished in {self.count * 7919 % 1000} ms\n")

    @property
    def sign(self):
        return f"job {self.count:08}"

    def change(self):
        self.grow(1)

    def words(self, tools):
        return tools.lnav and [tools.lnav, str(self.path)]


class Table:
    """A CSV file, whose first rows are on the screen first."""

    tool = "VisiData"
    table, follows = "table", False
    sign = "name 000000007"

    def __init__(self, folder, rows):
        self.path = folder / "peer.csv"
        with self.path.open("w") as file:
            file.write("id,name,amount,share,place\n")
            for row in range(1, rows + 1):
                file.write(f"{row},name {row:09},{row * 7919 % 100_000},{row % 1000 / 1000},place {row % 50}\n")
        self.name = f"a CSV file of {rows:,} rows"
        self.source = {"duckdb": {"path": str(self.path)}, "name": self.table}

    def words(self, tools):
        return tools.visidata and [tools.visidata, str(self.path)]


class Output:
    """The output of a command."""

    tool = "VisiData"
    table, follows = "output", False
    command = "ls -l /usr/bin"

    def __init__(self, folder, rows):
        printed = subprocess.run(shlex.split(self.command), capture_output=True, text=True, check=True).stdout
        # A file without a target, since the table has those in another column.
        lines = [line for line in printed.splitlines()[1:20] if " -> " not in line]
        self.sign = lines[3].split()[-1]
        self.name = f"`{self.command}`, {printed.count(chr(10)) - 1:,} rows"
        self.source = {"watch": self.command, "name": self.table, "every": 1}

    def words(self, tools):
        return tools.visidata and ["sh", "-c", f"{self.command} | {shlex.quote(tools.visidata)} -f fixed"]


class Database:
    """A table of SQLite in the order of its newest rows."""

    tool = "Datasette"
    table, follows = "quotes", True
    query = {"sort": [{"column": "id", "descending": True}]}

    def __init__(self, folder, rows):
        self.path, self.count = folder / "peer.db", rows
        with sqlite3.connect(self.path) as database:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("CREATE TABLE quotes (id INTEGER PRIMARY KEY, name TEXT, amount REAL)")
            database.executemany(
                "INSERT INTO quotes VALUES (?, ?, ?)",
                ((row, f"name {row:09}", row * 7919 % 100_000 / 100) for row in range(1, rows + 1)))
        database.close()
        self.name = f"a SQLite table of {rows:,} rows"
        self.source = {"sqlite": {"path": str(self.path), "table": "quotes"}, "name": self.table}

    @property
    def sign(self):
        return f"name {self.count:09}"

    def change(self):
        self.count += 1
        with sqlite3.connect(self.path, timeout=60) as database:
            database.execute("INSERT INTO quotes VALUES (?, ?, ?)", [self.count, self.sign, 1.5])
        database.close()


class Server:
    """Datasette, asked for the first page of a table."""

    def __init__(self, path, database):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/{database.path.stem}/{database.table}?_sort_desc=id&_size=100"
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [path, "serve", str(database.path), "--port", str(port)], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)  # fmt: skip
        self.pid = self.process.pid

    def until(self, text):
        """Asks again and again until a text is on the page. Returns the time of the answer."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                with urllib.request.urlopen(self.url, timeout=PATIENCE) as answer:
                    if text in answer.read().decode():
                        return time.monotonic()
            except OSError:
                select.select([], [], [], 0.005)  # it does not listen yet
        raise AssertionError(f"“{text}” is not on the page")

    def settle(self, used, family):
        return used(family(self.pid))[1]

    def stop(self):
        self.process.kill()
        self.process.wait()


def started(task, tools, home):
    """Starts the tool for a task; returns None if it is missing."""
    if isinstance(task, Database):
        return tools.datasette and Server(tools.datasette, task)
    words = task.words(tools)
    return words and Screen(words, home)
