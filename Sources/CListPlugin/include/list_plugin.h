// list_plugin.h: the border between Rowcast and a data source in a shared library.
//
// A plugin exports one function, list_plugin_entry_v1, and answers with one struct list_plugin. For every configured
// source the host makes an instance and gives it a thread:
//
//     create ─▶ created ─▶ configure ─▶ configured ─▶ run ─▶ started ─▶ run returns ─▶ stopped ─▶ destroy
//
// `run` is the plugin's own loop. A plugin that lists its whole table once a second is no more than this:
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
// Rules for everything below:
// - Strings are UTF-8. Names and messages end in NUL; texts in cells have a length and need no NUL.
// - Memory belongs to the side that made it. Whoever is handed a pointer copies what it wants to keep before it returns,
//   unless the comment says that the pointer stays valid.
// - In brackets: which thread calls, and when. "The source's thread" is the one that the host started for this instance.
// - Several instances of one library live at the same time: keep state in the instance, not in globals.
// - The library is never unloaded.
// - Structs begin with their size and only ever grow at the end. A reader looks at no member beyond the size it finds.
//   What cannot be said that way comes as another version with another entry function.
#ifndef LIST_PLUGIN_H
#define LIST_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this border: what a plugin writes into list_plugin.version, and the number in the entry's name.
#define LIST_PLUGIN_VERSION 1u
// The name of the one exported function, for dlsym.
#define LIST_PLUGIN_ENTRY "list_plugin_entry_v1"

// What calls to the host answer.
enum list_result {
  // Done.
  LIST_OK = 0,
  // The source is being stopped: leave run soon. Nothing was taken.
  LIST_STOPPING = 1,
  // The call makes no sense (a NULL, a count or a verb that cannot be); the host's log says why. Nothing was taken.
  LIST_REFUSED = 2
};

// ---------------------------------------------------------------------------------------------------------------------
// Cells

// What a cell holds, and which member of its union counts.
enum list_type {
  LIST_NULL = 0,       // empty; no member
  LIST_UNCHANGED = 1,  // keeps its value (in LIST_UPDATE only); no member
  LIST_INTEGER = 2,    // integer
  LIST_NUMBER = 3,     // number; one that is not finite counts as null
  LIST_TEXT = 4,       // text, `length` bytes
  LIST_BOOLEAN = 5,    // integer; 0 is no, all else yes
  LIST_TIMESTAMP = 6,  // integer: nanoseconds since 1970-01-01T00:00Z
  LIST_IMAGE = 7,      // text, `length` bytes: the key of an image
  LIST_SERIES = 8      // series, `length` numbers
};

// One value: 16 bytes, the same for ever.
struct list_cell {
  uint32_t type;    // one of enum list_type
  uint32_t length;  // bytes of a text or image, numbers of a series; otherwise not looked at
  union {
    int64_t integer;
    double number;
    const char *text;      // not NULL, unless the length is 0
    const double *series;  // not NULL, unless the length is 0
  };
};

// ---------------------------------------------------------------------------------------------------------------------
// Schema

// How a page is to draw a column. The host shows a style that it does not know as plain.
enum list_style {
  LIST_STYLE_PLAIN = 0,
  LIST_STYLE_BAR = 1,        // with a bar behind it; a full bar is 100 when the unit is %
  LIST_STYLE_BADGE = 2,      // a coloured label
  LIST_STYLE_BYTES = 3,      // a number of bytes
  LIST_STYLE_DURATION = 4,   // a number of seconds
  LIST_STYLE_AGE = 5,        // a timestamp, as the time since
  LIST_STYLE_IMAGE = 6,      // a picture
  LIST_STYLE_SPARKLINE = 7,  // a small line chart
  LIST_STYLE_LINK = 8        // a link to an http or https address
};

// Where a column's values stand in their cells.
enum list_alignment {
  LIST_ALIGN_DEFAULT = 0,  // numbers and timestamps at the end, all else at the start
  LIST_ALIGN_START = 1,
  LIST_ALIGN_END = 2,
  LIST_ALIGN_CENTER = 3
};

