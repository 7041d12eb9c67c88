#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "text.h"

namespace logs {

/// A rough rank of how common a byte is in logs; rare bytes make the better probes.
static int commonness(unsigned char byte) {
  static const char *common = " etaoinsr0123456789:-.lcdu\"/=pmg[]_hb,fTvyZ";
  const char *at = byte ? std::strchr(common, byte) : nullptr;
  return at ? 100 - static_cast<int>(at - common) : byte < 0x80 ? 30 : 10;
}

Literal::Literal(std::string text, bool ignoresCase) : text_(std::move(text)), ignoresCase_(ignoresCase) {
  if (text_.empty()) return;
  size_t best = 0;
  for (size_t at = 1; at < text_.size(); ++at) {
    if (commonness(static_cast<unsigned char>(text_[at])) < commonness(static_cast<unsigned char>(text_[best]))) best = at;
  }
  size_t next = best == 0 && text_.size() > 1 ? 1 : 0;
  for (size_t at = 0; at < text_.size(); ++at) {
    if (at != best && commonness(static_cast<unsigned char>(text_[at])) < commonness(static_cast<unsigned char>(text_[next]))) next = at;
  }
  first_ = best;
  second_ = text_.size() > 1 ? next : best;
  firstByte_ = static_cast<uint8_t>(text_[first_]);
  secondByte_ = static_cast<uint8_t>(text_[second_]);
  auto isLetter = [](uint8_t byte) { return byte >= 'a' && byte <= 'z'; };
  firstFold_ = ignoresCase_ && isLetter(firstByte_) ? 0x20 : 0;
  secondFold_ = ignoresCase_ && isLetter(secondByte_) ? 0x20 : 0;
}

bool Literal::isAt(const char *at) const {
  if (!ignoresCase_) return std::memcmp(at, text_.data(), text_.size()) == 0;
  for (size_t index = 0; index < text_.size(); ++index) {
    unsigned char byte = static_cast<unsigned char>(at[index]);
    if (byte >= 'A' && byte <= 'Z') byte |= 0x20;
    if (byte != static_cast<unsigned char>(text_[index])) return false;
  }
  return true;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static uint32_t probe32(
    const char *first, const char *second, __m256i firstByte, __m256i secondByte, __m256i firstFold, __m256i secondFold) {
  __m256i a = _mm256_or_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(first)), firstFold);
  __m256i b = _mm256_or_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(second)), secondFold);
  __m256i both = _mm256_and_si256(_mm256_cmpeq_epi8(a, firstByte), _mm256_cmpeq_epi8(b, secondByte));
  return static_cast<uint32_t>(_mm256_movemask_epi8(both));
}

/// Calls `isAt` where both probe bytes fit, in steps of 32 bytes. Advances `from` behind the bytes
/// that were searched.
template <typename IsAt>
__attribute__((target("avx2"))) static const char *findAVX2(
    const char *&from, const char *last, size_t first, size_t second, const uint8_t *bytes, IsAt isAt) {
  __m256i firstByte = _mm256_set1_epi8(static_cast<char>(bytes[0])), secondByte = _mm256_set1_epi8(static_cast<char>(bytes[1]));
  __m256i firstFold = _mm256_set1_epi8(static_cast<char>(bytes[2])), secondFold = _mm256_set1_epi8(static_cast<char>(bytes[3]));
  for (; from + 32 <= last; from += 32) {
    uint32_t mask = probe32(from + first, from + second, firstByte, secondByte, firstFold, secondFold);
    for (; mask != 0; mask &= mask - 1) {
      const char *at = from + __builtin_ctz(mask);
      if (isAt(at)) return at;
    }
  }
  return nullptr;
}

uint64_t lineFeeds(const char *bytes) {
  const __m128i feed = _mm_set1_epi8('\n');
  uint64_t mask = 0;
  for (int part = 0; part < 4; ++part) {
    __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes + 16 * part));
    mask |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, feed)))) << (16 * part);
  }
  return mask;
}

#else

uint64_t lineFeeds(const char *bytes) {
  uint64_t mask = 0;
  for (int at = 0; at < 64; ++at) mask |= static_cast<uint64_t>(bytes[at] == '\n') << at;
  return mask;
}

#endif

const char *Literal::find(const char *from, const char *end) const {
  if (static_cast<size_t>(end - from) < text_.size()) return end;
  const char *last = end - text_.size() + 1;  // behind the last place where it may begin
  if (text_.size() == 1 && firstFold_ == 0) {
    const void *at = std::memchr(from, firstByte_, static_cast<size_t>(end - from));
    return at ? static_cast<const char *>(at) : end;
  }
#if defined(__x86_64__)
  static const bool hasAVX2 = __builtin_cpu_supports("avx2");
  if (hasAVX2) {
    const uint8_t bytes[4] = {firstByte_, secondByte_, firstFold_, secondFold_};
    const char *at = findAVX2(from, last, first_, second_, bytes, [this](const char *place) { return isAt(place); });
    if (at) return at;
  }
#endif
  for (; from < last; ++from) {
    if ((static_cast<uint8_t>(from[first_]) | firstFold_) == firstByte_ && isAt(from)) return from;
  }
  return end;
}

}  // namespace logs
