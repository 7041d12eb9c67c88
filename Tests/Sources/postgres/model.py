"""Random rows of every column type, and the host's queries on them as plain Python lists."""

import math
import uuid
from collections import namedtuple
from datetime import datetime, timedelta
from decimal import Decimal

#: A value: the SQL text that makes it, its cells by column, and the sort key of each column (None:
#: empty, last).
Value = namedtuple("Value", "sql cells sorts")

EPOCH = datetime(1970, 1, 1)
ALPHABET = list("abcABCxyzXYZ019 _%'\\\"") + ["ä", "Ä", "ß", "é", "İ", "ı", "K", "Σ", "ς", "σ", "Ω", "😀", "日", "𐐀"]
MOODS = ["sad", "fine", "happy", "Äh, no'"]


def one(sql, cell, sort=None):
    return Value(sql, [cell], [cell if sort is None else sort])


def integer(bits):
    def draw(random):
        value = random.choice([random.randint(-20, 20), random.randint(-(1 << bits - 1), (1 << bits - 1) - 1)])
        return one(str(value), value)

    return draw


def floating(decimals):
    def draw(random):
        special = random.random()
        if special < 0.1:
            return one(random.choice(["NaN", "Infinity", "-Infinity"]), None)
        value = (
            round(random.uniform(-500, 500), decimals)
            if decimals < 6
            else random.choice(
                [random.uniform(-1, 1), random.uniform(-1e300, 1e300), float(random.randint(-9, 9)), 5e-324]
            )
        )
        return one(repr(value), value)

    return draw


def fixed(random):
    if random.random() < 0.05:
        return one("NaN", None)
    value = Decimal(random.randint(-(10**6), 10**6)) / 100
    return one(str(value), float(value))


def fixed_whole(random):
    value = random.choice([random.randint(-9, 9), random.randint(-(10**17), 10**17)])
    return one(str(value), value)


def wide(random):
    if random.random() < 0.05:
        text = random.choice(["NaN", "Infinity", "-Infinity"])
        return Value(text, [text, None], [text, None])
    text = (
        random.choice(["", "-"])
        + str(random.randint(1, 10 ** random.randint(1, 25)))
        + random.choice(["", "." + str(random.randint(0, 10 ** random.randint(1, 9)))])
    )
    return Value(text, [text, float(text)], [text, Decimal(text)])


def money(random):
    value = Decimal(random.randint(-(10**9), 10**9)) / 100
    return Value(f"{value:.2f}", [f"{value:.2f}", float(value)], [f"{value:.2f}", value])


def boolean(random):
    value = random.random() < 0.5
    return one(str(value).lower(), value)


def moment(zone):
    def draw(random):
        if random.random() < 0.05:
            return one(random.choice(["infinity", "-infinity", "1500-01-01", "4000-05-05"]), None)
        micros = random.choice(
            [random.randint(-9 * 10**15, 9 * 10**15), random.randint(-5, 5) * 500, 1_700_000_000_000_000]
        )
        text = (EPOCH + timedelta(microseconds=micros)).isoformat(" ") + zone
        return one(text, cell_of(micros), micros)

    return draw


def cell_of(micros):
    if micros % 1_000 == 0:
        return micros // 1_000
    return f"{Decimal(micros) / 1_000:.3f}"


def day(random):
    text = (datetime(1900, 1, 1) + timedelta(days=random.randint(0, 90_000))).date().isoformat()
    return one(text, text)


def clock(random):
    second = f"{random.randint(0, 23):02}:{random.randint(0, 59):02}:{random.randint(0, 59):02}"
    text = second + random.choice(["", f".{random.randint(1, 999_999):06}".rstrip("0")])
    return one(text, text)


def span(random):
    days, seconds = random.choice([0, 0, 1, 2, 400]), random.randint(1, 86_399)
    time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    text = ("" if days == 0 else "1 day " if days == 1 else f"{days} days ") + time
    total = days * 86_400 + seconds
    return Value(text, [text, total], [text, total])


