// Writes down in whose code this process crashes, and on standard error also whose code ends it by exit, _exit or _Exit: the one thing
// that is left to be said of a shared library that takes its host with it.
//
// In C because a signal handler may do very little, and nothing of what Swift does by itself.

#ifndef CRASH_NOTE_H
#define CRASH_NOTE_H

// Opens the file to be written to, which is made when it is not there. Once. 0, or what is wrong (errno).
int crash_note_open(const char *path);

// Listens to the signals of crashes and to exits. Once, before the first library is loaded.
void crash_note_watch(void);

// From now on the calling thread is in the code that this line names: it ends with a newline, and stays as it is for ever.
// Gives what it was in before, for crash_note_leave. NULL: in ours.
const char *crash_note_enter(const char *line);

// The calling thread is back in what it was in before.
void crash_note_leave(const char *before);

// The loaded file that has this address in it is what the line names: for a library's own threads.
void crash_note_library(const void *address, const char *line);

#endif
