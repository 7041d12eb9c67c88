// A process that is held: whatever it does, its handle never comes to mean another one, as its number may.
//
// Only what Swift cannot call: syscall() takes any number of arguments.

#ifndef PROCESS_HANDLE_H
#define PROCESS_HANDLE_H

#include <stdint.h>

// A handle of the process that has this number now, to be closed; -1, and errno says why.
int32_t process_open(int32_t process);

// Sends a signal to the very process; 0 only looks whether it is there. 0, or -1, and errno says why.
int32_t process_signal(int32_t handle, int32_t signal);

// Sets the niceness of one thread. 0, or -1, and errno says why.
int32_t process_set_nice(int32_t thread, int32_t nice);

#endif
