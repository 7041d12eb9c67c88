// list_plugin.h: the interface between Rowcast and a data source in a shared library.
//
// A plugin exports one function, list_plugin_entry_v1, which returns a struct list_plugin. For
// every configured source the host creates an instance and starts a thread. Functions (left) move
// the instance from state to state (right):
//
//     create       ─▶ created
//     configure    ─▶ configured
//     run          ─▶ started
//     run returns  ─▶ stopped
//     destroy
//
// `run` is the plugin's own loop. This plugin sends its whole table once a second:
//
//     static int32_t run(void *instance) {
//       const struct list_host *host = ((struct mine *)instance)->host;
//       if (host->declare(host->context, &schema) != LIST_OK) return 1;
//       do {
//         ... fill keys and cells ...
//         if (host->push(host->context, &batch) != LIST_OK) return 0;
//       } while (!host->wait(host->context, 1000000000));
//       return 0;
//     }
//
// General rules:
// - Strings are UTF-8. Names and messages end in NUL. Texts in cells have a length and need no NUL.
// - Memory belongs to the side that allocated it. The receiver of a pointer copies what it needs
//   before it returns, unless the comment states that the pointer stays valid.
// - Brackets give the calling thread and the time of the call. "The source's thread" is the one
//   that the host started for this instance.
// - Several instances of one library may exist at the same time: keep state in the instance, not in
//   globals.
// - The library is never unloaded.
// - Structs start with their size and only grow at the end. A reader ignores members beyond the
//   size that it finds. Incompatible changes get a new version and a new entry function.
#ifndef LIST_PLUGIN_H
#define LIST_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this interface: the value of list_plugin.version and the number in the entry
// function's name.
#define LIST_PLUGIN_VERSION 1u
// The name of the exported entry function, for dlsym.
#define LIST_PLUGIN_ENTRY "list_plugin_entry_v1"

// Results of calls to the host.
enum list_result {
  // Success.
  LIST_OK = 0,
  // The source is being stopped: return from run soon. The call had no effect.
  LIST_STOPPING = 1,
  // The call is invalid (a NULL pointer, a bad count or verb). The host logs the reason. The call
  // had no effect.
  LIST_REFUSED = 2
};

// -------------------------------------------------------------------------------------------------
// Cells

// The type of a cell's value, and the union member that holds it.
enum list_type {
  LIST_NULL = 0,       // null; no member
  LIST_UNCHANGED = 1,  // keeps its value (LIST_UPDATE only); no member
  LIST_INTEGER = 2,    // integer
  LIST_NUMBER = 3,     // number; a value that is not finite counts as null
  LIST_TEXT = 4,       // text, `length` bytes
  LIST_BOOLEAN = 5,    // integer; 0 is false, anything else is true
  LIST_TIMESTAMP = 6,  // integer: nanoseconds since 1970-01-01T00:00Z
  LIST_IMAGE = 7,      // text, `length` bytes: the key of an image
  LIST_SERIES = 8      // series, `length` numbers
};

// One value: 16 bytes. This layout never changes.
struct list_cell {
  uint32_t type;    // one of enum list_type
  uint32_t length;  // bytes of a text or image key, numbers of a series; otherwise ignored
  union {
    int64_t integer;
    double number;
    const char *text;      // not NULL, unless the length is 0
    const double *series;  // not NULL, unless the length is 0
  };
};

// -------------------------------------------------------------------------------------------------
// Schema

// The way a client draws a column. The host treats an unknown style as plain.
enum list_style {
  LIST_STYLE_PLAIN = 0,
  LIST_STYLE_BAR = 1,        // the value over a bar; with the unit "%", 100 is a full bar
  LIST_STYLE_BADGE = 2,      // a coloured label
  LIST_STYLE_BYTES = 3,      // a number of bytes
  LIST_STYLE_DURATION = 4,   // a number of seconds
  LIST_STYLE_AGE = 5,        // a timestamp, as the time since
  LIST_STYLE_IMAGE = 6,      // an image
  LIST_STYLE_SPARKLINE = 7,  // a small line chart
  LIST_STYLE_LINK = 8        // a link to an http or https address
};

