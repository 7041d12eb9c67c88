"""Finds the bodies of a Swift file's functions, and combines several versions of them in one file.

An environment variable selects the version at run time. A mutant that changes only bodies, or the
initial value of a constant or property, then needs no separate build:

    func double(_ n: Int) -> Int {          func double(_ n: Int) -> Int {
      n + n                         ─▶        if planted_is(17) { return n } else { return n + n }
    }                                       }

The parser only knows braces, parentheses, strings, comments and the words before a brace. If it
misreads a file, the result does not compile; `Woven.owners` maps the failing line to its mutants.
"""
import re

TYPES = {"struct", "class", "enum", "extension", "actor"}
DECLARATION = re.compile(
    r"(?<![.\w`])(?:(func)\s+[^\s(<]+|(var|let|case)\s+\w+|"
    r"(init|deinit|subscript|struct|class|enum|extension|protocol|actor)\b)")
ACCESSOR = re.compile(r"(?:(?:mutating|nonmutating)\s+)?(get|set|didSet|willSet|_read|_modify)\b")
VALUE = re.compile(r"^[ ]*(?:[a-z]+(?:\(\w+\))? )*(?:let|var) \w+(?:: [^=\n{]+)? = (?=\S)", re.MULTILINE)
BEGINS_STATEMENT = re.compile(
    r"(return|let|var|guard|for|while|repeat|defer|throw|do|precondition|"
    r"preconditionFailure|fatalError|#if|_ =)\b")


def masked(text):
    """Replaces comments and strings by blanks of the same length, and returns the text."""
    out, i = list(text), 0
    while i < len(text):
        if text.startswith("//", i):
            end = text.find("\n", i)
            end = len(text) if end < 0 else end
        elif text.startswith("/*", i):
            end = text.find("*/", i) + 2
        elif string := re.compile(r'(#*)("""|")').match(text, i):
            end = end_of_string(text, string)
        else:
            i += 1
            continue
        for k in range(i, end):
            if out[k] != "\n":
                out[k] = " "
        # A string literal is a value, so it leaves a placeholder for one.
        if text[i] in '"#':
            out[i] = "0"
        i = end
    return "".join(out)


def end_of_string(text, opening):
    """Returns the end of a string literal, whose interpolations may contain strings."""
    hashes, quote = opening[1], opening[2]
    escape, closing, i = "\\" + hashes, quote + hashes, opening.end()
    while not text.startswith(closing, i):
        if text.startswith(escape + "(", i):
            i, depth = i + len(escape) + 1, 1
            while depth:
                inner = re.compile(r'(#*)("""|")').match(text, i)
                if inner:
                    i = end_of_string(text, inner)
                    continue
                depth += {"(": 1, ")": -1}.get(text[i], 0)
                i += 1
        elif text.startswith(escape, i):
            i += len(escape) + 1
        else:
            i += 1
    return i + len(closing)


def closing(text, i):
    """Returns the position of the bracket that closes the one at `i`."""
    depth = 0
    while True:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i
        i += 1


def flat(text):
    """Replaces the content of parentheses by blanks of the same length, and returns the text."""
    out, depth = [], 0
    for c in text:
        depth -= c in ")]"
        out.append(" " if depth > 0 and c != "\n" else c)
        depth += c in "(["
    return "".join(out)


class Body:
    """The text between two braces, or after the "=" of a property."""

    def __init__(self, start, end, kind):
        self.start, self.end, self.kind = start, end, kind  # "plain", "returns" or "value"


