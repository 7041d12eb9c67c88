// The regular expressions of docs/protocol.md, carried out by RE2.

#ifndef LOGS_REGEX_H
#define LOGS_REGEX_H

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace logs {

/// Converts a pattern in JavaScript's form to one of RE2 with the same meaning.
std::string convertPattern(std::string_view pattern);

struct Regex {
  std::unique_ptr<RE2> regex;
  /// Literals in lower case of which each match contains one. Empty if there are none.
  std::vector<std::string> literals;
};

/// Compiles a pattern. Returns an error, or an empty text.
std::string compile(std::string_view pattern, bool ignoresCase, Regex &regex);

}  // namespace logs

#endif
