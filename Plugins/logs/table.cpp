#include "table.h"

#include <algorithm>
#include <cinttypes>

namespace logs {

/// The chunks that a thread counts at a time: 256 KiB, which fit the processor's second cache.
static constexpr size_t jobChunks = 4;
/// The chunks left below which progress is not reported.
static constexpr size_t fewChunks = 64;
/// The views whose counts are kept.
static constexpr size_t mostViews = 12;
static constexpr uint32_t slots = 8192;

Table::Table(std::shared_ptr<const Format> format, std::vector<Column> columns, Options options, double recordBytes)
    : format_(std::move(format)), columns_(std::move(columns)), options_(options), sampleRecordBytes_(std::max(1.0, recordBytes)), usedSlots_(slots) {
  for (int number = 0; number < options_.threads; ++number) threads_.emplace_back([this] { work(); });
}

Table::~Table() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isEnding_ = true;
  }
  jobs_.notify_all();
  answers_.notify_all();
  for (std::thread &thread : threads_) thread.join();
}

// MARK: Parts

void Table::insert(const std::shared_ptr<Part> &part, size_t at) {
  part->records.grow(part->chunks(), part->chunks());
  part->lines.resize(part->chunks());
  part->earliest.resize(part->chunks(), INT64_MAX);
  part->latest.resize(part->chunks(), INT64_MIN);
  part->isOrdered.resize(part->chunks(), true);
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(std::min(at, parts_.size())), part);
  hasChanged_ = true;
  jobs_.notify_all();
}

void Table::erase(const std::shared_ptr<Part> &part) {
  part->isGone = true;
  ++removals_;
  parts_.erase(std::remove(parts_.begin(), parts_.end(), part), parts_.end());
  for (auto &[identity, view] : views_) {
    (void)identity;
    view->counts.erase(part.get());
    if (view->wantedPart == part.get()) view->wantedPart = nullptr;
  }
  hasChanged_ = true;
  answers_.notify_all();
}

void Table::add(std::shared_ptr<Part> part, size_t at) {
  std::lock_guard<std::mutex> lock(mutex_);
  insert(part, at);
}

void Table::remove(const std::shared_ptr<Part> &part) {
  std::lock_guard<std::mutex> lock(mutex_);
  erase(part);
}

void Table::replace(const std::shared_ptr<Part> &part, const std::vector<std::shared_ptr<Part>> &others, bool isCopy) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (isCopy) {
    usedSlots_[others.front()->slot] = false;
    others.front()->slot = part->slot;
  }
  size_t place = static_cast<size_t>(std::find(parts_.begin(), parts_.end(), part) - parts_.begin());
  erase(part);
  for (const auto &other : others) insert(other, place++);
}

void Table::grow(const std::shared_ptr<Part> &part, uint64_t size) {
  PartBytes bytes;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    bytes = bytesOf(*part);
  }
  if (size <= bytes.size) return;
  // The last record may go on, so its chunk is counted again.
  Scanner scanner = newScanner();
  size_t stale = static_cast<size_t>(scanner.lastStart(bytes, bytes.size) / chunkBytes);
  std::lock_guard<std::mutex> lock(mutex_);
  part->size = size;
  size_t chunks = part->chunks();
  part->records.grow(chunks, stale);
  part->lines.resize(chunks);
  part->earliest.resize(chunks, INT64_MAX);
  part->latest.resize(chunks, INT64_MIN);
  part->isOrdered.resize(chunks, true);
  for (auto &[identity, view] : views_) {
    (void)identity;
    auto counts = view->counts.find(part.get());
    if (counts != view->counts.end()) counts->second.grow(chunks, stale);
  }
  hasChanged_ = true;
  jobs_.notify_all();
}

std::vector<std::shared_ptr<Part>> Table::parts() {
  std::lock_guard<std::mutex> lock(mutex_);
  return parts_;
}

uint32_t Table::newSlot(dev_t device, ino_t inode) {
  std::lock_guard<std::mutex> lock(mutex_);
  // The same file gets the same slot after a restart, so that its rows keep their keys.
  uint64_t mixed = (static_cast<uint64_t>(device) * 0x9E3779B97F4A7C15u) ^ (static_cast<uint64_t>(inode) * 0xC2B2AE3D27D4EB4Fu);
  uint32_t slot = static_cast<uint32_t>(mixed >> 40) % slots;
  for (uint32_t tries = 0; usedSlots_[slot] && tries < slots; ++tries) slot = (slot + 1) % slots;
  usedSlots_[slot] = true;
  return slot;
}

void Table::change(const std::function<void()> &body) {
  std::lock_guard<std::mutex> lock(mutex_);
  body();
  hasChanged_ = true;
}

