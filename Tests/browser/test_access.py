"""Signing in, restarts of the server, its other host names, and new tokens."""

import http.server
import os
import subprocess
import tempfile
import threading
import unittest

from browsers import shared_browser
from user import User, expect
from rowcast_server import COMMAND, ROOT, Server


class SignInTest(unittest.TestCase):
    """A server with tokens, whose state is in a temporary folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        former = os.environ.get("XDG_STATE_HOME")
        os.environ["XDG_STATE_HOME"] = folder.name
        self.addCleanup(
            lambda: os.environ.pop("XDG_STATE_HOME") if former is None else os.environ.update(
                XDG_STATE_HOME=former))
        self.server = self.start()

    def start(self, port=0):
        server = Server("market", settings={"market.rows": 1_000, "market.rate": 10}, port=port, options=())
        self.addCleanup(server.stop)
        return server

    def run_command(self, *words):
        done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=True, cwd=ROOT)
        return done.stdout.strip()

    def test_open_page_reconnects_after_server_restart(self):
        # A fixed port, as `make run` has. The system does not assign the first server's port again
        # at once.
        port = self.server.port
        self.server.stop()
        server = self.start(port)
        user = User(shared_browser(), server)
        self.addCleanup(user.close)
        user.wait_for_rows()
        server.stop()
        expect(user.state).to_contain_text("Disconnected")
        self.start(port)
        expect(user.state).to_have_text("Live", timeout=60_000)
        user.wait_for_rows()

    def test_sign_in_form_names_url_command_and_accepts_its_link(self):
        foreign = shared_browser().new_context()
        self.addCleanup(foreign.close)
        page = foreign.new_page()
        page.goto(self.server.origin + "/")
        form = page.get_by_role("form", name="Sign in")
        expect(form).to_be_visible()
        expect(form).to_contain_text(f"Run rowcast url --port {self.server.port} on the server")
        expect(form).to_contain_text("localhost")
        expect(page.get_by_text("The server cannot be reached")).to_have_count(0)
        expect(page.locator("#state")).to_contain_text("Sign-in needed")
        field = form.get_by_label("Link or code")
        field.fill("no code")
        form.get_by_role("button", name="Sign in").click()
        expect(form.get_by_role("alert")).to_contain_text("neither a sign-in link nor a code")
        field.fill("wrong")
        form.get_by_role("button", name="Sign in").click()
        expect(form.get_by_role("alert")).to_contain_text("Run the command again")
        field.fill(self.run_command("url"))
        field.press("Enter")
        expect(form).to_be_hidden()
        expect(page.get_by_role("row").nth(2)).to_be_visible()

    def test_sign_out_shows_the_sign_in_form_on_all_pages_of_the_browser(self):
        first = User(shared_browser(), self.server)
        self.addCleanup(first.close)
        first.wait_for_rows()
        second = first.context.new_page()
        second.goto(first.page.url)
        expect(second.get_by_role("row").nth(2)).to_be_visible()
        first.page.get_by_role("button", name="View options").click()
        first.page.get_by_role("menuitem", name="Sign out").click()
        for page in (first.page, second):
            expect(page.get_by_role("form", name="Sign in")).to_be_visible()
        first.page.reload()
        form = first.page.get_by_role("form", name="Sign in")
        expect(form).to_be_visible()
        form.get_by_label("Link or code").fill(self.run_command("url"))
        form.get_by_role("button", name="Sign in").click()
        expect(form).to_be_hidden()
        first.wait_for_rows()

    def test_cookie_is_not_sent_to_other_port_and_session_continues(self):
        received = []

        class Neighbour(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                received.append((self.path, self.headers.get("Cookie")))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<title>Neighbour</title><img src='/tables/market.csv'><iframe src='/at/'></iframe>")

            def log_message(self, *_):
                pass

        neighbour = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Neighbour)
        threading.Thread(target=neighbour.serve_forever, daemon=True).start()
        self.addCleanup(neighbour.server_close)
        self.addCleanup(neighbour.shutdown)
        user = User(shared_browser(), self.server)
        self.addCleanup(user.close)
        user.wait_for_rows()
        self.assertEqual(user.page.url.split("#")[0], self.server.origin + "/")
        self.assertTrue(user.context.cookies(self.server.origin + user.page.evaluate("rowcast.room + '/ws'")))
        for path in ("/", "/ws", "/session", "/tables/market.csv"):
            user.page.goto(f"http://127.0.0.1:{neighbour.server_port}{path}")
        self.assertGreaterEqual(len(received), 4)
        self.assertEqual([cookie for _, cookie in received if cookie], [])
        # The address as a user types it, and a link that was already used.
        for path in ("/", "/?code=" + self.server.url.split("code=")[1]):
            user.page.goto(self.server.origin + path)
            expect(user.state).to_have_text("Live")
            user.wait_for_rows()
            expect(user.page.get_by_role("form", name="Sign in")).to_be_hidden()
        with user.page.expect_download() as download:
            user.page.get_by_role("button", name="View options").click()
            user.page.get_by_role("menuitem", name="Export CSV").click()
        self.assertIn("/at/", download.value.url)
        with open(download.value.path(), encoding="utf-8") as file:
            self.assertGreater(len(file.readlines()), 1_000)

    def test_client_over_token_limit_shows_reason_and_connects_later(self):
        server = Server(
            "market", settings={"market.rows": 1_000, "market.rate": 10},
            options=("--sessions-per-token", "1"))
        self.addCleanup(server.stop)
        first = User(shared_browser(), server)
        self.addCleanup(first.close)
        first.wait_for_rows()
        server.url = self.run_command("url", "--port", str(server.port))
        second = User(shared_browser(), server)
        self.addCleanup(second.close)
        note = second.page.locator(".note")
        expect(note).to_contain_text("The server accepts no more clients")
        expect(note).to_contain_text(
            "Pages with one token are limited to 1 at the same time: close another one, "
            "or ask the operator. This page tries again by itself.")
        expect(second.page.locator("#source")).to_have_text("Not connected:")
        expect(second.page.get_by_text("The server cannot be reached")).to_have_count(0)
        first.close()
        second.wait_for_rows()
        expect(second.state).to_have_text("Live")
        expect(note).to_be_hidden()
        expect(second.page.locator("#source")).not_to_have_text("Not connected:")
        # A server that is down must not be reported as full.
        server.stop()
        expect(second.state).to_contain_text("Disconnected")
        expect(second.page.locator("#source")).not_to_have_text("Not connected:")

    def test_invalid_sign_in_link_shows_form_with_reason(self):
        foreign = shared_browser().new_context()
        self.addCleanup(foreign.close)
        page = foreign.new_page()
        page.goto(self.server.origin + "/?code=used")
        form = page.get_by_role("form", name="Sign in")
        expect(form.get_by_role("alert")).to_contain_text("used before")

    def test_token_rotation_shows_sign_in_form_and_keeps_rows(self):
        user = User(shared_browser(), self.server)
        self.addCleanup(user.close)
        user.wait_for_rows()
        self.run_command("token", "rotate", "--port", str(self.server.port))
        form = user.page.get_by_role("form", name="Sign in")
        expect(form).to_be_visible(timeout=60_000)
        self.assertGreater(len(user.rows()), 0)
        form.get_by_label("Link or code").fill(self.run_command("url"))
        form.get_by_role("button", name="Sign in").click()
        expect(user.state).to_have_text("Live", timeout=60_000)


if __name__ == "__main__":
    unittest.main()
