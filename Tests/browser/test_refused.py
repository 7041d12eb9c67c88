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
from reader import expect
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

    def mark(self, reader, text):
        chip = reader.page.locator("#terms .chip.refused", has_text=text)
        expect(chip).to_be_visible()
        return chip

    def first_fare(self, reader):
        return reader.page.locator(f'.row[aria-rowindex="2"] [aria-colindex="{reader.column("^fare") + 1}"]')

    def test_refused_query_part_is_marked_and_rows_and_socket_stay(self):
        reader = self.open(link(sort="-fare"))
        sockets = []
        reader.page.on("websocket", lambda socket: sockets.append(socket))
        expect(self.first_fare(reader)).to_have_text("14,999.75")
        for part, title, why in [
            (
                {"filter": matches("7$")}, "name matches “7$”",
                f"This source cannot run regular expressions, {TOO_MANY}, or use “contains”."),
            (
                {"show": "mean:fare"}, "Average of fare",
                f"This source cannot compute the average of “fare”, {TOO_MANY}."),
            ({"filter": matches("a{1000}")}, "name matches “a{1000}”", "too large"),
        ]:
            reader.page.evaluate("(hash) => { location.hash = hash; }", link(sort="-fare", **part))
            chip = self.mark(reader, title)
            expect(chip).to_contain_text(f"Not applied. {why}" if why != "too large" else why)
            expect(self.first_fare(reader)).to_have_text("14,999.75")
            expect(reader.page.locator("#rows")).to_have_text("60,000 rows")
            expect(reader.page.locator("#state-text")).to_have_text("Live")
        reader.page.screenshot(path=ARTIFACTS / "refused-marked.png")
        # The mark stays while other changes are applied, until the user removes it.
        reader.page.get_by_role("columnheader", name="id").click()
        expect(
            reader.page.locator(
                '.row[aria-rowindex="2"] '
                f'[aria-colindex="{reader.column("^id") + 1}"]')).to_have_text("59999")
        self.mark(reader, "a{1000}").get_by_role("button").last.click()
        expect(reader.page.locator("#terms")).to_be_hidden()
        self.assertEqual(sockets, [], "the socket has stood all the time")
        reader.check_clean(self)

    def test_link_and_reload_apply_valid_parts_and_mark_the_others(self):
        reader = self.open(
            link(
                sort="-nope,-fare", group="ghost", show="mean:fare", columns="*gone,fare,name",
                filter=matches("7$")))
        for _ in range(2):
            expect(self.first_fare(reader)).to_have_text("14,999.75")
            for text in [
                    "Sort by nopeNot applied. No column called “nope”.",
                    "Group by ghostNot applied. No column called “ghost”.",
                    "Column goneNot applied. No column called “gone”.",
                    "Average of fareNot applied. This source cannot",
                    "name matches “7$”Not applied. This source cannot"]:
                self.mark(reader, text)
            expect(reader.page.locator("#terms .chip")).to_have_count(5)
            self.assertIn("nope", reader.page.url)
            reader.page.reload()
            reader.wait_for_rows()
        reader.page.screenshot(path=ARTIFACTS / "refused-link.png")

    def test_unsupported_total_is_disabled_until_few_rows_are_left(self):
        reader = self.open(link(sort="-fare"))
        why = "are too many to do it here"
        def open_menu():
            header = reader.page.get_by_role("columnheader", name="fare")
            header.hover()
            header.locator(".head-more").click()
            return reader.page.get_by_role("menu")
        reader.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")
        average = open_menu().get_by_role("menuitemcheckbox").filter(has_text="Sum")
        expect(average).to_have_attribute("aria-disabled", "true")
        self.assertIn(why, average.get_attribute("title"))
        reader.page.keyboard.press("Escape")
        reader.page.evaluate("(hash) => { location.hash = hash; }",
                             link(sort="-fare", filter=json.dumps([{"column": "fare", "op": "range", "from": 14_000}])))
        expect(reader.page.locator("#rows")).to_have_text("4,000 rows match")
        average = open_menu().get_by_role("menuitemcheckbox").filter(has_text="Sum")
        expect(average).not_to_have_attribute("aria-disabled", "true")
        average.click()
        expect(reader.page.get_by_role("row", name="Totals of all rows")).to_contain_text("57,9")
        expect(reader.page.locator("#terms .refused")).to_have_count(0)
        reader.check_clean(self)

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
        reader = self.open(link(sort="-fare"))
        reader.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")
        address = reader.page.evaluate("() => location.hash")
        reader.header("^name").click()
        expect(reader.page.get_by_role("group", name="Notifications")).to_contain_text(
            f"This source cannot sort by this column, {TOO_MANY}")
        expect(reader.header("^name")).to_have_attribute("aria-sort", "none")
        self.assertEqual(reader.page.evaluate("() => location.hash"), address)
        expect(reader.page.locator("#terms .refused")).to_have_count(0)
        expect(self.first_fare(reader)).to_have_text("14,999.75")
        reader.page.screenshot(path=ARTIFACTS / "unsortable.png")
        reader.check_clean(self)


if __name__ == "__main__":
    unittest.main()
