#include "jsonscan.h"

#include <cstring>

#include "text.h"

namespace logs {

JSONScanner::JSONScanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {
  skipBlanks();
  isOpen_ = at_ < end_ && *at_ == '{';
  if (isOpen_) ++at_;
}

void JSONScanner::skipBlanks() {
  while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
}

/// Reads a text from its opening quote through its closing one.
bool JSONScanner::readText(std::string_view &content) {
  const char *from = ++at_;
  while (at_ < end_ && *at_ != '"') at_ += *at_ == '\\' ? 2 : 1;
  if (at_ >= end_) {
    at_ = end_;
    return false;
  }
  content = std::string_view(from, static_cast<size_t>(at_ - from));
  ++at_;
  return true;
}

bool JSONScanner::skipValue() {
  int depth = 0;
  std::string_view ignored;
  const char *from = at_;
  while (at_ < end_) {
    char byte = *at_;
    if (byte == '"') {
      if (!readText(ignored)) return false;
      if (depth == 0) return true;
    } else if (byte == '{' || byte == '[') {
      ++depth;
      ++at_;
    } else if (byte == '}' || byte == ']') {
      if (depth == 0) return at_ > from;
      ++at_;
      if (--depth == 0) return true;
    } else if (depth == 0 && (byte == ',' || byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r')) {
      return at_ > from;
    } else {
      ++at_;
    }
  }
  return false;
}

bool JSONScanner::next(JSONMember &member) {
  if (!isOpen_) return false;
  skipBlanks();
  if (at_ < end_ && *at_ == '}') {
    ++at_;
    skipBlanks();
    isComplete_ = at_ == end_;
    return isOpen_ = false;
  }
  if (!isFirst_) {
    if (at_ >= end_ || *at_ != ',') return isOpen_ = false;
    ++at_;
    skipBlanks();
  }
  isFirst_ = false;
  const char *from = at_;
  if (at_ >= end_ || *at_ != '"' || !readText(member.key)) return isOpen_ = false;
  skipBlanks();
  if (at_ >= end_ || *at_ != ':') return isOpen_ = false;
  ++at_;
  skipBlanks();
  if (at_ >= end_) return isOpen_ = false;
  member.isText = *at_ == '"';
  const char *value = at_;
  if (member.isText ? !readText(member.value) : !skipValue()) return isOpen_ = false;
  if (!member.isText) member.value = std::string_view(value, static_cast<size_t>(at_ - value));
  member.whole = std::string_view(from, static_cast<size_t>(at_ - from));
  return true;
}

static int hexDigit(char byte) {
  return byte >= '0' && byte <= '9' ? byte - '0' : (byte | 0x20) >= 'a' && (byte | 0x20) <= 'f' ? (byte | 0x20) - 'a' + 10 : -1;
}

/// Reads the four digits behind `\u`, or returns -1.
static int32_t readUnit(std::string_view text) {
  if (text.size() < 4) return -1;
  int32_t unit = 0;
  for (size_t at = 0; at < 4; ++at) {
    int digit = hexDigit(text[at]);
    if (digit < 0) return -1;
    unit = unit << 4 | digit;
  }
  return unit;
}

void unescapeJSON(std::string_view escaped, std::string &out) {
  while (!escaped.empty()) {
    size_t slash = escaped.find('\\');
    out.append(escaped.substr(0, slash));
    if (slash == std::string_view::npos || slash + 1 >= escaped.size()) return;
    char what = escaped[slash + 1];
    escaped.remove_prefix(slash + 2);
    switch (what) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case 'b': out += '\b'; break;
      case 'f': out += '\f'; break;
      case 'u': {
        int32_t unit = readUnit(escaped);
        if (unit < 0) {
          out += "\\u";
          break;
        }
        escaped.remove_prefix(4);
        if (unit >= 0xD800 && unit < 0xDC00 && escaped.size() >= 6 && escaped[0] == '\\' && escaped[1] == 'u') {
          int32_t low = readUnit(escaped.substr(2));
          if (low >= 0xDC00 && low < 0xE000) {
            appendUTF8(0x10000u + (static_cast<uint32_t>(unit - 0xD800) << 10) + static_cast<uint32_t>(low - 0xDC00), out);
            escaped.remove_prefix(6);
            break;
          }
        }
        appendUTF8(unit >= 0xD800 && unit < 0xE000 ? 0xFFFD : static_cast<uint32_t>(unit), out);
        break;
      }
      default: out += what;
    }
  }
}

}  // namespace logs
