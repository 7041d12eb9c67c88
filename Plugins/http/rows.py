"""The tables: a list that is read again and again, samples of Prometheus, and the newest events."""

import json
import time

from columns import CONVERTERS, HOST_TYPES, LEAST, GREATEST, Untyped, firm, flatten, infer
from host import encode
from reading import escaped, refuse_constant

OTHER = "@other"
LINE = 120_000  # bytes after which a line ends
KEY_LIMIT = 1_024  # bytes of a key
ROW_LIMIT = 900_000  # bytes of a row
NAMED = 10  # faults of a response that are named one by one
LABELS = 30  # labels that have a column of their own
HISTORY = 30  # values of a sparkline
_decode = json.JSONDecoder(parse_constant=refuse_constant).decode


class Rows:
    """Rows with inferred columns. The columns of the first response stay."""

    def __init__(self, options, host):
        self.options, self.host = options, host
        self.columns = None
        self.key = options.key
        self.notice = ""
        self.count = 0

    # Columns.

    def _declare(self, columns, key_kind, label=None, keep=None):
        self.columns = columns
        self.index = {column["name"]: place for place, column in enumerate(columns)}
        self.key_kind = key_kind
        schema = {"type": "schema", "name": self.options.table, "key": key_kind, "columns": columns}
        if label is not None:
            schema["label"] = label
        if keep is not None:
            schema["keep"] = {"rows": keep}
        self.host.send(**schema)

    def _infer(self, flat, keep=None, first=()):
        found = infer(flat)
        if self.key is None and keep is None:
            self.key = self._guess(flat)
            if self.key is None:
                self.notice = "rows are numbered: set key to a member that identifies them"
        keys = [firm(row[self.key]) for row in flat if row.get(self.key) is not None] if self.key else []
        is_integer = all(type(value) is int and LEAST <= value <= GREATEST for value in keys)
        kind = "integer" if is_integer else "text"
        columns = list(first)
        self.converters = {}
        for name, column_kind, _, style in found:
            if name == self.key:
                column_kind = kind
            self.converters[name] = CONVERTERS[column_kind]
            column = {"name": name, "type": HOST_TYPES.get(column_kind, column_kind)}
            if style is not None:
                column["style"] = style
            if name == self.key and kind == "integer":
                column["format"] = "plain"
            columns.append(column)
        columns.append({"name": OTHER, "type": "text", "title": "Other members"})
        label = self.key if self.key in self.converters else None
        self._declare(columns, kind, label, keep)

    @staticmethod
    def _guess(flat):
        """The member that identifies the rows: a usual name with values that do not repeat."""
        for name in ("id", "key", "uuid", "name"):
            for own in (own for own in flat[0] if own.lower() == name):
                values = [row.get(own) for row in flat]
                are_keys = all(type(value) in (int, str, Untyped) and value != "" for value in values)
                if are_keys and len(set(map(str, values))) == len(values):
                    return own
        return None

    # Rows.

    def _key_of(self, row, number):
        """The key of a row, or a fault."""
        if self.key is None:
            return number, None
        value = row.get(self.key)
        if value is None or value == "":
            return None, f"it has no “{self.key}”"
        if self.key_kind == "integer":
            value = firm(value)
            if type(value) is not int or not LEAST <= value <= GREATEST:
                return None, f"its “{self.key}” is not a whole number, as in the rows before"
            return value, None
        if type(value) is int:
            value = str(value)
        if not isinstance(value, str):
            return None, f"its “{self.key}” is neither a text nor a whole number"
        if len(value.encode(errors="replace")) > KEY_LIMIT:
            return None, f"its “{self.key}” has more than {KEY_LIMIT:,} bytes"
        return str(value), None

    def _cells(self, row, where, faults):
        cells = [None] * len(self.columns)
        other = {}
        for name, value in row.items():
            if value is None:
                continue
            convert = self.converters.get(name)
            if convert is None:
                other[name] = firm(value)
                continue
            try:
                cells[self.index[name]] = convert(value)
            except (ValueError, OverflowError, RecursionError):
                faults.append(f"{where}: the value of “{name[:100]}” does not fit its column")
        if other:
            cells[self.index[OTHER]] = CONVERTERS["text"](other)
        return cells

    def show(self, rows):
        """Shows a complete list of (row, fault)."""
        faults = []
        flat = [row for row, _ in rows if row is not None]
        if self.columns is None:
            if not flat:
                return faults + [fault for _, fault in rows if fault]
            self._infer(flat[:1_000])
        encoded = {}
        for number, (row, fault) in enumerate(rows, 1):
            if fault is not None:
                faults.append(fault)
                continue
            where = f"row {number}"
            key, problem = self._key_of(row, number)
            if problem is None and key in encoded:
                problem = f"its “{self.key}” {str(key)[:100]} occurs twice"
            if problem is not None:
                faults.append(f"{where}: {problem}")
                continue
            line = encode([key, *self._cells(row, where, faults)])
            if len(line) > ROW_LIMIT:
                faults.append(f"{where}: it has {len(line):,} bytes, at most {ROW_LIMIT:,} are possible")
                continue
            encoded[key] = line
        self._list(encoded.values(), faults)
        return faults

    def _list(self, lines, faults):
        self.host.send(type="reload")
        self.count = self._upsert(lines)
        self._reject(faults)
        self.host.send(type="commit")

    def _upsert(self, lines):
        part, size, number = [], 0, 0
        for line in lines:
            if part and size + len(line) > LINE:
                self.host.write(b'{"type":"upsert","rows":[' + b",".join(part) + b"]}")
                part, size = [], 0
            part.append(line)
            size += len(line) + 1
            number += 1
        if part:
            self.host.write(b'{"type":"upsert","rows":[' + b",".join(part) + b"]}")
        return number

    def _reject(self, faults):
        for fault in faults[:NAMED]:
            self.host.send(type="reject", count=1, reason=self.host.redacted(fault)[:300])
        if len(faults) > NAMED:
            self.host.send(type="reject", count=len(faults) - NAMED, reason="more faults of the same response")


