#include "message.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };
enum { KEY = 0, PRICE = 3, TIME = 7 };

// MARK: A minimal JSON reader; the text must end with a brace.

struct reader {
  const char *at, *end;
  bool broken;
};

static char peek(struct reader *reader) { return reader->at < reader->end ? *reader->at : '\0'; }

static bool skip(struct reader *reader, char byte) {
  if (peek(reader) != byte) return false;
  reader->at++;
  return true;
}

static void demand(struct reader *reader, char byte) {
  if (!skip(reader, byte)) reader->broken = true;
}

// Reads a text without its quotes; escapes are not decoded.
static size_t text(struct reader *reader, const char **start) {
  demand(reader, '"');
  *start = reader->at;
  while (reader->at < reader->end && *reader->at != '"') reader->at += *reader->at == '\\' ? 2 : 1;
  if (reader->at >= reader->end) {
    reader->broken = true;
    reader->at = reader->end;
    return 0;
  }
  size_t length = (size_t)(reader->at - *start);
  reader->at++;
  return length;
}

static double number(struct reader *reader) {
  char *after;
  double value = strtod(reader->at, &after);
  if (after == reader->at || after > reader->end) reader->broken = true;
  reader->at = after;
  return value;
}

static int64_t integer(struct reader *reader) {
  bool negative = skip(reader, '-');
  const char *start = reader->at;
  int64_t value = 0;
  while (peek(reader) >= '0' && peek(reader) <= '9') value = value * 10 + (*reader->at++ - '0');
  if (reader->at == start) reader->broken = true;
  return negative ? -value : value;
}

static void pass(struct reader *reader) {
  const char *start;
  if (peek(reader) == '"') {
    text(reader, &start);
    return;
  }
  int depth = 0;
  while (reader->at < reader->end) {
    char byte = *reader->at;
    if (byte == '"') {
      text(reader, &start);
      continue;
    }
    if (depth == 0 && (byte == ',' || byte == '}' || byte == ']')) return;
    if (byte == '{' || byte == '[') depth++;
    if (byte == '}' || byte == ']') depth--;
    reader->at++;
    if (depth == 0 && (byte == '}' || byte == ']')) return;
  }
}

// MARK: Rows

static void cell(struct reader *reader, int64_t column, struct row *row) {
  if (column == KEY) row->key = integer(reader);
  else if (column == PRICE) row->price = number(reader);
  else if (column == TIME) row->milliseconds = integer(reader);
  else pass(reader);
}

static struct row item(struct reader *reader) {
  struct row row = {0};
  demand(reader, '[');
  row.id = (uint64_t)integer(reader);
  demand(reader, ',');
  row.revision = (uint32_t)integer(reader);
  demand(reader, ',');
  demand(reader, '[');
  for (int column = 0; !reader->broken; column++) {
    cell(reader, column, &row);
    if (!skip(reader, ',')) break;
  }
  demand(reader, ']');
  demand(reader, ']');
  return row;
}

static uint32_t mix(uint32_t h, uint32_t v) {
  h = (h ^ v) * 0x9E3779B1u;
  return h ^ h >> 15;
}

static uint32_t digest(const struct window *window) {
  uint32_t h = mix(mix(0x811C9DC5u, (uint32_t)window->start), (uint32_t)window->total);
  for (int i = 0; i < window->count; i++) {
    const struct row *row = &window->rows[i];
    h = mix(mix(mix(mix(h, 1), (uint32_t)row->id), (uint32_t)(row->id >> 32)), row->revision);
  }
  return h;
}

// MARK: Messages

// Static buffers, because only one message is processed at a time.
static struct row result[MOST];
static bool taken[MOST], leaves[MOST];

struct change {
  struct window *window;
  int64_t before, after;
  int removed, inserted;
  seen *seen;
  void *context;
};

static int place(struct reader *reader, int64_t limit) {
  int64_t index = integer(reader);
  if (index < 0 || index >= limit) reader->broken = true;
  return reader->broken ? 0 : (int)index;
}

static bool next(struct reader *reader) {
  if (reader->broken) return false;
  if (skip(reader, ']')) return false;
  skip(reader, ',');
  return true;
}

static void removals(struct reader *reader, struct change *change) {
  const char *why;
  for (demand(reader, '['); next(reader); change->removed++) {
    demand(reader, '[');
    leaves[place(reader, change->before)] = true;
    demand(reader, ',');
    text(reader, &why);
    demand(reader, ']');
  }
}

