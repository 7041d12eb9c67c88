#include "walk.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "merge.h"
#include "text.h"

namespace logs {

/// The time after which rows found so far are sent while the search for others goes on.
static constexpr auto patience = std::chrono::milliseconds(250);
/// Rows within these bytes of the end are numbered from the end while the index is incomplete.
static constexpr uint64_t tailBytes = 1 << 20;
/// The time within which the follower notices that a file was truncated.
static constexpr auto notice = std::chrono::seconds(5);
/// The walks for one answer. Each further one follows a change of the parts.
static constexpr int mostWalks = 8;

// MARK: Rows

void RowWriter::write(const Cell &cell, const char *suffix) {
  char text[64];
  out_ += ',';
  switch (cell.kind) {
    case Cell::empty: out_ += "null"; return;
    case Cell::boolean: out_ += cell.whole ? "true" : "false"; return;
    case Cell::integer: {
      bool isExact = cell.whole < (int64_t{1} << 53) && cell.whole > -(int64_t{1} << 53);
      std::snprintf(text, sizeof text, isExact ? "%" PRId64 : "\"%" PRId64 "\"", cell.whole);
      break;
    }
    case Cell::number: std::snprintf(text, sizeof text, "%.17g", cell.fraction); break;
    case Cell::timestamp: {
      int64_t fraction = cell.whole % 1'000'000, whole = cell.whole / 1'000'000;
      if (fraction == 0) {
        std::snprintf(text, sizeof text, "%" PRId64, whole);
      } else {
        if (fraction < 0) {
          std::snprintf(text, sizeof text, "\"%s%" PRId64 ".%06" PRId64 "\"", "-", -whole, -fraction);
        } else {
          std::snprintf(text, sizeof text, "\"%" PRId64 ".%06" PRId64 "\"", whole, fraction);
        }
      }
      break;
    }
    case Cell::text:
      appendJSON(cell.bytes, out_);
      if (suffix != nullptr) {
        out_.pop_back();
        out_ += suffix;
        out_ += '"';
      }
      return;
  }
  out_ += text;
}

void RowWriter::write(const Row &row, uint32_t slot, const Record &record, uint64_t line, size_t limit) {
  char text[64];
  if (rows_++ > 0) out_ += ',';
  std::snprintf(text, sizeof text, "[%" PRIu64, (static_cast<uint64_t>(slot) << 40) + record.start);
  out_ += text;
  std::snprintf(text, sizeof text, " … (cut after %zu bytes)", limit);
  for (size_t column = 0; column < columns_.size(); ++column) {
    if (columns_[column].isHidden) continue;
    if (column + 1 == columns_.size()) {
      write(Cell::ofInteger(static_cast<int64_t>(line)), nullptr);
    } else {
      bool isCut = column == messageColumn && record.isCut && row.cells[column].kind == Cell::text;
      write(row.cells[column], isCut ? text : nullptr);
    }
  }
  out_ += ']';
}

// MARK: Places

Walk::Walk(Table &table, const Table::RowRequest &request, Scanner &scanner)
    : table_(table), request_(request), scanner_(scanner), skip_(request.skip), writer_(table.columns_, answer_.rows) {}

bool Walk::readBoundary(const std::string &cursor, Boundary &boundary) const {
  unsigned slot = 0;
  uint64_t offset = 0;
  if (std::sscanf(cursor.c_str(), "%u:%" SCNu64, &slot, &offset) != 2) return false;
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (parts_[part]->slot == slot) {
      boundary = {part, offset};
      return true;
    }
  }
  // The oldest parts are those that leave the table.
  boundary = {0, 0};
  return true;
}

std::string Walk::cursor(const Boundary &boundary) const {
  char text[64];
  std::snprintf(text, sizeof text, "%u:%" PRIu64, parts_[boundary.part]->slot, boundary.offset);
  return text;
}

bool Walk::isBehindStop() const { return request_.isDescending ? !(stop_ < place_) : !(place_ < stop_); }

bool Walk::locateChunk(size_t &part, size_t &chunk) {
  while (!isBehindStop()) {
    if (request_.isDescending) {
      uint64_t offset = std::min(place_.offset, bytes_[place_.part].size);
      if (offset > 0) {
        part = place_.part;
        chunk = static_cast<size_t>((offset - 1) / chunkBytes);
        return true;
      }
      if (place_.part == 0) return false;
      place_ = {place_.part - 1, UINT64_MAX};
    } else {
      if (place_.part >= parts_.size()) return false;
      if (place_.offset < bytes_[place_.part].size) {
        part = place_.part;
        chunk = static_cast<size_t>(place_.offset / chunkBytes);
        return true;
      }
      place_ = {place_.part + 1, 0};
    }
  }
  return false;
}

