#include "scanner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "text.h"

namespace logs {

/// The bytes of a line that decide whether it begins a record.
static constexpr uint64_t lineBeginning = 64;

std::string readHead(const Descriptor &file, size_t most) {
  std::string head(most, '\0');
  ssize_t got = pread(file.number(), head.data(), head.size(), 0);
  head.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return head;
}

bool PartBytes::isTruncated() const {
  if (head.empty()) return false;
  struct stat status;
  if (fstat(file->number(), &status) == 0 && static_cast<uint64_t>(status.st_size) < size) return true;
  return readHead(*file, head.size()) != head;
}

bool Scanner::load(const PartBytes &part, uint64_t from, uint64_t to) {
  low_ = from == 0 ? 0 : from - 1;
  high_ = std::min(part.size, to + limit_ + lineBeginning);
  if (low_ > high_) low_ = high_;
  size_t length = static_cast<size_t>(high_ - low_);
  if (buffer_.size() < length + 64) buffer_.resize(length + 64);
  size_t done = 0;
  while (done < length) {
    ssize_t got = pread(part.file->number(), buffer_.data() + done, length - done, static_cast<off_t>(low_ + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;  // truncated, which the follower notices, or unreadable
    done += static_cast<size_t>(got);
  }
  std::memset(buffer_.data() + length, 0, 64);
  return true;
}

template <typename OnRecord, typename OnLine>
void Scanner::forEach(const PartBytes &part, uint64_t from, uint64_t to, OnRecord onRecord, OnLine onLine) {
  constexpr uint64_t none = UINT64_MAX;
  uint64_t open = none;
  to = std::min(to, part.size);
  // Returns false behind the last record that begins before `to`.
  auto visit = [&](uint64_t place) {
    if (place >= high_) return true;
    const char *line = buffer_.data() + (place - low_);
    if (place == 0 || format_->begins({line, static_cast<size_t>(std::min(lineBeginning, high_ - place))})) {
      if (open != none) onRecord(open, place);
      if (place >= to) {
        open = none;
        return false;
      }
      open = place;
    } else if (place >= to && open == none) {
      return false;
    }
    if (place < to) onLine(place);
    return true;
  };
  bool goesOn = from < to;
  if (goesOn && from == 0) goesOn = visit(0);
  for (uint64_t base = low_; goesOn && base < high_; base += 64) {
    if (base >= to && open == none) break;
    uint64_t mask = lineFeeds(buffer_.data() + (base - low_));
    for (; mask != 0 && goesOn; mask &= mask - 1) goesOn = visit(base + static_cast<uint64_t>(__builtin_ctzll(mask)) + 1);
  }
  if (open != none && goesOn) onRecord(open, high_);
}

bool Scanner::summarize(const PartBytes &part, size_t first, size_t end, std::vector<ChunkSummary> &summaries) {
  summaries.assign(end - first, ChunkSummary());
  uint64_t from = first * chunkBytes, to = end * chunkBytes;
  if (!load(part, from, to)) return false;
  bool hasTime = !columns_[timeColumn].isHidden;
  size_t lastChunk = SIZE_MAX;
  int64_t lastTime = INT64_MIN;
  forEach(
      part, from, to,
      [&](uint64_t start, uint64_t stop) {
        size_t chunk = static_cast<size_t>(start / chunkBytes) - first;
        ChunkSummary &summary = summaries[chunk];
        ++summary.records;
        if (!hasTime) return;
        std::string_view bytes(buffer_.data() + (start - low_), std::min<size_t>(limit_, static_cast<size_t>(stop - start)));
        if (std::memchr(bytes.data(), 0x1B, bytes.size()) != nullptr && !format_->readsRaw()) {
          cleaned_.clear();
          clean(bytes, cleaned_);
          bytes = cleaned_;
        }
        row_.reset(0);
        int64_t time = format_->time(bytes, part.times, row_);
        if (chunk != lastChunk) {
          lastChunk = chunk;
          lastTime = INT64_MIN;
        }
        if (time == noTime) {
          summary.isOrdered = false;
          return;
        }
        if (time < lastTime) summary.isOrdered = false;
        lastTime = time;
        summary.earliest = std::min(summary.earliest, time);
        summary.latest = std::max(summary.latest, time);
      },
      [&](uint64_t line) { ++summaries[static_cast<size_t>(line / chunkBytes) - first].lines; });
  return true;
}

const Row &Scanner::parse(std::string_view bytes, const PartBytes &part) {
  while (!bytes.empty() && (bytes.back() == '\n' || bytes.back() == '\r')) bytes.remove_suffix(1);
  if (!format_->readsRaw() && !isPlain(bytes)) {
    cleaned_.clear();
    clean(bytes, cleaned_);
    bytes = cleaned_;
  }
  format_->parse(bytes, part.times, row_);
  if (row_.cells.size() < columns_.size()) {
    row_.cells.resize(columns_.size());
    for (size_t column = format_->columns().size(); column < columns_.size(); ++column) {
      if (columns_[column].name == "file") row_.cells[column] = Cell::ofText(part.name);
    }
  }
  return row_;
}

bool Scanner::passes(std::string_view bytes, const PartBytes &part, const Filter &filter) {
  return filter.passes(parse(bytes, part), columns_, scratch_);
}

/// Returns the start of the record that a place is in, not before `floor`.
uint64_t Scanner::startOf(uint64_t place, uint64_t floor) const {
  while (true) {
    const char *data = buffer_.data();
    const void *feed = place > low_ ? memrchr(data, '\n', static_cast<size_t>(place - low_)) : nullptr;
    if (feed == nullptr) return low_ == 0 && floor == 0 ? 0 : UINT64_MAX;
    uint64_t line = low_ + static_cast<uint64_t>(static_cast<const char *>(feed) - data) + 1;
    if (line < floor) return UINT64_MAX;
    if (format_->begins({data + (line - low_), static_cast<size_t>(std::min(lineBeginning, high_ - line))})) return line;
    place = line - 1;
  }
}

/// Calls `onRecord(start, end)` for the records that contain a literal of the filter.
template <typename OnRecord>
void Scanner::forEachCandidate(const PartBytes &part, uint64_t from, uint64_t to, const Filter &filter, OnRecord onRecord) {
  const auto &literals = filter.literals();
  const char *data = buffer_.data(), *end = data + (high_ - low_);
  std::vector<const char *> next(literals.size(), data);
  for (size_t index = 0; index < literals.size(); ++index) next[index] = literals[index].find(data, end);
  to = std::min(to, part.size);
  while (true) {
    const char *nearest = *std::min_element(next.begin(), next.end());
    if (nearest == end) return;
    uint64_t place = low_ + static_cast<uint64_t>(nearest - data);
    uint64_t start = startOf(place + 1, from), stop = place;
    if (start != UINT64_MAX && start >= to) return;
    // The end of the record is the beginning of the next.
    while (true) {
      const void *feed = std::memchr(data + (stop - low_), '\n', static_cast<size_t>(high_ - stop));
      stop = feed ? low_ + static_cast<uint64_t>(static_cast<const char *>(feed) - data) + 1 : high_;
      if (stop >= high_ || format_->begins({data + (stop - low_), static_cast<size_t>(std::min(lineBeginning, high_ - stop))})) break;
    }
    if (start != UINT64_MAX) onRecord(start, stop);
    const char *behind = data + (stop - low_);
    for (size_t index = 0; index < literals.size(); ++index) {
      if (next[index] < behind) next[index] = literals[index].find(behind, end);
    }
  }
}

bool Scanner::count(const PartBytes &part, size_t first, size_t end, const Filter &filter, std::vector<uint32_t> &counts) {
  counts.assign(end - first, 0);
  uint64_t from = first * chunkBytes, to = end * chunkBytes;
  if (!load(part, from, to)) return false;
  auto take = [&](uint64_t start, uint64_t stop) {
    std::string_view bytes(buffer_.data() + (start - low_), std::min<size_t>(limit_, static_cast<size_t>(stop - start)));
    counts[static_cast<size_t>(start / chunkBytes) - first] += filter.isEmpty() || passes(bytes, part, filter);
  };
  if (readsAll(part, filter)) {
    forEach(part, from, to, take, [](uint64_t) {});
  } else {
    forEachCandidate(part, from, to, filter, take);
  }
  return true;
}

/// Whether every record in the buffer must be read to know which of them pass.
bool Scanner::readsAll(const PartBytes &part, const Filter &filter) {
  if (filter.literals().empty()) return true;
  if (!filter.search().empty() && filter.search().isIn(part.name, scratch_)) return true;
  return filter.readsBeyondASCII() && !isASCII({buffer_.data(), static_cast<size_t>(high_ - low_)});
}

bool Scanner::find(const PartBytes &part, size_t chunk, const Filter &filter, std::vector<Record> &records) {
  records.clear();
  uint64_t from = chunk * chunkBytes, to = from + chunkBytes;
  if (!load(part, from, to)) return false;
  uint32_t lines = 0;
  auto take = [&](uint64_t start, uint64_t stop) {
    uint64_t length = std::min<uint64_t>(limit_, stop - start);
    std::string_view bytes(buffer_.data() + (start - low_), static_cast<size_t>(length));
    if (!filter.isEmpty() && !passes(bytes, part, filter)) return;
    records.push_back({start, static_cast<uint32_t>(length), 0, stop - start > limit_ || (stop == high_ && high_ < part.size)});
  };
  if (filter.isEmpty() || readsAll(part, filter)) {
    forEach(part, from, to, take, [](uint64_t) {});
  } else {
    forEachCandidate(part, from, to, filter, take);
  }
  // The line numbers, in a second pass over the line feeds.
  size_t next = 0;
  uint64_t place = from;
  bool isStart = from == 0 || buffer_[0] == '\n';
  while (next < records.size()) {
    if (isStart) {
      if (place == records[next].start) records[next++].line = lines;
      ++lines;
    }
    const char *at = buffer_.data() + (place - low_);
    const void *feed = std::memchr(at, '\n', static_cast<size_t>(high_ - place));
    if (feed == nullptr) break;
    place += static_cast<uint64_t>(static_cast<const char *>(feed) - at) + 1;
    isStart = true;
    if (place >= high_) break;
  }
  return true;
}

uint64_t Scanner::lastStart(const PartBytes &part, uint64_t before) {
  Filter all;
  std::vector<Record> records;
  size_t chunk = before == 0 ? 0 : static_cast<size_t>((before - 1) / chunkBytes);
  for (int tries = 0; tries < 64; ++tries, --chunk) {
    if (!find(part, chunk, all, records)) return chunk * chunkBytes;
    while (!records.empty() && records.back().start >= before) records.pop_back();
    if (!records.empty()) return records.back().start;
    if (chunk == 0) return 0;
  }
  return (chunk + 1) * chunkBytes;
}

}  // namespace logs
