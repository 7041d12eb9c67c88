#include "format.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace logs {

// MARK: Records

static bool startsWith(std::string_view text, std::string_view part) { return text.substr(0, part.size()) == part; }

/// Whether a line is `package.SomeError: reason`, as Python ends a stack trace.
static bool isBareError(std::string_view line) {
  size_t end = 0;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_' || line[end] == '.')) ++end;
  if (end < line.size() && line[end] != ':' && line[end] != '\n' && line[end] != '\r') return false;
  std::string_view word = line.substr(0, end);
  for (std::string_view suffix : {"Error", "Exception", "Warning", "Interrupt", "Exit"}) {
    if (word.size() >= suffix.size() && word.substr(word.size() - suffix.size()) == suffix) return true;
  }
  return false;
}

bool Format::begins(std::string_view line) const {
  if (!mark_.empty()) return startsWith(line, mark_);
  if (!joins || line.empty()) return true;
  switch (line[0]) {
    case ' ':
    case '\t':
    case '\n': return false;
    case '\r': return line.size() < 2 || line[1] != '\n';
    case 'a':
      if (startsWith(line, "at ")) return false;
      break;
    case 'C':
      if (startsWith(line, "Caused by")) return false;
      break;
    case 'T':
      if (startsWith(line, "Traceback")) return false;
      break;
    default:
      if (static_cast<unsigned char>(line[0]) < 'A') return true;
  }
  return !(joinsErrors_ && isBareError(line));
}

void Format::addCommonColumns(bool hasTime, bool hasLevel) {
  columns_.push_back({"time", Type::timestamp, "Time", "", "datetime.3", !hasTime});
  columns_.push_back({"level", Type::text, "Level", "badge", "", !hasLevel});
  columns_.push_back({"message", Type::text, "Message", "", "", false});
}

void Format::add(std::string name, Type type, std::string style, std::string form) {
  std::string unique = name;
  for (int number = 2; std::any_of(columns_.begin(), columns_.end(), [&](const Column &column) { return column.name == unique; }); ++number) {
    unique = name + "_" + std::to_string(number);
  }
  // Numbers that name something have no thousands separators.
  for (std::string_view end : {"id", "port", "status", "code", "year"}) {
    bool isNumber = type == Type::integer || type == Type::number;
    if (isNumber && style.empty() && form.empty() && name.size() >= end.size() && name.substr(name.size() - end.size()) == end) form = "plain";
  }
  columns_.push_back({unique, type, "", std::move(style), std::move(form), false});
}

// MARK: Levels

bool isLevel(std::string_view word, bool mustBeCapitals) {
  // Those up to the empty one are hardly used as words.
  static const std::array<std::string_view, 32> words = {
      "trace", "debug", "info", "notice", "warn", "warning", "error", "err", "fatal", "critical", "crit", "emerg", "dbg", "inf",
      "wrn", "ftl", "dbug", "eror", "trc", "vrb", "verbose", "", "information", "alert", "emergency", "panic", "severe", "fine",
      "finer", "finest", "config", "note"};
  if (word.size() < 3 || word.size() > 11) return false;
  char lower[12];
  bool isCapitals = true;
  for (size_t at = 0; at < word.size(); ++at) {
    lower[at] = static_cast<char>(word[at] | 0x20);
    isCapitals = isCapitals && word[at] >= 'A' && word[at] <= 'Z';
  }
  if (mustBeCapitals && !isCapitals) return false;
  auto end = isCapitals ? words.end() : std::find(words.begin(), words.end(), "");
  return std::find(words.begin(), end, std::string_view(lower, word.size())) != end;
}

static const std::array<std::string_view, 8> severities = {"emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"};

std::string_view severityName(int severity) { return severity >= 0 && severity < 8 ? severities[static_cast<size_t>(severity)] : std::string_view(); }

bool isInSeverity(std::string_view part) {
  return std::any_of(severities.begin(), severities.end(), [&](std::string_view name) { return name.find(part) != std::string_view::npos; });
}

std::string_view numericLevel(int64_t level) {
  switch (level) {
    case 10: return "trace";
    case 20: return "debug";
    case 30: return "info";
    case 40: return "warn";
    case 50: return "error";
    case 60: return "fatal";
    default: return {};
  }
}

// MARK: Types

