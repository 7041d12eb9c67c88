#define _GNU_SOURCE
#include "descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Above the descriptors of a server with a few thousand clients. The limit keeps the kernel's table
// within 64 KiB.
static const int greatest_floor = 8192;

int eventfd(unsigned count, int flags) {
  int given = (int)syscall(SYS_eventfd2, count, flags);
  struct rlimit limit;
  if (given < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return given;
  int floor = limit.rlim_cur / 2 < (rlim_t)greatest_floor ? (int)(limit.rlim_cur / 2) : greatest_floor;
  int moved = given >= floor ? -1 : fcntl(given, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, floor);
  if (moved < 0) return given;
  close(given);
  return moved;
}
