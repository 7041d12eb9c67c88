#include "digest.h"

#include <errno.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <unistd.h>

void digest_bytes(const uint8_t *bytes, size_t count, uint8_t result[DIGEST_BYTES]) { SHA256(bytes, count, result); }

void digest_code(
    const uint8_t *bytes, size_t count, const uint8_t *key, size_t key_count, uint8_t result[DIGEST_BYTES]) {
  // Without a code, every check of one would be meaningless. It fails when memory is exhausted.
  if (key_count > INT_MAX || HMAC(EVP_sha256(), key, (int)key_count, bytes, count, result, NULL) == NULL) abort();
}

int digest_is_equal(const uint8_t one[DIGEST_BYTES], const uint8_t other[DIGEST_BYTES]) {
  return CRYPTO_memcmp(one, other, DIGEST_BYTES) == 0;
}

int32_t digest_file(int32_t file, uint8_t result[DIGEST_BYTES]) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (context == NULL) return ENOMEM;
  int32_t error = EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 ? 0 : EIO;
  uint8_t buffer[1 << 14];
  for (off_t place = 0; error == 0;) {
    const ssize_t count = pread(file, buffer, sizeof buffer, place);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) error = errno;
    if (count <= 0) break;
    if (EVP_DigestUpdate(context, buffer, (size_t)count) != 1) error = EIO;
    place += count;
  }
  if (error == 0 && EVP_DigestFinal_ex(context, result, NULL) != 1) error = EIO;
  EVP_MD_CTX_free(context);
  return error;
}
