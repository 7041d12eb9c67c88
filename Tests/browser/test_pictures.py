"""Images in cells: loaded only near the viewport, shown when ready, marked when invalid."""

import json
import unittest
import urllib.request

from pages import ARTIFACTS, PageTest
from user import expect
from rowcast_server import STAND_IN

# The state of each image cell, by row number.
CELLS = """() => Object.fromEntries([...document.querySelectorAll('.row:not([hidden]) .picture')].map((cell) => [
  Number(cell.closest('.row').getAttribute('aria-rowindex')) - 2,
  cell.classList.contains('broken') ? 'broken' : cell.classList.contains('loading') ? 'loading'
    : cell.querySelector('canvas').hidden ? 'nothing' : 'shown',
]))"""


class PicturesTest(PageTest):
    plugins = ("pictures",)
    settings = {"pictures.kinds": "good,gone,text,svg,large,vast,cut,down,late"}
    command = STAND_IN

    def test_valid_images_are_shown_and_broken_ones_have_a_reason(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            wanted = ["shown", "broken", "broken", "broken", "broken", "broken", "broken", "shown", "shown"]
            user.until(
                f"(wanted) => {{ const cells = ({CELLS})(); return wanted.every((state, at) => "
                f"cells[at] === state); }}",
                "each cell shows what its image is", wanted)
            titles = user.page.evaluate(
                "() => [...document.querySelectorAll('.row:not([hidden]) "
                ".picture')].toSorted((one, other) => "
                "one.closest('.row').getAttribute('aria-rowindex') - "
                "other.closest('.row').getAttribute('aria-rowindex')).slice(0, "
                "7).map(({ title }) => title)")
            for title, reason in zip(
                    titles[1:],
                    [
                        "there is no such image", "it is no image", "it is no image",
                        "it is too large", "too many pixels", "it is cut off"]):
                self.assertIn(reason, title)
            drawn = user.page.evaluate("""() => {
              const { width, height } = document.querySelector('.picture canvas:not([hidden])');
              return { width, height };
            }""")
            self.assertEqual(drawn, {"width": 54, "height": 36}, "as tall as a row may be, in its own proportion")
            title = user.titles()[int(user.page.locator("#grid .picture").first.get_attribute("aria-colindex")) - 1]
            self.assertEqual(
                user.page.locator("#grid .picture").first.get_attribute("aria-label"), title,
                "a key says nothing to people")
            user.page.screenshot(path=ARTIFACTS / f"pictures-{scheme}.png")
            # The browser logs failed responses by itself; these are not complaints of the page.
            user.complaints = [text for text in user.complaints if "Failed to load resource" not in text]
            user.check_clean(self)

    def test_details_panel_shows_image_larger(self):
        user = self.open()
        user.page.get_by_role("gridcell", name="picture 0", exact=True).click()
        user.page.keyboard.press("Enter")
        user.until("() => document.querySelector('.detail canvas')?.height === 80", "it is shown as tall as it is")
        user.page.screenshot(path=ARTIFACTS / "pictures-detail.png")


class ScrolledPicturesTest(PageTest):
    plugins = ("pictures",)
    settings = {"pictures.kinds": "slow", "pictures.rows": 20_000}
    command = STAND_IN

    def asked(self):
        with urllib.request.urlopen(self.server.origin + "/asked") as answer:
            return json.load(answer)

    def test_image_requests_are_cancelled_when_scrolled_away(self):
        user = self.open()
        user.until("() => document.querySelectorAll('.picture.loading').length > 10", "they are on their way")
        expect(user.page.locator(".picture.loading").first).to_be_visible()
        running = 4  # concurrent loads
        while len(self.asked()["counts"]) < running:
            pass
        user.page.evaluate("() => { document.querySelector('#grid').scrollTop = 300_000; }")
        user.until_rows("(rows) => rows[0]?.index > 10_000", "the middle is in sight")
        while self.asked()["cancelled"] < running:
            pass
        numbers = [int(key.split("-")[1]) for key in self.asked()["counts"]]
        self.assertTrue(all(number < 100 or number > 10_000 for number in numbers), "nothing on the way was asked for")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