// The alignment of a column's values in their cells.
enum list_alignment {
  LIST_ALIGN_DEFAULT = 0,  // numbers and timestamps at the end, everything else at the start
  LIST_ALIGN_START = 1,
  LIST_ALIGN_END = 2,
  LIST_ALIGN_CENTER = 3
};

// One column.
struct list_column {
  const char *name;    // the name in queries; not empty, unique in its table
  const char *title;   // the header that users see; NULL: the name
  const char *unit;    // the unit of its numbers, such as "%"; NULL: none
  uint32_t type;       // one of enum list_type, neither LIST_NULL nor LIST_UNCHANGED
  uint32_t style;      // one of enum list_style
  uint32_t width;      // the preferred width in characters; 0: no preference
  uint32_t alignment;  // one of enum list_alignment
  // Since 1.1. Version 1 ends at byte 40.
  const char *collation;  // only for LIST_TEXT: the order, see below; NULL: by code unit
};

// list_column.collation is the order of a column's texts when a client sorts or groups by it:
//   "natural"          case-insensitive, with runs of digits compared as numbers: a9 before A10
//   "de", "sv-FI", ... the rules of a language (a BCP 47 tag)
//   "de-u-kn"          the rules of a language, with runs of digits compared as numbers
// The host refuses a table with a language that it does not know.

// A table: its names, its key type and its columns.
struct list_schema {
  uint32_t size;                      // sizeof(struct list_schema)
  uint32_t key_type;                  // LIST_INTEGER or LIST_TEXT
  const char *name;                   // the table's name in the protocol; not empty
  const char *title;                  // the title that users see; NULL: the name
  const struct list_column *columns;  // column_count of them, column_size bytes apart
  uint32_t column_count;              // 1 to 512
  uint32_t column_size;               // sizeof(struct list_column)
  // Since 1.1. Version 1 ends at byte 40.
  uint64_t row_limit;   // the maximum number of rows; 0: the host's limit
  uint64_t byte_limit;  // the maximum size of the rows in bytes, see below; 0: the host's limit
  uint64_t keep_rows;         // keeps only this many rows, the newest ones; 0: all
  // The time for which a row is kept after its insertion; 0: no limit. Not together with keep_rows.
  uint64_t keep_nanoseconds;
};

// Rows beyond a limit are dropped and counted, and users see the limit. The other rows of the batch
// are applied. The size of a row is the sum of:
// - 32 bytes, and 8 for each column
// - the key: 8 bytes for an integer, otherwise the bytes of the text
// - the bytes of its texts and image keys, and 8 for each number of a series
//
// keep_rows and keep_nanoseconds delete the oldest rows first, as if the source had deleted them. A
// row's age counts from the insertion of its key. Later updates do not change it.

// -------------------------------------------------------------------------------------------------
// Batches

// The operation that a batch applies to its rows.
enum list_verb {
  LIST_UPSERT = 1,  // whole rows: one cell per column; new keys are inserted at the end
  // Some cells: one cell per column, LIST_UNCHANGED for a cell that keeps its value. The row must
  // exist.
  LIST_UPDATE = 2,
  LIST_DELETE = 3,  // removes rows; column_count is 0
  // Moves a row before another one. column_count is 1: the other row's key, or null for the end.
  LIST_MOVE = 4
};

// Flags of a batch; only with LIST_UPSERT. A simple plugin sends its whole list in one batch with
// LIST_RELOAD, and the engine computes the changes.
enum list_flags {
  // Starts a reload: rows that are not sent before its end are removed.
  LIST_RELOAD_BEGIN = 1,
  // Ends a reload: the whole list has been sent.
  LIST_RELOAD_END = 2,
  // The batch is the whole list.
  LIST_RELOAD = 3
};