void Table::tick(bool isForced) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto passed = Clock::now() - lastChange_;
    bool isDue = hasChanged_ ? passed >= std::chrono::milliseconds(100) : hasProgressed_ && passed >= std::chrono::seconds(1);
    if (!isForced && !isDue) return;
    hasChanged_ = hasProgressed_ = false;
    lastChange_ = Clock::now();
  }
  if (onChange) onChange();
}

// MARK: Counting

ChunkCounts &Table::countsOf(View &view, const std::shared_ptr<Part> &part) {
  if (view.filter->isEmpty()) return part->records;
  ChunkCounts &counts = view.counts[part.get()];
  if (counts.size() < part->chunks()) counts.grow(part->chunks(), counts.size());
  return counts;
}

std::shared_ptr<View> Table::view(const std::string &identity, const std::function<std::shared_ptr<const Filter>()> &make) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto &known = views_[identity];
  if (!known) {
    auto filter = make();
    if (!filter) {
      views_.erase(identity);
      return nullptr;
    }
    known = std::make_shared<View>();
    known->identity = identity;
    known->filter = filter;
  }
  auto result = known;
  result->lastUse = ++uses_;
  while (views_.size() > mostViews) {
    auto oldest = views_.end();
    for (auto view = views_.begin(); view != views_.end(); ++view) {
      if (view->second->waiting == 0 && view->second != result && (oldest == views_.end() || view->second->lastUse < oldest->second->lastUse)) oldest = view;
    }
    if (oldest == views_.end()) break;
    views_.erase(oldest);
  }
  for (const auto &part : parts_) countsOf(*result, part);
  jobs_.notify_all();
  return result;
}

void Table::keep(const std::shared_ptr<View> &view) {
  auto &known = views_[view->identity];
  if (known == view) return;
  if (known) view->identity += "'";
  view->counts.clear();
  views_[view->identity] = view;
}

bool Table::findViewJob(const std::shared_ptr<View> &view, Job &job) {
  if (view->filter->isEmpty() || parts_.empty()) return false;
  // From where a request waits, in its direction; then the rest.
  size_t start = view->isBackward ? parts_.size() - 1 : 0, from = view->isBackward ? SIZE_MAX : 0;
  for (size_t index = 0; index < parts_.size(); ++index) {
    if (parts_[index].get() == view->wantedPart) {
      start = index;
      from = view->isBackward ? view->wantedChunk + 1 : view->wantedChunk;
    }
  }
  for (int round = 0; round < 2; ++round) {
    for (size_t step = 0; step < parts_.size(); ++step) {
      size_t index = view->isBackward ? start - step : start + step;
      if (index >= parts_.size()) break;
      size_t place = step == 0 ? from : view->isBackward ? SIZE_MAX : 0;
      if (countsOf(*view, parts_[index]).reserve(place, view->isBackward, jobChunks, job.first, job.end)) {
        job.part = parts_[index];
        job.view = view;
        return true;
      }
    }
    start = view->isBackward ? parts_.size() - 1 : 0;
    from = view->isBackward ? SIZE_MAX : 0;
  }
  return false;
}

bool Table::findJob(Job &job) {
  job.view = nullptr;
  for (auto &[identity, view] : views_) {
    (void)identity;
    if (view->waiting > 0 && findViewJob(view, job)) return true;
  }
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    if ((*part)->records.reserve(0, false, jobChunks, job.first, job.end)) {
      job.part = *part;
      return true;
    }
  }
  for (auto &[identity, view] : views_) {
    (void)identity;
    if (findViewJob(view, job)) return true;
  }
  return false;
}

void Table::work() {
  Scanner scanner = newScanner();
  std::vector<ChunkSummary> summaries;
  std::vector<uint32_t> counts;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!isEnding_) {
    Job job;
    if (!findJob(job)) {
      jobs_.wait(lock);
      continue;
    }
    job.bytes = bytesOf(*job.part);
    // Chunks that lie outside a filter's times need not be read.
    if (job.view && !job.view->filter->isEmpty()) {
      const Filter &filter = *job.view->filter;
      const Part &part = *job.part;
      bool isOutside = true;
      for (size_t chunk = job.first; chunk < job.end && isOutside; ++chunk) {
        isOutside = part.records.state(chunk) == ChunkState::known && (part.latest[chunk] < filter.earliest() || part.earliest[chunk] > filter.latest());
      }
      if (isOutside && (filter.earliest() != INT64_MIN || filter.latest() != INT64_MAX)) {
        counts.assign(job.end - job.first, 0);
        finish(job, true, summaries, counts);
        continue;
      }
    }
    lock.unlock();
    bool isRead = job.view ? scanner.count(job.bytes, job.first, job.end, *job.view->filter, counts)
                           : scanner.summarize(job.bytes, job.first, job.end, summaries);
    lock.lock();
    finish(job, isRead, summaries, counts);
  }
}

