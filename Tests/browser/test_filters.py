"""Filters and the search on the real server, in a browser with Dutch number formats."""

import json
import pathlib
import re
import stat
import tempfile
import unittest

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import User, expect

# 2026-11-23 14:05:09 UTC, four times within that second, and times around it.
SECOND = 1795442709000
COLUMNS = [
    {"name": "name", "title": "Name", "type": "text"}, {"name": "people", "title": "People", "type": "integer"},
    {"name": "share", "title": "Share", "type": "number"},
    {"name": "size", "title": "Size", "type": "integer", "style": "bytes"},
    {"name": "took", "title": "Took", "type": "number", "style": "duration"},
    {"name": "at", "title": "At", "type": "timestamp"},
    {"name": "open", "title": "Open", "type": "boolean"},
]  # fmt: skip
ROWS = [
    [0, "alpha", 90, 1.5, 1_572_864, 60, SECOND, True], [1, "beta", 90_000, 1.25, 1_580_000, 59.6, SECOND + 250, False],
    [2, "gamma", 90_000_000, 15, 1_700_000, 60.4, SECOND + 999, True],
    [3, "delta", 900, 150, 1_500_000, 61, SECOND + 999.999, False],
    [4, "epsilon", 4_711, 0.5, 512, 3_723, SECOND + 1_000, None], [5, "zeta", None, None, None, None, SECOND - 1, True],
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


class FiltersTest(PageTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.plugins = tuple(cls.plugin(pathlib.Path(folder.name), *table) for table in (
            ("places", COLUMNS, ROWS), ("plain", [{"name": "line", "type": "series"}], [[0, [1, 2]], [1, [3]]])))
        super().setUpClass()

    @staticmethod
    def plugin(folder, name, columns, rows):
        path = folder / f"{name}.py"
        messages = [
            {"type": "hello", "version": 1, "capabilities": ["health"]},
            {"type": "schema", "name": name, "key": "integer", "columns": columns},
            {"type": "reload"}, {"type": "upsert", "rows": rows}, {"type": "commit"}]
        path.write_text(PLUGIN.format(text=json.dumps(messages)), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    # Dutch has the notation 1.234,5, and the page is English in it.
    def open(self, fragment="#table=places", **how):
        return super().open(fragment, **{"locale": "nl-NL", "timezone_id": "UTC", **how})

    def names(self, user, *expected):
        user.until_rows(
            f"(rows) => rows.map(({{ cells }}) => "
            f"cells[0]).sort().join() === '{','.join(sorted(expected))}'",
            f"{expected} are shown")

    def tab(self, user, name):
        """Returns the tab of a table. At first there may be one of its source, too."""
        tab = user.page.get_by_role("tab", name=re.compile(name))
        expect(tab).to_have_count(1)
        return tab

    def box(self, user, title):
        header = user.page.get_by_role("columnheader", name=title, exact=True)
        header.click(button="right")
        user.page.get_by_role("menuitem", name="Filter…").click()
        return user.page.get_by_role("dialog", name=f"Filter {title}")

    def range(self, user, title, start, end=""):
        box = self.box(user, title)
        box.get_by_label("From").fill(start)
        box.get_by_label("To (inclusive)").fill(end)
        box.get_by_role("button", name="Apply").click()
        return box

    def test_filter_numbers_are_read_in_the_browser_locale(self):
        user = self.open()
        user.wait_for_count(7)
        self.range(user, "People", "90.000", "90.000")
        self.names(user, "beta")
        chip = user.page.locator(".chip")
        expect(chip).to_have_text(re.compile("^People 90\\.000"))
        user.page.screenshot(path=ARTIFACTS / "filter-dutch.png")
        self.range(user, "People", "90.000")
        self.names(user, "beta", "gamma")
        user.page.get_by_role("button", name="Remove the filter of People").click()
        self.range(user, "Share", "1,25", "1,5")
        self.names(user, "alpha", "beta")
        user.check_clean(self)

    def test_invalid_range_bound_is_refused_and_former_filter_stays(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            self.range(user, "Share", "1,5")
            self.names(user, "alpha", "gamma", "delta")
            box = self.range(user, "Share", "1.5")
            expect(box.get_by_role("alert")).to_have_text("“1.5” is unclear: numbers are written like 1.234,5 here.")
            expect(box.get_by_label("From")).to_have_attribute("aria-invalid", "true")
            expect(box.get_by_label("From")).to_be_focused()
            user.page.screenshot(path=ARTIFACTS / f"filter-refused-{scheme}.png")
            box.get_by_label("From").press("ArrowRight")
            box.get_by_label("From").type("0")
            expect(box.get_by_label("From")).not_to_have_attribute("aria-invalid", "true")
            user.page.keyboard.press("Escape")
            expect(box).to_have_count(0)
            expect(user.page.locator(".chip")).to_have_count(1)
            expect(user.page.locator("#rows")).to_have_text("3 rows match")
            self.names(user, "alpha", "gamma", "delta")
            box = self.range(user, "People", "9223372036854775808")
            expect(box.get_by_role("alert")).to_contain_text(
                "beyond what this column can hold (-9.223.372.036.854.775.808 to "
                "9.223.372.036.854.775.807)")
            user.check_clean(self)

    def test_filter_by_displayed_text_finds_all_rows_that_show_it(self):
        user = self.open()
        user.wait_for_count(7)
        # Without the padding that aligns digits.
        shown = {row["cells"][0]: [cell.rstrip("\u2007\u2008") for cell in row["cells"]] for row in user.rows()}
        for column in range(1, 6):
            title = user.titles()[column]
            for name in ("alpha", "beta", "epsilon"):
                text = shown[name][column]
                self.range(user, title, text, text)
                # The column At also matches every time within the second.
                self.names(
                    user,
                    *(
                        other for other, cells in shown.items() if cells[column] == text
                        or (title == "At" and cells[column].startswith(text))))
                user.page.get_by_role("button", name=f"Remove the filter of {title}").click()
                user.wait_for_count(7)
        user.check_clean(self)

    def test_filter_bar_and_find_strip_agree_for_every_column_type(self):
        user = self.open()
        user.wait_for_count(7)
        strip = user.page.get_by_role("search")
        texts = (
            ("ETA", ("beta", "zeta")), ("90.000", ("beta",)), ("4711", ("epsilon",)),
            ("90", ("alpha",)), ("1,5", ("alpha",)), ("1,25", ("beta",)),
            ("512 B", ("epsilon",)), ("1:01", ("delta",)), ("1:02:03", ("epsilon",)),
            ("2026-11-23 14:05:09", ("alpha", "beta", "gamma", "delta")),
            ("2026-11-23 14:05:10", ("epsilon",)), ("yes", ("alpha", "gamma", "zeta")), ("no such", ()),
        )  # fmt: skip
        for text, names in texts:
            user.filter.fill(text)
            user.filter.press("Enter")
            if names:
                self.names(user, *names)
            expect(user.page.locator("#rows")).to_have_text(re.compile(f"^{len(names)} row"))
            user.filter.fill("")
            user.filter.press("Enter")
            user.wait_for_count(7)
            user.grid.focus()
            user.page.keyboard.press("Control+f")
            strip.get_by_role("searchbox").fill(text)
            expect(
                strip.get_by_role(
                    "button",
                    name="matching row")).to_have_text(re.compile(f"^{len(names)} matching row"))
            # The cells that the search visits in turn are in these rows.
            count = re.compile("^no|^0") if not names else re.compile(r"^\d+ match")
            expect(strip.get_by_role("status")).to_have_text(count)
            cells = user.page.evaluate(
                "() => [...CSS.highlights.get('found')].map((range) => "
                "range.startContainer.parentElement.closest('.row')).filter(Boolean).length")
            self.assertEqual(cells > 0, len(names) > 0, text)
            user.page.screenshot(path=ARTIFACTS / "search-found.png")
            user.page.keyboard.press("Escape")
            expect(strip).to_be_hidden()
        user.check_clean(self)

    def test_search_link_finds_localized_number_also_in_export(self):
        user = self.open("#table=places&search=90.000")
        self.names(user, "beta")
        with user.page.expect_download() as download:
            user.page.keyboard.press("e")
            user.page.get_by_role("menuitem", name=re.compile("CSV")).click()
        text = pathlib.Path(download.value.path()).read_text(encoding="utf-8")
        self.assertEqual([line.split(",")[0] for line in text.splitlines()[1:]], ["beta"])
        user.check_clean(self)

    def test_time_bounds_cover_the_whole_typed_second(self):
        user = self.open()
        self.range(user, "At", "2026-11-23 14:05:09", "2026-11-23 14:05:09")
        self.names(user, "alpha", "beta", "gamma", "delta")
        expect(user.page.locator(".chip")).to_contain_text("14:05:09")
        other = self.open("#" + user.page.url.split("#", 1)[1], locale="en-US", timezone_id="America/New_York")
        self.names(other, "alpha", "beta", "gamma", "delta")
        expect(other.page.locator(".chip")).to_contain_text("09:05:09")
        self.range(user, "At", "", "2026-11-23T14:05:08Z")
        self.names(user, "zeta")
        user.check_clean(self)

    def test_value_checkbox_matches_all_values_with_same_text(self):
        user = self.open()
        box = self.box(user, "Size")
        box.get_by_label("Condition").select_option(label="is one of")
        expect(box.locator(".value-row").first).to_contain_text("1,5")
        expect(box.get_by_text("5 values")).to_be_visible()
        box.get_by_role("checkbox").first.check()
        user.page.screenshot(path=ARTIFACTS / "filter-ticks-dutch.png")
        box.get_by_role("button", name="Apply").click()
        self.names(user, "alpha", "beta")
        box = self.box(user, "Size")
        expect(box.get_by_role("checkbox").first).to_be_checked()
        box.get_by_label("Condition").select_option(label="is none of")
        box.get_by_role("checkbox").first.check()
        box.get_by_role("button", name="Apply").click()
        self.names(user, "gamma", "delta", "epsilon", "zeta")
        user.check_clean(self)

    def test_empty_view_lists_its_filters_and_clears_them(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            self.range(user, "People", "5.000", "6.000")
            note = user.page.locator(".note")
            expect(note).to_contain_text("No rows match")
            expect(note).to_contain_text("People: 5.000 – 6.000")
            expect(user.page.get_by_text("This table is empty")).to_have_count(0)
            user.filter.fill("nothing here")
            expect(note).to_contain_text("Filter: nothing here · People: 5.000 – 6.000")
            user.page.screenshot(path=ARTIFACTS / f"filter-empty-{scheme}.png")
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.grid.focus()
            user.page.keyboard.press("Tab")
            expect(note.get_by_role("button", name="Clear filters")).to_be_focused()
            user.page.keyboard.press("Enter")
            self.names(user, *(row[1] for row in ROWS))
            expect(note).to_be_hidden()
            expect(user.filter).to_have_value("")
            self.assertNotIn("filter=", user.page.url)
            user.until("() => document.activeElement.closest('#grid')", "the rows have the focus")
            user.check_clean(self)

    def test_group_by_is_hidden_without_groupable_columns(self):
        user = self.open()
        expect(user.grouping).to_be_visible()
        self.tab(user, "plain").click()
        expect(user.page.get_by_role("grid", name="plain")).to_be_visible()
        expect(user.grouping).to_be_hidden()
        self.tab(user, "places").click()
        expect(user.grouping).to_be_visible()

    def test_first_click_sorts_numbers_sizes_and_times_descending(self):
        user = self.open()
        for title, order in (
                ("Name", "ascending"), ("People", "descending"), ("Size", "descending"),
                ("Took", "descending"), ("At", "descending"), ("Open", "ascending")):
            header = user.page.get_by_role("columnheader", name=title, exact=True)
            header.click()
            expect(header).to_have_attribute("aria-sort", order)
        user.check_clean(self)

    def test_address_contains_current_and_restored_query(self):
        # Whichever table is the first one.
        user = User(self.browser, self.server, locale="nl-NL", timezone_id="UTC")
        self.addCleanup(user.close)
        user.until("() => location.hash.includes('table=')", "the address names the first table")
        self.tab(user, "places").click()
        user.page.get_by_role("columnheader", name="People", exact=True).click()
        self.range(user, "Share", "1,5")
        user.filter.fill("a")
        user.until("() => location.hash.includes('search=a')", "the search is in the address")
        said = user.page.url
        # Without a query in the address, the page restores the stored one and updates the address.
        user.page.goto("about:blank")
        user.page.goto(self.server.url)
        user.wait_for_rows()
        user.until("(said) => location.href === said", "the address has the restored query", said)
        other = self.open("#" + said.split("#", 1)[1])
        self.assertEqual([row["cells"] for row in other.rows()], [row["cells"] for row in user.rows()])
        expect(
            other.page.get_by_role(
                "columnheader", name="People",
                exact=True)).to_have_attribute("aria-sort", "descending")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
