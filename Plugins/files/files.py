#!/usr/bin/env python3
"""Serves a folder and everything below it as a live table, with thumbnails of its images.

Needs Python 3.8. `thumbnail.py` in this folder makes the thumbnails; it needs Debian's python3-gi
and gir1.2-gdkpixbuf-2.0. inotify reports changes. docs/plugins/programs.md specifies the messages.
"""

import json
import os
import select
import socket
import struct
import subprocess
import sys
import time
from collections import OrderedDict

from tree import Tree

SETTINGS = {
    "type": "object",
    "required": ["path"],
    "properties": {
        "path": {"type": "string"},
        "size": {"type": "integer", "minimum": 16, "maximum": 512},
        "hidden": {"type": "boolean"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
        "thumbnailer": {"type": "string"},
    },
}

COLUMNS = [
    {"name": "thumbnail", "type": "image", "title": "", "style": "image", "width": 10, "deferred": True},
    {"name": "name", "type": "text", "title": "Name", "width": 32},
    {"name": "folder", "type": "text", "title": "Folder", "width": 32},
    {"name": "kind", "type": "text", "title": "Kind", "style": "badge", "width": 10},
    {"name": "size", "type": "integer", "title": "Size", "style": "bytes", "width": 10},
    {"name": "modified", "type": "timestamp", "title": "Modified", "style": "age", "width": 14},
]

IMAGES = {"png", "jpg", "jpeg", "gif", "bmp", "webp", "tif", "tiff", "ico", "svg", "pnm", "ppm", "xpm"}
WORKERS = 2
PATIENCE = 10  # seconds for one thumbnail
CACHE_BYTES = 32 << 20  # bytes of cached thumbnails
LARGEST = 512 << 10  # the maximum bytes of an image
LONGEST_KEY = 1_024
SETTLE = 0.05  # seconds in which changes are collected
ROWS_PER_LINE = 500


def send(**message):
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")


def ending(path):
    name = os.path.basename(path)
    return name.rsplit(".", 1)[1].lower() if "." in name[1:] else ""


class Worker:
    """A process that makes one thumbnail at a time."""

    def __init__(self, command):
        self.command = command
        self.process, self.input, self.job, self.since, self.rest, self.file = None, None, None, 0, b"", None

    def begin(self, job, file, size):
        """Starts a job with an open file, because its path may lead elsewhere by now.

        The file is closed when the job ends.
        """
        if self.process is None:
            self.input, theirs = socket.socketpair()
            self.process = subprocess.Popen(self.command, stdin=theirs, stdout=subprocess.PIPE)
            theirs.close()
            self.rest = b""
        self.job, self.since, self.file = job, time.monotonic(), file
        try:
            line = f"{size} {f'/proc/{os.getpid()}/fd/{file}'.encode().hex()}\n".encode()
            # thumbnail.py's sandbox blocks files of other processes, so it needs a descriptor.
            self.input.sendmsg([line], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", file))])
        except OSError:
            pass  # the worker has ended, which read() reports

    def read(self):
        """Returns the answer once it is complete, or `! reason` if the process has ended."""
        chunk = os.read(self.process.stdout.fileno(), 1 << 20)
        if not chunk:
            self.end()
            return "! the thumbnailer has ended"
        self.rest += chunk
        if not self.rest.endswith(b"\n"):
            return None
        line, self.rest = self.rest[:-1].decode(), b""
        self.close()
        return line

    def close(self):
        if self.file is not None:
            os.close(self.file)
        self.file = None

    def end(self):
        self.close()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.input.close()
            self.process.stdout.close()
        self.process, self.job = None, None


class Thumbnails:
    """Makes thumbnails in order of request, and caches them."""

    def __init__(self, tree, size, command):
        self.tree, self.size = tree, size
        self.workers = [Worker(command) for _ in range(WORKERS)]
        # (kind, name): path. A cell is named by its path, an image by its id.
        self.waiting = OrderedDict()
        self.cache, self.cache_bytes = OrderedDict(), 0

    def key(self, path):
        """Returns an id of this version of the image, unique among all images."""
        entry = self.tree.entries[path]
        return f"{path}|{entry.inode}.{entry.modified}.{entry.size}.{self.size}"

    def ask(self, kind, name, path):
        self.waiting[(kind, name)] = path
        self.go_on()

    def cancel(self, kind, name):
        self.waiting.pop((kind, name), None)
        for worker in self.workers:
            if worker.job is not None and worker.job[:2] == (kind, name):
                worker.end()  # a running decoder has no other way to be cancelled
        self.go_on()

    def go_on(self):
        for worker in self.workers:
            while worker.job is None and self.waiting:
                (kind, name), path = self.waiting.popitem(last=False)
                if path not in self.tree.entries:
                    self.fail(kind, name, "the file is gone")
                    continue
                try:
                    file = self.tree.open(path)
                except OSError as error:
                    self.fail(kind, name, error.strerror)
                    continue
                worker.begin((kind, name, path, self.key(path)), file, self.size)

    def read(self, worker):
        job = worker.job
        answer = worker.read()
        if answer is None:
            return
        worker.job = None
        if job is not None:
            self.finish(job, answer)
        self.go_on()

    def finish(self, job, answer):
        kind, name, path, key = job
        if answer.startswith("! "):
            self.fail(kind, name, answer[2:])
        elif len(answer) * 3 // 4 > LARGEST or len(key.encode()) > LONGEST_KEY:
            self.fail(kind, name, "its thumbnail, or its name, is too long")
        else:
            self.keep(key, answer)
            if kind == "cell":
                send(type="loaded", key=path, column="thumbnail", value=key)
            else:
                send(type="image", id=name, data=answer)

    def fail(self, kind, name, reason):
        if kind == "cell":
            send(type="failed", key=name, column="thumbnail", reason=reason)
        else:
            send(type="image", id=name, error=reason)

    def keep(self, key, data):
        self.cache_bytes += len(data) - len(self.cache.pop(key, ""))
        self.cache[key] = data
        while self.cache_bytes > CACHE_BYTES:
            self.cache_bytes -= len(self.cache.popitem(last=False)[1])

    def load(self, path):
        if path not in self.tree.entries or ending(path) not in IMAGES or self.tree.entries[path].is_folder:
            send(type="loaded", key=path, column="thumbnail", value=None)
        elif self.key(path) in self.cache:
            send(type="loaded", key=path, column="thumbnail", value=self.key(path))
        else:
            self.ask("cell", path, path)

    def image(self, number, key):
        path = key.rsplit("|", 1)[0]
        # Only files in the table are served, and only in their current version.
        if path not in self.tree.entries or self.key(path) != key:
            send(type="image", id=number, data=None)
        elif key in self.cache:
            self.cache.move_to_end(key)
            send(type="image", id=number, data=self.cache[key])
        else:
            self.ask("image", number, path)

    def end_overdue(self, now):
        for worker in self.workers:
            if worker.job is not None and now - worker.since >= PATIENCE:
                kind, name = worker.job[:2]
                worker.end()
                self.fail(kind, name, f"it has taken more than {PATIENCE} seconds")
        self.go_on()


def row(tree, path):
    entry = tree.entries[path]
    folder, name = os.path.split(path)
    kind = "folder" if entry.is_folder else ending(path) or "file"
    return [
        path, None, name, folder, kind, entry.size,
        f"{entry.modified // 1_000_000}.{entry.modified % 1_000_000:06d}"]


def tell(tree, changed, gone):
    if gone:
        for first in range(0, len(gone), ROWS_PER_LINE):
            send(type="delete", keys=gone[first:first + ROWS_PER_LINE])
    changed = [path for path in changed if path in tree.entries]
    for first in range(0, len(changed), ROWS_PER_LINE):
        send(type="upsert", rows=[row(tree, path) for path in changed[first:first + ROWS_PER_LINE]])


def begin(settings):
    """Scans the folder and sends its schema and rows. Returns the tree and its thumbnails."""
    root = os.path.abspath(settings["path"])
    if not os.path.isdir(root):
        send(type="refuse", setting="path", reason=f"'{settings['path']}' is not a folder")
        sys.stdout.flush()
        sys.exit(0)
    tree = Tree(root, settings.get("hidden", False), settings.get("limit", 100_000))
    send(
        type="schema", name="files", title=f"Files in {os.path.basename(root) or root}", key="text",
        label="name", columns=COLUMNS, prefetch={"inFlight": 8, "patience": 30_000})
    changed, _ = tree.scan()
    tell(tree, sorted(changed), [])
    send(type="commit")
    if tree.is_cut:
        send(type="state", state="live", message=f"only the first {tree.limit} files are shown")
    here = os.path.dirname(os.path.abspath(__file__))
    command = (
        [settings["thumbnailer"]] if "thumbnailer" in settings
        else ["/usr/bin/python3", os.path.join(here, "thumbnail.py"), tree.root])
    return tree, Thumbnails(tree, settings.get("size", 96), command)


def receive(message, thumbnails):
    kind = message.get("type")
    if kind == "load":
        for path, _ in message["cells"]:
            thumbnails.load(path)
    elif kind == "cancel":
        for path, _ in message.get("cells", []):
            thumbnails.cancel("cell", path)
        for number in message.get("images", []):
            thumbnails.cancel("image", number)
    elif kind == "image":
        thumbnails.image(message["id"], message["key"])


def main():
    send(type="hello", version=1, capabilities=["health", "commits", "images"], settings=SETTINGS)
    tree, thumbnails, rest = None, None, b""
    dirty, settles = set(), None
    while True:
        sys.stdout.flush()
        workers = {w.process.stdout.fileno(): w for w in thumbnails.workers if w.process} if thumbnails else {}
        files = [0, *workers] + ([tree.file] if tree else [])
        patience = (
            max(0, settles - time.monotonic()) if settles
            else 1 if any(w.job for w in workers.values()) else None)
        ready = select.select(files, [], [], patience)[0]
        if 0 in ready:
            chunk = os.read(0, 65_536)
            if not chunk:
                sys.exit(0)
            *lines, rest = (rest + chunk).split(b"\n")
            for message in (json.loads(line) for line in lines if line.strip()):
                if message.get("type") == "health":
                    send(type="health", id=message.get("id"))
                elif message.get("type") == "configure":
                    tree, thumbnails = begin(message.get("settings", {}))
                elif thumbnails:
                    receive(message, thumbnails)
        for file, worker in workers.items():
            if file in ready and worker.process:
                thumbnails.read(worker)
        if tree and tree.file in ready:
            dirty |= tree.dirty()
            settles = settles or time.monotonic() + SETTLE
        now = time.monotonic()
        if settles and settles <= now:
            if "" in dirty and not os.path.isdir(tree.root):
                sys.exit("the folder is gone")  # the host restarts the plugin
            for folder in sorted(dirty):
                if folder not in tree.children:
                    continue
                before = {
                    path: tree.entries[path]
                    for path in map(lambda n: os.path.join(folder, n), tree.children[folder])
                    if path in tree.entries}
                changed, gone = tree.scan(folder)
                tell(tree, sorted(changed), gone)
                for path in changed:
                    if path in before and path in tree.entries:
                        send(type="forget", key=path, column="thumbnail")
                send(type="commit")
            dirty, settles = set(), None
        if thumbnails:
            thumbnails.end_overdue(now)


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        # The host has closed the pipe, which is a normal end. Further output would fail.
        sys.stderr.close()
        sys.exit(0)
