"""Queries that neither the source nor the server can run: rows stay, the rest is marked.

The mark shows the reason.
"""

import json
import pathlib
import shutil
import sqlite3
import tempfile
import unittest
import urllib.parse

from pages import ARTIFACTS, PageTest
from user import expect
from rowcast_server import ROOT, Server

ROWS = 60_000  # more than the server's limit of 50,000
TOO_MANY = "and 60,000 rows are too many to do it here (limit 50,000). Narrow it down first"


def link(**parts):
    return "#" + urllib.parse.urlencode({"table": "trips", **parts})


def matches(pattern):
    return json.dumps([{"column": "name", "op": "matches", "value": pattern}])


class RefusedTest(PageTest):
    @classmethod
    def serve(cls):
        folder = tempfile.TemporaryDirectory(prefix="rowcast-refused-")
        cls.addClassCleanup(folder.cleanup)
        path = f"{folder.name}/trips.db"
        base = sqlite3.connect(path)
        base.execute("CREATE TABLE trips (id INTEGER PRIMARY KEY, name TEXT, fare REAL NOT NULL)")
        base.executemany(
            "INSERT INTO trips VALUES (?, ?, ?)",
            ((n, f"trip {n}", n * 7 % 60_000 / 4) for n in range(ROWS)))
        base.execute("CREATE INDEX by_fare ON trips (fare)")
        base.commit()
        base.close()
        return Server(cls.plugin(folder.name), settings={"sqlite.path": path, "sqlite.table": "trips"})

    @staticmethod
    def plugin(folder):
        return str(ROOT / "Plugins/sqlite/sqlite.py")

    def mark(self, user, text):
        chip = user.page.locator("#terms .chip.refused", has_text=text)
        expect(chip).to_be_visible()
        return chip

    def first_fare(self, user):
        return user.page.locator(f'.row[aria-rowindex="2"] [aria-colindex="{user.column("^fare") + 1}"]')

    def test_refused_query_part_is_marked_and_rows_and_socket_stay(self):
        user = self.open(link(sort="-fare"))
        sockets = []
        user.page.on("websocket", lambda socket: sockets.append(socket))
        expect(self.first_fare(user)).to_have_text("14,999.75")
        for part, title, why in [
            (
                {"filter": matches("7$")}, "name matches “7$”",
                f"This source cannot run regular expressions, {TOO_MANY}, or use “contains”."),
            (
                {"show": "mean:fare"}, "Average of fare",
                f"This source cannot compute the average of “fare”, {TOO_MANY}."),
            ({"filter": matches("a{1000}")}, "name matches “a{1000}”", "too large"),
        ]:
            user.page.evaluate("(hash) => { location.hash = hash; }", link(sort="-fare", **part))
            chip = self.mark(user, title)
            expect(chip).to_contain_text(f"Not applied. {why}" if why != "too large" else why)
            expect(self.first_fare(user)).to_have_text("14,999.75")
            expect(user.page.locator("#rows")).to_have_text("60,000 rows")
            expect(user.page.locator("#state-text")).to_have_text("Live")
        user.page.screenshot(path=ARTIFACTS / "refused-marked.png")
        # The mark stays while other changes are applied, until the user removes it.
        user.page.get_by_role("columnheader", name="id").click()
        expect(
            user.page.locator(
                '.row[aria-rowindex="2"] '
                f'[aria-colindex="{user.column("^id") + 1}"]')).to_have_text("59999")
        self.mark(user, "a{1000}").get_by_role("button").last.click()
        expect(user.page.locator("#terms")).to_be_hidden()
        self.assertEqual(sockets, [], "the socket has stood all the time")
        user.check_clean(self)

    def test_link_and_reload_apply_valid_parts_and_mark_the_others(self):
        user = self.open(
            link(
                sort="-nope,-fare", group="ghost", show="mean:fare", columns="*gone,fare,name",
                filter=matches("7$")))
        for _ in range(2):
            expect(self.first_fare(user)).to_have_text("14,999.75")
            for text in [
                    "Sort by nopeNot applied. No column called “nope”.",
                    "Group by ghostNot applied. No column called “ghost”.",
                    "Column goneNot applied. No column called “gone”.",
                    "Average of fareNot applied. This source cannot",
                    "name matches “7$”Not applied. This source cannot"]:
                self.mark(user, text)
            expect(user.page.locator("#terms .chip")).to_have_count(5)
            self.assertIn("nope", user.page.url)
            user.page.reload()
            user.wait_for_rows()
        user.page.screenshot(path=ARTIFACTS / "refused-link.png")

    def test_unsupported_total_is_disabled_until_few_rows_are_left(self):
        user = self.open(link(sort="-fare"))
        why = "are too many to do it here"
        def open_menu():
            header = user.page.get_by_role("columnheader", name="fare")
            header.hover()
            header.locator(".head-more").click()
            return user.page.get_by_role("menu")
        user.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")
        average = open_menu().get_by_role("menuitemcheckbox").filter(has_text="Sum")
        expect(average).to_have_attribute("aria-disabled", "true")
        self.assertIn(why, average.get_attribute("title"))
        user.page.keyboard.press("Escape")
        user.page.evaluate("(hash) => { location.hash = hash; }",
                             link(sort="-fare", filter=json.dumps([{"column": "fare", "op": "range", "from": 14_000}])))
        expect(user.page.locator("#rows")).to_have_text("4,000 rows match")
        average = open_menu().get_by_role("menuitemcheckbox").filter(has_text="Sum")
        expect(average).not_to_have_attribute("aria-disabled", "true")
        average.click()
        expect(user.page.get_by_role("row", name="Totals of all rows")).to_contain_text("57,9")
        expect(user.page.locator("#terms .refused")).to_have_count(0)
        user.check_clean(self)

class UnsortableTest(RefusedTest):
    """The same source, without support for sorting by name."""

    @staticmethod
    def plugin(folder):
        path = pathlib.Path(shutil.copytree(ROOT / "Plugins/sqlite", f"{folder}/plugin")) / "sqlite.py"
        text = path.read_text(encoding="utf-8")
        path.write_text(
            text.replace('"sort": names,', '"sort": [one for one in names if one != "name"],'),
            encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    test_refused_query_part_is_marked_and_rows_and_socket_stay = None
    test_link_and_reload_apply_valid_parts_and_mark_the_others = None
    test_unsupported_total_is_disabled_until_few_rows_are_left = None

    def test_click_on_unsortable_header_shows_reason_and_keeps_order(self):
        user = self.open(link(sort="-fare"))
        user.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")
        address = user.page.evaluate("() => location.hash")
        user.header("^name").click()
        expect(user.page.get_by_role("group", name="Notifications")).to_contain_text(
            f"This source cannot sort by this column, {TOO_MANY}")
        expect(user.header("^name")).to_have_attribute("aria-sort", "none")
        self.assertEqual(user.page.evaluate("() => location.hash"), address)
        expect(user.page.locator("#terms .refused")).to_have_count(0)
        expect(self.first_fare(user)).to_have_text("14,999.75")
        user.page.screenshot(path=ARTIFACTS / "unsortable.png")
        user.check_clean(self)


if __name__ == "__main__":
    unittest.main()
