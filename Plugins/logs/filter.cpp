#include "filter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace logs {

// MARK: Reading

/// Reads milliseconds since 1970 with up to six decimals.
static bool readMoment(std::string_view text, int64_t &time) {
  bool isNegative = !text.empty() && text[0] == '-';
  if (isNegative) text.remove_prefix(1);
  size_t point = text.find('.');
  std::string_view whole = text.substr(0, point), rest = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  int64_t milliseconds = 0, fraction = 0, unit = 1'000'000;
  if (!readInteger(whole, milliseconds) || milliseconds > INT64_MAX / 1'000'000 - 1 || rest.size() > 6) return false;
  for (char byte : rest) {
    if (byte < '0' || byte > '9') return false;
    unit /= 10;
    fraction += (byte - '0') * unit;
  }
  time = milliseconds * 1'000'000 + fraction;
  if (isNegative) time = -time;
  return true;
}

/// Reads a value of a column's type.
static bool readValue(JSON value, Type type, Term &term, Cell &cell) {
  std::string_view text;
  int64_t whole = 0;
  double number = 0;
  bool flag = false;
  switch (type) {
    case Type::text:
      if (value.get(text)) return false;
      term.texts.push_back(std::make_unique<std::string>(text));
      cell = Cell::ofText(*term.texts.back());
      return true;
    case Type::integer:
      cell.kind = Cell::integer;
      if (!value.get(whole)) return cell.whole = whole, true;
      if (!value.get(text)) return readInteger(text, cell.whole);
      return !value.get(number) && number == std::floor(number) && std::fabs(number) < 9e18 && (cell.whole = static_cast<int64_t>(number), true);
    case Type::number:
      cell.kind = Cell::number;
      return !value.get(cell.fraction) || (!value.get(whole) && (cell.fraction = static_cast<double>(whole), true));
    case Type::boolean:
      if (value.get(flag)) return false;
      cell = Cell{Cell::boolean, flag, 0, {}};
      return true;
    case Type::timestamp:
      cell.kind = Cell::timestamp;
      if (!value.get(text)) return readMoment(text, cell.whole);
      if (!value.get(whole)) return std::abs(whole) < INT64_MAX / 1'000'000 && (cell.whole = whole * 1'000'000, true);
      if (value.get(number) || std::fabs(number) > 9e12) return false;
      // The product of the whole milliseconds is exact.
      cell.whole = static_cast<int64_t>(std::floor(number)) * 1'000'000 + std::llround((number - std::floor(number)) * 1e6);
      return true;
  }
  return false;
}

static bool readComparison(std::string_view op, Term::Comparison &comparison) {
  static const std::pair<std::string_view, Term::Comparison> known[] = {
      {"=", Term::equal}, {"!=", Term::notEqual}, {"<", Term::less}, {"<=", Term::lessOrEqual},
      {">", Term::greater}, {">=", Term::greaterOrEqual}};
  for (const auto &[name, value] : known) {
    if (op == name) return comparison = value, true;
  }
  return false;
}

std::string Filter::readTerm(JSON value, const std::vector<Column> &columns, Term &term, int depth) {
  if (depth > 16) return "the filter is nested too deep";
  for (auto [name, kind] : {std::pair{"all", Term::all}, std::pair{"any", Term::any}}) {
    if (auto list = member(value, name)) {
      term.kind = kind;
      simdjson::dom::array items;
      if (list->get(items)) return "the filter has a part that is not a list";
      for (JSON item : items) {
        term.parts.push_back(std::make_unique<Term>());
        if (auto error = readTerm(item, columns, *term.parts.back(), depth + 1); !error.empty()) return error;
      }
      return {};
    }
  }
  if (auto part = member(value, "not")) {
    term.kind = Term::negation;
    term.parts.push_back(std::make_unique<Term>());
    return readTerm(*part, columns, *term.parts.back(), depth + 1);
  }
  auto name = textOf(member(value, "column")), op = textOf(member(value, "op"));
  auto column = std::find_if(columns.begin(), columns.end(), [&](const Column &known) { return name && known.name == *name; });
  if (column == columns.end() || !op) return "the filter names a column that does not exist";
  term.column = static_cast<size_t>(column - columns.begin());
  auto operand = member(value, "value");
  std::string fault = "the filter has no usable value for the column " + column->name;
  if (*op == "isEmpty") {
    term.kind = Term::isEmpty;
  } else if (*op == "contains" || *op == "startsWith") {
    term.kind = *op == "contains" ? Term::contains : Term::startsWith;
    auto text = textOf(operand);
    if (!text) return fault;
    std::string folded;
    fold(*text, folded);
    term.part = FoldedPart(folded);
  } else if (*op == "matches") {
    term.kind = Term::matches;
    auto text = textOf(operand);
    if (!text) return fault;
    term.ignoresCase = flagOf(member(value, "ignoreCase")).value_or(false);
    return compile(*text, term.ignoresCase, term.regex);
  } else if (*op == "range") {
    term.kind = Term::range;
    term.values.resize(2);
    const char *ends[] = {"from", "through"};
    for (size_t end = 0; end < 2; ++end) {
      auto limit = member(value, ends[end]);
      if (limit && !readValue(*limit, column->type, term, term.values[end])) return fault;
    }
  } else if (*op == "oneOf") {
    term.kind = Term::oneOf;
    simdjson::dom::array items;
    auto list = member(value, "values");
    if (!list || list->get(items)) return fault;
    for (JSON item : items) {
      term.values.emplace_back();
      if (!readValue(item, column->type, term, term.values.back())) return fault;
    }
  } else if (readComparison(*op, term.comparison)) {
    term.kind = Term::compare;
    term.values.resize(1);
    if (!operand || !readValue(*operand, column->type, term, term.values[0])) return fault;
  } else {
    return "the filter's operator " + *op + " does not exist";
  }
  return {};
}

