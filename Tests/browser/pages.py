"""The base class of page tests: one browser per run, one server per class, one page per test."""

import unittest

from browsers import IS_FIREFOX, shared_browser
from user import User
from rowcast_server import ROOT, Server

# Screenshots; those of Firefox have their own folder.
ARTIFACTS = ROOT / "artifacts" / ("firefox" if IS_FIREFOX else "")


class PageTest(unittest.TestCase):
    """A server for the class, a page for each test."""

    plugins = ()
    settings = {}
    command = None  # a server command to use instead of the built server

    @classmethod
    def setUpClass(cls):
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        cls.server = cls.serve()
        cls.addClassCleanup(lambda: cls.server.stop())
        cls.browser = shared_browser()

    @classmethod
    def serve(cls):
        return Server(*cls.plugins, settings=cls.settings, command=cls.command)

    def open(self, fragment="", **how):
        user = User(self.browser, self.server, fragment, **how)
        self.addCleanup(user.close)
        user.wait_for_rows()
        return user
