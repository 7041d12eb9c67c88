"""The filter bar on the real server: completion, errors in place, chips, marks and the address."""

import json
import pathlib
import stat
import tempfile
import time
import unittest

from aria import FAULTS
from axe import axe_source, violations
from pages import ARTIFACTS, PageTest
from user import expect
from rowcast_server import Server
from test_filters import PLUGIN

SHOWS = """
(names) => JSON.stringify(
  [...document.querySelectorAll('#grid [role=row]:not([hidden]) [role=gridcell]:first-child')]
    .map((cell) => cell.textContent).sort()) === JSON.stringify(names)
"""
WHERE = "(text) => new URLSearchParams(location.hash.slice(1)).get('where') === text"
MARKED = """
(word) => [...CSS.highlights.get('match')].some((range) =>
  range.startContainer.data.slice(range.startOffset, range.endOffset) === word)
"""
SELECTED = """
() => {
  const bar = document.getElementById('filter');
  return bar.value.slice(bar.selectionStart, bar.selectionEnd);
}
"""
HAS_FOCUS = "() => document.getElementById('grid').contains(document.activeElement)"
COLUMNS = [
    {"name": "name", "title": "Name", "type": "text"}, {"name": "user", "title": "User", "type": "text"},
    {"name": "cpu", "title": "CPU", "type": "number", "unit": "%", "format": "grouped.1"},
    {"name": "mem", "title": "Resident memory", "type": "integer", "style": "bytes"},
]  # fmt: skip
ROWS = [
    [0, "sshd", "root", 60, 2 << 30], [1, "ssh-agent", "me", 1, 1 << 20], [2, "bash", "me", 70.04, 3 << 20],
    [3, "kworker", "root", 0.5, 0], [4, "a and b", "nobody", 90, 512],
]  # fmt: skip