class File:
    """A Swift file split into its bodies and the text between them, both in order."""

    def __init__(self, text):
        self.text, self.mask, self.bodies, self.braces = text, masked(text), [], []
        self.read_members(0, len(text))
        self.read_values()
        self.bodies.sort(key=lambda body: body.start)
        at, self.between = 0, []
        for body in self.bodies:
            self.between.append(text[at : body.start])
            at = body.end
        self.between.append(text[at:])

    def versions(self):
        return [self.text[body.start : body.end] for body in self.bodies]

    def read_members(self, i, end):
        head = i
        while i < end:
            if self.mask[i] in "([":
                i = closing(self.mask, i)
            elif self.mask[i] == "{":
                close = closing(self.mask, i)
                self.read_block(head, i, close)
                i = head = close
                head += 1
            i += 1

    def read_block(self, head, brace, close):
        """Records the block behind a brace as a body or members, depending on the words before it.
        """
        words = flat(self.mask[head:brace])
        last = None
        for last in DECLARATION.finditer(words):
            pass
        word = last and (last[1] or last[2] or last[3])
        if word in TYPES:
            return self.read_members(brace + 1, close)
        self.braces.append((brace, close))
        signature = words[last.end() :] if last else ""
        accessor = ACCESSOR.match(self.mask[brace + 1 : close].lstrip())
        if word in ("func", "init", "deinit"):
            arrow = words.rfind("->")
            answer = self.mask[head + arrow + 2 : brace].lstrip() if word == "func" and arrow > last.start() else ""
            returns = answer and not re.match(r"\(\s*\)|Void\b|Never\b", answer)
            self.bodies.append(Body(brace + 1, close, "returns" if returns else "plain"))
        elif word in ("var", "subscript") and accessor:
            self.read_accessors(brace + 1, close)
        elif word in ("var", "subscript") and not re.search(r"(?<![=!<>])=(?!=)", signature):
            self.bodies.append(Body(brace + 1, close, "returns"))

    def read_accessors(self, i, end):
        while i < end:
            if self.mask[i] == "{":
                close, word = closing(self.mask, i), None
                for word in ACCESSOR.finditer(self.mask[:i], max(0, i - 60)):
                    pass
                if word and not word[1].startswith("_"):
                    self.bodies.append(Body(i + 1, close, "returns" if word[1] == "get" else "plain"))
                i = close
            i += 1

    def read_values(self):
        """Records the initial values of types' properties and constants as bodies."""
        for match in VALUE.finditer(self.mask):
            if any(start < match.end() < end for start, end in self.braces):
                continue
            i = match.end()
            while self.mask[i] != "\n":
                if self.mask[i] == "{":
                    break
                i = closing(self.mask, i) + 1 if self.mask[i] in "([" else i + 1
            if self.mask[i] == "\n" and not re.match(r"\s*[.?:&|+*/<>=-]", self.mask[i:]):
                self.bodies.append(Body(match.end(), match.end() + len(self.mask[match.end() : i].rstrip()), "value"))


def as_statements(body, kind):
    """Adds the implicit `return` to a body that is a single expression."""
    mask = masked(body)
    if kind != "returns" or not mask.strip() or BEGINS_STATEMENT.match(mask.lstrip()):
        return body
    if re.match(r"\s*(if|switch)\b", mask):
        if re.search(r"\breturn\b", mask):
            return body
    else:
        # A `return` in braces belongs to a closure.
        outside, i = [], 0
        while i < len(mask):
            if mask[i] == "{":
                i = closing(mask, i)
            outside.append(mask[i])
            i += 1
        if re.search(r"\breturn\b", "".join(outside)):
            return body
    begin = len(mask) - len(mask.lstrip())
    return body[:begin] + "return " + body[begin:]


class Woven:
    """A file with all versions of its bodies, and the mutants that own each of its lines."""

    def __init__(self, file, versions):
        """Combines a file with its mutants' versions: (number, name, {body index: text}) each."""
        self.owners = {}
        self.line, self.parts = 1, []
        self.add("import CPlanted\n")
        for which, body in enumerate(file.bodies):
            self.add(file.between[which])
            own = [(number, name, bodies[which]) for number, name, bodies in versions if which in bodies]
            original = file.text[body.start : body.end]
            start = self.line
            if own and body.kind == "value":
                for number, name, text in own:
                    self.add(f"planted_is({number}) ? (")
                    self.add(text, name)
                    self.add(") : ")
                self.add(f"({original})")
            elif own:
                for number, name, text in own:
                    self.add(f"\nif planted_is({number}) {{\n")
                    self.add(as_statements(text, body.kind), name)
                    self.add("\n} else ")
                self.add("{\n" + as_statements(original, body.kind) + "\n}\n")
            else:
                self.add(original)
            for line in range(start, self.line + 1):
                if own and line not in self.owners:
                    self.owners[line] = {name for _, name, _ in own}
        self.add(file.between[-1])
        self.text = "".join(self.parts)

    def add(self, text, owner=None):
        if owner:
            for line in range(self.line, self.line + text.count("\n") + 1):
                self.owners.setdefault(line, set()).add(owner)
        self.parts.append(text)
        self.line += text.count("\n")


def versions_of(file, planted):
    """Returns the bodies that a mutant changes and their new texts.

    Returns None if it changes anything other than bodies.
    """
    other = File(planted)
    if other.between != file.between or [b.kind for b in other.bodies] != [b.kind for b in file.bodies]:
        return None
    changed = {n: (old, new) for n, (old, new) in enumerate(zip(file.versions(), other.versions())) if old != new}
    return {n: new for n, (_, new) in changed.items()}
