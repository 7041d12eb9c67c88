extension PluginTemplate {
  /// The source of a plugin in C.
  var c: String {
    #"""
    // A table of this machine's load. include/list_plugin.h specifies each function.
    #define _DEFAULT_SOURCE
    #include "list_plugin.h"

    #include <stdlib.h>

    // The state of one source; a plugin may have several.
    struct source {
      const struct list_host *host;
    };

    static const struct list_column columns[] = {
        {.name = "span", .type = LIST_TEXT, .title = "Over"},
        {.name = "load", .type = LIST_NUMBER, .title = "Load", .style = LIST_STYLE_BAR},
    };

    static const struct list_schema schema = {
        .size = sizeof(struct list_schema),
        .key_type = LIST_INTEGER,
        .name = "TABLE",
        .columns = columns,
        .column_count = 2,
        .column_size = sizeof(struct list_column),
    };

    static void *create(const struct list_plugin *plugin, const struct list_host *host) {
      (void)plugin;
      if (host->version != LIST_PLUGIN_VERSION || host->size < sizeof(struct list_host)) return NULL;
      struct source *source = calloc(1, sizeof *source);
      if (source != NULL) source->host = host;
      return source;
    }

    // The source's own thread; it ends when the host stops it.
    static int32_t run(void *instance) {
      static const char *const spans[3] = {"1 minute", "5 minutes", "15 minutes"};
      const struct list_host *host = ((struct source *)instance)->host;
      if (host->declare(host->context, &schema) != LIST_OK) return 1;
      for (;;) {
        double loads[3];
        if (getloadavg(loads, 3) != 3) {
          host->fail(host->context, NULL, "this machine does not report its load");
          return 1;
        }
        struct list_cell keys[3];
        struct list_cell cells[6];
        for (int row = 0; row < 3; row++) {
          keys[row] = list_integer(row);
          cells[2 * row] = list_text(spans[row]);
          cells[2 * row + 1] = list_number(loads[row]);
        }
        // The whole list: the host finds out what has changed.
        struct list_batch batch = {
            .size = sizeof batch,
            .verb = LIST_UPSERT,
            .flags = LIST_RELOAD_BEGIN | LIST_RELOAD_END,
            .column_count = 2,
            .row_count = 3,
            .keys = keys,
            .cells = cells,
        };
        if (host->push(host->context, &batch) != LIST_OK) return 0;
        if (host->wait(host->context, 1000000000) != LIST_OK) return 0;
      }
    }

    static void destroy(void *instance) { free(instance); }

    static const struct list_plugin plugin = {
        .version = LIST_PLUGIN_VERSION,
        .size = sizeof(struct list_plugin),
        .name = "TABLE",
        .create = create,
        .run = run,
        .destroy = destroy,
    };

    const struct list_plugin *list_plugin_entry_v1(void) { return &plugin; }

    """#.replacing("TABLE", with: name)
  }

  var cMakefile: String {
    """
    CFLAGS ?= -O2 -Wall -Wextra

    lib\(name).so: \(name).c include/list_plugin.h
    \t$(CC) -std=c11 $(CFLAGS) -shared -fPIC -I include -o $@.new \(name).c
    \tmv $@.new $@ # atomically: no reader sees half of it

    """
  }

  /// The source of a plugin in Swift.
  var swift: String {
    #"""
    import Glibc
    import ListPlugin

    /// The load of this machine. The host calls `list` once a second and finds the changes.
    struct TYPE: PolledSource {
      let schema = Schema(
        "TABLE", key: .text,
        columns: [Column("span", .text, title: "Over"), Column("load", .number, title: "Load", style: .bar)])
      let interval: Duration

      /// Reads the settings. An invalid one is refused by its name.
      init(_ configuration: Configuration) throws {
        interval = try configuration.duration("interval", default: .seconds(1), in: .milliseconds(100) ... .seconds(3_600))
      }

      func list(_ rows: inout Batch) throws {
        var averages = [0.0, 0, 0]
        guard getloadavg(&averages, 3) == 3 else { throw HostError.refused("the machine does not report its load") }
        for (span, load) in zip(["1 minute", "5 minutes", "15 minutes"], averages) { rows.add(key: span, span, load) }
      }
    }

    /// The function that the host looks up.
    @c(list_plugin_entry_v1) public func entry() -> PluginEntry { export(TYPE.self) }

    """#.replacing("TYPE", with: typeName).replacing("TABLE", with: name)
  }

  var swiftMakefile: String {
    """
    SWIFTC ?= swiftc
    SWIFTFLAGS ?= -O

    lib\(name).so: \(typeName).swift build/ListPlugin.swiftmodule
    \t$(SWIFTC) $(SWIFTFLAGS) -emit-library -module-name \(typeName)Plugin -I build -I include -o $@.new \(typeName).swift build/ListPlugin.o
    \tmv $@.new $@ # atomically: no reader sees half of it

    build/ListPlugin.swiftmodule: $(wildcard ListPlugin/*.swift) include/list_plugin.h
    \tmkdir -p build
    \t$(SWIFTC) $(SWIFTFLAGS) -wmo -swift-version 6 -parse-as-library -module-name ListPlugin -I include -emit-module -emit-module-path $@ \\
    \t\t-emit-object -o build/ListPlugin.o $(wildcard ListPlugin/*.swift)

    """
  }
}