class ProcessesTest(PageTest):
    """A table of processes."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "processes.py"
        messages = [
            {"type": "hello", "version": 1, "capabilities": ["health"]},
            {"type": "schema", "name": "processes", "key": "integer", "columns": COLUMNS},
            {"type": "reload"}, {"type": "upsert", "rows": ROWS}, {"type": "commit"}]
        path.write_text(PLUGIN.format(text=json.dumps(messages)), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        cls.plugins = (str(path),)
        super().setUpClass()

    def names(self, user, names):
        user.until(SHOWS, f"the rows are {names}", sorted(names))

    def picture(self, user, name):
        user.page.screenshot(path=str(ARTIFACTS / f"filterbar-{name}.png"))


class FilterBarTest(ProcessesTest):
    def test_filter_text_filters_rows_and_is_stored_in_address(self):
        user = self.open("#table=processes")
        user.wait_for_rows()
        user.page.keyboard.press("/")
        expect(user.filter).to_be_focused()
        user.page.keyboard.type("cpu > 50 and (user = root or name ~ ^ba)")
        self.names(user, ["sshd", "bash"])
        user.until(WHERE, "the text is in the address", "cpu > 50 and (user = root or name ~ ^ba)")
        other = self.open("#" + user.page.url.split("#", 1)[1])
        self.names(other, ["sshd", "bash"])
        expect(other.filter).to_have_value("cpu > 50 and (user = root or name ~ ^ba)")
        expect(other.page.get_by_role("button", name="Remove cpu > 50")).to_be_visible()
        self.assertEqual(other.page.evaluate(FAULTS), [])
        self.picture(other, "chips")
        other.check_clean(self)

    def test_words_match_in_all_columns_and_are_highlighted(self):
        user = self.open("#table=processes")
        user.wait_for_rows()
        user.filter.fill("ssh -agent")
        self.names(user, ["sshd"])
        user.until(MARKED, "the word is marked", "ssh")
        user.filter.fill("90.0")
        self.names(user, ["a and b"])
        user.filter.fill('"a and"')
        self.names(user, ["a and b"])
        user.check_clean(self)

    def test_open_suggestions_break_no_accessibility_rule(self):
        axe = axe_source()
        self.assertIsNotNone(axe, "axe-core is not installed: run scripts/setup test")
        user = self.open("#table=processes")
        user.wait_for_rows()
        user.page.keyboard.press("/")
        user.page.keyboard.type("cp")
        expect(user.page.get_by_role("listbox", name="Suggestions")).to_be_visible()
        self.picture(user, "suggestions")
        self.assertEqual(violations(user.page, axe), [])
        user.filter.fill("user = me usr = x")
        expect(user.filter).to_have_attribute("aria-invalid", "true")
        self.assertEqual(violations(user.page, axe), [])

    def test_filter_error_is_shown_in_place_and_rows_stay(self):
        user = self.open("#table=processes")
        user.wait_for_rows()
        user.filter.fill("user = me")
        self.names(user, ["ssh-agent", "bash"])
        user.filter.fill("user = me usr = x")
        expect(user.filter).to_have_attribute("aria-invalid", "true")
        expect(user.filter).to_have_accessible_description("usr There is no column “usr”: did you mean user?")
        self.names(user, ["ssh-agent", "bash"])
        self.picture(user, "error")
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.filter.fill("user = me user = x")
        expect(user.filter).not_to_have_attribute("aria-invalid", "true")
        self.names(user, [])

    def test_suggestions_complete_columns_operators_and_values(self):
        user = self.open("#table=processes")
        user.wait_for_rows()
        page = user.page
        listed = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
        user.filter.focus()
        page.keyboard.type("us")
        expect(listed).to_have_count(1)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(user.filter).to_have_value("user ")
        expect(listed.nth(1)).to_contain_text("equals")
        self.picture(user, "operators")
        self.assertEqual(page.evaluate(FAULTS), [])
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        expect(user.filter).to_have_value("user = ")
        listed.filter(has_text="root").click()
        expect(user.filter).to_have_value("user = root ")
        self.names(user, ["sshd", "kworker"])
        expect(listed.filter(has_text="either term")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("listbox", name="Suggestions")).to_be_hidden()
        expect(user.filter).to_be_focused()
        page.keyboard.press("Escape")
        user.until(HAS_FOCUS, "the table has the focus")
        user.check_clean(self)

    def test_a_chip_removes_its_term_from_the_text(self):
        user = self.open("#table=processes&where=cpu+%3E+50+and+user+%3D+me")
        self.names(user, ["bash"])
        user.page.get_by_role("button", name="user = me", exact=True).click()
        self.assertEqual(user.page.evaluate(SELECTED), "user = me")
        user.page.get_by_role("button", name="Remove user = me").click()
        expect(user.filter).to_have_value("cpu > 50")
        self.names(user, ["sshd", "bash", "a and b"])

    def test_link_with_invalid_filter_shows_error_and_all_rows(self):
        user = self.open("#table=processes&where=cpu+%3E")
        expect(user.filter).to_have_attribute("aria-invalid", "true")
        self.names(user, [row[1] for row in ROWS])


class NarrowFilterBarTest(FilterBarTest):
    """The same on a telephone, dark."""

    def open(self, fragment=""):
        return super().open(fragment, size=(400, 700), scheme="dark")

    def picture(self, user, name):
        user.page.screenshot(path=str(ARTIFACTS / f"filterbar-{name}-narrow.png"))


class AgesTest(PageTest):
    """Ages of times, which rows reach without any change at their source."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "jobs.py"
        cls.now = time.time()
        ages = {"old": 86_400 * 9, "recent": 60, "just": 0, "planned": -3_600}
        rows = [[at, name, (cls.now - age) * 1_000] for at, (name, age) in enumerate(ages.items())]
        columns = [
            {"name": "name", "title": "Name", "type": "text"},
            {"name": "started", "title": "Started", "type": "timestamp"}]
        messages = [
            {"type": "hello", "version": 1, "capabilities": ["health"]},
            {"type": "schema", "name": "jobs", "key": "integer", "columns": columns},
            {"type": "reload"}, {"type": "upsert", "rows": rows}, {"type": "commit"}]
        path.write_text(PLUGIN.format(text=json.dumps(messages)), encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        cls.plugins = (str(path),)
        super().setUpClass()

    def names(self, user, names):
        user.until(SHOWS, f"the rows are {names}", sorted(names))

    def test_rows_enter_and_leave_age_filter_as_time_passes(self):
        user = self.open("#table=jobs")
        soon = int(time.time() - self.now) + 3
        user.filter.fill(f"started > {soon}s started < 2d")
        self.names(user, ["recent", "just"])
        user.filter.fill(f"started < {soon + 3}s")
        self.names(user, ["planned"])
        user.filter.fill("started < 0s")
        self.names(user, ["planned"])
        user.check_clean(self)

    def test_suggestions_offer_ages_of_times_by_keyboard(self):
        for scheme, size in (("light", (1280, 760)), ("dark", (400, 700))):
            user = self.open("#table=jobs", scheme=scheme, size=size)
            listed = user.page.get_by_role("listbox", name="Suggestions").get_by_role("option")
            user.filter.focus()
            user.page.keyboard.type("started ")
            expect(listed.first).to_contain_text("younger than an age")
            user.page.keyboard.press("ArrowDown")
            user.page.keyboard.press("Enter")
            expect(listed.first).to_contain_text("an age of 5 minutes")
            user.page.screenshot(path=str(ARTIFACTS / f"filterbar-ages-{scheme}.png"))
            self.assertEqual(user.page.evaluate(FAULTS), [])
            user.page.keyboard.press("ArrowDown")
            user.page.keyboard.press("Enter")
            expect(user.filter).to_have_value("started < 5m ")
            user.page.keyboard.type("-planned")
            expect(user.page.get_by_role("button", name="Remove started < 5m")).to_be_visible()
            user.page.keyboard.press("Enter")
            user.page.screenshot(path=str(ARTIFACTS / f"filterbar-age-chips-{scheme}.png"))
            user.check_clean(self)

    def test_equality_with_an_age_is_reported_as_error(self):
        user = self.open("#table=jobs")
        user.filter.fill("started = 15m")
        expect(user.filter).to_have_attribute("aria-invalid", "true")
        expect(user.filter).to_have_accessible_description(
            "15m “15m” is an age, which changes all the time: use < for younger or > for older.")
        user.check_clean(self)


class SuggestedTextTest(PageTest):
    """`rowcast FILE --where TEXT`: the text is in the bar until the user removes it."""

    @classmethod
    def serve(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "jobs.csv"
        path.write_text("name,cpu\na,5\nb,60\nc,70\n", encoding="utf-8")
        return Server(what=("show", str(path), "--where", "cpu > 50 -c"))

    def test_where_option_sets_filter_text_that_user_can_remove(self):
        user = self.open()
        user.until(SHOWS, "the text applies", ["b"])
        expect(user.filter).to_have_value("cpu > 50 -c")
        self.assertNotIn("where", user.page.url)
        user.page.screenshot(path=str(ARTIFACTS / "filterbar-suggested.png"))
        user.page.get_by_role("button", name="Remove -c").click()
        user.until(SHOWS, "one term is removed", ["b", "c"])
        user.filter.fill("")
        user.filter.press("Enter")
        user.until(SHOWS, "the text is removed", ["a", "b", "c"])
        user.page.reload()
        user.wait_for_rows()
        user.until(SHOWS, "the user's choice stays", ["a", "b", "c"])
        expect(user.filter).to_have_value("")
        user.check_clean(self)

    def test_filter_in_address_overrides_where_option(self):
        user = self.open("#table=jobs&where=cpu+%3C+10")
        user.until(SHOWS, "the address applies", ["a"])


class FindWordsTest(ProcessesTest):
    """The find strip reads words as the filter bar does."""

    def find(self, user, text):
        user.grid.focus()
        user.page.keyboard.press("Control+f")
        strip = user.page.get_by_role("search")
        strip.get_by_role("searchbox").fill(text)
        return strip

    def test_find_strip_reads_words_and_phrases_as_filter_bar_does(self):
        user = self.open("#table=processes")
        for text, count, matches, shown in (
            ("ssh", "2 matching rows", "2 matches", ["sshd", "ssh-agent"]),
            ("SSH root", "1 matching row", "2 matches", ["sshd"]),
            ("ssh -agent", "1 matching row", "1 match", ["sshd"]),
            ('"a and"', "1 matching row", "1 match", ["a and b"]),
            ("bash or kworker", "2 matching rows", "2 matches", ["bash", "kworker"]),
            ("-root -me", "1 matching row", "1 match", ["a and b"]),
        ):
            strip = self.find(user, text)
            every = strip.get_by_role("button", name="matching row")
            expect(every).to_have_text(count)
            expect(strip.get_by_role("status")).to_have_text(matches)
            self.picture(user, "find")
            every.click()
            expect(strip).to_be_hidden()
            self.names(user, shown)
            user.filter.fill("")
            user.filter.press("Enter")
            user.wait_for_count(len(ROWS) + 1)  # with the row of column headers
        user.check_clean(self)

    def test_enter_steps_through_matches_of_every_word(self):
        user = self.open("#table=processes")
        strip = self.find(user, "root ssh")
        for cell, place in (("sshd", "1 of 2"), ("root", "2 of 2"), ("sshd", "1 of 2")):
            user.page.keyboard.press("Enter")
            expect(strip.get_by_role("status")).to_have_text(place)
            expect(user.page.locator("#active-cell")).to_have_text(cell)
        self.assertEqual(user.page.evaluate(FAULTS), [])
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
