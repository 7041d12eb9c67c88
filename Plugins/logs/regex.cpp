#include "regex.h"

#include <re2/filtered_re2.h>

#include <algorithm>
#include <cctype>

namespace logs {

/// The blanks of `\s` in JavaScript, as members of a class.
static const char *blanks = "\\t\\n\\x{0B}\\f\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}";
static const char *notBlanks =
    "\\x{0}-\\x{8}\\x{E}-\\x{1F}\\x{21}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}"
    "\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}";

std::string convertPattern(std::string_view pattern) {
  std::string out;
  bool isInClass = false;
  for (size_t at = 0; at < pattern.size(); ++at) {
    char byte = pattern[at];
    if (byte == '.' && !isInClass) {
      out += "[^\\n\\r\\x{2028}\\x{2029}]";
    } else if (byte == '$' && !isInClass) {
      out += "\\z";
    } else if (byte == '^' && !isInClass) {
      out += "\\A";
    } else if (byte == '[' && isInClass) {
      out += "\\[";
    } else if (byte == '\\' && at + 1 < pattern.size()) {
      char what = pattern[++at];
      if (what == 's') {
        out += isInClass ? blanks : "[" + std::string(blanks) + "]";
      } else if (what == 'S') {
        out += isInClass ? notBlanks : "[" + std::string(notBlanks) + "]";
      } else if (what == 'v') {
        out += "\\x{0B}";
      } else if (what == 'u' && at + 1 < pattern.size() && pattern[at + 1] == '{') {
        size_t end = pattern.find('}', at);
        if (end == std::string_view::npos) end = pattern.size() - 1;
        out += "\\x" + std::string(pattern.substr(at + 1, end - at));
        at = end;
      } else if (what == 'u' || what == 'x') {
        size_t count = what == 'u' ? 4 : 2;
        out += "\\x{" + std::string(pattern.substr(at + 1, count)) + "}";
        at += count;
      } else {
        out += '\\';
        out += what;
      }
    } else {
      if (byte == '[') {
        isInClass = true;
      } else if (byte == ']') {
        isInClass = false;
      }
      out += byte;
      // A leading ^ negates the class.
      if (byte == '[' && at + 1 < pattern.size() && pattern[at + 1] == '^') {
        out += '^';
        ++at;
      }
    }
  }
  return out;
}

/// The atoms among which literals are chosen.
static constexpr size_t mostAtoms = 10;

/// Finds literals of which each match contains one, by asking what RE2 would filter by.
static std::vector<std::string> findLiterals(const std::string &pattern, const RE2::Options &options) {
  re2::FilteredRE2 filter(3);
  int id = 0;
  std::vector<std::string> atoms, best;
  if (filter.Add(pattern, options, &id) != RE2::NoError) return {};
  filter.Compile(&atoms);
  if (atoms.empty() || atoms.size() > mostAtoms) return {};
  size_t bestLength = 0;
  for (unsigned chosen = 1; chosen < 1u << atoms.size(); ++chosen) {
    std::vector<int> others;
    std::vector<std::string> literals;
    size_t shortest = SIZE_MAX;
    bool isASCII = true;
    for (size_t atom = 0; atom < atoms.size(); ++atom) {
      if ((chosen >> atom & 1) == 0) {
        others.push_back(static_cast<int>(atom));
        continue;
      }
      literals.push_back(atoms[atom]);
      shortest = std::min(shortest, atoms[atom].size());
      isASCII = isASCII && std::all_of(atoms[atom].begin(), atoms[atom].end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
    }
    // Fewer literals are searched for faster; longer ones are rarer.
    if (!isASCII || literals.size() > 4 || shortest < bestLength || (shortest == bestLength && literals.size() >= best.size())) continue;
    std::vector<int> matched;
    filter.AllPotentials(others, &matched);
    if (!matched.empty()) continue;  // a match is possible without any of them
    bestLength = shortest;
    best = literals;
  }
  return best;
}

std::string compile(std::string_view pattern, bool ignoresCase, Regex &regex) {
  RE2::Options options(RE2::Quiet);
  options.set_case_sensitive(!ignoresCase);
  options.set_max_mem(8 << 20);
  std::string converted = convertPattern(pattern);
  regex.regex = std::make_unique<RE2>(converted, options);
  if (!regex.regex->ok()) return "the pattern cannot be used: " + regex.regex->error();
  regex.literals = findLiterals(converted, options);
  return {};
}

}  // namespace logs
