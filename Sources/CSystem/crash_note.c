#define _GNU_SOURCE
#include "crash_note.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { LIBRARIES = 256, STACK_BYTES = 1 << 16, FRAMES = 64, MESSAGE_BYTES = 512 };

struct library {
  uintptr_t begin;
  uintptr_t end;
  const char *line;
};

static int file = -1;
static atomic_flag is_written = ATOMIC_FLAG_INIT;
static atomic_flag is_said = ATOMIC_FLAG_INIT;
static struct library libraries[LIBRARIES];
static atomic_int library_count;
static _Thread_local const char *current;
// Alternate signal stack, because a thread with a stack overflow has no space for the handler.
static _Thread_local void *spare_stack;

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};

static uintptr_t place_of(const void *context) {
#if defined(__x86_64__)
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

static const char *line_at(uintptr_t place) {
  int count = atomic_load(&library_count);
  for (int index = 0; index < count; index++) {
    if (place >= libraries[index].begin && place < libraries[index].end) return libraries[index].line;
  }
  return NULL;
}

// Appends as much of a text as fits. Async-signal-safe, like everything in this file.
static size_t add(char *message, size_t length, const char *text, size_t bytes) {
  if (bytes > MESSAGE_BYTES - 2 - length) bytes = MESSAGE_BYTES - 2 - length;
  memcpy(message + length, text, bytes);
  return length + bytes;
}

// Writes “rowcast: the library PATH WHAT NUMBER; REST” to standard error, at most once per process.
static void say(const char *line, const char *what, int number, const char *rest) {
  if (atomic_flag_test_and_set(&is_said)) return;
  // A line contains the file's size, its time and its path, which ends at the newline.
  for (int blanks = 0; blanks < 2 && *line != '\0'; line++) blanks += *line == ' ';
  size_t path = strcspn(line, "\n");
  char digits[12];
  size_t place = sizeof digits;
  unsigned value = number < 0 ? 0u - (unsigned)number : (unsigned)number;
  do {
    digits[--place] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  if (number < 0) digits[--place] = '-';
  char message[MESSAGE_BYTES];
  size_t length = add(message, 0, "rowcast: the library ", 21);
  length = add(message, length, line, path < 300 ? path : 300);
  length = add(message, length, what, strlen(what));
  length = add(message, length, digits + place, sizeof digits - place);
  length = add(message, length, rest, strlen(rest));
  message[length++] = '\n';
  if (write(STDERR_FILENO, message, length) < 0) return;
}

// Returns the library that called exit: that of this thread, or the first one on its stack.
static const char *caller(void) {
  if (current != NULL || atomic_load(&library_count) == 0) return current;
  void *frames[FRAMES];
  int count = backtrace(frames, FRAMES);
  for (int index = 0; index < count; index++) {
    const char *line = line_at((uintptr_t)frames[index]);
    if (line != NULL) return line;
  }
  return NULL;
}

static void ended(int status, void *nothing) {
  (void)nothing;
  const char *line = caller();
  if (line != NULL) say(line, " called exit with code ", status, " and ended this process");
}

// Replaces libc's function for the whole process, because _exit runs no exit handlers.
void _exit(int status) {
  const char *line = line_at((uintptr_t)__builtin_return_address(0));
  if (line == NULL) line = current;
  if (line != NULL) say(line, " called _exit with code ", status, " and ended this process");
  for (;;) syscall(SYS_exit_group, status);
}

void _Exit(int status) {
  const char *line = line_at((uintptr_t)__builtin_return_address(0));
  if (line == NULL) line = current;
  if (line != NULL) say(line, " called _Exit with code ", status, " and ended this process");
  for (;;) syscall(SYS_exit_group, status);
}

static void note(int number, siginfo_t *information, void *context) {
  int error = errno;
  // The crashing code is checked before the thread, which may be running another library's code.
  const char *line = line_at(place_of(context));
  if (line == NULL) line = current;
  if (line != NULL && information->si_code != SI_USER) {
    say(line, " crashed with signal ", number, " and took this process with it");
  }
  // A signal sent by kill(1) is not the library's fault.
  if (line != NULL && information->si_code != SI_USER && file >= 0 && !atomic_flag_test_and_set(&is_written)) {
    char head[3] = {(char)('0' + number / 10 % 10), (char)('0' + number % 10), ' '};
    if (write(file, head, sizeof head) == (ssize_t)sizeof head && write(file, line, strlen(line)) > 0) fsync(file);
  }
  // Restores the default action, so that the process then ends as usual.
  signal(number, SIG_DFL);
  raise(number);
  errno = error;
}

int crash_note_open(const char *path) {
  int opened = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (opened < 0) return errno;
  file = opened;
  return 0;
}

void crash_note_watch(void) {
  // The first call loads a library, which a signal handler must not do.
  void *frame;
  backtrace(&frame, 1);
  on_exit(ended, NULL);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t index = 0; index < sizeof signals / sizeof signals[0]; index++) sigaction(signals[index], &action, NULL);
}

const char *crash_note_enter(const char *line) {
  const char *before = current;
  if (spare_stack == NULL && (spare_stack = malloc(STACK_BYTES)) != NULL) {
    stack_t stack = {.ss_sp = spare_stack, .ss_size = STACK_BYTES};
    sigaltstack(&stack, NULL);
  }
  current = line;
  return before;
}

void crash_note_leave(const char *before) {
  current = before;
  if (before != NULL || spare_stack == NULL) return;
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  free(spare_stack);
  spare_stack = NULL;
}

static int find(struct dl_phdr_info *information, size_t size, void *wanted) {
  (void)size;
  struct library *library = wanted;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int index = 0; index < information->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &information->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD) continue;
    uintptr_t first = information->dlpi_addr + segment->p_vaddr;
    if (first < begin) begin = first;
    if (first + segment->p_memsz > end) end = first + segment->p_memsz;
  }
  // On entry, `begin` contains the address to find.
  if (library->begin < begin || library->begin >= end) return 0;
  library->begin = begin;
  library->end = end;
  return 1;
}

void crash_note_library(const void *address, const char *line) {
  struct library library = {.begin = (uintptr_t)address, .end = 0, .line = line};
  // Libraries are loaded by one thread at a time.
  int count = atomic_load(&library_count);
  if (count == LIBRARIES || dl_iterate_phdr(find, &library) == 0) return;
  libraries[count] = library;
  atomic_store(&library_count, count + 1);
}
