#!/usr/bin/python3
"""Makes thumbnails of images with GdkPixbuf, in a separate process that can be killed.

`thumbnail.py FOLDER` reads requests from the socket at standard input. A request is a line `SIZE
PATH`, with the path in hexadecimal. If a descriptor comes with the line (SCM_RIGHTS), that file is
read instead of the path. The answer is a line with the JPEG or PNG in base64, or `! reason`.

`sandbox.py` restricts the process to files below the folder. The host kills it if an image takes
too much time or memory.
"""

import base64
import os
import resource
import socket
import struct
import sys

import gi

gi.require_version("GdkPixbuf", "2.0")
from gi.repository import GdkPixbuf, GLib  # noqa: E402

import sandbox  # noqa: E402

MEMORY = 1 << 30
FILE = 64 << 20
PIXELS = 100_000_000


def thumbnail(path, size):
    _, width, height = GdkPixbuf.Pixbuf.get_file_info(path)
    if width <= 0 or height <= 0:
        raise ValueError("it is not an image in a known format")
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


def receive(requests):
    """Returns the next request, sent as one message, and the descriptors that came with it.

    The request is empty at the end of the input.
    """
    line, ancillary, _, _ = requests.recvmsg(65_536, socket.CMSG_SPACE(4))
    files = []
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            files += struct.unpack(f"{len(data) // 4}i", data[: len(data) // 4 * 4])
    return line, files


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    # A decoder that is compromised by an image can neither write files nor dump core.
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sandbox.enter(sys.argv[1:])
    requests = socket.socket(fileno=0)
    while True:
        line, files = receive(requests)
        if not line.endswith(b"\n"):
            break
        size, path = line.decode().split()
        if files:
            path = f"/proc/self/fd/{files[0]}".encode().hex()
        try:
            with open(bytes.fromhex(path), "rb") as file:
                file.seek(0, 2)
                if file.tell() > FILE:
                    raise ValueError("it is too large a file")
            answer = base64.b64encode(thumbnail(bytes.fromhex(path).decode(), int(size))).decode()
        except (GLib.Error, ValueError, OSError, MemoryError) as error:
            answer = "! " + " ".join(str(getattr(error, "message", error)).split())[:200]
        print(answer, flush=True)
        for file in files:
            os.close(file)


if __name__ == "__main__":
    main()
