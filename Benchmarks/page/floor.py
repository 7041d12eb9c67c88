"""The lower bound for the time to first rows on a machine: a static document that contains them.

It has no script, style sheet or socket.
"""

import contextlib
import pathlib
import tempfile


@contextlib.contextmanager
def folder(rows=30, columns=10):
    """Creates a folder with the document, to be served in place of the page."""
    cells = lambda role, row: "".join(f'<td role="{role}">{row * 7919 % 10_007 + at}</td>' for at in range(columns))
    lines = "".join(f'<tr role="row" aria-rowindex="{row + 2}">{cells("gridcell", row)}</tr>' for row in range(rows))
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place)
        path.joinpath("index.html").write_text(
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Floor</title>'
            f'<table cellspacing="0" id="grid" role="grid" aria-rowcount="{rows + 1}"><tr '
            f'role="row" aria-rowindex="1">{cells("columnheader", 0)}</tr>{lines}</table></html>')
        yield path
