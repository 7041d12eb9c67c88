"""Columns: their types, inferred from messages or set, and the conversion of values to cells."""

import calendar
import hashlib
import json
import math
import os
import re
import tempfile

TEXT_LIMIT = 4_000  # characters of a cell; longer texts are cut
DEPTH = 16  # objects nested deeper are shown as JSON
COLUMN_LIMIT = 500
EXACT = 1 << 53
TIMES = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$")
TIME_NAMES = re.compile(r"(?:^|[._])(?:time|ts|timestamp|at|date|created|updated|time_?stamp)$", re.I)
#: Types of numbers that are times, with the first and last value that are taken for one (2001 to
#: 2100).
UNITS = {"seconds": 10**9, "timestamp": 10**6, "micros": 10**3, "nanos": 1}
FIRST, LAST = 978_307_200 * 10**9, 4_102_444_800 * 10**9
LEAST, GREATEST = -9_223_372_036_854_775_808, 9_223_372_036_854_775_807


class Misfit(ValueError):
    """A value that does not fit its column."""


class Untyped(str):
    """A text that may stand for a value of another type, as the fields of Redis do."""


def flatten(value):
    """The members of an object by their paths; any other value is a member `value`."""
    if type(value) is not dict:
        return {"value": value}
    found = {}
    _flatten(value, "", found, DEPTH)
    return found


def _flatten(members, prefix, found, depth):
    for name, value in members.items():
        if type(value) is dict and value and depth > 1:
            _flatten(value, f"{prefix}{name}.", found, depth - 1)
        else:
            found[prefix + name] = value


# Conversions, by type.


def to_text(value):
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value if len(value) <= TEXT_LIMIT else value[:TEXT_LIMIT] + "…"


def to_number(value):
    kind = type(value)
    if kind is float:
        if math.isfinite(value):
            return value
    elif kind is int:
        if -EXACT <= value <= EXACT:
            return value
        try:
            return float(value)
        except OverflowError:
            pass
    elif kind is Untyped:
        return to_number(float(value))
    raise Misfit


def to_integer(value):
    kind = type(value)
    if kind is Untyped:
        value, kind = int(value), int
    if kind is float and value.is_integer() and abs(value) <= EXACT:
        return int(value)
    if kind is int and LEAST <= value <= GREATEST:
        # Other numbers are exact only as texts.
        return value if -EXACT < value < EXACT else str(value)
    raise Misfit


def to_boolean(value):
    if type(value) is bool:
        return value
    if type(value) is Untyped and value in ("true", "false"):
        return value == "true"
    raise Misfit


def to_series(value):
    if type(value) is Untyped:
        value = json.loads(value)
    if type(value) is not list or len(value) > 8_192:
        raise Misfit
    return [None if item is None else to_number(item) for item in value]


def nanoseconds(text):
    """The nanoseconds since 1970 of a text in the form of RFC 3339."""
    match = TIMES.match(text)
    if not match:
        raise Misfit
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second <= 60):
        raise Misfit
    if day > calendar.monthrange(max(1, year), month)[1]:
        raise Misfit
    seconds = calendar.timegm((year, month, day, hour, minute, second))
    offset = match[8]
    if offset not in "Zz":
        shift = int(offset[1:3]) * 3_600 + int(offset[4:]) * 60
        seconds += -shift if offset[0] == "+" else shift
    return seconds * 10**9 + int((match[7] or "0").ljust(9, "0"))


def time_cell(time):
    """Nanoseconds as a cell: milliseconds, as a text if there is a fraction."""
    if not LEAST <= time <= GREATEST:
        raise Misfit
    whole, rest = divmod(time, 10**6)
    if not rest:
        return whole
    if whole >= 0:
        return f"{whole}.{rest:06}"
    whole, rest = divmod(-time, 10**6)
    return f"-{whole}.{rest:06}"


def time_converter(factor):
    def convert(value):
        kind = type(value)
        if kind is str or kind is Untyped:
            try:
                return time_cell(nanoseconds(value))
            except Misfit:
                if kind is str:
                    raise
            value = float(value) if "." in value or "e" in value else int(value)
            kind = type(value)
        if kind is int:
            return time_cell(value * factor)
        if kind is float and math.isfinite(value):
            return time_cell(round(value * factor))
        raise Misfit

    return convert


