// Starts a child process with nothing of ours: its own session and process group, three file descriptors, limits.
//
// Only what Swift cannot call, fork() and its kin, and what must happen between fork and exec. Not swift-subprocess: it forks on any
// thread (PR_SET_PDEATHSIG ends the child with the thread that forked it), its hook before exec takes no arguments (limits differ from
// source to source), and a thread of its own waits for every child, so that a process group cannot be signalled before its number is free
// for others. Not posix_spawn: it knows neither limits nor prctl.

#ifndef CHILD_PROCESS_H
#define CHILD_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

// What to start, and how. UINT64_MAX: no limit of ours.
struct child_request {
  const char *path;
  char *const *arguments;    // ends with NULL
  char *const *environment;  // ends with NULL
  const char *folder;        // NULL: ours
  // Become 0, 1 and 2; nothing else stays open.
  int32_t input;
  int32_t output;
  int32_t errors;
  uint64_t data_bytes;     // RLIMIT_DATA
  uint64_t address_bytes;  // RLIMIT_AS
  uint64_t open_files;     // RLIMIT_NOFILE
  uint64_t processes;      // RLIMIT_NPROC: counts all of the user's, and means nothing to root
  int32_t nice;            // so much nicer than we are
};

// The new process, or -1; then the error number and the step that failed ("exec", "folder", ...) are told.
// The child is killed when the calling thread ends. [a thread that lives as long as the child is to live]
pid_t child_start(const struct child_request *request, int32_t *error, const char **step);

// A descriptor that becomes readable when the process ends; -1 when the kernel is older than 5.3.
int32_t child_watch(pid_t process);

// How a child is. WNOWAIT: it stays to be waited for, and its number is not given to another process before child_reap.
enum child_state { CHILD_RUNS, CHILD_STOPPED, CHILD_EXITED, CHILD_KILLED };

// Looks at it without waiting; `code` is the exit code or the signal.
enum child_state child_look(pid_t process, int32_t *code);

// A pipe that no other child inherits: the end to read from, the end to write to. A size other than 0 is a wish. 0, or the error number.
int32_t child_pipe(int32_t ends[2], int32_t size);

// A counter to wake a thread with that waits in poll(); no other child inherits it. -1 when no descriptor is left.
int32_t child_wake_file(void);

// A copy of an open file in memory, from its beginning to its end, that no other child inherits; -1 when there is none, and errno says why.
// Where the file was read to does not change.
int32_t child_copy_file(int32_t file);

// Lets the process go that has ended.
void child_reap(pid_t process);

#endif
