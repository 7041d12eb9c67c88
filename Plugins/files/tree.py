"""A folder tree whose changes are reported by inotify."""

import ctypes
import errno
import os
import stat
import struct

IN_MODIFY, IN_ATTRIB, IN_CLOSE_WRITE = 0x2, 0x4, 0x8
IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE, IN_DELETE_SELF, IN_MOVE_SELF = 0x40, 0x80, 0x100, 0x200, 0x400, 0x800
IN_Q_OVERFLOW, IN_IGNORED, IN_ONLYDIR, IN_DONT_FOLLOW = 0x4000, 0x8000, 0x1000000, 0x2000000
WATCHED = (
    IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE
    | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW)

libc = ctypes.CDLL(None, use_errno=True)


class Entry:
    """The metadata of a file or folder."""

    __slots__ = ("is_folder", "size", "modified", "inode")

    def __init__(self, status):
        self.is_folder = stat.S_ISDIR(status.st_mode)
        self.size = None if self.is_folder else status.st_size
        self.modified = status.st_mtime_ns
        self.inode = status.st_ino

    def __eq__(self, other):
        return (self.is_folder, self.size, self.modified, self.inode) == (
            other.is_folder, other.size, other.modified, other.inode)


class Tree:
    """The files below a folder, by their relative paths. Symbolic links are not followed."""

    def __init__(self, root, hidden, limit):
        self.root, self.hidden, self.limit = root, hidden, limit
        self.entries = {}
        self.children = {}  # the names of the entries by folder
        self.watches, self.folders = {}, {}
        self.is_cut = False
        self.file = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.file < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def full(self, path):
        return os.path.join(self.root, path) if path else self.root

    def open(self, path):
        """Returns a descriptor of the file that the table lists under this path.

        Raises `OSError` if the path now leads to another file or through a symbolic link.
        """
        *folders, name = path.split(os.sep)
        place = os.open(self.root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for folder in folders:
                inner = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
                os.close(place)
                place = inner
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
        finally:
            os.close(place)
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_ino != self.entries[path].inode:
            os.close(file)
            raise OSError(errno.ESTALE, "it is another file by now")
        return file

    def scan(self, folder=""):
        """Scans a folder and every folder below it that is not known yet.

        Returns the paths that were added or changed, and those that were removed.
        """
        changed, gone, open_folders = [], [], [folder]
        while open_folders:
            folder = open_folders.pop()
            self.watch(folder)
            names = set()
            try:
                found = list(os.scandir(self.full(folder)))
            except OSError:
                found = []  # deleted or not readable
            for item in found:
                if not self.hidden and item.name.startswith("."):
                    continue
                path = os.path.join(folder, item.name)
                try:
                    path.encode()
                    status = item.stat(follow_symlinks=False)
                except (OSError, UnicodeEncodeError):
                    continue  # deleted since, or its name is not valid text
                if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
                    continue
                known, entry = self.entries.get(path), Entry(status)
                if known is None and len(self.entries) >= self.limit:
                    self.is_cut = True
                    continue
                names.add(item.name)
                if known is not None and known.inode != entry.inode and known.is_folder:
                    self.forget(path, gone)
                    known = None
                if known is None or known != entry:
                    self.entries[path] = entry
                    changed.append(path)
                if entry.is_folder and path not in self.children:
                    open_folders.append(path)
            for name in self.children.get(folder, set()) - names:
                self.forget(os.path.join(folder, name), gone)
            self.children[folder] = names
        return changed, [path for path in gone if path not in self.entries]

    def forget(self, path, gone):
        if self.entries.pop(path, None) is None:
            return
        gone.append(path)
        for name in self.children.pop(path, ()):
            self.forget(os.path.join(path, name), gone)
        watch = self.folders.pop(path, None)
        if watch is not None and self.watches.pop(watch, None) is not None:
            libc.inotify_rm_watch(self.file, watch)

    def watch(self, folder):
        if folder in self.folders:
            return
        watch = libc.inotify_add_watch(self.file, os.fsencode(self.full(folder)), WATCHED)
        if watch >= 0:
            # A folder that was moved keeps its watch, so its old name is removed.
            self.folders.pop(self.watches.get(watch), None)
            self.watches[watch], self.folders[folder] = folder, watch

    def dirty(self):
        """Reads the pending inotify events and returns the folders that changed."""
        folders = set()
        try:
            events = os.read(self.file, 1 << 16)
        except BlockingIOError:
            return folders
        place = 0
        while place < len(events):
            watch, mask, _, length = struct.unpack_from("iIII", events, place)
            place += 16 + length
            if mask & IN_Q_OVERFLOW:
                return set(self.children)
            folder = self.watches.get(watch)
            if mask & IN_IGNORED:
                self.watches.pop(watch, None)
                if self.folders.get(folder) == watch:
                    del self.folders[folder]
            elif folder is not None and mask & (IN_DELETE_SELF | IN_MOVE_SELF):
                folders.add(os.path.dirname(folder))
            elif folder is not None:
                folders.add(folder)
        return folders
