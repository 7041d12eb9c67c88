"""The rows of a table: messages in, changes of rows out."""

import heapq
import json
import time
from itertools import count

from columns import CONVERTERS, HOST_TYPES, LEAST, GREATEST, Untyped, Misfit, firm, flatten, infer
from host import encode
from redisstream import MISSING

SAMPLE = 1_000  # messages from which columns are inferred
CALM = 0.3  # seconds after which fewer messages are enough
LINE = 120_000  # bytes after which a line ends
ROW_LIMIT = 900_000  # bytes of a row
KEY_LIMIT = 1_024  # bytes of a key
OTHER = "@other"
REJECTED_KEYS = 10_000  # rows that are named with their rejected messages, each time
NAMED = 10  # rejected messages of a kind that are named one by one, each time
META = {"time": ("@time", "Time"), "sequence": ("@sequence", "Position"), "key": ("@key", "Key")}


class Poison(Exception):
    """A message that makes no row. `key` is its row, if that is known."""

    def __init__(self, kind, text, key=None):
        super().__init__(text)
        self.kind, self.key = kind, key


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=refuse_constant).decode


class Table:
    """A table with the latest message for each key, or with the newest messages.

    While `loading`, rows are collected and become one list with `commit`.
    """

    def __init__(self, options, backend, host, notes, memory):
        self.options, self.backend, self.host, self.notes, self.memory = options, backend, host, notes, memory
        self.sample, self.sampled_at = [], None
        self.columns = None
        self.rejected, self.rejected_keys = {}, {}  # not reported yet
        self.rejections = 0
        self.hidden = {}  # keys whose last message was rejected, while loading, and its place
        self.loading = True
        self.rows, self.numbers = {}, count()
        self.key_kind = None
        if options.columns is not None:
            self._declare([(*column, None) for column in options.columns], self._key_kind_of_settings(), False)
        elif (stored := memory.load()) is not None:
            self._declare(*stored, True)

    def begin(self):
        """Starts over: rows that do not come before `commit` are removed then."""
        self.loading = True
        self.rows, self.hidden = {}, {}

    # Columns.

    def _key_kind_of_settings(self):
        path = self.options.key
        kinds = {name: kind for name, kind, _ in self.options.columns}
        return "integer" if kinds.get(path) == "integer" else "text"

    def _infer(self):
        flat = []
        for message in self.sample:
            try:
                found = self._payload(message)
                if found is not None:
                    flat.append(found)
            except Poison:
                pass
        columns = infer(flat)
        key = self.options.key
        keys = [firm(sample[key]) for sample in flat if key in sample]
        is_integer = bool(keys) and all(type(value) is int and LEAST <= value <= GREATEST for value in keys)
        kind = "integer" if is_integer else "text"
        if key is not None:
            columns = [(key, kind, None, None)] + [column for column in columns if column[0] != key]
        self.memory.save(columns, kind)
        self._declare(columns, kind, True)

    def _declare(self, columns, key_kind, is_inferred):
        options, names = self.options, []
        meta = options.meta
        first = [name for name in meta if name == "key" or not options.is_latest]
        first.sort(key=lambda name: meta.index(name))
        last = [name for name in meta if name not in first]
        described = []
        for group in (first, columns, last):
            for column in group:
                described.append(
                    self._meta_column(column) if isinstance(column, str) else self._column(*column, key_kind)
                )
        if is_inferred:
            described.append({"name": OTHER, "type": "text", "title": "Other members"})
        names = [column["name"] for column in described]
        self.columns = described
        self.index = {name: (names.index(name), CONVERTERS[kind]) for name, kind, *_ in columns}
        self.meta_index = {name: names.index(META[name][0]) for name in meta}
        self.other = names.index(OTHER) if is_inferred else None
        self.width = len(names)
        self.key_kind = (
            key_kind if options.key is not None else ("text" if options.is_latest else self.backend.key_kind)
        )
        label = options.key if options.key in names else next((name for name in names if name == "@key"), None)
        schema = {"type": "schema", "name": options.table, "key": self.key_kind, "columns": described}
        if label is not None:
            schema["label"] = label
        if options.is_latest:
            schema["limits"] = {"rows": options.rows}
        else:
            schema["keep"] = {"rows": options.rows}
        self.host.send(**schema)

    def _column(self, name, kind, title, style, key_kind):
        found = {"name": name, "type": HOST_TYPES.get(kind, kind)}
        if title:
            found["title"] = title
        if style:
            found["style"] = style
        if kind == "series":
            found["style"] = "sparkline"
        if name == self.options.key and key_kind == "integer" and kind == "integer":
            found["format"] = "plain"
        return found

    def _meta_column(self, name):
        found = {"name": META[name][0], "title": META[name][1], "type": "text"}
        if name == "key":
            found["title"] = self.backend.key_title
        if name == "time":
            found.update(type="timestamp", format="datetime.3")
        if name == "sequence" and self.backend.key_kind == "integer":
            found.update(type="integer", format="plain")
        return found

    # Messages.

    def take(self, messages):
        if self.columns is None:
            if self.sampled_at is None and messages:
                self.sampled_at = time.monotonic()
            self.sample += messages
            return
        for message in messages:
            try:
                self._take(message)
            except Poison as poison:
                self._reject(message, poison)

    def settle(self, is_caught_up):
        """Infers columns from enough messages, ends the first list; whether rows are current."""
        if self.columns is None:
            if not self.sample:
                return False
            is_calm = is_caught_up and time.monotonic() - self.sampled_at >= CALM
            if len(self.sample) < SAMPLE and not is_calm:
                return False
            self._infer()
            sample, self.sample = self.sample, []
            self.take(sample)
        if self.loading and is_caught_up:
            self.find_hidden()
            self._commit()
        elif not self.loading:
            self._flush()
        return not self.loading

    def _take(self, message):
        options = self.options
        key, deletes = self._key_of_message(message), message.is_delete
        payload = None
        if not deletes:
            payload = self._payload(message)
            if payload is None and options.is_latest:
                deletes = True
        if options.is_latest and options.key is not None:
            if payload is None:
                raise Poison("no key", "it is empty, and the key is a member of the payload")
            key = self._key_of_member(payload)
            # An entry of Redis with nothing but its key deletes, too.
            if options.payload == "fields" and not any(value for name, value in payload.items() if name != options.key):
                deletes = True
        if options.delete is not None and payload is not None:
            value = payload.get(options.delete[0])
            if value is not None and (value if isinstance(value, str) else encode(value).decode()) == options.delete[1]:
                deletes = True
        if deletes and options.is_latest:
            if self.loading:
                self.rows.pop(key, None)
                self.hidden.pop(key, None)
            else:
                self.rows[key] = None
            return
        row = encode([key, *self._cells(message, payload or {})])
        if len(row) > ROW_LIMIT:
            raise Poison("row too large", f"its row has {len(row):,} bytes, at most {ROW_LIMIT:,} are possible", key)
        self._keep(key, message, row)

    def _keep(self, key, message, row):
        if self.loading and not self.options.is_latest:
            # Partitions come one after another: keep the newest of all by time.
            entry = (message.time or 0, next(self.numbers), key, row)
            heap = self.rows.setdefault(None, [])
            if len(heap) < self.options.rows:
                heapq.heappush(heap, entry)
            else:
                heapq.heappushpop(heap, entry)
        elif self.loading and len(self.rows) >= self.options.rows and key not in self.rows:
            raise Poison("too many rows", f"the table has its limit of {self.options.rows:,} rows: set rows")
        else:
            self.rows[key] = row
            self.hidden.pop(key, None)

    def find_hidden(self):
        """Takes earlier messages of keys with a rejected last one, if only last ones were read."""
        for key, place in list(self.hidden.items()):
            for message in reversed(self.backend.earlier(key, place)):
                try:
                    self._take(message)
                    break
                except Poison:
                    pass
            self.hidden.pop(key, None)

    def _key_of_message(self, message):
        """The key of the row, unless it is a member of the payload."""
        if not self.options.is_latest:
            return self.backend.row_key(message.place)
        if self.options.key is not None:
            return None
        if message.key is None:
            raise Poison("no key", "it has no key; set key to a member of the payload")
        if len(message.key.encode(errors="replace")) > KEY_LIMIT:
            raise Poison("key too long", f"its key has more than {KEY_LIMIT:,} bytes")
        return message.key

    def _key_of_member(self, payload):
        path = self.options.key
        value = payload.get(path)
        if value is None or value == "":
            raise Poison("no key", f"it has no member “{path}”")
        if self.key_kind == "integer":
            value = firm(value)
            if type(value) is not int or not LEAST <= value <= GREATEST:
                raise Poison("other key", f"its member “{path}” is not a whole number, as in the messages before")
            return value
        if type(value) is int:
            return str(value)
        if not isinstance(value, str):
            raise Poison("other key", f"its member “{path}” is neither a text nor a whole number")
        if len(value.encode(errors="replace")) > KEY_LIMIT:
            raise Poison("key too long", f"its key has more than {KEY_LIMIT:,} bytes")
        return str(value)

    def _payload(self, message):
        """The payload as flat members; None if it is empty."""
        value, options = message.value, self.options
        if value is MISSING:
            raise Poison("no field", f"it has no field “{options.field}”")
        if not value:
            return None
        key = message.key if options.is_latest and options.key is None else None
        if options.payload == "fields":
            size = sum(map(len, value.values()))
            if size > options.max_message:
                raise Poison(
                    "too large", f"it has {size:,} bytes, more than max_message allows ({options.max_message:,})"
                )
            return {
                name: Untyped(text.decode(errors="backslashreplace")) if text else None for name, text in value.items()
            }
        if len(value) > options.max_message:
            raise Poison(
                "too large", f"it has {len(value):,} bytes, more than max_message allows ({options.max_message:,})", key
            )
        if options.payload == "text":
            return {"text": value.decode(errors="replace")}
        try:
            found = _decode(value.decode())
        except UnicodeDecodeError as error:
            raise Poison("not UTF-8", f"it is not UTF-8 at byte {error.start}", key) from None
        except json.JSONDecodeError as error:
            raise Poison("not JSON", f"it is not JSON: {error.msg} at character {error.pos}", key) from None
        except ValueError as error:
            raise Poison("not JSON", f"it is not JSON: {error}"[:200], key) from None
        except RecursionError:
            raise Poison("not JSON", "its JSON is nested too deeply", key) from None
        return flatten(found)

    def _cells(self, message, payload):
        cells = [None] * self.width
        other = None
        index = self.index
        for name, value in payload.items():
            place = index.get(name)
            if place is None:
                if other is None:
                    other = {}
                other[name] = value
            elif value is not None:
                try:
                    cells[place[0]] = place[1](value)
                except (ValueError, OverflowError, RecursionError):
                    where = self.backend.describe(message.place)
                    self.notes.note(
                        f"value of {name}"[:200],
                        f"{where}: the value of “{name[:200]}” does not fit its column; the cell stays empty",
                    )
        if other is not None and self.other is not None:
            cells[self.other] = CONVERTERS["text"]({name: firm(value) for name, value in other.items()})
        meta = self.meta_index
        if "time" in meta:
            cells[meta["time"]] = message.time
        if "key" in meta and message.key is not None:
            cells[meta["key"]] = message.key[:4_000]
        if "sequence" in meta:
            cells[meta["sequence"]] = self.backend.row_key(message.place)
        return cells

    # Output.

    def _reject(self, message, poison):
        self.rejections += 1
        where = self.backend.describe(message.place)
        if message.key is not None:
            where = f"{message.key[:200]} {where}"
        text = f"{where}: {poison}"
        self.notes.note(poison.kind, f"rejected message {text}")
        if poison.key is not None and self.options.is_latest:
            # The row stays as it was, also in a new list.
            if poison.key in self.rejected_keys or len(self.rejected_keys) < REJECTED_KEYS:
                self.rejected_keys[poison.key] = text
            else:
                self.rejected.setdefault(poison.kind, [0])[0] += 1
            if self.loading and poison.key not in self.rows:
                self.hidden[poison.key] = message.place
            return
        texts = self.rejected.setdefault(poison.kind, [0])
        texts[0] += 1
        if len(texts) <= NAMED:
            texts.append(text)

    def reject_gap(self, gap):
        """Counts messages without a known place."""
        if gap.count:
            self.host.send(type="reject", count=min(gap.count, 2**31), reason=self.host.redacted(gap.text))

    def report_rejections(self):
        for key, text in self.rejected_keys.items():
            self.host.send(type="reject", key=key, reason=self.host.redacted(text)[:300])
        for kind, (number, *texts) in self.rejected.items():
            for text in texts:
                self.host.send(type="reject", count=1, reason=self.host.redacted(text)[:300])
            if number > len(texts):
                self.host.send(type="reject", count=number - len(texts), reason=f"more messages of this kind: {kind}")
        self.rejected, self.rejected_keys = {}, {}

    def _commit(self):
        self.host.send(type="reload")
        if self.options.is_latest:
            rows = self.rows.values()
        else:
            rows = [entry[3] for entry in sorted(self.rows.get(None, []))]
        self._upsert(rows)
        self.report_rejections()
        self.host.send(type="commit")
        self.rows, self.loading = {}, False

    def _flush(self):
        if self.rows:
            rows, self.rows = self.rows, {}
            self._upsert(row for row in rows.values() if row is not None)
            gone = [key for key, row in rows.items() if row is None]
            for first in range(0, len(gone), 500):
                self.host.send(type="delete", keys=gone[first : first + 500])
        if self.rejected or self.rejected_keys:
            self.report_rejections()

    def _upsert(self, rows):
        part, size = [], 0
        for row in rows:
            if part and size + len(row) > LINE:
                self.host.write(b'{"type":"upsert","rows":[' + b",".join(part) + b"]}")
                part, size = [], 0
            part.append(row)
            size += len(row) + 1
        if part:
            self.host.write(b'{"type":"upsert","rows":[' + b",".join(part) + b"]}")
