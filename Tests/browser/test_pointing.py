"""The menus of cells and section headers: filters by value, copying, and the source's actions."""

import json
import pathlib
import re
import shutil
import sqlite3
import stat
import tempfile
import time
import unittest

from aria import FAULTS
from browsers import IS_FIREFOX, only_chromium
from pages import ARTIFACTS, PageTest
from user import expect
from rowcast_server import ROOT, STAND_IN, Server

NOON = 1795435200000
COLUMNS = [
    {"name": "name", "title": "Name", "type": "text"}, {"name": "user", "title": "User", "type": "text"},
    {"name": "state", "title": "State", "type": "text", "style": "badge"},
    {"name": "share", "title": "Share", "type": "number", "unit": "%", "format": "plain.1"},
    {"name": "seen", "title": "Seen", "type": "timestamp"},
    {"name": "page", "title": "Page", "type": "text", "style": "link"},
]  # fmt: skip
# Alpha and beta look alike in “Share”.
ROWS = [
    [1, "alpha", "root", "idle", 12.52, NOON, "https://example.org/a"],
    [2, "beta", "root", "busy", 12.48, NOON + 0.5, None],
    [3, "gamma", "me", "idle", 20, NOON + 1, None], [4, "delta", "me", "busy", 7, NOON + 60_000, None],
    [5, "epsilon", None, "idle", None, None, None], [6, "zeta", "שלום", "busy", 99, NOON, None],
]  # fmt: skip
PLUGIN = """#!/usr/bin/env python3
import json, sys
for message in json.loads({text!r}):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "health":
        print(json.dumps({{"type": "health", "id": message["id"]}}), flush=True)
"""


class MenuTest(PageTest):
    """The steps that the tests of this file share."""

    def cell(self, user, row, title):
        line = user.page.locator(".row:not([hidden])", has=user.page.get_by_role("gridcell", name=row, exact=True))
        return line.locator(f'[aria-colindex="{user.column(f"^{title}") + 1}"]')

    def menu(self, user, row, title):
        """Opens a cell's menu with the mouse."""
        box = self.cell(user, row, title).bounding_box()
        user.page.mouse.click(box["x"] + 12, box["y"] + 10, button="right")
        return self.opened(user)

    def opened(self, user):
        menu = user.page.get_by_role("menu")
        expect(menu).to_be_visible()
        self.assertEqual(user.page.evaluate(FAULTS), [])
        return menu

    def choose(self, user, row, title, choice):
        self.menu(user, row, title).get_by_role("menuitem", name=choice, exact=True).click()
        expect(user.page.get_by_role("menu")).to_have_count(0)

    def names(self, user, *expected):
        names = ",".join(sorted(expected))
        user.until_rows(
            f"(rows) => rows.map(({{ cells }}) => cells[0]).sort().join() === '{names}'", f"{expected} are shown")

    def chips(self, user, *texts):
        expect(user.page.locator("#terms .chip-edit")).to_have_text(list(texts))

    def items(self, menu):
        return menu.get_by_role("menuitem").all_inner_texts()

    def active(self, user):
        """Returns the text of the cell that has the focus."""
        return user.until(
            """() => document.activeElement.matches('[role=gridcell], [role=rowheader]')
                && document.activeElement.textContent""", "a cell has the focus")


