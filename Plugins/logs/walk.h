// Answers a request for rows: walks the chunks of the parts in the order of the view.

#ifndef LOGS_WALK_H
#define LOGS_WALK_H

#include <memory>
#include <string>
#include <vector>

#include "table.h"

namespace logs {

/// A place between two records: those of its part that begin at or after `offset` lie behind it.
struct Boundary {
  size_t part = 0;
  uint64_t offset = 0;

  bool operator<(const Boundary &other) const { return part != other.part ? part < other.part : offset < other.offset; }
};

/// Writes rows in the form of the host's messages.
class RowWriter {
 public:
  RowWriter(const std::vector<Column> &columns, std::string &out) : columns_(columns), out_(out) {}

  void write(const Row &row, uint32_t slot, const Record &record, uint64_t line, size_t limit);
  size_t rows() const { return rows_; }
  /// Whether a further row could exceed what a line of the protocol may have.
  bool isFull() const { return out_.size() > 700'000; }

 private:
  void write(const Cell &cell, const char *suffix);

  const std::vector<Column> &columns_;
  std::string &out_;
  size_t rows_ = 0;
};

class Walk {
 public:
  Walk(Table &table, const Table::RowRequest &request, Scanner &scanner);
  Table::Answer run();
  /// Whether the answer may lack rows: a part left the table during the walk, or the follower has
  /// not noticed that a file was truncated.
  bool hasMissed() const { return hasMissed_; }
  /// The number of parts that had left the table before the walk.
  uint64_t removals() const { return removals_; }

 private:
  enum class Step { evaluate, next, wait };
  /// A row of the answer that is not written yet.
  struct Picked {
    size_t part = 0;
    Record record;
    uint64_t line = 0;
    int64_t time = 0;
  };

  bool readBoundary(const std::string &cursor, Boundary &boundary) const;
  std::string cursor(const Boundary &boundary) const;
  /// The chunk that the walk is in, or false at the end.
  bool locateChunk(size_t &part, size_t &chunk);
  bool isWhole(size_t part, size_t chunk) const;
  /// Moves to the edge of a chunk. Returns false if the walk ends there.
  void leave(size_t part, size_t chunk);
  Step examine(size_t part, size_t chunk);
  void take(size_t part, size_t chunk);
  void takeRecord(size_t part, const Record &record);
  bool mayFollow(size_t part, size_t chunk);
  void jump();
  double coordinate(const Boundary &boundary);
  Boundary boundaryAt(double coordinate);
  uint64_t recordsIn(size_t part, uint64_t from, uint64_t to);
  uint64_t lineBase(size_t part, size_t chunk);
  bool isBehindStop() const;
  bool isFull() const { return writer_.rows() + picked_.size() >= request_.count || writer_.isFull() || picked_.size() >= mostPicked; }
  // Rows of one time in the opposite direction: ties.cpp.
  bool collectTies(const Picked &from, bool isForward, std::vector<Picked> &members);
  void reverseTies();
  void writePicked();
  bool contains(size_t part, const Record &record) const;

  Table &table_;
  const Table::RowRequest &request_;
  Scanner &scanner_;
  std::vector<std::shared_ptr<Part>> parts_;
  std::vector<PartBytes> bytes_;
  /// Whether the walk has been in each part.
  std::vector<bool> isVisited_;
  Boundary place_, stop_;
  uint64_t skip_;
  Table::Answer answer_;
  RowWriter writer_;
  Boundary first_, last_;
  /// The rows that may be in one line of an answer whose size is not known yet.
  static constexpr size_t mostPicked = 300;

  std::vector<Record> records_;
  std::vector<Picked> picked_;
  Filter all_;
  std::string scratch_;
  uint64_t lineBase_ = 0;
  bool isDone_ = false, hasMissed_ = false;
  uint64_t removals_ = 0;
  Clock::time_point began_ = Clock::now();
};

}  // namespace logs

#endif
