// Formats whose records are fields with names: JSON, logfmt and the journal's export format.

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "format.h"
#include "jsonscan.h"
#include "text.h"

namespace logs {

/// Members beyond this number of columns are shown in the column `other`.
static constexpr size_t mostFields = 40;

/// A format of named fields. The first lines decide about the columns.
class FieldFormat : public Format {
 public:
  FieldFormat(std::string name) : Format(std::move(name)) {}

  bool marks(std::string_view part, std::vector<std::string> &marks) const override {
    if (part.find_first_of(",\n\t\r\b\f") != std::string_view::npos) return false;
    for (int64_t number = 10; hasNumericLevels_ && number <= 60; number += 10) {
      if (numericLevel(number).find(part) != std::string_view::npos) return false;
    }
    marks.push_back(part.find_first_of("\"\\/") == std::string_view::npos ? "\\u" : "\\");
    return true;
  }

 protected:
  struct Field {
    std::string key;
    TypeGuess guess;
    size_t values = 0, times = 0;

    void add(std::string_view value, bool isQuoted, const TimeContext &context) {
      guess.add(value, isQuoted, context);
      ++values;
      // Numbers that would be times long ago are durations.
      times += readTime(value, context) > 600'000'000'000'000'000;
    }
  };

  /// Makes the columns from the fields in the order of their appearance.
  void addFields(std::vector<Field> &fields, const TimeContext &) {
    auto choose = [&](std::initializer_list<const char *> keys, bool mustBeTimes = false) {
      for (const char *key : keys) {
        for (const Field &field : fields) {
          if (field.key == key && (!mustBeTimes || field.times * 2 > field.values)) return field.key;
        }
      }
      return std::string();
    };
    std::string time = choose({"time", "timestamp", "@timestamp", "ts", "@t", "datetime", "date", "eventTime", "t"}, true);
    std::string level = choose({"level", "severity", "lvl", "loglevel", "log.level", "levelname", "@l"});
    std::string message = choose({"message", "msg", "@m", "MESSAGE", "event", "text", "log"});
    timeKey_ = time;
    addCommonColumns(!time.empty(), !level.empty());
    for (Field &field : fields) {
      if (field.key == time) {
        places_[field.key] = timeColumn;
      } else if (field.key == level) {
        hasNumericLevels_ = field.guess.type() == Type::number;
        places_[field.key] = levelColumn;
      } else if (field.key == message) {
        places_[field.key] = messageColumn;
      } else if (columns_.size() < mostFields && !field.key.empty() && field.key.size() <= 200) {
        places_[field.key] = columns_.size();
        add(field.key == "line" || field.key == "file" || field.key == "other" ? field.key + "_field" : field.key, field.guess.type());
      }
    }
    add("other");
  }

  static Field &field(std::vector<Field> &fields, std::string_view key) {
    for (Field &known : fields) {
      if (known.key == key) return known;
    }
    fields.push_back({std::string(key), {}, 0, 0});
    return fields.back();
  }

  /// Fills a cell with a field's value. Returns false if it has no column.
  bool take(std::string_view key, std::string_view value, bool isText, const TimeContext &context, Row &row) const {
    auto place = places_.find(std::string(key));
    if (place == places_.end()) return false;
    Cell &cell = row.cells[place->second];
    if (!isText && value == "null") {
      cell = Cell();
      return true;
    }
    if (place->second == timeColumn) {
      // The first of several counts, so that the index need not read on.
      int64_t time = cell.kind == Cell::empty ? readTime(value, context) : noTime;
      if (time != noTime) cell = Cell::ofTime(time);
      return time != noTime;
    }
    if (place->second == levelColumn && hasNumericLevels_) {
      int64_t number = 0;
      std::string_view word = readInteger(value, number) ? numericLevel(number) : std::string_view();
      cell = Cell::ofText(word.empty() ? value : word);
      return true;
    }
    return convert(value, columns_[place->second].type, context, cell);
  }

  /// Adds a field without a column, or with a value that does not fit it, to `other`.
  void addOther(std::string_view whole, Row &row) const {
    Cell &cell = row.cells.back();
    if (cell.kind == Cell::empty) {
      cell = Cell::ofText(whole);
      return;
    }
    std::string &joined = row.newText();
    joined.append(cell.bytes).append(", ").append(whole);
    cell = Cell::ofText(joined);
  }

