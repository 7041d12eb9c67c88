#include "allocator.h"

#include <malloc.h>

int32_t allocator_return_blocks_from(int32_t bytes) { return mallopt(M_MMAP_THRESHOLD, bytes); }
