// A C interface to simdjson: parses a document and gives access to simdjson's tape (see doc/tape.md
// of simdjson).
//
// Swift cannot call simdjson directly, because it is a C++ library.

#ifndef SIMDJSON_TAPE_H
#define SIMDJSON_TAPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct json_parser;

// The number of readable bytes required after a document. Their values are irrelevant.
size_t json_padding(void);

// Creates a parser for documents with less than this nesting depth. Returns NULL if out of memory.
struct json_parser *json_parser_create(size_t depth);
void json_parser_destroy(struct json_parser *parser);

// Parses a UTF-8 document. Returns 0 or an error. The tape and the texts are valid until the next
// call, and only after success. json_number_error reports a malformed number or one beyond 64 bits.
extern const int32_t json_number_error;
int32_t json_parse(struct json_parser *parser, const uint8_t *bytes, size_t length);
const uint64_t *json_tape(const struct json_parser *parser);
const uint8_t *json_texts(const struct json_parser *parser);

// The nesting depth of the parsed document. simdjson's own limit ignores empty lists and objects.
size_t json_depth(const struct json_parser *parser);

// The maximum length of a document without reallocation; it grows with the documents.
size_t json_parser_capacity(const struct json_parser *parser);

// Returns the static description of an error.
const char *json_error(int32_t error);

#ifdef __cplusplus
}
#endif

#endif
