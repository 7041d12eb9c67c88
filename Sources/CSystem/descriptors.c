#define _GNU_SOURCE
#include "descriptors.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Above the descriptors of a server with a few thousand clients. The limit keeps the kernel's table
// within 96 KiB.
static const int greatest_floor = 8192;

static int smaller(rlim_t limit, int number) { return limit < (rlim_t)number ? (int)limit : number; }

int eventfd(unsigned count, int flags) {
  int given = (int)syscall(SYS_eventfd2, count, flags);
  struct rlimit limit;
  if (given < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return given;
  int floor = smaller(limit.rlim_cur / 2, greatest_floor);
  // Each call starts at the next number, so that a closed number is not used again soon.
  static atomic_uint calls;
  unsigned turns = (unsigned)smaller(limit.rlim_cur / 4, greatest_floor / 2);
  if (turns > 0) floor += (int)(atomic_fetch_add(&calls, 1) % turns);
  int moved = given >= floor ? -1 : fcntl(given, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, floor);
  if (moved < 0) return given;
  close(given);
  return moved;
}
