#define _GNU_SOURCE
#include "process_handle.h"

#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Called by number, because glibc has had wrappers only since 2.36. Needs Linux 5.3.
int32_t process_open(int32_t process) { return (int32_t)syscall(SYS_pidfd_open, process, 0); }

int32_t process_signal(int32_t handle, int32_t signal) {
  return (int32_t)syscall(SYS_pidfd_send_signal, handle, signal, NULL, 0);
}

int32_t process_set_nice(int32_t thread, int32_t nice) { return setpriority(PRIO_PROCESS, (id_t)thread, nice); }
