"""The plugin as a program, over its JSON lines and without a host."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "Plugins/http/endpoint.py"
sys.path.append(str(ROOT / "Tests/Sources/shared"))

from listed import Program as AnyProgram  # noqa: E402


class Program(AnyProgram):
    """One run of the plugin."""

    def __init__(self, **settings):
        super().__init__(PLUGIN, **settings)