// Rows that share one verb. Cells are row-major: row r starts at cells[r * column_count].
struct list_batch {
  uint32_t size;                  // sizeof(struct list_batch)
  uint32_t verb;                  // one of enum list_verb
  uint32_t flags;                 // bits of enum list_flags; 0: none
  uint32_t column_count;          // cells per row; depends on the verb
  uint64_t row_count;             // may be 0 in a batch that only carries flags
  const struct list_cell *keys;   // row_count cells of the schema's key type
  const struct list_cell *cells;  // row_count * column_count cells
};

// -------------------------------------------------------------------------------------------------
// The host

// The state of a source. The first push makes it live.
enum list_state {
  LIST_STATE_LIVE = 1,  // its rows are up to date
  LIST_STATE_STALE = 2  // it cannot reach its data now; its rows stay and are marked as stale
};

// The severity of a log message.
enum list_level { LIST_DEBUG = 0, LIST_INFO = 1, LIST_WARNING = 2, LIST_ERROR = 3 };

// The host's functions for one instance. They stay valid until destroy returns.
struct list_host {
  uint32_t version;  // LIST_PLUGIN_VERSION
  uint32_t size;     // sizeof(struct list_host) in the host; a plugin that needs more must fail
  void *context;     // the first argument of every function below

  // Declares the table's schema. Call it once, before the first push. The schema is copied. Does
  // not wait for the engine, but may wait for another thread's push.
  // [any thread, while run runs]
  int32_t (*declare)(void *context, const struct list_schema *schema);

  // Sends rows. They are copied before push returns, so the plugin may reuse its buffers at once.
  // Blocks while the engine's input is full (back-pressure). Concurrent calls take turns.
  //
  // A row with an invalid cell (unknown type, NULL pointer, longer than 65,536 bytes) is dropped
  // and logged. The other rows are applied, and the result is LIST_OK.
  // [any thread, while run runs]
  int32_t (*push)(void *context, const struct list_batch *batch);

  // Sleeps for this many nanoseconds of monotonic time, or until the source is stopped. Returns 0
  // when the time has passed and LIST_STOPPING when the source is being stopped. With 0 nanoseconds
  // it returns at once.
  // [any thread, while run runs]
  int32_t (*wait)(void *context, uint64_t nanoseconds);

  // Reports the source's state (one of enum list_state) and a message for users (NULL: none). The
  // message is copied. May block as push does.
  //
  // A source that loses access to its data reports LIST_STATE_STALE and retries, with a longer wait
  // after each failure. When it succeeds it reports LIST_STATE_LIVE. Returning from run ends the
  // source instead.
  // [any thread, while run runs]
  void (*set_state)(void *context, uint32_t state, const char *message);

  // Reports why configure or run is about to fail: the setting at fault (NULL: none) and a message
  // for the operator. Both are copied. The last call counts. Does not block.
  // [the thread that runs configure or run, while it does]
  void (*fail)(void *context, const char *key, const char *message);

  // Writes a line to the host's log at a level of enum list_level. The message is copied. Does not
  // block for long.
  // [any thread, between create and the return of destroy]
  void (*log)(void *context, uint32_t level, const char *message);

  // Returns an extension by name, or NULL if the host does not support it. The result stays valid
  // until destroy returns. The extensions are LIST_ACTIONS, LIST_DEFERRED, LIST_IMAGES,
  // LIST_PRESENTATION and LIST_VIEW, see below.
  // [any thread, between create and the return of destroy]
  const void *(*get_extension)(void *context, const char *name);
};

// -------------------------------------------------------------------------------------------------
// Actions that users can run on a row or on the whole table: the extension LIST_ACTIONS
//
//     const struct list_actions *actions = host->get_extension(host->context, LIST_ACTIONS);
//     if (actions != NULL) {
//       actions->offer(host->context, offered, 2, sizeof offered[0], act);
//     }

// The extension's name; get_extension returns a const struct list_actions *.
#define LIST_ACTIONS "actions"

// A parameter of an action: 80 bytes.
struct list_argument {
  const char *name;               // not empty, unique in its action
  const char *label;              // the label that users see; NULL: the name
  uint32_t type;                  // LIST_INTEGER, LIST_NUMBER, LIST_TEXT or LIST_BOOLEAN
  uint32_t choice_count;          // at most 1,000; 0: any value is allowed
  const struct list_cell *choices;  // the allowed values
  struct list_cell standard;      // the default value; LIST_NULL: the user must enter one
  // The inclusive bounds of a number: LIST_INTEGER, LIST_NUMBER, or LIST_NULL for none.
  struct list_cell minimum;
  struct list_cell maximum;
};

