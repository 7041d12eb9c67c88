"""The plugin as a program, over its JSON lines and without a host."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "stream"))

from program import ROOT, Program as AnyProgram  # noqa: E402

PLUGIN = ROOT / "Plugins/http/endpoint.py"


class Program(AnyProgram):
    """One run of the plugin."""

    def __init__(self, **settings):
        super().__init__(plugin=PLUGIN, **settings)
