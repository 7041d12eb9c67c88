"""The table `quotes` and its workloads for the peers, with a plain mirror of the data.

All values are pure functions of a counter, as in Plugins/market/Quotes. Updates with equal keys in one
batch are reduced to the last one before an engine gets them.
"""

import json
import os
import statistics
import sys
import time

import numpy as np

COLUMNS = ["id", "symbol", "sector", "price", "size", "bid", "ask", "ts", "side", "note"]
SECTORS = [f"Sector-{number:02d}" for number in range(20)]
SECTOR_TEXTS = np.array(SECTORS, dtype=object)
SYMBOL_TEXTS = np.array([f"SYM{number:05d}" for number in range(10_000)], dtype=object)
SIDE_TEXTS = np.array(["BUY", "SELL"], dtype=object)
START = 1_700_000_000_000
LOAD = 10_000  # the rows of a batch while the table is loaded
WINDOW = 60

# The most seconds and batches of one cell of W2.
SECONDS = float(os.environ.get("W2_CAP_S", "3"))
MOST_BATCHES, LEAST_BATCHES = 300, 10
BATCHES = [1000, 100, 10]
MODES = ["sort", "filter", "group"]

# The operations of W3, by the names that Rowcast's benchmark uses.
BY_BID, BY_SYMBOL, BY_NOTE = "sort_float(bid asc)", "sort_str10k(symbol asc)", "sort_str1M(note asc)"
SYMBOL_HAS_77, NOTE_HAS_DEAD = "filter symbol contains 77 + price desc", "filter note contains dead + price desc"
ONE_SECTOR, BY_SECTOR, BY_BOTH = "filter sector== + price desc", "group sector", "group sector,symbol"


def _word(number):
    return np.uint64(number)


def _mix(x):
    with np.errstate(over="ignore"):
        z = x + _word(0x9E3779B97F4A7C15)
        z = (z ^ (z >> _word(30))) * _word(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> _word(27))) * _word(0x94D049BB133111EB)
        return z ^ (z >> _word(31))


def _hash(stream, counters):
    with np.errstate(over="ignore"):
        return _mix(_mix(np.array([stream], dtype=np.uint64)) + counters)


def _prices(price_stream, spread_stream, counters):
    price = (_hash(price_stream, counters) % _word(1_000_000_000)).astype(np.float64) / 10_000.0
    spread = (1 + (_hash(spread_stream, counters) % _word(10)).astype(np.float64)) / 100.0
    return {"price": price, "bid": price - spread, "ask": price + spread}


def _sizes(stream, counters):
    return 1 + (_hash(stream, counters) % _word(10_000)).astype(np.int64)


def fixed(ids):
    """Returns the columns of rows that updates do not change."""
    counters = ids.astype(np.uint64)
    symbols = (_hash(1, counters) % _word(10_000)).astype(np.int64)
    notes = [f"note-{x:016x}-{x % 100:02d}" for x in _hash(6, counters).tolist()]
    return {
        "id": ids, "symbol": SYMBOL_TEXTS[symbols], "sector": SECTOR_TEXTS[symbols % 20],
        "side": SIDE_TEXTS[(_hash(5, counters) & _word(1)).astype(np.int64)], "note": np.array(notes, dtype=object),
    }  # fmt: skip


def rows(first, end):
    """Returns the rows with the keys first..<end as arrays by column."""
    counters = np.arange(first, end, dtype=np.uint64)
    ids = counters.astype(np.int64)
    return {**fixed(ids), **_prices(2, 4, counters), "size": _sizes(3, counters), "ts": START + ids}


def updates(first, count, keys, lowest=0):
    """Returns the updates with the counters first..<first+count, of keys from lowest on."""
    counters = np.arange(first, first + count, dtype=np.uint64)
    ids = lowest + (_hash(11, counters) % _word(keys)).astype(np.int64)
    values = {
        "id": ids, **_prices(12, 14, counters), "size": _sizes(13, counters),
        "ts": START + 10_000_000 + counters.astype(np.int64),
    }  # fmt: skip
    _, last = np.unique(ids[::-1], return_index=True)
    kept = np.sort(count - 1 - last)
    return {name: column[kept] for name, column in values.items()}


def parts(count, size=LOAD):
    return ((first, min(first + size, count)) for first in range(0, count, size))


class Mirror:
    """The table as plain arrays, and what a correct engine shows of it."""

    def __init__(self, count):
        pieces = [rows(*part) for part in parts(count, 100_000)]
        self.columns = {name: np.concatenate([piece[name] for piece in pieces]) for name in COLUMNS}

    def apply(self, changed):
        for name, values in changed.items():
            self.columns[name][changed["id"]] = values

    def sections(self):
        """Returns (sector, sum of sizes, mean of prices) for each sector."""
        found = []
        for sector in SECTORS:
            isIn = self.columns["sector"] == sector
            found.append((sector, int(self.columns["size"][isIn].sum()), float(self.columns["price"][isIn].mean())))
        return found

    def prices(self, isKept=None):
        """Returns the highest prices of the table, or of the rows that are kept."""
        price = self.columns["price"] if isKept is None else self.columns["price"][isKept]
        return np.sort(price)[::-1][:WINDOW].tolist()

    def in_sector(self):
        return self.columns["sector"] == SECTORS[3]

    def expected(self, mode):
        """Returns what a window of W2 shows."""
        if mode == "group":
            return self.sections()
        return self.prices(self.in_sector() if mode == "filter" else None)

    def opened(self, operation):
        """Returns what a first window of W3 shows: the values of the sorted column, or sections."""
        lowest = lambda name: np.sort(self.columns[name])[:WINDOW].tolist()
        contains = lambda name, text: np.array([text in value for value in self.columns[name]])
        return {
            BY_BID: lambda: lowest("bid"), BY_SYMBOL: lambda: lowest("symbol"), BY_NOTE: lambda: lowest("note"),
            SYMBOL_HAS_77: lambda: self.prices(contains("symbol", "77")),
            NOTE_HAS_DEAD: lambda: self.prices(contains("note", "dead")),
            ONE_SECTOR: lambda: self.prices(self.in_sector()), BY_SECTOR: self.sections,
        }[operation]()  # fmt: skip


