#!/usr/bin/python3
"""Makes thumbnails: a line `SIZE PATH` (the path in hexadecimal) is answered by a line with the JPEG or PNG in base64, or `! reason`.

A process of its own, so that an image that takes too long, or too much, can be ended. The work is GdkPixbuf's.
"""

import base64
import resource
import sys

import gi

gi.require_version("GdkPixbuf", "2.0")
from gi.repository import GdkPixbuf, GLib  # noqa: E402

MEMORY = 1 << 30
FILE = 64 << 20
PIXELS = 100_000_000


def thumbnail(path, size):
    _, width, height = GdkPixbuf.Pixbuf.get_file_info(path)
    if width <= 0 or height <= 0:
        raise ValueError("it is no image that can be read")
    if width * height > PIXELS:
        raise ValueError("it has too many pixels")
    small = min(size, max(width, height))
    picture = GdkPixbuf.Pixbuf.new_from_file_at_scale(path, small, small, True)
    picture = picture.apply_embedded_orientation() or picture
    kind, names, values = ("png", [], []) if picture.get_has_alpha() else ("jpeg", ["quality"], ["80"])
    done, data = picture.save_to_bufferv(kind, names, values)
    if not done:
        raise ValueError("it cannot be written")
    return bytes(data)


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # A decoder that an image has taken over writes no file and leaves no core.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        size, path = line.split()
        try:
            with open(bytes.fromhex(path), "rb") as file:
                file.seek(0, 2)
                if file.tell() > FILE:
                    raise ValueError("it is too large a file")
            answer = base64.b64encode(thumbnail(bytes.fromhex(path).decode(), int(size))).decode()
        except (GLib.Error, ValueError, OSError, MemoryError) as error:
            answer = "! " + " ".join(str(getattr(error, "message", error)).split())[:200]
        print(answer, flush=True)


if __name__ == "__main__":
    main()