  static int64_t readTime(std::string_view value, const TimeContext &context) {
    size_t length = 0;
    int64_t time = readISO(value, context, length);
    return time != noTime ? time : readEpoch(value);
  }

  /// A text without escapes and control characters.
  static std::string_view unescaped(std::string_view value, Row &row) {
    if (value.find('\\') == std::string_view::npos) return value;
    std::string &text = row.newText();
    unescapeJSON(value, text);
    if (isPlain(text)) return text;
    std::string &cleaned = row.newText();
    clean(text, cleaned);
    return cleaned;
  }

  std::unordered_map<std::string, size_t> places_;
  /// The field with the time, or empty.
  std::string timeKey_;
  /// Whether levels are numbers in the first lines; they are then shown as words.
  bool hasNumericLevels_ = false;
};

// MARK: JSON

class JSONFormat : public FieldFormat {
 public:
  JSONFormat(const std::vector<std::string> &sample, const TimeContext &context) : FieldFormat("json") {
    std::vector<Field> fields;
    JSONMember member;
    std::string key;
    for (const std::string &line : sample) {
      JSONScanner scanner(line);
      while (scanner.next(member)) {
        key.clear();
        unescapeJSON(member.key, key);
        Field &known = field(fields, key);
        if (member.value == "null" && !member.isText) continue;
        known.add(member.value, member.isText, context);
      }
    }
    addFields(fields, context);
  }

  bool fits(std::string_view line, const TimeContext &) const override {
    JSONScanner scanner(line);
    JSONMember member;
    while (scanner.next(member)) continue;
    return scanner.isComplete();
  }

  void parse(std::string_view record, const TimeContext &context, Row &row) const override {
    row.reset(columns_.size());
    JSONScanner scanner(record);
    JSONMember member;
    while (scanner.next(member)) {
      std::string_view value = member.isText ? unescaped(member.value, row) : member.value;
      if (!take(unescaped(member.key, row), value, member.isText, context, row)) addOther(member.whole, row);
    }
    if (!scanner.isComplete()) {
      row.reset(columns_.size());
      row.cells[messageColumn] = Cell::ofText(record);
    }
  }

  int64_t time(std::string_view record, const TimeContext &context, Row &row) const override {
    if (timeKey_.empty()) return noTime;
    // A line that is not JSON further on has a time here and none in its row. The times of a chunk
    // may include more than those of its rows.
    JSONScanner scanner(record);
    JSONMember member;
    while (scanner.next(member)) {
      if (member.key.find('\\') != std::string_view::npos) return Format::time(record, context, row);
      if (member.key != timeKey_) continue;
      int64_t time = readTime(member.isText ? unescaped(member.value, row) : member.value, context);
      if (time != noTime) return time;
    }
    return noTime;
  }

};

std::shared_ptr<Format> makeJSON(const std::vector<std::string> &sample, const TimeContext &context) {
  return std::make_shared<JSONFormat>(sample, context);
}

// MARK: The journal

/// The journal's fields that are shown.
static const std::pair<const char *, const char *> journalFields[] = {
    {"_SYSTEMD_UNIT", "unit"}, {"SYSLOG_IDENTIFIER", "identifier"}, {"_PID", "pid"}, {"_HOSTNAME", "host"}, {"_COMM", "command"}};

class JournalFormat : public Format {
 public:
  explicit JournalFormat(std::string name) : Format(std::move(name)) {
    addCommonColumns(true, true);
    for (const auto &[key, column] : journalFields) {
      if (std::strcmp(column, "pid") == 0) {
        add(column, Type::integer, "", "plain");
      } else {
        add(column);
      }
    }
  }

