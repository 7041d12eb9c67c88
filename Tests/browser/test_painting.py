"""Painting fifty million rows and five hundred columns without blanks.

These tests run against the stand-in server (`fake_server.mjs`).
"""

import signal
import unittest

from playwright.sync_api import expect

from blanks import blank_shares
from browsers import launch, only_chromium, shared_browser
from painting import TOP_ROW, Trace, seen, watch
from user import READ_ROWS, User
from rowcast_server import STAND_IN, Server

ROW = 28


class PaintingTest(unittest.TestCase):
    """A stand-in server for the class, a page for each test."""

    plugins = ()
    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.plugins, settings=cls.settings, command=STAND_IN)
        cls.addClassCleanup(cls.server.stop)

    def open(self, fragment="", **how):
        user = User(shared_browser(), self.server, fragment, is_first=True, **how)
        self.addCleanup(user.close)
        user.wait_for_rows()
        return user


class FiftyMillionRowsTest(PaintingTest):
    plugins = ("huge",)
    count = 50_000_000

    def at_top(self, user, index, message):
        user.until(f"(index) => ({TOP_ROW})()?.index === index", message, index)

    def test_first_middle_and_last_of_50_million_rows_are_reachable(self):
        user = self.open()
        user.wait_for_count(self.count + 1)
        self.assertLess(user.page.evaluate("document.querySelector('#grid').scrollHeight"), 17_000_000)
        user.grid.focus()
        user.page.keyboard.press("Control+End")
        rows = user.until_rows(f"(rows) => rows.at(-1)?.index === {self.count + 1} && rows", "the last row appears")
        self.assertEqual(rows[-1]["cells"][0], f"{self.count - 1:,}")
        user.page.keyboard.press("ArrowUp")
        user.page.keyboard.press("Control+Home")
        user.until_rows("(rows) => rows[0]?.index === 2", "the first row appears")
        user.page.evaluate(
            "() => { const grid = document.querySelector('#grid'); "
            "grid.scrollTop = (grid.scrollHeight - grid.clientHeight) / 2; }")
        user.until_rows(
            f"(rows) => rows.length > 20 && Math.abs(rows[10].index / {self.count} - 0.5) < 0.001",
            "the middle appears")
        user.check_clean(self)

    def test_wheel_moves_exact_pixels_at_any_scroll_position(self):
        user = self.open()
        user.wait_for_count(self.count + 1)
        for part in (0, 0.25, 0.5, 0.9):
            user.page.evaluate(
                "(part) => { const grid = document.querySelector('#grid'); "
                "grid.scrollTop = part * (grid.scrollHeight - grid.clientHeight); }",
                part)
            user.until_rows(
                f"(rows) => rows.length > 20 && Math.abs(rows[10].index / {self.count} - {part}) < "
                "0.001 && rows[10].cells[0] !== ''",
                f"rows at {part} appear")
            before = user.page.evaluate(TOP_ROW)
            for step, rows in ((96, 96 / ROW), (ROW * 400, 400), (-ROW * 7, -7)):
                user.wheel(step)
                place = (before["index"] * ROW - before["offset"] + step)
                user.until(
                    f"(place) => {{ const top = ({TOP_ROW})(); return top "
                    f"&& Math.abs(top.index * {ROW} - top.offset - place) < 0.6 && top; }}",
                    f"a wheel of {step} px moves {rows:g} rows at {part}", place)
                before = user.page.evaluate(TOP_ROW)
        user.check_clean(self)

    def test_keys_move_by_one_row_and_by_a_page(self):
        user = self.open()
        user.grid.focus()
        user.page.keyboard.press("Control+End")
        user.until_rows(f"(rows) => rows.at(-1)?.index === {self.count + 1}", "the last row appears")
        press = lambda key, row: (user.page.keyboard.press(key), user.until(
            "(row) => document.getElementById('active-cell')?.closest('[role=row]')"
            ".getAttribute('aria-rowindex') === String(row)",
            f"{key} leads to row {row}", row))
        press("ArrowUp", self.count)
        press("ArrowUp", self.count - 1)
        active = (
            "() => Number(document.getElementById('active-cell')?.closest('[role=row]')"
            ".getAttribute('aria-rowindex'))")
        user.page.keyboard.press("PageUp")
        page = self.count - 1 - user.until(
            f"() => {{ const row = ({active})(); return row < {self.count - 1} && row; }}",
            "a page up")
        press("PageUp", self.count - 1 - 2 * page)
        press("PageDown", self.count - 1 - page)

    def test_unloaded_rows_show_placeholders_in_every_frame(self):
        user = self.open()
        user.wait_for_count(self.count + 1)
        # Every sampled point of a frame must hit a row with text or a placeholder, never the
        # background.
        watch(user.page, """() => {
          const grid = document.querySelector('#grid').getBoundingClientRect();
          let [blank, waiting] = [0, 0];
          for (let y = grid.top + 36; y < grid.bottom - 20; y += 14) {
            const hit = document.elementFromPoint(grid.left + 60, y)?.closest('.row, .ghost');
            if (!hit || (hit.className === 'row' && hit.textContent.trim() === '')) blank += 1;
            else if (hit.className === 'ghost') waiting += 1;
          }
          return [blank, waiting];
        }""")
        for part in (0.5, 0.99, 0.1):
            # The stopped server delays the answer. Placeholders appear only if rows take longer
            # than a frame or two.
            self.server.process.send_signal(signal.SIGSTOP)
            try:
                before = len(seen(user.page))
                user.page.evaluate("(part) => { window.jump = part; }", part)
                user.until(
                    "(before) => frames_seen.slice(before).some(([, waiting]) => waiting > 20)",
                    f"placeholders at {part} appear", before)
            finally:
                self.server.process.send_signal(signal.SIGCONT)
            user.until_rows(
                "(rows) => rows.length > 20 "
                f"&& Math.abs(rows[10].index / {self.count} - {part}) < 0.02",
                f"rows at {part} appear")
        for _ in range(20):
            user.wheel(4_000)
        user.until("() => frames_seen.length > 60", "enough frames were looked at")
        self.assertEqual(max(blank for blank, _ in seen(user.page)), 0)

    @only_chromium("Firefox has no screencast of its frames")
    def test_presented_frames_have_no_blank_area_on_busy_page(self):
        user = self.open()
        user.wait_for_count(self.count + 1)
        shares = blank_shares(user, 20_000, 1.5)
        self.assertGreater(user.rows()[0]["index"], 300, "the wheel has turned")
        self.assertGreater(len(shares), 1, "something was looked at")
        self.assertEqual([share for share in shares if share > 0], [])

    @only_chromium("Firefox has no screencast of its frames")
    def test_screencast_check_detects_blank_area(self):
        user = self.open()
        user.wait_for_count(self.count + 1)
        # Scrolls as the browser would by itself, whether or not the rows are drawn.
        user.page.evaluate("""() => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`.grid { background: var(--page); } .clip { contain: none !important; }
            .clip { position: static; } .sheet { transform: none !important; }`);
          document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
        }""")
        self.assertGreater(max(blank_shares(user, 20_000, 1.5)), 0.1)

    @only_chromium("Firefox has no trace of its layouts")
    def test_scrolling_forces_no_layout(self):
        user = self.open()
        user.wait_for_count(self.count + 1)
        with Trace(shared_browser()) as trace:
            for _ in range(40):
                user.wheel(300)
            user.until("() => document.querySelector('#grid').scrollTop > 11_000", "the wheel has arrived")
        self.assertGreater(len(trace.of("FireAnimationFrame")), 10)
        self.assertEqual(trace.forced_layouts(), [])

    @only_chromium("Firefox has no trace of its layouts")
    def test_trace_check_detects_forced_layout(self):
        user = self.open()
        with Trace(shared_browser()) as trace:
            user.page.evaluate("""() => document.querySelector('#grid').addEventListener('scroll', ({ target }) => {
              document.querySelector('.body').style.height = '10000px';
              window.measured = target.scrollHeight;
            }, { once: true })""")
            user.wheel(300)
            user.until("() => window.measured > 0", "it was measured")
        self.assertNotEqual(trace.forced_layouts(), [])


