"""The page in German, the choice of the language, and a language from right to left."""

import re

import aria
import test_rules
from browsers import only_chromium
from pages import ARTIFACTS, PageTest
from user import expect

# The file of German, as a module or in the bundle.
GERMAN = re.compile(r"/(languages/de|de-\w+)\.js$")

ROOT = "[document.documentElement.lang, document.documentElement.dir]"

# A language from right to left with one text. Its other texts are English.
MIRRORED = "export default { direction: 'rtl', keys: {}, texts: { Pause: 'השהיה' } };"

# Texts of controls that are cut off or reach out of the window, except those of the table, which
# scrolls, and those that end with an ellipsis by design.
CUT = """() => {
  const faults = [];
  const boxes = 'button, label, label > span, select, [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], '
    + '[role=option], .menu-heading, h1, h2, h3, dt, dd, .box p, .foot > span, .note p, .signin *';
  for (const el of document.querySelectorAll(boxes)) {
    if (!el.checkVisibility({ visibilityProperty: true })) continue;
    if (el.closest('[role=grid], .unseen, .tabs, .terms')) continue;
    const style = getComputedStyle(el);
    const box = el.getBoundingClientRect();
    const about = `${el.cloneNode(false).outerHTML.slice(0, 80)} ${el.textContent.slice(0, 60)}`;
    // What scrolls may be larger than its box.
    const isScrolled = el.closest('.strip, .top, .views') !== null;
    const isOutside = box.left < -1 || box.right > innerWidth + 1;
    if (!isScrolled && isOutside) faults.push(`outside: ${about}`);
    const isShort = style.textOverflow === 'ellipsis' || ['auto', 'scroll'].includes(style.overflowX);
    // A box of one pixel is for screen readers only.
    const isMeasured = el.localName !== 'select' && style.display !== 'inline' && el.clientWidth > 1;
    if (!isShort && isMeasured && el.scrollWidth > el.clientWidth + 1) faults.push(`cut off: ${about}`);
  }
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) faults.push(`the page is ${wide} px wide`);
  return faults;
}"""


class LanguagesTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 5_000, "market.rate": 0}

    def in_german(self, fragment="", **how):
        user = self.open(fragment, **how)
        if user.page.evaluate("navigator.language") != "de-DE":
            self.choose(user, "Deutsch")
        expect(user.page.locator("html")).to_have_attribute("lang", re.compile("^de"))
        user.wait_for_count(5_001)
        return user

    def choose(self, user, name):
        user.page.locator("#options").click()
        with user.page.expect_event("load"):
            user.page.get_by_role("menuitemradio", name=name, exact=True).click()
        user.wait_for_rows()

    @only_chromium("what drives Firefox does not set its language")
    def test_the_page_starts_in_the_language_of_the_system(self):
        user = self.in_german(locale="de-DE")
        page = user.page
        self.assertEqual(len([url for url in user.requests if GERMAN.search(url)]), 1)
        self.assertEqual(page.evaluate(ROOT), ["de-DE", "ltr"])
        bar = page.get_by_role("combobox", name="Zeilen filtern")
        expect(bar).to_have_attribute("placeholder", "Filter: Wörter oder cpu > 50")
        expect(page.get_by_role("button", name="Ansichtsoptionen")).to_have_attribute("title", "Ansichtsoptionen")
        expect(page.locator("#pause")).to_have_text("Pause")
        expect(page.locator("#rows")).to_have_text("5.000 Zeilen")
        bar.fill("id < 1")
        expect(page.locator("#rows")).to_have_text("1 Zeile passt")
        user.check_clean(self)

    def test_an_english_page_loads_no_other_language(self):
        user = self.open()
        self.assertEqual([url for url in user.requests if GERMAN.search(url)], [])
        self.assertEqual(user.page.evaluate(ROOT), ["en", ""])

    def test_chosen_language_survives_reload_and_keeps_the_view(self):
        user = self.open("#table=quotes&sort=-price&search=buy")
        page = user.page
        expect(page.locator("#rows")).to_have_text(re.compile(r"^[\d,]+ rows match$"))
        self.choose(user, "Deutsch")
        expect(page.locator("#rows")).to_have_text(re.compile(r"^[\d.]+ Zeilen passen$"))
        self.assertIn("sort=-price&search=buy", page.url)
        page.reload()
        user.wait_for_rows()
        page.get_by_role("button", name="Ansichtsoptionen").click()
        self.assertEqual(
            page.get_by_role("group", name="Sprache").get_by_role("menuitemradio").all_inner_texts(),
            ["System", "English", "Deutsch"])
        expect(page.get_by_role("menuitemradio", name="Deutsch")).to_have_attribute("aria-checked", "true")
        page.keyboard.press("Escape")
        self.choose(user, "English")
        expect(page.locator("#rows")).to_have_text(re.compile(r"^[\d,]+ rows match$"))
        expect(page.locator("html")).to_have_attribute("lang", "en")
        user.check_clean(self)

    def test_cells_and_filters_use_number_format_of_language(self):
        user = self.in_german("#table=quotes&columns=id,price", locale="de-DE")
        page = user.page
        price = user.column("price")
        cells = [row["cells"][price] for row in user.rows()]
        self.assertTrue(all(re.search(r"\d,\d", text) for text in cells if "," in text or "." in text), cells)
        user.header("price").click(button="right")
        page.get_by_role("menuitem", name="Filtern …").click()
        page.get_by_role("textbox", name="Von").fill("1.000,5")
        page.get_by_role("button", name="Anwenden").click()
        expect(page.locator("#terms")).to_contain_text("≥ 1.000,5")
        user.header("price").click(button="right")
        page.get_by_role("menuitem", name="Filtern …").click()
        page.get_by_role("textbox", name="Von").fill("1,000.5")
        page.get_by_role("button", name="Anwenden").click()
        expect(page.get_by_role("alert")).to_contain_text("ist nicht eindeutig")
        user.check_clean(self)

    def test_page_falls_back_to_english_without_language_file(self):
        user = self.in_german(locale="de-DE")
        user.page.route(GERMAN, lambda route: route.fulfill(status=404, body=""))
        user.page.reload()
        user.wait_for_rows()
        expect(user.filter).to_be_visible()
        expect(user.page.locator("html")).to_have_attribute("lang", "en")

    # Opens every menu, dialog and panel, and looks at each.
    def walk(self, user, look):
        page = user.page

        def close():
            page.keyboard.press("Escape")

        look("rows")
        page.locator("#options").click()
        look("options")
        page.get_by_role("menuitem", name="Zeiten …").click()
        look("times")
        close()
        user.header("price").click(button="right")
        look("column menu")
        page.get_by_role("menuitem", name="Filtern …").click()
        look("filter")
        page.get_by_role("dialog").get_by_role("combobox").select_option(label="ist einer von")
        look("filter by values")
        close()
        user.header("price").click(button="right")
        page.get_by_role("menuitem", name="Spalten wählen …").click()
        look("columns")
        close()
        user.grid.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Shift+F10")
        look("cell menu")
        close()
        page.keyboard.press("Enter")
        look("details")
        page.keyboard.press("Enter")
        page.keyboard.press("?")
        look("help")
        close()
        page.keyboard.press("Control+k")
        look("commands")
        close()
        page.keyboard.press("e")
        page.get_by_role("menuitem", name="Export mit Auswahl …").click()
        look("export")
        close()
        page.keyboard.press("Control+f")
        look("find")
        close()
        page.keyboard.press("i")
        expect(page.get_by_role("region", name="Aktivität")).to_be_visible()
        look("activity")
        page.keyboard.press("i")
        page.keyboard.press("f")
        expect(page.get_by_role("region", name="Facetten")).to_be_visible()
        look("facets")
        page.keyboard.press("f")

    def test_german_labels_fit_and_every_control_has_a_name(self):
        for scheme, size in (("light", (1280, 760)), ("dark", (400, 760))):
            user = self.in_german("#table=quotes&columns=price,symbol,note", scheme=scheme, size=size, locale="de-DE")

            def look(state):
                user.page.screenshot(path=ARTIFACTS / f"german-{size[0]}-{state.replace(' ', '-')}.png")
                for rules in (CUT, aria.FAULTS, test_rules.FAULTS):
                    self.assertEqual(user.page.evaluate(rules), [], f"{state}, {scheme}, {size}")

            self.walk(user, look)
            user.check_clean(self)
            user.close()

    def test_right_to_left_language_mirrors_the_page(self):
        user = self.open("#table=quotes&columns=*id:80,symbol:200,note:500,price:300,size:300,bid:300")
        page = user.page
        page.route(GERMAN, lambda route: route.fulfill(content_type="text/javascript", body=MIRRORED))
        self.choose(user, "Deutsch")
        expect(page.locator("html")).to_have_attribute("dir", "rtl")
        expect(page.locator("#pause")).to_have_text("השהיה")
        boxes = page.evaluate("""() => ['#pause', '#options', '#rows', '#traffic']
          .map((one) => document.querySelector(one).getBoundingClientRect().left)""")
        self.assertGreater(boxes[0], boxes[1], "the bar begins at the right")
        self.assertGreater(boxes[2], boxes[3], "and so does the one below")
        self.assertEqual(page.evaluate(CUT), [])

        def heads():
            return [page.get_by_role("columnheader").nth(at).bounding_box()["x"] for at in range(4)]

        self.assertEqual(heads(), sorted(heads(), reverse=True))

        # A pinned column stays at the right while the others scroll to the right under it.
        before = heads()
        page.evaluate("() => { document.querySelector('#grid').scrollLeft = -150; }")
        user.until("() => document.querySelector('#grid').scrollLeft === -150", "it is scrolled")
        after = heads()
        self.assertAlmostEqual(after[0], before[0], delta=1)
        self.assertAlmostEqual(after[2], before[2] + 150, delta=1)
        page.evaluate("() => { document.querySelector('#grid').scrollLeft = 0; }")

        # The edge of a column is at its left, where a drag to the left widens it.
        symbol = user.header("symbol")
        width = symbol.bounding_box()["width"]
        edge = symbol.locator(".head-edge").bounding_box()
        page.mouse.move(edge["x"] + edge["width"] / 2, edge["y"] + 10)
        page.mouse.down()
        page.mouse.move(edge["x"] + edge["width"] / 2 - 40, edge["y"] + 10, steps=4)
        page.mouse.up()
        self.assertAlmostEqual(symbol.bounding_box()["width"], width + 40, delta=2)

        # A drag of a header to the left moves the column behind the next one.
        box, note = symbol.bounding_box(), user.header("note").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 12)
        page.mouse.down()
        page.mouse.move(note["x"] + 20, note["y"] + 12, steps=8)
        page.mouse.up()
        self.assertEqual([title.upper() for title in user.titles()[:3]], ["ID", "NOTE", "SYMBOL"])

        # Keys go the way that they point.
        user.grid.focus()
        page.keyboard.press("ArrowLeft")
        user.until(
            "() => document.activeElement.getAttribute('aria-colindex') === '2'",
            "the next cell is at the left")
        page.keyboard.press("Shift+F10")
        menu = page.get_by_role("menu").bounding_box()
        self.assertTrue(0 <= menu["x"] and menu["x"] + menu["width"] <= 1280, menu)
        page.screenshot(path=ARTIFACTS / "mirrored.png")
        page.keyboard.press("Escape")
        user.header("symbol").click(button="right")
        page.get_by_role("menuitem", name="Move right").click()
        self.assertEqual([title.upper() for title in user.titles()[:3]], ["ID", "SYMBOL", "NOTE"])
        user.check_clean(self)