def mood(random):
    label = random.choice(MOODS)
    return Value(label, [label, MOODS.index(label) + 1], [label, MOODS.index(label)])


def identity(random):
    text = str(uuid.UUID(int=random.getrandbits(128)))
    return one(text, text)


def text(random):
    value = "".join(random.choice(ALPHABET) for _ in range(random.choice([0, 1, 2, 3, 8, 30])))
    return one(value, value)


def code(random):
    value = "".join(random.choice("abAB ") for _ in range(4)).rstrip()
    return one(value, value)


def data(random):
    value = random.randbytes(random.randint(0, 5))
    return one("\\x" + value.hex(), "\\x" + value.hex())


def address(random):
    value = random.choice(["10.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32", f"192.168.0.{random.randint(0, 255)}"])
    return one(value, value)


def document(random):
    value = f'{{"n": {random.randint(0, 9)}}}'
    return one(value, value)


def tags(random):
    value = "{" + ",".join(random.choice("abc") for _ in range(random.randint(0, 3))) + "}"
    return one(value, value)


def points(random):
    numbers = [random.randint(0, 9) / 2 for _ in range(random.randint(0, 4))]
    return one("{" + ",".join(map(str, numbers)) + "}", numbers)


#: Column, SQL type, generator, and the names of further columns that the source makes of it.
COLUMNS = [
    ("small", "smallint", integer(16), []),
    ("whole", "integer", integer(32), []),
    ("big", "bigint", integer(64), []),
    ("real", "real", floating(2), []),
    ("double", "double precision", floating(17), []),
    ("price", "numeric(10,2)", fixed, []),
    ("units", "numeric(18,0)", fixed_whole, []),
    ("wide", "numeric", wide, ["wide ≈"]),
    ("cash", "money", money, ["cash ≈"]),
    ("flag", "boolean", boolean, []),
    ("at", "timestamptz", moment("+00"), []),
    ("local", "timestamp", moment(""), []),
    ("day", "date", day, []),
    ("clock", "time", clock, []),
    ("span", "interval", span, ["span s"]),
    ("mood", "mood", mood, ["mood #"]),
    ("identity", "uuid", identity, []),
    ("note", "text", text, []),
    ("title", 'varchar(40) COLLATE "C"', text, []),
    ("code", "char(4)", code, []),
    ("data", "bytea", data, []),
    ("address", "inet", address, []),
    ("document", "jsonb", document, []),
    ("tags", "text[]", tags, []),
    ("points", "float8[]", points, []),
]
NUMBERS = {"real", "double", "price", "wide ≈", "cash ≈", "span s"}
TIMES = {"at", "local"}


