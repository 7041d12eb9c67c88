// Texts of cells: cleaning of bytes for display, case folding, and literals in raw bytes.

#ifndef LOGS_TEXT_H
#define LOGS_TEXT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace logs {

/// Whether all bytes are printable ASCII, tabs or line feeds, so that `clean` would change nothing.
bool isPlain(std::string_view bytes);

/// Appends a text without ANSI sequences: invalid UTF-8 becomes U+FFFD, and control characters
/// become their pictures (U+2400 and following). Tabs and line feeds stay; a carriage return before
/// a line feed or the end goes.
void clean(std::string_view bytes, std::string &out);

/// Appends a text in lower case, each character by itself.
void fold(std::string_view text, std::string &out);

bool isASCII(std::string_view text);

/// Whether a text starts with an already folded part, ignoring case. `scratch` is reused.
bool startsFolded(std::string_view text, std::string_view part, std::string &scratch);

/// Appends a JSON string with its quotes. The text must be valid UTF-8.
void appendJSON(std::string_view text, std::string &out);

/// Appends the UTF-8 form of a code point.
void appendUTF8(uint32_t point, std::string &out);

/// A literal that is searched for in raw bytes with SIMD instructions, optionally ignoring the case
/// of ASCII letters.
class Literal {
 public:
  Literal() = default;
  /// - Parameter text: Not empty; in lower case if case is ignored.
  Literal(std::string text, bool ignoresCase);

  const std::string &text() const { return text_; }
  bool ignoresCase() const { return ignoresCase_; }
  /// Returns the first occurrence in [from, end), or `end`.
  const char *find(const char *from, const char *end) const;

 private:
  bool isAt(const char *at) const;

  std::string text_;
  bool ignoresCase_ = false;
  /// The two positions in the text whose bytes are compared first, and these bytes.
  size_t first_ = 0, second_ = 0;
  uint8_t firstByte_ = 0, secondByte_ = 0;
  uint8_t firstFold_ = 0, secondFold_ = 0;
};

/// A text to search for, ignoring case. It is folded; an empty one matches everything.
class FoldedPart {
 public:
  FoldedPart() = default;
  explicit FoldedPart(std::string folded);

  const std::string &text() const { return text_; }
  bool empty() const { return text_.empty(); }
  /// Whether a text contains this one. `scratch` is reused.
  bool isIn(std::string_view text, std::string &scratch) const;

 private:
  std::string text_;
  Literal literal_;
  bool isASCII_ = true;
};

/// Bit i is set where byte i of 64 is a line feed.
uint64_t lineFeeds(const char *bytes);

}  // namespace logs

#endif