// Flags of an action.
enum list_action_flags {
  LIST_ACTION_DANGER = 1,  // destroys something
  LIST_ACTION_TABLE = 2    // applies to the whole table, not to a row
};

// An action.
struct list_action {
  const char *name;        // not empty, unique in its table
  const char *title;       // the title that users see; NULL: the name
  const char *confirm;     // a question that the user must confirm first; NULL: none
  uint32_t flags;          // bits of enum list_action_flags; 0: none
  uint32_t patience_ms;    // the timeout in milliseconds, at most 600,000; 0: 30,000
  const struct list_argument *arguments;  // argument_count of them, argument_size bytes apart
  uint32_t argument_count;  // at most 32
  uint32_t argument_size;   // sizeof(struct list_argument)
};

// A request to run an action.
struct list_request {
  uint32_t size;            // sizeof(struct list_request) in the host
  uint32_t argument_count;  // the number of the action's arguments; 0 for an unknown action
  uint64_t id;              // the id to pass to acted; each request is sent once
  const char *action;       // the action's name; the plugin reports LIST_FAILED for an unknown one
  struct list_cell key;     // the row's key; LIST_NULL for a request on the whole table
  const struct list_cell *arguments;  // in the action's order and of its types, checked by the host
};

// The result of a request.
enum list_outcome {
  LIST_DONE = 0,   // the action was done
  LIST_FAILED = 1  // the action was not done
};

// The host's functions for a plugin with actions.
struct list_actions {
  uint32_t size;  // sizeof(struct list_actions) in the host

  // Declares the table's actions and their handler. Call it once, before declare. 1 to 64 actions,
  // action_size bytes apart; they are copied. A plugin should offer harmful actions only if a
  // setting enables them.
  // [any thread, while run runs]
  //
  // `act` receives one request; its memory is invalid after act returns. The next request waits
  // until act has returned. The plugin may answer with acted during act or later.
  // [a thread of the host, one call of act, load or cancel at a time; after declare. No call starts
  // after run has returned. destroy waits for a call that started before.]
  int32_t (*offer)(
      void *context, const struct list_action *actions, uint32_t action_count, uint32_t action_size,
      void (*act)(void *instance, const struct list_request *request));

  // Answers a request with one of enum list_outcome and a message for users (NULL: none), which is
  // copied. Push the action's changes first. The first answer counts. Returns LIST_REFUSED if the
  // id is unknown or already answered. May block as push does.
  // [any thread, between create and the return of destroy]
  int32_t (*acted)(void *context, uint64_t id, uint32_t outcome, const char *message);
};

// -------------------------------------------------------------------------------------------------
// Cells that are loaded on demand: the extension LIST_DEFERRED
//
// Rows are pushed with null in place of these cells. The host requests a cell when it is visible to
// a client or about to be, and cancels the request when it no longer is.

// The extension's name; get_extension returns a const struct list_deferred *.
#define LIST_DEFERRED "deferred"

// The position of a cell: 24 bytes.
struct list_place {
  struct list_cell key;
  uint32_t column;
  uint32_t reserved;  // 0
};

// Flags of a loader.
enum list_loader_flags {
  // Loads run to completion even if the cell is no longer visible. cancel is called only for cells
  // whose value is obsolete.
  LIST_LOADER_FINISHES = 1
};

// The plugin's side of the extension: deferred columns and callbacks.
struct list_loader {
  uint32_t size;   // sizeof(struct list_loader)
  uint32_t flags;  // bits of enum list_loader_flags; 0: none
  const uint32_t *columns;  // the indexes of the deferred columns
  uint32_t column_count;    // at least 1
  uint32_t in_flight;       // the maximum number of pending cells, at most 1,024; 0: 8
  uint32_t patience_ms;     // the timeout of a load in milliseconds, at most 3,600,000; 0: 60,000
  uint32_t reserved;        // 0

