"""Drives the page as a user does: by roles and labels."""

import re
import time

from playwright.sync_api import Error, expect

from browsers import IS_FIREFOX, open_page

expect.set_options(timeout=45_000)  # the timeout of all other waits, enough for a slow and busy machine

# Runs before the page's own scripts. Records policy violations and scripts run by hostile texts.
WATCH = """
window.violations = [];
window.hacked = 0;
addEventListener('securitypolicyviolation', (event) =>
  violations.push(`${event.violatedDirective} ${event.blockedURI}`));
window.alert = () => { window.hacked += 1; };
"""

# Reads all drawn rows from top to bottom: the position from aria-rowindex, and texts by column.
READ_ROWS = """
() => [...document.querySelectorAll('#grid [role=row]:not([hidden])')]
  .filter((row) => row.matches('.row'))
  .map((row) => ({
    index: Number(row.getAttribute('aria-rowindex')),
    y: row.getBoundingClientRect().top,
    bottom: row.getBoundingClientRect().bottom,
    cells: [...row.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent),
  }))
  .sort((one, other) => one.index - other.index)
"""

# Playwright adds an inline style to the page for a screenshot. Firefox reports it as a policy
# violation.
OWN_STYLE = ("style-src-elem inline", "blocked an inline style (style-src-elem)") if IS_FIREFOX else ()


