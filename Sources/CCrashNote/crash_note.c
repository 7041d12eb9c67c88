#define _GNU_SOURCE
#include "crash_note.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { LIBRARIES = 256, STACK_BYTES = 1 << 16 };

struct library {
  uintptr_t begin;
  uintptr_t end;
  const char *line;
};

static int file = -1;
static atomic_flag is_written = ATOMIC_FLAG_INIT;
static struct library libraries[LIBRARIES];
static atomic_int library_count;
static _Thread_local const char *current;
// A thread that has used up its stack has none left for the handler.
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

static void note(int number, siginfo_t *information, void *context) {
  int error = errno;
  // The code itself says more than the thread: one of a library's may be in another's.
  const char *line = line_at(place_of(context));
  if (line == NULL) line = current;
  // Somebody's kill(1) is nobody's fault.
  if (line != NULL && information->si_code != SI_USER && file >= 0 && !atomic_flag_test_and_set(&is_written)) {
    char head[3] = {(char)('0' + number / 10 % 10), (char)('0' + number % 10), ' '};
    if (write(file, head, sizeof head) == (ssize_t)sizeof head && write(file, line, strlen(line)) > 0) fsync(file);
  }
  // It ends as it would have without us, when this returns.
  signal(number, SIG_DFL);
  raise(number);
  errno = error;
}

int crash_note_open(const char *path) {
  int opened = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (opened < 0) return errno;
  file = opened;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t index = 0; index < sizeof signals / sizeof signals[0]; index++) sigaction(signals[index], &action, NULL);
  return 0;
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
  // What it is asked for stands in `begin`.
  if (library->begin < begin || library->begin >= end) return 0;
  library->begin = begin;
  library->end = end;
  return 1;
}

void crash_note_library(const void *address, const char *line) {
  struct library library = {.begin = (uintptr_t)address, .end = 0, .line = line};
  // One thread loads at a time, as it does everything else that is configured.
  int count = atomic_load(&library_count);
  if (count == LIBRARIES || dl_iterate_phdr(find, &library) == 0) return;
  libraries[count] = library;
  atomic_store(&library_count, count + 1);
}
