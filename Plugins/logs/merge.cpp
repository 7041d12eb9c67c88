#include "merge.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace logs {

static constexpr auto patience = std::chrono::milliseconds(250);

MergedWalk::MergedWalk(Table &table, const Table::RowRequest &request, Scanner &scanner)
    : table_(table), request_(request), scanner_(scanner), writer_(table.columns_, answer_.rows) {}

// MARK: Places

bool MergedWalk::readKey(const std::string &cursor, MergedKey &key) const {
  unsigned slot = 0;
  if (std::sscanf(cursor.c_str(), "%" SCNd64 ":%u:%" SCNu64, &key.time, &slot, &key.offset) != 3) return false;
  for (key.part = 0; key.part < parts_.size(); ++key.part) {
    if (parts_[key.part]->slot == slot) return true;
  }
  key.part = 0;
  key.offset = 0;
  return true;
}

std::string MergedWalk::cursor(const MergedKey &key) const {
  char text[80];
  std::snprintf(text, sizeof text, "%" PRId64 ":%u:%" PRIu64, key.time, parts_[key.part]->slot, key.offset);
  return text;
}

void MergedWalk::prepare() {
  std::lock_guard<std::mutex> lock(table_.mutex_);
  parts_ = table_.parts_;
  removals_ = table_.removals_;
  bytes_.clear();
  latest_.clear();
  for (const auto &part : parts_) {
    bytes_.push_back(Table::bytesOf(*part));
    std::vector<int64_t> latest(part->chunks());
    int64_t time = INT64_MIN;
    for (size_t chunk = 0; chunk < latest.size(); ++chunk) latest[chunk] = time = std::max(time, part->latest[chunk]);
    latest_.push_back(std::move(latest));
  }
}

int64_t MergedWalk::timeBefore(size_t part, size_t chunk) const { return chunk == 0 ? INT64_MIN : latest_[part][chunk - 1]; }

size_t MergedWalk::chunkOf(size_t part, const MergedKey &key) const {
  const auto &latest = latest_[part];
  if (part == key.part) {
    // Places of this part are exact, and the latest time need not be known yet.
    size_t chunk = static_cast<size_t>(std::min<uint64_t>(key.offset, bytes_[part].size) / chunkBytes);
    if (key.time != INT64_MAX && chunk < latest.size() && timeBefore(part, chunk) <= key.time && key.time <= latest[chunk]) return chunk;
  }
  return static_cast<size_t>(std::lower_bound(latest.begin(), latest.end(), key.time) - latest.begin());
}

// MARK: Rows

void MergedWalk::read(size_t part, size_t chunk, Scanner &scanner, std::vector<Entry> &entries) {
  entries.clear();
  if (!scanner.find(bytes_[part], chunk, all_, records_)) return;
  int64_t latest = timeBefore(part, chunk);
  const Filter &filter = *request_.view->filter;
  for (const Record &record : records_) {
    const Row &row = scanner.parse(scanner.bytes(record), bytes_[part]);
    const Cell &time = row.cells[timeColumn];
    if (time.kind == Cell::timestamp) latest = std::max(latest, time.whole);
    if (filter.isEmpty() || filter.passes(row, table_.columns_, scratch_)) entries.push_back({record, latest});
  }
}

uint64_t MergedWalk::rank(const MergedKey &key) {
  uint64_t sum = 0;
  std::vector<Entry> entries;
  for (size_t part = 0; part < parts_.size(); ++part) {
    size_t chunk = chunkOf(part, key);
    {
      std::lock_guard<std::mutex> lock(table_.mutex_);
      hasMissed_ = hasMissed_ || parts_[part]->isGone;
      if (parts_[part]->isGone) continue;
      ChunkCounts &counts = table_.countsOf(*request_.view, parts_[part]);
      sum += counts.sumBefore(std::min(chunk, counts.size()));
    }
    if (chunk >= latest_[part].size()) continue;
    read(part, chunk, scanner_, entries);
    for (const Entry &entry : entries) sum += MergedKey{entry.time, part, entry.record.start} < key;
  }
  return sum;
}

