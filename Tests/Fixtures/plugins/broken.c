// A plugin with one mistake, named by a macro: what the host says about each is tested.
#include "list_plugin.h"

static void *create(const struct list_plugin *plugin, const struct list_host *host) {
  (void)plugin;
  return (void *)host;
}

static void destroy(void *instance) { (void)instance; }

#ifdef MISSING_SYMBOL
int32_t nobody_has_this(void *instance);
static int32_t run(void *instance) { return nobody_has_this(instance); }
#elif !defined(NO_RUN)
static int32_t run(void *instance) {
  (void)instance;
  return 0;
}
#endif

static const struct list_plugin plugin = {
#ifdef WRONG_VERSION
    .version = 7,
#else
    .version = LIST_PLUGIN_VERSION,
#endif
#ifdef SHORT
    .size = 16,
#else
    .size = sizeof(struct list_plugin),
#endif
#ifdef NO_NAME
    .name = "",
#elif defined(BAD_NAME)
    .name = "\xff",
#else
    .name = "broken",
#endif
    .create = create,
#ifndef NO_RUN
    .run = run,
#endif
    .destroy = destroy,
};

#if defined(NO_ENTRY)
const struct list_plugin *quite_another_function(void);
const struct list_plugin *quite_another_function(void) { return &plugin; }
#elif defined(NEXT_ENTRY)
const struct list_plugin *list_plugin_entry_v2(void);
const struct list_plugin *list_plugin_entry_v2(void) { return &plugin; }
#elif defined(EMPTY_ENTRY)
const struct list_plugin *list_plugin_entry_v1(void) {
  (void)plugin;
  return NULL;
}
#else
const struct list_plugin *list_plugin_entry_v1(void) { return &plugin; }
#endif
