#include "digest.h"

#include <errno.h>
#include <openssl/evp.h>
#include <unistd.h>

int32_t digest_file(int32_t file, uint8_t result[32]) {
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
