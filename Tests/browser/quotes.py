"""The values of the market's quotes that tests expect, as pure functions of the row number."""


def mixed(x):
    z = (x + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def note(row):
    """Returns the note of a market row, which is unique."""
    x = mixed((mixed(6) + row) % 2**64)
    return f"note-{x:016x}-{x % 100:02}"