/// Moves the beginning behind the rows to skip. Returns false if the walk was cancelled.
bool MergedWalk::skip() {
  if (request_.skip == 0) return true;
  if (!waitForCounts()) return false;
  uint64_t from = rank(place_);
  uint64_t target = request_.isDescending ? (from > request_.skip ? from - request_.skip : 0) : from + request_.skip;
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (latest_[part].empty()) continue;
    std::lock_guard<std::mutex> lock(table_.mutex_);
    low = std::min(low, *std::min_element(parts_[part]->earliest.begin(), parts_[part]->earliest.end()));
    high = std::max(high, latest_[part].back());
  }
  if (low > high) low = high;
  // The greatest time with at most `target` rows before it.
  while (low < high) {
    int64_t middle = low + static_cast<int64_t>((static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1) / 2);
    if (rank({middle, 0, 0}) <= target) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  MergedKey found{low, 0, 0};
  uint64_t before = rank(found);
  if (before > target) {
    found = {INT64_MIN, 0, 0};
    before = 0;
  }
  // The rest has the same time: file by file.
  uint64_t left = target - before;
  std::vector<Entry> entries;
  for (size_t part = 0; part < parts_.size() && left > 0; ++part) {
    for (size_t chunk = chunkOf(part, {found.time, part, 0}); chunk < latest_[part].size() && left > 0; ++chunk) {
      read(part, chunk, scanner_, entries);
      bool isPast = false;
      for (const Entry &entry : entries) {
        MergedKey key{entry.time, part, entry.record.start};
        if (key < found) continue;
        isPast = key.time > low;
        if (isPast || left == 0) break;
        --left;
        found = {key.time, part, key.offset + 1};
      }
      if (isPast) break;
    }
  }
  if (left > 0) found = request_.isDescending ? MergedKey{INT64_MIN, 0, 0} : MergedKey{INT64_MAX, parts_.size(), 0};
  place_ = found;
  return true;
}

/// Waits until all rows are counted, which only a jump needs. Returns false if it was cancelled.
bool MergedWalk::waitForCounts() {
  std::unique_lock<std::mutex> lock(table_.mutex_);
  while (true) {
    bool isOpen = false;
    for (const auto &part : parts_) {
      if (part->isGone) continue;
      ChunkCounts &counts = table_.countsOf(*request_.view, part);
      isOpen = isOpen || counts.firstUnknown() < latest_[static_cast<size_t>(&part - parts_.data())].size() || part->records.firstUnknown() < part->chunks();
    }
    if (!isOpen) break;
    if (request_.isCancelled()) return false;
    table_.keep(request_.view);
    ++request_.view->waiting;
    table_.jobs_.notify_all();
    table_.answers_.wait_for(lock, std::chrono::milliseconds(50));
    --request_.view->waiting;
  }
  lock.unlock();
  prepare();
  return true;
}

void MergedWalk::open(Stream &stream, size_t part) {
  stream.part = part;
  stream.scanner = std::make_unique<Scanner>(table_.newScanner());
  const auto &latest = latest_[part];
  if (request_.isDescending) {
    // Behind the first chunk that ends later, all records do.
    size_t chunk = static_cast<size_t>(std::upper_bound(latest.begin(), latest.end(), place_.time) - latest.begin());
    stream.chunk = std::min(chunk + 1, latest.size());
  } else {
    stream.chunk = chunkOf(part, place_);
  }
}

