"""The least that first rows can take on a machine: a document in which they already are, without script, style or socket of its own."""

import contextlib
import pathlib
import tempfile


@contextlib.contextmanager
def folder(rows=30, columns=10):
    """A folder to be served in the page's place."""
    cells = lambda role, row: "".join(f'<td role="{role}">{row * 7919 % 10_007 + at}</td>' for at in range(columns))
    lines = "".join(f'<tr role="row" aria-rowindex="{row + 2}">{cells("gridcell", row)}</tr>' for row in range(rows))
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place)
        path.joinpath("index.html").write_text(
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Floor</title>'
            f'<table cellspacing="0" id="grid" role="grid" aria-rowcount="{rows + 1}"><tr role="row" aria-rowindex="1">{cells("columnheader", 0)}</tr>{lines}</table></html>')
        yield path