class ThumbTest(PaintingTest):
    """Dragging the scrollbar's thumb with the mouse."""

    plugins = ("huge",)
    count = 50_000_000

    def rest(self, user):
        """Waits until all pending updates have arrived and no more follow."""
        user.page.evaluate(
            "() => new Promise((done) => { let left = 20; const next = () => "
            "(left -= 1) < 0 ? done() : requestAnimationFrame(next); next(); })")

    def test_thumb_drag_reaches_both_ends_and_release_moves_no_rows(self):
        with_bars = launch(has_bars=True)
        self.addCleanup(with_bars.close)
        user = User(with_bars, self.server)
        self.addCleanup(user.close)
        user.wait_for_rows()
        user.wait_for_count(self.count + 1)
        width, right, top, bottom = user.page.evaluate("""() => {
          const grid = document.querySelector('#grid');
          const { right, top, bottom } = grid.getBoundingClientRect();
          return [grid.offsetWidth - grid.clientWidth, right, top, bottom];
        }""")
        self.assertGreater(width, 5, "there is a scrollbar")
        mouse = user.page.mouse
        x, start = right - width / 2, top + 24

        def drag(y, condition, message, argument=None):
            # Small movements, as by a hand. Chromium on a busy machine may lose a single motion
            # event.
            for left in reversed(range(30)):
                mouse.move(x, y + left % 2)
                try:
                    return user.until(condition, f"{message} while the thumb is held", argument, timeout=500)
                except AssertionError:
                    if left == 0:
                        raise

        mouse.move(x, start)
        mouse.down()
        before = 0
        for step in (0.1, 0.3, 0.5, 0.7):
            # The position is proportional, up to the length of the arrows and the thumb.
            before = drag(start + step * (bottom - top), f"""(before) => {{
              const top = ({TOP_ROW})();
              return top && top.index > before && Math.abs(top.index / {self.count} - {step}) < 0.1
                && top.text.includes(`row ${{top.index - 2}} of`) && top.index;
            }}""", f"the rows at {step} are there", before)
        drag(2, f"() => ({TOP_ROW})()?.index === 2", "the first row is there")
        drag(
            user.page.viewport_size["height"] - 2,
            f"() => ({READ_ROWS})().at(-1)?.index === {self.count + 1}", "the last row is there")
        drag(
            start + 0.5 * (bottom - top),
            f"() => {{ const top = ({TOP_ROW})(); return top "
            f"&& Math.abs(top.index / {self.count} - 0.5) < 0.1; }}",
            "the middle is there")
        self.rest(user)
        held = user.page.evaluate(TOP_ROW)
        # One pixel of the thumb is many thousand rows. Releasing it must not move the rows.
        mouse.up()
        self.rest(user)
        top_row = user.page.evaluate(TOP_ROW)
        self.assertEqual(top_row["index"], held["index"])
        user.wheel(ROW * 7)
        user.until(
            f"([index, offset]) => {{ const top = ({TOP_ROW})(); return top && top.index === index "
            f"&& Math.abs(top.offset - offset) < 1.1; }}",
            "a wheel goes on from there by its pixels", [held["index"] + 7, top_row["offset"]])
        user.check_clean(self)