CONVERTERS = {
    "text": to_text,
    "number": to_number,
    "integer": to_integer,
    "boolean": to_boolean,
    "series": to_series,
    **{name: time_converter(factor) for name, factor in UNITS.items()},
}
HOST_TYPES = {"seconds": "timestamp", "micros": "timestamp", "nanos": "timestamp"}


# Inference.


def firm(value):
    """The JSON value that a field of Redis stands for."""
    if type(value) is not Untyped:
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return str(value)
    # An object stays a text, as do texts in quotes.
    return str(value) if isinstance(found, (str, dict)) else found


def type_of(name, values):
    """The type of a column with these values; empty ones do not count."""
    values = [value for value in map(firm, values) if value is not None]
    kinds = set(map(type, values))
    if kinds == {bool}:
        return "boolean"
    if kinds and kinds <= {int, float}:
        if TIME_NAMES.search(name):
            for unit, factor in UNITS.items():
                if all(FIRST <= value * factor <= LAST for value in values):
                    return unit
        if all(-EXACT <= value <= EXACT for value in values):
            return "number"
        if kinds == {int} and all(LEAST <= value <= GREATEST for value in values):
            return "integer"
        return "number" if float in kinds else "text"
    if kinds == {str}:
        try:
            for value in values:
                nanoseconds(value)
            return "timestamp"
        except (Misfit, ValueError):
            return "text"
    if kinds == {list}:
        try:
            for value in values:
                to_series(value)
            return "series" if any(values) else "text"
        except Misfit:
            return "text"
    return "text"


def infer(samples):
    """The columns (path, type, title, style) of flat messages, in order of appearance."""
    found = {}
    for sample in samples:
        for name, value in sample.items():
            if name in found:
                found[name].append(value)
            elif name and len(name.encode(errors="replace")) <= 200 and name[0] != "@" and len(found) < COLUMN_LIMIT:
                found[name] = [value]
    columns = []
    for name, values in found.items():
        kind = type_of(name, values)
        texts = [value for value in values if value is not None]
        is_link = (
            kind == "text"
            and texts
            and all(isinstance(value, str) and value.startswith(("http://", "https://")) for value in texts)
        )
        columns.append((name, kind, None, "link" if is_link else None))
    return columns


class Memory:
    """The inferred columns of a table, kept in a file while the server runs.

    A server refuses other columns from a restarted program, and the messages that were inferred from
    may be gone by then. The file is in a private folder of the temporary directory. Without one,
    columns are inferred again.
    """

    def __init__(self, settings):
        server = os.getppid()
        self.folder = os.path.join(tempfile.gettempdir(), f"rowcast-stream-{os.getuid()}")
        name = json.dumps([settings, self._start(server)], sort_keys=True)
        self.path = os.path.join(self.folder, f"{server}-{hashlib.sha256(name.encode()).hexdigest()[:32]}.json")

    @staticmethod
    def _start(process):
        try:
            with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
                return file.read().rsplit(")", 1)[1].split()[19]
        except (OSError, IndexError):
            return None

    def _open(self):
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        state = os.lstat(self.folder)
        if (
            not os.path.isdir(self.folder)
            or os.path.islink(self.folder)
            or state.st_uid != os.getuid()
            or state.st_mode & 0o077
        ):
            raise OSError("the folder is not private")

    def load(self):
        try:
            self._open()
            with open(self.path, encoding="utf-8") as file:
                stored = json.load(file)
            return [tuple(column) for column in stored["columns"]], stored["key"]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, columns, key):
        try:
            self._open()
            for name in os.listdir(self.folder):
                if not os.path.exists(f"/proc/{name.split('-')[0]}"):
                    os.unlink(os.path.join(self.folder, name))
            new = f"{self.path}.{os.getpid()}"
            with open(new, "w", encoding="utf-8") as file:
                json.dump({"columns": columns, "key": key}, file)
            os.replace(new, self.path)
        except OSError:
            pass
