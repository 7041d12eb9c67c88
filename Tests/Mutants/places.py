"""Finds the place of a mutant: a few tokens within a declaration of any file of a module.

A declaration is named by its type and its own name (`Throttle.deadline`), by its type alone (for what
is between the members), or by its own name (for a function outside of types). Extensions count for
the type that they extend. Renamed variables, new lines, and code that moves to another file of the
module therefore leave a mutant in its place.
"""
import re

from bodies import DECLARATION, File, VALUE, flat

TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\w+|[^\w\s]')


def tokens(text):
    """Returns the tokens of a text: (start, end) each."""
    return [match.span() for match in TOKEN.finditer(text)]


def pattern(text):
    """Returns an expression that finds the tokens of a text, whatever the blanks between them.

    At its ends it does not divide words or operators.
    """
    found = [text[start:end] for start, end in tokens(text)]
    parts = []
    for token, following in zip(found, found[1:] + [""]):
        parts.append(re.escape(token))
        if following:
            parts.append(r"\s+" if token[-1:].isalnum() and following[0].isalnum() else r"\s*")
    return re.compile(edge(found[0], "(?<!", True) + "".join(parts) + edge(found[-1], "(?!", False))


def edge(token, look, isStart):
    character = token[0] if isStart else token[-1]
    if re.match(r"\w", character):
        return look + r"\w)"
    return look + r"[=<>!&|+*/%?~^-])" if character in "=<>!&|+*/%?~^-" else ""


class Places:
    """The declarations of a module's files.

    Reading takes about 10 ms per 1,000 lines.
    """

    def __init__(self, root, module):
        paths = sorted((root / "Sources" / module).rglob("*.swift"))
        self.texts = {str(path.relative_to(root)): path.read_text() for path in paths}
        self.spans = {}
        for name, text in self.texts.items():
            for symbol, start, end in symbols(text):
                self.spans.setdefault(symbol, []).append((name, start, end))

    def find(self, symbol, text):
        """Returns the only place of the tokens in a declaration, (file, start, end), and None; or
        None and a complaint.
        """
        if symbol not in self.spans:
            return None, f"there is no declaration {symbol}"
        expression = pattern(text)
        found = set()
        for name, start, end in self.spans[symbol]:
            found |= {(name, *match.span()) for match in expression.finditer(self.texts[name], start, end)}
        if len(found) != 1:
            return None, f"its text occurs {len(found)} times in {symbol}: {text.strip().splitlines()[0]}"
        return found.pop(), None


class SymbolReader(File):
    """A file with the names and places of its declarations."""

    def __init__(self, text):
        self.types, self.found = [], []
        super().__init__(text)
        for match in VALUE.finditer(self.mask):
            if any(start < match.end() < end for start, end in self.braces):
                continue
            name = re.search(r"(?:let|var) (\w+)", match[0])[1]
            owner = self.type_at(match.end())
            end = self.mask.find("\n", match.end())
            self.found.append((f"{owner}.{name}" if owner else name, match.start(), len(text) if end < 0 else end))

    def type_at(self, at):
        inner = [
            (end - start, name) for name, start, end in self.found
            if "." not in name and name[0].isupper() and start <= at < end]
        return min(inner)[1] if inner else None

    def read_block(self, head, brace, close):
        words = flat(self.mask[head:brace])
        last = None
        for last in DECLARATION.finditer(words):
            pass
        word = last and (last[1] or last[2] or last[3])
        if not word:
            return super().read_block(head, brace, close)
        start = head + last.start()
        if word in ("struct", "class", "enum", "extension", "actor", "protocol"):
            name = re.match(r"\w+\s+([\w.]+)", words[last.start() :])
            if not name:
                return super().read_block(head, brace, close)
            name = name[1].split(".")[-1]
            self.found.append((name, start, close + 1))
            self.types.append(name)
            super().read_block(head, brace, close)
            self.types.pop()
            return
        name = re.match(r"(?:func|var|let|case)?\s*([^\s(<{:]+)", words[last.start() :])[1]
        self.found.append((f"{self.types[-1]}.{name}" if self.types else name, start, close + 1))
        super().read_block(head, brace, close)


def symbols(text):
    """Returns the declarations of a Swift file: (name, start, end) each."""
    return SymbolReader(text).found
