#include "text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <cwctype>

namespace logs {

bool isPlain(std::string_view bytes) {
  uint8_t bad = 0;
  for (unsigned char byte : bytes) {
    bad |= static_cast<uint8_t>((byte >= 0x7F) | ((byte < 0x20) & (byte != '\t') & (byte != '\n')));
  }
  return bad == 0;
}

bool isASCII(std::string_view text) {
  uint8_t all = 0;
  for (unsigned char byte : text) all |= byte;
  return all < 0x80;
}

void appendUTF8(uint32_t point, std::string &out) {
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | point >> 6);
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | point >> 12);
    out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | point >> 18);
    out += static_cast<char>(0x80 | (point >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

/// Returns the length of the valid UTF-8 sequence at the beginning of a text, or 0. `point` is its
/// code point.
static size_t decode(std::string_view text, uint32_t &point) {
  auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  unsigned char lead = byte(0);
  size_t length = lead < 0x80 ? 1 : lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  if (length == 1) {
    point = lead;
    return 1;
  }
  point = lead & (0x7F >> length);
  for (size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0) != 0x80) return 0;
    point = point << 6 | (byte(at) & 0x3F);
  }
  if ((length == 3 && point < 0x800) || (length == 4 && (point < 0x10000 || point > 0x10FFFF))) return 0;
  if (point >= 0xD800 && point < 0xE000) return 0;
  return length;
}

/// Returns the length of the ANSI sequence at the beginning of a text that starts with ESC.
static size_t sequenceLength(std::string_view text) {
  if (text.size() < 2) return 1;
  size_t at = 2;
  if (text[1] == '[') {
    while (at < text.size() && text[at] >= 0x20 && text[at] < 0x40) ++at;
    return at < text.size() && text[at] >= 0x40 && text[at] < 0x7F ? at + 1 : at;
  }
  if (text[1] == ']') {  // an operating system command ends with BEL or ESC and a backslash
    while (at < text.size() && text[at] != '\a' && text[at] != '\x1B' && text[at] != '\n') ++at;
    if (at >= text.size() || text[at] == '\n') return 1;
    return text[at] == '\a' ? at + 1 : std::min(text.size(), at + 2);
  }
  return text[1] >= 0x40 && text[1] < 0x60 ? 2 : 1;
}

void clean(std::string_view bytes, std::string &out) {
  while (!bytes.empty()) {
    unsigned char byte = static_cast<unsigned char>(bytes[0]);
    if (byte == 0x1B) {
      size_t length = sequenceLength(bytes);
      if (length == 1) appendUTF8(0x241B, out);
      bytes.remove_prefix(length);
    } else if (byte == '\t' || byte == '\n') {
      out += bytes[0];
      bytes.remove_prefix(1);
    } else if (byte == '\r' && (bytes.size() == 1 || bytes[1] == '\n')) {
      bytes.remove_prefix(1);
    } else if (byte < 0x20 || byte == 0x7F) {
      appendUTF8(byte == 0x7F ? 0x2421 : 0x2400u + byte, out);
      bytes.remove_prefix(1);
    } else {
      uint32_t point = 0;
      size_t length = decode(bytes, point);
      if (length == 0) {
        out += "\xEF\xBF\xBD";
        bytes.remove_prefix(1);
      } else {
        out.append(bytes.data(), length);
        bytes.remove_prefix(length);
      }
    }
  }
}

void fold(std::string_view text, std::string &out) {
  while (!text.empty()) {
    unsigned char byte = static_cast<unsigned char>(text[0]);
    if (byte < 0x80) {
      out += static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
      text.remove_prefix(1);
      continue;
    }
    uint32_t point = 0;
    size_t length = decode(text, point);
    if (length == 0) {
      out += text[0];
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(length);
    if (point == 0x130) {
      out += "i\xCC\x87";
    } else {
      appendUTF8(static_cast<uint32_t>(std::towlower(static_cast<wint_t>(point))), out);
    }
  }
}

FoldedPart::FoldedPart(std::string folded) : text_(std::move(folded)), literal_(text_, true), isASCII_(isASCII(text_)) {}

bool FoldedPart::isIn(std::string_view text, std::string &scratch) const {
  if (text_.empty()) return true;
  if (isASCII(text)) {
    const char *end = text.data() + text.size();
    return isASCII_ && literal_.find(text.data(), end) != end;
  }
  scratch.clear();
  fold(text, scratch);
  return scratch.find(text_) != std::string::npos;
}

bool startsFolded(std::string_view text, std::string_view part, std::string &scratch) {
  scratch.clear();
  // A character folds to at least a third of its bytes.
  fold(text.substr(0, part.size() * 4 + 4), scratch);
  return scratch.size() >= part.size() && scratch.compare(0, part.size(), part) == 0;
}

void appendJSON(std::string_view text, std::string &out) {
  static const char *digits = "0123456789abcdef";
  out += '"';
  size_t from = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    unsigned char byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text.data() + from, at - from);
    from = at + 1;
    out += '\\';
    switch (byte) {
      case '"': out += '"'; break;
      case '\\': out += '\\'; break;
      case '\n': out += 'n'; break;
      case '\t': out += 't'; break;
      default:
        out += "u00";
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
  }
  out.append(text.data() + from, text.size() - from);
  out += '"';
}

}  // namespace logs
