"""Live updates: rows that the user reads, selects, hovers or focuses stay; changes are visible."""

import unittest

from pages import PageTest
from painting import TOP_ROW, seen, watch
from rowcast_server import STAND_IN

ROW = 28


class LiveTest(PageTest):
    command = STAND_IN

    # The number of painted patches. The footer does not have it at once.
    PATCHES = (
        "() => Number((/([\\d,]+) "
        "patch/.exec(document.querySelector('footer').textContent)?.[1] ?? '0').replaceAll(',', ''))")

    def after_patches(self, user, count):
        start = user.page.evaluate(self.PATCHES)
        user.until(f"(start) => ({self.PATCHES})() >= start + {count}", f"{count} more patches are painted", start)


class NewestFirstTest(LiveTest):
    plugins = ("log",)
    settings = {"log.rows": 2_000, "log.newest": "first"}

    def test_scrolled_rows_stay_in_place_while_lines_arrive_above(self):
        user = self.open()
        user.wheel(1_410)
        user.until("() => document.querySelector('#grid').scrollTop === 1410", "the wheel has arrived")
        self.after_patches(user, 1)
        before = user.page.evaluate(TOP_ROW)
        watch(user.page, TOP_ROW)
        self.after_patches(user, 5)
        frames = seen(user.page)
        self.assertEqual({(frame["text"], frame["offset"]) for frame in frames}, {(before["text"], before["offset"])})
        self.assertGreater(frames[-1]["index"], before["index"], "and yet lines came in")
        user.check_clean(self)

    def test_newest_line_slides_in_at_the_top_within_200_ms(self):
        user = self.open()
        user.page.evaluate("""() => {
          window.motions = [];
          const { animate } = Element.prototype;
          Element.prototype.animate = function (...how) {
            motions.push({ kind: Object.keys(how[0][0]).join(), duration: how[1].duration, line: this.textContent });
            return animate.apply(this, how);
          };
        }""")
        self.after_patches(user, 3)
        motions = user.page.evaluate("motions")
        self.assertIn("opacity,translate", {motion["kind"] for motion in motions}, "new lines slide in")
        self.assertIn("translate", {motion["kind"] for motion in motions}, "the others make room")
        self.assertLessEqual(max(motion["duration"] for motion in motions), 200)
        # While rows move, one of them may cover the top for some frames.
        user.until(f"() => ({TOP_ROW})()?.index === 2", "the newest line is the first one that is seen")
        user.until(
            "() => document.getAnimations().filter((one) => "
            "one.effect.target.matches('.row')).length === 0",
            "rows come to rest")
        user.check_clean(self)

    def test_reduced_motion_disables_animations_and_change_highlights(self):
        user = self.open(motion="reduce")
        watch(
            user.page,
            "() => document.getAnimations().length + document.querySelectorAll('.better, .worse, "
            ".other, .fading').length")
        self.after_patches(user, 3)
        self.assertEqual(max(seen(user.page)), 0)


class NewestLastTest(LiveTest):
    plugins = ("log",)
    settings = {"log.rows": 500}

    # The number of lines, and the distance of the last line's lower edge from the visible bottom.
    LAST = """() => {
      const rows = [...document.querySelectorAll('.row:not([hidden], .leaving)')];
      const grid = document.querySelector('#grid');
      const last = rows.find((row) => row.getAttribute('aria-rowindex') === grid.getAttribute('aria-rowcount'));
      return { count: Number(grid.getAttribute('aria-rowcount')), gap: last
        ? last.getBoundingClientRect().bottom - grid.getBoundingClientRect().bottom : null };
    }"""

    def test_viewport_at_the_end_follows_new_lines(self):
        user = self.open(motion="reduce")
        user.grid.focus()
        user.page.keyboard.press("Control+End")
        user.until(f"() => Math.abs(({self.LAST})().gap ?? 99) < 2", "the last line is seen")
        watch(user.page, self.LAST)
        self.after_patches(user, 5)
        frames = seen(user.page)
        self.assertEqual(
            [frame for frame in frames if frame["gap"] is None or abs(frame["gap"]) >= 2], [],
            "in every frame")
        self.assertGreater(frames[-1]["count"], frames[0]["count"] + 4)

    def test_viewport_scrolled_away_from_the_end_stays(self):
        user = self.open()
        user.grid.focus()
        user.page.keyboard.press("Control+End")
        user.until(f"() => Math.abs(({self.LAST})().gap ?? 99) < 2", "the last line is seen")
        user.wheel(-200)
        user.until(
            "() => { const grid = document.querySelector('#grid'); "
            "return grid.scrollTop < grid.scrollHeight - grid.clientHeight - 150; }",
            "the wheel has arrived")
        self.after_patches(user, 2)
        before = user.page.evaluate(TOP_ROW)
        self.after_patches(user, 3)
        self.assertEqual(user.page.evaluate(TOP_ROW), before)