bool Walk::isWhole(size_t part, size_t chunk) const {
  Boundary low{part, chunk * chunkBytes}, high{part, std::min((chunk + 1) * chunkBytes, bytes_[part].size)};
  const Boundary &from = request_.isDescending ? stop_ : place_, &to = request_.isDescending ? place_ : stop_;
  return !(low < from) && !(to < high);
}

void Walk::leave(size_t part, size_t chunk) { place_ = {part, (request_.isDescending ? chunk : chunk + 1) * chunkBytes}; }

bool Walk::contains(size_t part, const Record &record) const {
  Boundary start{part, record.start};
  return request_.isDescending ? start < place_ && !(start < stop_) : !(start < place_) && start < stop_;
}

// MARK: Chunks

/// Decides what to do with a chunk by its count. The table is locked.
Walk::Step Walk::examine(size_t part, size_t chunk) {
  if (parts_[part]->isGone) {
    hasMissed_ = isDone_ = true;
    return Step::next;
  }
  isVisited_[part] = true;
  ChunkCounts &counts = table_.countsOf(*request_.view, parts_[part]);
  if (chunk >= counts.size()) return Step::evaluate;
  if (!counts.hasCount(chunk)) return request_.view->filter->isEmpty() ? Step::evaluate : Step::wait;
  if (counts.state(chunk) != ChunkState::known) return Step::evaluate;
  uint32_t count = counts.count(chunk);
  if (count == 0) return Step::next;
  if (skip_ >= count && isWhole(part, chunk)) {
    skip_ -= count;
    return Step::next;
  }
  return Step::evaluate;
}

/// Returns the number of lines before a chunk, of the whole table. The table is locked.
uint64_t Walk::lineBase(size_t part, size_t chunk) {
  double lineBytes = table_.lineBytes();
  auto before = [&](const Part &known, size_t end) {
    size_t unknown = std::min(end, known.records.firstUnknown());
    uint64_t lines = unknown == known.chunks() ? known.lineSum : known.linesBefore(unknown);
    uint64_t bytes = std::min<uint64_t>(known.size, end * chunkBytes) - std::min<uint64_t>(known.size, unknown * chunkBytes);
    return lines + static_cast<uint64_t>(static_cast<double>(bytes) / lineBytes);
  };
  uint64_t lines = 0;
  for (size_t index = 0; index < part; ++index) lines += before(*parts_[index], parts_[index]->chunks());
  return lines + before(*parts_[part], chunk);
}

void Walk::takeRecord(size_t part, const Record &record) {
  if (writer_.rows() + picked_.size() == 0) first_ = {part, record.start};
  last_ = {part, record.start};
  const Row &row = scanner_.parse(scanner_.bytes(record), bytes_[part]);
  if (request_.reversesTies) {
    picked_.push_back({part, record, lineBase_ + record.line + 1, row.cells[timeColumn].whole});
    return;
  }
  writer_.write(row, parts_[part]->slot, record, lineBase_ + record.line + 1, scanner_.limit());
}

void Walk::take(size_t part, size_t chunk) {
  if (!scanner_.find(bytes_[part], chunk, *request_.view->filter, records_)) records_.clear();
  records_.erase(std::remove_if(records_.begin(), records_.end(), [&](const Record &record) { return !contains(part, record); }), records_.end());
  if (skip_ >= records_.size()) {
    skip_ -= records_.size();
    return leave(part, chunk);
  }
  if (request_.isDescending) std::reverse(records_.begin(), records_.end());
  for (size_t index = static_cast<size_t>(skip_); index < records_.size(); ++index) {
    if (isFull()) {
      answer_.hasMore = isDone_ = true;
      return;
    }
    takeRecord(part, records_[index]);
  }
  skip_ = 0;
  leave(part, chunk);
}

