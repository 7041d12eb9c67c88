// A scanner for the members of one JSON object, which gives values as they stand in the text.

#ifndef LOGS_JSONSCAN_H
#define LOGS_JSONSCAN_H

#include <string>
#include <string_view>

namespace logs {

/// A member of an object. A text is without its quotes and still escaped.
struct JSONMember {
  std::string_view key, value;
  /// The member as it stands in the object, key and value.
  std::string_view whole;
  bool isText = false;
};

/// Reads the members of an object one after another, in one pass.
class JSONScanner {
 public:
  explicit JSONScanner(std::string_view text);

  /// Reads the next member. Returns false at the end, and where the text is not JSON.
  bool next(JSONMember &member);
  /// Whether the whole text was an object.
  bool isComplete() const { return isComplete_; }

 private:
  void skipBlanks();
  bool readText(std::string_view &content);
  bool skipValue();

  const char *at_;
  const char *end_;
  bool isFirst_ = true, isOpen_ = false, isComplete_ = false;
};

/// Appends an escaped JSON text without its escapes; unpaired surrogates become U+FFFD.
void unescapeJSON(std::string_view escaped, std::string &out);

}  // namespace logs

#endif
