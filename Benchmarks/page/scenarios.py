"""The page workloads S1 to S5 on a table served by Rowcast. Each function returns named figures."""

import os
import statistics
import subprocess
import threading

import floor
from browser import Page, hold_the_machine, quantile


GROWTH = 3  # percent from the first three samples to the last three
WARM = 5  # samples before the first of these


def growth(values):
    """Returns the growth in percent, from the mean of the first three samples to the last three."""
    return round(100 * (statistics.mean(values[-3:]) / statistics.mean(values[:3]) - 1), 1)


def resident(process):
    """Returns the resident memory of a process in MB."""
    with open(f"/proc/{process}/statm") as pages:
        return round(int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)


class Server:
    """A process of `rowcast serve` for one scenario."""

    def __init__(self, rowcast, web, plugin, settings=None, interval=300):
        command = [
            rowcast, "serve", "--port", "0", "--no-token", "--web", web, "--plugin", plugin,
            "--interval", str(interval), "--log-level", "warning"]
        workload = {"market.change": "false"} if plugin == "market" else {}
        for name, value in {**(settings or {}), **workload}.items():
            command += ["--set", f"{name}={value}"]
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
        watchdog = threading.Timer(60, self.process.kill)
        watchdog.start()
        self.url = next(
            (
                line.split("listening on ", 1)[1].split()[0] for line in self.process.stdout
                if "listening on " in line),
            None)
        watchdog.cancel()
        if self.url is None:
            raise SystemExit(f"the server ended with {self.process.wait()} before it listened")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class Scenarios:
    """One run of all scenarios; each has its own server and browser."""

    def __init__(self, playwright, rowcast, web, probe, stamp, rows, seconds):
        self.playwright, self.rowcast, self.web, self.probe, self.stamp = playwright, rowcast, web, probe, stamp
        self.rows, self.seconds = rows, seconds

    def market(self, rate=0, rows=None, interval=300):
        return Server(
            self.rowcast, self.web, "market",
            {"market.rows": rows or self.rows, "market.rate": rate}, interval)

    def open(self, server, rows=None):
        """Opens a page, and waits until its row count is complete."""
        page = Page(self.playwright, self.probe)
        page.page.goto(server.url, wait_until="commit")
        page.until("() => window.probe?.first != null")
        count = str((rows or self.rows) + 1)
        page.until(f"() => document.querySelector('#grid').getAttribute('aria-rowcount') === '{count}'")
        hold_the_machine()  # the navigation may have started a new process
        page.wait(1)
        return page

    def loaded(self, server):
        """Waits until the source has sent all rows, so that loading is not measured."""
        self.open(server).__exit__()

    def s1(self):
        """Measures navigation to first rows, seven times on one server, and then heap and nodes.

        Each run alternates with one of a static document that contains rows, from a server of the
        same kind. It is the lower bound on this machine.
        """
        with (
                self.market() as server, floor.folder() as web,
                Server(self.rowcast, web, "market", {"market.rows": 1}) as bare):
            self.loaded(server)
            times, floors = [], []
            for _ in range(7):
                with Page(self.playwright, self.probe) as page:
                    page.page.goto("about:blank")
                    page.page.goto(bare.url, wait_until="commit")
                    page.until("() => window.probe?.first != null")
                    floors.append(page.evaluate("probe.first"))
                with Page(self.playwright, self.probe) as page:
                    page.page.goto("about:blank")
                    page.page.goto(server.url, wait_until="commit")
                    page.until("() => window.probe?.first != null")
                    times.append(page.evaluate("probe.first"))
                    page.wait(0.5)
                    page.session.send("HeapProfiler.collectGarbage")
                    metrics = page.metrics()
                    nodes = page.evaluate("document.querySelectorAll('*').length")
        return {"first_rows_ms": round(statistics.median(times), 1), "first_rows_least_ms": round(min(times), 1),
                "floor_ms": round(statistics.median(floors), 1), "floor_least_ms": round(min(floors), 1),
                "heap_mb": round(metrics["JSHeapUsedSize"] / 1e6, 2), "elements": nodes}

    def s2(self, speed):
        """Measures scrolling by wheel without changes, first as frames and then as a screencast."""
        with self.market() as server, self.open(server) as page:
            page.top()
            figures = page.watch(lambda: page.scroll(speed, self.seconds))
            page.top()
            return {**figures, **page.screencast(speed, min(self.seconds, 3))}

    def s3(self, rate, rows=None, speed=0):
        """Measures `rate` updates per second, at rest or while scrolling.

        With few rows all of them are visible.
        """
        with self.market(rate, rows) as server, self.open(server, rows) as page:
            page.top()
            return page.watch(
                lambda: page.scroll(speed, self.seconds) if speed else page.wait(self.seconds),
                looks=speed > 0)

    def s4(self):
        """Measures jumps of the scrollbar's thumb, with the server's answer (median of three)."""
        with self.market() as server, self.open(server) as page:
            page.top()
            figures = {}
            for part in (0.5, 1, 0.25) * 3:
                jump = page.evaluate("(part) => probe.jump(part)", part)
                figures.setdefault(f"to_{part}_ms", []).append(jump["ms"])
                figures.setdefault(f"to_{part}_frames", []).append(jump["frames"])
                page.wait(0.5)
            return {name: round(statistics.median(times), 1) for name, times in figures.items()}

    def s5(self):
        """Measures the delay from a source's change of a row to the screen, at interval 0."""
        with (
                Server(self.rowcast, self.web, self.stamp, interval=0) as server,
                Page(self.playwright, self.probe) as page):
            page.page.goto(server.url, wait_until="commit")
            page.until("() => document.querySelector('.row') !== null")
            delays = page.evaluate("(count) => probe.delays(count)", 60)
        parts = {
            f"{part}_p50_ms": quantile([delay[part] for delay in delays], 0.5)
            for part in ("way", "draw", "paint")}
        whole = [delay["whole"] for delay in delays]
        return {"p50_ms": quantile(whole, 0.5), "p99_ms": quantile(whole, 0.99), **parts}

    def soak(self, minutes):
        """Checks that heap and nodes do not grow in many minutes of 10,000 updates per second.

        Takes fifteen samples, each after a garbage collection. The first five are ignored, because
        the browser compiles hot code meanwhile, which adds to the heap. They count only for the
        size of the page's own objects.
        """
        names = ("heap_mb", "objects_kb", "nodes", "listeners", "elements", "server_mb")
        looks = {name: [] for name in (*names, "patches")}
        with self.market(10_000) as server, self.open(server) as page:
            for _ in range(15):
                page.wait(minutes * 4)
                page.session.send("HeapProfiler.collectGarbage")
                metrics = page.metrics()
                looks["heap_mb"].append(round(metrics["JSHeapUsedSize"] / 1e6, 3))
                looks["objects_kb"].append(page.objects())
                looks["nodes"].append(int(metrics["Nodes"]))
                looks["listeners"].append(int(metrics["JSEventListeners"]))
                looks["elements"].append(page.evaluate("document.querySelectorAll('*').length"))
                looks["patches"].append(
                    page.evaluate(
                        "Number(document.querySelector('#traffic').textContent.replaceAll(',', "
                        "'').match(/\\d+/)[0])"))
                looks["server_mb"].append(resident(server.process.pid))
            complaints = page.complaints
        grown = {name: growth(looks[name][0 if name == "objects_kb" else WARM:]) for name in names}
        is_alive = all(later > earlier for earlier, later in zip(looks["patches"], looks["patches"][1:]))
        is_flat = all(share <= GROWTH for share in grown.values()) and is_alive and not complaints
        return {"minutes": minutes, **looks, "growth_pct": grown, "complaints": complaints, "is_flat": is_flat}

    def all(self):
        """Returns the function to run by name of scenario."""
        visible = 28
        return {
            "s1": self.s1,
            "s2_4000": lambda: self.s2(4_000),
            "s2_20000": lambda: self.s2(20_000),
            "s3_10k": lambda: self.s3(10_000),
            "s3_visible_1k": lambda: self.s3(1_000, visible),
            "s3_10k_scroll": lambda: self.s3(10_000, speed=4_000),
            "s4": self.s4,
            "s5": self.s5,
        }
