// SHA-256 of a file, by OpenSSL.

#ifndef DIGEST_H
#define DIGEST_H

#include <stdint.h>

// Reads an open file from its beginning to its end; where it was read to does not change. 0, or the error number.
int32_t digest_file(int32_t file, uint8_t result[32]);

#endif
