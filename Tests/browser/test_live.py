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

    def after_patches(self, reader, count):
        start = reader.page.evaluate(self.PATCHES)
        reader.until(f"(start) => ({self.PATCHES})() >= start + {count}", f"{count} more patches are painted", start)


class NewestFirstTest(LiveTest):
    plugins = ("log",)
    settings = {"log.rows": 2_000, "log.newest": "first"}

    def test_scrolled_rows_stay_in_place_while_lines_arrive_above(self):
        reader = self.open()
        reader.wheel(1_410)
        reader.until("() => document.querySelector('#grid').scrollTop === 1410", "the wheel has arrived")
        self.after_patches(reader, 1)
        before = reader.page.evaluate(TOP_ROW)
        watch(reader.page, TOP_ROW)
        self.after_patches(reader, 5)
        frames = seen(reader.page)
        self.assertEqual({(frame["text"], frame["offset"]) for frame in frames}, {(before["text"], before["offset"])})
        self.assertGreater(frames[-1]["index"], before["index"], "and yet lines came in")
        reader.check_clean(self)

    def test_newest_line_slides_in_at_the_top_within_200_ms(self):
        reader = self.open()
        reader.page.evaluate("""() => {
          window.motions = [];
          const { animate } = Element.prototype;
          Element.prototype.animate = function (...how) {
            motions.push({ kind: Object.keys(how[0][0]).join(), duration: how[1].duration, line: this.textContent });
            return animate.apply(this, how);
          };
        }""")
        self.after_patches(reader, 3)
        motions = reader.page.evaluate("motions")
        self.assertIn("opacity,translate", {motion["kind"] for motion in motions}, "new lines slide in")
        self.assertIn("translate", {motion["kind"] for motion in motions}, "the others make room")
        self.assertLessEqual(max(motion["duration"] for motion in motions), 200)
        # While rows move, one of them may cover the top for some frames.
        reader.until(f"() => ({TOP_ROW})()?.index === 2", "the newest line is the first one that is seen")
        reader.until(
            "() => document.getAnimations().filter((one) => "
            "one.effect.target.matches('.row')).length === 0",
            "rows come to rest")
        reader.check_clean(self)

    def test_reduced_motion_disables_animations_and_change_highlights(self):
        reader = self.open(motion="reduce")
        watch(
            reader.page,
            "() => document.getAnimations().length + document.querySelectorAll('.better, .worse, "
            ".other, .fading').length")
        self.after_patches(reader, 3)
        self.assertEqual(max(seen(reader.page)), 0)


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
        reader = self.open(motion="reduce")
        reader.grid.focus()
        reader.page.keyboard.press("Control+End")
        reader.until(f"() => Math.abs(({self.LAST})().gap ?? 99) < 2", "the last line is seen")
        watch(reader.page, self.LAST)
        self.after_patches(reader, 5)
        frames = seen(reader.page)
        self.assertEqual(
            [frame for frame in frames if frame["gap"] is None or abs(frame["gap"]) >= 2], [],
            "in every frame")
        self.assertGreater(frames[-1]["count"], frames[0]["count"] + 4)

    def test_viewport_scrolled_away_from_the_end_stays(self):
        reader = self.open()
        reader.grid.focus()
        reader.page.keyboard.press("Control+End")
        reader.until(f"() => Math.abs(({self.LAST})().gap ?? 99) < 2", "the last line is seen")
        reader.wheel(-200)
        reader.until(
            "() => { const grid = document.querySelector('#grid'); "
            "return grid.scrollTop < grid.scrollHeight - grid.clientHeight - 150; }",
            "the wheel has arrived")
        self.after_patches(reader, 2)
        before = reader.page.evaluate(TOP_ROW)
        self.after_patches(reader, 3)
        self.assertEqual(reader.page.evaluate(TOP_ROW), before)


class ShortLogTest(LiveTest):
    plugins = ("log",)
    settings = {"log.rows": 12, "log.newest": "first", "log.most": 12}

    def test_removed_line_fades_out_and_its_node_is_reused(self):
        reader = self.open()
        watch(
            reader.page,
            "() => [document.querySelectorAll('.row.leaving').length, "
            "document.querySelectorAll('.row').length]")
        self.after_patches(reader, 8)
        frames = seen(reader.page)
        self.assertGreater(max(leaving for leaving, _ in frames), 0)
        self.assertLess(max(nodes for _, nodes in frames), 12 * 3, "nodes are used again")
        rows = reader.page.evaluate("""() => [...document.querySelectorAll('.row:not([hidden], .leaving)')]
          .map((row) => Number(row.getAttribute('aria-rowindex'))).sort((one, other) => one - other)""")
        self.assertEqual(rows, list(range(2, 14)))
        reader.check_clean(self)


