// Formats of log files: which lines begin a record, and the cells of a record.

#ifndef LOGS_FORMAT_H
#define LOGS_FORMAT_H

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "times.h"

namespace logs {

enum class Type { text, integer, number, boolean, timestamp };

struct Column {
  std::string name;
  Type type = Type::text;
  std::string title, style, form;
  /// Whether no record has a value, so that the table is without this column.
  bool isHidden = false;
};

/// A value of a record. Texts refer to the record or to the row's arena.
struct Cell {
  enum Kind : uint8_t { empty, integer, number, boolean, timestamp, text };
  Kind kind = empty;
  /// An integer, a boolean, or nanoseconds since 1970.
  int64_t whole = 0;
  double fraction = 0;
  std::string_view bytes;

  static Cell ofText(std::string_view bytes) { return Cell{text, 0, 0, bytes}; }
  static Cell ofTime(int64_t time) { return time == noTime ? Cell{} : Cell{timestamp, time, 0, {}}; }
  static Cell ofInteger(int64_t value) { return Cell{integer, value, 0, {}}; }
};

/// The cells of one record, in the order of the columns, and the texts made for them.
struct Row {
  std::vector<Cell> cells;

  void reset(size_t columns) {
    cells.assign(columns, Cell());
    used_ = 0;
  }
  /// An empty text that stays until the next `reset`.
  std::string &newText() {
    if (used_ == texts_.size()) texts_.emplace_back();
    std::string &text = texts_[used_++];
    text.clear();
    return text;
  }

 private:
  std::deque<std::string> texts_;
  size_t used_ = 0;
};

/// The first three columns of every format.
constexpr size_t timeColumn = 0, levelColumn = 1, messageColumn = 2;

/// A format with its columns. Immutable once made, so that all threads may use it.
class Format {
 public:
  explicit Format(std::string name) : name_(std::move(name)) {}
  virtual ~Format() = default;

  const std::string &name() const { return name_; }
  const std::vector<Column> &columns() const { return columns_; }

  /// Whether a line begins a record. The line may be cut after 64 bytes.
  bool begins(std::string_view line) const;

  /// Whether the line looks like this format; only for its detection.
  virtual bool fits(std::string_view line, const TimeContext &context) const = 0;

  /// Fills the cells of a record. The record is clean text unless `readsRaw`.
  virtual void parse(std::string_view record, const TimeContext &context, Row &row) const = 0;

  /// The cell `time` of a record, as `parse` gives it.
  virtual int64_t time(std::string_view record, const TimeContext &context, Row &row) const {
    parse(record, context, row);
    const Cell &cell = row.cells[timeColumn];
    return cell.kind == Cell::timestamp ? cell.whole : noTime;
  }

  /// Whether `parse` and `time` take the bytes of the file instead of clean text.
  bool readsRaw() const { return readsRaw_; }

  /// Adds the bytes that mark a record whose cells can contain a part although its bytes do not,
  /// because the part is escaped or made from a number. Returns false if every record must be read.
  virtual bool marks(std::string_view part, std::vector<std::string> &marks) const {
    (void)marks;
    return part.find('\n') == std::string_view::npos;
  }

  /// Whether stack traces are joined to the record before them; a setting turns it off.
  bool joins = true;

 protected:
  /// Adds the columns that every format has.
  void addCommonColumns(bool hasTime, bool hasLevel);
  void add(std::string name, Type type = Type::text, std::string style = "", std::string form = "");

  std::string name_;
  std::vector<Column> columns_;
  bool readsRaw_ = false;
  /// Bytes with which every record begins; other lines are continuations.
  std::string mark_;
  /// Whether records begin with a time, so that a bare `SomeError: reason` is a continuation.
  bool joinsErrors_ = false;
};

/// Settings that decide about the format.
struct FormatSettings {
  std::string format = "auto";
  std::string pattern;
  bool joins = true;
};

/// The names that the setting `format` takes.
const std::vector<std::string> &formatNames();

/// Makes a format for a file that begins with these lines. Returns null and an error if a setting
/// is wrong.
std::shared_ptr<Format> makeFormat(
    const FormatSettings &settings, const std::vector<std::string> &lines, const TimeContext &context, std::string &error,
    std::string &faultySetting);

// The kinds of formats; `sample` are the first lines.
std::shared_ptr<Format> makeJSON(const std::vector<std::string> &sample, const TimeContext &context);
std::shared_ptr<Format> makeJournal();
std::shared_ptr<Format> makeExport();
std::shared_ptr<Format> makeLogfmt(const std::vector<std::string> &sample, const TimeContext &context);
std::shared_ptr<Format> makeSyslog(bool isRFC5424);
std::shared_ptr<Format> makeAccess(bool isCombined);
std::shared_ptr<Format> makeISO();
std::shared_ptr<Format> makePlain();
std::shared_ptr<Format> makePattern(
    const std::string &pattern, const std::vector<std::string> &sample, const TimeContext &context, std::string &error);

/// Whether a word is a level such as `WARN`. Words with other meanings must be in capitals.
bool isLevel(std::string_view word, bool mustBeCapitals);
/// The word for a severity of syslog, 0 to 7.
std::string_view severityName(int severity);
/// Whether a part occurs in the name of a severity.
bool isInSeverity(std::string_view part);
/// The words for numeric levels of the libraries pino and bunyan, or an empty text.
std::string_view numericLevel(int64_t level);

/// Reads a whole number without blanks. Returns whether all of the text is one.
bool readInteger(std::string_view text, int64_t &value);
bool readNumber(std::string_view text, double &value);

/// Guesses the type of a column from all its values in a sample.
class TypeGuess {
 public:
  /// - Parameter isQuoted: Whether the value was written as a text.
  void add(std::string_view value, bool isQuoted, const TimeContext &context);
  Type type() const;

 private:
  size_t values_ = 0, integers_ = 0, numbers_ = 0, booleans_ = 0, times_ = 0;
  bool isLarge_ = false;
};

/// Converts a text to a cell of a type. Returns false if it does not fit.
bool convert(std::string_view value, Type type, const TimeContext &context, Cell &cell);

}  // namespace logs

#endif