bool MergedWalk::fill(Stream &stream) {
  size_t end = latest_[stream.part].size();
  while (stream.next == stream.entries.size()) {
    if (request_.isDescending ? stream.chunk == 0 : stream.chunk >= end) return false;
    size_t chunk = request_.isDescending ? stream.chunk - 1 : stream.chunk;
    {
      std::unique_lock<std::mutex> lock(table_.mutex_);
      if (parts_[stream.part]->isGone) {
        hasMissed_ = true;
        return false;
      }
      ChunkCounts &counts = table_.countsOf(*request_.view, parts_[stream.part]);
      bool isKnown = chunk < counts.size() && counts.hasCount(chunk);
      if (!isKnown && !request_.view->filter->isEmpty()) {
        mustWait_ = true;
        request_.view->wantedPart = parts_[stream.part].get();
        request_.view->wantedChunk = chunk;
        request_.view->isBackward = request_.isDescending;
        return false;
      }
      stream.chunk = request_.isDescending ? chunk : chunk + 1;
      if (isKnown && counts.count(chunk) == 0 && counts.state(chunk) == ChunkState::known) continue;
      stream.lineBase = parts_[stream.part]->linesBefore(std::min(chunk, parts_[stream.part]->lines.size()));
    }
    read(stream.part, chunk, *stream.scanner, stream.entries);
    stream.next = 0;
    auto isOutside = [&](const Entry &entry) {
      MergedKey key{entry.time, stream.part, entry.record.start};
      return request_.isDescending ? !(key < place_) || key < stop_ : key < place_ || !(key < stop_);
    };
    stream.entries.erase(std::remove_if(stream.entries.begin(), stream.entries.end(), isOutside), stream.entries.end());
    if (request_.isDescending) std::reverse(stream.entries.begin(), stream.entries.end());
    // Behind the stop nothing follows in this part.
    int64_t edge = request_.isDescending ? latest_[stream.part][chunk] : timeBefore(stream.part, chunk);
    if (stream.entries.empty() && (request_.isDescending ? edge < stop_.time : edge > stop_.time)) return false;
  }
  return true;
}

Table::Answer MergedWalk::run() {
  prepare();
  MergedKey begin{INT64_MIN, 0, 0}, end{INT64_MAX, parts_.size(), 0};
  place_ = request_.isDescending ? end : begin;
  stop_ = request_.isDescending ? begin : end;
  if ((request_.hasAfter && !readKey(request_.after, place_)) || (request_.hasUpTo && !readKey(request_.upTo, stop_))) {
    answer_.error = "the place is not one of this table";
    return answer_;
  }
  if (request_.isByTime) {
    std::lock_guard<std::mutex> lock(table_.mutex_);
    for (const auto &part : parts_) {
      if (answer_.error.empty()) answer_.error = table_.disorder(*part, INT64_MIN);
    }
  }
  if (answer_.error.empty() && !skip()) answer_.error = "cancelled";
  if (!answer_.error.empty()) return answer_;
  std::vector<Stream> streams(parts_.size());
  for (size_t part = 0; part < parts_.size(); ++part) open(streams[part], part);
  auto began = Clock::now();
  MergedKey first, last;
  while (true) {
    if (request_.isCancelled()) {
      answer_.error = "cancelled";
      return answer_;
    }
    mustWait_ = false;
    Stream *nearest = nullptr;
    for (Stream &stream : streams) {
      if (!fill(stream)) continue;
      if (!nearest || (request_.isDescending ? keyOf(*nearest) < keyOf(stream) : keyOf(stream) < keyOf(*nearest))) nearest = &stream;
    }
    if (mustWait_) {
      // The next row may be one that is not found yet.
      if (writer_.rows() > 0 && Clock::now() - began > patience) {
        answer_.hasMore = true;
        break;
      }
      std::unique_lock<std::mutex> lock(table_.mutex_);
      table_.keep(request_.view);
      ++request_.view->waiting;
      table_.jobs_.notify_all();
      table_.answers_.wait_for(lock, std::chrono::milliseconds(50));
      --request_.view->waiting;
      continue;
    }
    if (!nearest) break;
    if (writer_.rows() == request_.count || writer_.isFull()) {
      answer_.hasMore = true;
      break;
    }
    last = keyOf(*nearest);
    if (writer_.rows() == 0) first = last;
    const Entry &entry = nearest->entries[nearest->next++];
    const Row &row = nearest->scanner->parse(nearest->scanner->bytes(entry.record), bytes_[nearest->part]);
    writer_.write(row, parts_[nearest->part]->slot, entry.record, nearest->lineBase + entry.record.line + 1, scanner_.limit());
  }
  for (const PartBytes &bytes : bytes_) hasMissed_ = hasMissed_ || bytes.isTruncated();
  if (writer_.rows() > 0) {
    (request_.isDescending ? first : last).offset += 1;
    answer_.begin = cursor(first);
    answer_.end = cursor(last);
  }
  std::lock_guard<std::mutex> lock(table_.mutex_);
  answer_.count = table_.total(*request_.view);
  return answer_;
}

}  // namespace logs
