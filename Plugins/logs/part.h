// A file of the table: its bytes, and what is counted of each chunk of it.

#ifndef LOGS_PART_H
#define LOGS_PART_H

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "times.h"

namespace logs {

/// The bytes for which one entry of an index stands.
constexpr uint64_t chunkBytes = 65536;

/// An open file, closed with its last user.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor();
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// Whether the count of a chunk is known.
enum class ChunkState : uint8_t {
  unknown,
  /// The first count is in progress.
  underway,
  known,
  /// The file has grown since the count.
  stale,
  /// Another count is in progress.
  underwayAgain,
  /// The file has grown since the current count began.
  underwayStale,
};

/// The number of matching records that begin in each chunk of a part.
class ChunkCounts {
 public:
  size_t size() const { return counts_.size(); }
  uint32_t count(size_t chunk) const { return counts_[chunk]; }
  ChunkState state(size_t chunk) const { return states_[chunk]; }
  /// Whether a count exists, perhaps of before the file grew.
  bool hasCount(size_t chunk) const {
    ChunkState state = states_[chunk];
    return state == ChunkState::known || state == ChunkState::stale || state == ChunkState::underwayAgain;
  }
  uint64_t sum() const { return sum_; }
  /// The number of chunks that are not known.
  size_t open() const { return open_; }
  /// The first chunk without a count.
  size_t firstUnknown() const { return firstUnknown_; }

  /// Adds chunks, and marks those from `staleFrom` on as counted before the growth.
  void grow(size_t chunks, size_t staleFrom);
  /// Returns the sum of the counts of the chunks before one.
  uint64_t sumBefore(size_t chunk) const;
  /// Reserves up to `most` adjacent chunks to be counted: the first at or after `from` or,
  /// backward, the last before it. Returns whether there are any.
  bool reserve(size_t from, bool isBackward, size_t most, size_t &first, size_t &end);
  /// Stores a count. Returns whether it is final for now.
  void store(size_t chunk, uint32_t count);

 private:
  std::vector<uint32_t> counts_;
  std::vector<ChunkState> states_;
  uint64_t sum_ = 0;
  size_t open_ = 0, firstUnknown_ = 0, firstOpen_ = 0;
};

/// A file, or the decompressed bytes of one, in the table. The mutex of the table guards it.
struct Part {
  /// The number that distinguishes the keys of its rows from those of other parts; below 8,192.
  uint32_t slot = 0;
  std::string path, name;
  dev_t device = 0;
  ino_t inode = 0;
  std::shared_ptr<Descriptor> file;
  /// The file that the inode belongs to: `file`, or the compressed one. While it is open, no other
  /// file gets its inode.
  std::shared_ptr<Descriptor> origin;
  /// The bytes that can be read.
  uint64_t size = 0;
  /// Whether the table follows the file under its path.
  bool isLive = false;
  /// Whether the bytes are being decompressed.
  std::atomic<bool> isFilling{false};
  /// Whether the part has left the table.
  std::atomic<bool> isGone{false};
  TimeContext times;
  /// The first bytes of the file, to notice that others took their place.
  std::string head;

  /// The records and the lines that begin in each chunk.
  ChunkCounts records;
  std::vector<uint32_t> lines;
  uint64_t lineSum = 0;
  /// The least and the greatest time of each chunk. If none has one, `earliest > latest`.
  std::vector<int64_t> earliest, latest;
  /// Whether all records of the chunk have times that do not decrease.
  std::vector<bool> isOrdered;

  size_t chunks() const { return static_cast<size_t>((size + chunkBytes - 1) / chunkBytes); }
  uint64_t linesBefore(size_t chunk) const;
};

}  // namespace logs

#endif
