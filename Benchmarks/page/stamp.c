// A source with one row that holds its push time in microseconds since 1970, for the delays of the
// page benchmark.
#define _GNU_SOURCE
#include "list_plugin.h"

#include <stdlib.h>
#include <time.h>

static const struct list_column columns[] = {
    {.name = "name", .title = "Name", .type = LIST_TEXT, .width = 10},
    {.name = "stamp", .title = "Stamp", .type = LIST_INTEGER, .width = 24},
};

static const struct list_schema schema = {
    .size = sizeof(struct list_schema),
    .key_type = LIST_TEXT,
    .name = "stamp",
    .title = "Stamp",
    .columns = columns,
    .column_count = 2,
    .column_size = sizeof(struct list_column),
};

static void *create(const struct list_plugin *plugin, const struct list_host *host) {
  (void)plugin;
  return (void *)(size_t)host;
}

static void destroy(void *instance) { (void)instance; }

static int32_t run(void *instance) {
  const struct list_host *host = instance;
  if (host->declare(host->context, &schema) != LIST_OK) return 1;
  unsigned seed = 1;
  uint64_t pause;
  do {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct list_cell key = list_text("stamp");
    struct list_cell cells[] = {list_text("stamp"), list_integer(now.tv_sec * 1000000LL + now.tv_nsec / 1000)};
    struct list_batch batch = {
        .size = sizeof batch, .verb = LIST_UPSERT, .column_count = 2, .row_count = 1, .keys = &key, .cells = cells};
    if (host->push(host->context, &batch) != LIST_OK) return 0;
    // 40 to 90 ms, so that pushes are not synchronized with frames.
    seed = seed * 1664525u + 1013904223u;
    pause = 40000000u + (seed >> 8) % 50000000u;
  } while (!host->wait(host->context, pause));
  return 0;
}

static const struct list_plugin plugin = {
    .version = LIST_PLUGIN_VERSION,
    .size = sizeof(struct list_plugin),
    .name = "stamp",
    .title = "When a row was handed over",
    .create = create,
    .run = run,
    .destroy = destroy,
};

const struct list_plugin *list_plugin_entry_v1(void) { return &plugin; }
