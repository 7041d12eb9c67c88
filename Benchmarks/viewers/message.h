// A viewer's window of the table `quotes`, and the messages that change it (docs/protocol.md,
// without sections).
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The checked parts of a row: the key and the updated columns.
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
  int64_t shift;  // the distance that the last message moved the viewport
  int count, capacity;
  struct row *rows;
};

enum kind { OTHER, WINDOW, PATCH, HELLO, REFUSAL };

// Called once for each row that a message changes, with the time that the source stored in the row.
typedef void seen(void *context, int64_t milliseconds);

// Applies a message. Returns false if a count, an index or the digest is wrong.
bool apply(struct window *window, const char *text, size_t length, enum kind *kind, seen *seen, void *context);

#endif
