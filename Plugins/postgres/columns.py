"""Columns of a PostgreSQL table: wire types, and SQL to select, compare and sort their values."""

import datetime
import json
import math
from decimal import Decimal

TEXT_LIMIT = 10_000  # characters of a cell; longer texts are cut
BYTES_LIMIT = 4_000  # bytes of a bytea cell

#: The range of a wire timestamp.
EARLIEST, LATEST = "1677-09-22", "2262-04-11"
GREATEST = "1.7976931348623157e308"
EPOCH = datetime.datetime(1970, 1, 1)

INTEGERS = {"int2", "int4", "int8"}
SIGNS = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class Unreadable(Exception):
    """A request that cannot be answered, with the reason; `setting` is the one to change."""

    def __init__(self, reason, setting=None):
        super().__init__(reason)
        self.setting = setting


def quoted(name):
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'


def literal(text):
    """A text as an SQL literal in a statement with parameters."""
    escaped = text.replace("'", "''").replace("%", "%%")
    return f" E'{escaped}'".replace("\\", "\\\\") if "\\" in text else f"'{escaped}'"


def folded(text):
    """The text in lower case, character by character, as the host folds it."""
    return text.lower() if text.isascii() else "".join(character.lower() for character in text)


def fold(expression):
    """The same in SQL: Unicode's full mapping of each character, of no language.

    ICU treats a Σ at the end of a word specially, hence its replacement. ASCII texts skip ICU.
    """
    return (
        f'(CASE WHEN octet_length({expression}) = length({expression}) THEN lower({expression} COLLATE "C") '
        f'ELSE lower(replace({expression} COLLATE "C", \'Σ\', \'σ\') COLLATE "und-x-icu") COLLATE "C" END)'
    )


class Column:
    """A column of the table as the host sees it.

    raw       the column in SQL; indexes are on it
    kind      the wire type
    shown     the SQL expression of a cell
    ordered   the SQL expression to sort by, with its collation
    cast      the SQL type of a cursor's value
    present   a condition that is true for values that are shown, None if that is all but null
    """

    def __init__(self, name, raw, kind, cast, nullable):
        self.name, self.raw, self.kind, self.cast, self.nullable = name, raw, kind, cast, nullable
        self.shown = self.ordered = raw
        self.present = None
        self.look = {}  # further members of the column in the schema
        self.reads = None  # converts a selected value to a cell
        self.is_sortable = self.is_filterable = True

    @property
    def may_be_empty(self):
        return self.nullable or self.present is not None

    @property
    def filled(self):
        """A condition that is true for shown values, also in an index scan."""
        return f"({self.present})" if self.present else f"({self.raw} IS NOT NULL)"

    @property
    def empty(self):
        return f"(({self.present}) IS NOT TRUE)" if self.present else f"({self.raw} IS NULL)"

    @property
    def normal(self):
        """The expression to sort by, null where the cell is empty."""
        return f"(CASE WHEN {self.present} THEN {self.ordered} END)" if self.present else self.ordered

    @property
    def grouped(self):
        """The expression to group by; the column itself where an index can serve it."""
        return self.shown

    def described(self):
        return {"name": self.name, "type": self.kind, **self.look}

    def cell(self, value):
        return value if value is None or self.reads is None else self.reads(value)

    # Filters

    def compared(self, sign, value, values):
        """The condition `cell sign value`; appends its parameters to `values`."""
        condition = self.compare(sign, value, values)
        return f"({condition} AND {self.present})" if self.present and sign != "=" else f"({condition})"

    def compare(self, sign, value, values):
        values.append(value)
        return f"{self.raw} {SIGNS[sign]} %s::{self.cast}"

    def among(self, wanted, values):
        """The condition that the cell is one of these values."""
        return "(" + " OR ".join([self.compared("=", value, values) for value in wanted] or ["false"]) + ")"


