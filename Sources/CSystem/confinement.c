#define _GNU_SOURCE
#include "confinement.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Declared here because Debian 12's headers are older than the kernels that may be in use.
struct ruleset_attributes {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};
struct path_rule {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));
enum {
  LANDLOCK_READ_FILE = 1 << 2,
  LANDLOCK_REFER = 1 << 13,
  LANDLOCK_SCOPE_OF_SIGNALS = 1 << 1,
  LANDLOCK_VERSION_WITH_REFER = 2,
  LANDLOCK_VERSION_WITH_SCOPES = 6,
};
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

static long landlock_version(void) { return syscall(SYS_landlock_create_ruleset, NULL, 0, 1); }

// MARK: Hiding a folder by Landlock

static int allow(int ruleset, int file, uint64_t rights) {
  const struct path_rule rule = {.allowed = rights, .parent = file};
  return (int)syscall(SYS_landlock_add_rule, ruleset, 1, &rule, 0);
}

// Landlock only supports lists of allowed folders. So every entry next to the path to the hidden
// folder is allowed.
static int allow_all_but(int ruleset, const char *hidden) {
  int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 || allow(ruleset, folder, LANDLOCK_REFER) != 0) goto failed;
  for (const char *rest = hidden; *(rest += strspn(rest, "/")) != 0;) {
    const size_t length = strcspn(rest, "/");
    DIR *entries = fdopendir(dup(folder));
    if (entries == NULL) goto failed;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
      const char *name = entry->d_name;
      if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
      if (strlen(name) == length && strncmp(name, rest, length) == 0) continue;
      const int file = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
      if (file < 0) continue;
      struct stat status;
      // Landlock checks the target of a symbolic link.
      if (fstat(file, &status) == 0 && !S_ISLNK(status.st_mode)) (void)allow(ruleset, file, LANDLOCK_READ_FILE);
      close(file);
    }
    closedir(entries);
    char name[NAME_MAX + 1];
    if (length > NAME_MAX) goto failed;
    memcpy(name, rest, length);
    name[length] = 0;
    const int next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(folder);
    folder = next;
    if (folder < 0) return -1;
    rest += length;
  }
  close(folder);
  return 0;
failed:
  if (folder >= 0) close(folder);
  return -1;
}

static int make_ruleset(uint32_t wanted, const char *folder) {
  const long version = landlock_version();
  struct ruleset_attributes attributes = {0};
  size_t size = sizeof(uint64_t);
  if (wanted & CHILD_SIGNALS_ITSELF) {
    if (version < LANDLOCK_VERSION_WITH_SCOPES) goto unsupported;
    attributes.scopes = LANDLOCK_SCOPE_OF_SIGNALS;
    size = sizeof attributes;
  }
  if (wanted & CHILD_HIDES_BY_LANDLOCK) {
    if (version < LANDLOCK_VERSION_WITH_REFER || folder == NULL) goto unsupported;
    attributes.files = LANDLOCK_READ_FILE | LANDLOCK_REFER;
  }
  const int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
  if (ruleset < 0) return -1;
  if ((wanted & CHILD_HIDES_BY_LANDLOCK) == 0 || allow_all_but(ruleset, folder) == 0) return ruleset;
  const int error = errno;
  close(ruleset);
  errno = error;
  return -1;
unsupported:
  errno = EOPNOTSUPP;
  return -1;
}

// MARK: The filter of signals

#if defined(__x86_64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// System calls whose first argument is the target process.
static const uint32_t aimed_calls[] = {
    SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, 434 /* pidfd_open */, SYS_prlimit64,
    SYS_sched_setscheduler, SYS_sched_setaffinity};
enum { aimed_count = sizeof aimed_calls / sizeof aimed_calls[0] };

