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


def only_chromium(reason):
    """Skips a test or test class in Firefox, because of the browser or of Playwright's support."""
    return unittest.skipIf(IS_FIREFOX, reason)


def launch(playwright, *switches, preferences=None, has_bars=False):
    """Launches a headless browser.

    `switches` apply to Chromium, `preferences` to Firefox. Chromium shows scrollbars only with
    `has_bars`.
    """
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


def context_of(browser, scheme, motion, size, forced_colors=None, **how):
    """Returns a context with the given user preferences, and the object to close after the test.

    The preferences are the color scheme, reduced motion and forced colors.
    """
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