class PeopleTest(MenuTest):
    """A table without actions."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "people.py"
        messages = [
            {"type": "hello", "version": 1, "capabilities": ["health"]},
            {"type": "schema", "name": "people", "key": "integer", "columns": COLUMNS},
                    {"type": "reload"}, {"type": "upsert", "rows": ROWS}, {"type": "commit"}]
        path.write_text(PLUGIN.format(text=json.dumps(messages)), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        cls.plugins = (str(path),)
        super().setUpClass()

    def open(self, fragment="#table=people", **how):
        return super().open(fragment, **{"locale": "en-US", "timezone_id": "UTC", **how})


class PointingTest(PeopleTest):
    def test_cell_menu_filters_combine_as_removable_chips(self):
        user = self.open()
        menu = self.menu(user, "alpha", "User")
        self.assertEqual([text.split("\n")[0] for text in self.items(menu)], [
            "Filter for “root”", "Exclude “root”", "Save rows with “root” as CSV", "Group by this column", "Copy",
            "Select the row", "Pin this row on top", "Copy a link to this view",
            "Copy a link to this row", "Show details"])
        user.page.screenshot(path=ARTIFACTS / "pointing-light.png")
        menu.get_by_role("menuitem", name="Filter for “root”").click()
        self.names(user, "alpha", "beta")
        self.chips(user, "User root")
        self.assertEqual(self.active(user), "root")
        self.choose(user, "beta", "State", "Exclude “busy”")
        self.names(user, "alpha")
        self.chips(user, "User root", "State not busy")
        # The link alone shows the same.
        self.names(self.open("#" + user.page.url.split("#", 1)[1]), "alpha")
        user.page.get_by_role("button", name="Remove the filter of User").click()
        self.names(user, "alpha", "gamma", "epsilon")
        # An exclusion grows, and empty cells have items of their own.
        user.page.get_by_role("button", name="Remove the filter of State").click()
        self.choose(user, "alpha", "User", "Exclude “root”")
        self.names(user, "gamma", "delta", "epsilon", "zeta")
        self.choose(user, "gamma", "User", "Exclude “me”")
        self.names(user, "epsilon", "zeta")
        self.choose(user, "epsilon", "User", "Exclude empty cells")
        self.names(user, "zeta")
        self.chips(user, "User not root, me, (empty)")
        menu = self.menu(user, "zeta", "User")
        expect(menu.get_by_role("menuitem", name=re.compile("^Filter for “.?שלום.?”$"))).to_be_visible()
        user.page.keyboard.press("Escape")
        user.page.get_by_role("button", name="Remove the filter of User").click()
        self.choose(user, "epsilon", "User", "Filter for empty cells")
        self.names(user, "epsilon")
        user.check_clean(self)

    def test_cell_menu_filters_use_exact_value_behind_rounded_text(self):
        user = self.open()
        menu = self.menu(user, "alpha", "Share")
        expect(menu.get_by_role("group", name="Share: 12.52%")).to_be_visible()
        menu.get_by_role("menuitem", name="Filter for “12.5%”").click()
        self.names(user, "alpha")
        self.chips(user, "Share 12.52%")
        menu = self.menu(user, "alpha", "Share")
        expect(menu.get_by_role("menuitem", name="Filter for “12.5%”")).to_have_attribute(
            "aria-description", "The filter is set already.")
        expect(menu.get_by_role("menuitem", name="Exclude “12.5%”")).to_have_attribute("aria-disabled", "true")
        user.page.keyboard.press("Escape")
        user.page.get_by_role("button", name="Remove the filter of Share").click()
        self.choose(user, "alpha", "Share", "At least 12.5%")
        self.names(user, "alpha", "gamma", "zeta")
        self.choose(user, "gamma", "Share", "At most 20.0%")
        self.names(user, "alpha", "gamma")
        # Excluding keeps the range, and has a chip of its own.
        self.choose(user, "gamma", "Share", "Exclude “20.0%”")
        self.names(user, "alpha")
        self.chips(user, "Share 12.5% – 20.0%", "Share not 20%")
        user.page.get_by_text("Share not 20%").click()
        box = user.page.get_by_role("dialog", name="Filter Share")
        expect(box.get_by_label("Condition")).to_have_value("noneOf")
        user.page.keyboard.press("Escape")
        user.page.get_by_role("button", name="Remove the filter of Share").click()
        self.chips(user, "Share not 20%")
        self.names(user, "alpha", "beta", "delta", "epsilon", "zeta")
        user.check_clean(self)

    def test_cell_menu_filters_times_by_bound_exclusion_and_value(self):
        user = self.open()
        menu = self.menu(user, "gamma", "Seen")
        menu.get_by_role("menuitem", name=re.compile("^At or after")).click()
        self.names(user, "gamma", "delta")
        self.menu(user, "delta", "Seen").get_by_role("menuitem", name=re.compile("^Exclude")).click()
        self.names(user, "gamma")
        user.page.get_by_role("button", name="Clear all").click()
        self.menu(user, "beta", "Seen").get_by_role("menuitem", name=re.compile("^Filter for")).click()
        self.names(user, "beta")
        user.check_clean(self)

    def test_selected_values_become_one_filter(self):
        user = self.open()
        for name in ("alpha", "gamma"):
            user.click_cell(name, key="Control")
        self.choose(user, "gamma", "State", "Only the selected value")
        self.names(user, "alpha", "gamma", "epsilon")
        user.page.get_by_role("button", name="Remove the filter of State").click()
        # Several cells of one column, also with the keyboard.
        self.names(user, "alpha", "beta", "gamma", "delta", "epsilon", "zeta")
        self.cell(user, "beta", "User").click()
        for key in ("Shift+ArrowDown", "Shift+ArrowDown", "Shift+F10"):
            user.page.keyboard.press(key)
        menu = self.opened(user)
        expect(menu.get_by_role("menuitem", name="Copy the selection")).to_be_visible()
        menu.get_by_role("menuitem", name="Exclude the 2 selected values").click()
        self.names(user, "epsilon", "zeta")
        # Outside of the selection, the menu concerns its own cell.
        user.click_cell("zeta", key="Control")
        menu = self.menu(user, "epsilon", "Name")
        expect(menu.get_by_role("menuitem", name="Copy", exact=True)).to_be_visible()
        expect(menu.get_by_role("menuitem", name=re.compile("selected"))).to_have_count(0)
        user.check_clean(self)

    def test_keyboard_opens_cell_menu_and_regains_focus(self):
        user = self.open()
        self.cell(user, "gamma", "User").click()
        for key in ("Shift+F10",) if IS_FIREFOX else ("Shift+F10", "ContextMenu"):  # its driver lacks the key
            user.page.keyboard.press(key)
            menu = self.opened(user)
            expect(menu.get_by_role("menuitem", name="Filter for “me”")).to_be_focused()
            user.page.keyboard.press("Escape")
            self.assertEqual(self.active(user), "me")
        user.page.keyboard.press("Shift+F10")
        user.page.keyboard.press("ArrowDown")
        user.page.keyboard.press("Enter")
        self.names(user, "alpha", "beta", "epsilon", "zeta")
        user.page.keyboard.press("Shift+F10")
        user.page.keyboard.press("g")
        user.page.keyboard.press("Enter")
        expect(user.page.get_by_role("rowheader")).to_have_count(3)
        user.check_clean(self)

    def test_cell_menu_copies_cell_value_and_view_link(self):
        user = self.open("#table=people&sort=-name")
        self.choose(user, "gamma", "Name", "Copy")
        self.assertEqual(user.pasted(), "gamma")
        self.choose(user, "gamma", "Name", "Filter for “gamma”")
        self.names(user, "gamma")
        self.choose(user, "gamma", "Name", "Copy a link to this view")
        expect(user.page.locator(".acted-line")).to_contain_text("Copied a link to this view")
        link = user.pasted()
        self.assertEqual(link, user.page.url)
        self.assertIn("sort=-name&filter=", link)
        self.names(self.open("#" + link.split("#", 1)[1]), "gamma")
        # A view without changes has a link, too.
        plain = self.open("")
        self.choose(plain, "gamma", "Name", "Copy a link to this view")
        expect(plain.page.locator(".acted-line")).to_be_visible()
        self.assertIn("#table=people", plain.pasted())
        user.check_clean(self)

    def test_cell_menu_offers_link_and_toggles_details(self):
        user = self.open()
        expect(self.menu(user, "alpha", "Page").get_by_role("menuitem", name="Open the link")).to_be_visible()
        user.page.get_by_role("menuitem", name="Show details").click()
        panel = user.page.get_by_role("complementary", name="Row")
        expect(panel).to_contain_text("alpha")
        self.choose(user, "alpha", "Name", "Hide details")
        expect(panel).to_be_hidden()
        user.check_clean(self)

    def test_section_header_menu_filters_collapses_and_ungroups(self):
        user = self.open("#table=people&group=state,user")
        header = lambda text: user.page.get_by_role("rowheader", name=re.compile(text)).first
        header("^State idle").click(button="right")
        menu = self.opened(user)
        user.page.screenshot(path=ARTIFACTS / "pointing-section.png")
        self.assertEqual([text.split("\n")[0] for text in self.items(menu)], [
            "Filter for “idle”", "Exclude “idle”", "Stop grouping by this column",
            "Collapse this section", "Collapse all sections", "Expand all sections", "Order the sections…",
            "Copy a link to this view"])
        menu.get_by_role("menuitem", name="Collapse all sections").click()
        expect(user.page.get_by_role("rowheader", expanded=False)).to_have_count(2)
        expect(user.grid).to_have_attribute("aria-rowcount", "3")
        header("^State idle").click(button="right")
        self.opened(user).get_by_role("menuitem", name="Expand all sections").click()
        expect(user.page.get_by_role("rowheader", expanded=False)).to_have_count(0)
        header("^State busy").click(button="right")
        self.opened(user).get_by_role("menuitem", name="Collapse this section").click()
        expect(user.page.get_by_role("rowheader", expanded=False)).to_have_count(1)
        # By keyboard; the header of a nested section stands for its levels together.
        header("^User root").click()
        expect(header("^User root")).to_have_attribute("aria-expanded", "false")
        user.page.keyboard.press("ArrowRight")
        expect(header("^User root")).to_have_attribute("aria-expanded", "true")
        user.page.keyboard.press("Shift+F10")
        self.opened(user).get_by_role("menuitem", name="Filter for this section").click()
        self.chips(user, "State idle", "User root")
        self.names(user, "alpha")
        header("^State idle").click(button="right")
        self.opened(user).get_by_role("menuitem", name="Stop grouping by this column").click()
        expect(user.page.get_by_role("rowheader")).to_have_count(1)
        user.check_clean(self)

    def test_cell_menu_fits_narrow_screen(self):
        dark = self.open(scheme="dark")
        self.menu(dark, "alpha", "Share")
        dark.page.screenshot(path=ARTIFACTS / "pointing-dark.png")
        user = self.open(size=(320, 560))
        menu = self.menu(user, "alpha", "Name")
        user.page.screenshot(path=ARTIFACTS / "pointing-narrow.png")
        box = menu.bounding_box()
        self.assertTrue(0 <= box["x"] and box["x"] + box["width"] <= 320, box)
        self.assertTrue(0 <= box["y"] and box["y"] + box["height"] <= 560, box)
        user.check_clean(self)


@only_chromium("its driver has no touches")
class LongPressTest(PeopleTest):
    """Touches, by the browser's own protocol, so that its gestures are recognized as well."""

    def touch(self, user, kind, *points):
        touches = [{"x": x, "y": y} for x, y in points]
        self.driver.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    def press(self, user, cell):
        self.driver = user.page.context.new_cdp_session(user.page)
        box = cell.bounding_box()
        at = (box["x"] + 12, box["y"] + 10)
        self.touch(user, "touchStart", at)
        return at

    def moves_in_time(self, user, cell):
        """Touches a cell and moves, and returns whether that was quicker than a long press.

        A busy machine may be slower; then the touch is a long press, and its menu is closed.
        """
        began = time.monotonic()
        x, y = self.press(user, cell)
        self.touch(user, "touchMove", (x, y + 30))
        if time.monotonic() - began < 0.4:
            return True
        self.touch(user, "touchEnd")
        user.page.wait_for_timeout(700)
        user.page.keyboard.press("Escape")
        return False

    def test_a_long_press_opens_the_menu_and_no_click_follows(self):
        user = self.open(has_touch=True, is_mobile=True, size=(390, 700))
        user.page.evaluate("() => { window.clicks = 0; addEventListener('click', () => { clicks += 1; }); }")
        self.press(user, self.cell(user, "gamma", "Name"))
        menu = self.opened(user)
        user.page.screenshot(path=ARTIFACTS / "pointing-touch.png")
        self.touch(user, "touchEnd")
        user.page.wait_for_timeout(600)
        expect(menu).to_be_visible()
        self.assertEqual(user.page.evaluate("clicks"), 0)
        self.assertTrue(user.page.evaluate("getSelection().isCollapsed"))
        menu.get_by_role("menuitem", name="Filter for “gamma”").tap()
        self.names(user, "gamma")
        self.assertEqual(self.active(user), "gamma")
        user.check_clean(self)

    def test_a_long_press_on_a_section_does_not_collapse_it(self):
        user = self.open("#table=people&group=state", has_touch=True, is_mobile=True, size=(390, 700))
        self.press(user, user.page.get_by_role("rowheader").first)
        self.opened(user)
        self.touch(user, "touchEnd")
        user.page.wait_for_timeout(600)
        expect(user.page.get_by_role("rowheader", expanded=True)).to_have_count(2)
        user.check_clean(self)

    def test_short_or_moved_touch_opens_no_menu(self):
        user = self.open(has_touch=True, is_mobile=True, size=(390, 700))
        cell = self.cell(user, "gamma", "Name")
        cell.tap()
        user.page.wait_for_timeout(700)
        expect(user.page.get_by_role("menu")).to_have_count(0)
        self.assertTrue(any(self.moves_in_time(user, cell) for _ in range(20)), "no touch moved in time")
        user.page.wait_for_timeout(700)
        expect(user.page.get_by_role("menu")).to_have_count(0)
        self.touch(user, "touchEnd")
        user.check_clean(self)


