"""The command palette and the statistics of a selection, by keyboard and pointer."""

from aria import FAULTS
from pages import ARTIFACTS
from user import expect
from test_steps import JobsTest


class PaletteTest(JobsTest):
    def palette(self, user):
        return user.page.get_by_role("dialog", name="Commands")

    def test_palette_finds_and_runs_commands_by_keyboard(self):
        user = self.open("#table=jobs")
        page = user.page
        user.grid.focus()
        page.keyboard.press("Control+k")
        box = self.palette(user)
        expect(box.get_by_role("combobox")).to_be_focused()
        expect(box.get_by_role("option").first).to_contain_text("Search all columns")
        page.keyboard.type("load desc")
        expect(box.get_by_role("option", selected=True)).to_contain_text("Sort by load, descending")
        page.screenshot(path=ARTIFACTS / "palette-light.png")
        self.assertEqual(page.evaluate(FAULTS), [])
        page.keyboard.press("Enter")
        expect(box).to_have_count(0)
        expect(user.header("^load")).to_have_attribute("aria-sort", "descending")
        page.keyboard.press("Control+k")
        page.keyboard.type("hide team")
        page.keyboard.press("Enter")
        expect(page.get_by_role("columnheader")).to_have_count(2)
        page.keyboard.press("Control+k")
        page.keyboard.type("go load")
        page.keyboard.press("Enter")
        column = "() => document.activeElement.getAttribute('aria-colindex')"
        user.until(f"() => ({column})() === '2'", "a cell of the column is active")
        page.keyboard.press("Control+k")
        page.keyboard.type("qqqq")
        expect(box.get_by_role("status")).to_have_text("No command has these words.")
        page.keyboard.press("Escape")
        expect(box).to_have_count(0)
        user.check_clean(self)

    def test_palette_opens_from_button_and_from_filter_bar(self):
        user = self.open("#table=jobs", scheme="dark")
        page = user.page
        page.get_by_role("button", name="Commands and help").click()
        box = self.palette(user)
        box.get_by_role("combobox").fill("keyboard")
        page.screenshot(path=ARTIFACTS / "palette-dark.png")
        box.get_by_role("option", name="Keyboard shortcuts").click()
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
        page.keyboard.press("Escape")
        user.filter.focus()
        page.keyboard.press("Control+k")
        expect(box).to_be_visible()
        page.keyboard.type("save view")
        page.keyboard.press("Enter")
        expect(box.get_by_role("status")).to_contain_text("This server keeps no views.")


class SumsTest(JobsTest):
    def test_status_bar_shows_statistics_of_selection(self):
        user = self.open("#table=jobs&sort=load")
        page = user.page
        picked = page.locator("#picked")
        rows = [page.locator(".row", has=page.get_by_role("gridcell", name=f"job {at}", exact=True)) for at in (2, 6)]
        boxes = [row.locator('[aria-colindex="3"]').bounding_box() for row in rows]
        page.mouse.move(boxes[0]["x"] + 20, boxes[0]["y"] + 10)
        page.mouse.down()
        page.mouse.move(boxes[1]["x"] + 20, boxes[1]["y"] + 10, steps=5)
        page.mouse.up()
        expect(picked).to_have_text("Selected: 5 cells · sum 20 · average 4 · min 2 · max 6")
        page.screenshot(path=ARTIFACTS / "sums.png")
        self.assertEqual(page.evaluate(FAULTS), [])
        page.keyboard.press("Shift+ArrowDown")
        expect(picked).to_have_text("Selected: 6 cells · sum 27 · average 4.5 · min 2 · max 7")
        page.keyboard.press("Escape")
        expect(picked).to_be_hidden()
        page.keyboard.press("Control+a")
        expect(picked).to_contain_text("loaded here, of 400 selected")
        page.keyboard.press("Escape")
        user.click_cell("job 3")
        page.keyboard.press("End")
        page.keyboard.press(" ")
        page.keyboard.press("ArrowDown")
        page.keyboard.press(" ")
        expect(picked).to_have_text("Selected: 2 rows · load sum 7 · average 3.5 · min 3 · max 4")
        user.check_clean(self)