class WideTableTest(PaintingTest):
    plugins = ("wide",)
    columns = 500

    READ = """() => {
      const grid = document.querySelector('#grid').getBoundingClientRect();
      const row = [...document.querySelectorAll('.row:not([hidden])')].find((row) =>
        row.getAttribute('aria-rowindex') === '6');
      const cells = [...row.querySelectorAll('[role=gridcell]')];
      return {
        indexes: cells.map((cell) => Number(cell.getAttribute('aria-colindex'))),
        texts: cells.map((cell) => cell.textContent),
        seen: cells.filter((cell) => { const box = cell.getBoundingClientRect();
          return box.right > grid.left && box.left < grid.right; })
          .map((cell) => Number(cell.getAttribute('aria-colindex'))),
        from: Math.min(...cells.map((cell) => cell.getBoundingClientRect().left)) - grid.left,
        to: Math.max(...cells.map((cell) => cell.getBoundingClientRect().right)) - grid.left,
      };
    }"""

    def test_only_columns_near_viewport_are_drawn_and_in_order(self):
        user = self.open()
        self.assertEqual(user.grid.get_attribute("aria-colcount"), str(self.columns))
        width = user.page.evaluate("document.querySelector('#grid').clientWidth")
        for left in (0, 900, 20_000, 10, 1e9, 5_000):
            user.page.evaluate("(left) => { document.querySelector('#grid').scrollLeft = left; }", left)
            user.until(f"""() => {{
              const {{ indexes, from, to }} = ({self.READ})();
              const first = Math.min(...indexes) === 1;
              const last = Math.max(...indexes) === {self.columns};
              return (first || from <= 0) && (last || to >= {width});
            }}""", f"cells cover what is seen at {left}")
            read = user.page.evaluate(self.READ)
            self.assertEqual(
                read["indexes"],
                list(range(read["indexes"][0], read["indexes"][0] + len(read["indexes"]))),
                f"at {left}")
            self.assertLess(len(read["indexes"]), 45)
            for index, text in zip(read["indexes"], read["texts"]):
                if (index - 1) % 5 in (1, 3):
                    self.assertEqual(text, f"r4c{index - 1}")
        cells = user.page.evaluate("document.querySelectorAll('[role=gridcell]').length")
        self.assertLess(cells, 60 * 45)
        user.check_clean(self)

    # The position of each cell relative to its header, and the cells that overflow their column.
    ASTRAY = """() => {
      const heads = new Map([...document.querySelectorAll('[role=columnheader]')].map((head) =>
        [head.getAttribute('aria-colindex'), head.getBoundingClientRect()]));
      const cells = [...document.querySelectorAll('.row:not([hidden]) > [role=gridcell]')];
      return cells.map((cell) => {
        const box = cell.getBoundingClientRect(), head = heads.get(cell.getAttribute('aria-colindex'));
        return { column: cell.getAttribute('aria-colindex'), text: cell.textContent,
          by: box.left - head.left, width: box.width - head.width,
          over: getComputedStyle(cell).overflowX === 'hidden' ? 0 : cell.scrollWidth - cell.clientWidth };
      }).filter(({ by, width, over }) => Math.abs(by) > 0.6 || Math.abs(width) > 0.6 || over > 0);
    }"""

    def test_cells_align_with_headers_in_both_text_directions(self):
        for columns in ("", "&columns=*c7,*c8:60,c3:50"):
            user = self.open(f"#table=wide{columns}")
            if columns:
                expect(user.page.locator(".head.at-edge")).to_have_count(2)
            for way in ("ltr", "rtl"):
                with self.subTest(way=way, columns=columns):
                    user.page.evaluate("(way) => { document.documentElement.dir = way; }", way)
                    for left in (0, 900, 20_000, 10, 0):
                        user.page.evaluate(
                            "(left) => { document.querySelector('#grid').scrollLeft = left; }",
                            left * (1 if way == "ltr" else -1))
                        user.until(
                            f"() => ({self.ASTRAY})().length === 0",
                            f"all cells are in their places at {left}")
                    user.check_clean(self)

    def test_visible_cell_keeps_node_and_updates_after_sideways_scroll(self):
        user = self.open()
        user.page.evaluate("""() => {
          window.kept = [...document.querySelectorAll('.row')].find((row) => row.getAttribute('aria-rowindex') === '6')
            .querySelector('[aria-colindex="11"]');
        }""")
        user.page.evaluate("document.querySelector('#grid').scrollLeft = 700")
        user.until("() => kept.isConnected && kept.getBoundingClientRect().left < 800", "it has moved")
        before = user.page.evaluate("kept.textContent")
        user.until("(before) => kept.isConnected && kept.textContent !== before", "it changes", before)
        self.assertEqual(user.page.evaluate("kept.getAttribute('aria-colindex')"), "11")

    def test_keys_reach_the_last_column(self):
        user = self.open()
        user.grid.focus()
        user.page.keyboard.press("ArrowDown")
        user.page.keyboard.press("Control+ArrowRight")
        user.until(
            "() => document.getElementById('active-cell')?.getAttribute('aria-colindex') === "
            f"'{self.columns}'",
            "the last column is active")
        user.page.keyboard.press("ArrowLeft")
        user.until(
            "() => document.getElementById('active-cell')?.getAttribute('aria-colindex') === "
            f"'{self.columns - 1}'",
            "the one before is")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
