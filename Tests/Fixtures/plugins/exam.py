#!/usr/bin/python3 -S
"""Plugins for the tests of the exam: correct ones, and ones that break a single rule.

    exam.py NAME        runs the plugin of this name

The name of a correct plugin begins with "good-". The others begin with the rule that they break,
followed by "/" and how. Tests/PluginExamTests/ExamHall.swift reads the names from the lines that
begin with "@plugin(".
"""
import base64
import json
import os
import signal
import sys
import time

PLUGINS = {}
NO_IMAGE = "rowcast-exam: no such image"


def plugin(name):
    """Registers a class under the name of a plugin."""

    def register(kind):
        PLUGINS[name] = kind
        return kind

    return register


def write(text):
    os.write(1, text if isinstance(text, bytes) else text.encode())


def send(message):
    write(json.dumps(message, ensure_ascii=False) + "\n")


class Plugin:
    """Introduces itself, tells its list when it is configured, and answers until its input ends."""

    greeting = {"version": 1, "capabilities": ["health"]}
    schema = {}
    rows = []

    def run(self):
        send({"type": "hello", **self.greeting})
        for line in sys.stdin:
            message = json.loads(line)
            getattr(self, f"receive_{message['type']}", self.receive_other)(message)

    def receive_hello(self, message):
        pass

    def receive_configure(self, message):
        self.send_schema()
        self.send_rows()

    def receive_health(self, message):
        send({"type": "health", "id": message["id"]})

    def receive_other(self, message):
        pass

    def send_schema(self):
        send({"type": "schema", **self.schema})

    def send_rows(self):
        send({"type": "reload"})
        send({"type": "upsert", "rows": self.rows})
        send({"type": "commit"})


# Rows without messages.


@plugin("good-rows")
class Rows:
    """Prints a row again and again."""

    first = None
    row = '{"id":"load","minute":0.5}\n'

    def run(self):
        if self.first:
            write(self.first)
        while True:
            write(self.row)
            time.sleep(0.2)


@plugin("good-list")
class CompleteList:
    """The last line lacks its end, which a host accepts."""

    def run(self):
        write('{"id":1,"name":"build"}\n{"id":2,"name":"test"}')


