"""A page whose relay dies, and that goes on at another one on the same address."""

import json
import pathlib
import shutil
import sys
import tempfile
import urllib.error
import urllib.request

from browsers import IS_FIREFOX
from pages import PageTest
from rowcast_server import ROOT, Server
from test_restore import JOBS, PLACES, SELECTED, SOURCE
from user import expect

sys.path.append(str(ROOT / "Tests/Cluster"))
from nodes import Nats, until  # noqa: E402

# Waits until the row that the source changes has changed three times.
ROWS_CHANGE = """() => {
  const rows = [...document.querySelectorAll('#body .row:not([hidden])')];
  const row = rows.find(({ textContent }) => textContent.includes('job-0185'));
  window.seen ??= new Set();
  if (row !== undefined) window.seen.add(row.textContent);
  return window.seen.size > 3;
}"""

class MovingTest(PageTest):
    @classmethod
    def serve(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "source.py").write_text(SOURCE)
        (cls.folder / "names").write_text("\n".join(JOBS))
        cls.nats = Nats(cls.folder / "nats")
        cls.addClassCleanup(cls.nats.kill)
        source = f"jobs=exec python3 {cls.folder}/source.py {cls.folder}/names"
        publisher = Server(options=("--no-token", "--publish", cls.nats.url, "--child", source))
        cls.addClassCleanup(publisher.stop)
        return cls.relay()

    @classmethod
    def relay(cls, port=0):
        relay = Server(port=port, options=("--no-token", "--from", cls.nats.url))

        def is_ready():
            try:
                return urllib.request.urlopen(f"{relay.origin}/readyz", timeout=5).status == 200
            except urllib.error.HTTPError:
                return False

        until(is_ready, 60, "the relay is ready")
        return relay

    def test_rows_place_and_selection_stay_and_a_patch_follows(self):
        user = self.open()
        page = user.page
        user.wait_for_count(len(JOBS) + 1)
        user.wheel(5_000)
        user.until(f"() => 'job-0185' in ({PLACES})()", "the wheel has arrived")
        for name in ("job-0181", "job-0184"):
            user.click_cell(name, key="Control")
        user.until(f"() => ({SELECTED})().join() === 'job-0181,job-0184'", "both are chosen")
        before = page.evaluate(PLACES)
        types = []
        page.on("websocket", lambda socket: socket.on(
            "framereceived", lambda text: types.append(json.loads(text)["type"])))
        port = self.server.port
        # It must not say goodbye.
        self.server.process.kill()
        self.server.process.wait()
        self.server.stop()
        expect(user.state).to_contain_text("Disconnected")
        self.assertEqual(page.evaluate(PLACES), before, "the rows stay on the screen")
        type(self).server = self.relay(port)
        user.state.dispatch_event("click")
        expect(user.state).to_contain_text("Live", timeout=60_000)
        user.until(ROWS_CHANGE, "the row goes on changing", timeout=60_000)
        rows = [kind for kind in types if kind in ("window", "patch")]
        self.assertEqual(rows, ["patch"] * len(rows), "the other relay sends what has changed, not all rows")
        # Firefox's driver reports no sockets.
        self.assertTrue(rows or IS_FIREFOX)
        self.assertEqual(page.evaluate(PLACES), before, "each row stands where it stood")
        self.assertEqual(page.evaluate(SELECTED), ["job-0181", "job-0184"], "what was chosen is chosen")
