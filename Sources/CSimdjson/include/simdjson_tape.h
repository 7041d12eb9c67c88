// simdjson for Swift: parses one document and shows the tape that simdjson has written (doc/tape.md of simdjson).
//
// Only what Swift cannot call: simdjson is a C++ library.

#ifndef SIMDJSON_TAPE_H
#define SIMDJSON_TAPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_parser;

// How many bytes behind a document must be readable; what they hold does not matter.
size_t json_padding(void);

// A parser for documents that are nested less deep than this; NULL when there is no memory.
struct json_parser *json_parser_create(size_t depth);
void json_parser_destroy(struct json_parser *parser);

// Parses a document of UTF-8. 0, or an error; then nothing may be read.
// The tape and the texts stay as they are until the next call.
// json_number_error: a number that is none, or is beyond 64 bits.
extern const int32_t json_number_error;
int32_t json_parse(struct json_parser *parser, const uint8_t *bytes, size_t length);
const uint64_t *json_tape(const struct json_parser *parser);
const uint8_t *json_texts(const struct json_parser *parser);

// How deep lists and objects are nested in the document that was parsed: simdjson's own bound does not count empty ones.
size_t json_depth(const struct json_parser *parser);

// How long a document the parser has room for; it grows with the documents.
size_t json_parser_capacity(const struct json_parser *parser);

// What an error means; valid for ever.
const char *json_error(int32_t error);

#ifdef __cplusplus
}
#endif

#endif