class Integer(Column):
    def compare(self, sign, value, values):
        values.append(int(value))
        return f"{self.raw} {SIGNS[sign]} %s::{'numeric' if self.cast == 'numeric' else 'int8'}"

    def among(self, wanted, values):
        if self.cast not in INTEGERS:
            return super().among(wanted, values)
        values.append([int(value) for value in wanted])
        return f"({self.raw} = ANY(%s::int8[]))"


class Number(Column):
    """A `number` whose cells are exact: float8, and numeric of at most 15 digits."""

    def compare(self, sign, value, values):
        values.append(repr(float(value)))
        return f"{self.raw} {SIGNS[sign]} %s::{self.cast}"


class Rounded(Column):
    """A `number` with rounded cells, compared as shown, within bounds that an index can serve."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.bound = "numeric"

    def compare(self, sign, value, values):
        value = float(value)
        bounds = []
        if sign in ("=", ">", ">="):
            bounds.append((">=", math.nextafter(value, -math.inf)))
        if sign in ("=", "<", "<="):
            bounds.append(("<=", math.nextafter(value, math.inf)))
        parts = []
        for side, bound in bounds if self.bound else ():
            if math.isfinite(bound):
                values.append(str(Decimal(bound)))
                parts.append(f"{self.raw} {side} %s::{self.bound}")
        values.append(repr(value))
        return " AND ".join(parts + [f"{self.shown} {SIGNS[sign]} %s::float8"])


class Boolean(Column):
    def compare(self, sign, value, values):
        values.append(bool(value))
        return f"{self.raw} {SIGNS[sign]} %s"


class Moment(Column):
    """A timestamp with microseconds; the host's values may have nanoseconds."""

    def compare(self, sign, value, values):
        exact = Decimal(str(value)) * 1_000
        micros = int(exact.to_integral_value(rounding="ROUND_FLOOR"))
        if exact != micros:
            if sign in ("=", "!="):
                return "false" if sign == "=" else f"{self.raw} IS NOT NULL"
            sign = {"<": "<=", ">=": ">"}.get(sign, sign)
        try:
            values.append(
                (EPOCH + datetime.timedelta(microseconds=micros)).isoformat(" ")
                + ("+00" if self.cast == "timestamptz" else "")
            )
        except OverflowError as error:
            raise Unreadable(f"the time {value} is out of range") from error
        return f"{self.raw} {SIGNS[sign]} %s::{self.cast}"