/// Whether rows follow, as far as it is known: a chunk without a count may have some. The table is
/// locked.
bool Walk::mayFollow(size_t part, size_t chunk) {
  do {
    if (parts_[part]->isGone) {
      hasMissed_ = true;
    } else {
      ChunkCounts &counts = table_.countsOf(*request_.view, parts_[part]);
      if (chunk >= counts.size() || !counts.hasCount(chunk) || counts.count(chunk) > 0 || counts.state(chunk) != ChunkState::known) return true;
    }
    leave(part, chunk);
  } while (locateChunk(part, chunk));
  return false;
}

// MARK: Jumps while the index is incomplete

/// Returns the number of records that begin in a range of a part.
uint64_t Walk::recordsIn(size_t part, uint64_t from, uint64_t to) {
  uint64_t count = 0;
  std::vector<Record> records;
  to = std::min(to, bytes_[part].size);
  for (size_t chunk = static_cast<size_t>(from / chunkBytes); chunk * chunkBytes < to; ++chunk) {
    if (!scanner_.find(bytes_[part], chunk, *request_.view->filter, records)) break;
    for (const Record &record : records) count += record.start >= from && record.start < to;
  }
  return count;
}

/// Returns the estimated number of records before a boundary, exact where they are counted.
double Walk::coordinate(const Boundary &boundary) {
  double sum = 0, recordBytes = 0, estimate = 0;
  uint64_t known = 0, unknown = 0;
  {
    std::lock_guard<std::mutex> lock(table_.mutex_);
    recordBytes = table_.recordBytes();
    for (size_t part = 0; part < std::min(boundary.part, parts_.size()); ++part) sum += static_cast<double>(table_.estimatedRecords(*parts_[part]));
    if (boundary.part >= parts_.size()) return sum;
    const Part &part = *parts_[boundary.part];
    unknown = std::min<uint64_t>(part.records.firstUnknown() * chunkBytes, part.size);
    known = part.records.sumBefore(std::min<size_t>(part.records.firstUnknown(), static_cast<size_t>(boundary.offset / chunkBytes)));
    estimate = static_cast<double>(table_.estimatedRecords(part));
  }
  uint64_t size = bytes_[boundary.part].size, offset = std::min(boundary.offset, size);
  if (offset < unknown) return sum + static_cast<double>(known + recordsIn(boundary.part, offset / chunkBytes * chunkBytes, offset));
  if (size - offset < tailBytes) return sum + estimate - static_cast<double>(recordsIn(boundary.part, offset, size));
  return sum + static_cast<double>(known) + static_cast<double>(offset - unknown) / recordBytes;
}

/// Returns the boundary with about so many records before it.
Boundary Walk::boundaryAt(double coordinate) {
  for (size_t part = 0; part < parts_.size(); ++part) {
    double estimate = 0, recordBytes = 0, known = 0;
    size_t chunk = 0, unknown = 0;
    {
      std::lock_guard<std::mutex> lock(table_.mutex_);
      estimate = static_cast<double>(table_.estimatedRecords(*parts_[part]));
      recordBytes = table_.recordBytes();
      unknown = parts_[part]->records.firstUnknown();
      while (chunk < unknown && known + parts_[part]->records.count(chunk) <= coordinate) known += parts_[part]->records.count(chunk++);
    }
    if (coordinate >= estimate && part + 1 < parts_.size()) {
      coordinate -= estimate;
      continue;
    }
    std::vector<Record> records;
    if (chunk < unknown) {
      if (!scanner_.find(bytes_[part], chunk, *request_.view->filter, records)) return {part, chunk * chunkBytes};
      size_t index = static_cast<size_t>(std::max(0.0, coordinate - known));
      return index < records.size() ? Boundary{part, records[index].start} : Boundary{part, (chunk + 1) * chunkBytes};
    }
    double left = std::max(0.0, estimate - coordinate);
    if (left * recordBytes < tailBytes) {
      // Exact from the end.
      uint64_t wanted = static_cast<uint64_t>(std::llround(left));
      for (size_t from = parts_[part]->chunks(); from-- > unknown && wanted > 0;) {
        if (!scanner_.find(bytes_[part], from, *request_.view->filter, records)) break;
        if (wanted <= records.size()) return {part, records[records.size() - wanted].start};
        wanted -= records.size();
      }
      return {part, wanted == 0 ? bytes_[part].size : unknown * chunkBytes};
    }
    return {part, unknown * chunkBytes + static_cast<uint64_t>((coordinate - known) * recordBytes)};
  }
  return {parts_.empty() ? 0 : parts_.size() - 1, UINT64_MAX};
}