static void make_filter(struct confinement *confinement) {
#ifdef OUR_ARCHITECTURE
  const uint32_t server = (uint32_t)getpid(), group = -(uint32_t)getpgrp();
  struct sock_filter *place = confinement->filter;
#define STATEMENT(code, k) *place++ = (struct sock_filter)BPF_STMT(code, k)
#define JUMP(k, yes, no) *place++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, yes, no)
  STATEMENT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
  JUMP(OUR_ARCHITECTURE, 1, 0);
  STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  STATEMENT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (int index = 0; index < aimed_count; index++) JUMP(aimed_calls[index], (uint8_t)(aimed_count - index), 0);
  STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  // A process id has 32 bits, and both architectures are little-endian.
  STATEMENT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
  JUMP(server, 3, 0);
  JUMP(group, 2, 0);
  JUMP(UINT32_MAX, 1, 0);
  STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  STATEMENT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
#undef STATEMENT
#undef JUMP
  confinement->program.filter = confinement->filter;
  confinement->program.len = (unsigned short)(place - confinement->filter);
#else
  (void)confinement;
#endif
}

// MARK: Hiding a folder by a mount

// Capabilities with which root could undo the mount, or bypass it by reading memory or disks.
static const int undoing[] = {CAP_DAC_READ_SEARCH, CAP_SYS_MODULE, CAP_SYS_RAWIO, CAP_SYS_PTRACE, CAP_SYS_ADMIN,
    CAP_SYS_BOOT, CAP_MKNOD, CAP_MAC_OVERRIDE, CAP_MAC_ADMIN, 38 /* CAP_PERFMON */, 39 /* CAP_BPF */,
    40 /* CAP_CHECKPOINT_RESTORE */};

static int drop_undoing(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[2];
  if (syscall(SYS_capget, &header, sets) != 0) return -1;
  for (size_t index = 0; index < sizeof undoing / sizeof undoing[0]; index++) {
    const int capability = undoing[index];
    // The kernel may not know the newer capabilities.
    if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return -1;
    const uint32_t others = ~(1U << (capability % 32));
    sets[capability / 32].effective &= others;
    sets[capability / 32].permitted &= others;
    sets[capability / 32].inheritable &= others;
  }
  return (int)syscall(SYS_capset, &header, sets);
}

static int hide_by_mount(const char *folder, const char *file) {
  if (unshare(CLONE_NEWNS) != 0) return -1;
  // Mounts made outside later are visible here, but not the reverse.
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return -1;
  const unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (folder != NULL && mount("hidden", folder, "tmpfs", flags, "size=4k,mode=555") != 0) return -1;
  if (file != NULL && mount("/dev/null", file, NULL, MS_BIND, NULL) != 0 && errno != ENOENT) return -1;
  return drop_undoing();
}

// MARK: All of it

int confinement_prepare(struct confinement *confinement, uint32_t wanted, const char *folder, const char *file) {
  *confinement = (struct confinement){.wanted = wanted, .ruleset = -1, .hidden_folder = folder, .hidden_file = file};
  if (wanted & CHILD_SPARES_SERVER) make_filter(confinement);
  if ((wanted & (CHILD_SIGNALS_ITSELF | CHILD_HIDES_BY_LANDLOCK)) == 0) return 0;
  confinement->ruleset = make_ruleset(wanted, folder);
  return confinement->ruleset < 0 ? -1 : 0;
}

void confinement_end(struct confinement *confinement) {
  if (confinement->ruleset >= 0) close(confinement->ruleset);
  confinement->ruleset = -1;
}

const char *confinement_enter(const struct confinement *confinement) {
  const uint32_t wanted = confinement->wanted;
  // Mounts come first, because Landlock denies them.
  if (wanted & CHILD_HIDES_BY_MOUNT && hide_by_mount(confinement->hidden_folder, confinement->hidden_file) != 0)
    return "hiding the tokens";
  if (confinement->ruleset >= 0 && syscall(SYS_landlock_restrict_self, confinement->ruleset, 0) != 0)
    return "landlock";
  if (wanted & CHILD_SPARES_SERVER) {
    if (confinement->program.len == 0) errno = EOPNOTSUPP;
    if (confinement->program.len == 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &confinement->program) != 0)
      return "seccomp";
  }
  return NULL;
}

