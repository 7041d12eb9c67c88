"""The page in a real browser against a real server. The tests wait for conditions, never sleep.

    python -m venv .venv && .venv/bin/pip install playwright        # uses Debian's Chromium
    .venv/bin/python Tests/browser/run
"""

import http.server
import os
import re
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

from browsers import launch, shared_browser
from pages import ARTIFACTS, PageTest
from user import User, expect, numbers_of
from rowcast_server import COMMAND, ROOT, Server


class ProcessesTest(PageTest):
    plugins = ("processes",)

    def test_processes_table_contains_the_server_itself(self):
        user = self.open()
        expect(user.state).to_contain_text("Live")
        user.filter.fill(os.path.basename(COMMAND[0]))
        user.until_rows(
            f"(rows) => rows.some(({{ cells }}) => "
            f"cells[{user.column('pid')}] === '{self.server.pid}')",
            "the server's own row appears")
        expect(user.page.get_by_role("contentinfo")).to_contain_text(re.compile(r"\brows? match"))
        user.check_clean(self)

    def test_grid_has_aria_row_and_column_counts(self):
        user = self.open()
        self.assertGreater(int(user.grid.get_attribute("aria-rowcount")), 5)
        self.assertEqual(int(user.grid.get_attribute("aria-colcount")), len(user.titles()))
        rows = user.rows()
        self.assertEqual([row["index"] for row in rows[:5]], [2, 3, 4, 5, 6], "row 1 is the column headers'")
        self.assertTrue(all(len(row["cells"]) == len(user.titles()) for row in rows))

    def test_the_cpu_column_changes(self):
        user = self.open()
        cpu = user.column("cpu")
        before = [row["cells"][cpu] for row in user.rows()[:20]]
        user.until_rows(
            f"(rows) => JSON.stringify(rows.slice(0, 20).map(({{ cells }}) => "
            f"cells[{cpu}])) !== '{_js(before)}'",
            "the CPU column changes")
        user.check_clean(self)

    def test_header_clicks_cycle_descending_ascending_and_unsorted(self):
        user = self.open()
        header, pid = user.header("pid"), user.column("pid")
        for order, sign in (("descending", -1), ("ascending", 1)):
            header.click()
            expect(header).to_have_attribute("aria-sort", order)
            user.until_rows(f"""(rows) => {{
              const values = rows.map(({{ cells }}) => {sign} * Number(cells[{pid}]));
              return values.length > 3 && values.every((value, at) => at === 0 || values[at - 1] <= value);
            }}""", f"the rows are {order}")
        header.click()
        expect(header).to_have_attribute("aria-sort", "none")
        user.check_clean(self)

    def test_rows_stay_sorted_while_their_values_change(self):
        user = self.open("#sort=-" + "cpu")
        cpu = user.column("cpu")
        expect(user.header("cpu")).to_have_attribute("aria-sort", "descending")
        for _ in range(10):
            rows = user.until_rows("(rows) => rows.length > 0", "there are rows")
            values = [value for value in (numbers_of(row["cells"][cpu]) for row in rows) if value is not None]
            self.assertEqual(values, sorted(values, reverse=True))

    def test_filter_narrows_rows_and_keys_move_focus_in_and_out(self):
        user = self.open()
        all_rows = int(user.grid.get_attribute("aria-rowcount"))
        user.page.keyboard.press("/")
        expect(user.filter).to_be_focused()
        word = os.path.basename(COMMAND[0])
        user.page.keyboard.type(word)
        user.until_rows(
            # The page truncates texts that are too long for any cell; the match may be in the rest.
            f"(rows) => rows.length > 0 && rows.every(({{ cells }}) => "
            f"/{word}|…/i.test(cells.join(' ')))",
            "only matches stay")
        self.assertLess(int(user.grid.get_attribute("aria-rowcount")), all_rows)
        user.page.keyboard.press("Escape")
        user.until("() => document.activeElement.closest('#grid')", "the rows have the focus")
        self.assertIn(f"search={word}", user.page.url)
        user.filter.fill("nothing is called like this")
        expect(user.page.get_by_text("No rows match", exact=True)).to_be_visible()
        user.filter.fill("")
        user.until(
            "() => Number(document.querySelector('#grid').getAttribute('aria-rowcount')) > "
            f"{all_rows} / 2",
            "all rows come back")
        user.check_clean(self)

    def test_grouping_shows_sections_and_link_restores_it(self):
        user = self.open()
        user.grouping.select_option(label=user.titles()[user.column("user|name")])
        expect(user.page.get_by_role("rowheader").first).to_be_visible()
        again = self.open("#" + user.page.url.split("#", 1)[1])
        expect(again.page.get_by_role("rowheader").first).to_be_visible()
        self.assertNotEqual(again.grouping.input_value(), "")
        user.grouping.select_option("")
        expect(user.page.get_by_role("rowheader")).to_have_count(0)
        user.check_clean(self)

    def test_collapsed_section_survives_reload_and_keys_toggle_it(self):
        user = self.open()
        page = user.page
        user.filter.fill("user = root")  # other users come and go
        user.grouping.select_option(label=user.titles()[user.column("user|name")])
        headers = page.get_by_role("rowheader")
        expect(headers.first).to_be_visible()
        everything = int(user.grid.get_attribute("aria-rowcount"))
        headers.first.click()
        expect(headers.first).to_have_attribute("aria-expanded", "false")
        user.until(
            f"() => Number(document.querySelector('#grid').getAttribute('aria-rowcount')) < {everything}",
            "its rows are folded away")
        page.reload()
        expect(headers.first).to_have_attribute("aria-expanded", "false")
        user.grid.focus()
        user.until("() => document.activeElement.getAttribute('role') === 'rowheader'", "the header has the focus")
        page.keyboard.press("ArrowRight")
        expect(headers.first).to_have_attribute("aria-expanded", "true")
        page.keyboard.press("ArrowLeft")
        expect(headers.first).to_have_attribute("aria-expanded", "false")
        page.keyboard.press("Enter")
        expect(headers.first).to_have_attribute("aria-expanded", "true")
        user.check_clean(self)

    def test_nested_sections_pin_a_header_of_each_level(self):
        user = self.open()
        page = user.page
        titles = user.titles()
        first, second = user.column("user"), user.column("state")
        user.grouping.select_option(label=titles[first])
        page.get_by_label("then by", exact=True).select_option(label=titles[second])
        expect(page.locator(".section[data-level='1']:not([hidden])").first).to_be_visible()
        user.wheel(28 * 3 + 10)
        user.until("""() => {
          const pinned = [...document.querySelectorAll('#pin .section:not([hidden])')]
            .map(({ dataset }) => dataset.level).sort();
          return pinned.length === 2 && pinned.join() === '0,1';
        }""", "a header of each level is pinned")
        page.screenshot(path=ARTIFACTS / "processes-nested.png")
        user.check_clean(self)

    def test_arrows_move_the_active_cell(self):
        user = self.open("#sort=pid")  # the active cell follows its row, and rows sorted by CPU move
        user.grid.focus()
        active = lambda: user.page.evaluate("""() => {
          const cell = document.querySelector('#grid [tabindex="0"]');
          return cell && [Number(cell.closest('[role=row]').getAttribute('aria-rowindex')),
            Number(cell.getAttribute('aria-colindex'))];
        }""")
        press = user.page.keyboard.press
        reached = lambda row, column: user.until(
            """([row, column]) => {
              const cell = document.activeElement;
              return cell?.getAttribute('aria-colindex') === String(column)
                && cell.closest('[role=row]').getAttribute('aria-rowindex') === String(row);
            }""", f"the active cell is in row {row}, column {column}; it is {active()}", [row, column])
        reached(2, 1)
        press("ArrowRight")
        press("ArrowDown")
        reached(3, 2)
        press("ArrowUp")
        press("ArrowUp")
        reached(1, 2)
        press("Enter")
        expect(user.page.get_by_role("columnheader").nth(1)).to_have_attribute("aria-sort", "ascending")

    def test_hostile_names_and_commands_stay_text(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        sleep = folder / "<svg onload=hacked++>"
        shutil.copy(shutil.which("sleep"), sleep)
        payloads = [
            '<img src=x onerror="window.hacked=1">', "<script>window.hacked=1</script>",
            "javascript:window.hacked=1", '"><iframe srcdoc="<script>parent.hacked=1</script>">',
            "\u202egpj.exe", "{{constructor.constructor('hacked=1')()}}"]
        for payload in payloads:
            process = subprocess.Popen([payload, "600"], executable=str(sleep))
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
        user = self.open()
        user.filter.fill('"<svg onload"')
        user.until_rows(
            "(rows) => rows.length >= 6 && rows.every(({ cells }) => "
            "cells.join(' ').includes('<svg onload'))",
            "they appear as text")
        self.assertEqual(
            user.page.locator(
                "#grid img, #grid script, #grid iframe, #grid [onload], #grid [onerror]").count(),
            0)
        user.check_clean(self)

    def test_background_follows_color_scheme(self):
        for scheme, is_dark in (("light", False), ("dark", True)):
            user = self.open("#sort=-cpu", scheme=scheme)
            colour = user.page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
            self.assertEqual(sum(colour) < 384, is_dark)
            user.page.screenshot(path=ARTIFACTS / f"processes-{scheme}.png")
            user.grouping.select_option(label=user.titles()[user.column("user|name")])
            expect(user.page.get_by_role("rowheader").first).to_be_visible()
            user.page.screenshot(path=ARTIFACTS / f"processes-grouped-{scheme}.png")
            user.check_clean(self)

    def test_page_of_another_origin_is_refused_a_websocket(self):
        script = f"""<!doctype html><title>waiting</title><script>
          let heard = 0;
          const socket = new WebSocket('ws://127.0.0.1:{self.server.port}/ws', 'rowcast.v1');
          socket.onopen = () => {{ document.title = 'open'; }};
          socket.onmessage = () => {{ heard += 1; }};
          socket.onerror = () => {{ document.title = `refused ${{heard}}`; }};
        </script>""".encode()

        class ForeignPage(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(script)

            def log_message(self, *_):
                pass

        foreign = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ForeignPage)
        threading.Thread(target=foreign.serve_forever, daemon=True).start()
        self.addCleanup(foreign.server_close)
        self.addCleanup(foreign.shutdown)
        page = shared_browser().new_page()
        self.addCleanup(page.close)
        page.goto(f"http://127.0.0.1:{foreign.server_port}/")
        expect(page).to_have_title("refused 0")


class ForeignOriginTest(unittest.TestCase):
    """A server with default options: only clients with a token or a sign-in link are accepted."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.environ["XDG_STATE_HOME"] = self.folder
        self.addCleanup(os.environ.pop, "XDG_STATE_HOME")
        self.server = Server("market", settings={"market.rows": 1_000, "market.rate": 10}, options=())
        self.addCleanup(self.server.stop)

    def test_printed_address_signs_in_once_and_browser_stays_signed_in(self):
        user = User(shared_browser(), self.server)
        self.addCleanup(user.close)
        user.wait_for_rows()
        self.assertEqual(user.page.url.split("#")[0], self.server.origin + "/", "the code is still in the address")
        [cookie] = user.context.cookies()
        self.assertEqual((cookie["httpOnly"], cookie["sameSite"]), (True, "Strict"))
        self.assertEqual(user.page.evaluate("document.cookie"), "")
        user.page.goto(self.server.origin + "/")
        user.wait_for_rows()
        # Another browser gets an explanation and instructions.
        other = shared_browser().new_context()
        self.addCleanup(other.close)
        page = other.new_page()
        page.goto(self.server.origin + "/")
        expect(page.get_by_text("Sign-in needed").first).to_be_visible()
        command = subprocess.run(
            [*COMMAND, "url", "--port", str(self.server.port)], capture_output=True, text=True, check=True, cwd=ROOT)
        page.goto(command.stdout.strip())
        expect(page.get_by_role("row").nth(2)).to_be_visible()
        # A signed-in browser shows its rows, although the link was already used.
        self.assertEqual(page.goto(self.server.url).status, 403)
        expect(page.get_by_role("row").nth(2)).to_be_visible()

    def test_dns_rebinding_gets_neither_page_nor_websocket(self):
        # DNS rebinding: this browser resolves evil.test to 127.0.0.1.
        rebound = launch(
            "--host-resolver-rules=MAP evil.test 127.0.0.1",
            preferences={"network.dns.localDomains": "evil.test"})
        self.addCleanup(rebound.close)
        page = rebound.new_page()
        answer = page.goto(f"http://evil.test:{self.server.port}/")
        self.assertEqual(answer.status, 403)
        heard = page.evaluate(
            """(port) => new Promise((resolve) => {
              let heard = 0;
              const socket = new WebSocket(`ws://evil.test:${port}/ws`, 'rowcast.v1');
              socket.onmessage = () => { heard += 1; };
              socket.onerror = () => resolve(`refused ${heard}`);
              socket.onopen = () => resolve('open');
            })""", self.server.port)
        self.assertEqual(heard, "refused 0")


class RestartTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 20_000, "market.rate": 200}

    def test_server_restart_keeps_rows_and_scroll_position(self):
        user = self.open()
        page = user.page
        page.evaluate("window.marker = 'never reloaded'")
        user.wheel(2_800)
        user.until("() => document.querySelector('#grid').scrollTop === 2800", "the wheel has arrived")
        user.until_rows("(rows) => rows.some(({ index }) => index === 110)", "rows below appear")
        place = user.first_visible()
        port = self.server.port

        self.server.stop()
        expect(user.state).to_contain_text("Disconnected")
        expect(user.state).to_contain_text("old")
        color = "getComputedStyle(document.querySelector('#body')).color"
        live = "getComputedStyle(document.body).color"
        user.until(f"() => {color} !== {live}", "old rows are dimmed")
        self.assertGreater(len(user.rows()), 10, "the table stays on the screen")
        self.assertEqual(user.first_visible(), place)
        page.screenshot(path=ARTIFACTS / "disconnected.png")

        type(self).server = Server(*self.plugins, settings=self.settings, port=port)
        # A click retries at once. If the page has already reconnected, there is nothing to click.
        user.state.dispatch_event("click")
        expect(user.state).to_contain_text("Live", timeout=60_000)
        expect(user.state).not_to_contain_text("old")
        self.assertEqual(page.evaluate("window.marker"), "never reloaded")
        user.until(f"() => {color} === {live}", "the rows are live again")
        self.assertEqual(user.first_visible(), place)
        before = [row["cells"] for row in user.rows()]
        user.until_rows(
            f"(rows) => JSON.stringify(rows.map(({{ cells }}) => cells)) !== '{_js(before)}'",
            "rows change again")
        user.check_clean(self, is_cut_off=True)


class MarketTest(PageTest):
    plugins = ("market",)
    settings = {"market.rows": 20_000, "market.rate": 3_000}  # a debug build checks all rows at each change

    def record(self, user):
        """Records, for every frame, whether any line shows neither a row nor a placeholder."""
        user.page.evaluate("""() => {
          window.seen = { frames: 0, blank: 0, waiting: 0 };
          const look = () => {
            const grid = document.querySelector('#grid').getBoundingClientRect();
            const top = document.querySelector('[role=columnheader]').getBoundingClientRect().bottom;
            let blank = 0;
            let waiting = 0;
            for (let y = top + 4; y < grid.top + document.querySelector('#grid').clientHeight - 4; y += 20) {
              const row = document.elementFromPoint(grid.left + 30, y)?.closest('[role=row], .ghost');
              if (!row) blank += 1;
              else if (row.className === 'ghost') waiting += 1;
              else if (row.textContent.trim() === '') blank += 1;
            }
            seen.frames += 1;
            if (blank > 0) seen.blank += 1;
            if (waiting > 0) seen.waiting += 1;
            if (seen.jump !== undefined) {  // between two looks, or a look would see the jump before the page could
              const grid = document.querySelector('#grid');
              grid.scrollTop = seen.jump * grid.scrollHeight;
              delete seen.jump;
            }
            requestAnimationFrame(() => channel.port2.postMessage(0));
          };
          const channel = new MessageChannel();  // a message posted in a frame arrives right after it was painted
          channel.port1.onmessage = look;
          channel.port2.postMessage(0);
        }""")

    def test_scrolling_shows_no_blank_row(self):
        user = self.open(motion="reduce")
        user.wait_for_count(self.settings["market.rows"] + 1)
        self.record(user)
        for pixels in [120] * 20 + [600] * 20 + [3_000] * 10 + [-2_000] * 10 + [-90] * 10:
            user.wheel(pixels)
        user.until_rows("(rows) => rows.length > 20 && rows[0].index > 100", "the rows at the new place appear")
        user.until("() => seen.frames > 60", "enough frames were looked at")
        seen = user.page.evaluate("seen")
        print(f"\n  scrolling: {seen}")
        self.assertEqual(seen["blank"], 0)
        user.check_clean(self)

    def test_jump_shows_rows_and_no_blank_lines(self):
        user = self.open(motion="reduce")  # a gliding row leaves its line blank
        user.wait_for_count(self.settings["market.rows"] + 1)
        self.record(user)
        for part in (0.5, 0.99, 0.01, 0.7):
            user.page.evaluate("(part) => { seen.jump = part; }", part)
            user.until_rows(
                f"(rows) => rows.length > 20 && Math.abs(rows[10].index / 20_000 - {part}) < 0.02 "
                "&& rows[10].cells[0] !== ''",
                f"rows at {part} appear")
        self.assertEqual(user.page.evaluate("seen.blank"), 0)

    def test_section_header_sticks_to_the_top(self):
        user = self.open()
        label = next(title for title in user.titles() if title.lower() in ("sector", "side", "exchange", "state"))
        user.grouping.select_option(label=label)
        section = user.page.get_by_role("rowheader").first
        expect(section).to_be_visible()
        name = section.inner_text()
        user.wheel(5_000)
        stuck = """(name) => {
          const bottom = document.querySelector('[role=columnheader]').getBoundingClientRect().bottom;
          const grid = document.querySelector('#grid').getBoundingClientRect();
          const header = document.elementFromPoint(grid.left + 30, bottom + 14)
            ?.closest('[role=row]')?.querySelector('[role=rowheader]');
          return document.querySelector('#grid').scrollTop > 4900 && header?.innerText === name;
        }"""
        user.until(stuck, "the section's header sticks", name)
        user.page.screenshot(path=ARTIFACTS / "market-grouped-light.png")
        user.check_clean(self)

    def test_home_and_end_reach_both_ends(self):
        user = self.open()
        user.grid.focus()
        count = self.settings["market.rows"] + 1
        user.wait_for_count(count)
        user.page.keyboard.press("Control+End")
        user.until_rows(f"(rows) => rows.at(-1)?.index === {count}", "the last row appears")
        user.page.keyboard.press("PageUp")
        user.page.keyboard.press("Control+Home")
        user.until_rows("(rows) => rows[0]?.index === 2", "the first row appears")
        self.assertEqual(user.first_visible(), 2)

    def test_patches_to_scrolled_table_cause_no_resyncs(self):
        user = self.open("#sort=-" + "price")
        user.wheel(2_800)
        user.until("() => document.querySelector('#grid').scrollTop > 2000", "the wheel has arrived")
        patches = (
            "() => Number(/(\\d[\\d,]*) patch/.exec(document.querySelector('footer').textContent)[1]"
            ".replaceAll(',', ''))")
        start = user.page.evaluate(patches)
        user.until(f"(start) => ({patches})() > start + 5", "patches arrive", start)
        self.assertIn("0 resyncs", user.page.get_by_role("contentinfo").inner_text())

    def test_page_has_at_most_900_elements_after_scrolling(self):
        user = self.open()
        user.wheel(30_000)
        user.until_rows("(rows) => rows.length > 20 && rows[0].index > 500", "rows appear")
        self.assertLessEqual(user.page.evaluate("document.querySelectorAll('*').length"), 900)

    def test_market_page_receives_patches_in_both_color_schemes(self):
        for scheme in ("light", "dark"):
            user = self.open(scheme=scheme)
            user.until("() => /[2-9] patches/.test(document.querySelector('footer').textContent)", "it is live")
            user.page.screenshot(path=ARTIFACTS / f"market-{scheme}.png")


class TablesTest(PageTest):
    plugins = ("processes", "market")
    settings = {"market.rows": 1_000, "market.rate": 10}

    def test_tabs_switch_tables_and_browser_back_returns(self):
        user = self.open()
        tabs = user.page.get_by_role("tab")
        expect(tabs).to_have_count(2)
        first, second = (tabs.nth(at).locator(".tab-title").inner_text() for at in (0, 1))
        expect(tabs.nth(0)).to_have_attribute("aria-selected", "true")
        before = user.titles()
        tabs.nth(1).click()
        expect(tabs.nth(1)).to_have_attribute("aria-selected", "true")
        expect(user.page.get_by_role("grid", name=second)).to_be_visible()
        titles = "[...document.querySelectorAll('[role=columnheader]')].map((head) => head.innerText)"
        user.until(
            f"(before) => {titles}.join() !== before", "other columns appear", ",".join(before))
        user.wait_for_rows()
        self.assertIn("table=", user.page.url)
        user.page.evaluate("history.back()")
        expect(user.page.get_by_role("grid", name=first)).to_be_visible()
        user.until(
            f"(before) => {titles}.join() === before", "the old columns appear", ",".join(before))
        user.wait_for_rows()
        user.check_clean(self)

    def test_table_list_shows_rows_and_health_and_can_be_hidden(self):
        user = self.open("#table=processes")
        tabs = user.page.get_by_role("tab")
        expect(
            user.page.get_by_role(
                "tab", name=re.compile("^Quotes, 1,000 rows, live"))).to_be_visible(timeout=15_000)
        for scheme in ("light", "dark"):
            self.open("#table=quotes", scheme=scheme).page.screenshot(path=ARTIFACTS / f"tables-{scheme}.png")
        user.page.bring_to_front()
        toggle = user.page.get_by_role("button", name="Tables")
        wide = user.grid.bounding_box()["width"]
        toggle.click()
        expect(tabs.first).to_be_hidden()
        self.assertGreater(user.grid.bounding_box()["width"], wide + 100)
        toggle.click()
        expect(user.page.get_by_role("tab", selected=True)).to_be_focused()
        user.page.keyboard.press("End")
        user.page.keyboard.press("Enter")
        expect(user.page.get_by_role("grid", name=tabs.last.locator(".tab-title").inner_text())).to_be_visible()
        user.check_clean(self)

    def test_link_to_unknown_table_shows_message_and_no_filters(self):
        user = User(shared_browser(), self.server, "#table=nowhere")
        self.addCleanup(user.close)
        expect(user.page.get_by_text("No table called “nowhere”")).to_be_visible()
        user.page.get_by_role("tab").nth(0).click()
        user.wait_for_rows()
        user.grouping.select_option(index=1)
        user.until("() => location.hash.includes('group=')", "the link says by what rows are grouped")
        table = user.page.evaluate("new URLSearchParams(location.hash.slice(1)).get('table')")
        chips = user.page.get_by_role("region", name="Filters")
        filters = '[{"column":"%s","op":"isFilled"}]' % ("pid" if table == "processes" else "id")
        user.page.evaluate("(filters) => { location.hash += `&filter=${encodeURIComponent(filters)}`; }", filters)
        expect(chips).to_be_visible()
        user.page.evaluate("location.hash = '#table=nowhere'")
        expect(user.page.get_by_text("No table called “nowhere”")).to_be_visible()
        expect(user.grid).not_to_be_visible()
        expect(chips).not_to_be_visible()
        expect(user.grouping).to_have_value("")
        expect(user.page).to_have_title("Rowcast")
        user.page.get_by_role("tab").nth(1).click()
        user.wait_for_rows()
        self.assertIn("0 resyncs", user.page.get_by_role("contentinfo").inner_text())
        user.check_clean(self)


class HugeTest(PageTest):
    """More rows than the maximum height of an element allows (Firefox: 17.9 million pixels)."""

    plugins = ("market",)
    # Few changes, because a checked build verifies all rows after each of them.
    settings = {"market.rows": 700_000, "market.rate": 1}

    def test_first_middle_and_last_of_700000_rows_are_reachable(self):
        user = self.open()
        count = self.settings["market.rows"] + 1
        user.wait_for_count(count)
        height = user.page.evaluate("document.querySelector('#grid').scrollHeight")
        self.assertLess(height, 17_800_000)
        user.grid.focus()
        user.page.keyboard.press("Control+End")
        user.until_rows(f"(rows) => rows.at(-1)?.index === {count}", "the last row appears")
        user.page.keyboard.press("Control+Home")
        user.until_rows("(rows) => rows[0]?.index === 2", "the first row appears")
        user.page.evaluate(
            "() => { const grid = document.querySelector('#grid'); "
            "grid.scrollTop = (grid.scrollHeight - grid.clientHeight) / 2; }")
        user.until_rows(
            f"(rows) => rows.length > 20 && Math.abs(rows[10].index / {count} - 0.5) < 0.01",
            "the middle appears")
        before = user.first_visible()
        user.wheel(280)
        user.until(f"""() => {{
          const top = document.querySelector('[role=columnheader]').getBoundingClientRect().bottom;
          const row = document.elementFromPoint(40, top + 14).closest('[role=row]');
          return Number(row.getAttribute('aria-rowindex')) === {before + 10};
        }}""", "a wheel moves by exactly its pixels")


def _js(value):
    """Returns a value as the inside of a single-quoted JavaScript string with its JSON."""
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("\\", "\\\\").replace("'", "\\'")


if __name__ == "__main__":
    unittest.main()
