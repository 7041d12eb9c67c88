"""Debian's Firefox, driven by WebDriver BiDi over its own socket: no driver in between, and the browser as people have it."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

from websockets.sync.client import connect

PATH = os.environ.get("FIREFOX", "/usr/bin/firefox-esr")

# It asks nobody for anything, and its clock is as fine as it can be.
PREFERENCES = {
    "remote.active-protocols": 1, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False, "app.update.enabled": False, "browser.startup.homepage": "about:blank", "browser.startup.page": 0,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "privacy.reduceTimerPrecision": False, "general.smoothScroll": False, "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False, "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False, "app.normandy.enabled": False,
}


class Firefox:
    """One window; `close()` ends the browser and removes its profile."""

    def __init__(self, size=(1280, 800)):
        self.profile = pathlib.Path(tempfile.mkdtemp(prefix="rowcast-firefox-"))
        (self.profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()))
        self.process = subprocess.Popen(
            [PATH, "--headless", "--no-remote", "--profile", str(self.profile), "--remote-debugging-port", "0", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=dict(os.environ, HOME=str(self.profile), MOZ_HEADLESS="1"))
        address = self._address()
        self._open = contextlib.ExitStack()
        self.socket = self._open.enter_context(connect(f"{address}/session", max_size=None))
        self._number = 0
        self.command("session.new", {"capabilities": {}})
        self.context = self.command("browsingContext.getTree", {})["contexts"][0]["context"]
        self.command("browsingContext.setViewport", {"context": self.context, "viewport": {"width": size[0], "height": size[1]}})

    def _address(self):
        watchdog = threading.Timer(60, self.process.kill)
        watchdog.start()
        try:
            for line in self.process.stderr:
                found = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
                if found:
                    self._drain = threading.Thread(target=self.process.stderr.read, daemon=True)
                    self._drain.start()
                    return found.group(1)
        finally:
            watchdog.cancel()
        raise AssertionError("Firefox did not say where it listens")

    def command(self, method, parameters):
        self._number += 1
        self.socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv(timeout=120))
            if answer.get("id") == self._number:
                break
        if answer["type"] == "error":
            raise AssertionError(f"{method}: {answer['message'][:300]}")
        return answer["result"]

    def open(self, url):
        self.command("browsingContext.navigate", {"context": self.context, "url": url, "wait": "complete"})

    def evaluate(self, function, argument=None):
        """What a JavaScript function of one argument answers."""
        result = self.command("script.callFunction", {
            "functionDeclaration": f"async (text) => JSON.stringify(await ({function})(JSON.parse(text)) ?? null)",
            "arguments": [{"type": "string", "value": json.dumps(argument)}], "awaitPromise": True, "target": {"context": self.context}})
        if result["type"] != "success":
            raise AssertionError(json.dumps(result["exceptionDetails"]["text"]))
        return json.loads(result["result"]["value"])

    def until(self, condition, message, argument=None, timeout=15_000):
        """Waits, frame by frame, until a JavaScript function says yes; answers what it said."""
        answer = self.evaluate(
            f"""async (argument) => {{
              const end = performance.now() + {timeout};
              for (;;) {{
                const answer = ({condition})(argument);
                if (answer) return answer;
                if (performance.now() > end) return null;
                await new Promise(requestAnimationFrame);
              }}
            }}""", argument)
        if not answer:
            raise AssertionError(f"{message} (not within {timeout / 1_000:g} s)")
        return answer

    def wheel(self, x, y, pixels):
        self.command("input.performActions", {"context": self.context, "actions": [
            {"type": "wheel", "id": "wheel", "actions": [{"type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": pixels}]}]})

    def click(self, selector, text=None, button=0):
        """Presses and lets go in the middle of the first element, or of the first one with this text."""
        place = self.until("""({ selector, text }) => {
          const found = [...document.querySelectorAll(selector)].find((one) => one.checkVisibility() && (text === null || one.textContent.trim() === text));
          const box = found?.getBoundingClientRect();
          return box && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
        }""", f"there is {selector} {text or ''}", {"selector": selector, "text": text})
        self.command("input.performActions", {"context": self.context, "actions": [
            {"type": "pointer", "id": "mouse", "actions": [
                {"type": "pointerMove", **place}, {"type": "pointerDown", "button": button}, {"type": "pointerUp", "button": button}]}]})

    def type(self, text):
        self.command("input.performActions", {"context": self.context, "actions": [
            {"type": "key", "id": "keys", "actions": [{"type": kind, "value": each} for each in text for kind in ("keyDown", "keyUp")]}]})

    def press(self, key, control=False):
        """A key, as WebDriver names it: a character, or one of the private codes for the others; perhaps with Control."""
        keys = ["\ue009", key] if control else [key]
        self.command("input.performActions", {"context": self.context, "actions": [
            {"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": each} for each in keys] + [{"type": "keyUp", "value": each} for each in reversed(keys)]}]})

    def close(self):
        self._open.close()
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._drain.join(timeout=5)
        self.process.stderr.close()
        shutil.rmtree(self.profile, ignore_errors=True)
