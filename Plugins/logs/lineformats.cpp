// Formats whose records are lines with fields at known places.

#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "format.h"

namespace logs {

/// Takes blanks from the beginning of a text.
static void skipBlanks(std::string_view &text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

/// Removes a byte and the text before it, and returns that text. Without the byte, it takes all.
static std::string_view takeUntil(std::string_view &text, char end) {
  size_t at = text.find(end);
  std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

static Cell textOrEmpty(std::string_view text) { return text.empty() || text == "-" ? Cell() : Cell::ofText(text); }

// MARK: Lines without fields

class PlainFormat : public Format {
 public:
  PlainFormat() : Format("plain") { addCommonColumns(false, false); }

  bool fits(std::string_view, const TimeContext &) const override { return true; }
  void parse(std::string_view record, const TimeContext &, Row &row) const override {
    row.reset(columns_.size());
    row.cells[messageColumn] = Cell::ofText(record);
  }
  int64_t time(std::string_view, const TimeContext &, Row &) const override { return noTime; }
};

std::shared_ptr<Format> makePlain() { return std::make_shared<PlainFormat>(); }

// MARK: Time, level, message

class ISOFormat : public Format {
 public:
  ISOFormat() : Format("iso") {
    addCommonColumns(true, true);
    joinsErrors_ = true;
  }

  bool fits(std::string_view line, const TimeContext &context) const override {
    return readTime(line, context) != noTime;
  }

  void parse(std::string_view record, const TimeContext &context, Row &row) const override {
    row.reset(columns_.size());
    std::string_view rest = record;
    row.cells[timeColumn] = Cell::ofTime(readTime(rest, context));
    if (row.cells[timeColumn].kind == Cell::empty) {
      row.cells[messageColumn] = Cell::ofText(record);
      return;
    }
    skipBlanks(rest);
    // The level is one of the first three words, perhaps in brackets. As the first word, it is not
    // part of the message.
    std::string_view words = rest;
    for (int word = 0; word < 3 && !words.empty(); ++word) {
      size_t begin = words.find_first_not_of(" \t[](){}<>|:,-");
      if (begin == std::string_view::npos || words.substr(0, begin).find('\n') != std::string_view::npos) break;
      size_t end = words.find_first_of(" \t\n])>|:,", begin);
      if (end == std::string_view::npos) end = words.size();
      std::string_view candidate = words.substr(begin, end - begin);
      if (isLevel(candidate, word > 0)) {
        row.cells[levelColumn] = Cell::ofText(candidate);
        if (word == 0) {
          rest = words.substr(end);
          size_t message = rest.find_first_not_of(" \t])>|:,");
          rest = message == std::string_view::npos ? std::string_view() : rest.substr(message);
          if (rest.size() > 1 && rest[0] == '-' && rest[1] == ' ') rest.remove_prefix(2);
        }
        break;
      }
      words = words.substr(end);
    }
    row.cells[messageColumn] = Cell::ofText(rest);
  }

  int64_t time(std::string_view record, const TimeContext &context, Row &) const override { return readTime(record, context); }

 private:
  /// Takes the time from the beginning, also in brackets.
  static int64_t readTime(std::string_view &text, const TimeContext &context) {
    size_t from = !text.empty() && text[0] == '[' ? 1 : 0, length = 0;
    int64_t time = readISO(text.substr(from), context, length);
    if (time == noTime) return time;
    text.remove_prefix(from + length);
    if (from == 1 && !text.empty() && text[0] == ']') text.remove_prefix(1);
    return time;
  }
};

std::shared_ptr<Format> makeISO() { return std::make_shared<ISOFormat>(); }

// MARK: Syslog

class SyslogFormat : public Format {
 public:
  explicit SyslogFormat(bool isRFC5424) : Format(isRFC5424 ? "syslog5424" : "syslog"), isRFC5424_(isRFC5424) {
    addCommonColumns(true, true);
    add("host");
    add("app");
    add("pid", isRFC5424 ? Type::text : Type::integer, "", isRFC5424 ? "" : "plain");
    if (isRFC5424) {
      add("msgid");
      add("data");
    } else {
      joinsErrors_ = true;
    }
    add("facility", Type::integer, "", "plain");
  }

  /// The level is the word for a number that begins the record.
  bool marks(std::string_view part, std::vector<std::string> &marks) const override {
    if (isInSeverity(part)) {
      if (isRFC5424_) return false;
      marks.push_back("<");
    }
    return Format::marks(part, marks);
  }

  bool fits(std::string_view line, const TimeContext &context) const override {
    int priority = readPriority(line);
    if (isRFC5424_) return priority >= 0 && readVersion(line) && readTime(line, context) != noTime;
    if (readTime(line, context) == noTime) return false;
    // A time in ISO form is syslog's only with a tag: “host app[1]: message”.
    skipBlanks(line);
    takeUntil(line, ' ');
    size_t colon = line.find(": ");
    return colon != std::string_view::npos && colon > 0 && line.substr(0, colon).find(' ') == std::string_view::npos;
  }

  void parse(std::string_view record, const TimeContext &context, Row &row) const override {
    row.reset(columns_.size());
    std::string_view rest = record;
    int priority = readPriority(rest);
    bool isRead = !isRFC5424_ || (priority >= 0 && readVersion(rest));
    int64_t time = noTime;
    if (isRead) {
      if (isRFC5424_ && rest.substr(0, 2) == "- ") {
        rest.remove_prefix(1);
      } else {
        time = readTime(rest, context);
        isRead = time != noTime;
      }
    }
    if (!isRead) {
      row.cells[messageColumn] = Cell::ofText(record);
      return;
    }
    row.cells[timeColumn] = Cell::ofTime(time);
    if (priority >= 0) {
      row.cells[levelColumn] = Cell::ofText(severityName(priority & 7));
      row.cells.back() = Cell::ofInteger(priority >> 3);
    }
    skipBlanks(rest);
    row.cells[3] = textOrEmpty(takeUntil(rest, ' '));
    if (isRFC5424_) {
      for (size_t column = 4; column < 7; ++column) row.cells[column] = textOrEmpty(takeUntil(rest, ' '));
      row.cells[7] = textOrEmpty(takeData(rest));
      skipBlanks(rest);
      if (rest.substr(0, 3) == "\xEF\xBB\xBF") rest.remove_prefix(3);
    } else {
      size_t colon = rest.find(':');
      std::string_view tag = rest.substr(0, colon);
      if (colon != std::string_view::npos && colon > 0 && tag.find(' ') == std::string_view::npos) {
        rest.remove_prefix(colon + 1);
        if (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
        size_t bracket = tag.find('[');
        row.cells[4] = textOrEmpty(tag.substr(0, bracket));
        if (bracket != std::string_view::npos && tag.back() == ']') {
          int64_t pid = 0;
          if (readInteger(tag.substr(bracket + 1, tag.size() - bracket - 2), pid)) row.cells[5] = Cell::ofInteger(pid);
        }
      }
    }
    row.cells[messageColumn] = Cell::ofText(rest);
  }

  int64_t time(std::string_view record, const TimeContext &context, Row &) const override {
    int priority = readPriority(record);
    if (isRFC5424_ && (priority < 0 || !readVersion(record))) return noTime;
    return readTime(record, context);
  }

 private:
  static int readPriority(std::string_view &text) {
    if (text.empty() || text[0] != '<') return -1;
    size_t end = text.find('>');
    int64_t value = 0;
    if (end == std::string_view::npos || end > 4 || !readInteger(text.substr(1, end - 1), value) || value < 0 || value > 191) return -1;
    text.remove_prefix(end + 1);
    return static_cast<int>(value);
  }

  static bool readVersion(std::string_view &text) {
    if (text.substr(0, 2) != "1 ") return false;
    text.remove_prefix(2);
    return true;
  }

  int64_t readTime(std::string_view &text, const TimeContext &context) const {
    size_t length = 0;
    int64_t time = isRFC5424_ ? noTime : readBSD(text, context, length);
    if (time == noTime) time = readISO(text, context, length);
    if (time == noTime || (text.size() > length && text[length] != ' ')) return noTime;
    text.remove_prefix(length);
    return time;
  }

  /// Takes structured data, `-` or `[id name="value"]...` with escapes.
  static std::string_view takeData(std::string_view &text) {
    if (text.empty() || text[0] != '[') return takeUntil(text, ' ');
    size_t at = 0;
    bool isQuoted = false;
    for (; at < text.size(); ++at) {
      if (isQuoted && text[at] == '\\') {
        ++at;
      } else if (text[at] == '"') {
        isQuoted = !isQuoted;
      } else if (!isQuoted && text[at] == ']' && (at + 1 == text.size() || text[at + 1] != '[')) {
        ++at;
        break;
      }
    }
    at = std::min(at, text.size());
    std::string_view taken = text.substr(0, at);
    text.remove_prefix(at);
    return taken;
  }

  bool isRFC5424_;
};

std::shared_ptr<Format> makeSyslog(bool isRFC5424) { return std::make_shared<SyslogFormat>(isRFC5424); }

// MARK: Web servers

class AccessFormat : public Format {
 public:
  explicit AccessFormat(bool isCombined) : Format(isCombined ? "combined" : "common"), isCombined_(isCombined) {
    addCommonColumns(true, true);
    columns_[messageColumn].title = "Request";
    for (const char *name : {"client", "ident", "user", "method", "path"}) add(name);
    add("status", Type::integer, "", "plain");
    add("size", Type::integer, "bytes");
    if (isCombined) {
      add("referrer");
      add("agent");
    }
  }

  /// The level is a word for the status, which follows the request.
  bool marks(std::string_view part, std::vector<std::string> &marks) const override {
    auto isIn = [&](std::string_view word) { return word.find(part) != std::string_view::npos; };
    if (isIn("info")) return false;
    if (isIn("warning")) marks.push_back("\" 4");
    if (isIn("error")) {
      for (char digit = '5'; digit <= '9'; ++digit) marks.push_back(std::string("\" ") + digit);
    }
    return Format::marks(part, marks);
  }

  bool fits(std::string_view line, const TimeContext &context) const override {
    Row row;
    parse(line, context, row);
    return row.cells[timeColumn].kind == Cell::timestamp && row.cells[8].kind == Cell::integer &&
           (!isCombined_ || row.cells[11].kind == Cell::text);
  }

  void parse(std::string_view record, const TimeContext &context, Row &row) const override {
    row.reset(columns_.size());
    std::string_view rest = record;
    auto &cells = row.cells;
    cells[3] = textOrEmpty(takeUntil(rest, ' '));
    cells[4] = textOrEmpty(takeUntil(rest, ' '));
    size_t bracket = rest.find(" [");  // the name of a user may have blanks
    size_t length = 0;
    int64_t time = bracket == std::string_view::npos ? noTime : readCommon(rest.substr(bracket + 2), context, length);
    if (time == noTime) {
      row.reset(columns_.size());
      cells[messageColumn] = Cell::ofText(record);
      return;
    }
    cells[5] = textOrEmpty(rest.substr(0, bracket));
    cells[timeColumn] = Cell::ofTime(time);
    rest.remove_prefix(bracket + 2 + length);
    takeUntil(rest, ' ');
    std::string_view request = takeQuoted(rest);
    cells[messageColumn] = Cell::ofText(request);
    std::string_view words = request;
    std::string_view method = takeUntil(words, ' ');
    if (!words.empty()) {
      cells[6] = textOrEmpty(method);
      cells[7] = textOrEmpty(words.substr(0, words.rfind(" HTTP/")));
    }
    int64_t status = 0, size = 0;
    std::string_view digits = takeUntil(rest, ' ');
    if (readInteger(digits, status)) cells[8] = Cell::ofInteger(status);
    if (digits.size() == 3 && status >= 100) {
      cells[levelColumn] = Cell::ofText(status >= 500 ? "error" : status >= 400 ? "warning" : "info");
    }
    if (readInteger(takeUntil(rest, ' '), size)) cells[9] = Cell::ofInteger(size);
    if (isCombined_) {
      cells[10] = textOrEmpty(takeQuoted(rest));
      cells[11] = textOrEmpty(takeQuoted(rest));
    }
  }

  int64_t time(std::string_view record, const TimeContext &context, Row &) const override {
    takeUntil(record, ' ');
    takeUntil(record, ' ');
    size_t bracket = record.find(" ["), length = 0;
    return bracket == std::string_view::npos ? noTime : readCommon(record.substr(bracket + 2), context, length);
  }

 private:
  /// Takes a text in quotes, with what is escaped in it, and the blank behind it.
  static std::string_view takeQuoted(std::string_view &text) {
    if (text.empty() || text[0] != '"') return takeUntil(text, ' ');
    size_t end = 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    end = std::min(end, text.size());
    std::string_view taken = text.substr(1, end - 1);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    return taken;
  }

  bool isCombined_;
};

std::shared_ptr<Format> makeAccess(bool isCombined) { return std::make_shared<AccessFormat>(isCombined); }

// MARK: The user's pattern

class PatternFormat : public Format {
 public:
  PatternFormat(const std::string &pattern, const std::vector<std::string> &sample, const TimeContext &context)
      : Format("pattern"), pattern_(pattern, RE2::Quiet) {
    addCommonColumns(true, true);
    if (!pattern_.ok()) return;
    groups_ = pattern_.NumberOfCapturingGroups();
    places_.assign(static_cast<size_t>(groups_) + 1, npos);
    std::vector<TypeGuess> guesses(static_cast<size_t>(groups_) + 1);
    std::vector<re2::StringPiece> found(static_cast<size_t>(groups_) + 1);
    for (const std::string &line : sample) {
      if (!match(line, found)) continue;
      for (size_t group = 1; group < found.size(); ++group) {
        if (found[group].data() != nullptr && !found[group].empty()) {
          std::string_view value(found[group].data(), found[group].size());
          size_t length = 0;
          bool isTime = readISO(value, context, length) != noTime;
          guesses[group].add(value, isTime, context);
        }
      }
    }
    for (const auto &[group, name] : pattern_.CapturingGroupNames()) {
      size_t number = static_cast<size_t>(group);
      if (name == "time" || name == "timestamp") {
        places_[number] = timeColumn;
      } else if (name == "level" || name == "severity") {
        places_[number] = levelColumn;
      } else if (name == "message" || name == "msg") {
        places_[number] = messageColumn;
      } else {
        places_[number] = columns_.size();
        add(name, guesses[number].type());
      }
    }
  }

  bool isOK() const { return pattern_.ok(); }
  std::string error() const { return pattern_.error(); }

  bool fits(std::string_view, const TimeContext &) const override { return true; }

  void parse(std::string_view record, const TimeContext &context, Row &row) const override {
    row.reset(columns_.size());
    thread_local std::vector<re2::StringPiece> found;
    found.assign(static_cast<size_t>(groups_) + 1, re2::StringPiece());
    // The pattern describes a line; what is joined to it follows its message.
    std::string_view line = record.substr(0, record.find('\n'));
    if (!match(line, found)) {
      row.cells[messageColumn] = Cell::ofText(record);
      return;
    }
    bool hasMessage = false;
    for (size_t group = 1; group < found.size(); ++group) {
      size_t column = places_[group];
      if (column == npos || found[group].data() == nullptr) continue;
      std::string_view value(found[group].data(), found[group].size());
      Cell &cell = row.cells[column];
      if (column == timeColumn) {
        size_t length = 0;
        int64_t time = readISO(value, context, length);
        if (time == noTime) time = readBSD(value, context, length);
        if (time == noTime) time = readCommon(value, context, length);
        if (time == noTime) time = readEpoch(value);
        cell = Cell::ofTime(time);
      } else if (!value.empty()) {
        if (column == messageColumn && line.size() < record.size()) {
          std::string &whole = row.newText();
          whole.append(value).append(record.substr(line.size()));
          value = whole;
        }
        convert(value, columns_[column].type, context, cell);
        hasMessage = hasMessage || column == messageColumn;
      }
    }
    if (!hasMessage) row.cells[messageColumn] = Cell::ofText(record);
  }

 private:
  static constexpr size_t npos = SIZE_MAX;

  bool match(std::string_view line, std::vector<re2::StringPiece> &found) const {
    return pattern_.Match(re2::StringPiece(line.data(), line.size()), 0, line.size(), RE2::UNANCHORED, found.data(), static_cast<int>(found.size()));
  }

  RE2 pattern_;
  int groups_ = 0;
  std::vector<size_t> places_;
};

std::shared_ptr<Format> makePattern(
    const std::string &pattern, const std::vector<std::string> &sample, const TimeContext &context, std::string &error) {
  // Names in the form of JavaScript and newer versions of RE2.
  std::string converted;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\' && at + 1 < pattern.size()) {
      converted += pattern.substr(at++, 2);
    } else if (pattern.compare(at, 3, "(?<") == 0 && at + 3 < pattern.size() && pattern[at + 3] != '=' && pattern[at + 3] != '!') {
      converted += "(?P<";
      at += 2;
    } else {
      converted += pattern[at];
    }
  }
  auto format = std::make_shared<PatternFormat>(converted, sample, context);
  if (!format->isOK()) {
    error = "it is not a pattern of RE2: " + format->error();
    return nullptr;
  }
  return format;
}

}  // namespace logs
