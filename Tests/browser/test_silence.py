"""A server that hangs without closing its connections."""

import signal

from browsers import IS_FIREFOX
from pages import ARTIFACTS, PageTest
from user import expect


class SilenceTest(PageTest):
    plugins = ("clock",)

    def test_rows_of_a_server_that_hangs_are_marked_and_the_page_reconnects(self):
        user = self.open()
        user.wait_for_rows()
        expect(user.state).to_contain_text("Live", timeout=60_000)
        sockets = []
        user.page.on("websocket", lambda socket: sockets.append(socket))
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            expect(user.state).to_contain_text("Not updating", timeout=60_000)
            user.until("() => document.querySelector('.aged') !== null", "the rows are aged", timeout=60_000)
            expect(user.page.locator(".old")).to_contain_text("nothing comes from the server", timeout=60_000)
            user.page.screenshot(path=ARTIFACTS / "silence.png")
            # Behind a load balancer, another server would answer. Firefox's driver has no sockets.
            if not sockets and not IS_FIREFOX:
                user.page.wait_for_event("websocket", timeout=60_000)
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        expect(user.state).to_contain_text("Live", timeout=60_000)
        user.until("() => document.querySelector('.aged') === null", "the rows are current", timeout=60_000)
