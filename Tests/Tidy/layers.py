#!/usr/bin/env python3
"""Prints every type that a layer of ListEngine or Cluster uses from a layer above it.

A layer is a folder. The files outside the folders are above all layers.
"""

import collections
import os
import re

LAYERS = {
    "Sources/ListEngine": ["Base", "Model", "Query", "View", "Window", "Backend", "Remote", "Schedule", "."],
    "Sources/Cluster": ["Base", "Nats", "Messages", "Parts", "Publishing", "Relaying", "."],
}


def code(path):
    """Returns the text of a file without comments and string literals."""
    text = open(path, encoding="utf-8").read()
    return re.sub(r'"(?:[^"\\\\]|\\\\.)*"', '""', re.sub(r"//[^\n]*", "", text))


def check(root, layers):
    texts, declared = {}, {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            layer = os.path.relpath(folder, root)
            texts[path] = (layer, code(path))
            for match in re.finditer(
                    r"^(?:\w+ )*?(?:struct|class|enum|protocol|typealias) (\w+)", texts[path][1],
                    re.M):
                if "private" not in match.group(0):
                    declared[match.group(1)] = (layer, path)
    found = collections.defaultdict(set)
    for path, (layer, text) in texts.items():
        for word in set(re.findall(r"\b[A-Z]\w+\b", text)) & declared.keys():
            other, place = declared[word]
            if place != path and layers.index(other) > layers.index(layer):
                found[path].add(f"{word} of {other}")
    for path in sorted(found):
        print(f"{path}: {', '.join(sorted(found[path]))}")


if __name__ == "__main__":
    for name, order in LAYERS.items():
        check(name, order)
