// What a viewer of the table `quotes` holds, and the messages that change it: docs/protocol.md, without sections.
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A row as far as it is checked: the key and what the updates change.
struct row {
  uint64_t id;
  uint32_t revision;
  int64_t key;
  int64_t milliseconds;
  double price;
};

struct window {
  uint64_t sequence;
  int64_t start, total;
  int64_t shift;  // by how much the last message moved the reader
  int count, capacity;
  struct row *rows;
};

enum kind { OTHER, WINDOW, PATCH, HELLO, REFUSAL };

// A change that a message carries, by the moment that the source wrote into the row; `seen` is called once for each row that changed.
typedef void seen(void *context, int64_t milliseconds);

// Reads a message and applies it. False when it does not fit: a count, an index or the digest is wrong.
bool apply(struct window *window, const char *text, size_t length, enum kind *kind, seen *seen, void *context);

#endif
