extension PluginTemplate {
  /// The source of a shell plugin, which prints only rows.
  var shell: String {
    #"""
    #!/bin/sh
    # A table of this machine's memory. Each line that is printed is a row: a JSON object with an id.
    # Another line with the same id replaces it.
    while :; do
      awk '{ sub(":", "", $1); printf "{\"id\":\"%s\",\"kilobytes\":%s}\n", $1, $2 }' /proc/meminfo
      sleep 1
    done

    """#
  }

  /// The source of a Python plugin, with the full protocol, a setting and health checks.
  var python: String {
    #"""
    #!/usr/bin/env python3
    """A table of this machine's memory.

    It prints one JSON object a line to standard output; docs/plugins/programs.md of Rowcast explains
    the messages. Text for people goes to standard error.
    """

    import json
    import select
    import sys
    import time

    COLUMNS = [
        {"name": "what", "type": "text", "title": "What"},
        {"name": "size", "type": "integer", "title": "Size", "style": "bytes"},
    ]

    # The host checks settings against this schema, and passes them in its types.
    SETTINGS = {
        "type": "object",
        "properties": {"interval": {"type": "number", "minimum": 0.1, "maximum": 3600}},
    }


    def say(message):
        sys.stdout.write(json.dumps(message) + "\n")


    class Host:
        """Messages of the host, read with a time limit.

        A line may come in pieces, and many lines at once.
        """

        def __init__(self):
            self.rest = b""

        def listen(self, seconds):
            """Answers requests for so long, and returns the settings if they have come."""
            settings = None
            end = time.monotonic() + seconds
            while True:
                sys.stdout.flush()
                ready, _, _ = select.select([0], [], [], max(0, end - time.monotonic()))
                if not ready:
                    return settings
                chunk = sys.stdin.buffer.raw.read(65536)
                if not chunk:
                    sys.exit(0)  # the host has closed the connection
                *lines, self.rest = (self.rest + chunk).split(b"\n")
                for message in map(json.loads, filter(bytes.strip, lines)):
                    if message.get("type") == "health":
                        say({"type": "health", "id": message.get("id")})
                    elif message.get("type") == "configure":
                        settings = message["settings"]
                        end = time.monotonic()


    def memory():
        with open("/proc/meminfo", encoding="utf-8") as file:
            for line in file:
                what, size, *unit = line.split()
                yield what.rstrip(":"), int(size) * (1024 if unit else 1)


    def main():
        host = Host()
        say({"type": "hello", "version": 1, "capabilities": ["health"], "settings": SETTINGS})
        while (settings := host.listen(60)) is None:
            pass
        say({"type": "schema", "name": "NAME", "key": "text", "columns": COLUMNS})
        while True:
            # The whole list again: the host finds out what has changed.
            say({"type": "reload"})
            say({"type": "upsert", "rows": [[what, what, size] for what, size in memory()]})
            say({"type": "commit"})
            host.listen(settings.get("interval", 1))


    if __name__ == "__main__":
        try:
            main()
        except (BrokenPipeError, KeyboardInterrupt):
            sys.stderr.close()  # the host reads no more

    """#.replacing("NAME", with: name)
  }
}