class Samples(Rows):
    """Samples of a Prometheus endpoint: labels as columns, rates of counters, last values."""

    def __init__(self, options, host):
        super().__init__(options, host)
        self.before = {}
        self.at = None

    def show(self, samples, now=None):
        now = time.monotonic() if now is None else now
        faults = [sample for sample in samples if type(sample) is str]
        samples = [sample for sample in samples if type(sample) is tuple]
        if self.columns is None:
            self._declare_samples(samples)
        passed = now - self.at if self.at is not None else 0
        self.at = now
        encoded, current = {}, {}
        for metric, labels, value, kind, about, unit in samples:
            # Escaped as in the response, so that different labels have different keys.
            pairs = ",".join(f'{name}="{escaped(labels[name])}"' for name in sorted(labels))
            key = f"{metric}{{{pairs}}}" if labels else metric
            if len(key.encode(errors="replace")) > KEY_LIMIT:
                faults.append(f"{key[:200]}: its labels have more than {KEY_LIMIT:,} bytes")
                continue
            if key in encoded:
                faults.append(f"{key[:200]}: it occurs twice")
                continue
            history, last = self.before.get(key, ((), None))
            history = (*history[1 - HISTORY :], value) if value is not None else history
            current[key] = (history, value)
            rate = None
            is_counter = (
                kind in ("counter", "histogram", "summary")
                and not (kind == "summary" and "quantile" in labels))
            if is_counter and last is not None and value is not None and passed > 0:
                # A counter that became smaller was started again at zero.
                rate = (value - last if value >= last else value) / passed
            cells = [None] * len(self.columns)
            other = {}
            for name, text in labels.items():
                place = self.index.get(f"label {name}")
                if place is None:
                    other[name] = text
                else:
                    cells[place] = text
            found = {"metric": metric, "value": value, "rate": rate, "history": list(history) or None, "type": kind}
            found.update({"unit": unit or None, "help": about[:1_000] or None})
            for name, cell in found.items():
                cells[self.index[name]] = cell
            if other:
                cells[self.index[OTHER]] = CONVERTERS["text"](other)
            encoded[key] = encode([key, *cells])
        self.before = current
        self._list(encoded.values(), faults)
        return faults

    def _declare_samples(self, samples):
        labels = list(dict.fromkeys(name for sample in samples for name in sample[1]))[:LABELS]
        self._declare(
            [
                {"name": "metric", "type": "text", "title": "Metric", "width": 36},
                *({"name": f"label {name}", "type": "text", "title": name} for name in labels),
                {"name": "value", "type": "number", "title": "Value"},
                {"name": "rate", "type": "number", "title": "Per second"},
                {"name": "history", "type": "series", "title": "Last values", "style": "sparkline"},
                {"name": "type", "type": "text", "title": "Type", "style": "badge"},
                {"name": "unit", "type": "text", "title": "Unit"},
                {"name": "help", "type": "text", "title": "Description", "width": 60},
                {"name": OTHER, "type": "text", "title": "Other labels"},
            ],
            "text",
            "metric",
        )


class EventRows(Rows):
    """The newest events of a stream, or the last event of each key."""

    FIRST = (
        {"name": "@time", "type": "timestamp", "title": "Received"},
        {"name": "@event", "type": "text", "title": "Event", "style": "badge"})

    def __init__(self, options, host):
        super().__init__(options, host)
        self.number = 0
        self.waiting = []

    def take(self, events):
        """Shows events (kind, data, id)."""
        faults, lines = [], {}
        for kind, data, _ in events:
            try:
                row = flatten(_decode(data)) if data[:1] in ("{", "[") else {"data": data}
            except (ValueError, RecursionError) as error:
                faults.append(f"event {self.number + 1}: it is not JSON: {error}"[:300])
                continue
            if self.columns is None:
                self._infer([row], None if self.key else self.options.keep, self.FIRST)
                self.host.send(type="reload")
                self.host.send(type="commit")
            self.number += 1
            where = f"event {self.number}"
            key, problem = self._key_of(row, self.number)
            if problem is not None:
                faults.append(f"{where}: {problem}")
                continue
            cells = self._cells(row, where, faults)
            cells[0], cells[1] = int(time.time() * 1_000), kind[:200]
            line = encode([key, *cells])
            if len(line) > ROW_LIMIT:
                faults.append(f"{where}: it has {len(line):,} bytes, at most {ROW_LIMIT:,} are possible")
                continue
            lines.pop(key, None)
            lines[key] = line
        self.count += self._upsert(lines.values())
        if self.columns is not None:
            self._reject(faults)
            self.host.send(type="commit")
        return faults
