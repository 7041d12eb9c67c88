#!/usr/bin/env python3
"""Prints comments in the checked folders that break the rules of wording or width.

The words confuse readers: vague actors, archaic forms, data that speaks, and summaries that open
with a question word. CONTRIBUTING.md lists what to write instead.
"""

import os
import re

FOLDERS = [
    "Sources/ListEngine", "Sources/SourceRuntime", "Sources/TextSource", "Sources/ProcessSource",
    "Sources/LibrarySource", "Sources/PluginExam", "Sources/Server", "Sources/Wire", "Sources/rowcast",
    "Sources/ListPlugin", "Sources/ListTesting", "Sources/Recording", "Plugins", "Benchmarks",
]
WIDTH = 100
WORDS = re.compile(
    r"\b(whoever|whomever|somebody|someone|nobody|those who|anew|for ever|so manieth|thereby|wherever|besides?)\b"
    r"|\b(is|are|be|was|were|been) told\b|\btells? (of|the|what|how|whether|by)\b|\b(is|are) (not )?heard\b|\b(became|becomes|become) of\b",
    re.I,
)
QUESTION = re.compile(r"^(What|How|Which|Who|Whom|Where|By what|By how|By when|As what|Those|So )\b")


def main():
    for folder in FOLDERS:
        for place, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if name.endswith((".swift", ".h", ".c")):
                    look(os.path.join(place, name))


def look(path):
    is_inside = False
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        match = re.match(r"\s*(///?)\s?(.*)", line.rstrip("\n"))
        if not match:
            is_inside = False
            continue
        text = match[2].strip()
        if len(line.rstrip("\n")) > WIDTH and "://" not in text:
            print(f"{path}:{number}: {len(line) - 1} columns")
        found = WORDS.search(text)
        if found:
            print(f"{path}:{number}: “{found[0]}”")
        if match[1] == "///" and not is_inside and QUESTION.match(text):
            print(f"{path}:{number}: a summary that opens with “{text.split()[0]}”")
        is_inside = match[1] == "///"


if __name__ == "__main__":
    main()
