// SHA-256 and its message authentication code, computed by OpenSSL.
//
// In C because Swift has no module of OpenSSL, which libwebsockets links in any case.

#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include <stdint.h>

// The number of bytes of a digest.
enum { DIGEST_BYTES = 32 };

// Computes the digest of these bytes.
void digest_bytes(const uint8_t *bytes, size_t count, uint8_t result[DIGEST_BYTES]);

// Computes the digest of an open file from start to end. The file offset does not change. Returns 0
// or an errno.
int32_t digest_file(int32_t file, uint8_t result[DIGEST_BYTES]);

// Computes the message authentication code (HMAC) of these bytes.
void digest_code(
    const uint8_t *bytes, size_t count, const uint8_t *key, size_t key_count, uint8_t result[DIGEST_BYTES]);

// Returns whether two digests are equal, in constant time.
int digest_is_equal(const uint8_t one[DIGEST_BYTES], const uint8_t other[DIGEST_BYTES]);

#endif
