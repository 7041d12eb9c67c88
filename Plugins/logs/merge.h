// Answers a request for rows of several files merged by time.

#ifndef LOGS_MERGE_H
#define LOGS_MERGE_H

#include <memory>
#include <string>
#include <vector>

#include "table.h"
#include "walk.h"

namespace logs {

/// The place of a record in the merged order. A record without a time, or with an earlier one than
/// a record before it in its file, counts with the latest time before it.
struct MergedKey {
  int64_t time = INT64_MIN;
  size_t part = 0;
  uint64_t offset = 0;

  bool operator<(const MergedKey &other) const {
    if (time != other.time) return time < other.time;
    return part != other.part ? part < other.part : offset < other.offset;
  }
};

/// A k-way merge of the parts. Places far away are found by bisection over times: the counts of
/// chunks give the number of rows of a part before a time.
class MergedWalk {
 public:
  MergedWalk(Table &table, const Table::RowRequest &request, Scanner &scanner);
  Table::Answer run();
  /// See `Walk`.
  bool hasMissed() const { return hasMissed_; }
  uint64_t removals() const { return removals_; }

 private:
  struct Entry {
    Record record;
    int64_t time = 0;
  };
  /// The rows of one part, a chunk at a time, in the direction of the walk.
  struct Stream {
    size_t part = 0;
    std::unique_ptr<Scanner> scanner;
    std::vector<Entry> entries;
    size_t next = 0;
    /// The chunk to read next; of a walk backward, the one behind it.
    size_t chunk = 0;
    uint64_t lineBase = 0;
  };

  bool readKey(const std::string &cursor, MergedKey &key) const;
  std::string cursor(const MergedKey &key) const;
  void prepare();
  /// The latest time before a chunk of a part.
  int64_t timeBefore(size_t part, size_t chunk) const;
  /// The first chunk of a part with a record at or behind a place.
  size_t chunkOf(size_t part, const MergedKey &key) const;
  /// Reads the passing records of a chunk with their places.
  void read(size_t part, size_t chunk, Scanner &scanner, std::vector<Entry> &entries);
  /// The number of passing records of all parts before a place.
  uint64_t rank(const MergedKey &key);
  bool skip();
  void open(Stream &stream, size_t part);
  /// Makes the next entry of a stream available. Returns false at its end, or if the walk must
  /// wait.
  bool fill(Stream &stream);
  bool waitForCounts();
  MergedKey keyOf(const Stream &stream) const {
    const Entry &entry = stream.entries[stream.next];
    return {entry.time, stream.part, entry.record.start};
  }

  Table &table_;
  const Table::RowRequest &request_;
  Scanner &scanner_;
  std::vector<std::shared_ptr<Part>> parts_;
  std::vector<PartBytes> bytes_;
  /// The latest time up to and with each chunk, by part.
  std::vector<std::vector<int64_t>> latest_;
  MergedKey place_, stop_;
  Table::Answer answer_;
  RowWriter writer_;
  bool mustWait_ = false, hasMissed_ = false;
  uint64_t removals_ = 0;
  std::vector<Record> records_;
  std::string scratch_;
  Filter all_;
};

}  // namespace logs

#endif
