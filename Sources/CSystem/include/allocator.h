// Settings of glibc's allocator, which Swift's Glibc module does not export.

#ifndef ALLOCATOR_H
#define ALLOCATOR_H

#include <stdint.h>

// Returns freed blocks of at least this many bytes to the kernel immediately.
//
// By default, glibc raises this threshold up to 32 MiB when larger blocks are freed. Smaller blocks
// then stay in the thread's arena: twenty plugins that had each sent a few lines of 1 MB left 120
// MiB. Returns 0 on failure.
// [any thread]
int32_t allocator_return_blocks_from(int32_t bytes);

#endif
