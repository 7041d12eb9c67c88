// Handles of processes (pidfds). A handle always refers to the same process, but the kernel reuses
// process ids.
//
// In C because syscall() is variadic, and Swift cannot call variadic functions.

#ifndef PROCESS_HANDLE_H
#define PROCESS_HANDLE_H

#include <stdint.h>

// Returns a handle of the process with this id, which the caller closes, or -1 with errno set.
int32_t process_open(int32_t process);

// Sends a signal to the process; signal 0 only checks whether it exists. Returns 0, or -1 with
// errno set.
int32_t process_signal(int32_t handle, int32_t signal);

// Sets the niceness of a thread. Returns 0, or -1 with errno set.
int32_t process_set_nice(int32_t thread, int32_t nice);

#endif