uint32_t child_supported(uint32_t wanted, const char *hidden_folder) {
  uint32_t supported = 0;
  for (uint32_t one = 1; one != 0 && one <= wanted; one <<= 1) {
    struct confinement confinement;
    if ((wanted & one) == 0) continue;
    if (confinement_prepare(&confinement, one, hidden_folder, NULL) != 0) {
      confinement_end(&confinement);
      continue;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    const pid_t process = vfork();
#pragma GCC diagnostic pop
    if (process == 0)
      _exit(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && confinement_enter(&confinement) == NULL ? 0 : 1);
    int status = 1;
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (process > 0 && status == 0) supported |= one;
    confinement_end(&confinement);
  }
  return supported;
}

void child_protect_self(void) {
  const struct rlimit none = {0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// MARK: Marks

// Marks are stored in RLIMIT_RTTIME, the CPU time of real-time tasks in microseconds. Values this
// high never take effect. The limit is inherited, other processes can read it, and only root can
// raise it again.
static const uint64_t least_mark = 1ULL << 61;

int confinement_mark(uint64_t mark) {
  const uint64_t value = least_mark | (mark & (least_mark - 1));
  struct rlimit now;
  if (getrlimit(RLIMIT_RTTIME, &now) != 0) return -1;
  // A lower limit leaves no room for a mark, so processes that leave the group are not found.
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < value) return 0;
  const struct rlimit wanted = {.rlim_cur = value, .rlim_max = value};
  return setrlimit(RLIMIT_RTTIME, &wanted);
}

static int is_marked(pid_t process, uint64_t value) {
  struct rlimit limit;
  return prlimit(process, RLIMIT_RTTIME, NULL, &limit) == 0 && limit.rlim_max == value;
}

// Reads a small file of /proc as text. Returns 0 if it does not exist.
static int read_text(const char *path, char *text, size_t size) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t count = read(file, text, size - 1);
  close(file);
  text[count > 0 ? count : 0] = 0;
  return count > 0;
}

// Returns the memory of a process in bytes; 0 if it has ended.
static uint64_t memory_of(pid_t process, int32_t exactly) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/%s", process, exactly ? "smaps_rollup" : "statm");
  if (!read_text(path, text, sizeof text)) return exactly ? memory_of(process, 0) : 0;
  unsigned long long size = 0, resident = 0, shared = 0;
  if (exactly) {
    const char *line = strstr(text, "\nPss_Anon:");
    if (line == NULL || sscanf(line, "\nPss_Anon: %llu kB", &resident) != 1) return memory_of(process, 0);
    return resident << 10;
  }
  if (sscanf(text, "%llu %llu %llu", &size, &resident, &shared) != 3 || resident < shared) return 0;
  return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

int32_t child_measure_marked(uint64_t mark, int32_t exactly, uint64_t *bytes) {
  const uint64_t value = least_mark | (mark & (least_mark - 1));
  int32_t count = 0;
  *bytes = 0;
  DIR *processes = opendir("/proc");
  if (processes == NULL) return 0;
  for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
    const pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
    if (process <= 1 || process == getpid() || !is_marked(process, value)) continue;
    count++;
    *bytes += memory_of(process, exactly);
  }
  closedir(processes);
  return count;
}

int32_t child_kill_marked(uint64_t mark) {
  const uint64_t value = least_mark | (mark & (least_mark - 1));
  int32_t count = 0;
  // Repeats until none is found, because a process may fork during the scan.
  for (int round = 0; round < 16; round++) {
    int32_t found = 0;
    DIR *processes = opendir("/proc");
    if (processes == NULL) return count;
    for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
      const pid_t process = (pid_t)strtol(entry->d_name, NULL, 10);
      if (process <= 1 || process == getpid() || !is_marked(process, value)) continue;
      const int handle = (int)syscall(434 /* pidfd_open */, process, 0);
      // Checked again, because the id may have been reused before the handle was opened.
      struct pollfd ended = {.fd = handle, .events = POLLIN};
      if (handle >= 0 && is_marked(process, value) && poll(&ended, 1, 0) == 0 &&
          syscall(424 /* pidfd_send_signal */, handle, SIGKILL, NULL, 0) == 0)
        found++;
      if (handle >= 0) close(handle);
    }
    closedir(processes);
    if (found == 0) break;
    count += found;
  }
  return count;
}
