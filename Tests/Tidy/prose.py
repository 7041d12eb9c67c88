#!/usr/bin/env python3
"""Prints comments and documents that break the rules of wording or width.

The words confuse readers: vague actors, archaic forms, data that speaks, and summaries that open
with a question word. CONTRIBUTING.md has the rules. Tables, blocks of code and lines with a link
may be wider than prose, and Python code may be wider than its comments.
"""

import re
import subprocess

PATHS = ("*.swift", "*.c", "*.h", "*.cpp", "*.js", "*.mjs", "*.py", "*.md")
WIDTH = 100
CODE_WIDTH = 120
WORDS = re.compile("|".join((
    r"\b(whoever|whomever|somebody|someone|nobody|those who|he|him|his)\b",
    r"\b(anew|for ever|so manieth|as of the|thereby|wherever|whatever it is|besides?)\b",
    r"\b(is|are|be|was|were|been) told\b|\btells? (of|the|what|how|whether|by)\b",
    r"\b(is|are) (not )?heard\b|\bsays? (so|what|how|which|whether|of|no)\b",
    r"\bwords? (of|about|from)\b|\b(became|becomes?) of\b|\bwhat (became|is there|stands)\b",
    r"\b(can|could)(not| not) be\b(?! \w+ed\b)|\bis no (?!longer)\w+|\bthat (can|may) be\.",
)), re.IGNORECASE)
QUESTION = re.compile(r"(What|How|Which|Who|Whom|Where|By what|By how|By when|As what|Those|So)\b")
SLASHES = re.compile(r"\s*(///?|/\*\*?|\*(?!/))(?:\s(.*)|$)")
HASH = re.compile(r'\s*(#(?!!)|"""(?=[A-Z][a-z ]))\s?(.*)')
# Lines without a place for a break: addresses, links, types of parameters, and code alone.
IS_WIDE = re.compile(r"://|\]\(|@param|^\s*`[^`]*`\.?$")


def main():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", *PATHS]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for path in sorted(set(listed.split("\0"))):
        if path and not path.startswith("Tests/Fixtures/"):
            try:
                with open(path, encoding="utf-8") as file:
                    look(path, file.read().splitlines())
            except FileNotFoundError:  # removed, but not yet in git
                pass


def look(path, lines):
    is_python = path.endswith(".py")
    found = markdown(lines) if path.endswith(".md") else comments(lines, HASH if is_python else SLASHES)
    for number, line, text, is_summary in found:
        if len(line) > WIDTH and not IS_WIDE.search(line):
            print(f"{path}:{number}: {len(line)} columns")
        if word := WORDS.search(text):
            print(f"{path}:{number}: “{word[0]}”")
        if is_summary and QUESTION.match(text):
            print(f"{path}:{number}: a summary that opens with “{text.split()[0]}”")
    for number, line in enumerate(lines if is_python else (), 1):
        if len(line) > CODE_WIDTH:
            print(f"{path}:{number}: {len(line)} columns of code")


def comments(lines, pattern):
    """Yields the number, line and text of comments, and whether the text is a summary."""
    is_inside = is_open = False
    for number, line in enumerate(lines, 1):
        match = pattern.match(line)
        if match:
            text = (match[2] or "").strip()
            begins = match[1] in ("/**", '"""') or (match[1] == "///" and not is_inside)
            yield number, line, text, text != "" and (begins or is_open)
            is_open = text == "" and (begins or is_open)
        is_inside = match is not None and match[1] == "///"


def markdown(lines):
    """Yields the lines of prose as `comments` does."""
    is_code = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith(("    ", "|")):
            yield number, line, line.strip(), False


if __name__ == "__main__":
    main()
