"""The order in which the page appears: nothing, then rows, then the controls around them."""

import re

from pages import PageTest
from reader import expect

# The modules as they are, or their bundles with a hash in the name.
MAIN = re.compile(r"/main(-\w+)?\.js$")
WORDS = re.compile(r"/words(-\w+)?\.js$")


class StartTest(PageTest):
    plugins = ("processes",)

    def test_page_is_hidden_until_first_rows_and_needs_no_timer(self):
        reader, held = self.open(), []
        # Disables the timer that shows a page without rows, so that only rows can show it.
        reader.page.add_init_script(
            "const wait = setTimeout; setTimeout = (act, time, ...rest) => "
            "(time === 500 ? 0 : wait(act, time, ...rest));")
        reader.page.route(MAIN, lambda route: held.append(route))
        with reader.page.expect_request(MAIN):
            reader.page.evaluate("() => { location.reload(); }")
        reader.page.get_by_role("contentinfo", include_hidden=True).wait_for(state="attached")
        self.assertEqual(reader.page.evaluate("getComputedStyle(document.body).display"), "none")
        for route in held:
            route.continue_()
        expect(reader.grid).to_be_visible()
        reader.wait_for_rows()
        reader.check_clean(self)

    def test_toolbar_and_footer_appear_only_with_their_texts(self):
        reader, held = self.open(), []
        # Disables the timer that shows the bars, so that only the loaded texts can show them.
        reader.page.add_init_script(
            "const wait = setTimeout; setTimeout = (act, time, ...rest) => "
            "(time === 3_000 ? 0 : wait(act, time, ...rest));")
        reader.page.add_init_script("""globalThis.seen = [];
            const look = () => {
              const state = document.querySelector('#state-text');
              if (state?.checkVisibility()) seen.push(state.textContent);
            };
            // Whenever a class of the root changes, which is what shows the bars, and in every frame.
            new MutationObserver(look)
              .observe(document, { attributes: true, attributeFilter: ['class'], subtree: true });
            const lookOn = () => {
              look();
              requestAnimationFrame(() => setTimeout(lookOn));
            };
            lookOn();""")
        reader.page.route(WORDS, lambda route: held.append(route))
        with reader.page.expect_request(WORDS):
            reader.page.reload(wait_until="commit")
        reader.wait_for_rows()
        self.assertEqual(reader.page.evaluate("seen"), [])
        self.assertFalse(reader.filter.is_visible())
        for route in held:
            route.continue_()
        expect(reader.filter).to_be_visible()
        reader.until("() => seen.length > 0", "it is seen")
        self.assertEqual(set(reader.page.evaluate("seen")), {"Live"})
        reader.check_clean(self)

    def test_filter_typed_before_its_script_loads_is_applied(self):
        reader, held = self.open(), []
        reader.page.route(WORDS, lambda route: held.append(route))
        reader.page.reload(wait_until="commit")
        reader.wait_for_rows()
        expect(reader.filter).to_be_visible()  # the bars do not wait forever for their texts
        reader.filter.press_sequentially("rowcast")
        reader.page.keyboard.press("Tab")
        self.assertTrue(held, "what is said around the rows comes after them")
        for route in held:
            route.continue_()
        reader.until_rows(
            "(rows) => rows.length > 0 && rows.every(({ cells }) => "
            "/rowcast|…/i.test(cells.join(' ')))",
            "only matches stay")
        reader.check_clean(self)