/// Skips rows by their estimated number.
void Walk::jump() {
  double target = coordinate(place_) + (request_.isDescending ? -1.0 : 1.0) * static_cast<double>(skip_);
  place_ = boundaryAt(std::max(0.0, target));
  skip_ = 0;
}

// MARK: The walk

Table::Answer Walk::run() {
  bool isIncomplete = false;
  {
    std::lock_guard<std::mutex> lock(table_.mutex_);
    parts_ = table_.parts_;
    removals_ = table_.removals_;
    for (const auto &part : parts_) {
      bytes_.push_back(Table::bytesOf(*part));
      isVisited_.push_back(false);
      isIncomplete = isIncomplete || part->records.firstUnknown() < part->chunks();
    }
    if (request_.isByTime) answer_.error = table_.disorder();
    if (!answer_.error.empty()) return answer_;
  }
  if (parts_.empty()) return answer_;
  Boundary begin{0, 0}, end{parts_.size(), 0};
  place_ = request_.isDescending ? end : begin;
  stop_ = request_.isDescending ? begin : end;
  if ((request_.hasAfter && !readBoundary(request_.after, place_)) || (request_.hasUpTo && !readBoundary(request_.upTo, stop_))) {
    answer_.error = "the place is not one of this table";
    return answer_;
  }
  if (request_.isDescending && place_.part >= parts_.size()) place_ = {parts_.size() - 1, UINT64_MAX};
  if (skip_ > 0 && isIncomplete && request_.view->filter->isEmpty()) jump();
  size_t part = 0, chunk = 0;
  while (!isDone_ && locateChunk(part, chunk)) {
    if (request_.isCancelled()) {
      answer_.error = "cancelled";
      return answer_;
    }
    std::unique_lock<std::mutex> lock(table_.mutex_);
    if (isFull()) {
      answer_.hasMore = mayFollow(part, chunk);
      break;
    }
    Step step = examine(part, chunk);
    if (step == Step::next) {
      leave(part, chunk);
      continue;
    }
    if (step == Step::wait) {
      if (writer_.rows() + picked_.size() > 0 && Clock::now() - began_ > patience) {
        answer_.hasMore = true;
        break;
      }
      View &view = *request_.view;
      table_.keep(request_.view);
      ++view.waiting;
      view.wantedPart = parts_[part].get();
      view.wantedChunk = chunk;
      view.isBackward = request_.isDescending;
      table_.jobs_.notify_all();
      table_.answers_.wait_for(lock, std::chrono::milliseconds(50));
      --view.waiting;
      continue;
    }
    lineBase_ = lineBase(part, chunk);
    lock.unlock();
    take(part, chunk);
  }
  if (!picked_.empty()) reverseTies();
  for (size_t index = 0; index < parts_.size(); ++index) {
    hasMissed_ = hasMissed_ || (isVisited_[index] && bytes_[index].isTruncated());
  }
  if (!answer_.error.empty()) return answer_;
  if (writer_.rows() > 0) {
    Boundary beforeFirst = first_, afterLast = last_;
    (request_.isDescending ? beforeFirst : afterLast).offset += 1;
    answer_.begin = cursor(beforeFirst);
    answer_.end = cursor(afterLast);
  }
  std::lock_guard<std::mutex> lock(table_.mutex_);
  answer_.count = table_.total(*request_.view);
  return answer_;
}

template <typename AnyWalk>
Table::Answer Table::answer(const RowRequest &request, Scanner &scanner) {
  for (int walks = 1;; ++walks) {
    AnyWalk walk(*this, request, scanner);
    Answer answer = walk.run();
    if (!walk.hasMissed() || walks == mostWalks) return answer;
    // Once the follower has noticed, a copy of a truncated file may have the rows.
    std::unique_lock<std::mutex> lock(mutex_);
    auto hasChanged = [&] { return removals_ != walk.removals() || request.isCancelled(); };
    if (!options_.follows || awaited_ == walk.removals()) return answer;
    if (answers_.wait_for(lock, notice, hasChanged)) continue;
    awaited_ = walk.removals();
    return answer;
  }
}

Table::Answer Table::rows(const RowRequest &request, Scanner &scanner) {
  return options_.isMerged ? answer<MergedWalk>(request, scanner) : answer<Walk>(request, scanner);
}

}  // namespace logs
