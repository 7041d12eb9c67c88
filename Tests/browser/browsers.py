"""Starts Debian's browsers for the tests.

`ROWCAST_BROWSER` selects `chromium` (the default) or `firefox`.
"""

import atexit
import functools
import os
import pathlib
import sys
import tempfile
import unittest

from playwright.sync_api import sync_playwright

NAME = os.environ.get("ROWCAST_BROWSER", "chromium")
IS_FIREFOX = NAME == "firefox"
# Chromium without its window: the same engine for half of the work.
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell")

# Firefox without first-run dialogs and smooth scrolling, and with scrollbars that can be dragged.
PREFERENCES = {
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False,
    "app.update.enabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "privacy.reduceTimerPrecision": False, "general.smoothScroll": False, "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False, "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "app.normandy.enabled": False, "widget.gtk.overlay-scrollbars.enabled": False,
    "ui.systemUsesDarkTheme": 0, "ui.prefersReducedMotion": 0, "browser.display.document_color_use": 0,
}  # fmt: skip


# The browser of all tests, once launched, and its contexts that no test uses, by their options.
_shared, _kept = [], {}


def only_chromium(reason):
    """Skips a test or test class in Firefox, because of the browser or of Playwright's support."""
    return unittest.skipIf(IS_FIREFOX, reason)


@functools.cache
def _driver():
    """Returns the Playwright of this process."""
    driver = sync_playwright().start()
    atexit.register(driver.stop)
    return driver


def shared_browser():
    """Returns the browser of this process's tests.

    The first of them launches it, which costs as much processor time as a test. The next one
    replaces a browser that has crashed.
    """
    if not _shared or not _shared[0].is_connected():
        _shared[:] = [launch()]
        _kept.clear()
    return _shared[0]


def launch(*switches, preferences=None, has_bars=False, playwright=None):
    """Launches a headless browser for tests that need switches of their own.

    `switches` apply to Chromium, `preferences` to Firefox. Chromium shows scrollbars only with
    `has_bars`.
    """
    playwright = playwright or _driver()
    return _start(playwright.firefox if IS_FIREFOX else playwright.chromium, switches, preferences or {}, has_bars)


def _start(kind, switches, preferences, has_bars=False):
    if IS_FIREFOX:
        return kind.launch(
            channel="moz-firefox", executable_path=_door(),
            firefox_user_prefs={**PREFERENCES, **preferences})
    return kind.launch(
        executable_path=CHROMIUM,
        # One process for the pages of a context, and none in advance.
        args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--renderer-process-limit=1", *switches],
        ignore_default_args=["--hide-scrollbars"] if has_bars else None)


def open_page(browser, origin, script, scheme, motion, size, forced_colors=None, is_first=False, **how):
    """Returns a page with the given user preferences, and the function that closes it.

    The preferences are the color scheme, reduced motion and forced colors. `script` runs before
    those of the page. The page has no data of earlier ones, but may share their process unless it
    `is_first` in its own.
    """
    if IS_FIREFOX or is_first or browser not in _shared:
        context, opened = _context_of(browser, scheme, motion, size, forced_colors, **how)
        context.add_init_script(script)
        return context.new_page(), opened.close
    free = _kept.setdefault(repr(sorted(how.items())), [])
    kept = free.pop() if free else KeptContext(browser, script, how)
    page = kept.open(origin)
    if size != KeptContext.SIZE:
        page.set_viewport_size({"width": size[0], "height": size[1]})
    if (scheme, motion, forced_colors) != ("light", "no-preference", None):
        page.emulate_media(color_scheme=scheme, reduced_motion=motion, forced_colors=forced_colors)
    return page, lambda: free.append(kept.close())


class KeptContext:
    """A context of Chromium for one test after the other.

    A blank page stays open in it and keeps the renderer's process. In that, opening a page takes a
    third less processor time than in a new one.
    """

    SIZE = (1280, 760)

    def __init__(self, browser, script, how):
        self.context = browser.new_context(viewport={"width": self.SIZE[0], "height": self.SIZE[1]}, **how)
        self.context.add_init_script(script)
        self.blank = self.context.new_page()
        # Of the same site as the servers, because another site has another process.
        self.blank.route("**", lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))
        self.blank.goto("http://127.0.0.1/")
        self.session = self.context.new_cdp_session(self.blank)

    def open(self, origin):
        """Returns a page in which nothing is stored for an origin."""
        self.session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        self.session.send("Network.clearBrowserCache")
        self.context.clear_cookies()
        return self.context.new_page()

    def close(self):
        """Closes the pages of a test, and returns the context."""
        for page in self.context.pages:
            if page is not self.blank:
                page.close()
        return self


def _context_of(browser, scheme, motion, size, forced_colors=None, **how):
    how["viewport"] = {"width": size[0], "height": size[1]}
    if not IS_FIREFOX:
        context = browser.new_context(color_scheme=scheme, reduced_motion=motion, forced_colors=forced_colors, **how)
        return context, context
    # Firefox has these preferences for the whole browser only.
    likes = {"ui.systemUsesDarkTheme": int(scheme == "dark"), "ui.prefersReducedMotion": int(motion == "reduce"),
             "browser.display.document_color_use": 2 if forced_colors == "active" else 0}
    own = (
        browser if all(PREFERENCES[name] == value for name, value in likes.items())
        else _start(browser.browser_type, (), likes))
    context = own.new_context(**how)
    return context, context if own is browser else own


@functools.cache
def _door():
    """Returns the path of a program that runs bidi.py with this Python in place of Firefox."""
    folder = tempfile.TemporaryDirectory(prefix="rowcast-firefox-")
    atexit.register(folder.cleanup)
    path = pathlib.Path(folder.name) / "firefox"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{pathlib.Path(__file__).with_name("bidi.py")}" "$@"\n')
    path.chmod(0o700)
    return path
