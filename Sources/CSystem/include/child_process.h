// Starts a child process that inherits nothing from the server: it gets its own session, process
// group, three descriptors and limits.
//
// In C because Swift cannot call fork() and related functions, nor run code between fork and exec.
// - swift-subprocess is not suitable. It forks on any thread, but PR_SET_PDEATHSIG kills the child
//   when that thread ends. Its pre-exec hook takes no arguments, but limits differ by source. It
//   reaps children on its own thread, so a group's id may be reused before it is signalled.
// - posix_spawn supports neither limits nor prctl.

#ifndef CHILD_PROCESS_H
#define CHILD_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

// A child process to start. UINT64_MAX in a limit means no limit.
struct child_request {
  const char *path;
  char *const *arguments;    // ends with NULL
  char *const *environment;  // ends with NULL
  const char *folder;        // NULL: the server's folder
  // Become descriptors 0, 1 and 2. All others are closed.
  int32_t input;
  int32_t output;
  int32_t errors;
  uint64_t data_bytes;     // RLIMIT_DATA
  uint64_t address_bytes;  // RLIMIT_AS
  uint64_t open_files;     // RLIMIT_NOFILE
  uint64_t processes;      // RLIMIT_NPROC: counts all processes of the user; ignored for root
  int32_t nice;            // added to the server's niceness
  uint64_t mark;           // marks the program's processes, see child_kill_marked; 0: none
  uint32_t confinement;    // bits of enum child_confinement
  const char *hidden_folder;  // for CHILD_HIDES_BY_MOUNT and CHILD_HIDES_BY_LANDLOCK; absolute, without links
  const char *hidden_file;    // another path to hide; NULL: none
};

// Optional restrictions of a program. They last until its end, and its child processes inherit
// them.
enum child_confinement {
  // Denies signals to the server's main thread, its process group, and all processes at once
  // (seccomp). It guards against accidents only: a program can still signal another thread of the
  // server.
  CHILD_SPARES_SERVER = 1,
  // Denies signals, ptrace and /proc/PID/mem to processes outside the program (Landlock, Linux
  // 6.12).
  CHILD_SIGNALS_ITSELF = 2,
  // Replaces `hidden_folder` by an empty folder (mount namespace) and drops the capabilities that
  // could undo it. Needs root.
  CHILD_HIDES_BY_MOUNT = 4,
  // Denies reading files below `hidden_folder` (Landlock). Files created later directly in its
  // parent folders are not readable either.
  CHILD_HIDES_BY_LANDLOCK = 8,
};

// Returns the subset of `wanted` that this system supports. It applies each restriction to a
// short-lived child.
uint32_t child_supported(uint32_t wanted, const char *hidden_folder);

// Kills all processes with this mark in any session, group or parent. Returns the number of kills.
int32_t child_kill_marked(uint64_t mark);

// Counts the processes with this mark and sums their memory: resident pages minus those shared with
// files. Pages shared after a fork count once per process. If `exactly` is not 0 they are divided
// among the processes, which is slower.
int32_t child_measure_marked(uint64_t mark, int32_t exactly, uint64_t *bytes);

// Protects the memory of this process: no core dumps, ptrace or /proc/PID/mem for other processes
// of the same user.
void child_protect_self(void);

// Starts a child process and returns its id. On failure it returns -1, an errno and the name of the
// failed step ("exec", "folder", ...). The child is killed when the calling thread ends.
// [a thread that lives as long as the child]
pid_t child_start(const struct child_request *request, int32_t *error, const char **step);

// Returns a descriptor that becomes readable when the process ends, or -1 before Linux 5.3.
int32_t child_watch(pid_t process);

// The state of a child. An ended child is not reaped (WNOWAIT), so its id is not reused before
// child_reap.
enum child_state { CHILD_RUNS, CHILD_STOPPED, CHILD_EXITED, CHILD_KILLED };

// Returns the child's state without waiting; `code` receives the exit code or the signal.
enum child_state child_look(pid_t process, int32_t *code);

// Creates a close-on-exec pipe; `ends` receives the read end and the write end. A size other than 0
// is a hint. Returns 0 or an errno.
int32_t child_pipe(int32_t ends[2], int32_t size);

// Creates a close-on-exec event counter that wakes a thread in poll(). Returns -1 if no descriptor
// is available.
int32_t child_wake_file(void);

// Copies an open file to a close-on-exec memory file with this name of at most 249 bytes. The file
// offset does not change. Returns -1 with errno set on failure.
int32_t child_copy_file(int32_t file, const char *name);

// Reaps a child that has ended.
void child_reap(pid_t process);

#endif