// One column.
struct list_column {
  const char *name;    // what queries call it; not empty, unique in its table
  const char *title;   // what people read; NULL: the name
  const char *unit;    // what its numbers count, such as "%"; NULL: nothing
  uint32_t type;       // one of enum list_type, neither LIST_NULL nor LIST_UNCHANGED
  uint32_t style;      // one of enum list_style
  uint32_t width;      // the wished width in characters; 0: no wish
  uint32_t alignment;  // one of enum list_alignment
  // Since 1.1; the first 40 bytes are version 1's.
  const char *collation;  // how its texts are ordered, see below; NULL: by code unit. Only for LIST_TEXT
};

// list_column.collation, in which order a column's texts stand when a page sorts or groups by it:
//   "natural"          without regard to case, and runs of digits as numbers: a9 before A10
//   "de", "sv-FI", ... by the rules of a language (a BCP 47 tag); "de-u-kn": with runs of digits as numbers as well
// A table with a language that the host does not know is refused.

// A table: its names, its kind of key and its columns.
struct list_schema {
  uint32_t size;                      // sizeof(struct list_schema)
  uint32_t key_type;                  // LIST_INTEGER or LIST_TEXT
  const char *name;                   // what pages ask for; not empty
  const char *title;                  // what people read; NULL: the name
  const struct list_column *columns;  // column_count of them, column_size bytes apart
  uint32_t column_count;              // 1 to 512
  uint32_t column_size;               // sizeof(struct list_column)
  // Since 1.1; the first 40 bytes are version 1's.
  uint64_t row_limit;   // how many rows the table may have; 0: as many as the host allows
  uint64_t byte_limit;  // how many bytes, see below; 0: as many as the host allows
  uint64_t keep_rows;         // keeps only so many rows, those that came last; 0: all
  uint64_t keep_nanoseconds;  // keeps rows only for so long after they came; 0: for ever. Not together with keep_rows
};

// A row beyond a limit is left out, counted and shown with the limit; the others are taken. A row weighs 32 bytes, 8 for each column
// and 8 for a key that is a number; and besides what its text key, texts, image keys (their bytes) and series (8 for each number) weigh.
// Rows that are not kept go as if the source had deleted them, the one that came first goes first. A row comes when its key is new; what is
// said of it later does not make it younger.

// ---------------------------------------------------------------------------------------------------------------------
// Batches

// What happens to the rows of a batch.
enum list_verb {
  LIST_UPSERT = 1,  // whole rows: one cell per column; a new key is inserted at the end
  LIST_UPDATE = 2,  // some cells: one cell per column, LIST_UNCHANGED where it keeps its value; the row must exist
  LIST_DELETE = 3,  // the rows go; column_count is 0
  LIST_MOVE = 4     // the row goes before another one; column_count is 1: that row's key, or null for the end
};

// Flags of a batch; only with LIST_UPSERT. A simple plugin names its whole list in one batch with both of them; the engine
// finds out what has changed.
enum list_flags {
  // The list begins anew: rows that are not named until the end of the reload are gone then.
  LIST_RELOAD_BEGIN = 1,
  // With this batch the whole list has been named.
  LIST_RELOAD_END = 2,
  // This batch is the whole list.
  LIST_RELOAD = 3
};

// Some rows, one verb. Cells are row-major: the cells of row r are cells[r * column_count] and on.
struct list_batch {
  uint32_t size;                  // sizeof(struct list_batch)
  uint32_t verb;                  // one of enum list_verb
  uint32_t flags;                 // of enum list_flags; 0: none
  uint32_t column_count;          // cells per row; what the verb says
  uint64_t row_count;             // may be 0, for flags alone
  const struct list_cell *keys;   // row_count cells: integers or texts, as the schema says
  const struct list_cell *cells;  // row_count * column_count cells
};

// ---------------------------------------------------------------------------------------------------------------------
// The host

// How a source is, as it says itself. The first push makes it live.
enum list_state {
  LIST_STATE_LIVE = 1,  // it tells its changes
  LIST_STATE_STALE = 2  // it cannot at the moment; its rows stay and are shown as old
};

// How much a message matters.
enum list_level { LIST_DEBUG = 0, LIST_INFO = 1, LIST_WARNING = 2, LIST_ERROR = 3 };