class Text(Column):
    """A text, whatever the column's type: `shown` is compared byte by byte.

    `implied(value)` returns the SQL type in which the column itself equals the value in every row
    whose cell does, so that an index serves it; None if no row can have this cell.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.equal = None  # the expression for equality, if not the shown one
        self.long = False  # whether the shown expression cuts values
        self.implied = None

    @property
    def grouped(self):
        return self.equal or self.bytes

    @property
    def bytes(self):
        return f'{self.shown} COLLATE "C"'

    def compare(self, sign, value, values):
        if "\0" in value:
            raise Unreadable("a text of this database has no NUL character")
        if sign in ("=", "!="):
            extra = ""
            if sign == "=" and self.implied is not None:
                kind = self.implied(value)
                if kind is None:
                    return "false"
                values.append(value)
                extra = f"{self.raw} = %s::{kind} AND "
            values.append(value)
            return f"{extra}{self.equal or self.bytes} {SIGNS[sign]} %s"
        values.append(value)
        return f"{self.bytes} {SIGNS[sign]} %s"

    def among(self, wanted, values):
        if self.implied is not None or any("\0" in value for value in wanted):
            return super().among(wanted, values)
        values.append(list(wanted))
        return f"({self.equal or self.bytes} = ANY(%s::text[]))"

    def contains(self, value, values):
        values.append(folded(value))
        return f"(strpos({fold(self.shown)}, %s) > 0)"

    def begins(self, value, values):
        values.append(folded(value))
        return f"starts_with({fold(self.shown)}, %s)"


# Construction


def micros_to_cell(micros):
    """Milliseconds since 1970; a text when a fraction would be lost in a double."""
    whole, rest = divmod(abs(micros), 1_000)
    if rest == 0:
        return micros // 1_000
    return f"{'-' if micros < 0 else ''}{whole}.{rest:03d}"


def is_uuid(text):
    return (
        len(text) == 36
        and text == text.lower()
        and all(
            (character == "-") == (place in (8, 13, 18, 23)) and character in "0123456789abcdef-"
            for place, character in enumerate(text)
        )
    )


def columns_of(name, type_, nullable, encoding_is_utf8, series=()):
    """The wire columns of a column: itself, and for some types a number to sort by."""
    raw, base = f"s.{quoted(name)}", type_.name
    if name in series:
        return [series_of(name, raw, type_, nullable)]
    if base in INTEGERS:
        return [Integer(name, raw, "integer", base, nullable)]
    if base == "oid":
        column = Integer(name, raw, "integer", "oid", nullable)
        column.shown = f"{raw}::int8"
        column.compare = lambda sign, value, values: (
            values.append(int(value)),
            f"{raw}::int8 {SIGNS[sign]} %s::int8",
        )[1]
        return [column]
    if base == "bool":
        return [Boolean(name, raw, "boolean", "bool", nullable)]
    if base == "float8":
        column = Number(name, raw, "number", base, nullable)
        column.present = f"{raw} BETWEEN '-{GREATEST}' AND '{GREATEST}'"
        column.shown = column.normal
        return [column]
    if base == "float4":
        column = Rounded(name, raw, "number", base, nullable)
        column.present = f"{raw} BETWEEN '-3.4028235e38' AND '3.4028235e38'"
        # The shortest text, so that 0.1 is shown as 0.1.
        column.shown = f"(CASE WHEN {column.present} THEN {raw}::text::float8 END)"
        column.bound = None
        return [column]
    if base == "numeric" and type_.precision is not None:
        if type_.scale == 0 and type_.precision <= 18 or 0 < type_.scale <= type_.precision <= 15:
            column = (Integer if type_.scale == 0 else Number)(
                name, raw, "integer" if type_.scale == 0 else "number", "numeric", nullable
            )
            column.present = f"{raw} < 'NaN'"
            column.shown = f"(CASE WHEN {column.present} THEN {raw}::{'int8' if type_.scale == 0 else 'float8'} END)"
            if type_.scale > 0:
                column.look["format"] = f"grouped.{type_.scale}"
            return [column]
    if base in ("timestamptz", "timestamp"):
        return [moment_of(name, raw, base, nullable)]
    return texts_of(name, raw, type_, nullable, encoding_is_utf8)


def moment_of(name, raw, base, nullable):
    column = Moment(name, raw, "timestamp", base, nullable)
    column.present = f"{raw} BETWEEN '{EARLIEST}' AND '{LATEST}'"
    column.shown = f"(CASE WHEN {column.present} THEN (extract(epoch from {raw}) * 1000000)::int8 END)"
    column.reads = micros_to_cell
    return column


def series_of(name, raw, type_, nullable):
    column = Column(name, raw, "series", type_.cast, nullable)
    column.shown = f"{raw}::float8[]"
    column.look["style"] = "sparkline"
    column.is_sortable = column.is_filterable = False
    column.reads = lambda numbers: [
        None if number is None or not math.isfinite(number) else number for number in flat(numbers)
    ][:8_192]
    return column


def flat(numbers):
    for number in numbers:
        if isinstance(number, list):
            yield from flat(number)
        else:
            yield number


def texts_of(name, raw, type_, nullable, encoding_is_utf8):
    column = Text(name, raw, "text", "text", nullable)
    # Byte order is that of the host in UTF-8 only.
    column.is_sortable = column.is_filterable = encoding_is_utf8
    base = type_.name
    more = []
    if base in ("text", "varchar"):
        column.long = type_.length is None or type_.length > TEXT_LIMIT
        column.shown = f"left({raw}, {TEXT_LIMIT})" if column.long else raw
        column.ordered = f'{raw} COLLATE "C"'
        if type_.collation.is_deterministic:
            column.equal = raw
        if type_.collation.tag is not None:
            column.look["collation"] = type_.collation.tag
            column.ordered = raw
        elif type_.collation.is_bytes:
            column.ordered = raw
        return [column]
    if base == "bytea":
        column.shown = f"substring({raw} from 1 for {BYTES_LIMIT})::text"
        column.long = True
    elif base in ("inet", "cidr"):
        column.shown = (
            f"abbrev({raw})"
            if base == "cidr"
            else f"(CASE WHEN masklen({raw}) = CASE family({raw}) WHEN 4 THEN 32 ELSE 128 END "
            f"THEN host({raw}) ELSE {raw}::text END)"
        )
        if base == "cidr":
            column.shown = f"{raw}::text"
    elif base in ("uuid", "date", "time", "bpchar", "name") or type_.labels:
        # Their texts are short and need no cut.
        column.shown = f"{raw}::text"
    else:
        column.shown = f"left({raw}::text, {TEXT_LIMIT})"
        column.long = True
    column.ordered = column.bytes
    if base in ("uuid", "date", "time"):
        # Their texts sort as they do.
        column.ordered, column.cast = raw, base
    if base == "uuid":
        column.implied = lambda value: "uuid" if is_uuid(value) else None
    elif base == "bpchar":
        column.implied = lambda value: "bpchar"
    elif type_.labels:
        column.implied = lambda value: type_.cast if value in type_.labels else None
        if type_.labels != sorted(type_.labels, key=lambda label: label.encode()):
            more.append(rank_of(name, raw, type_, nullable))
    elif base in ("numeric", "money"):
        column.look["align"] = "end"
        if base == "money":
            column.shown = f"{raw}::numeric::text"
            column.ordered = column.bytes
        more.append(rounded_of(name, raw, base, nullable))
    elif base == "interval":
        more.append(seconds_of(name, raw, nullable))
    return [column] + more


def rounded_of(name, raw, base, nullable):
    """A number next to an exact text, by which wide numerics sort and filter."""
    column = Rounded(f"{name} ≈", raw, "number", base, nullable)
    if base == "money":
        column.shown, column.bound = f"{raw}::numeric::float8", None
        return column
    column.present = f"{raw} BETWEEN '-{GREATEST}' AND '{GREATEST}'"
    column.shown = (
        f"(CASE WHEN {column.present} THEN CASE WHEN abs({raw}) < 1e-300 THEN 0 ELSE {raw}::float8 END END)"
    )
    return column


def rank_of(name, raw, type_, nullable):
    """The place of an enum's label in its declared order."""
    column = Integer(f"{name} #", raw, "integer", type_.cast, nullable)
    labels = ", ".join(literal(label) for label in type_.labels)
    column.shown = f"array_position(ARRAY[{labels}]::text[], {raw}::text)"

    def compare(sign, value, values):
        values.append(int(value))
        return f"{column.shown} {SIGNS[sign]} %s::int8"

    column.compare = compare
    return column


def seconds_of(name, raw, nullable):
    """An interval in seconds as PostgreSQL sorts it: a month of 30 days, a day of 24 hours."""
    column = Rounded(f"{name} s", raw, "number", "interval", nullable)
    parts = [
        ("year", 31_104_000),
        ("month", 2_592_000),
        ("day", 86_400),
        ("hour", 3_600),
        ("minute", 60),
        ("second", 1),
    ]
    column.shown = "(" + " + ".join(f"date_part('{part}', {raw}) * {factor}" for part, factor in parts) + ")"
    column.bound = None
    column.look.update(unit="s", style="duration")
    return column


def encoded(cells):
    return json.dumps(cells, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
