"""The order in which the page appears: nothing, then rows, then the controls around them."""

import re

from pages import PageTest
from user import expect

# The modules as they are, or their bundles with a hash in the name.
MAIN = re.compile(r"/main(-\w+)?\.js$")
WORDS = re.compile(r"/words(-\w+)?\.js$")


class StartTest(PageTest):
    plugins = ("processes",)

    def test_page_is_hidden_until_first_rows_and_needs_no_timer(self):
        user, held = self.open(), []
        # Disables the timer that shows a page without rows, so that only rows can show it.
        user.page.add_init_script(
            "const wait = setTimeout; setTimeout = (act, time, ...rest) => "
            "(time === 500 ? 0 : wait(act, time, ...rest));")
        user.page.route(MAIN, lambda route: held.append(route))
        with user.page.expect_request(MAIN):
            user.page.evaluate("() => { location.reload(); }")
        user.page.get_by_role("contentinfo", include_hidden=True).wait_for(state="attached")
        self.assertEqual(user.page.evaluate("getComputedStyle(document.body).display"), "none")
        for route in held:
            route.continue_()
        expect(user.grid).to_be_visible()
        user.wait_for_rows()
        user.check_clean(self)

    def test_toolbar_and_footer_appear_only_with_their_texts(self):
        user, held = self.open(), []
        # Disables the timer that shows the bars, so that only the loaded texts can show them.
        user.page.add_init_script(
            "const wait = setTimeout; setTimeout = (act, time, ...rest) => "
            "(time === 3_000 ? 0 : wait(act, time, ...rest));")
        user.page.add_init_script("""globalThis.seen = [];
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
        user.page.route(WORDS, lambda route: held.append(route))
        with user.page.expect_request(WORDS):
            user.page.reload(wait_until="commit")
        user.wait_for_rows()
        self.assertEqual(user.page.evaluate("seen"), [])
        self.assertFalse(user.filter.is_visible())
        for route in held:
            route.continue_()
        expect(user.filter).to_be_visible()
        user.until("() => seen.length > 0", "it is seen")
        self.assertEqual(set(user.page.evaluate("seen")), {"Live"})
        user.check_clean(self)

    def test_filter_typed_before_its_script_loads_is_applied(self):
        user, held = self.open(), []
        user.page.route(WORDS, lambda route: held.append(route))
        user.page.reload(wait_until="commit")
        user.wait_for_rows()
        expect(user.filter).to_be_visible()  # the bars do not wait forever for their texts
        user.filter.press_sequentially("rowcast")
        user.page.keyboard.press("Tab")
        self.assertTrue(held, "what is said around the rows comes after them")
        for route in held:
            route.continue_()
        user.until_rows(
            "(rows) => rows.length > 0 && rows.every(({ cells }) => "
            "/rowcast|…/i.test(cells.join(' ')))",
            "only matches stay")
        user.check_clean(self)
