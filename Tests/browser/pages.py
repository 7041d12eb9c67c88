"""What the tests of the page share: one browser for a file of tests, a server for a class, a page for each test."""

import unittest

from playwright.sync_api import sync_playwright

from browsers import IS_FIREFOX, launch
from reader import Reader
from rowcast_server import ROOT, Server

# Pictures to look at: those of Firefox beside those of Chromium.
ARTIFACTS = ROOT / "artifacts" / ("firefox" if IS_FIREFOX else "")


class PageTest(unittest.TestCase):
    """A server and a browser for the class, a page for each test."""

    plugins = ()
    settings = {}
    command = None  # another server than the one that is built

    @classmethod
    def setUpClass(cls):
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        cls.server = cls.serve()
        cls.addClassCleanup(lambda: cls.server.stop())
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = launch(playwright)
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def serve(cls):
        return Server(*cls.plugins, settings=cls.settings, command=cls.command)

    def open(self, fragment="", **how):
        reader = Reader(self.browser, self.server, fragment, **how)
        self.addCleanup(reader.close)
        reader.wait_for_rows()
        return reader
