// Libraries for the exam. ACTIONS, DEFERRED and IMAGES make one that can be asked, the other macros one that breaks one rule.
#define _DEFAULT_SOURCE
#include "list_plugin.h"

#include <stdlib.h>

#ifndef TEXT
#define TEXT "a job"
#endif

struct source {
  const struct list_host *host;
};

static const struct list_column columns[] = {
    {.name = "name", .type = LIST_TEXT},
    {.name = "done", .type = LIST_NUMBER},
#ifdef IMAGES
    {.name = "face", .type = LIST_IMAGE},
#endif
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const struct list_schema schema = {
    .size = sizeof(struct list_schema),
    .key_type = LIST_INTEGER,
    .name = "jobs",
    .columns = columns,
    .column_count = COLUMNS,
    .column_size = sizeof(struct list_column),
};

static void *create(const struct list_plugin *plugin, const struct list_host *host) {
  (void)plugin;
  struct source *source = calloc(1, sizeof *source);
  if (source != NULL) source->host = host;
  return source;
}

#ifdef ACTIONS
static void act(void *instance, const struct list_request *request) {
  const struct list_host *host = ((struct source *)instance)->host;
  const struct list_actions *actions = host->get_extension(host->context, LIST_ACTIONS);
#if defined(OBLIGING)
  actions->acted(host->context, request->id, LIST_DONE, "whatever it was");
#elif !defined(SILENT)
  if (strcmp(request->action, "stop") == 0) {
    actions->acted(host->context, request->id, LIST_DONE, "it was stopped");
  } else {
    actions->acted(host->context, request->id, LIST_FAILED, "there is no such action");
  }
#else
  (void)actions;
  (void)request;
#endif
}
#endif

#ifdef DEFERRED
static void load(void *instance, const struct list_place *cells, uint32_t count) {
  const struct list_host *host = ((struct source *)instance)->host;
  const struct list_deferred *deferred = host->get_extension(host->context, LIST_DEFERRED);
  for (uint32_t number = 0; number < count; number++) {
#ifndef UNANSWERED
    struct list_cell value = list_number(0.5);
#ifdef BAD_VALUE
    value = list_text("half");
#endif
    if (cells[number].key.integer >= 0) {
      deferred->loaded(host->context, &cells[number].key, cells[number].column, &value);
    } else {
      deferred->failed(host->context, &cells[number].key, cells[number].column, "there is no such job");
    }
#else
    (void)deferred;
    (void)cells;
#endif
  }
}
#endif

#ifdef IMAGES
static void show(void *instance, const struct list_image *image) {
  const struct list_host *host = ((struct source *)instance)->host;
  const struct list_images *images = host->get_extension(host->context, LIST_IMAGES);
#ifdef FACELESS
  (void)images;
  (void)image;
#else
  static const char dot[600000] = "GIF89a";
  uint64_t length = 32;
#ifdef HUGE
  length = sizeof dot;
#endif
#ifdef NO_IMAGE
  images->loaded(host->context, image->id, "<svg/>", 6);
  return;
#endif
  if (image->length == 5 && strcmp(image->key, "smile") == 0) {
    images->loaded(host->context, image->id, dot, length);
  } else if (image->key[0] == 's') {
    images->failed(host->context, image->id, "this face cannot be drawn");
  } else {
    images->loaded(host->context, image->id, NULL, 0);
  }
#endif
}
#endif

static int32_t run(void *instance) {
  const struct list_host *host = ((struct source *)instance)->host;
#ifdef ACTIONS
  const struct list_action offered[] = {
      {.name = "stop", .title = "Stop", .argument_size = sizeof(struct list_argument)}};
  const struct list_actions *actions = host->get_extension(host->context, LIST_ACTIONS);
  if (actions->offer(host->context, offered, 1, sizeof offered[0], act) != LIST_OK) return 1;
#endif
#ifdef DEFERRED
  const uint32_t numbers[] = {1};
  const struct list_loader loader = {
      .size = sizeof loader, .columns = numbers, .column_count = 1, .patience_ms = 2000, .load = load};
  const struct list_deferred *deferred = host->get_extension(host->context, LIST_DEFERRED);
  if (deferred->offer(host->context, &loader) != LIST_OK) return 1;
#endif
#ifdef IMAGES
  const struct list_images *images = host->get_extension(host->context, LIST_IMAGES);
  if (images->offer(host->context, show, NULL) != LIST_OK) return 1;
#endif
#ifdef EARLY_END
  host->fail(host->context, NULL, "there is nothing to read");
  return 1;
#endif
  if (host->declare(host->context, &schema) != LIST_OK) return 1;
#ifndef NO_LIST
  // Not of the clock: two starts within a second must differ. Of where this instance lies, and of a counter.
  static int64_t starts = 0;
  int64_t first = 0;
#ifdef BAD_KEYS
  union {
    void *place;
    int64_t number;
  } seed = {.place = instance};
  first = (seed.number ^ (++starts << 48)) & 0xFFFFFFFFFFFFF0;
#endif
  (void)starts;
  struct list_cell keys[3];
  struct list_cell cells[3 * COLUMNS];
  for (int row = 0; row < 3; row++) {
    keys[row] = list_integer(first + row);
    cells[COLUMNS * row] = list_text(TEXT);
#ifdef DEFERRED
    cells[COLUMNS * row + 1] = list_null();
#else
    cells[COLUMNS * row + 1] = list_number(row);
#endif
#ifdef IMAGES
    cells[COLUMNS * row + 2] = list_text(row == 0 ? "smile" : "sulk");
    cells[COLUMNS * row + 2].type = LIST_IMAGE;
#endif
  }
#ifdef BAD_ROW
  cells[3] = list_text("forty");
#endif
  const struct list_batch batch = {
      .size = sizeof batch,
      .verb = LIST_UPSERT,
      .flags = LIST_RELOAD_BEGIN | LIST_RELOAD_END,
      .column_count = COLUMNS,
      .row_count = 3,
      .keys = keys,
      .cells = cells,
  };
  if (host->push(host->context, &batch) != LIST_OK) return 0;
#endif
  while (host->wait(host->context, 1000000000) == LIST_OK) {
  }
  return 0;
}

static void destroy(void *instance) { free(instance); }

static const struct list_plugin plugin = {
    .version = LIST_PLUGIN_VERSION,
    .size = sizeof(struct list_plugin),
    .name = "jobs",
    .create = create,
    .run = run,
    .destroy = destroy,
};

const struct list_plugin *list_plugin_entry_v1(void) { return &plugin; }
