"""Helpers of the painting tests, which check what is visible in every frame."""

import json

# Runs LOOK after every frame was painted, and stores its results.
WATCH_FRAMES = """
(look) => {
  window.frames_seen = [];
  const channel = new MessageChannel();  // a message posted in a frame arrives right after it was painted
  channel.port1.onmessage = () => {
    const seen = LOOK();
    if (seen !== undefined) frames_seen.push(seen);
    if (window.jump !== undefined) {  // after a look: one in between would see the jump before the page could
      const grid = document.querySelector('#grid');
      grid.scrollTop = jump * (grid.scrollHeight - grid.clientHeight);
      delete window.jump;
    }
    if (frames_seen.length < 3_000) requestAnimationFrame(() => channel.port2.postMessage(0));
  };
  requestAnimationFrame(() => channel.port2.postMessage(0));
}
"""


def watch(page, look):
    """Starts to record the result of a JavaScript function after every frame."""
    page.evaluate(WATCH_FRAMES.replace("LOOK", f"({look})"))


def seen(page):
    """Returns the results recorded so far."""
    return page.evaluate("frames_seen")


# The first visible row: its number, and the distance of its top edge from the column headers.
TOP_ROW = """
() => {
  const top = document.querySelector('[role=columnheader]').getBoundingClientRect().bottom;
  const grid = document.querySelector('#grid').getBoundingClientRect();
  const row = document.elementFromPoint(grid.left + 40, top + 14)?.closest('[role=row]');
  if (!row) return null;
  return { index: Number(row.getAttribute('aria-rowindex')),
    offset: row.getBoundingClientRect().top - top, text: row.textContent };
}
"""


class Trace:
    """Chromium's trace of what the browser did while a block ran."""

    def __init__(self, browser):
        self.browser = browser
        self.events = []

    def __enter__(self):
        self.browser.start_tracing(categories=["devtools.timeline"])
        return self

    def __exit__(self, *_):
        self.events = json.loads(self.browser.stop_tracing())["traceEvents"]

    def of(self, *names):
        """Returns the events with these names."""
        return [event for event in self.events if event.get("ph") == "X" and event["name"] in names]

    def forced_layouts(self):
        """Returns the layouts that a script forced by reading a size after a write."""
        dispatches = self.of("EventDispatch")
        pages = {event["pid"] for event in dispatches if event["args"]["data"]["type"] == "scroll"}
        scripts = dispatches + self.of("FireAnimationFrame", "TimerFire")
        return [f"{layout['name']} in {script['name']} {script['args'].get('data', {}).get('type', '')}"
                for layout in self.of("Layout") if layout["pid"] in pages
                for script in scripts
                if script["pid"] == layout["pid"] and script["tid"] == layout["tid"]
                and script["ts"] <= layout["ts"] and layout["ts"] + layout["dur"] <= script["ts"] + script["dur"]]
