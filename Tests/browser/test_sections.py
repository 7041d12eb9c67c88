"""Section headers while rows change and the user scrolls, checked frame by frame."""

import unittest

from pages import ARTIFACTS, PageTest
from painting import seen, watch
from user import expect

# The sticky lines under the column headers, and the section of the first row below each.
LINES = """() => {
  const top = document.querySelector('[role=columnheader]').getBoundingClientRect().bottom;
  const left = document.querySelector('#grid').getBoundingClientRect().left;
  const at = (line) => document.elementFromPoint(left + 30, top + line * 28 + 14)?.closest('[role=row]') ?? null;
  const header = (line) => {
    const row = at(line);
    if (!row?.matches('.section')) return null;
    const box = row.getBoundingClientRect();
    return {
      level: Number(row.dataset.level), value: row.querySelector('.section-value').textContent,
      isWhole: Math.abs(box.top - top - line * 28) < 1.5,
      opacity: Number(getComputedStyle(row).opacity), count: row.querySelector('.section-count').textContent,
    };
  };
  const below = at(2);
  const text = (index) => below.querySelector(`[aria-colindex="${index}"]`)?.textContent;
  const isBlank = [0, 1, 2].every((line) => at(line) === null);
  return { isBlank, outer: header(0), inner: header(1), row: below?.matches('.row') ? [text(3), text(9)] : null };
}"""


class NestedSectionsTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 20_000, "market.rate": 5_000}

    def open_grouped(self, **how):
        user = self.open("#table=quotes&group=sector,side&show=sum:size", **how)
        expect(user.page.get_by_role("rowheader").first).to_be_visible()
        # Rows, sectors, sides in them, the column headers, and the totals.
        user.wait_for_count(20_000 + 20 + 40 + 2)
        return user

    def check(self, frames):
        """Asserts that every frame has an opaque header per level, for the section of the rows
        below. On a busy machine the rows may not have come to a frame.
        """
        frames = [frame for frame in frames if not frame["isBlank"]]
        self.assertGreater(len(frames), 20)
        for frame in frames:
            self.assertIsNotNone(frame["outer"], frame)
            self.assertEqual(frame["outer"]["opacity"], 1)
            if frame["row"] is None or frame["inner"] is None:
                continue
            if frame["outer"]["isWhole"] and frame["inner"]["isWhole"]:
                self.assertEqual([frame["outer"]["level"], frame["inner"]["level"]], [0, 1], frame)
                self.assertEqual([frame["outer"]["value"], frame["inner"]["value"]], frame["row"], frame)

    def test_section_headers_stick_in_every_frame_while_scrolling(self):
        user = self.open_grouped()
        user.wheel(100)
        user.until("() => document.querySelector('#grid').scrollTop === 100", "the wheel has arrived")
        watch(user.page, LINES)
        for _ in range(30):
            user.wheel(450)
        user.until("() => document.querySelector('#grid').scrollTop > 13_000", "the wheel has arrived")
        for _ in range(10):
            user.wheel(-700)
        user.until("() => document.querySelector('#grid').scrollTop < 7_000", "and back")
        user.until("() => frames_seen.filter(({ isBlank }) => !isBlank).length > 20", "enough frames were looked at")
        self.check(seen(user.page))
        user.page.screenshot(path=ARTIFACTS / "market-nested.png")
        user.check_clean(self)

    def test_pinned_headers_keep_their_nodes_while_totals_change(self):
        user = self.open_grouped()
        user.wheel(1_000)
        user.until("() => document.querySelector('#grid').scrollTop === 1000", "the wheel has arrived")
        user.page.evaluate("() => { window.kept = [...document.querySelectorAll('#pin .section:not([hidden])')]; }")
        self.assertEqual(user.page.evaluate("kept.length"), 2)
        before = user.page.evaluate("kept[0].querySelector('.total').textContent")
        self.assertIn("Size", before)
        watch(user.page, f"""() => ({{
          ...({LINES})(),
          isSame: kept.every((row) => row.isConnected && !row.hidden && row.parentElement.id === 'pin'),
        }})""")
        user.until(
            "(before) => kept[0].querySelector('.total').textContent !== before",
            "the aggregates change", before)
        user.until("() => frames_seen.filter(({ isBlank }) => !isBlank).length > 40", "enough frames were looked at")
        frames = seen(user.page)
        self.check(frames)
        self.assertTrue(all(frame["isSame"] for frame in frames))

    def test_click_collapses_pinned_section_and_key_expands_it(self):
        user = self.open_grouped()
        user.wheel(1_000)
        user.until("() => document.querySelector('#grid').scrollTop === 1000", "the wheel has arrived")
        total = int(user.grid.get_attribute("aria-rowcount"))
        user.page.locator("#pin .section[data-level='0']:not([hidden])").click()
        user.until(
            "(total) => Number(document.querySelector('#grid').getAttribute('aria-rowcount')) < "
            "total - 500",
            "the section is collapsed", total)
        header = user.page.locator(".section[data-level='0'] [aria-expanded='false']").first
        expect(header).to_be_visible()
        user.page.keyboard.press("ArrowRight")
        user.until(
            "(total) => Number(document.querySelector('#grid').getAttribute('aria-rowcount')) === "
            "total",
            "it is expanded again", total)
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
