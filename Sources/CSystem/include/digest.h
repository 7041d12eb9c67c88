// SHA-256 of a file, computed by OpenSSL.

#ifndef DIGEST_H
#define DIGEST_H

#include <stdint.h>

// Computes the digest of an open file from start to end. The file offset does not change. Returns 0
// or an errno.
int32_t digest_file(int32_t file, uint8_t result[32]);

#endif
