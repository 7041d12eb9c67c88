#!/usr/bin/env python3
"""A windowed table of made-up people that answers everything rightly, or lies in one way.

windowed.py LIE ROWS PAGING: LIE is "nothing" or one of those below.
"""
import json, sys

LIE, COUNT, PAGING = sys.argv[1], int(sys.argv[2]), sys.argv[3]
COLUMNS = {"name": "text", "town": "text", "age": "integer", "weight": "number", "seen": "timestamp", "active": "boolean"}
NAMES = list(COLUMNS)
FILTERS = ["equal", "notEqual", "order", "range", "contains", "startsWith", "oneOf", "isEmpty", "any", "not"]
TOWNS = ("Ulm", "Bonn", "Aachen", None, "bremen", "Köln")


def person(n):
    mixed = n * 7919 % 1000
    return [n, "Person %03d" % mixed, TOWNS[mixed % 6], None if mixed % 11 == 0 else mixed % 90, mixed / 8,
            1700000000000 + mixed * 1000, mixed % 3 == 0]


ROWS = [person(n) for n in range(COUNT)]
asked = 0


def cell(row, name):
    return row[NAMES.index(name) + 1]


def key(value):
    return value.encode() if isinstance(value, str) else value


def fold(text):
    return text if LIE == "heeds-case" else text.lower()


def passes(row, term):
    if "all" in term:
        return all(passes(row, part) for part in term["all"])
    if "any" in term:
        return any(passes(row, part) for part in term["any"])
    if "not" in term:
        return not passes(row, term["not"])
    value = cell(row, term["column"])
    op = term["op"]
    if op == "isEmpty":
        return value is None
    if value is None:
        return False
    if op in ("contains", "startsWith"):
        text, part = fold(value), fold(term["value"])
        return part in text if op == "contains" else text.startswith(part)
    if op == "oneOf":
        return any(number(value) == number(other) for other in term["values"])
    if op == "range":
        low, high = term.get("from"), term.get("through")
        return (low is None or key(number(value)) >= key(number(low))) and (high is None or key(number(value)) <= key(number(high)))
    a, b = key(number(value)), key(number(term["value"]))
    return {"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def number(value):
    """Exact numbers come as texts."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def selected(query):
    rows = list(ROWS)
    if "filter" in query and LIE != "ignores-filter":
        rows = [row for row in rows if passes(row, query["filter"])]
        if LIE == "loses-a-row":
            rows = rows[:-1]
    if query.get("search") and LIE != "ignores-search":
        needle = query["search"].lower()
        rows = [row for row in rows if any(needle in value.lower() for value in row[1:3] if value is not None)]
    for name, value in zip(query.get("group", []), query.get("section", [])):
        rows = [row for row in rows if cell(row, name) == value]
    for term in reversed(query.get("sort", []) if LIE != "ignores-sort" else []):
        down = term["descending"] and LIE != "ignores-descending"
        full = [row for row in rows if cell(row, term["column"]) is not None]
        none = [row for row in rows if cell(row, term["column"]) is None]
        if LIE == "shuffles-ties":
            full.sort(key=lambda row: row[0] * (31 + asked) % 997)
        full.sort(key=lambda row: key(cell(row, term["column"])), reverse=down)
        rows = none + full if LIE == "empty-first" else full + none
    return rows


def page(query):
    rows, span = selected(query), query["rows"]
    count = len(rows)
    if LIE == "starts-at-second":
        rows = rows[1:]
        count -= 1
    begin = int(span["after"]) if "after" in span else 0
    begin += span["skip"]
    end = int(span["upTo"]) if "upTo" in span else len(rows)
    if LIE == "overlaps" and begin > 0:
        begin -= 1
    if LIE == "leaves-gaps" and begin > 0:
        begin += 1
    if LIE == "ignores-skip":
        begin = 0
    if LIE == "first-page-late" and begin == 0:
        begin = 1
    if LIE == "counts-one-more":
        count += 1
    if LIE == "counts-all":
        count = len(ROWS)
    block = rows[begin:min(end, begin + span["count"])]
    more = begin + len(block) < min(end, len(rows))
    answer = {"rows": block, "more": more and LIE != "ends-early", "count": count}
    if PAGING != "offset":
        answer.update(begin=str(begin), end=str(begin + len(block)))
    return answer


def sections(query):
    counts = {}
    for row in selected(dict(query, sort=[])):
        values = tuple(cell(row, name) for name in query["group"])
        counts[values] = counts.get(values, 0) + 1
    found = [list(values) + [count] for values, count in counts.items()]
    small = sorted(found, key=lambda section: section[-1])[:2]
    if LIE == "moves-between-sections" and len(small) == 2:
        small[0][-1] += 1
        small[1][-1] -= 1
    return {"group": query["group"], "sections": found}


def send(message):
    print(json.dumps(message), flush=True)


send({"type": "hello", "version": 1, "capabilities": ["health"]})
send({"type": "schema", "name": "people", "key": "integer", "prefetch": {"inFlight": 4, "patience": 10000},
     "columns": [{"name": name, "type": kind} for name, kind in COLUMNS.items()],
     "windowed": {"sort": NAMES, "filters": FILTERS, "filterColumns": NAMES, "searches": True, "group": ["town", "active"],
                  "count": "exact", "paging": PAGING, "tellsChanges": True, "cancels": True}})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "health":
        send({"type": "health", "id": message["id"]})
    elif message["type"] == "query":
        asked += 1
        send({"type": "page", "id": message["id"], **(sections(message) if "sections" in message else page(message))})
