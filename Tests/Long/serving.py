"""A server process under test, and the system's figures about it."""

import os
import pathlib
import re
import shlex
import subprocess
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = shlex.split(os.environ.get("ROWCAST", str(ROOT / ".build/release/rowcast")))


def plugin(path, settings):
    """Returns the options for a plugin with these settings."""
    words = ["--plugin", str(path)]
    for setting, value in settings.items():
        words += ["--set", f"{pathlib.Path(path).stem}.{setting}={value}"]
    return words


class Server:
    """`rowcast serve` with these options, and the lines that it prints.

    `limit` is the maximum number of open files; `prefix` is put before the command.
    """

    # The greatest number of lines that are kept.
    most_lines = 20_000

    def __init__(self, *options, port=0, limit=None, prefix=(), command=COMMAND):
        words = [*prefix, *command, "serve", "--port", str(port), "--no-token", "--log-level", "info", *options]
        if limit is not None:
            words = ["sh", "-c", f"ulimit -n {limit} && exec {shlex.join(words)}"]
        self.log = []
        self.process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.ready = threading.Event()
        self.ended = threading.Event()
        self.port = None
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if not self.ready.wait(60) or self.port is None:
            self.kill()
            raise AssertionError("the server does not listen: " + "".join(self.log)[-2000:])

    def _read(self):
        with self.process.stdout as lines:
            for line in lines:
                self.log.append(line)
                del self.log[:-self.most_lines]
                found = re.search(r"listening on \w+://[^:/]+:(\d+)", line)
                if found:
                    self.port = int(found[1])
                    self.ready.set()
        self.ended.set()
        self.ready.set()

    def programs(self, word):
        """Returns the process ids of its programs with this word in their command lines."""
        found = []
        for children in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            try:
                for child in children.read_text().split():
                    if word in pathlib.Path(f"/proc/{child}/cmdline").read_text():
                        found.append(int(child))
            except OSError:  # it has ended meanwhile
                continue
        return sorted(found)

    @property
    def resident(self):
        """The resident memory in bytes."""
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @property
    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def cpu(self):
        """The CPU time used so far, in seconds."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def metrics(self):
        """Returns the values of /metrics by name and labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return {
            line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if line
            and not line.startswith("#")}

    def wait_for_no_sessions(self, patience=120):
        deadline = time.monotonic() + patience
        while self.metrics()["rowcast_sessions"] > 0:
            assert time.monotonic() < deadline, f"sessions are left after {patience} s"

    def wait_for_files(self, most, patience=60):
        """Waits until at most `most` files are open.

        Connections whose end is on its way, such as that of `metrics`, still count for a moment.
        """
        deadline = time.monotonic() + patience
        while self.files > most:
            assert time.monotonic() < deadline, f"{self.files - most} files are left open"
            self.ended.wait(0.05)

    def kill(self):
        """Kills the process, as a crash would."""
        self.process.kill()
        self.process.wait()

    def stop(self, patience=60):
        """Stops the server. Returns its exit status and the time it took."""
        began = time.monotonic()
        self.process.terminate()
        try:
            status = self.process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            self.kill()
            status = None
        self.reader.join(5)
        return status, time.monotonic() - began

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()


class Serving(Server):
    """`rowcast serve` with the market plugin, whose `rows` and `rate` are these."""

    def __init__(self, rows=10_000, rate=1_000, batches=10, interval=None, options=(), **more):
        market = plugin("market", {"rows": rows, "rate": rate, "batches": batches, "change": "false"})
        interval = [] if interval is None else ["--interval", str(interval)]
        super().__init__(*market, *interval, *options, **more)

    def wait_for_rows(self, rows, patience=120):
        deadline = time.monotonic() + patience
        while self.metrics().get('rowcast_source_rows{table="quotes"}') != rows:
            if time.monotonic() > deadline:
                raise AssertionError("the rows do not come")
            self.ended.wait(0.05)
        assert not self.ended.is_set(), "the server has ended"