class ShortLogTest(LiveTest):
    plugins = ("log",)
    settings = {"log.rows": 12, "log.newest": "first", "log.most": 12}

    def test_removed_line_fades_out_and_its_node_is_reused(self):
        user = self.open()
        watch(
            user.page,
            "() => [document.querySelectorAll('.row.leaving').length, "
            "document.querySelectorAll('.row').length]")
        self.after_patches(user, 8)
        frames = seen(user.page)
        self.assertGreater(max(leaving for leaving, _ in frames), 0)
        self.assertLess(max(nodes for _, nodes in frames), 12 * 3, "nodes are used again")
        rows = user.page.evaluate("""() => [...document.querySelectorAll('.row:not([hidden], .leaving)')]
          .map((row) => Number(row.getAttribute('aria-rowindex'))).sort((one, other) => one - other)""")
        self.assertEqual(rows, list(range(2, 14)))
        user.check_clean(self)


class ChangingCellsTest(LiveTest):
    """Rows 0 to 39: each tenth column goes up by one with every step."""

    plugins = ("wide",)
    settings = {"wide.columns": 12}
    CELL = "document.querySelector('.row[aria-rowindex=\"4\"] [aria-colindex=\"11\"]')"

    def change(self, user, times=2):
        for _ in range(times):
            before = user.page.evaluate(f"{self.CELL}.textContent")
            user.until(f"(before) => {self.CELL}.textContent !== before", "the cell changes", before)

    def test_selected_text_stays_selected_while_it_changes(self):
        user = self.open()
        user.page.evaluate(f"""() => {{
          const text = {self.CELL}.firstChild;
          getSelection().setBaseAndExtent(text, 1, text, 4);
          window.kept = text;
        }}""")
        self.change(user)
        self.assertEqual(user.page.evaluate("[getSelection().anchorOffset, getSelection().focusOffset]"), [1, 4])
        self.assertTrue(user.page.evaluate("getSelection().anchorNode === kept && getSelection().focusNode === kept"))

    def test_text_selection_is_restored_when_its_row_scrolls_back(self):
        user = self.open()
        text = user.page.evaluate("""() => {
          const text = document.querySelector('.row[aria-rowindex="5"] [aria-colindex="2"]').firstChild;
          getSelection().setBaseAndExtent(text, 0, text, text.length);
          return String(getSelection());
        }""")
        self.assertEqual(text, "r3c1")
        user.wheel(150 * ROW)
        user.until_rows("(rows) => rows.length > 20 && rows[0].index > 100", "other rows are seen")
        user.wheel(-150 * ROW)
        user.until_rows("(rows) => rows[0]?.index === 2", "the first rows are seen")
        self.assertEqual(user.page.evaluate("String(getSelection())"), text)
        row = "getSelection().anchorNode.parentElement.closest('.row')"
        self.assertEqual(user.page.evaluate(f"{row}.getAttribute('aria-rowindex')"), "5")

    def test_hovered_and_active_cells_keep_their_nodes_during_updates(self):
        user = self.open()
        user.page.mouse.move(60, 300)
        user.page.mouse.down()
        user.page.mouse.up()
        user.until("() => document.querySelector('#active-cell') !== null", "a cell is active")
        user.page.evaluate(
            "() => { window.kept = [document.elementFromPoint(60, 300), "
            "document.querySelector('#active-cell'), document.activeElement]; }")
        watch(user.page, """() => document.elementFromPoint(60, 300) === kept[0]
          && document.querySelector('#active-cell') === kept[1]
          && document.activeElement === kept[2] && kept[0].closest('.row').matches(':hover')""")
        self.change(user, times=4)
        self.assertEqual(set(seen(user.page)), {True})

    def test_changed_cell_is_highlighted_neutrally_and_fades(self):
        user = self.open(size=(1280, 300))
        user.until(
            f"() => {self.CELL}.classList.contains('other')",
            "a number that goes up is lit, and is neither better nor worse")
        still = "document.querySelector('.row[aria-rowindex=\"4\"] [aria-colindex=\"3\"]')"
        self.assertEqual(
            user.page.evaluate(f"{still}.className.match(/better|worse|other|fading/)"), None,
            "its neighbour is not")
        user.page.get_by_role("button", name="Pause").click()
        user.until(
            "() => document.querySelectorAll('.better, .worse, .other, .fading').length === 0",
            "lights go out")
        user.check_clean(self)

    def test_over_40_simultaneous_changes_are_highlighted(self):
        user = self.open(size=(1280, 1_600))
        watch(user.page, "() => document.querySelectorAll('.other').length")
        self.after_patches(user, 3)
        self.assertGreater(max(seen(user.page)), 40)


class TooManyCellsTest(LiveTest):
    plugins = ("wide",)
    settings = {"wide.columns": 40}

    def test_too_many_simultaneous_changes_are_not_highlighted(self):
        user = self.open(size=(2_200, 1_600))
        watch(user.page, "() => document.querySelectorAll('.other').length")
        self.after_patches(user, 3)
        self.assertEqual(max(seen(user.page)), 0)


if __name__ == "__main__":
    unittest.main()