std::string Filter::read(JSON query, const Format &format, const std::vector<Column> &columns) {
  if (auto search = textOf(member(query, "search"))) {
    std::string folded;
    fold(*search, folded);
    search_ = FoldedPart(folded);
  }
  for (size_t column = 0; column < columns.size(); ++column) {
    if (columns[column].name == "file") fileColumn_ = column;
  }
  if (auto value = member(query, "filter")) {
    root_ = std::make_unique<Term>();
    if (auto error = readTerm(*value, columns, *root_, 0); !error.empty()) return error;
    findBounds(*root_);
  }
  plan(format);
  return {};
}

// MARK: Planning

void Filter::findBounds(const Term &term) {
  if (term.kind == Term::all) {
    bool areTimes = !term.parts.empty();
    for (const auto &part : term.parts) {
      isTimeOnly_ = false;
      findBounds(*part);
      areTimes = areTimes && isTimeOnly_;
    }
    isTimeOnly_ = areTimes && search_.empty();
    return;
  }
  isTimeOnly_ = false;
  if (term.column != timeColumn) return;
  if (term.kind == Term::range) {
    if (term.values[0].kind != Cell::empty) earliest_ = std::max(earliest_, term.values[0].whole);
    if (term.values[1].kind != Cell::empty) latest_ = std::min(latest_, term.values[1].whole);
  } else if (term.kind == Term::compare && term.comparison != Term::notEqual) {
    int64_t value = term.values[0].whole;
    bool isLower = term.comparison == Term::equal || term.comparison == Term::greater || term.comparison == Term::greaterOrEqual;
    bool isUpper = term.comparison == Term::equal || term.comparison == Term::less || term.comparison == Term::lessOrEqual;
    if (isLower) earliest_ = std::max(earliest_, value + (term.comparison == Term::greater));
    if (isUpper) latest_ = std::min(latest_, value - (term.comparison == Term::less));
  } else {
    return;
  }
  isTimeOnly_ = search_.empty();
}

static size_t shortest(const std::vector<std::string> &literals) {
  size_t length = literals.empty() ? 0 : SIZE_MAX;
  for (const std::string &literal : literals) length = std::min(length, literal.size());
  return length;
}

/// Finds literals of which the text cells of each passing row contain one; the longest ones.
void Filter::findLiterals(const Term &term, std::vector<std::string> &best, bool &ignoresCase) const {
  auto offer = [&](std::vector<std::string> literals, bool folds) {
    if (shortest(literals) <= shortest(best)) return;
    best = std::move(literals);
    ignoresCase = folds;
  };
  if (term.kind == Term::all) {
    for (const auto &part : term.parts) findLiterals(*part, best, ignoresCase);
    return;
  }
  if (term.column == fileColumn_) return;
  switch (term.kind) {
    case Term::contains:
    case Term::startsWith: offer({term.part.text()}, true); break;
    case Term::matches: offer(term.regex.literals, true); break;
    case Term::compare:
      if (term.comparison == Term::equal && term.values[0].kind == Cell::text) offer({std::string(term.values[0].bytes)}, false);
      break;
    case Term::oneOf: {
      std::vector<std::string> texts;
      for (const Cell &value : term.values) {
        if (value.kind == Cell::text) texts.emplace_back(value.bytes);
      }
      if (texts.size() == term.values.size() && texts.size() <= 4) offer(std::move(texts), false);
      break;
    }
    default: break;
  }
}