@plugin("end/ignores SIGTERM")
class Immortal(Rows):
    def run(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().run()


@plugin("lines/Latin-1")
class Latin(Rows):
    first = b'{"id":"M\xfcnchen","trains":4}\n'
    row = '{"id":"Ulm","trains":2}\n'


@plugin("lines/text for people")
class Noise(Rows):
    first = "Loading jobs...\n"
    row = '{"id":"build","done":40}\n'


@plugin("rows/without an id")
class Nameless(Rows):
    first = '{"id":1,"name":"build"}\n{"name":"test"}\n'
    row = '{"id":1,"name":"build"}\n'


@plugin("start/ends at once")
class EndsAtOnce:
    def run(self):
        sys.stderr.write("no configuration found\n")
        sys.exit(3)


@plugin("start/silent")
class Silent:
    def run(self):
        sys.stdin.read()


@plugin("stays/ends when the machine has slept")
class Sleepless(Rows):
    def run(self):
        signal.signal(signal.SIGCONT, lambda *_: os._exit(4))
        super().run()


@plugin("whole-lines/ends within a line")
class HalfLine:
    def run(self):
        write('{"id":1,"name":"build"}\n{"id":2,"na')


@plugin("whole-lines/ends each line with the next one")
class LateEnd:
    def run(self):
        while True:
            write('{"id":"load","minute":0.5}')
            time.sleep(60)
            write("\n")


# Messages.


@plugin("good-messages")
class Jobs(Plugin):
    schema = {
        "name": "jobs", "key": "integer",
        "columns": [{"name": "name", "type": "text"}, {"name": "done", "type": "number"}]}
    rows = [[1, "build", 40], [2, "test", 0], [3, "deploy", None]]


@plugin("good-refusal")
class Refusing(Jobs):
    """Refuses a setting that it does not know, and says why."""

    def receive_configure(self, message):
        if "rowcast-exam" in message["settings"]:
            send({"type": "refuse", "setting": "rowcast-exam", "reason": "unknown setting"})
        else:
            super().receive_configure(message)


@plugin("commit/never")
class Endless(Jobs):
    def send_rows(self):
        send({"type": "reload"})
        send({"type": "upsert", "rows": self.rows})


@plugin("end/stays when its input ends")
class Deaf(Jobs):
    def run(self):
        super().run()
        while True:
            time.sleep(0.2)


@plugin("end/leaves a process behind")
class Orphaning(Jobs):
    def run(self):
        os.system("sleep 30 >/dev/null 2>&1 &")
        super().run()


@plugin("health/silent")
class Unhealthy(Jobs):
    def receive_health(self, message):
        pass


@plugin("hello/no version")
class NoVersion(Jobs):
    greeting = {"capabilities": ["health"]}


@plugin("hello/unknown version")
class UnknownVersion(Jobs):
    greeting = {"version": 2, "capabilities": ["health"]}


@plugin("keys/others with each start")
class RandomKeys(Jobs):
    def send_rows(self):
        self.rows = [[os.getpid() * 10 + row[0], *row[1:]] for row in self.rows]
        super().send_rows()


class Adding(Jobs):
    """Adds a message to its list."""

    added = {}

    def send_rows(self):
        super().send_rows()
        send(self.added)


@plugin("messages/a delete without a key")
class DeletesNothing(Adding):
    added = {"type": "delete"}


@plugin("messages/of an unknown type")
class UnknownMessage(Adding):
    added = {"type": "upsrt", "key": 1, "row": {}}


@plugin("rows/updates an unknown row")
class UpdatesNothing(Adding):
    added = {"type": "update", "key": 9, "row": {"done": 1}}


@plugin("rows/one twice in a list")
class Twice(Jobs):
    rows = [[1, "build", 40], [2, "test", 0], [2, "deploy", None]]


@plugin("rows/a text for a number")
class Percent(Jobs):
    rows = [[1, "build", "40 %"], [2, "test", 0], [3, "deploy", None]]


@plugin("restart/other columns")
class OtherColumns(Jobs):
    def send_schema(self):
        again = sys.argv[0] + ".again"
        name = "title" if os.path.exists(again) else "name"
        open(again, "w").close()
        self.schema = {**self.schema, "columns": [{"name": name, "type": "text"}, {"name": "done", "type": "number"}]}
        super().send_schema()


@plugin("restart/a lock stays")
class Locked(Jobs):
    def run(self):
        lock = sys.argv[0] + ".lock"
        os.mkdir(lock)
        super().run()
        os.rmdir(lock)


@plugin("restart/no reload")
class NoReload(Jobs):
    def send_rows(self):
        send({"type": "upsert", "rows": self.rows})


@plugin("schema/after a row")
class LateSchema(Jobs):
    def send_schema(self):
        send({"type": "upsert", "key": 1, "row": {"name": "build"}})
        super().send_schema()


@plugin("schema/unknown type")
class UnknownType(Jobs):
    schema = {**Jobs.schema, "columns": [{"name": "name", "type": "text"}, {"name": "done", "type": "float"}]}


@plugin("settings/ends at an unknown one")
class Fragile(Jobs):
    def receive_configure(self, message):
        if "rowcast-exam" in message["settings"]:
            sys.exit(1)
        super().receive_configure(message)


@plugin("settings/unknown type")
class UnknownSetting(Jobs):
    greeting = {**Jobs.greeting, "settings": {"type": "object", "properties": {"rows": {"type": "int"}}}}


@plugin("settings/refuses without a reason")
class Wordless(Jobs):
    def receive_configure(self, message):
        if "rowcast-exam" in message["settings"]:
            send({"type": "refuse", "setting": "rowcast-exam"})
        super().receive_configure(message)


@plugin("start/no list")
class NoList(Jobs):
    def send_rows(self):
        pass


@plugin("stays/ends at an unknown message")
class Strict(Jobs):
    def receive_other(self, message):
        sys.exit(1)


@plugin("stays/takes each read for a line")
class Pieces(Jobs):
    greeting = {"version": 1}

    def run(self):
        send({"type": "hello", **self.greeting})
        heard = b""
        while b"configure" not in heard or not heard.endswith(b"\n"):
            heard += os.read(0, 65536)
        self.receive_configure({})
        while chunk := os.read(0, 65536):
            if json.loads(chunk)["type"] == "health":
                send({"type": "health"})


# Actions.


@plugin("good-actions")
class Actions(Jobs):
    schema = {**Jobs.schema, "actions": [{"name": "stop", "title": "Stop"}]}
    unknown = {"error": "there is no such action"}

    def receive_action(self, message):
        send({"type": "acted", "id": message["id"], **({} if message["action"] == "stop" else self.unknown)})


@plugin("actions/does everything")
class Obliging(Actions):
    unknown = {}


@plugin("actions/silent")
class Inactive(Actions):
    def receive_action(self, message):
        pass


# Deferred cells.


@plugin("good-deferred")
class Deferred(Plugin):
    schema = {
        "name": "faces", "key": "text", "prefetch": {"inFlight": 8, "patience": 2000},
        "columns": [{"name": "name", "type": "text"}, {"name": "rating", "type": "number", "deferred": True}]}
    rows = [["a", "smile", None], ["b", "grin", None], ["c", "wink", None]]
    value = 4.5

    def receive_load(self, message):
        for key, column in message["cells"]:
            self.load(key, column)

    def load(self, key, column):
        if key in "abc":
            send({"type": "loaded", "key": key, "column": column, "value": self.value})
        else:
            self.fail(key, column)

    def fail(self, key, column):
        send({"type": "failed", "key": key, "column": column, "reason": "it has no rating"})


@plugin("answers/none for an unknown row")
class Unanswered(Deferred):
    def fail(self, key, column):
        pass


@plugin("answers/never")
class NeverLoads(Deferred):
    def receive_load(self, message):
        pass


@plugin("cancel/for ever")
class CancelsForEver(Deferred):
    cancelled = set()

    def receive_cancel(self, message):
        self.cancelled.update(key for key, _ in message["cells"])

    def load(self, key, column):
        if key not in self.cancelled:
            super().load(key, column)


@plugin("values/a text for a number")
class Stars(Deferred):
    value = "four stars"


# Images.


@plugin("good-images")
class Images(Plugin):
    greeting = {"version": 1, "capabilities": ["health", "images"]}
    schema = {"name": "faces", "key": "text", "columns": [{"name": "face", "type": "image"}]}
    rows = [["a", "smile"], ["b", "grin"], ["c", "wink"], ["d", None]]
    data = b"GIF89a" + bytes(20)

    def receive_image(self, message):
        self.answer(message, self.data if message["key"] != NO_IMAGE else None)

    def answer(self, message, data):
        send({"type": "image", "id": message["id"], "data": data and base64.b64encode(data).decode()})


@plugin("images/for every key")
class AnyImage(Images):
    def receive_image(self, message):
        self.answer(message, self.data)


@plugin("images/none after a cancel")
class CancelsAll(Images):
    isCancelled = False

    def receive_cancel(self, message):
        self.isCancelled = True

    def receive_image(self, message):
        if not self.isCancelled:
            super().receive_image(message)


@plugin("images/a byte too large")
class LargeImages(Images):
    data = b"GIF89a" + bytes(524_283)


@plugin("images/silent for an unknown key")
class UnansweredImages(Images):
    def receive_image(self, message):
        if message["key"] != NO_IMAGE:
            super().receive_image(message)


@plugin("images/not an image")
class Drawings(Images):
    data = b"<svg/>"


# Windowed tables.


@plugin("good-windowed")
class Windowed(Plugin):
    schema = {
        "name": "far", "key": "integer", "prefetch": {"inFlight": 4, "patience": 2000},
        "columns": [{"name": "name", "type": "text"}], "windowed": {"cancels": True}}
    rows = [[number, f"row {number}"] for number in range(500)]

    def send_rows(self):
        pass

    def receive_query(self, message):
        if "sections" in message:
            send({"type": "page", "id": message["id"], **self.sections(message["group"])})
        else:
            self.send_page(message, self.section(message))

    def section(self, message):
        return self.rows

    def send_page(self, message, rows):
        first, count = message["rows"]["skip"], message["rows"]["count"]
        page = self.page(rows[first : first + count])
        answer = {"rows": page, "more": first + len(page) < len(rows), "count": len(rows)}
        send({"type": "page", "id": message["id"], **answer})

    def page(self, rows):
        return rows


@plugin("answers/one query only")
class OnePage(Windowed):
    isAnswered = False

    def receive_query(self, message):
        if not self.isAnswered:
            super().receive_query(message)
        self.isAnswered = True


@plugin("rows/one twice in a page")
class PageTwice(Windowed):
    def page(self, rows):
        return rows[:-1] + rows[:1]


@plugin("start/answers no query")
class NoPage(Windowed):
    def receive_query(self, message):
        pass


@plugin("good-sections")
class Sections(Windowed):
    schema = {
        **Windowed.schema, "columns": [{"name": "name", "type": "text"}, {"name": "kind", "type": "text"}],
        "windowed": {"group": ["kind"], "cancels": True}}
    rows = [[number, f"row {number}", ("even", "odd", None)[number % 3]] for number in range(500)]

    def sections(self, group):
        return {"group": group, "sections": self.counts(["even", "odd", None])}

    def counts(self, kinds):
        return [[kind, sum(row[2] == kind for row in self.rows)] for kind in kinds]

    def section(self, message):
        return [row for row in self.rows if "section" not in message or row[2] == message["section"][0]]


@plugin("sections/refused")
class NoSections(Sections):
    def sections(self, group):
        return {"error": "not today"}


@plugin("sections/rows of all")
class AllRows(Sections):
    def section(self, message):
        return self.rows


@plugin("sections/without the empty one")
class NoEmptySection(Sections):
    def counts(self, kinds):
        return super().counts(kinds[:2])


@plugin("sections/one in two parts")
class SplitSection(Sections):
    def counts(self, kinds):
        (odd,) = super().counts(["odd"])
        return super().counts(["even", None]) + [["odd", 1], ["odd", odd[1] - 1]]


if __name__ == "__main__":
    # A closed pipe ends the program, as it does a shell.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    PLUGINS[sys.argv[1]]().run()
