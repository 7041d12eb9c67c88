"""Debian's Chromium, as the tests start it."""

import os

PATH = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def launch(playwright, *more):
    """A browser without a window; `more` are switches of its own."""
    return playwright.chromium.launch(
        executable_path=PATH, args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", *more])