  // Requests cells, the most urgent first. The plugin answers each with loaded or failed, in any
  // order, during load or later, even if the row has been deleted. The arguments are invalid after
  // load returns. Return soon, because further requests wait until then.
  // [as act of LIST_ACTIONS]
  void (*load)(void *instance, const struct list_place *cells, uint32_t count);

  // Cancels requests for cells that are no longer needed. A late answer is allowed. NULL: the
  // plugin ignores cancellation.
  // [as load]
  void (*cancel)(void *instance, const struct list_place *cells, uint32_t count);
};

// The host's functions for a plugin with deferred cells. Their results and blocking are those of
// push.
struct list_deferred {
  uint32_t size;  // sizeof(struct list_deferred) in the host

  // Declares the deferred columns and their callbacks. Call it once, before declare. The loader is
  // copied.
  // [any thread, while run runs]
  int32_t (*offer)(void *context, const struct list_loader *loader);

  // Delivers a cell's value, which is copied. A value that does not fit the column counts as
  // failed.
  // [any thread, between declare and the return of destroy]
  int32_t (*loaded)(void *context, const struct list_cell *key, uint32_t column, const struct list_cell *value);

  // Reports that a cell could not be loaded. The host requests it again after a growing delay.
  // [any thread, between declare and the return of destroy]
  int32_t (*failed)(void *context, const struct list_cell *key, uint32_t column, const char *reason);

  // Invalidates a cell's value. The host requests it again when it is visible to a client.
  // [any thread, between declare and the return of destroy]
  int32_t (*forget)(void *context, const struct list_cell *key, uint32_t column);
};

// -------------------------------------------------------------------------------------------------
// The bytes of images: the extension LIST_IMAGES
//
// A cell of type LIST_IMAGE holds a key: a text of at most 1,024 bytes. The bytes that a key names
// never change. The host requests the bytes of images that clients show.

// The extension's name; get_extension returns a const struct list_images *.
#define LIST_IMAGES "images"

// A request for the bytes of an image: 24 bytes.
struct list_image {
  uint64_t id;          // the id to pass to loaded or failed
  const char *key;      // UTF-8, followed by a NUL
  uint32_t length;      // bytes of the key, without the NUL
  uint32_t reserved;    // 0
};

// The host's functions for a plugin that loads images. Their results and blocking are those of
// push.
struct list_images {
  uint32_t size;  // sizeof(struct list_images) in the host

  // Declares that the plugin loads images, and its callbacks. Call it once, before declare.
  // [any thread, while run runs]
  //
  // `load` requests one image; the key may be one that the plugin never sent. The plugin answers
  // with loaded or failed, in any order, during load or later. The argument is invalid after load
  // returns. Return soon, because further requests wait until then. At most 64 requests are pending
  // at a time, and each times out after 10 seconds.
  // [as act of LIST_ACTIONS]
  //
  // `cancel` cancels requests that are no longer needed. A late answer is allowed. NULL: the plugin
  // ignores cancellation.
  // [as load]
  int32_t (*offer)(
      void *context, void (*load)(void *instance, const struct list_image *image),
      void (*cancel)(void *instance, const uint64_t *ids, uint32_t count));

  // Delivers an image: a PNG, JPEG, WebP or GIF of at most 524,288 bytes, which are copied. NULL:
  // no image has this key. The first answer counts. Returns LIST_REFUSED if the id is unknown or
  // already answered.
  // [any thread, between declare and the return of destroy]
  int32_t (*loaded)(void *context, uint64_t id, const void *bytes, uint64_t length);

  // Reports that an image could not be loaded.
  // [any thread, between declare and the return of destroy]
  int32_t (*failed)(void *context, uint64_t id, const char *reason);
};