 protected:
  void take(std::string_view key, std::string_view value, Row &row) const {
    int64_t number = 0;
    if (key == "MESSAGE") {
      row.cells[messageColumn] = Cell::ofText(value);
    } else if (key == "PRIORITY") {
      if (readInteger(value, number)) row.cells[levelColumn] = Cell::ofText(severityName(static_cast<int>(std::clamp<int64_t>(number, 0, 7))));
    } else if (key == "__REALTIME_TIMESTAMP") {
      if (readInteger(value, number) && number < INT64_MAX / 1000) row.cells[timeColumn] = Cell::ofTime(number * 1000);
    } else {
      for (size_t index = 0; index < 5; ++index) {
        if (key != journalFields[index].first) continue;
        Cell &cell = row.cells[3 + index];
        if (columns_[3 + index].type == Type::text) {
          cell = Cell::ofText(value);
        } else if (readInteger(value, number)) {
          cell = Cell::ofInteger(number);
        }
      }
    }
  }
};

class JournalJSONFormat : public JournalFormat {
 public:
  JournalJSONFormat() : JournalFormat("journal") {}

  bool fits(std::string_view line, const TimeContext &) const override {
    return line.substr(0, 1) == "{" && line.find("\"__REALTIME_TIMESTAMP\"") != std::string_view::npos;
  }

  /// A message that is not clean text is a list of bytes.
  bool marks(std::string_view part, std::vector<std::string> &marks) const override {
    if (isInSeverity(part) || part.find_first_of("\n\t\r\b\f") != std::string_view::npos) return false;
    marks.push_back(part.find_first_of("\"\\/") == std::string_view::npos ? "\\u" : "\\");
    marks.push_back("[");
    return true;
  }

  void parse(std::string_view record, const TimeContext &, Row &row) const override {
    row.reset(columns_.size());
    JSONScanner scanner(record);
    JSONMember member;
    while (scanner.next(member)) {
      std::string &value = row.newText();
      if (member.isText) {
        unescapeJSON(member.value, value);
      } else if (!member.value.empty() && member.value[0] == '[') {
        bytes(member.value, value);
      } else if (member.value == "null") {
        continue;
      } else {
        value = member.value;
      }
      std::string &cleaned = row.newText();
      clean(value, cleaned);
      take(member.key, cleaned, row);
    }
    if (!scanner.isComplete()) {
      row.reset(columns_.size());
      row.cells[messageColumn] = Cell::ofText(record);
    }
  }

 private:
  /// Converts `[72,101]`, or texts in a list, to a text.
  static void bytes(std::string_view list, std::string &out) {
    size_t at = 1;
    while (at < list.size()) {
      size_t end = std::min(list.size(), list.find_first_of(",]", at));
      if (list[at] == '"') {
        out.assign(list);
        return;
      }
      int64_t byte = 0;
      while (at < end && list[at] == ' ') ++at;
      if (readInteger(list.substr(at, end - at), byte)) out += static_cast<char>(byte);
      at = end + 1;
    }
  }
};

std::shared_ptr<Format> makeJournal() { return std::make_shared<JournalJSONFormat>(); }

/// `journalctl -o export`: a line for each field, or its name, a length of eight bytes, and its
/// bytes. Records begin with the field `__CURSOR`.
class ExportFormat : public JournalFormat {
 public:
  ExportFormat() : JournalFormat("export") {
    mark_ = "__CURSOR=";
    readsRaw_ = true;
  }

  bool fits(std::string_view line, const TimeContext &) const override { return line.substr(0, mark_.size()) == mark_; }

  bool marks(std::string_view part, std::vector<std::string> &marks) const override {
    return !isInSeverity(part) && Format::marks(part, marks);
  }