class ChangingCellsTest(LiveTest):
    """Rows 0 to 39: each tenth column goes up by one with every step."""

    plugins = ("wide",)
    settings = {"wide.columns": 12}
    CELL = "document.querySelector('.row[aria-rowindex=\"4\"] [aria-colindex=\"11\"]')"

    def change(self, reader, times=2):
        for _ in range(times):
            before = reader.page.evaluate(f"{self.CELL}.textContent")
            reader.until(f"(before) => {self.CELL}.textContent !== before", "the cell changes", before)

    def test_selected_text_stays_selected_while_it_changes(self):
        reader = self.open()
        reader.page.evaluate(f"""() => {{
          const text = {self.CELL}.firstChild;
          getSelection().setBaseAndExtent(text, 1, text, 4);
          window.kept = text;
        }}""")
        self.change(reader)
        self.assertEqual(reader.page.evaluate("[getSelection().anchorOffset, getSelection().focusOffset]"), [1, 4])
        self.assertTrue(reader.page.evaluate("getSelection().anchorNode === kept && getSelection().focusNode === kept"))

    def test_text_selection_is_restored_when_its_row_scrolls_back(self):
        reader = self.open()
        text = reader.page.evaluate("""() => {
          const text = document.querySelector('.row[aria-rowindex="5"] [aria-colindex="2"]').firstChild;
          getSelection().setBaseAndExtent(text, 0, text, text.length);
          return String(getSelection());
        }""")
        self.assertEqual(text, "r3c1")
        reader.wheel(150 * ROW)
        reader.until_rows("(rows) => rows.length > 20 && rows[0].index > 100", "other rows are seen")
        reader.wheel(-150 * ROW)
        reader.until_rows("(rows) => rows[0]?.index === 2", "the first rows are seen")
        self.assertEqual(reader.page.evaluate("String(getSelection())"), text)
        row = "getSelection().anchorNode.parentElement.closest('.row')"
        self.assertEqual(reader.page.evaluate(f"{row}.getAttribute('aria-rowindex')"), "5")

    def test_hovered_and_active_cells_keep_their_nodes_during_updates(self):
        reader = self.open()
        reader.page.mouse.move(60, 300)
        reader.page.mouse.down()
        reader.page.mouse.up()
        reader.until("() => document.querySelector('#active-cell') !== null", "a cell is active")
        reader.page.evaluate(
            "() => { window.kept = [document.elementFromPoint(60, 300), "
            "document.querySelector('#active-cell'), document.activeElement]; }")
        watch(reader.page, """() => document.elementFromPoint(60, 300) === kept[0]
          && document.querySelector('#active-cell') === kept[1]
          && document.activeElement === kept[2] && kept[0].closest('.row').matches(':hover')""")
        self.change(reader, times=4)
        self.assertEqual(set(seen(reader.page)), {True})

    def test_changed_cell_is_highlighted_neutrally_and_fades(self):
        reader = self.open(size=(1280, 300))
        reader.until(
            f"() => {self.CELL}.classList.contains('other')",
            "a number that goes up is lit, and is neither better nor worse")
        still = "document.querySelector('.row[aria-rowindex=\"4\"] [aria-colindex=\"3\"]')"
        self.assertEqual(
            reader.page.evaluate(f"{still}.className.match(/better|worse|other|fading/)"), None,
            "its neighbour is not")
        reader.page.get_by_role("button", name="Pause").click()
        reader.until(
            "() => document.querySelectorAll('.better, .worse, .other, .fading').length === 0",
            "lights go out")
        reader.check_clean(self)

    def test_over_40_simultaneous_changes_are_highlighted(self):
        reader = self.open(size=(1280, 1_600))
        watch(reader.page, "() => document.querySelectorAll('.other').length")
        self.after_patches(reader, 3)
        self.assertGreater(max(seen(reader.page)), 40)


class TooManyCellsTest(LiveTest):
    plugins = ("wide",)
    settings = {"wide.columns": 40}

    def test_too_many_simultaneous_changes_are_not_highlighted(self):
        reader = self.open(size=(2_200, 1_600))
        watch(reader.page, "() => document.querySelectorAll('.other').length")
        self.after_patches(reader, 3)
        self.assertEqual(max(seen(reader.page)), 0)


if __name__ == "__main__":
    unittest.main()