// -------------------------------------------------------------------------------------------------
// The form of a table's values: the extension LIST_PRESENTATION
//
//     const struct list_column_presentation columns[] = {{"pid", "plain", LIST_BETTER_NEITHER, 0}};
//     const struct list_table_presentation form = {
//         sizeof form, 1, sizeof columns[0], 0, columns, "name"};
//     const struct list_presentation *presentation =
//         host->get_extension(host->context, LIST_PRESENTATION);
//     if (presentation != NULL) presentation->offer(host->context, &form);
//
// A host without this extension shows every value in its default form.

// The extension's name; get_extension returns a const struct list_presentation *.
#define LIST_PRESENTATION "presentation"

// The direction in which a column's numbers improve. Clients colour changes by it.
enum list_better {
  LIST_BETTER_NEITHER = 0,  // changes have a neutral colour
  LIST_BETTER_HIGHER = 1,
  LIST_BETTER_LOWER = 2
};

// The users who see a column. Viewers do not see columns for operators, which must come after all
// columns that viewers see.
enum list_audience { LIST_AUDIENCE_ALL = 0, LIST_AUDIENCE_OPERATORS = 1 };

// The form of one column: 24 bytes. Columns in the default form need no entry.
struct list_column_presentation {
  const char *column;  // the column's name
  const char *format;  // see below; NULL: the default, which shows every digit
  uint32_t better;     // one of enum list_better; only for LIST_INTEGER and LIST_NUMBER
  uint32_t audience;   // one of enum list_audience
};

// list_column_presentation.format is a word, optionally followed by a dot and a fixed number of
// decimals:
//   "plain"     numbers without thousands separators: years, ports, process ids
//   "grouped"   numbers with thousands separators
//   "date"      the day of a timestamp
//   "datetime"  the day and the time of a timestamp
//   "time"      the time of day of a timestamp
// "plain.2" and "grouped.2" show exactly 2 decimals (0 to 15). "datetime.3" and "time.3" show
// exactly 3 decimals of a second (0 to 9). Without a number, a value shows as many decimals as it
// has. The host refuses a table with an unknown format.

// The form of a table. Members are only added at the end: the host reads none beyond `size` and
// `column_size`.
struct list_table_presentation {
  uint32_t size;          // sizeof(struct list_table_presentation)
  uint32_t column_count;  // entries in `columns`; may be 0
  uint32_t column_size;   // sizeof(struct list_column_presentation)
  uint32_t reserved;      // 0
  const struct list_column_presentation *columns;  // column_count of them, column_size bytes apart
  const char *label;  // the column whose value identifies a row to users; NULL: none
};

// The host's function for a plugin that sets the form of its values.
struct list_presentation {
  uint32_t size;  // sizeof(struct list_presentation) in the host

  // Sets the form of the table's values, which is copied. Call it once, before declare. declare
  // then refuses a table without a column named here, or with a column whose type does not fit its
  // format.
  // [any thread, while run runs]
  int32_t (*offer)(void *context, const struct list_table_presentation *form);
};

// -------------------------------------------------------------------------------------------------
// The view that users see first: the extension LIST_VIEW
//
//     const struct list_view *view = host->get_extension(host->context, LIST_VIEW);
//     if (view != NULL) {
//       view->offer(host->context,
//           "{\"description\":\"The jobs of the last day\","
//           "\"view\":{\"sort\":[{\"column\":\"started\",\"descending\":true}]},"
//           "\"columns\":{\"state\":{\"critical\":[\"failed\"]}}}");
//     }
//
// A host without this extension shows the rows in the plugin's order.

// The extension's name; get_extension returns a const struct list_view *.
#define LIST_VIEW "view"

// The host's function for a plugin with a view of its own.
struct list_view {
  uint32_t size;  // sizeof(struct list_view) in the host

  // Sets the view, which is copied: a JSON object of at most 262,144 bytes with the members
  // description, icon, severity, newest, changed and view as in the schema of a program, and
  // columns, an object with description, warn, critical and history by the name of the column.
  // docs/plugins/programs.md describes them. Call it once, before declare. declare then refuses a
  // table without a column named here.
  // [any thread, while run runs]
  int32_t (*offer)(void *context, const char *json);
};

// -------------------------------------------------------------------------------------------------
// The plugin

