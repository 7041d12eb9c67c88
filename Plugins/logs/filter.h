// Filters and searches of queries: evaluation by cells, and what can be decided by raw bytes.

#ifndef LOGS_FILTER_H
#define LOGS_FILTER_H

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format.h"
#include "json.h"
#include "regex.h"
#include "text.h"

namespace logs {

/// A part of a filter, as in docs/protocol.md.
struct Term {
  enum Kind { all, any, negation, compare, range, contains, startsWith, matches, oneOf, isEmpty };
  enum Comparison { equal, notEqual, less, lessOrEqual, greater, greaterOrEqual };

  Kind kind = all;
  std::vector<std::unique_ptr<Term>> parts;
  size_t column = 0;
  Comparison comparison = equal;
  /// The values to compare with; for a range its bounds, each of which may be empty.
  std::vector<Cell> values;
  std::vector<std::unique_ptr<std::string>> texts;
  /// The text of `contains` and `startsWith`.
  FoldedPart part;
  Regex regex;
  bool ignoresCase = false;
};

/// A filter and a search that all rows of a view pass. Immutable once read.
class Filter {
 public:
  /// Reads the members `search` and `filter` of a query. Returns an error, or an empty text.
  std::string read(JSON query, const Format &format, const std::vector<Column> &columns);

  bool isEmpty() const { return !root_ && search_.empty(); }
  /// Whether a row passes. `row` has a cell for each column.
  bool passes(const Row &row, const std::vector<Column> &columns, std::string &scratch) const;

  /// Literals of which each passing record contains one in its bytes. Empty if there are none.
  const std::vector<Literal> &literals() const { return literals_; }
  /// Whether records that contain bytes beyond ASCII must be read.
  bool readsBeyondASCII() const { return readsBeyondASCII_; }

  /// The times within which all passing rows lie.
  int64_t earliest() const { return earliest_; }
  int64_t latest() const { return latest_; }
  /// Whether the filter is nothing but these bounds.
  bool isTimeOnly() const { return isTimeOnly_; }
  const FoldedPart &search() const { return search_; }

 private:
  std::string readTerm(JSON value, const std::vector<Column> &columns, Term &term, int depth);
  bool passes(const Term &term, const Row &row, std::string &scratch) const;
  void findBounds(const Term &term);
  void findLiterals(const Term &term, std::vector<std::string> &best, bool &ignoresCase) const;
  void plan(const Format &format);

  std::unique_ptr<Term> root_;
  FoldedPart search_;
  size_t fileColumn_ = SIZE_MAX;
  std::vector<Literal> literals_;
  bool readsBeyondASCII_ = false;
  int64_t earliest_ = INT64_MIN, latest_ = INT64_MAX;
  bool isTimeOnly_ = false;
};

}  // namespace logs

#endif