// What the host does for one instance. It stays valid until destroy returns.
struct list_host {
  uint32_t version;  // LIST_PLUGIN_VERSION
  uint32_t size;     // sizeof(struct list_host) in the host; a plugin that needs more than this must not go on
  void *context;     // the first argument of every function below

  // Says which columns the rows have. Once, before the first push.
  // Copied before it returns. Does not wait for the engine, except for another thread's push.
  // [any thread, while run runs]
  int32_t (*declare)(void *context, const struct list_schema *schema);

  // Hands over rows. They are copied before this returns, so the plugin may reuse its buffers at once.
  // Blocks while the engine has more to do than it can hold: a fast source waits here. Threads take turns.
  // A row with a cell that cannot be (unknown type, NULL, longer than 65,536 bytes) is left out and logged; the others are
  // taken, and the answer is LIST_OK.
  // [any thread, while run runs]
  int32_t (*push)(void *context, const struct list_batch *batch);

  // Sleeps for so many nanoseconds of monotonic time, and less when the source is stopped.
  // Answers 0 when the time is over, LIST_STOPPING when the source is being stopped; with 0 nanoseconds it only asks.
  // [any thread, while run runs]
  int32_t (*wait)(void *context, uint64_t nanoseconds);

  // Says how the source is (one of enum list_state), and why, for people. NULL: no message. Copied; may block as push does.
  // A source that cannot reach its data says LIST_STATE_STALE, waits, longer after each failure, tries again, and says
  // LIST_STATE_LIVE when it has succeeded. To return from run instead ends the source.
  // [any thread, while run runs]
  void (*set_state)(void *context, uint32_t state, const char *message);

  // Says why configure or run is about to fail: the setting at fault (NULL: none) and a message for the operator. Copied.
  // The last call counts. Does not block.
  // [the thread that runs configure or run, while it does]
  void (*fail)(void *context, const char *key, const char *message);

  // Writes a line to the host's log, at one of enum list_level. Copied. Does not block for long.
  // [any thread, between create and the return of destroy]
  void (*log)(void *context, uint32_t level, const char *message);

  // A named power that this struct does not have, or NULL where the host does not have it. What it points to stays valid
  // until destroy returns. There are LIST_ACTIONS, LIST_DEFERRED, LIST_IMAGES and LIST_PRESENTATION, see below.
  // [any thread, between create and the return of destroy]
  const void *(*get_extension)(void *context, const char *name);
};

// ---------------------------------------------------------------------------------------------------------------------
// What people may have done: the extension LIST_ACTIONS, for rows and for the table as a whole
//
//     const struct list_actions *actions = host->get_extension(host->context, LIST_ACTIONS);
//     if (actions != NULL) actions->offer(host->context, offered, 2, sizeof offered[0], act);

// get_extension gives a const struct list_actions *.
#define LIST_ACTIONS "actions"

// One thing that has to be said for an action: 80 bytes.
struct list_argument {
  const char *name;               // not empty, unique in its action
  const char *label;              // what people read; NULL: the name
  uint32_t type;                  // LIST_INTEGER, LIST_NUMBER, LIST_TEXT or LIST_BOOLEAN
  uint32_t choice_count;          // at most 1,000; 0: any value
  const struct list_cell *choices;  // the only values that it can have
  struct list_cell standard;      // what it is when nothing is said; LIST_NULL: it must be said
  struct list_cell minimum;       // of numbers, itself included: LIST_INTEGER, LIST_NUMBER, or LIST_NULL for none
  struct list_cell maximum;
};

// Flags of an action.
enum list_action_flags {
  LIST_ACTION_DANGER = 1,  // it destroys something
  LIST_ACTION_TABLE = 2    // it is done to the table as a whole, not to a row
};

// One action.
struct list_action {
  const char *name;        // not empty, unique in its table
  const char *title;       // what people choose; NULL: the name
  const char *confirm;     // what they should know before, and are asked then; NULL: nothing
  uint32_t flags;          // of enum list_action_flags; 0: none
  uint32_t patience_ms;    // how long it may take, at most 600,000; 0: 30,000
  const struct list_argument *arguments;  // argument_count of them, argument_size bytes apart
  uint32_t argument_count;  // at most 32
  uint32_t argument_size;   // sizeof(struct list_argument)
};