// A setting of the source's configuration.
struct list_setting {
  const char *key;    // not NULL
  const char *value;  // not NULL
};

// A plugin's description and functions. It stays valid for the life of the process.
struct list_plugin {
  uint32_t version;   // LIST_PLUGIN_VERSION
  uint32_t size;      // sizeof(struct list_plugin)
  const char *name;   // a short name, such as "clock"; not empty
  const char *title;  // a one-line title for users; NULL: none

  // Creates an instance, or returns NULL on failure (log the reason). `plugin` is the entry
  // function's result. The instance may keep `host`, which stays valid until destroy returns. Must
  // not block.
  // [a thread of the host, before all other calls]
  void *(*create)(const struct list_plugin *plugin, const struct list_host *host);

  // Applies the settings. Returns 0 on success. Otherwise it reports the bad setting with
  // host->fail and returns another value, and destroy follows. A plugin should refuse unknown keys.
  // NULL: the plugin has no settings, and the host refuses all of them. The settings are invalid
  // after configure returns. Must not block: open connections in run.
  // [a thread of the host, once, after create]
  int32_t (*configure)(void *instance, const struct list_setting *settings, size_t count);

  // Runs the source until wait or push returns LIST_STOPPING. Returns 0 if the source was stopped,
  // or if the list is complete and final. Returns another value on failure (report the reason with
  // host->fail). All threads that the plugin started must have ended before run returns.
  // [the source's thread, once, after configure]
  int32_t (*run)(void *instance);

  // Asks run to return, for a run that waits for something other than the host, such as a socket.
  // It wakes run and returns at once. NULL if run only waits in wait and push.
  // [any thread, while run runs; also just before it starts, and after it returns until destroy]
  void (*stop)(void *instance);

  // Frees the instance.
  // [run's thread after run has returned; configure's thread after configure has failed]
  void (*destroy)(void *instance);

  // Returns an extension of the plugin by name, or NULL. A NULL function means that the plugin has
  // no extensions.
  // [any thread, at any time]
  const void *(*get_extension)(const char *name);
};

// The plugin's exported entry function. Returns NULL if the plugin cannot run on this system.
// [a thread of the host, once per load]
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct list_plugin *list_plugin_entry_v1(void);

// -------------------------------------------------------------------------------------------------
// Helpers that build cells

static inline struct list_cell list_null(void) {
  struct list_cell cell;
  memset(&cell, 0, sizeof cell);
  return cell;
}

static inline struct list_cell list_unchanged(void) {
  struct list_cell cell = list_null();
  cell.type = LIST_UNCHANGED;
  return cell;
}

static inline struct list_cell list_integer(int64_t value) {
  struct list_cell cell = list_null();
  cell.type = LIST_INTEGER;
  cell.integer = value;
  return cell;
}

static inline struct list_cell list_number(double value) {
  struct list_cell cell = list_null();
  cell.type = LIST_NUMBER;
  cell.number = value;
  return cell;
}

static inline struct list_cell list_boolean(int value) {
  struct list_cell cell = list_null();
  cell.type = LIST_BOOLEAN;
  cell.integer = value != 0;
  return cell;
}

// Returns a timestamp cell from nanoseconds since 1970-01-01T00:00Z.
static inline struct list_cell list_timestamp(int64_t nanoseconds) {
  struct list_cell cell = list_null();
  cell.type = LIST_TIMESTAMP;
  cell.integer = nanoseconds;
  return cell;
}

// Returns a text cell. The text ends in NUL and is not copied. NULL gives a null cell.
static inline struct list_cell list_text(const char *text) {
  struct list_cell cell = list_null();
  if (text != NULL) {
    cell.type = LIST_TEXT;
    cell.length = (uint32_t)strlen(text);
    cell.text = text;
  }
  return cell;
}

// Returns a series cell, for a sparkline. The numbers are not copied.
static inline struct list_cell list_series(const double *values, uint32_t count) {
  struct list_cell cell = list_null();
  cell.type = LIST_SERIES;
  cell.length = count;
  cell.series = values;
  return cell;
}

#ifdef __cplusplus
}
#endif

#endif