  void parse(std::string_view record, const TimeContext &, Row &row) const override {
    row.reset(columns_.size());
    while (!record.empty()) {
      size_t end = record.find('\n');
      std::string_view line = record.substr(0, end);
      size_t equals = line.find('=');
      std::string_view value;
      if (equals == std::string_view::npos && !line.empty() && record.size() >= line.size() + 9) {
        uint64_t length = 0;
        for (size_t at = 0; at < 8; ++at) length |= static_cast<uint64_t>(static_cast<unsigned char>(record[line.size() + 1 + at])) << (8 * at);
        value = record.substr(line.size() + 9, std::min<uint64_t>(length, SIZE_MAX));
        record.remove_prefix(std::min(record.size(), line.size() + 9 + value.size() + 1));
      } else {
        value = equals == std::string_view::npos ? std::string_view() : line.substr(equals + 1);
        record.remove_prefix(end == std::string_view::npos ? record.size() : end + 1);
      }
      std::string &cleaned = row.newText();
      clean(value, cleaned);
      take(line.substr(0, equals), cleaned, row);
    }
  }
};

std::shared_ptr<Format> makeExport() { return std::make_shared<ExportFormat>(); }

// MARK: logfmt

class LogfmtFormat : public FieldFormat {
 public:
  LogfmtFormat(const std::vector<std::string> &sample, const TimeContext &context) : FieldFormat("logfmt") {
    std::vector<Field> fields;
    for (const std::string &line : sample) {
      if (!fits(line, context)) continue;
      std::string_view rest = line;
      Pair pair;
      while (next(rest, pair)) {
        size_t length = 0;
        bool isTime = readISO(pair.value, context, length) != noTime;
        if (pair.hasValue && !pair.value.empty()) field(fields, pair.key).add(pair.value, pair.isQuoted || isTime, context);
      }
    }
    addFields(fields, context);
  }

  bool fits(std::string_view line, const TimeContext &) const override {
    Pair pair;
    size_t pairs = 0;
    for (std::string_view rest = line; next(rest, pair);) {
      if (!pair.hasValue || pair.key.empty()) return false;
      ++pairs;
    }
    return pairs >= 2;
  }

  void parse(std::string_view record, const TimeContext &context, Row &row) const override {
    row.reset(columns_.size());
    if (!looksLikePairs(record)) {
      row.cells[messageColumn] = Cell::ofText(record);
      return;
    }
    Pair pair;
    for (std::string_view rest = record; next(rest, pair);) {
      std::string_view value = pair.isQuoted ? unescaped(pair.value, row) : pair.value;
      if (!pair.hasValue || !take(pair.key, value, true, context, row)) addOther(pair.whole, row);
    }
  }

  int64_t time(std::string_view record, const TimeContext &context, Row &row) const override {
    if (timeKey_.empty() || !looksLikePairs(record)) return noTime;
    Pair pair;
    for (std::string_view rest = record; next(rest, pair);) {
      if (!pair.hasValue || pair.key != timeKey_) continue;
      int64_t time = readTime(pair.isQuoted ? unescaped(pair.value, row) : pair.value, context);
      if (time != noTime) return time;
    }
    return noTime;
  }

 private:
  struct Pair {
    std::string_view key, value, whole;
    bool isQuoted = false, hasValue = false;
  };

  static bool looksLikePairs(std::string_view record) {
    size_t equals = record.find('=');
    return equals != std::string_view::npos && equals > 0 && record.substr(0, equals).find_first_of(" \"") == std::string_view::npos;
  }

  /// Takes the next pair from the beginning.
  static bool next(std::string_view &text, Pair &pair) {
    size_t from = text.find_first_not_of(" \t\n");
    if (from == std::string_view::npos) return false;
    text.remove_prefix(from);
    size_t end = text.find_first_of("= \t\n");
    pair = Pair();
    pair.key = text.substr(0, end);
    size_t at = pair.key.size();
    if (at < text.size() && text[at] == '=') {
      pair.hasValue = true;
      ++at;
      if (at < text.size() && text[at] == '"') {
        size_t close = at + 1;
        while (close < text.size() && text[close] != '"') close += text[close] == '\\' ? 2 : 1;
        close = std::min(close, text.size());
        pair.isQuoted = true;
        pair.value = text.substr(at + 1, close - at - 1);
        at = std::min(text.size(), close + 1);
      } else {
        size_t blank = text.find_first_of(" \t\n", at);
        pair.value = text.substr(at, blank == std::string_view::npos ? blank : blank - at);
        at = blank == std::string_view::npos ? text.size() : blank;
      }
    }
    pair.whole = text.substr(0, at);
    text.remove_prefix(at);
    return true;
  }
};

std::shared_ptr<Format> makeLogfmt(const std::vector<std::string> &sample, const TimeContext &context) {
  return std::make_shared<LogfmtFormat>(sample, context);
}

}  // namespace logs
