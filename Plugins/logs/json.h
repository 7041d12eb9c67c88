// JSON values of the host's messages.

#ifndef LOGS_JSON_H
#define LOGS_JSON_H

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

namespace logs {

using JSON = simdjson::dom::element;

inline std::optional<JSON> member(JSON value, const char *name) {
  simdjson::dom::object object;
  JSON found;
  if (value.get(object) || object.at_key(name).get(found) || found.is_null()) return std::nullopt;
  return found;
}

inline std::optional<std::string> textOf(std::optional<JSON> value) {
  std::string_view text;
  if (!value || value->get(text)) return std::nullopt;
  return std::string(text);
}

inline std::optional<int64_t> integerOf(std::optional<JSON> value) {
  int64_t number = 0;
  if (!value || value->get(number)) return std::nullopt;
  return number;
}

inline std::optional<bool> flagOf(std::optional<JSON> value) {
  bool flag = false;
  if (!value || value->get(flag)) return std::nullopt;
  return flag;
}

}  // namespace logs

#endif