static void updates(struct reader *reader, struct change *change) {
  for (demand(reader, '['); next(reader);) {
    demand(reader, '[');
    struct row *row = &change->window->rows[place(reader, change->before)];
    demand(reader, ',');
    row->revision = (uint32_t)integer(reader);
    while (skip(reader, ',') && !reader->broken) {
      int64_t column = integer(reader);
      demand(reader, ',');
      cell(reader, column, row);
      if (column == TIME) change->seen(change->context, row->milliseconds);
    }
    demand(reader, ']');
  }
}

static void moves(struct reader *reader, struct change *change) {
  for (demand(reader, '['); next(reader);) {
    demand(reader, '[');
    int from = place(reader, change->before);
    demand(reader, ',');
    int to = place(reader, change->after);
    demand(reader, ']');
    if (taken[to] || leaves[from]) reader->broken = true;
    taken[to] = leaves[from] = true;
    result[to] = change->window->rows[from];
  }
}

static void insertions(struct reader *reader, struct change *change) {
  const char *why;
  for (demand(reader, '['); next(reader); change->inserted++) {
    demand(reader, '[');
    int to = place(reader, change->after);
    demand(reader, ',');
    size_t length = text(reader, &why);
    demand(reader, ',');
    struct row row = item(reader);
    demand(reader, ']');
    if (taken[to]) reader->broken = true;
    taken[to] = true;
    result[to] = row;
    // The change times of rows that only scrolled into the window do not count.
    if (length != strlen("scrolled")) change->seen(change->context, row.milliseconds);
  }
}

static bool is(const char *name, size_t length, const char *other) {
  return length == strlen(other) && memcmp(name, other, length) == 0;
}

static void hold(struct window *window, int count) {
  window->count = count;
  if (count > window->capacity) {
    window->capacity = count;
    window->rows = realloc(window->rows, sizeof(struct row) * (size_t)count);
  }
  memcpy(window->rows, result, sizeof(struct row) * (size_t)count);
}

static bool settle(struct window *window, const struct change *change) {
  if (window->count != change->before || change->before + change->inserted - change->removed != change->after) return false;
  int to = 0;
  for (int from = 0; from < window->count; from++) {
    if (leaves[from]) continue;
    while (to < change->after && taken[to]) to++;
    if (to == change->after) return false;
    taken[to] = true;
    result[to] = window->rows[from];
  }
  for (to = 0; to < change->after; to++) {
    if (!taken[to]) return false;
  }
  hold(window, (int)change->after);
  return true;
}

bool apply(struct window *window, const char *start, size_t length, enum kind *kind, seen *seen, void *context) {
  struct reader reader = {start, start + length, false};
  struct change change = {.window = window, .seen = seen, .context = context};
  uint64_t base = 0, sequence = 0;
  uint32_t wanted = 0;
  bool patched = false;
  *kind = OTHER;
  window->shift = 0;
  demand(&reader, '{');
  while (!reader.broken && peek(&reader) == '"') {
    const char *name, *value;
    size_t size = text(&reader, &name);
    demand(&reader, ':');
    if (is(name, size, "type")) {
      size_t type = text(&reader, &value);
      *kind = is(value, type, "patch") ? PATCH : is(value, type, "window") ? WINDOW : is(value, type, "hello") ? HELLO
        : is(value, type, "error") ? REFUSAL : OTHER;
      if (*kind != PATCH && *kind != WINDOW) return *kind != REFUSAL;
    } else if (is(name, size, "seq")) sequence = (uint64_t)integer(&reader);
    else if (is(name, size, "base")) base = (uint64_t)integer(&reader);
    else if (is(name, size, "shift")) window->shift = integer(&reader);
    else if (is(name, size, "start")) window->start = integer(&reader);
    else if (is(name, size, "total")) window->total = integer(&reader);
    else if (is(name, size, "before")) change.before = integer(&reader);
    else if (is(name, size, "after")) {
      change.after = integer(&reader);
      patched = true;
      if (change.before > MOST || change.after > MOST || change.before != window->count) return false;
      memset(taken, 0, sizeof taken);
      memset(leaves, 0, sizeof leaves);
    } else if (is(name, size, "removed")) removals(&reader, &change);
    else if (is(name, size, "updated")) updates(&reader, &change);
    else if (is(name, size, "moved")) moves(&reader, &change);
    else if (is(name, size, "inserted")) insertions(&reader, &change);
    else if (is(name, size, "digest")) wanted = (uint32_t)integer(&reader);
    else if (is(name, size, "items")) {
      int count = 0;
      for (demand(&reader, '['); next(&reader) && count < MOST;) result[count++] = item(&reader);
      hold(window, count);
    } else pass(&reader);
    skip(&reader, ',');
  }
  if (reader.broken || !skip(&reader, '}') || (*kind == PATCH) != patched) return false;
  if (*kind == PATCH && (base != window->sequence || !settle(window, &change))) return false;
  window->sequence = sequence;
  return digest(window) == wanted;
}
