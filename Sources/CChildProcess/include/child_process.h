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
  uint64_t mark;           // tells this program's processes from all others; see child_kill_marked. 0: none
  uint32_t confinement;    // a set of child_confinement
  const char *hidden_folder;  // for CHILD_HIDES_BY_MOUNT and CHILD_HIDES_BY_LANDLOCK; absolute, without links
  const char *hidden_file;    // one more path to hide; NULL for none
};

// Restrictions of a program beyond those that always hold. All last until its end and are inherited by what it starts.
enum child_confinement {
  // No signal to our main thread, to our process group or to all processes at once (seccomp). A guard against accidents:
  // a program can still name another of our threads.
  CHILD_SPARES_SERVER = 1,
  // No signal to a process outside the program, and no ptrace or /proc/PID/mem of one (Landlock, Linux 6.12).
  CHILD_SIGNALS_ITSELF = 2,
  // An empty folder in the place of `hidden_folder` (mount namespace), without the capabilities that could undo it. Needs root.
  CHILD_HIDES_BY_MOUNT = 4,
  // No reading of files below `hidden_folder` (Landlock). Files that later appear directly in a folder above it cannot be
  // read either.
  CHILD_HIDES_BY_LANDLOCK = 8,
};

// Returns which of the restrictions in `wanted` this system supports, by applying each to a child that ends at once.
uint32_t child_supported(uint32_t wanted, const char *hidden_folder);

// Kills all processes that carry the mark, whatever session, group or parent they have. Returns how many it found.
int32_t child_kill_marked(uint64_t mark);

// Counts the processes with this mark and adds up the memory that they hold: pages in RAM, less those that are shared with files.
// Pages that processes share after a fork count once for each, unless `exactly` is not 0: then they are divided, which costs more.
int32_t child_measure_marked(uint64_t mark, int32_t exactly, uint64_t *bytes);

// Keeps the memory of this process to itself: no core dump, and no ptrace or /proc/PID/mem by other processes of its user.
void child_protect_self(void);

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

// Copies an open file to one in memory under `name`, of 249 bytes at most, that no child inherits. -1 on failure, with errno set.
// Where the file was read to does not change.
int32_t child_copy_file(int32_t file, const char *name);

// Lets the process go that has ended.
void child_reap(pid_t process);

#endif
