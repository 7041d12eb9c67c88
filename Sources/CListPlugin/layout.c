// Checks of the ABI layout that compiled plugins rely on. A change here requires a new version of
// the interface.
#include "list_plugin.h"

#include <assert.h>
#include <stddef.h>

static_assert(sizeof(struct list_cell) == 16, "a cell has 16 bytes in all versions");
static_assert(offsetof(struct list_cell, type) == 0, "a cell begins with its type");
static_assert(offsetof(struct list_cell, length) == 4, "the length follows the type");
static_assert(offsetof(struct list_cell, integer) == 8, "the value is last");
static_assert(offsetof(struct list_cell, text) == 8, "the members of the union share their place");

static_assert(offsetof(struct list_plugin, version) == 0, "the version is what any host can read");
static_assert(offsetof(struct list_plugin, size) == 4, "the size follows the version");
static_assert(offsetof(struct list_host, version) == 0, "the version is what any plugin can read");
static_assert(offsetof(struct list_host, size) == 4, "the size follows the version");
static_assert(offsetof(struct list_schema, size) == 0, "structs begin with their size");
static_assert(offsetof(struct list_batch, size) == 0, "structs begin with their size");

#if UINTPTR_MAX == UINT64_MAX
// Members are only added at the end: members of 1.1 start where version 1 ended.
static_assert(offsetof(struct list_column, collation) == 40, "version 1 had 40 bytes");
static_assert(sizeof(struct list_column) == 48, "1.1");
static_assert(offsetof(struct list_column, type) == 24, "version 1");
static_assert(offsetof(struct list_schema, row_limit) == 40, "version 1 had 40 bytes");
static_assert(offsetof(struct list_schema, keep_nanoseconds) == 64, "1.1");
static_assert(sizeof(struct list_schema) == 72, "1.1");
static_assert(offsetof(struct list_schema, columns) == 24, "version 1");
static_assert(sizeof(struct list_batch) == 40, "version 1");
static_assert(offsetof(struct list_batch, keys) == 24, "version 1");
static_assert(sizeof(struct list_setting) == 16, "version 1");
static_assert(sizeof(struct list_host) == 72, "version 1");
static_assert(offsetof(struct list_host, context) == 8, "version 1");
static_assert(offsetof(struct list_host, push) == 24, "version 1");
static_assert(offsetof(struct list_host, get_extension) == 64, "version 1");
static_assert(sizeof(struct list_plugin) == 72, "version 1");
static_assert(offsetof(struct list_plugin, create) == 24, "version 1");
static_assert(offsetof(struct list_plugin, get_extension) == 64, "version 1");

// The extension "actions".
static_assert(offsetof(struct list_argument, type) == 16, "actions");
static_assert(offsetof(struct list_argument, choices) == 24, "actions");
static_assert(offsetof(struct list_argument, standard) == 32, "actions");
static_assert(offsetof(struct list_argument, maximum) == 64, "actions");
static_assert(sizeof(struct list_argument) == 80, "actions");
static_assert(offsetof(struct list_action, flags) == 24, "actions");
static_assert(offsetof(struct list_action, patience_ms) == 28, "actions");
static_assert(offsetof(struct list_action, arguments) == 32, "actions");
static_assert(offsetof(struct list_action, argument_size) == 44, "actions");
static_assert(sizeof(struct list_action) == 48, "actions");
static_assert(offsetof(struct list_request, id) == 8, "actions");
static_assert(offsetof(struct list_request, key) == 24, "actions");
static_assert(offsetof(struct list_request, arguments) == 40, "actions");
static_assert(sizeof(struct list_request) == 48, "actions");
static_assert(offsetof(struct list_actions, offer) == 8, "actions");
static_assert(offsetof(struct list_actions, acted) == 16, "actions");
static_assert(sizeof(struct list_actions) == 24, "actions");

// The extension "deferred".
static_assert(offsetof(struct list_place, column) == 16, "deferred");
static_assert(sizeof(struct list_place) == 24, "deferred");
static_assert(offsetof(struct list_loader, columns) == 8, "deferred");
static_assert(offsetof(struct list_loader, column_count) == 16, "deferred");
static_assert(offsetof(struct list_loader, patience_ms) == 24, "deferred");
static_assert(offsetof(struct list_loader, load) == 32, "deferred");
static_assert(offsetof(struct list_loader, cancel) == 40, "deferred");
static_assert(sizeof(struct list_loader) == 48, "deferred");
static_assert(offsetof(struct list_deferred, offer) == 8, "deferred");
static_assert(offsetof(struct list_deferred, loaded) == 16, "deferred");
static_assert(offsetof(struct list_deferred, failed) == 24, "deferred");
static_assert(offsetof(struct list_deferred, forget) == 32, "deferred");
static_assert(sizeof(struct list_deferred) == 40, "deferred");

// The extension "images".
static_assert(offsetof(struct list_image, id) == 0, "images");
static_assert(offsetof(struct list_image, key) == 8, "images");
static_assert(offsetof(struct list_image, length) == 16, "images");
static_assert(sizeof(struct list_image) == 24, "images");
static_assert(offsetof(struct list_images, offer) == 8, "images");
static_assert(offsetof(struct list_images, loaded) == 16, "images");
static_assert(offsetof(struct list_images, failed) == 24, "images");
static_assert(sizeof(struct list_images) == 32, "images");

// The extension "presentation".
static_assert(offsetof(struct list_column_presentation, format) == 8, "presentation");
static_assert(offsetof(struct list_column_presentation, better) == 16, "presentation");
static_assert(sizeof(struct list_column_presentation) == 24, "presentation");
static_assert(offsetof(struct list_table_presentation, column_size) == 8, "presentation");
static_assert(offsetof(struct list_table_presentation, columns) == 16, "presentation");
static_assert(offsetof(struct list_table_presentation, label) == 24, "presentation");
static_assert(sizeof(struct list_table_presentation) == 32, "presentation");
static_assert(offsetof(struct list_presentation, offer) == 8, "presentation");
static_assert(sizeof(struct list_presentation) == 16, "presentation");

// The extension "view".
static_assert(offsetof(struct list_view, offer) == 8, "view");
static_assert(sizeof(struct list_view) == 16, "view");
#endif
