// The table: its parts in order, the counts of its views, and the threads that count.

#ifndef LOGS_TABLE_H
#define LOGS_TABLE_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "filter.h"
#include "format.h"
#include "part.h"
#include "scanner.h"

namespace logs {

using Clock = std::chrono::steady_clock;

/// The rows that pass a filter. The mutex of the table guards everything but the filter.
struct View {
  std::string identity;
  std::shared_ptr<const Filter> filter;
  /// The counts of each part; empty for the view of all rows, whose counts the parts have.
  std::map<const Part *, ChunkCounts> counts;
  /// Requests that wait for a count, and where the most recent of them is.
  int waiting = 0;
  const Part *wantedPart = nullptr;
  size_t wantedChunk = 0;
  bool isBackward = false;
  uint64_t lastUse = 0;
};

class Table {
 public:
  struct Options {
    size_t limit = 16384;
    bool isNewestFirst = true;
    bool isMerged = false;
    int threads = 2;
    /// Whether the follower looks at the files again.
    bool follows = true;
  };

  Table(std::shared_ptr<const Format> format, std::vector<Column> columns, Options options, double recordBytes);
  ~Table();

  const std::vector<Column> &columns() const { return columns_; }
  const Options &options() const { return options_; }
  const std::shared_ptr<const Format> &format() const { return format_; }

  /// The callback for changed rows: called without a lock, at most about ten times a second.
  std::function<void()> onChange;

  // Called by the follower.

  /// Adds a part behind those of an older position; `at` is its index among the parts.
  void add(std::shared_ptr<Part> part, size_t at);
  void remove(const std::shared_ptr<Part> &part);
  /// Puts parts in the place of one, so that no answer lacks the rows of both. The first has the
  /// same bytes if `isCopy`, and its rows keep their keys.
  void replace(const std::shared_ptr<Part> &part, const std::vector<std::shared_ptr<Part>> &others, bool isCopy);
  /// Notes that a part has more bytes.
  void grow(const std::shared_ptr<Part> &part, uint64_t size);
  std::vector<std::shared_ptr<Part>> parts();
  uint32_t newSlot(dev_t device, ino_t inode);
  /// Changes properties of a part that the table shows, under its lock.
  void change(const std::function<void()> &body);
  /// Sends what is due: changes, at most ten a second.
  void tick(bool isForced = false);

  /// Returns what is being counted, for people.
  std::string progress();

  // Called by requests.

  struct Answer {
    std::string rows;  // the JSON of the list, without its brackets
    std::string begin, end, error;
    bool hasMore = false;
    uint64_t count = 0;
  };
  struct RowRequest {
    std::shared_ptr<View> view;
    bool isDescending = false;
    bool isByTime = false;
    /// Whether rows with equal times are in the opposite order of the times.
    bool reversesTies = false;
    std::string after, upTo;
    bool hasAfter = false, hasUpTo = false;
    uint64_t skip = 0;
    size_t count = 0;
    std::function<bool()> isCancelled;
  };
  /// Returns the view for a filter, from those that are known.
  std::shared_ptr<View> view(const std::string &identity, const std::function<std::shared_ptr<const Filter>()> &make);
  Answer rows(const RowRequest &request, Scanner &scanner);
  /// Wakes requests so that they notice that they were cancelled.
  void wake();
  Scanner newScanner() const { return Scanner(format_, columns_, options_.limit); }

 private:
  friend class Walk;
  friend class MergedWalk;

  struct Job {
    std::shared_ptr<Part> part;
    std::shared_ptr<View> view;  // null: the index
    PartBytes bytes;
    size_t first = 0, end = 0;
  };

  // With the mutex locked.
  void insert(const std::shared_ptr<Part> &part, size_t at);
  void erase(const std::shared_ptr<Part> &part);

  /// Walks again while parts leave the table under the walk, or files are truncated.
  template <typename AnyWalk>
  Answer answer(const RowRequest &request, Scanner &scanner);
  void work();
  bool findJob(Job &job);
  bool findViewJob(const std::shared_ptr<View> &view, Job &job);
  void finish(const Job &job, bool isRead, const std::vector<ChunkSummary> &summaries, const std::vector<uint32_t> &counts);
  /// Restores a view that was dropped while a request uses it. The table is locked.
  void keep(const std::shared_ptr<View> &view);
  ChunkCounts &countsOf(View &view, const std::shared_ptr<Part> &part);
  uint64_t estimatedRecords(const Part &part) const;
  /// The mean length of a record, and of a line, in the chunks counted so far.
  double recordBytes() const;
  double lineBytes() const;
  uint64_t countedBytes() const;
  uint64_t total(View &view);
  static PartBytes bytesOf(const Part &part) {
    return {part.file, part.size, part.times, part.name, part.isLive ? part.head : std::string()};
  }
  std::string disorder() const;
  /// The reason why a part's rows after a time are not in the order of their times.
  std::string disorder(const Part &part, int64_t latest) const;

  std::shared_ptr<const Format> format_;
  std::vector<Column> columns_;
  Options options_;
  double sampleRecordBytes_;

  std::mutex mutex_;
  std::condition_variable jobs_, answers_;
  std::vector<std::shared_ptr<Part>> parts_;
  std::map<std::string, std::shared_ptr<View>> views_;
  std::vector<bool> usedSlots_;
  uint64_t uses_ = 0;
  /// The number of parts that have left the table, and the number for which the last answer has
  /// waited in vain.
  uint64_t removals_ = 0, awaited_ = UINT64_MAX;
  bool isEnding_ = false;
  /// Whether rows or counts differ from what the host was last notified of.
  bool hasChanged_ = false, hasProgressed_ = false;
  Clock::time_point lastChange_;
  std::vector<std::thread> threads_;
};

}  // namespace logs

#endif