// One wish to have something done.
struct list_request {
  uint32_t size;            // sizeof(struct list_request) in the host
  uint32_t argument_count;  // as many as the action has; 0 for an action that there is not
  uint64_t id;              // comes back with the answer; each once: nobody's impatience has something done twice
  const char *action;       // the action's name; of one that the plugin does not know it says that it failed
  struct list_cell key;     // the row; LIST_NULL for the table as a whole
  const struct list_cell *arguments;  // in the action's order, of its types, checked by the host
};

// What became of a wish.
enum list_outcome {
  LIST_DONE = 0,   // it was done
  LIST_FAILED = 1  // it was not
};

// What the host does for a plugin with actions.
struct list_actions {
  uint32_t size;  // sizeof(struct list_actions) in the host

  // Says which actions the table has, and who does them. Once, before declare; copied. 1 to 64 actions, action_size bytes
  // apart. A plugin that can do harm should offer it only when its user has said so with a setting.
  // [any thread, while run runs]
  //
  // `act` is told each wish. What it is given is gone when it returns. It may take its time: the next wish waits for it.
  // It may answer after it has returned, too.
  // [a thread of the host's, one call at a time, also of `load` and `cancel`; after declare, and not after run has returned
  // unless it was called before: destroy waits for it]
  int32_t (*offer)(
      void *context, const struct list_action *actions, uint32_t action_count, uint32_t action_size,
      void (*act)(void *instance, const struct list_request *request));

  // Answers a wish: one of enum list_outcome, and a message for people (NULL: none). What the action has changed is pushed
  // before. The first answer counts; LIST_REFUSED: there is no such wish, or it was answered. Copied; may block as push does.
  // [any thread, between create and the return of destroy]
  int32_t (*acted)(void *context, uint64_t id, uint32_t outcome, const char *message);
};

// ---------------------------------------------------------------------------------------------------------------------
// Cells that take time to get: the extension LIST_DEFERRED
//
// Rows come without them, null in their place. The host asks for a cell where someone looks or is about to look, and cancels
// when nobody does any more.

// get_extension gives a const struct list_deferred *.
#define LIST_DEFERRED "deferred"

// Where a cell stands: 24 bytes.
struct list_place {
  struct list_cell key;
  uint32_t column;
  uint32_t reserved;  // 0
};

// Flags of a loader.
enum list_loader_flags {
  // It would rather finish a load that nobody waits for any more; cancel is called only for what makes no sense any more.
  LIST_LOADER_FINISHES = 1
};

// Who loads.
struct list_loader {
  uint32_t size;   // sizeof(struct list_loader)
  uint32_t flags;  // of enum list_loader_flags; 0: none
  const uint32_t *columns;  // the numbers of the columns whose cells are deferred
  uint32_t column_count;    // at least 1
  uint32_t in_flight;       // how many cells it is asked for at once, at most 1,024; 0: 8
  uint32_t patience_ms;     // how long a load may take, at most 3,600,000; 0: 60,000
  uint32_t reserved;        // 0

  // Load these, the most urgent first. Each is answered by loaded or failed, in any order, from here or later, also one of a
  // row that is gone. What it is given is gone when it returns; it should return soon: what is asked next waits for it.
  // [as act of LIST_ACTIONS]
  void (*load)(void *instance, const struct list_place *cells, uint32_t count);

  // Nobody looks at these any more; an answer that is on its way is no error. NULL: it does not want to know.
  // [as load]
  void (*cancel)(void *instance, const struct list_place *cells, uint32_t count);
};

// What the host does for a plugin with deferred cells. Its functions answer as push does, and may block as push does.
struct list_deferred {
  uint32_t size;  // sizeof(struct list_deferred) in the host

  // Says which columns are deferred, and who loads them. Once, before declare; copied.
  // [any thread, while run runs]
  int32_t (*offer)(void *context, const struct list_loader *loader);

  // A cell's value; copied. One that does not fit its column counts as failed.
  // [any thread, between declare and the return of destroy]
  int32_t (*loaded)(void *context, const struct list_cell *key, uint32_t column, const struct list_cell *value);

