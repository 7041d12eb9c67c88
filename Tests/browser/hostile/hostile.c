// A source that attacks the page: every payload of payloads.h in every kind of cell, in its names,
// its units and its message.
// Built by test_hostile.py, which also writes payloads.h.
#define _GNU_SOURCE
#include "list_plugin.h"
#include "payloads.h"  // PAYLOADS, payloads[], lengths[]

#include <math.h>
#include <stdlib.h>

static const struct list_column columns[] = {
    {.name = "text", .title = "Text", .type = LIST_TEXT, .width = 30},
    {.name = "badge", .title = "<img src=x onerror=hacked=1>", .type = LIST_TEXT, .style = LIST_STYLE_BADGE},
    {.name = "link", .title = "\"><script>hacked=1</script>", .type = LIST_TEXT, .style = LIST_STYLE_LINK, .width = 20},
    {.name = "image", .title = "Image", .type = LIST_IMAGE, .style = LIST_STYLE_IMAGE, .width = 12},
    {.name = "'\"<b>&group", .title = "Group", .type = LIST_TEXT, .width = 14},
    {.name = "number", .title = "Number", .unit = "<i>&\"'", .type = LIST_NUMBER, .style = LIST_STYLE_BAR},
    {.name = "integer", .title = "Integer", .type = LIST_INTEGER, .style = LIST_STYLE_BYTES},
    {.name = "time", .title = "Time", .type = LIST_TIMESTAMP},
    {.name = "age", .title = "Age", .type = LIST_TIMESTAMP, .style = LIST_STYLE_AGE},
    {.name = "duration", .title = "Duration", .type = LIST_NUMBER, .style = LIST_STYLE_DURATION},
    {.name = "series", .title = "Series", .type = LIST_SERIES, .style = LIST_STYLE_SPARKLINE},
    {.name = "yes", .title = "Boolean", .type = LIST_BOOLEAN},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const struct list_schema schema = {
    .size = sizeof(struct list_schema),
    .key_type = LIST_INTEGER,
    .name = "hostile",
    .title = "<svg onload=hacked=1>",
    .columns = columns,
    .column_count = COLUMNS,
    .column_size = sizeof(struct list_column),
};

static const double numbers[] = {0, -0.0, 1e308, -1e308, 5e-324, 9007199254740993.0, NAN, INFINITY, -INFINITY, 1e21, -1e-7};
static const int64_t integers[] = {INT64_MAX, INT64_MIN, 0, -1, 9007199254740993, 1};
static const double series[] = {1e308, -1e308, NAN, INFINITY, 0, 5e-324, 1, 2};

static struct list_cell text(uint32_t type, int at) {
  return (struct list_cell){.type = type, .length = (uint32_t)lengths[at], .text = payloads[at]};
}

static void *create(const struct list_plugin *plugin, const struct list_host *host) {
  (void)plugin;
  const struct list_host **kept = malloc(sizeof *kept);
  if (kept != NULL) *kept = host;
  return kept;
}

static void destroy(void *instance) { free(instance); }

static int32_t run(void *instance) {
  const struct list_host *host = *(const struct list_host **)instance;
  if (host->declare(host->context, &schema) != LIST_OK) return 1;
  struct list_cell *keys = calloc(PAYLOADS, sizeof *keys);
  struct list_cell *cells = calloc((size_t)PAYLOADS * COLUMNS, sizeof *cells);
  if (keys == NULL || cells == NULL) return 1;
  for (int at = 0; at < PAYLOADS; at += 1) {
    const int64_t integer = integers[at % 6];
    const double number = numbers[at % 11];
    struct list_cell *row = cells + (size_t)at * COLUMNS;
    keys[at] = list_integer(at);
    for (int column = 0; column < 5; column += 1) row[column] = text(columns[column].type, at);
    row[5] = list_number(number);
    row[6] = list_integer(integer);
    row[7] = list_timestamp(integer);
    row[8] = list_timestamp(integer);
    row[9] = list_number(number);
    row[10] = list_series(series, (uint32_t)(at % 9));
    row[11] = list_boolean(at % 2);
  }
  const struct list_batch batch = {
      .size = sizeof batch, .verb = LIST_UPSERT, .flags = LIST_RELOAD, .column_count = COLUMNS, .row_count = PAYLOADS, .keys = keys, .cells = cells};
  const int32_t result = host->push(host->context, &batch);
  host->set_state(host->context, LIST_STATE_STALE, "<img src=x onerror=hacked=1> \xe2\x80\xae" "gpj.exe");
  free(keys);
  free(cells);
  while (result == LIST_OK && !host->wait(host->context, 1000000000u)) {}
  return 0;
}

static const struct list_plugin plugin = {
    .version = LIST_PLUGIN_VERSION,
    .size = sizeof(struct list_plugin),
    .name = "hostile",
    .title = "A source that wishes harm",
    .create = create,
    .run = run,
    .destroy = destroy,
};

const struct list_plugin *list_plugin_entry_v1(void) { return &plugin; }
