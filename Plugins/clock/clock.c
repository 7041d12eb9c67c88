// A clock: a minimal plugin, and a starting point for new ones.
//
//     cc -std=c11 -shared -fPIC -I Sources/CListPlugin/include -o libclock.so Plugins/clock/clock.c
//     rowcast serve --plugin ./libclock.so
#define _GNU_SOURCE
#include "list_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// The state of one configured source. Several may exist at a time, so nothing is kept in globals.
struct clock_source {
  const struct list_host *host;
};

// The table's columns and their presentation. Omitted members are zero, which selects the host's
// default.
static const struct list_column columns[] = {
    {.name = "clock", .title = "Clock", .type = LIST_TEXT, .width = 18},
    {.name = "reading", .title = "Reading", .type = LIST_TEXT, .width = 24},
    {.name = "seconds", .title = "Seconds", .type = LIST_NUMBER, .unit = "s", .width = 16},
};
enum { COLUMNS = sizeof columns / sizeof columns[0], ROWS = 4 };

static const struct list_schema schema = {
    .size = sizeof(struct list_schema),
    .key_type = LIST_TEXT,  // the key identifies a row in all batches
    .name = "clock",
    .title = "Clock",
    .columns = columns,
    .column_count = COLUMNS,
    .column_size = sizeof(struct list_column),
};

// Creates a source. The host's functions stay valid until destroy, so the source may keep them.
static void *create(const struct list_plugin *plugin, const struct list_host *host) {
  (void)plugin;
  if (host->version != LIST_PLUGIN_VERSION || host->size < sizeof(struct list_host)) return NULL;
  struct clock_source *source = calloc(1, sizeof *source);
  if (source != NULL) source->host = host;
  return source;
}

static void destroy(void *instance) { free(instance); }

static void write_time(char *text, size_t size, const struct tm *time) { strftime(text, size, "%Y-%m-%d %H:%M:%S", time); }

static void write_span(char *text, size_t size, const struct timespec *span) {
  long long seconds = span->tv_sec;
  snprintf(text, size, "%lld d %02lld:%02lld:%02lld",
           seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

// The source's loop, on its own thread. It ends when the host stops the source.
static int32_t run(void *instance) {
  const struct list_host *host = ((struct clock_source *)instance)->host;
  if (host->declare(host->context, &schema) != LIST_OK) return 1;

  struct timespec now, up, start;
  clock_gettime(CLOCK_BOOTTIME, &start);
  do {
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    struct timespec running = {.tv_sec = up.tv_sec - start.tv_sec};
    struct tm utc, local;
    gmtime_r(&now.tv_sec, &utc);
    localtime_r(&now.tv_sec, &local);

    char texts[ROWS][32];
    write_time(texts[0], sizeof texts[0], &utc);
    write_time(texts[1], sizeof texts[1], &local);
    write_span(texts[2], sizeof texts[2], &up);
    write_span(texts[3], sizeof texts[3], &running);

    // Flat arrays: one key per row, and COLUMNS cells per row.
    struct list_cell keys[ROWS] = {list_text("utc"), list_text("local"), list_text("uptime"), list_text("running")};
    struct list_cell cells[ROWS * COLUMNS] = {
        list_text("UTC"),               list_text(texts[0]), list_number((double)now.tv_sec),      // one
        list_text("Local time"),        list_text(texts[1]), list_number((double)now.tv_sec),      // row
        list_text("Machine is up"),     list_text(texts[2]), list_number((double)up.tv_sec),       // a
        list_text("Source is running"), list_text(texts[3]), list_number((double)running.tv_sec),  // line
    };
    struct list_batch batch = {
        .size = sizeof batch,
        .verb = LIST_UPSERT,
        .flags = LIST_RELOAD,  // this is the whole list; the host computes the changes
        .column_count = COLUMNS,
        .row_count = ROWS,
        .keys = keys,
        .cells = cells,
    };
    // push copies the rows, so the arrays may be reused. Any result but LIST_OK ends the source.
    if (host->push(host->context, &batch) != LIST_OK) return 0;

    // Waits until the next second starts, or until the source is stopped.
  } while (!host->wait(host->context, 1000000000u - (uint64_t)now.tv_nsec));
  return 0;
}

static const struct list_plugin plugin = {
    .version = LIST_PLUGIN_VERSION,
    .size = sizeof(struct list_plugin),
    .name = "clock",
    .title = "What the time is",
    .create = create,
    .run = run,
    .destroy = destroy,
    // No configure: there are no settings. No stop: run only waits for the host.
};

// The entry function that the host looks up.
const struct list_plugin *list_plugin_entry_v1(void) { return &plugin; }