  // It could not be loaded, for this reason; it is asked for again after a pause that grows.
  // [any thread, between declare and the return of destroy]
  int32_t (*failed)(void *context, const struct list_cell *key, uint32_t column, const char *reason);

  // Its value is not true any more: it is asked for again where someone looks.
  // [any thread, between declare and the return of destroy]
  int32_t (*forget)(void *context, const struct list_cell *key, uint32_t column);
};

// ---------------------------------------------------------------------------------------------------------------------
// The bytes of images: the extension LIST_IMAGES
//
// A cell of type LIST_IMAGE is a key: a text of at most 1,024 bytes that names bytes which never change. The host asks for them where someone
// looks.

// get_extension gives a const struct list_images *.
#define LIST_IMAGES "images"

// One wish for the bytes of an image: 24 bytes.
struct list_image {
  uint64_t id;          // comes back with the answer
  const char *key;      // UTF-8; a NUL stands behind it
  uint32_t length;      // bytes of the key
  uint32_t reserved;    // 0
};

// What the host does for a plugin that gives the bytes of its images. Its functions answer as push does, and may block as push does.
struct list_images {
  uint32_t size;  // sizeof(struct list_images) in the host

  // Says that the table's images can be asked for, and who gives them. Once, before declare.
  // [any thread, while run runs]
  //
  // `load` is told one wish, to be answered by loaded or failed, in any order, from here or later, also of a key that it never told. What it is
  // given is gone when it returns; it should return soon: what is asked next waits for it. At most 64 are asked for at once, and 10
  // seconds waited.
  // [as act of LIST_ACTIONS]
  //
  // `cancel` is told that nobody waits for these any more; an answer that is on its way is no error. NULL: it does not want to know.
  // [as load]
  int32_t (*offer)(
      void *context, void (*load)(void *instance, const struct list_image *image),
      void (*cancel)(void *instance, const uint64_t *ids, uint32_t count));

  // The bytes of an image: a PNG, JPEG, WebP or GIF of at most 524,288; copied. NULL: there is none of this key. The first answer counts;
  // LIST_REFUSED: it was not asked for, or was answered.
  // [any thread, between declare and the return of destroy]
  int32_t (*loaded)(void *context, uint64_t id, const void *bytes, uint64_t length);

  // It could not be loaded, for this reason.
  // [any thread, between declare and the return of destroy]
  int32_t (*failed)(void *context, uint64_t id, const char *reason);
};

// ---------------------------------------------------------------------------------------------------------------------
// The form of a table's values: the extension LIST_PRESENTATION
//
//     const struct list_column_presentation columns[] = {{"pid", "plain", LIST_BETTER_NEITHER, 0}};
//     const struct list_table_presentation form = {sizeof form, 1, sizeof columns[0], 0, columns, "name"};
//     const struct list_presentation *presentation = host->get_extension(host->context, LIST_PRESENTATION);
//     if (presentation != NULL) presentation->offer(host->context, &form);
//
// A host without it shows the table in its default form.

// get_extension returns a const struct list_presentation *.
#define LIST_PRESENTATION "presentation"

// The direction in which a column's numbers improve; changes are coloured by it.
enum list_better {
  LIST_BETTER_NEITHER = 0,  // changes have a neutral colour
  LIST_BETTER_HIGHER = 1,
  LIST_BETTER_LOWER = 2
};

// The users who see a column. A column for operators does not exist for viewers; it stands behind all that they see.
enum list_audience { LIST_AUDIENCE_ALL = 0, LIST_AUDIENCE_OPERATORS = 1 };

// The form of one column: 24 bytes. Only columns that need one have an entry.
struct list_column_presentation {
  const char *column;  // the column's name
  const char *format;  // see below; NULL: the default, which shows every digit
  uint32_t better;     // one of enum list_better; only for LIST_INTEGER and LIST_NUMBER
  uint32_t audience;   // one of enum list_audience
};

// list_column_presentation.format, a word, with a dot and a number of decimals where that number is fixed:
//   "plain"     numbers without thousands separators: years, ports, process ids; "plain.2" always has 2 decimals (0 to 15)
//   "grouped"   numbers with thousands separators; "grouped.2" always has 2 decimals (0 to 15)
//   "date"      the day of a timestamp
//   "datetime"  the day and the time of a timestamp; "datetime.3" always has 3 decimals of a second (0 to 9)
//   "time"      the time of day of a timestamp; "time.3" always has 3 decimals of a second (0 to 9)
// Without a number of decimals a value shows as many as it has. A table with an unknown format is refused.

