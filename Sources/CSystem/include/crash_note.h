// Records the shared library in which this process crashes, in a file and on standard error. Calls
// of exit, _exit and _Exit by a library are reported on standard error.
//
// In C because a signal handler may only use async-signal-safe functions, which Swift code does not
// guarantee.

#ifndef CRASH_NOTE_H
#define CRASH_NOTE_H

// Opens the file for crash records and creates it if necessary. Call it once. Returns 0 or an
// errno.
int crash_note_open(const char *path);

// Installs handlers for crash signals and exits. Call it once, before the first library is loaded.
void crash_note_watch(void);

// Marks the calling thread as running the code that `line` names. The line ends with a newline and
// must stay valid for the life of the process; NULL means the host's own code. Returns the previous
// line, for crash_note_leave.
const char *crash_note_enter(const char *line);

// Restores the calling thread's previous line.
void crash_note_leave(const char *before);

// Assigns `line` to the loaded file that contains this address, for threads that the library
// starts.
void crash_note_library(const void *address, const char *line);

#endif
