// How the C library's allocator keeps memory: what Swift cannot call.

#ifndef ALLOCATOR_H
#define ALLOCATOR_H

#include <stdint.h>

// From here on every block of so many bytes and more is the kernel's again as soon as it is freed. By itself glibc raises the bound with each larger
// block that is freed, up to 32 MiB, and what has that size then stays with the thread's arena: of twenty programs that had each told a few lines of a
// megabyte 120 MiB were left. 0 when the allocator does not listen.
// [any thread]
int32_t allocator_return_blocks_from(int32_t bytes);

#endif