// The form of a table. Members are only added at the end: the host reads none beyond `size` and `column_size`.
struct list_table_presentation {
  uint32_t size;          // sizeof(struct list_table_presentation)
  uint32_t column_count;  // entries in `columns`; may be 0
  uint32_t column_size;   // sizeof(struct list_column_presentation)
  uint32_t reserved;      // 0
  const struct list_column_presentation *columns;  // column_count of them, column_size bytes apart
  const char *label;  // the name of the column whose value names a row for people; NULL: none
};

// The host's function for a plugin that states the form of its values.
struct list_presentation {
  uint32_t size;  // sizeof(struct list_presentation) in the host

  // States the form of the table's values. Once, before declare; copied. declare refuses a table that lacks a column named here, or
  // whose column has another type than the format needs.
  // [any thread, while run runs]
  int32_t (*offer)(void *context, const struct list_table_presentation *form);
};

// ---------------------------------------------------------------------------------------------------------------------
// The plugin

// One line of configuration.
struct list_setting {
  const char *key;    // not NULL
  const char *value;  // not NULL
};

// What a plugin is. It stays valid as long as the process lives.
struct list_plugin {
  uint32_t version;   // LIST_PLUGIN_VERSION
  uint32_t size;      // sizeof(struct list_plugin)
  const char *name;   // a short name, such as "clock"; not empty
  const char *title;  // one line for people; NULL: none

  // Makes an instance; NULL when that cannot be (say why with log). `plugin` is what the entry function gave. It keeps
  // `host`, which stays valid until destroy returns. Must not block.
  // [a thread of the host's, before all others]
  void *(*create)(const struct list_plugin *plugin, const struct list_host *host);

  // Takes the settings: 0 when they are good. Otherwise says which one is bad and why with host->fail, and answers not
  // 0; then destroy follows. A plugin should refuse a key that it does not know. NULL: the plugin has no settings; the host
  // refuses all. The settings are the host's, and gone afterwards. Must not block: connections are for run.
  // [a thread of the host's, once, after create]
  int32_t (*configure)(void *instance, const struct list_setting *settings, size_t count);

  // The plugin's own loop, until wait or push say stop. 0: it was stopped, or the list is complete and will not change.
  // Not 0: it cannot go on (say why with host->fail). All threads that the plugin started have ended when it returns.
  // [the source's thread, once, after configure]
  int32_t (*run)(void *instance);

  // Called when the source is to stop, for a run that waits for something else than the host (a socket, say). It wakes run
  // up and returns at once. NULL when wait and push are all that run waits for.
  // [any thread, while run runs; also before its first line, and after its last but before destroy]
  void (*stop)(void *instance);

  // Frees the instance.
  // [the thread of run after it has returned; the thread of configure when that has failed]
  void (*destroy)(void *instance);

  // A named power of the plugin that this version does not have, or NULL. NULL instead of a function: none at all.
  // [any thread, at any time]
  const void *(*get_extension)(const char *name);
};

// The one function that a plugin exports. NULL when the plugin cannot work at all.
// [a thread of the host's, once per load]
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct list_plugin *list_plugin_entry_v1(void);

// ---------------------------------------------------------------------------------------------------------------------
// Cells in one call, for C

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

// Nanoseconds since 1970-01-01T00:00Z.
static inline struct list_cell list_timestamp(int64_t nanoseconds) {
  struct list_cell cell = list_null();
  cell.type = LIST_TIMESTAMP;
  cell.integer = nanoseconds;
  return cell;
}

// A text that ends in NUL; it is not copied. NULL gives an empty cell.
static inline struct list_cell list_text(const char *text) {
  struct list_cell cell = list_null();
  if (text != NULL) {
    cell.type = LIST_TEXT;
    cell.length = (uint32_t)strlen(text);
    cell.text = text;
  }
  return cell;
}

// Numbers for a sparkline; they are not copied.
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
