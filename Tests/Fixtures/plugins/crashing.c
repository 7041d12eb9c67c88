// Libraries that take their host with them, each in its own way.
#define _DEFAULT_SOURCE
#include "list_plugin.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static const struct list_plugin plugin;
static const struct list_host *the_host;

static void *create(const struct list_plugin *made, const struct list_host *host) {
  (void)made;
  the_host = host;
  return (void *)&plugin;
}

static void write_to_nowhere(void) {
  volatile int *volatile nowhere = NULL;
  *nowhere = 1;
}

#ifdef OVERFLOW
static int deeper(volatile char *above) {
  volatile char here[4096];
  here[0] = above[0];
  return above[0] == 7 ? 0 : deeper(here) + here[0];
}
#endif

#ifdef EXIT_THREAD
static void *own_thread(void *nothing) {
  (void)nothing;
  exit(7);
}
#endif

#ifdef THREAD
static void *own_thread(void *nothing) {
  (void)nothing;
  write_to_nowhere();
  return NULL;
}
#endif

static int32_t run(void *instance) {
  (void)instance;
#if defined WELL || defined LATER
  static const struct list_column columns[] = {{.name = "name", .type = LIST_TEXT}};
  static const struct list_schema schema = {
      .size = sizeof schema,
      .key_type = LIST_INTEGER,
      .name = "well",
      .columns = columns,
      .column_count = 1,
      .column_size = sizeof(struct list_column),
  };
  if (the_host->declare(the_host->context, &schema) != LIST_OK) return 1;
#endif
#ifdef NOWHERE
  write_to_nowhere();
#endif
#ifdef LATER
  if (the_host->wait(the_host->context, 3000000000) == LIST_OK) write_to_nowhere();
#endif
#ifdef OVERFLOW
  volatile char first[1] = {0};
  return deeper(first);
#endif
#ifdef ABORTED
  abort();
#endif
#ifdef EXITS
  exit(7);
#endif
#ifdef EXITS_AT_ONCE
  _exit(7);
#endif
#ifdef EXITS_LIKE_C
  _Exit(7);
#endif
#ifdef ZERO
  exit(0);
#endif
#if defined THREAD || defined EXIT_THREAD
  pthread_t thread;
  pthread_create(&thread, NULL, own_thread, NULL);
  pthread_join(thread, NULL);
#endif
  while (the_host->wait(the_host->context, 1000000000) == LIST_OK) {
  }
  return 0;
}

static int32_t configure(void *instance, const struct list_setting *settings, size_t count) {
  (void)instance;
  (void)settings;
  (void)count;
  (void)write_to_nowhere;
#ifdef CONFIGURE
  write_to_nowhere();
#endif
  return 0;
}

static void destroy(void *instance) { (void)instance; }

static const struct list_plugin plugin = {
    .version = LIST_PLUGIN_VERSION,
    .size = sizeof(struct list_plugin),
    .name = "crashing",
    .create = create,
    .configure = configure,
    .run = run,
    .destroy = destroy,
};

#ifdef LOADED
__attribute__((constructor)) static void loaded(void) { write_to_nowhere(); }
#endif

const struct list_plugin *list_plugin_entry_v1(void) { return &plugin; }