void Table::finish(const Job &job, bool isRead, const std::vector<ChunkSummary> &summaries, const std::vector<uint32_t> &counts) {
  Part &part = *job.part;
  if (part.isGone) return;
  ChunkCounts *target = &part.records;
  if (job.view) {
    auto known = job.view->counts.find(&part);
    if (known == job.view->counts.end()) return;
    target = &known->second;
  }
  for (size_t chunk = job.first; chunk < job.end; ++chunk) {
    size_t index = chunk - job.first;
    if (!isRead) {
      // Truncated or unreadable: counted as empty until the follower notices.
      target->store(chunk, 0);
      continue;
    }
    target->store(chunk, job.view ? counts[index] : summaries[index].records);
    if (job.view) continue;
    part.lineSum += summaries[index].lines;
    part.lineSum -= part.lines[chunk];
    part.lines[chunk] = summaries[index].lines;
    part.earliest[chunk] = summaries[index].earliest;
    part.latest[chunk] = summaries[index].latest;
    part.isOrdered[chunk] = summaries[index].isOrdered;
  }
  hasProgressed_ = true;
  if (target->open() == 0) hasChanged_ = true;
  answers_.notify_all();
}

void Table::wake() { answers_.notify_all(); }

// MARK: Estimates

uint64_t Table::countedBytes() const {
  uint64_t bytes = 0;
  for (const auto &part : parts_) bytes += part->size - std::min(part->size, part->records.open() * chunkBytes);
  return bytes;
}

double Table::recordBytes() const {
  uint64_t records = 0;
  for (const auto &part : parts_) records += part->records.sum();
  return records < 100 ? sampleRecordBytes_ : std::max(1.0, static_cast<double>(countedBytes()) / static_cast<double>(records));
}

double Table::lineBytes() const {
  uint64_t lines = 0;
  for (const auto &part : parts_) lines += part->lineSum;
  return lines < 100 ? sampleRecordBytes_ : std::max(1.0, static_cast<double>(countedBytes()) / static_cast<double>(lines));
}

uint64_t Table::estimatedRecords(const Part &part) const {
  size_t unknown = part.records.firstUnknown();
  if (unknown >= part.chunks()) return part.records.sum();
  return part.records.sumBefore(unknown) + static_cast<uint64_t>(static_cast<double>(part.size - unknown * chunkBytes) / recordBytes());
}

uint64_t Table::total(View &view) {
  uint64_t sum = 0;
  for (const auto &part : parts_) sum += view.filter->isEmpty() ? estimatedRecords(*part) : countsOf(view, part).sum();
  return sum;
}

std::string Table::progress() {
  std::lock_guard<std::mutex> lock(mutex_);
  uint64_t chunks = 0, open = 0;
  std::string name;
  for (const auto &part : parts_) {
    chunks += part->chunks();
    open += part->records.open();
    if (part->records.open() > 0) name = part->name;
    if (part->isFilling) return "decompressing " + part->name;
  }
  // A few chunks at the end of a growing file are no progress to report.
  if (open > fewChunks) {
    return "indexing " + name + ": " + std::to_string((chunks - open) * 100 / chunks) +
           " %; counts and line numbers are estimates";
  }
  for (auto &[identity, view] : views_) {
    (void)identity;
    if (view->filter->isEmpty()) continue;
    uint64_t left = 0, found = 0;
    for (const auto &part : parts_) {
      left += countsOf(*view, part).open();
      found += countsOf(*view, part).sum();
    }
    if (left > fewChunks) {
      return "searching: " + std::to_string((chunks - left) * 100 / chunks) + " %, " +
             std::to_string(found) + " rows found";
    }
  }
  return {};
}

std::string Table::disorder(const Part &part, int64_t latest) const {
  for (size_t chunk = 0; chunk < part.chunks(); ++chunk) {
    if (!part.records.hasCount(chunk) || part.records.count(chunk) == 0) continue;
    if (!part.isOrdered[chunk] || part.earliest[chunk] < latest) {
      return "the times in " + part.name + " do not increase, or rows have none (near byte " +
             std::to_string(chunk * chunkBytes) + ")" +
             (options_.isMerged ? ": leave the order of the source" : ": sort by line instead");
    }
    latest = part.latest[chunk];
  }
  return {};
}

/// Returns why the rows are not in the order of their times, or an empty text.
std::string Table::disorder() const {
  int64_t latest = INT64_MIN;
  for (const auto &part : parts_) {
    if (auto reason = disorder(*part, latest); !reason.empty()) return reason;
    for (size_t chunk = 0; chunk < part->chunks(); ++chunk) latest = std::max(latest, part->latest[chunk]);
  }
  return {};
}

}  // namespace logs