def is_right(shown, expected):
    """Whether an engine shows what the mirror expects. Means may differ by rounding."""
    if len(shown) != len(expected):
        return False
    if expected and isinstance(expected[0], tuple):
        return all(a[:2] == b[:2] and abs(a[2] - b[2]) < 1e-6 * b[2] for a, b in zip(shown, expected))
    return shown == expected


def resident():
    """Returns the resident bytes of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def statistic(seconds):
    """Returns percentiles in milliseconds."""
    ordered = sorted(seconds)
    at = lambda percent: round(ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * 1e3, 3)
    return {"n": len(ordered), "p50": round(statistics.median(ordered) * 1e3, 3), "p99": at(99), "max": at(100)}


def timed(work):
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


def run(name, make):
    """Runs a workload on an engine: `SCRIPT w1|w2|w3|w5 ROWS`.

    `make` returns an empty engine with these functions: `prepare` converts columns to what the engine
    takes, which is not measured; `insert`, `update` and `remove` change the table; `open` returns a
    function that reads the window of a mode or operation; `forget` deletes the views that `open` made,
    except one; `jump` reads 60 rows at an offset of the table by price.
    """
    workload, count = sys.argv[1], int(sys.argv[2])
    emit = lambda **fields: print(json.dumps({"engine": name, **fields}), flush=True)
    engine = make()
    {"w1": load, "w2": change, "w3": look, "w5": churn}[workload](engine, count, emit)


def fill(engine, count):
    """Loads the table and returns the engine's seconds."""
    seconds = 0.0
    for part in parts(count):
        batch = engine.prepare(rows(*part))
        seconds += timed(lambda: engine.insert(batch))[1]
    return seconds + timed(engine.settle)[1]


def load(engine, count, emit):
    before = resident()
    seconds = fill(engine, count)
    loaded = resident()
    engine.open("sort")()
    emit(
        w="W1", rows=count, rows_per_s=round(count / seconds), rss_per_row=round((loaded - before) / count, 1),
        rss_per_row_with_sorted_view=round((resident() - before) / count, 1),
    )  # fmt: skip


def change(engine, count, emit):
    fill(engine, count)
    mirror, counter = Mirror(count), 0
    for mode in MODES:
        window = engine.open(mode)
        window()
        for size in BATCHES:
            seconds = []
            while len(seconds) < MOST_BATCHES and (len(seconds) < LEAST_BATCHES or sum(seconds) < SECONDS):
                changed = updates(counter, size, count)
                counter += size
                batch = engine.prepare(changed)
                mirror.apply(changed)
                shown, taken = timed(lambda: (engine.update(batch), window())[1])
                seconds.append(taken)
            right = is_right(shown, mirror.expected(mode))
            emit(w="W2", N=count, mode=mode, B=size, batch_ms=statistic(seconds), verify=right)
        engine.forget()


def look(engine, count, emit):
    fill(engine, count)
    mirror = Mirror(count)
    engine.open("sort")()  # of another client, live meanwhile
    for operation in (BY_BID, BY_SYMBOL, BY_NOTE, SYMBOL_HAS_77, NOTE_HAS_DEAD, ONE_SECTOR, BY_SECTOR, BY_BOTH):
        taken = []
        for _ in range(3):
            engine.forget("sort")
            shown, seconds = timed(lambda: engine.open(operation)())
            taken.append(seconds)
        # The sections of two columns differ in form between engines, and are not compared.
        right = {} if operation == BY_BOTH else {"verify": is_right(shown, mirror.opened(operation))}
        emit(w="W3", N=count, op=operation, median_ms=round(statistics.median(taken) * 1e3, 1), **right)
    if not hasattr(engine, "jump"):
        return
    jumps = [timed(lambda: engine.jump(number * 49_999 % (count - WINDOW)))[1] for number in range(20)]
    emit(w="W3", N=count, op="scroll jump (same view)", stats=statistic(jumps))


def churn(engine, count, emit, batches=300):
    fill(engine, count)
    first = rows(0, count)
    price = dict(zip(first["id"].tolist(), first["price"].tolist()))
    window, seconds = engine.open("sort"), []
    for number in range(batches):
        inserted = rows(count + 50 * number, count + 50 * (number + 1))
        changed = updates(100 * number, 100, count, lowest=50 * (number + 1))
        removed = list(range(50 * number, 50 * (number + 1)))
        for part in (inserted, changed):
            price.update(zip(part["id"].tolist(), part["price"].tolist()))
        for key in removed:
            del price[key]
        new, old = engine.prepare(inserted), engine.prepare(changed)

        def apply():
            engine.insert(new)
            engine.update(old)
            engine.remove(removed)
            return window()

        shown, taken = timed(apply)
        seconds.append(taken)
    right = is_right(shown, sorted(price.values(), reverse=True)[:WINDOW])
    rate = round(200 * batches / sum(seconds))
    emit(w="W5", N=count, batches=batches, batch_ms=statistic(seconds), row_ops_per_s=rate, verify=right)
