"""Columns of a DuckDB relation: the wire types, and the SQL that makes their cells."""

import json
import re
from decimal import Decimal

TEXT_LIMIT = 10_000  # characters of a cell; longer texts are cut
EARLIEST, LATEST = "1677-09-22", "2262-04-11"
INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
WIDE = {"UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM", "VARINT"}
PLAIN = {"DATE", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "UUID", "BIT", "INTERVAL"}


class Unreadable(Exception):
    """A request or file that is not supported, with the reason; `setting` must be changed."""

    def __init__(self, reason, setting=None):
        super().__init__(reason)
        self.setting = setting


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def folded(text):
    """Returns the text in lower case, folded character by character as the host does."""
    return text.lower() if text.isascii() else "".join(character.lower() for character in text)


class Column:
    """A column of the table: name, wire type, the SQL of its cells, and name in a snapshot."""

    def __init__(self, name, kind, expression, **look):
        self.name, self.kind, self.expression, self.look = name, kind, expression, look
        self.sql = ""

    def described(self):
        return {"name": self.name, "type": self.kind, **self.look}

    def cell(self, value):
        """Returns a value of a snapshot as a cell."""
        return nanoseconds_as_cell(value) if self.kind == "timestamp" and value is not None else value

    def bound(self, value):
        """Returns a value of a filter or section as a parameter."""
        if value is None:
            return None
        if self.kind == "timestamp":
            return cell_as_nanoseconds(value)
        if self.kind == "integer":
            number = int(value) if isinstance(value, str) else value
            if isinstance(number, float) and number.is_integer():
                number = int(number)
            # Values beyond a hugeint compare as its ends do, because cells have 64 bits.
            return max(-(1 << 100), min(1 << 100, number))
        if self.kind == "number":
            return float(value)
        return value

    @property
    def parameter(self):
        # An unknown parameter type would make DuckDB cast the column.
        return {"text": "?::VARCHAR", "boolean": "?::BOOLEAN", "number": "?::DOUBLE"}.get(self.kind, "?")

    @property
    def fold(self):
        # DuckDB's lower maps İ to one character, and the host maps it to two.
        return f"lower(replace({self.sql}, 'İ', 'i̇'))"


def nanoseconds_as_cell(value):
    """Returns milliseconds since 1970, as a text if there is a fraction."""
    whole, rest = divmod(abs(value), 1_000_000)
    if rest == 0:
        return value // 1_000_000
    return f"{'-' if value < 0 else ''}{whole}.{rest:06d}".rstrip("0")


def cell_as_nanoseconds(value):
    return int(Decimal(str(value)) * 1_000_000)


def columns_of(relation):
    """Returns the columns for `(name, type)` pairs as `DESCRIBE` reports them."""
    taken = {name for name, _ in relation}
    columns = []
    for name, declared in relation:
        for column in made(name, declared):
            if column.name != name and column.name in taken:
                continue  # the file has a column of that name
            columns.append(column)
    for number, column in enumerate(columns):
        column.sql = f"c{number}"
    return columns


def made(name, declared):
    raw, base = quoted(name), declared.upper()
    decimal = re.fullmatch(r"DECIMAL\((\d+), ?(\d+)\)", base)
    if base == "BOOLEAN":
        return [Column(name, "boolean", raw)]
    if base in INTEGERS:
        return [Column(name, "integer", f"{raw}::BIGINT")]
    if base in ("DOUBLE", "FLOAT"):
        # The shortest text of a FLOAT, so that 0.1 is shown as 0.1.
        value = f"{raw}::VARCHAR::DOUBLE" if base == "FLOAT" else raw
        return [Column(name, "number", f"CASE WHEN isfinite({raw}) THEN {value} END")]
    if decimal:
        width, scale = int(decimal[1]), int(decimal[2])
        if scale == 0 and width <= 18:
            return [Column(name, "integer", f"{raw}::BIGINT")]
        if width <= 15:
            return [Column(name, "number", f"{raw}::DOUBLE", format=f"grouped.{scale}")]
    if decimal or base in WIDE:
        return [
            Column(name, "text", f"{raw}::VARCHAR", align="end"),
            Column(f"{name} ≈", "number", f"{raw}::DOUBLE"),
        ]
    if base.startswith("TIMESTAMP"):
        nanoseconds = f"epoch_ns({raw})" if base == "TIMESTAMP_NS" else f"epoch_us({raw}::TIMESTAMP) * 1000"
        if base.endswith("WITH TIME ZONE") or base == "TIMESTAMPTZ":
            nanoseconds = f"epoch_us({raw}) * 1000"
        limits = f"BETWEEN TIMESTAMP '{EARLIEST}' AND TIMESTAMP '{LATEST}'"
        if "ZONE" in base or base == "TIMESTAMPTZ":
            limits = f"BETWEEN TIMESTAMPTZ '{EARLIEST} 00:00:00+00' AND TIMESTAMPTZ '{LATEST} 00:00:00+00'"
        return [Column(name, "timestamp", f"CASE WHEN {raw} {limits} THEN {nanoseconds} END")]
    if base == "BLOB":
        return [Column(name, "integer", f"octet_length({raw})", unit="B")]
    if base in PLAIN or base.startswith("ENUM"):
        more = []
        if base == "INTERVAL":
            more = [Column(f"{name} s", "number", f"epoch({raw})::DOUBLE", unit="s", style="duration")]
        return [Column(name, "text", f"{raw}::VARCHAR")] + more
    if base == "VARCHAR":
        return [Column(name, "text", f"left({raw}, {TEXT_LIMIT})")]
    if base == "JSON":
        return [Column(name, "text", f"left({raw}::VARCHAR, {TEXT_LIMIT})")]
    if base.endswith("]") or base.startswith(("STRUCT", "MAP", "UNION")):
        return [Column(name, "text", f"left(to_json({raw})::VARCHAR, {TEXT_LIMIT})")]
    return [Column(name, "text", f"left({raw}::VARCHAR, {TEXT_LIMIT})")]


def encoded(value):
    return json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
