#define _GNU_SOURCE
#include "child_process.h"

#include "confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int limit(int resource, uint64_t value) {
  if (value == UINT64_MAX) return 0;
  struct rlimit now;
  if (getrlimit(resource, &now) != 0) return -1;
  // Only root may raise its own hard limit, so a lower one stays.
  if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) value = now.rlim_max;
  const struct rlimit wanted = {.rlim_cur = value, .rlim_max = value};
  return setrlimit(resource, &wanted);
}

// Closes all descriptors from 3 on except `kept`, which exec closes; -1 for none.
static void close_all_but_three(int kept) {
  if (kept < 0 && close_range(3, UINT_MAX, 0) == 0) return;
  if (kept > 3 && close_range(3, (unsigned)kept - 1, 0) == 0 && close_range((unsigned)kept + 1, UINT_MAX, 0) == 0) return;
  if (kept == 3 && close_range(4, UINT_MAX, 0) == 0) return;
  // Before Linux 5.9. Descriptors above the limit exist only if the process has lowered its limit.
  struct rlimit files;
  int last = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 65536 ? (int)files.rlim_cur : 65536;
  for (int file = 3; file < last; file++)
    if (file != kept) close(file);
}

static void write_group_niceness(const char *path, int32_t nice) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // At most two digits. snprintf may lock, which is unsafe between fork and exec.
  const char text[2] = {(char)('0' + nice / 10 % 10), (char)('0' + nice % 10)};
  (void)!write(file, nice < 10 ? text + 1 : text, nice < 10 ? 1 : 2);
  close(file);
}

// Lowers the child's CPU priority. With autogroups, the kernel schedules sessions, and a process's
// niceness only counts within its session. The session's group therefore gets the niceness as well.
// Failures are ignored.
static void be_nice(int32_t nice) {
  if (nice <= 0) return;
  errno = 0;
  const int before = getpriority(PRIO_PROCESS, 0);
  if (errno == 0) (void)setpriority(PRIO_PROCESS, 0, before + nice);
  write_group_niceness("/proc/self/autogroup", nice);
}

// Sets the session's niceness from the parent. While the child shares the parent's protected
// memory, the child's files in /proc belong to root.
static void make_session_nice(pid_t process, int32_t nice) {
  if (nice <= 0 || geteuid() == 0) return;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/autogroup", (int)process);
  write_group_niceness(path, nice);
}

// Makes the kernel's OOM killer prefer the child to the server. Failures are ignored.
static void offer_to_kernel(pid_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)process);
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)!write(file, "500", 3);
  close(file);
}

// Runs in the child (vfork), which shares the parent's memory while the calling thread is
// suspended. Only calls that affect nothing but the child process are safe.
static _Noreturn void become(
    const struct child_request *request, const struct confinement *confinement, pid_t parent, const sigset_t *none, volatile int *error,
    const char *volatile *step) {
  *step = "session";
  if (setsid() < 0) goto failed;
  // Ignored signals stay ignored after exec, but a plugin must die of SIGPIPE like any other
  // program.
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  be_nice(request->nice);
  *step = "descriptors";
  if (dup2(request->input, 0) < 0 || dup2(request->output, 1) < 0 || dup2(request->errors, 2) < 0) goto failed;
  close_all_but_three(confinement->ruleset);
  *step = "folder";
  if (request->folder != NULL && chdir(request->folder) != 0) goto failed;
  *step = "limits";
  if (limit(RLIMIT_DATA, request->data_bytes) != 0 || limit(RLIMIT_AS, request->address_bytes) != 0 ||
      limit(RLIMIT_NOFILE, request->open_files) != 0 || limit(RLIMIT_NPROC, request->processes) != 0 ||
      limit(RLIMIT_CORE, 0) != 0)
    goto failed;
  *step = "privileges";
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) goto failed;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) goto failed;
  // The parent may have died before the call above.
  if (getppid() != parent) _exit(127);
  *step = "mark";
  if (request->mark != 0 && confinement_mark(request->mark) != 0) goto failed;
  *step = confinement_enter(confinement);
  if (*step != NULL) goto failed;
  sigprocmask(SIG_SETMASK, none, NULL);
  *step = "exec";
  execve(request->path, request->arguments, request->environment);
failed:
  *error = errno;
  _exit(127);
}

pid_t child_start(const struct child_request *request, int32_t *error, const char **step) {
  volatile int failure = 0;
  const char *volatile where = "";
  // The first dup2 would overwrite descriptors below 3.
  struct child_request moved = *request;
  int32_t *files[3] = {&moved.input, &moved.output, &moved.errors};
  int copies[3] = {-1, -1, -1};
  for (int index = 0; index < 3; index++) {
    if (*files[index] > 2) continue;
    copies[index] = fcntl(*files[index], F_DUPFD_CLOEXEC, 3);
    *files[index] = copies[index];
  }
  struct confinement confinement;
  if (confinement_prepare(&confinement, request->confinement, request->hidden_folder, request->hidden_file) != 0) {
    failure = errno;
    where = "confinement";
  }
  // A signal that arrives in the child would run the parent's handlers on the parent's memory.
  sigset_t all, before, none;
  sigfillset(&all);
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t parent = getpid();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const pid_t process = failure != 0 ? -1 : vfork();
#pragma GCC diagnostic pop
  if (process == 0) become(&moved, &confinement, parent, &none, &failure, &where);
  if (process > 0 && failure != 0) waitpid(process, NULL, 0);
  if (process > 0 && failure == 0) {
    make_session_nice(process, request->nice);
    offer_to_kernel(process);
  }
  if (process < 0 && failure == 0) {
    failure = errno;
    where = "fork";
  }
  confinement_end(&confinement);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  for (int index = 0; index < 3; index++)
    if (copies[index] >= 0) close(copies[index]);
  *error = failure;
  *step = where;
  return failure != 0 ? -1 : process;
}

int32_t child_pipe(int32_t ends[2], int32_t size) {
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  if (size > 0) (void)fcntl(ends[0], F_SETPIPE_SZ, size);
  return 0;
}

int32_t child_copy_file(int32_t file, const char *name) {
  const int copy = memfd_create(name, MFD_CLOEXEC);
  if (copy < 0) return -1;
  off_t place = 0;
  for (;;) {
    const ssize_t count = sendfile(copy, file, &place, 1 << 20);
    if (count == 0) return copy;
    if (count > 0 || errno == EINTR) continue;
    const int error = errno;
    close(copy);
    errno = error;
    return -1;
  }
}

int32_t child_wake_file(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int32_t child_watch(pid_t process) { return (int32_t)syscall(SYS_pidfd_open, process, 0); }

enum child_state child_look(pid_t process, int32_t *code) {
  siginfo_t about = {0};
  *code = 0;
  if (waitid(P_PID, (id_t)process, &about, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0 || about.si_pid == 0)
    return CHILD_RUNS;
  *code = about.si_status;
  switch (about.si_code) {
    case CLD_EXITED: return CHILD_EXITED;
    case CLD_KILLED:
    case CLD_DUMPED: return CHILD_KILLED;
    case CLD_STOPPED: return CHILD_STOPPED;
    default: return CHILD_RUNS;
  }
}

void child_reap(pid_t process) {
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
  }
}
