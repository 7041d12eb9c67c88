"""The state that survives a server restart after which rows have other ids and positions."""

import pathlib
import shutil
import tempfile

from pages import PageTest
from user import expect
from rowcast_server import Server

# Sends the rows of a file, and then changes one row again and again.
SOURCE = """
import itertools, json, sys, threading
names = open(sys.argv[1]).read().split()
for name in names: print(json.dumps({"id": name, "n": 0}))
sys.stdout.flush()
for n in itertools.count(1):
    threading.Event().wait(0.1)
    print(json.dumps({"id": "job-0185", "n": n}), flush=True)
"""
JOBS = [f"job-{number:04}" for number in range(600)]

# Records the row ids that the page receives. The first connection is the page's own.
LISTEN = """() => {
  window.called = new Set();
  const sockets = new Set();
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (text) {
    if (!sockets.has(this)) this.addEventListener('message', ({ data }) => {
      const { type, rows } = JSON.parse(data);
      if (type === 'named') for (const [, key] of rows) called.add(key);
    });
    sockets.add(this);
    return send.call(this, text);
  };
}"""
PLACES = """() => Object.fromEntries([...document.querySelectorAll('#body .row:not([hidden])')].map((row) =>
  [row.querySelector('[role=gridcell]').textContent, Math.round(row.getBoundingClientRect().top)]))"""
SELECTED = """() => [...document.querySelectorAll('#body .row[aria-selected=true]')]
  .map((row) => row.querySelector('[role=gridcell]').textContent).sort()"""


class RestoreTest(PageTest):
    @classmethod
    def serve(cls, names=JOBS, port=0):
        if port == 0:
            cls.folder = pathlib.Path(tempfile.mkdtemp())
            cls.addClassCleanup(shutil.rmtree, cls.folder)
            (cls.folder / "source.py").write_text(SOURCE)
        (cls.folder / "names").write_text("\n".join(names))
        return Server(
            port=port,
            options=(
                "--no-token", "--child",
                f"jobs=exec python3 {cls.folder}/source.py {cls.folder}/names"))

    def test_restart_restores_scroll_anchor_and_selection_by_row_key(self):
        user = self.open()
        page = user.page
        user.wait_for_count(len(JOBS) + 1)
        page.evaluate(LISTEN)
        user.wheel(5_000)
        user.until(f"() => 'job-0185' in ({PLACES})()", "the wheel has arrived")
        for name in ("job-0181", "job-0184"):
            user.click_cell(name, key="Control")
        user.until(f"() => ({SELECTED})().join() === 'job-0181,job-0184'", "both are chosen")
        user.until(
            "() => ['job-0181', 'job-0184'].every((name) => called.has(name))",
            "the page knows what they are called")
        before = page.evaluate(PLACES)
        port = self.server.port
        self.server.stop()
        expect(user.state).to_contain_text("Disconnected")
        type(self).server = self.serve(
            [
                *(f"new-{number}" for number in range(50)), *reversed(JOBS[300:]), *JOBS[:181],
                *JOBS[182:300]],
            port)
        user.state.dispatch_event("click")
        expect(user.state).to_contain_text("Live", timeout=60_000)
        user.wait_for_count(len(JOBS) + 50)
        user.until(f"() => ({SELECTED})().includes('job-0184')", "what was chosen is chosen again", timeout=60_000)
        user.until(
            f"(before) => {{ const now = ({PLACES})(); return Object.keys(before).some((name) => "
            f"now[name] === before[name]); }}",
            "what was read stands where it stood", before)
        after = page.evaluate(PLACES)
        same = [name for name in before if after.get(name) == before[name]]
        self.assertGreater(len(same), 5, (before, after))
        self.assertEqual(page.evaluate(SELECTED), ["job-0184"], "one that is gone is not")
        user.check_clean(self, is_cut_off=True)
