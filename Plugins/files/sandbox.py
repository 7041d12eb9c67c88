"""Drops the rights of this process that decoding an image does not need.

The restrictions apply as far as the system supports them. After `enter(folders)` the process can
only read files below `folders` and the system's libraries. Landlock (Linux 5.13) denies all other
files. seccomp denies starting programs, sockets and access to other processes. Both last until the
process ends.
"""

import ctypes
import os
import platform
import struct
import sys

LIBRARIES = ["/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom"]

# Access rights of linux/landlock.h. `ALL` has every right of version 1 except listing folders.
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
ALL = (1 << 13) - 1 & ~READ_DIR
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PATH_BENEATH = 1

# Numbers of the denied system calls: socket, socketpair, connect, execve, execveat, ptrace, kill,
# tkill, tgkill, process_vm_readv, process_vm_writev, pidfd_open, bpf, io_uring_setup, keyctl.
DENIED = {
    "x86_64": (0xC000003E, [41, 53, 42, 59, 322, 101, 62, 200, 234, 310, 311, 434, 321, 425, 250]),
    "aarch64": (0xC00000B7, [198, 199, 203, 221, 281, 117, 129, 130, 131, 270, 271, 434, 280, 425, 219]),
}
ERRNO, ALLOW = 0x00050000, 0x7FFF0000
EPERM = 1

libc = ctypes.CDLL(None, use_errno=True)


def enter(folders):
    """Restricts this process. Returns the names of what is in force."""
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    return [name for name, is_held in (("landlock", hide_files(folders)), ("seccomp", deny_calls())) if is_held]


def hide_files(folders):
    handled = struct.pack("=Q", ALL)
    ruleset = libc.syscall(CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    if ruleset < 0:
        return False
    try:
        for path in {*LIBRARIES, sys.base_prefix, *folders}:
            try:
                file = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            rule = struct.pack("=Qi", READ_FILE, file)
            libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0)
            os.close(file)
        return libc.syscall(RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def deny_calls():
    architecture, numbers = DENIED.get(platform.machine(), (0, []))
    if not numbers:
        return False
    # Classic BPF instructions: load a word, jump if equal, return.
    load = lambda offset: (0x20, 0, 0, offset)
    program = [load(4), (0x15, 1, 0, architecture), (0x06, 0, 0, ERRNO | EPERM), load(0)]
    program += [(0x15, len(numbers) - index, 0, number) for index, number in enumerate(numbers)]
    program += [(0x06, 0, 0, ALLOW), (0x06, 0, 0, ERRNO | EPERM)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    header = struct.pack("=H6xQ", len(program), ctypes.addressof(code))
    return libc.prctl(22, 2, header, 0, 0) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
