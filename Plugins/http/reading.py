"""Bodies to rows: JSON, NDJSON, CSV, Prometheus' text format, and events of a stream."""

import csv
import json
import math
import re

from columns import Untyped, flatten


class Unreadable(Exception):
    """A body that is not of its format."""


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=refuse_constant).decode


def format_of(kind, body):
    """The format of a body by its media type, or else by its first character."""
    if kind == "text/csv":
        return "csv"
    if kind in ("application/x-ndjson", "application/jsonl", "application/ndjson"):
        return "ndjson"
    if kind == "application/openmetrics-text":
        return "prometheus"
    first = body.lstrip()[:1]
    if first == b"[" or kind == "application/json":
        return "json"
    if first == b"{":
        try:
            _decode(body.decode())
            return "json"
        except (ValueError, RecursionError):
            return "ndjson"
    if first == b"#" or re.match(rb"[a-zA-Z_:][\w:]*(\{[^\n]*\})?[ \t]+\S+", body):
        return "prometheus"
    if first == b"<":
        raise Unreadable("it is HTML or XML, which has no rows")
    return "csv"


def rows_of_json(body, path):
    """The flat rows of a JSON document, each as (row, fault)."""
    try:
        found = _decode(body.decode())
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is not JSON: {error}"[:300]) from None
    if path is not None:
        for name in path.split("."):
            if type(found) is not dict or name not in found:
                raise Unreadable(f"it has no “{path}”: set rows to the path of its list")
            found = found[name]
    if type(found) is dict and path is None:
        lists = [value for value in found.values() if type(value) is list and value and type(value[0]) is dict]
        if len(lists) == 1:
            found = lists[0]
        elif not lists and found and all(type(value) is dict for value in found.values()):
            return [({"name": name, **flatten(value)}, None) for name, value in found.items()]
        elif not lists:
            found = [found]
        else:
            raise Unreadable("it has several lists: set rows to the path of one")
    if type(found) is dict:
        return [({"name": name, **flatten(value)}, None) for name, value in found.items()]
    if type(found) is not list:
        raise Unreadable("it has no list of rows")
    return [
        (flatten(item), None) if type(item) is dict else (None, f"item {place}: it is not an object")
        for place, item in enumerate(found, 1)
    ]


def rows_of_ndjson(body):
    rows = []
    for number, line in enumerate(body.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            item = _decode(line.decode())
            rows.append((flatten(item), None) if type(item) is dict else (None, f"line {number}: it is not an object"))
        except (ValueError, RecursionError) as error:
            rows.append((None, f"line {number}: it is not JSON: {error}"[:300]))
    return rows


def rows_of_csv(body):
    text = body.decode("utf-8-sig", errors="replace")
    first = text[: text.find("\n")] if "\n" in text else text
    delimiter = max(",;\t|", key=first.count)
    if delimiter not in first:
        delimiter = ","
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    rows, names = [], None
    try:
        for fields in reader:
            if not any(fields):
                continue
            if names is None:
                names = [name.strip() or f"column {place}" for place, name in enumerate(fields, 1)]
                continue
            if len(fields) > len(names):
                rows.append((None, f"line {reader.line_num}: it has {len(fields)} values for {len(names)} columns"))
                continue
            rows.append(({name: Untyped(value) if value else None for name, value in zip(names, fields)}, None))
    except csv.Error as error:
        rows.append((None, f"line {reader.line_num}: {error}"))
    if names is None:
        raise Unreadable("it is empty")
    return rows


LABEL = re.compile(r'\s*([a-zA-Z_]\w*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|$)')
SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)\s*(?:\{(.*)\})?\s+(\S+)(?:\s+(-?[\d.]+))?\s*(?:#.*)?$")
ESCAPES = {"n": "\n", '"': '"', "\\": "\\"}
FAMILY = re.compile(r"(_bucket|_sum|_count|_total|_created|_info)$")


def unescaped(text):
    return re.sub(r"\\(.)", lambda found: ESCAPES.get(found[1], found[0]), text)


def escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def labels_of(text):
    """The labels between braces, or None if they are malformed."""
    labels, place = {}, 0
    while place < len(text):
        match = LABEL.match(text, place)
        if match is None:
            return None
        labels[match[1]] = unescaped(match[2])
        place = match.end()
    return labels


def samples_of(body):
    """Samples of Prometheus' text format: (metric, labels, value, type, help, unit) or a fault."""
    kinds, helps, units, found = {}, {}, {}, []
    for number, line in enumerate(body.decode(errors="replace").split("\n"), 1):
        line = line.strip()
        if line.startswith("#"):
            words = line.split(None, 3)
            if len(words) >= 3 and words[1] in ("TYPE", "HELP", "UNIT"):
                text = unescaped(words[3]) if len(words) > 3 else ""
                {"TYPE": kinds, "HELP": helps, "UNIT": units}[words[1]][words[2]] = text
            continue
        if not line:
            continue
        match = SAMPLE.match(line)
        labels = labels_of(match[2] or "") if match else None
        try:
            value = float(match[3].replace("Inf", "inf")) if match else None
        except ValueError:
            value = None
        if labels is None or value is None:
            found.append(f"line {number}: it is not a sample: {line[:100]}")
            continue
        metric = match[1]
        family = metric if metric in kinds else FAMILY.sub("", metric)
        kind = kinds.get(family, "untyped")
        found.append((
            metric, labels, value if math.isfinite(value) else None, kind, helps.get(family, ""),
            units.get(family, "")))
    if not any(type(sample) is tuple for sample in found):
        raise Unreadable("it has no sample in Prometheus' text format")
    return found


class Events:
    """Decodes Server-Sent Events (HTML, 9.2.6): `add` bytes, get (event, data, id)."""

    def __init__(self, limit):
        self.limit = limit
        self.rest = b""
        self.retry = None
        self.last_id = ""
        self.faults = 0
        self._kind, self._data, self._size = "", [], 0
        self._is_first = True

    def add(self, piece):
        lines = re.split(rb"\r\n|\n|\r(?=.)", self.rest + piece, flags=re.S)
        self.rest = lines.pop()
        if len(self.rest) > self.limit:
            self.rest, self.faults = b"", self.faults + 1
        found = []
        for line in lines:
            if self._is_first:
                self._is_first = False
                line = line.removeprefix(b"\xef\xbb\xbf")
            event = self._take(line.rstrip(b"\r").decode(errors="replace"))
            if event is not None:
                found.append(event)
        return found

    def _take(self, line):
        if not line:
            event = (self._kind or "message", "\n".join(self._data), self.last_id) if self._data else None
            if self._size > self.limit:
                event, self.faults = None, self.faults + 1
            self._kind, self._data, self._size = "", [], 0
            return event
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._size += len(value)
            if self._size <= self.limit:
                self._data.append(value)
        elif name == "event":
            self._kind = value
        elif name == "id" and "\0" not in value:
            self.last_id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry = min(int(value) / 1_000, 3_600)
        return None
