// Reads chunks of a part: their records, what is counted of them, and which of them pass a filter.

#ifndef LOGS_SCANNER_H
#define LOGS_SCANNER_H

#include <functional>
#include <string>
#include <vector>

#include "filter.h"
#include "format.h"
#include "part.h"

namespace logs {

/// A record in a file.
struct Record {
  uint64_t start = 0;
  /// The number of bytes that are shown and searched, at most the limit.
  uint32_t length = 0;
  /// The number of lines that begin in the chunk before this record.
  uint32_t line = 0;
  bool isCut = false;
};

/// The results of an indexing pass over a chunk.
struct ChunkSummary {
  uint32_t records = 0, lines = 0;
  int64_t earliest = INT64_MAX, latest = INT64_MIN;
  bool isOrdered = true;
};

/// The properties of a part as a pass reads it.
struct PartBytes {
  std::shared_ptr<Descriptor> file;
  uint64_t size = 0;
  TimeContext times;
  std::string name;
  /// The first bytes of a file that is followed, otherwise empty.
  std::string head;

  /// Whether the file was truncated since these properties were noted.
  bool isTruncated() const;
};

/// Returns the first bytes of a file.
std::string readHead(const Descriptor &file, size_t most);

/// The buffers of one thread.
class Scanner {
 public:
  Scanner(std::shared_ptr<const Format> format, const std::vector<Column> &columns, size_t limit)
      : format_(std::move(format)), columns_(columns), limit_(limit) {}

  /// Summarizes the chunks from `first` up to `end`. Returns false on a read error.
  bool summarize(const PartBytes &part, size_t first, size_t end, std::vector<ChunkSummary> &summaries);

  /// Counts the passing records of the chunks. Returns false on a read error.
  bool count(const PartBytes &part, size_t first, size_t end, const Filter &filter, std::vector<uint32_t> &counts);

  /// Finds the records of a chunk that pass, with all of their properties. Until the next call,
  /// `bytes` returns their bytes.
  bool find(const PartBytes &part, size_t chunk, const Filter &filter, std::vector<Record> &records);
  std::string_view bytes(const Record &record) const { return {buffer_.data() + (record.start - low_), record.length}; }

  /// Fills the cells of a record, without the line number.
  const Row &parse(std::string_view bytes, const PartBytes &part);

  /// Returns the start of the last record that begins before an offset, at most 4 MiB back.
  uint64_t lastStart(const PartBytes &part, uint64_t before);

  size_t limit() const { return limit_; }

 private:
  bool load(const PartBytes &part, uint64_t from, uint64_t to);
  /// Calls `onRecord(start, end)` for each record that begins in [from, to), and `onLine(start)`
  /// for each line.
  template <typename OnRecord, typename OnLine>
  void forEach(const PartBytes &part, uint64_t from, uint64_t to, OnRecord onRecord, OnLine onLine);
  bool passes(std::string_view bytes, const PartBytes &part, const Filter &filter);
  bool readsAll(const PartBytes &part, const Filter &filter);
  template <typename OnRecord>
  void forEachCandidate(const PartBytes &part, uint64_t from, uint64_t to, const Filter &filter, OnRecord onRecord);
  uint64_t startOf(uint64_t place, uint64_t floor) const;

  std::shared_ptr<const Format> format_;
  const std::vector<Column> &columns_;
  size_t limit_;
  std::vector<char> buffer_;
  /// The offsets in the file of the first byte in the buffer, and behind the last.
  uint64_t low_ = 0, high_ = 0;
  Row row_;
  std::string cleaned_, scratch_;
};

}  // namespace logs

#endif
