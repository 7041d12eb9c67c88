"""What the tests of the page share: one browser for a file of tests, a server for a class, a page for each test."""

import os
import unittest

from playwright.sync_api import sync_playwright

from reader import Reader
from rowcast_server import ROOT, Server

ARTIFACTS = ROOT / "artifacts"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


class PageTest(unittest.TestCase):
    """A server and a browser for the class, a page for each test."""

    plugins = ()
    settings = {}
    command = None  # another server than the one that is built

    @classmethod
    def setUpClass(cls):
        ARTIFACTS.mkdir(exist_ok=True)
        cls.server = Server(*cls.plugins, settings=cls.settings, command=cls.command)
        cls.addClassCleanup(lambda: cls.server.stop())
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"])
        cls.addClassCleanup(cls.browser.close)

    def open(self, fragment="", **how):
        reader = Reader(self.browser, self.server, fragment, **how)
        self.addCleanup(reader.close)
        reader.wait_for_rows()
        return reader
