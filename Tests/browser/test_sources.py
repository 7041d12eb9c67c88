"""The bundled plugins on the real server: deferred cells, actions and images up to the screen."""

import pathlib
import re
import shutil
import struct
import tempfile
import unittest
import zlib

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import expect
from rowcast_server import Server


class RatingsTest(PageTest):
    plugins = ("Plugins/ratings/ratings.py",)
    settings = {"ratings.shortest": 0.05, "ratings.longest": 0.2}

    def row(self, user, name):
        return user.page.locator(".row", has=user.page.get_by_role("gridcell", name=name, exact=True))

    def rating(self, user, name):
        """Returns a row's rating once it is loaded."""
        cell = self.row(user, name).get_by_role("gridcell").nth(3)
        expect(cell).to_have_text(re.compile(r"^\d+$"))
        return int(cell.inner_text())

    def menu(self, user, name):
        user.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")
        user.page.get_by_role("gridcell", name=name, exact=True).click(button="right")
        return user.page.get_by_role("menu")

    def test_rating_is_loaded_and_changes_by_one_per_action(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            name = "Umbrella"
            before = self.rating(user, name)
            steps = (
                [("Rate up", 1), ("Rate up", 1), ("Rate down", -1)] if before < 50
                else [("Rate down", -1), ("Rate down", -1), ("Rate up", 1)])
            for title, step in steps:
                before += step
                self.menu(user, name).get_by_role("menuitem", name=title).click()
                expect(self.row(user, name).get_by_role("gridcell").nth(3)).to_have_text(str(before))
                expect(user.page.locator(".acted-line", has_text=f"{title}: ☂ has {before} now")).to_be_visible()
            user.page.screenshot(path=ARTIFACTS / f"ratings-{scheme}.png")
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.check_clean(self)

    def test_rating_form_and_source_refuse_numbers_out_of_bounds(self):
        user = self.open()
        self.menu(user, "Cloud").get_by_role("menuitem", name="Set the rating").click()
        box = user.page.get_by_role("dialog", name="Set the rating")
        box.get_by_label("Rating").fill("101")
        box.get_by_label("Rating").press("Enter")
        expect(box.get_by_role("alert")).to_contain_text("at most 100")
        box.get_by_label("Rating").fill("100")
        box.get_by_label("Rating").press("Enter")
        expect(self.row(user, "Cloud").get_by_role("gridcell").nth(3)).to_have_text("100")
        # An action that the source refuses is reported, too.
        self.menu(user, "Cloud").get_by_role("menuitem", name="Rate up").click()
        expect(user.page.get_by_role("alert").filter(has_text="ratings go from 0 to 100")).to_be_visible()
        user.page.screenshot(path=ARTIFACTS / "ratings-refused.png")
        user.check_clean(self)

    def test_prefetch_statistics_are_shown_in_footer_and_panel(self):
        user = self.open()
        self.rating(user, "Umbrella")
        user.wheel(900)
        loads = user.page.locator("#loads")
        expect(loads).to_have_text(re.compile(r"^\d+% loaded ahead$"))
        expect(loads).to_have_attribute(
            "title", re.compile(r"^[\d,]+ of [\d,]+ were loaded before they came into view"))
        user.page.keyboard.press("i")
        panel = user.page.get_by_role("region", name="Activity")
        expect(panel.locator("dt", has_text="Prefetch").locator("xpath=following-sibling::dd[1]")).to_have_text(
            re.compile(r"^[\d,]+ on time, [\d,]+ late, [\d,]+ cancelled, [\d,]+ unused$"))
        user.page.screenshot(path=ARTIFACTS / "ratings-panel.png")
        user.page.keyboard.press("i")
        expect(panel).to_have_count(0)
        expect(loads).to_have_text(re.compile("loaded ahead"))
        user.check_clean(self)


def png(width, height, color):
    """Returns an image of one color with a darker frame."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    dark = bytes(part // 2 for part in color)
    lines = b"".join(
        b"\0"
        + b"".join(
            dark if 4 > min(x, y, width - 1 - x, height - 1 - y) else color for x in range(width))
        for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


class FilesTest(PageTest):
    plugins = ("Plugins/files/files.py",)

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "holidays").mkdir()
        for at in range(60):
            color = bytes([(at * 37) % 200 + 40, (at * 71) % 200 + 40, (at * 113) % 200 + 40])
            (cls.folder / "holidays" / f"picture {at:02}.png").write_bytes(png(120, 80, color))
        (cls.folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing of the kind")
        (cls.folder / "notes.txt").write_text("no image")
        cls.settings = {"files.path": str(cls.folder)}
        super().setUpClass()

    def picture(self, user, name):
        row = user.page.locator(".row", has=user.page.get_by_role("gridcell", name=name, exact=True))
        return row.locator(".picture")

    def test_thumbnails_show_images_and_broken_image_has_a_reason(self):
        for scheme in ("light", "dark"):
            user = self.open("#table=files&sort=name", scheme=scheme)
            canvas = self.picture(user, "picture 00.png").locator("canvas")
            expect(canvas).to_be_visible()
            size = canvas.evaluate("({ width, height }) => ({ width, height })")
            self.assertEqual(size["height"], 36, "as tall as a row may be")
            self.assertEqual(size["width"], 54, "in its own proportion")
            colour = canvas.evaluate("(canvas) => [...canvas.getContext('2d').getImageData(27, 18, 1, 1).data]")
            for part, wanted in zip(colour, (40, 40, 40, 255)):
                self.assertAlmostEqual(part, wanted, delta=12, msg="it is this image, and no other")
            broken = self.picture(user, "broken.png")
            expect(broken).to_have_class(re.compile(r"\bfailed\b"))
            expect(broken).to_have_attribute("title", re.compile("."))
            expect(self.picture(user, "notes.txt").locator("canvas")).to_be_hidden()
            user.until("() => document.querySelectorAll('.picture.loading').length === 0", "all thumbnails are there")
            user.page.screenshot(path=ARTIFACTS / f"files-{scheme}.png")
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.check_clean(self)

    def test_pinned_rows_show_their_images_after_a_reload_far_from_them(self):
        user = self.open("#table=files&sort=name")
        for name in ("picture 03.png", "broken.png"):
            user.page.get_by_role("gridcell", name=name, exact=True).click(button="right")
            user.page.get_by_role("menuitem", name="Pin this row on top").click()
        pinned = user.page.locator(".pinned-rows .row")
        expect(pinned).to_have_count(2)
        # In this order their own places are far away, so that only the pinned rows ask for images.
        user.page.evaluate("() => { location.hash = location.hash.replace('sort=name', 'sort=-name'); }")
        expect(user.page.locator(".sheet [role=gridcell]", has_text="picture 59.png")).to_be_visible()
        expect(user.page.locator(".sheet [role=gridcell]", has_text="picture 03.png")).to_have_count(0)
        for _ in range(2):
            expect(pinned).to_have_count(2)
            canvas = pinned.first.locator(".picture canvas")
            expect(canvas).to_be_visible()
            self.assertEqual(canvas.evaluate("({ width, height }) => [width, height]"), [54, 36])
            color = canvas.evaluate("(canvas) => [...canvas.getContext('2d').getImageData(27, 18, 1, 1).data]")
            for part, wanted in zip(color, (151, 53, 179, 255)):
                self.assertAlmostEqual(part, wanted, delta=12, msg="it is the image of the row")
            expect(pinned.nth(1).locator(".picture")).to_have_class(re.compile(r"\bfailed\b"))
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.page.reload()
            user.wait_for_rows()
        user.page.screenshot(path=ARTIFACTS / "files-pinned.png")
        # Unpinned rows leave no image behind, and the next pinned row has its own.
        pinned.first.get_by_role("gridcell").first.click(button="right")
        user.page.get_by_role("menuitem", name="Unpin this row").click()
        expect(pinned).to_have_count(1)
        expect(pinned.locator(".picture")).to_have_class(re.compile(r"\bfailed\b"))
        user.check_clean(self)

    def test_new_file_adds_row_with_thumbnail_and_deletion_removes_it(self):
        user = self.open("#table=files&sort=name")
        new = self.folder / "a new one.png"
        self.addCleanup(new.unlink, missing_ok=True)
        new.write_bytes(png(80, 80, bytes([220, 60, 60])))
        expect(self.picture(user, new.name).locator("canvas")).to_be_visible()
        user.page.get_by_role("gridcell", name=new.name, exact=True).click()
        user.page.keyboard.press("Enter")
        expect(user.page.get_by_role("complementary", name="Row").locator("canvas")).to_be_visible()
        user.page.screenshot(path=ARTIFACTS / "files-detail.png")
        new.unlink()
        user.page.mouse.move(0, 0)  # a hovered row would be held
        expect(user.page.get_by_role("gridcell", name=new.name, exact=True)).to_have_count(0)
        user.check_clean(self)


class ServerCountersTest(PageTest):
    plugins = ("market", "clock")
    settings = {"market.rows": 20_000, "market.rate": 5_000}

    def test_activity_panel_shows_counters_of_the_server(self):
        for scheme in ("light", "dark"):
            user = self.open("#table=quotes&sort=-price&group=sector", scheme=scheme)
            user.page.keyboard.press("i")
            panel = user.page.get_by_role("region", name="Activity")
            shown = {
                "Source to socket": r"^p50 [\d.]+\sms, p99 [\d.]+\sms$",
                "Coalescing": r"^[\d,.]*[1-9][\d,.]* changes per flush$",
                "Headers pooled": r"^[1-9][\d,]*, reused [\d,]+×$",
                "Clients connected": r"^[1-9]\d*$", "Prefetch": "^—$",
                "Resyncs": "^0$",
            }
            for title, pattern in shown.items():
                value = panel.locator("dt", has_text=title).locator("xpath=following-sibling::dd[1]")
                expect(value).to_have_text(re.compile(pattern))
            user.until("""() => {
              const term = [...document.querySelectorAll('#panel dt')].find((one) => one.textContent === 'Source rate');
              const rate = Number(/^[\\d,.]+/.exec(term.nextElementSibling.textContent)?.[0].replaceAll(',', ''));
              return rate > 2_500 && rate < 7_500;
            }""", "it is about as many rows as the source tells")
            user.page.screenshot(path=ARTIFACTS / f"panel-server-{scheme}.png")
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.check_clean(self)


class SkippedTest(PageTest):
    plugins = ("Tests/Fixtures/plugins/skipping.sh",)

    def test_skipped_rows_button_opens_dialog_with_reasons(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            button = user.page.get_by_role("button", name="3 rows skipped, show why")
            button.focus()
            button.press("Enter")
            box = user.page.get_by_role("dialog", name="Why rows were skipped")
            reasons = box.get_by_role("listitem")
            expect(reasons).to_have_count(2)
            expect(reasons.nth(0)).to_contain_text("2 × its cell “done” is a text")
            expect(reasons.nth(0)).to_contain_text('row 3: its cell “done” is a text')
            expect(reasons.nth(0)).to_contain_text(
                '(line 6): {"type":"upsert","key":3,"row":{"name":"deploy","done":"none"}}')
            expect(reasons.nth(1)).to_contain_text("1 × it is not JSON")
            expect(reasons.nth(1)).to_contain_text("Loading jobs...")
            user.page.screenshot(path=ARTIFACTS / f"skipped-{scheme}.png")
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.page.keyboard.press("Escape")
            expect(box).to_have_count(0)
            expect(button).to_be_focused()
            user.check_clean(self)


class FollowedTest(PageTest):
    """A followed file, whose newest lines are at the end."""

    @classmethod
    def serve(cls):
        folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.lines = folder / "lines.ndjson"
        cls.count = 0
        cls.add(3)
        return Server(what=("--follow", str(cls.lines)))

    @classmethod
    def add(cls, count):
        with cls.lines.open("a") as lines:
            for number in range(cls.count, cls.count + count):
                lines.write(f'{{"line": "line {number}"}}\n')
        cls.count += count

    def sees(self, user, number, is_seen=True):
        cell = user.page.get_by_role("gridcell", name=f"line {number}", exact=True)
        if is_seen:
            expect(cell).to_be_in_viewport()
        else:
            expect(user.page.locator("#rows")).to_have_text(re.compile(rf"^{self.count:,} rows"))
            expect(cell).not_to_be_in_viewport()

    def test_the_newest_rows_stay_in_view_until_the_user_leaves_them(self):
        user = self.open()
        page = user.page
        follow = page.get_by_role("button", name="Follow")
        expect(follow).to_have_attribute("aria-pressed", "false")
        follow.click()
        expect(follow).to_have_attribute("aria-pressed", "true")
        # Three rows fit the viewport; five hundred do not.
        for count in (500, 1, 40):
            self.add(count)
            self.sees(user, self.count - 1)
        page.screenshot(path=ARTIFACTS / "follow.png")
        self.assertEqual(page.evaluate(FAULTS), [])
        user.wheel(-400)
        expect(follow).to_have_attribute("aria-pressed", "false")
        self.add(50)
        self.sees(user, self.count - 1, is_seen=False)
        user.grid.focus()
        page.keyboard.press("l")
        expect(follow).to_have_attribute("aria-pressed", "true")
        self.sees(user, self.count - 1)
        page.keyboard.press("l")
        expect(follow).to_have_attribute("aria-pressed", "false")
        # Sorted rows have their newest ones anywhere.
        user.header("^line").click()
        expect(follow).to_be_hidden()
        user.check_clean(self)


class ReturningTest(PageTest):
    """A program that exits once and comes back with other columns."""

    PROGRAM = """#!/usr/bin/env python3
import json, os, sys
sign = sys.argv[0] + ".again"
is_again = os.path.exists(sign)
def send(**message):
    print(json.dumps(message), flush=True)
send(type="hello", version=1)
columns = {"name": "text", "amount": "number", "share": "number"}
if is_again:
    columns = {"amount": "number", "owner": "text", "name": "text"}
send(type="schema", name="jobs", key="integer", columns=[{"name": n, "type": columns[n]} for n in columns])
send(type="reload")
cell = {"text": lambda row: f"job {row}", "number": lambda row: row * 7 % 100}
send(type="upsert", rows=[[row, *(cell[columns[n]](row) for n in columns)] for row in range(100)])
send(type="commit")
if is_again:
    sys.exit(sys.stdin.read())
os.mkfifo(sign)
open(sign).read()
sys.exit(3)
"""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.program = pathlib.Path(folder.name) / "jobs.py"
        cls.program.write_text(cls.PROGRAM)
        cls.program.chmod(0o755)
        cls.plugins = (str(cls.program),)
        super().setUpClass()

    def head(self, user, name):
        """Returns the header of a column, at whatever position it is."""
        return user.page.get_by_role("columnheader", name=re.compile(f"^{name}"))

    def test_view_is_kept_where_columns_still_exist_after_a_restart(self):
        user, other = self.open(), self.open("#sort=-share")
        self.head(user, "amount").click()
        user.filter.fill("amount>50")
        rows = user.page.locator("#rows")
        expect(rows).to_have_text(re.compile("^49 rows match"))
        expect(self.head(other, "share")).to_have_attribute("aria-sort", "descending")
        self.program.with_name("jobs.py.again").write_text("")
        for one in (user, other):
            expect(self.head(one, "owner")).to_be_visible(timeout=60_000)
            expect(self.head(one, "share")).to_have_count(0)
        expect(rows).to_have_text(re.compile("^49 rows match"))
        expect(self.head(user, "amount")).to_have_attribute("aria-sort", "descending")
        user.until_rows("(rows) => rows[0]?.cells[0] === '99'", "the greatest amount comes first")
        # An order by a column that is gone is marked as not applied.
        expect(other.page.locator("#rows")).to_have_text(re.compile("^100 rows"))
        expect(other.page.get_by_text("Not applied")).to_be_visible()
        for one in (user, other):
            one.page.screenshot(path=ARTIFACTS / f"returning-{'user' if one is user else 'other'}.png")
            one.check_clean(self)


if __name__ == "__main__":
    unittest.main()