class Table:
    """Rows in memory. Every column may be empty but `id` and `small`."""

    def __init__(self, random, number):
        self.names = ["id"] + [name for column in COLUMNS for name in (column[0], *column[3])]
        self.inserts, self.rows = [], []
        for identity_ in random.sample(range(-number, number * 2), number):
            sql, cells, sorts = [str(identity_)], [identity_], [identity_]
            for name, _, draw, more in COLUMNS:
                if name != "small" and random.random() < 0.15:
                    value = Value(None, [None] * (1 + len(more)), [None] * (1 + len(more)))
                else:
                    value = draw(random)
                sql.append(value.sql)
                cells += value.cells
                sorts += value.sorts
            self.inserts.append(sql)
            self.rows.append((identity_, cells, sorts))
        self.place = {name: place for place, name in enumerate(self.names)}

    def create(self):
        columns = ", ".join(
            f"{name} {kind}" + (" NOT NULL" if name == "small" else "") for name, kind, _, _ in COLUMNS
        )
        return f"CREATE TABLE things (id bigint PRIMARY KEY, {columns})"

    def sorted(self, rows, sort):
        """Rows in order: empty cells last, ties by the key in the direction of the last term."""
        rows = sorted(rows, key=lambda row: row[0], reverse=bool(sort) and bool(sort[-1].get("descending")))
        for term in reversed(sort):
            place, descending = self.place[term["column"]], bool(term.get("descending"))
            filled = [row for row in rows if row[2][place] is not None]
            empty = [row for row in rows if row[2][place] is None]
            # `sorted` keeps ties in their order, also with `reverse`.
            rows = sorted(filled, key=lambda row: ordinal(row[2][place]), reverse=descending) + empty
        return rows

    def passes(self, row, filter):
        if "all" in filter:
            return all(self.passes(row, part) for part in filter["all"])
        if "any" in filter:
            return any(self.passes(row, part) for part in filter["any"])
        if "not" in filter:
            return not self.passes(row, filter["not"])
        name, operator = filter["column"], filter["op"]
        cell = row[1][self.place[name]]
        if operator == "isEmpty":
            return cell is None
        if cell is None:
            return False

        def value(wanted):
            return comparable(name, wanted)

        cell = comparable(name, cell)
        if operator == "oneOf":
            return any(cell == value(wanted) for wanted in filter["values"])
        if operator == "range":
            return ("from" not in filter or cell >= value(filter["from"])) and (
                "through" not in filter or cell <= value(filter["through"])
            )
        if operator in ("contains", "startsWith"):
            held, part = folded(row[1][self.place[name]]), folded(filter["value"])
            return part in held if operator == "contains" else held.startswith(part)
        wanted = value(filter["value"])
        return {
            "=": cell == wanted,
            "!=": cell != wanted,
            "<": cell < wanted,
            "<=": cell <= wanted,
            ">": cell > wanted,
            ">=": cell >= wanted,
        }[operator]

    def finds(self, row, search):
        return any(
            isinstance(cell, str) and name not in TIMES and folded(search) in folded(cell)
            for name, cell in zip(self.names, row[1])
        )

    def draw_filter(self, random, depth=0):
        if depth < 2 and random.random() < 0.4:
            kind = random.choice(["all", "any", "not"])
            if kind == "not":
                return {"not": self.draw_filter(random, depth + 1)}
            return {kind: [self.draw_filter(random, depth + 1) for _ in range(random.randint(0, 3))]}
        name = random.choice([name for name in self.names if name != "points"])
        cells = [row[1][self.place[name]] for row in self.rows if row[1][self.place[name]] is not None]
        values = [random.choice(cells) for _ in range(4)]
        if name in TIMES and random.random() < 0.3:
            values[0] = f"{comparable(name, values[0]) + Decimal('0.000001'):.6f}"
        is_text = isinstance(cells[0], str) and name not in TIMES
        operators = ["=", "!=", "<", "<=", ">", ">=", "range", "oneOf", "isEmpty"] + (
            ["contains", "startsWith"] * 2 if is_text else []
        )
        operator = random.choice(operators)
        if operator == "range":
            low, high = sorted(values[:2], key=lambda value: ordinal(comparable(name, value)))
            return random.choice(
                [
                    {"column": name, "op": operator, "from": low, "through": high},
                    {"column": name, "op": operator, "through": high},
                ]
            )
        if operator == "oneOf":
            return {"column": name, "op": operator, "values": values[: random.randint(0, 4)]}
        if operator == "isEmpty":
            return {"column": name, "op": operator}
        value = values[0]
        if operator in ("contains", "startsWith"):
            start = random.randint(0, len(value)) if operator == "contains" else 0
            value = random.choice([str.upper, str.lower, str])(value[start : start + random.randint(0, 3)])
        return {"column": name, "op": operator, "value": value}


def comparable(name, cell):
    if name in TIMES:
        return Decimal(str(cell))
    return cell.encode() if isinstance(cell, str) else float(cell) if name in NUMBERS else cell


def ordinal(value):
    return value.encode() if isinstance(value, str) else value


def folded(text):
    return "".join(character.lower() for character in text)


def alike(found, wanted):
    """Whether two cells are the same, also in their type."""
    if isinstance(found, float) and isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
        return found == wanted or math.isclose(found, wanted, rel_tol=0, abs_tol=0)
    return found == wanted