void Filter::plan(const Format &format) {
  std::vector<std::string> best;
  bool ignoresCase = true;
  if (!search_.empty()) best.push_back(search_.text());
  if (root_) findLiterals(*root_, best, ignoresCase);
  if (shortest(best) == 0 || format.readsRaw()) return;
  std::vector<std::string> marks = {"\x1B"};
  for (const std::string &literal : best) {
    // Control characters and bytes that are not UTF-8 are shown as other characters.
    bool hasPictures = literal.find("\xE2\x90") != std::string::npos ||
                       literal.find("\xEF\xBF\xBD") != std::string::npos;
    if (hasPictures || literal.find_first_of("\t\r\n") != std::string::npos || !format.marks(literal, marks)) return;
    if (isASCII(literal) || !ignoresCase) continue;
    // Only ASCII is compared without case in bytes; all records beyond it are read.
    readsBeyondASCII_ = true;
  }
  for (const std::string &literal : best) {
    if (ignoresCase && isASCII(literal)) {
      // The Kelvin sign is a k in lower case, and a capital I with a dot begins with an i.
      if (literal.find('k') != std::string::npos) marks.push_back("\xE2\x84\xAA");
      if (literal.find('i') != std::string::npos) marks.push_back("\xC4\xB0");
      // RE2 also folds the long s.
      if (literal.find('s') != std::string::npos) marks.push_back("\xC5\xBF");
    }
    if (isASCII(literal) || !ignoresCase) literals_.emplace_back(literal, ignoresCase);
  }
  std::sort(marks.begin(), marks.end());
  marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
  for (const std::string &mark : marks) literals_.emplace_back(mark, false);
}

// MARK: Evaluation

static int compareCells(const Cell &a, const Cell &b) {
  switch (a.kind) {
    case Cell::text: return a.bytes.compare(b.bytes);
    case Cell::number: return a.fraction < b.fraction ? -1 : a.fraction > b.fraction;
    default: return a.whole < b.whole ? -1 : a.whole > b.whole;
  }
}

static bool compares(const Cell &cell, Term::Comparison comparison, const Cell &value) {
  if (cell.kind == Cell::empty) return false;
  int order = compareCells(cell, value);
  switch (comparison) {
    case Term::equal: return order == 0;
    case Term::notEqual: return order != 0;
    case Term::less: return order < 0;
    case Term::lessOrEqual: return order <= 0;
    case Term::greater: return order > 0;
    case Term::greaterOrEqual: return order >= 0;
  }
  return false;
}

bool Filter::passes(const Term &term, const Row &row, std::string &scratch) const {
  auto passesPart = [&](const std::unique_ptr<Term> &part) { return passes(*part, row, scratch); };
  if (term.kind == Term::all) return std::all_of(term.parts.begin(), term.parts.end(), passesPart);
  if (term.kind == Term::any) return std::any_of(term.parts.begin(), term.parts.end(), passesPart);
  if (term.kind == Term::negation) return !passesPart(term.parts[0]);
  const Cell &cell = row.cells[term.column];
  switch (term.kind) {
    case Term::isEmpty: return cell.kind == Cell::empty;
    case Term::compare: return compares(cell, term.comparison, term.values[0]);
    case Term::range:
      return cell.kind != Cell::empty && (term.values[0].kind == Cell::empty || compareCells(cell, term.values[0]) >= 0) &&
             (term.values[1].kind == Cell::empty || compareCells(cell, term.values[1]) <= 0);
    case Term::oneOf:
      return std::any_of(term.values.begin(), term.values.end(), [&](const Cell &value) { return compares(cell, Term::equal, value); });
    case Term::contains: return cell.kind == Cell::text && term.part.isIn(cell.bytes, scratch);
    case Term::startsWith: return cell.kind == Cell::text && startsFolded(cell.bytes, term.part.text(), scratch);
    case Term::matches:
      return cell.kind == Cell::text && term.regex.regex->Match(re2::StringPiece(cell.bytes.data(), cell.bytes.size()), 0, cell.bytes.size(),
                                                                RE2::UNANCHORED, nullptr, 0);
    default: return false;
  }
}

bool Filter::passes(const Row &row, const std::vector<Column> &columns, std::string &scratch) const {
  if (root_ && !passes(*root_, row, scratch)) return false;
  if (search_.empty()) return true;
  for (size_t column = 0; column < row.cells.size(); ++column) {
    if (column >= columns.size() || columns[column].type != Type::text) continue;
    if (row.cells[column].kind == Cell::text && search_.isIn(row.cells[column].bytes, scratch)) return true;
  }
  return false;
}

}  // namespace logs
