"""Views that the server keeps by name: tabs, their commands, links, and who may change them."""

import pathlib
import shutil
import tempfile
import urllib.request

from aria import FAULTS
from pages import ARTIFACTS, PageTest
from user import expect
from rowcast_server import Server
from test_steps import SOURCE


class ViewsTest(PageTest):
    options = ("--no-token",)

    @classmethod
    def serve(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "source.py").write_text(SOURCE)
        source = f"jobs=exec python3 {cls.folder}/source.py"
        return Server(options=(*cls.options, "--views", str(cls.folder / "views"), "--child", source))

    def setUp(self):
        for file in (self.folder / "views").glob("*.yaml"):
            name = next(line for line in file.read_text().splitlines() if line.startswith("name: "))[6:]
            urllib.request.urlopen(urllib.request.Request(f"{self.server.origin}/views/{name}", method="DELETE"))

    def tab(self, user, title):
        return user.page.get_by_role("navigation", name="Views").get_by_role("button", name=title)

    def command(self, user, name):
        user.page.get_by_role("navigation", name="Views").get_by_role("button", name="View ▾").click()
        user.page.get_by_role("menu", name="View").get_by_role("menuitem", name=name, exact=True).click()

    def save(self, user, title):
        """Saves the shown view by the keyboard, from the menu of options."""
        page = user.page
        page.get_by_role("button", name="View options").click()
        page.get_by_role("menuitem", name="Save view…").click()
        box = page.get_by_role("dialog", name="Save view")
        box.get_by_label("Title").fill(title)
        page.keyboard.press("Enter")
        expect(box).to_have_count(0)

    def test_a_view_is_saved_opened_changed_and_discarded(self):
        user = self.open("#table=jobs&sort=-load&search=job+1")
        page = user.page
        self.save(user, "First jobs")
        expect(self.tab(user, "First jobs")).to_have_attribute("aria-current", "true")
        self.assertIn("view=first-jobs", page.url)
        page.screenshot(path=ARTIFACTS / "views-light.png")
        self.assertEqual(page.evaluate(FAULTS), [])
        self.tab(user, "Standard").click()
        expect(page.locator("#rows")).to_contain_text("400 rows")
        self.tab(user, "First jobs").click()
        expect(page.locator("#rows")).to_contain_text("111 rows match")
        user.filter.fill("job 2")
        expect(self.tab(user, "First jobs")).to_contain_text("changed")
        self.command(user, "Discard the changes")
        expect(user.filter).to_have_value('"job 1"')
        expect(self.tab(user, "First jobs")).not_to_contain_text("changed")
        user.filter.fill("job 2")
        expect(self.tab(user, "First jobs")).to_contain_text("changed")
        self.command(user, "Save “First jobs”")
        # The notification may be that of the first time.
        expect(self.tab(user, "First jobs")).not_to_contain_text("changed")
        expect(page.get_by_role("group", name="Notifications")).to_contain_text("Saved the view “First jobs”")
        other = self.open("#view=first-jobs")
        expect(other.filter).to_have_value("job 2")
        other.check_clean(self)
        user.check_clean(self)

    def test_save_view_waits_for_the_list_of_views(self):
        user = self.open("#table=jobs&search=job+1")
        page, held, is_held = user.page, [], [True]
        page.route("**/views?table=*", lambda route: held.append(route) if is_held else route.continue_())
        page.reload()
        user.wait_for_rows()
        page.get_by_role("button", name="View options").click()
        page.get_by_role("menuitem", name="Save view…").click()
        user.until("() => document.querySelector('[role=menu]') === null", "the menu is closed")
        is_held.clear()
        self.assertGreater(len(held), 0)
        for route in held:
            route.continue_()
        box = page.get_by_role("dialog", name="Save view")
        box.get_by_label("Title").fill("Early")
        page.keyboard.press("Enter")
        expect(self.tab(user, "Early")).to_have_attribute("aria-current", "true")
        user.check_clean(self)

    def test_a_press_on_a_tab_is_kept_while_the_tabs_change(self):
        user = self.open("#table=jobs&search=job+1")
        page = user.page
        self.save(user, "First jobs")
        box = self.tab(user, "Standard").bounding_box()
        page.mouse.move(box["x"] + 10, box["y"] + 10)
        page.mouse.down()
        # A view of another user arrives while the button is held.
        body = b'title: Other\ntable: jobs\naddress: "#table=jobs"\n'
        urllib.request.urlopen(urllib.request.Request(f"{self.server.origin}/views/other", body, method="PUT"))
        page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
        expect(self.tab(user, "Other")).to_be_visible()
        page.mouse.up()
        expect(self.tab(user, "Standard")).to_have_attribute("aria-current", "true")
        expect(page.locator("#rows")).to_contain_text("400 rows")
        user.check_clean(self)

    def test_view_links_open_the_view_and_unknown_one_is_reported(self):
        user = self.open("#table=jobs&search=job+39")
        self.save(user, "Thirty-nine")
        self.command(user, "Copy the link")
        link = user.pasted()
        self.assertEqual(link, f"{self.server.origin}/v/thirty-nine")
        self.command(user, "Copy the short link")
        for address in (link, user.pasted()):
            user.page.goto(address)
            user.wait_for_rows()
            expect(user.page.locator("#rows")).to_contain_text("11 rows match")
            user.until("() => location.hash.startsWith('#view=thirty-nine&table=jobs')", "the address tells it")
        missing = self.open("#view=nobody")
        alert = missing.page.get_by_role("alert")
        expect(alert).to_contain_text("The view “nobody” was not opened. There is no view of this name.")

    def test_a_view_is_renamed_made_the_default_and_deleted(self):
        user = self.open("#table=jobs&group=team")
        page = user.page
        self.save(user, "Teams")
        self.command(user, "Rename…")
        box = page.get_by_role("dialog", name="Rename view")
        box.get_by_label("Title").fill("By team")
        box.get_by_label("Name").fill("no name")
        box.get_by_role("button", name="Save").click()
        expect(box.get_by_role("alert")).to_contain_text("lower-case letters")
        page.screenshot(path=ARTIFACTS / "views-box.png")
        self.assertEqual(page.evaluate(FAULTS), [])
        box.get_by_label("Name").fill("by-team")
        page.keyboard.press("Enter")
        expect(self.tab(user, "By team")).to_be_visible()
        page.get_by_role("button", name="View ▾").click()
        page.get_by_role("menuitemcheckbox", name="My default").click()
        expect(self.tab(user, "By team")).to_contain_text("default")
        expect(page.get_by_role("button", name="View ▾")).to_be_focused()  # although the tabs were drawn again
        self.tab(user, "Standard").click()
        page.goto(self.server.origin + "/")
        expect(page.get_by_role("rowheader").first).to_be_visible()
        expect(self.tab(user, "By team")).to_have_attribute("aria-current", "true")
        self.command(user, "Delete")
        expect(page.get_by_role("navigation", name="Views")).to_be_hidden()

    def test_view_tabs_are_reached_and_opened_by_keys(self):
        user = self.open("#table=jobs&search=job+1", scheme="dark", size=(400, 700))
        page = user.page
        for title in ("One", "Another view with a long title that does not fit"):
            self.save(user, title)
        page.keyboard.press("Tab")
        self.tab(user, "Standard").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(self.tab(user, "One")).to_be_focused()
        page.keyboard.press("Enter")
        expect(self.tab(user, "One")).to_have_attribute("aria-current", "true")
        page.keyboard.press("Escape")
        user.until("() => document.activeElement.closest('.grid') !== null", "the table has the focus")
        page.screenshot(path=ARTIFACTS / "views-small-dark.png")
        self.assertEqual(page.evaluate(FAULTS), [])

    def test_a_save_over_a_newer_version_is_refused(self):
        user = self.open("#table=jobs&search=job+1")
        self.save(user, "Shared")
        body = b'title: Shared\ntable: jobs\naddress: "#table=jobs"\nversion: 1\n'
        urllib.request.urlopen(urllib.request.Request(f"{self.server.origin}/views/shared", body, method="PUT"))
        user.filter.fill("job 2")
        expect(self.tab(user, "Shared")).to_contain_text("changed")
        self.command(user, "Save “Shared”")
        expect(user.page.get_by_role("alert")).to_contain_text("was changed meanwhile: it has version 2")

    def test_save_over_a_deleted_view_is_refused_and_removes_its_tab(self):
        user = self.open("#table=jobs&search=job+1")
        self.save(user, "Short lived")
        urllib.request.urlopen(urllib.request.Request(f"{self.server.origin}/views/short-lived", method="DELETE"))
        user.filter.fill("job 2")
        expect(self.tab(user, "Short lived")).to_contain_text("changed")
        self.command(user, "Save “Short lived”")
        expect(user.page.get_by_role("alert")).to_contain_text("was deleted meanwhile: save yours as a new view")
        expect(self.tab(user, "Short lived")).to_have_count(0)
        expect(user.filter).to_have_value("job 2")

    def test_a_link_to_a_row_of_a_view_selects_the_row(self):
        user = self.open("#table=jobs&search=job+1")
        self.save(user, "Ones")
        other = self.open("#view=ones&row=key+15")
        expect(other.page.locator(".row[aria-selected=true]")).to_contain_text("job 15")
        # In a page that is open already, too.
        other.page.evaluate("() => { location.hash = '#view=ones&row=key+12'; }")
        expect(other.page.locator(".row[aria-selected=true]")).to_contain_text("job 12")


class NoViewsTest(PageTest):
    plugins = ("processes",)

    def test_save_view_is_disabled_with_reason_without_views_folder(self):
        user = self.open()
        user.page.get_by_role("button", name="View options").click()
        item = user.page.get_by_role("menuitem", name="Save view…")
        expect(item).to_have_attribute("aria-disabled", "true")
        item.click(force=True)
        reason = "This server keeps no views. Its operator can name a folder for them with --views."
        expect(item).to_have_attribute("title", reason)
