"""A hostile source: nothing it sends runs, loads resources or breaks the table's layout."""

import html.parser
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from pages import ARTIFACTS, PageTest
from payloads import PAYLOADS, header
from user import expect
from rowcast_server import ROOT, Server

# Elements and attributes that no text may create.
FOREIGN = """() => [...document.querySelectorAll('body *')].filter((element) => {
  const isOurs = element.closest('header.top, svg') !== null && element.localName !== 'script';
  const isBad = ['script', 'iframe', 'img', 'object', 'embed', 'form', 'style', 'link', 'meta',
    'base', 'video', 'math', 'template'].includes(element.localName);
  const isDialogForm = element.localName === 'form' && element.closest('dialog') !== null;
  const hasHandler = [...element.attributes].some(({ name }) => name.startsWith('on'));
  const address = element.getAttribute('href') ?? element.getAttribute('src') ?? 'https:';
  return hasHandler || (isBad && !isOurs && !isDialogForm) || !/^https?:/.test(address);
}).map((element) => element.outerHTML.slice(0, 200))"""

# Lines of a different height, cells outside their line, and anything outside the page.
CROOKED = """() => {
  const faults = [];
  const rows = [...document.querySelectorAll('#grid .row:not([hidden])')];
  for (const row of rows) {
    const box = row.getBoundingClientRect();
    if (Math.abs(box.height - 28) > 0.5) faults.push(`a row of ${box.height}`);
    for (const cell of row.children) {
      const inner = cell.getBoundingClientRect();
      if (inner.top < box.top - 0.5 || inner.bottom > box.bottom + 0.5) faults.push(`a cell of ${inner.height}`);
      const isClipped = ['hidden', 'clip'].includes(getComputedStyle(cell).overflowY);
      if (!isClipped && cell.scrollWidth > cell.clientWidth)
        faults.push(`a cell that shows ${cell.scrollWidth} of ${cell.clientWidth} pixels`);
    }
  }
  const { scrollWidth, scrollHeight } = document.documentElement;
  if (scrollWidth > innerWidth || scrollHeight > innerHeight)
    faults.push(`the page is ${scrollWidth} x ${scrollHeight}`);
  return rows.length === 0 ? ['no rows'] : faults;
}"""


class HostileTest(PageTest):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        (folder / "payloads.h").write_text(header())
        library = folder / "libhostile.so"
        subprocess.run(
            [
                "cc", "-std=c11", "-shared", "-fPIC", "-I",
                str(ROOT / "Sources/CListPlugin/include"), "-I", str(folder), "-o", str(library),
                str(ROOT / "Tests/browser/hostile/hostile.c")],
            check=True)
        cls.plugins = (str(library),)
        super().setUpClass()

    def open(self, fragment="", **how):
        user = super().open(fragment, **how)
        user.wait_for_count(len(PAYLOADS) + 1)
        return user

    def check(self, user):
        self.assertEqual(user.page.evaluate(FOREIGN), [])
        self.assertEqual(user.page.evaluate(CROOKED), [])
        user.check_clean(self)

    def test_hostile_cells_of_every_kind_stay_text(self):
        user = self.open()
        user.until_rows("(rows) => rows.length > 20", "the first screen is full")
        seen = set()
        for _ in range(100):
            if len(seen) == len(PAYLOADS):
                break
            rows = user.rows()
            seen |= {row["index"] for row in rows}
            self.check(user)
            last = rows[-1]["index"]
            user.wheel(28 * 20)
            if last <= len(PAYLOADS):
                user.until_rows(f"(rows) => rows.at(-1).index > {last}", "the next rows appear")
        self.assertEqual(len(seen), len(PAYLOADS))
        links = user.page.locator("#grid a[href]").evaluate_all(
            "(links) => links.map((link) => [link.protocol, link.rel, link.target])")
        self.assertTrue(
            all(
                link[0] in ("http:", "https:") and "noopener" in link[1] and link[2] == "_blank"
                for link in links),
            links)
        user.page.screenshot(path=ARTIFACTS / "hostile.png")

    def test_hostile_names_messages_and_sections_stay_text(self):
        user = self.open()
        expect(user.page).to_have_title("<svg onload=hacked=1> · Rowcast")
        expect(user.page.get_by_role("contentinfo")).to_contain_text("<img src=x onerror=hacked=1>")
        user.grouping.select_option(label="Group")
        expect(user.page.get_by_role("rowheader").first).to_be_visible()
        user.wheel(28 * 60)
        user.until("() => document.querySelector('#grid').scrollTop > 1600", "scrolled")
        self.assertEqual(user.page.evaluate(FOREIGN), [])
        user.check_clean(self)
        again = super().open("#" + user.page.url.split("#", 1)[1])
        expect(again.page.get_by_role("rowheader").first).to_be_visible()
        again.check_clean(self)

    def test_hostile_values_stay_text_in_filter_details_and_clipboard(self):
        user = self.open()
        page = user.page
        page.get_by_role("columnheader").nth(1).click(button="right")
        page.get_by_role("menuitem", name="Filter…").click()
        box = page.get_by_role("dialog")
        expect(box.get_by_text("300 values")).to_be_visible()
        for at in range(3):
            box.get_by_role("checkbox").nth(at).check()
        self.assertEqual(page.evaluate(FOREIGN), [])
        box.get_by_role("button", name="Apply").click()
        expect(user.grid).to_have_attribute("aria-rowcount", "4")
        self.check(user)
        user.grid.focus()
        user.until("() => document.activeElement.getAttribute('role') === 'gridcell'", "a cell has the focus")
        page.keyboard.press("Enter")
        expect(page.get_by_role("complementary", name="Row")).to_be_visible()
        page.evaluate(
            "() => document.addEventListener('copy', (event) => "
            "{ window.copied = event.clipboardData.getData('text/html'); })")
        page.keyboard.press("Control+a")
        page.keyboard.press("Control+c")
        copied = user.until("() => window.copied", "it was copied")
        kinds = set()
        parser = html.parser.HTMLParser()
        parser.handle_starttag = lambda tag, attributes: kinds.add((tag, *attributes))
        parser.feed(copied)
        self.assertEqual(
            kinds,
            {
                ("meta", ("charset", "utf-8")), ("table",), ("thead",), ("tbody",), ("tr",),
                ("th",), ("td",)})
        self.assertEqual(page.evaluate(FOREIGN), [])
        user.check_clean(self)

    def test_hostile_filter_texts_are_stored_in_address_and_restored(self):
        user = self.open()
        for payload in PAYLOADS[3:30]:
            text = payload[:200].strip().replace("\\", "\\\\").replace('"', '\\"')
            phrase = f'"{text}"'
            user.filter.fill(phrase)
            user.until_rows("(rows) => rows.length > 0", f"{phrase!r} is found")
            user.until(
                "(text) => new URLSearchParams(location.hash.slice(1)).get('where') === text",
                "the address has it", phrase)
        user.page.reload()
        user.until_rows("(rows) => rows.length > 0", "the address shows the same")
        self.check(user)


if __name__ == "__main__":
    unittest.main()
