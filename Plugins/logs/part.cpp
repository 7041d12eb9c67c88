#include "part.h"

#include <unistd.h>

#include <algorithm>

namespace logs {

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

void ChunkCounts::grow(size_t chunks, size_t staleFrom) {
  for (size_t chunk = staleFrom; chunk < states_.size(); ++chunk) {
    if (states_[chunk] == ChunkState::known) {
      states_[chunk] = ChunkState::stale;
      ++open_;
    } else if (states_[chunk] == ChunkState::underway || states_[chunk] == ChunkState::underwayAgain) {
      states_[chunk] = ChunkState::underwayStale;
    }
  }
  firstOpen_ = std::min(firstOpen_, staleFrom);
  if (chunks <= states_.size()) return;
  open_ += chunks - states_.size();
  counts_.resize(chunks, 0);
  states_.resize(chunks, ChunkState::unknown);
}

uint64_t ChunkCounts::sumBefore(size_t chunk) const {
  uint64_t sum = 0;
  for (size_t index = 0; index < chunk; ++index) sum += counts_[index];
  return sum;
}

bool ChunkCounts::reserve(size_t from, bool isBackward, size_t most, size_t &first, size_t &end) {
  auto isFree = [&](size_t chunk) { return states_[chunk] == ChunkState::unknown || states_[chunk] == ChunkState::stale; };
  size_t size = states_.size();
  while (firstOpen_ < size && states_[firstOpen_] == ChunkState::known) ++firstOpen_;
  if (open_ == 0) return false;
  if (isBackward) {
    end = std::min(from, size);
    while (end > firstOpen_ && !isFree(end - 1)) --end;
    if (end <= firstOpen_) return false;
    first = end;
    while (first > firstOpen_ && end - first < most && isFree(first - 1)) --first;
  } else {
    first = std::max(from, firstOpen_);
    while (first < size && !isFree(first)) ++first;
    if (first >= size) return false;
    end = first;
    while (end < size && end - first < most && isFree(end)) ++end;
  }
  for (size_t chunk = first; chunk < end; ++chunk) {
    states_[chunk] = states_[chunk] == ChunkState::unknown ? ChunkState::underway : ChunkState::underwayAgain;
  }
  return true;
}

void ChunkCounts::store(size_t chunk, uint32_t count) {
  sum_ += count;
  sum_ -= counts_[chunk];
  counts_[chunk] = count;
  if (states_[chunk] == ChunkState::underwayStale) {
    states_[chunk] = ChunkState::stale;
  } else {
    states_[chunk] = ChunkState::known;
    --open_;
  }
  while (firstUnknown_ < states_.size() && hasCount(firstUnknown_)) ++firstUnknown_;
}

uint64_t Part::linesBefore(size_t chunk) const {
  uint64_t sum = 0;
  for (size_t index = 0; index < chunk; ++index) sum += lines[index];
  return sum;
}

}  // namespace logs
