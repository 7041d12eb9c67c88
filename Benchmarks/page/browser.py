"""Chromium with the same settings for all measured pages, and measurements over a period of time.
"""

import base64
import contextlib
import io
import json
import os
import time

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SIZE = {"width": 1280, "height": 800}
SWITCHES = [
    "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows", "--js-flags=--expose-gc",
    "--enable-precise-memory-info", "--disable-extensions", "--disable-component-update",
    "--disable-background-networking",
    "--no-first-run",
]
TICKS = os.sysconf("SC_CLK_TCK")
LATE = 25  # milliseconds between two frames; the normal interval is 16.7


def quantile(values, part):
    """Returns a quantile of the values, or None if there are none."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * part))], 2) if ordered else None


def busy():
    """Returns the CPU time used by the whole machine, in seconds."""
    with open("/proc/stat") as stat:
        fields = list(map(int, stat.readline().split()[1:9]))
    return (sum(fields[:7]) - fields[3] - fields[4]) / TICKS


def descendants(root):
    """Returns a process and all its descendants."""
    children, found, waiting = {}, [], [root]
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat") as stat:
            text = stat.read()
            children.setdefault(int(text[text.rindex(")") + 2:].split()[1]), []).append(int(name))
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    return found


def hold_the_machine():
    """Raises the priority of the measured processes over other sessions, where permitted.

    It sets the autogroup's nice value, because `nice` has no effect between sessions.
    """
    for process in descendants(os.getpid()):
        with contextlib.suppress(OSError), open(f"/proc/{process}/autogroup", "w") as group:
            group.write("-20")


class Page:
    """A page in its own browser."""

    def __init__(self, playwright, probe):
        self.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        self.page = self.browser.new_context(viewport=SIZE, color_scheme="light").new_page()
        self.complaints = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)[:200]))
        self.page.add_init_script(path=probe)
        self.session = self.page.context.new_cdp_session(self.page)
        self.session.send("Performance.enable", {"timeDomain": "timeTicks"})
        self.session.send("HeapProfiler.enable")
        hold_the_machine()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.close()

    def evaluate(self, script, argument=None):
        return self.page.evaluate(script, argument)

    def metrics(self):
        """Returns Chromium's performance counters."""
        return {metric["name"]: metric["value"] for metric in self.session.send("Performance.getMetrics")["metrics"]}

    def objects(self):
        """Returns the size of the page's own values in kilobytes.

        These are objects, arrays, strings, functions and numbers. Compiled code and the browser's
        internal data do not count.
        """
        pieces = []
        take = lambda event: pieces.append(event["chunk"])
        self.session.on("HeapProfiler.addHeapSnapshotChunk", take)
        self.session.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
        self.session.remove_listener("HeapProfiler.addHeapSnapshotChunk", take)
        heap = json.loads("".join(pieces))
        meta, nodes = heap["snapshot"]["meta"], heap["nodes"]
        fields, kinds = meta["node_fields"], meta["node_types"][0]
        own = {
            kinds.index(kind)
            for kind in (
                "object", "array", "string", "concatenated string", "sliced string", "closure",
                "number")}
        size = len(fields)
        types, sizes = nodes[fields.index("type")::size], nodes[fields.index("self_size")::size]
        return round(sum(bytes for kind, bytes in zip(types, sizes) if kind in own) / 1e3, 1)

    def wait(self, seconds):
        self.page.wait_for_timeout(seconds * 1_000)

    def until(self, condition, seconds=120):
        """Waits until a JavaScript expression is true.

        The page's policy forbids Playwright's own `wait_for_function`.
        """
        end = time.monotonic() + seconds
        while not self.evaluate(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            self.wait(0.02)

    def top(self):
        """Scrolls to the first row, and waits until the page is idle."""
        self.evaluate("() => { document.querySelector('#grid').scrollTop = 0; }")
        self.wait(0.7)

    def scroll(self, speed, seconds):
        """Scrolls by wheel at `speed` pixels per second."""
        area = self.evaluate("probe.area()")
        self.session.send("Input.synthesizeScrollGesture", {
            "x": area["x"] + area["width"] / 2, "y": area["y"] + area["height"] / 2,
            "yDistance": -speed * seconds, "speed": speed,
            "gestureSourceType": "mouse", "preventFling": True})

    def watch(self, work, looks=True):
        """Returns figures on frames and the main thread while `work()` runs."""
        before, worked, start = self.metrics(), busy(), time.monotonic()
        self.evaluate("(looks) => probe.record(looks)", looks)
        work()
        frames = self.evaluate("probe.stop()")
        passed = time.monotonic() - start
        after = self.metrics()
        times = frames["times"]
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        share = lambda name: round(100 * (after[name] - before[name]) / passed, 1)
        return {
            "frames": len(times), "fps": round(1_000 * len(gaps) / (times[-1] - times[0]), 1),
            "p50_ms": quantile(gaps, 0.5),
            "p99_ms": quantile(gaps, 0.99), "late_pct": round(100 * sum(gap > LATE for gap in gaps) / len(gaps), 2),
            "main_ms_per_frame": round(1_000 * (after["TaskDuration"] - before["TaskDuration"]) / len(times), 2),
            "main_busy_pct": share("TaskDuration"), "script_pct": share("ScriptDuration"),
            "layout_pct": share("LayoutDuration"),
            "style_pct": share("RecalcStyleDuration"), "long_tasks": len(frames["heldUp"]),
            "blank_frames_pct": round(
                100 * sum(count > 0 for count in frames["missing"])
                / max(1, len(frames["missing"])),
                2),
            "machine_cores": round((busy() - worked) / passed, 2),
        }

    def screencast(self, speed, seconds, row_height=28):
        """Returns the blank share of the frames presented while scrolling.

        It is the share of bands of one and a half row heights without any ink. The compositor shows
        such bands before the page has caught up.
        """
        import numpy
        from PIL import Image

        area, pictures = self.evaluate("probe.area()"), []

        def take(event):
            pictures.append(event["data"])
            self.session.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

        self.session.on("Page.screencastFrame", take)
        self.session.send(
            "Page.startScreencast",
            {
                "format": "jpeg", "quality": 40, "maxWidth": 640, "maxHeight": 400,
                "everyNthFrame": 1})
        self.scroll(speed, seconds)
        self.session.send("Page.stopScreencast")
        self.session.remove_listener("Page.screencastFrame", take)
        shares = []
        for picture in pictures:
            pixels = numpy.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("L")).astype(int)
            scale = pixels.shape[1] / SIZE["width"]
            left, right = int((area["x"] + 5) * scale), int((area["x"] + 400) * scale)
            top, bottom = int(area["y"] * scale), int((area["y"] + area["height"] - 16) * scale)
            step = row_height * scale * 1.5
            bands = [
                pixels[top + int(at * step):top + int((at + 1) * step), left:right]
                for at in range(int((bottom - top) / step))]
            shares.append(sum((band < 150).sum() < 6 for band in bands) / len(bands))
        return {
            "pictures": len(shares),
            "blank_pictures_pct": round(
                100 * sum(share > 0 for share in shares) / max(1, len(shares)), 1),
            "blank_area_pct": round(100 * sum(shares) / max(1, len(shares)), 2)}