class User:
    """One page on one server."""

    def __init__(self, browser, server, fragment="", scheme="light", motion="no-preference", size=(1280, 760), **how):
        self.server = server
        self.page, self._close = open_page(browser, server.origin, WATCH, scheme, motion, size, **how)
        self.context = self.page.context
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))
        self.page.on(
            "console",
            lambda said: self.complaints.append(said.text) if said.type in (
                "error", "warning") else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(server.url + fragment, timeout=60_000)
        self.grid = self.page.get_by_role("grid")
        self.filter = self.page.get_by_role("combobox", name="Filter rows")
        self.grouping = self.page.get_by_label("Group by", exact=True)
        self.state = self.page.locator("#state")

    def close(self):
        """Closes the page, once."""
        close, self._close = self._close, lambda: None
        close()

    def until(self, condition, message, argument=None, timeout=45_000):
        """Waits, frame by frame, until a JavaScript function returns a truthy value.

        Returns that value. Playwright's `wait_for_function` evaluates text in the page, which the
        page's policy forbids.
        """
        script = (
            """async ([condition, argument, timeout]) => {
              const end = performance.now() + timeout;
              for (;;) {
                const answer = condition(argument);
                if (answer) return answer;
                if (performance.now() > end) return null;
                // After the frame: to look at sizes in it would have the page lay out twice.
                await new Promise((next) => requestAnimationFrame(() => {
                  const { port1, port2 } = new MessageChannel();
                  port1.onmessage = next;
                  port2.postMessage(0);
                }));
              }
            }""".replace("condition(argument)", f"({condition})(argument)")
            .replace("[condition, argument", "[argument"))
        end = time.monotonic() + timeout / 1_000
        while True:
            try:
                answer = self.page.evaluate(script, [argument, timeout])
                break
            except Error as error:
                # The page was replaced meanwhile, as on signing in: look at the new one.
                if "Execution context was destroyed" not in str(error) or time.monotonic() > end:
                    raise
        if not answer:
            raise AssertionError(f"{message} (not within {timeout / 1_000:g} s)")
        return answer

    def until_rows(self, condition, message, timeout=45_000):
        """Waits until a JavaScript function of the drawn rows returns a truthy value."""
        return self.until(
            f"() => {{ const rows = ({READ_ROWS})(); return ({condition})(rows) && rows; }}",
            message, timeout=timeout)

    def rows(self):
        """Returns the drawn rows."""
        return self.page.evaluate(READ_ROWS)

    def titles(self):
        """Returns the column titles from left to right."""
        return [title.strip() for title in self.page.get_by_role("columnheader").all_inner_texts()]

    def column(self, pattern):
        """Returns the position of the first column whose title matches, once a table is shown."""
        self.until("""(pattern) => [...document.querySelectorAll('[role=columnheader]')]
          .some((head) => new RegExp(pattern, 'i').test(head.textContent))""",
          f"a column like {pattern} appears", pattern)
        titles = self.titles()
        for at, title in enumerate(titles):
            if re.search(pattern, title, re.IGNORECASE):
                return at
        raise AssertionError(f"no column like {pattern} in {titles}")

    def header(self, pattern):
        return self.page.get_by_role("columnheader").nth(self.column(pattern))

    def wait_for_rows(self):
        self.until_rows("(rows) => rows.length > 0 && rows[0].cells.some((text) => text !== '')", "rows appear")
        # Until then the page queues keys but ignores clicks.
        self.until("() => document.querySelector('.acted') !== null", "what comes after the first rows is there")

    def wait_for_count(self, count):
        """Waits until the source has sent all rows. The count includes the row of column headers.
        """
        expect(self.grid).to_have_attribute("aria-rowcount", str(count), timeout=180_000)

    def pasted(self, kind="text/plain"):
        """Returns the clipboard as another program would read it, and restores the focus."""
        self.page.evaluate("""(kind) => {
          const box = document.createElement('textarea');
          window.beforePaste = { box, focus: document.activeElement, text: null };
          box.addEventListener('paste', (event) => {
            beforePaste.text = event.clipboardData.getData(kind);
            event.preventDefault();
          });
          document.body.append(box);
          box.focus();
        }""", kind)
        self.page.keyboard.press("Control+v")
        self.until("() => beforePaste.text !== null", "something is pasted")
        return self.page.evaluate(
            "() => { beforePaste.box.remove(); beforePaste.focus.focus(); return beforePaste.text; "
            "}")

    def wheel(self, pixels):
        box = self.grid.bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        self.page.mouse.wheel(0, pixels)

    def click_cell(self, name, button="left", key=None):
        """Clicks the current position of a visible cell, optionally with a modifier key held.

        Playwright's own click scrolls back and forth in Firefox, and then clicks an outdated
        position.
        """
        box = self.page.get_by_role("gridcell", name=name, exact=True).bounding_box()
        if key:
            self.page.keyboard.down(key)
        self.page.mouse.click(box["x"] + 20, box["y"] + 10, button=button)
        if key:
            self.page.keyboard.up(key)

    def first_visible(self):
        """Returns the aria-rowindex of the first row under the column headers."""
        return self.page.evaluate("""() => {
          const top = document.querySelector('[role=columnheader]').getBoundingClientRect().bottom;
          const grid = document.querySelector('#grid').getBoundingClientRect();
          const row = document.elementFromPoint(grid.left + 40, top + 14)?.closest('[role=row]');
          return row ? Number(row.getAttribute('aria-rowindex')) : 0;
        }""")

    def check_clean(self, test, is_cut_off=False):
        """Asserts that no request left the origin, and that there were no violations or complaints.
        """
        own = (self.server.origin + "/", self.server.origin.replace("http", "ws", 1) + "/")
        test.assertEqual([url for url in self.requests if not url.startswith(own)], [])
        test.assertEqual([one for one in self.page.evaluate("violations") if one not in OWN_STYLE], [])
        test.assertEqual(self.page.evaluate("hacked"), 0)
        # The browser logs every attempt to reach a server that is down. No other message is
        # expected.
        expected = OWN_STYLE + (
            (
                "WebSocket connection to", "net::ERR_CONNECTION", "can’t establish a connection",
                "NetworkError")
            if is_cut_off else ())
        complaints = [text for text in self.complaints if not any(part in text for part in expected)]
        test.assertEqual(complaints, [])


def numbers_of(text):
    """Returns the number in a cell, or None."""
    found = re.search(r"[-−]?\d[\d,.]*", text)
    return float(found.group().replace(",", "").replace("−", "-")) if found else None


__all__ = ["User", "expect", "numbers_of"]
