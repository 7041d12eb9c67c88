#include "simdjson_tape.h"

#include <new>
#include <simdjson.h>

struct json_parser {
  simdjson::dom::parser parser;
  size_t depth;
};

size_t json_padding(void) { return simdjson::SIMDJSON_PADDING; }

struct json_parser *json_parser_create(size_t depth) {
  json_parser *parser = new (std::nothrow) json_parser;
  if (parser != nullptr) parser->depth = depth;
  return parser;
}

void json_parser_destroy(struct json_parser *parser) { delete parser; }

extern const int32_t json_number_error = simdjson::NUMBER_ERROR;

int32_t json_parse(struct json_parser *parser, const uint8_t *bytes, size_t length) {
  // When simdjson allocates by itself, it uses its default depth.
  if (length > parser->parser.capacity()) {
    simdjson::error_code error = parser->parser.allocate(length, parser->depth);
    if (error != simdjson::SUCCESS) return static_cast<int32_t>(error);
  }
  return static_cast<int32_t>(parser->parser.parse(bytes, length, false).error());
}

const uint64_t *json_tape(const struct json_parser *parser) { return parser->parser.doc.tape.get(); }

const uint8_t *json_texts(const struct json_parser *parser) { return parser->parser.doc.string_buf.get(); }

size_t json_depth(const struct json_parser *parser) {
  const uint64_t *tape = parser->parser.doc.tape.get();
  const size_t end = tape[0] & 0xFFFFFFFF;
  size_t depth = 0;
  size_t greatest = 0;
  for (size_t place = 1; place < end; place++) {
    switch (tape[place] >> 56) {
      case '[':
      case '{':
        if (++depth > greatest) greatest = depth;
        break;
      case ']':
      case '}': depth--; break;
      case 'l':
      case 'u':
      case 'd': place++; break;  // skips the number's value
      default: break;
    }
  }
  return greatest;
}

size_t json_parser_capacity(const struct json_parser *parser) { return parser->parser.capacity(); }

const char *json_error(int32_t error) { return simdjson::error_message(static_cast<simdjson::error_code>(error)); }
