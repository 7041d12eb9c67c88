"""Starts and stops the server under test.

The variable ROWCAST selects its command (default: .build/release/rowcast), for example the stand-in
server:

    ROWCAST='node Tests/browser/fake_server.mjs' python -m unittest discover -s Tests/browser
"""

import os
import pathlib
import queue
import shlex
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = shlex.split(os.environ.get("ROWCAST", str(ROOT / ".build/release/rowcast")))
# The page: its modules, or a bundle of them.
WEB = os.environ.get("ROWCAST_WEB", str(ROOT / "web"))
# Follows the protocol with tables that no plugin has: 50 million rows, 500 columns.
STAND_IN = ["node", str(ROOT / "Tests/browser/fake_server.mjs")]
IS_STAND_IN = any(part.endswith("fake_server.mjs") for part in COMMAND)


class Server:
    """A process of `rowcast serve` with plugins, or of another subcommand.

    `stop()` or leaving a `with` block ends it.
    """

    def __init__(self, *plugins, settings=None, port=0, options=("--no-token",), command=None, what=("serve",)):
        arguments = [*what, "--port", str(port), "--web", WEB]
        arguments += [] if IS_STAND_IN or command is not None else options
        for plugin in plugins:
            arguments += ["--plugin", plugin]
        settings = dict(settings or {})
        if "market" in plugins:
            settings.setdefault("market.change", "false")  # rows in the order of their ids
        for key, value in settings.items():
            arguments += ["--set", f"{key}={value}"]
        self.process = subprocess.Popen((command or COMMAND) + arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        lines = queue.Queue()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        self.url = None
        while self.url is None:
            try:
                line = lines.get(timeout=60)
            except queue.Empty:
                self.stop()
                raise AssertionError("the server did not say where it listens") from None
            if line is None:
                raise AssertionError(f"the server ended with {self.process.wait()} before it listened")
            if "listening on " in line:
                self.url = line.split("listening on ", 1)[1].split()[0]
        self.origin = self.url.split("#")[0].split("?")[0].rstrip("/")
        self.port = int(self.origin.rsplit(":", 1)[1])

    @property
    def pid(self):
        return self.process.pid

    def _read(self, lines):
        for line in self.process.stdout:
            lines.put(line)
        lines.put(None)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
