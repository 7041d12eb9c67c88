// Orders by time in one direction and by line in the other.
//
// The walk finds rows in the order of the file. In the order asked for, the rows of each time are
// reversed, and nothing else differs: the n-th row of a time becomes the n-th from its end. So
// places and counts stay those of the walk, and only the rows of the first and the last time in an
// answer need others that lie outside of it.

#include <algorithm>

#include "walk.h"

namespace logs {

/// The rows of one time beyond which the order is refused.
static constexpr size_t mostTies = 1'000'000;

/// Adds the passing records next to one that have its time. Returns false if there are too many.
bool Walk::collectTies(const Picked &from, bool isForward, std::vector<Picked> &members) {
  std::vector<Record> records;
  size_t part = from.part, chunk = static_cast<size_t>(from.record.start / chunkBytes);
  const Filter &filter = *request_.view->filter;
  while (true) {
    uint64_t lineBase = 0;
    {
      std::lock_guard<std::mutex> lock(table_.mutex_);
      lineBase = this->lineBase(part, chunk);
    }
    if (!scanner_.find(bytes_[part], chunk, all_, records)) records.clear();
    if (!isForward) std::reverse(records.begin(), records.end());
    for (const Record &record : records) {
      bool isBeyond = part != from.part || (isForward ? record.start > from.record.start : record.start < from.record.start);
      if (!isBeyond) continue;
      const Row &row = scanner_.parse(scanner_.bytes(record), bytes_[part]);
      if (row.cells[timeColumn].kind != Cell::timestamp || row.cells[timeColumn].whole != from.time) return true;
      if (!filter.isEmpty() && !filter.passes(row, table_.columns_, scratch_)) continue;
      members.push_back({part, record, lineBase + record.line + 1, from.time});
      if (members.size() > mostTies) return false;
    }
    if (isForward) {
      if (++chunk * chunkBytes < bytes_[part].size) continue;
      if (++part == parts_.size()) return true;
      chunk = 0;
    } else if (chunk > 0) {
      --chunk;
    } else {
      do {
        if (part-- == 0) return true;
      } while (bytes_[part].size == 0);
      chunk = static_cast<size_t>((bytes_[part].size - 1) / chunkBytes);
    }
  }
}

void Walk::reverseTies() {
  bool isForward = !request_.isDescending;
  std::vector<Picked> before, after;
  if (!collectTies(picked_.front(), !isForward, before) || !collectTies(picked_.back(), isForward, after)) {
    answer_.error = "more than " + std::to_string(mostTies) +
                    " rows have the same time: sort by time and line in the same direction";
    return;
  }
  // All rows of the times in the answer, in the direction of the walk.
  std::vector<Picked> all(before.rbegin(), before.rend());
  all.insert(all.end(), picked_.begin(), picked_.end());
  all.insert(all.end(), after.begin(), after.end());
  size_t from = 0;
  while (from < all.size()) {
    size_t end = from;
    while (end < all.size() && all[end].time == all[from].time) ++end;
    std::reverse(all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(end));
    from = end;
  }
  auto first = all.begin() + static_cast<std::ptrdiff_t>(before.size());
  picked_.assign(first, first + static_cast<std::ptrdiff_t>(picked_.size()));
  writePicked();
}

void Walk::writePicked() {
  std::vector<Record> records;
  size_t part = SIZE_MAX, chunk = SIZE_MAX;
  for (const Picked &picked : picked_) {
    size_t itsChunk = static_cast<size_t>(picked.record.start / chunkBytes);
    if (picked.part != part || itsChunk != chunk) {
      part = picked.part;
      chunk = itsChunk;
      if (!scanner_.find(bytes_[part], chunk, all_, records)) {
        answer_.error = "the file was changed while it was read";
        return;
      }
    }
    const Row &row = scanner_.parse(scanner_.bytes(picked.record), bytes_[part]);
    writer_.write(row, parts_[part]->slot, picked.record, picked.line, scanner_.limit());
  }
}

}  // namespace logs