class ActionsTest(MenuTest):
    """A table with actions has them in the same menu."""

    plugins = ("jobs",)
    command = STAND_IN

    def test_cell_menu_groups_row_and_table_actions_under_headings(self):
        user = self.open()
        menu = self.menu(user, "job 3", "Name")
        user.page.screenshot(path=ARTIFACTS / "pointing-actions.png")
        expect(menu.get_by_role("group", name="Name").get_by_role("menuitem").first).to_have_text("Filter for “job 3”")
        expect(menu.get_by_role("group", name="job 3").get_by_role("menuitem")).to_have_count(5)
        expect(menu.get_by_role("group", name="Whole table").get_by_role("menuitem")).to_have_text(["Sweep all jobs…"])
        user.check_clean(self)


class WindowedTest(MenuTest):
    """A source that keeps the rows states what it can filter."""

    @classmethod
    def serve(cls):
        folder = tempfile.TemporaryDirectory(prefix="rowcast-pointing-")
        cls.addClassCleanup(folder.cleanup)
        path = f"{folder.name}/trips.db"
        base = sqlite3.connect(path)
        base.execute("CREATE TABLE trips (id INTEGER PRIMARY KEY, name TEXT, fare REAL NOT NULL)")
        base.executemany("INSERT INTO trips VALUES (?, ?, ?)", ((n, f"trip {n % 100}", n / 4) for n in range(60_000)))
        base.execute("CREATE INDEX by_fare ON trips (fare)")
        base.commit()
        base.close()
        # A source that cannot filter by fares, nor group by names.
        source = pathlib.Path(shutil.copytree(ROOT / "Plugins/sqlite", f"{folder.name}/plugin")) / "sqlite.py"
        text = source.read_text(encoding="utf-8").replace('"filterColumns": names', '"filterColumns": ["id", "name"]')
        text = text.replace('"group": names', '"group": []')
        source.write_text(text, encoding="utf-8")
        source.chmod(0o755)
        return Server(str(source), settings={"sqlite.path": path, "sqlite.table": "trips"})

    def test_filters_the_source_cannot_run_are_disabled_with_reason(self):
        user = self.open("#table=trips&sort=fare")
        user.click_cell("0.75", button="right")
        menu = self.opened(user)
        for name in ("Filter for “0.75”", "Exclude “0.75”", "At least 0.75", "At most 0.75"):
            item = menu.get_by_role("menuitem", name=name)
            expect(item).to_have_attribute("aria-disabled", "true")
            reason = "This source cannot filter this way, and 60,000 rows are too many to do it here"
            self.assertIn(reason, item.get_attribute("title"))
        item = menu.get_by_role("menuitem", name="Group by this column")
        self.assertIn("cannot group by this column", item.get_attribute("title"))
        expect(menu.get_by_role("menuitem", name="Copy", exact=True)).to_be_focused()
        # The reason is also shown without a pointer.
        user.page.keyboard.press("Home")
        user.page.keyboard.press("Enter")
        expect(menu.locator(".explained")).to_have_count(1)
        user.page.screenshot(path=ARTIFACTS / "pointing-windowed.png")
        user.page.keyboard.press("Escape")
        user.click_cell("trip 3", button="right")
        self.opened(user).get_by_role("menuitem", name="Filter for “trip 3”").click()
        expect(user.page.locator("#rows")).to_have_text("600 rows match")
        # Few enough rows are left for the server to filter the rest.
        user.click_cell("0.75", button="right")
        self.opened(user).get_by_role("menuitem", name="Exclude “0.75”").click()
        expect(user.page.locator("#rows")).to_have_text("599 rows match")
        user.check_clean(self)

    def test_filter_by_selection_fetches_values_of_unloaded_rows(self):
        user = self.open("#table=trips&sort=id")
        user.click_cell("trip 0")
        self.assertEqual(self.active(user), "trip 0")
        for _ in range(25):
            user.page.keyboard.press("Shift+PageDown")
        user.until(
            "() => getSelection().isCollapsed && document.activeElement.matches('[role=gridcell]')",
            "the cell has the focus")
        # Also while the active cell is scrolled out of view.
        user.wheel(-1_000)
        user.until("() => document.activeElement.matches('#grid')", "the cell is out of view")
        user.page.keyboard.press("Shift+F10")
        self.opened(user).get_by_role("menuitem", name="Only the selected values").click()
        expect(user.page.locator("#rows")).to_have_text("60,000 rows match")
        self.chips(user, re.compile("^name trip 0, trip 1, trip 2 and 97 more$"))
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