bool readInteger(std::string_view text, int64_t &value) {
  size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  if (text.size() == at || text.size() > at + 19) return false;
  uint64_t number = 0;
  for (; at < text.size(); ++at) {
    unsigned digit = static_cast<unsigned char>(text[at]) - '0';
    if (digit > 9) return false;
    number = number * 10 + digit;
  }
  bool isNegative = text[0] == '-';
  if (number > static_cast<uint64_t>(INT64_MAX) + (isNegative ? 1 : 0)) return false;
  value = isNegative ? static_cast<int64_t>(~number + 1) : static_cast<int64_t>(number);
  return true;
}

bool readNumber(std::string_view text, double &value) {
  if (text.empty() || text.size() > 60) return false;
  for (char byte : text) {
    if (!((byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.' || byte == 'e' || byte == 'E')) return false;
  }
  char copy[64];
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  char *end = nullptr;
  value = std::strtod(copy, &end);
  return end == copy + text.size() && std::isfinite(value);
}

void TypeGuess::add(std::string_view value, bool isQuoted, const TimeContext &context) {
  int64_t whole = 0;
  double number = 0;
  size_t length = 0;
  ++values_;
  if (isQuoted) {
    if (readISO(value, context, length) != noTime && length == value.size()) ++times_;
  } else if (readInteger(value, whole)) {
    ++integers_;
    ++numbers_;
    isLarge_ = isLarge_ || whole > (int64_t{1} << 53) || whole < -(int64_t{1} << 53);
  } else if (readNumber(value, number)) {
    ++numbers_;
  } else if (value == "true" || value == "false") {
    ++booleans_;
  }
}

Type TypeGuess::type() const {
  if (values_ == 0) return Type::text;
  // A fraction may follow where only whole numbers have come.
  if (integers_ == values_ && isLarge_) return Type::integer;
  if (numbers_ == values_) return Type::number;
  if (booleans_ == values_) return Type::boolean;
  if (times_ == values_) return Type::timestamp;
  return Type::text;
}

bool convert(std::string_view value, Type type, const TimeContext &context, Cell &cell) {
  switch (type) {
    case Type::text:
      cell = Cell::ofText(value);
      return true;
    case Type::integer:
      cell.kind = Cell::integer;
      return readInteger(value, cell.whole) || (cell = Cell(), false);
    case Type::number:
      cell.kind = Cell::number;
      return readNumber(value, cell.fraction) || (cell = Cell(), false);
    case Type::boolean:
      if (value != "true" && value != "false") return false;
      cell = Cell{Cell::boolean, value == "true", 0, {}};
      return true;
    case Type::timestamp: {
      size_t length = 0;
      int64_t time = readISO(value, context, length);
      if (time == noTime || length != value.size()) return false;
      cell = Cell::ofTime(time);
      return true;
    }
  }
  return false;
}

// MARK: Detection

const std::vector<std::string> &formatNames() {
  static const std::vector<std::string> names = {"auto", "json", "journal", "export", "logfmt", "syslog", "syslog5424",
                                                 "common", "combined", "iso", "plain"};
  return names;
}

static std::shared_ptr<Format> make(const std::string &name, const std::vector<std::string> &lines, const TimeContext &context) {
  if (name == "json") return makeJSON(lines, context);
  if (name == "journal") return makeJournal();
  if (name == "export") return makeExport();
  if (name == "logfmt") return makeLogfmt(lines, context);
  if (name == "syslog") return makeSyslog(false);
  if (name == "syslog5424") return makeSyslog(true);
  if (name == "common") return makeAccess(false);
  if (name == "combined") return makeAccess(true);
  if (name == "iso") return makeISO();
  return makePlain();
}

std::shared_ptr<Format> makeFormat(
    const FormatSettings &settings, const std::vector<std::string> &lines, const TimeContext &context, std::string &error,
    std::string &faultySetting) {
  std::shared_ptr<Format> format;
  if (!settings.pattern.empty()) {
    faultySetting = "pattern";
    format = makePattern(settings.pattern, lines, context, error);
  } else if (settings.format != "auto") {
    format = make(settings.format, lines, context);
  } else {
    // The first that fits most lines; a journal in JSON is JSON, too, so the order matters.
    for (const char *name : {"journal", "json", "export", "syslog5424", "combined", "common", "syslog", "iso", "logfmt"}) {
      auto candidate = make(name, lines, context);
      size_t fitting = 0, counted = 0;
      for (const std::string &line : lines) {
        if (!candidate->begins(line) || line.empty()) continue;
        ++counted;
        fitting += candidate->fits(line, context);
      }
      if (fitting > 0 && fitting * 10 >= counted * 6) {
        format = candidate;
        break;
      }
    }
    if (!format) format = makePlain();
  }
  if (format) format->joins = settings.joins;
  return format;
}

}  // namespace logs
