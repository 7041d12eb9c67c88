"""The market's quotes, as far as tests look for them: pure functions of a row's number."""


def mixed(x):
    z = (x + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def note(row):
    """The note of a row of the market: no other row has the same."""
    x = mixed((mixed(6) + row) % 2**64)
    return f"note-{x:016x}-{x % 100:02}"
