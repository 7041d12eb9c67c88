"""Prometheus' text format, the events of a stream, and the exam of all kinds."""

import json
import os
import shlex
import subprocess
import sys
import threading
import unittest

from program import PLUGIN, ROOT
from server import Answer
from test_lists import Case

sys.path.insert(0, str(ROOT / "Plugins/http"))
sys.path.append(str(ROOT / "Plugins/shared"))

from reading import Events, Unreadable, samples_of  # noqa: E402

COMMAND = shlex.split(os.environ.get("ROWCAST", str(ROOT / ".build/release/rowcast")))

METRICS = """# HELP http_requests_total Requests, \\\\ by code.
# TYPE http_requests_total counter
http_requests_total{code="200",path="/a \\"b\\""} %d
http_requests_total{code="500",path="/"} 3 1395066363000
# TYPE temperature gauge
temperature NaN
broken{
go_info{version="go1.21"} 1
"""


class SampleTests(Case):
    def test_samples_have_labels_rates_and_history(self):
        numbers = iter(range(100, 1_000_000, 50))
        server = self.serve(lambda _: Answer(METRICS % next(numbers), kind="text/plain; version=0.0.4"))
        program = self.start(url=server.url)
        key = 'http_requests_total{code="200",path="/a \\"b\\""}'
        program.until(lambda: key in program.rows and len(program.rows[key]["history"]) >= 3)
        row = program.rows[key]
        self.assertEqual(row["metric"], "http_requests_total")
        self.assertEqual((row["label code"], row["label path"]), ("200", '/a "b"'))
        self.assertEqual(row["type"], "counter")
        self.assertEqual(row["help"], "Requests, \\ by code.")
        self.assertEqual(row["history"][:3], [100, 150, 200])
        self.assertGreater(row["rate"], 50)
        self.assertIsNone(program.rows["temperature"]["value"])
        self.assertIsNone(program.rows["temperature"]["rate"])
        self.assertEqual(program.rows['go_info{version="go1.21"}']["label version"], "go1.21")
        self.assertIn("line 7: it is not a sample: broken{", program.rejects[0]["reason"])

    def test_reset_counter_has_no_negative_rate(self):
        server = self.serve(Answer("# TYPE n_total counter\nn_total 100\n", kind="text/plain"))
        program = self.start(url=server.url, format="prometheus")
        program.until(lambda: "n_total" in program.rows)
        server.answer = Answer("# TYPE n_total counter\nn_total 5\n", kind="text/plain")
        program.until(lambda: program.rows["n_total"]["value"] == 5)
        program.until(lambda: program.rows["n_total"]["rate"] is not None)
        self.assertGreaterEqual(program.rows["n_total"]["rate"], 0)

    def test_labels_are_unescaped_and_invalid_samples_reported(self):
        found = samples_of(b'a{x="1,2}",y="\\\\ \\n"} 1e3\nb{x="1" y="2"} 1\nc{} +Inf\nd 0x1\n')
        self.assertEqual(found[0][:3], ("a", {"x": "1,2}", "y": "\\ \n"}, 1_000))
        self.assertIsInstance(found[1], str)
        self.assertEqual(found[2][:3], ("c", {}, None))
        self.assertIsInstance(found[3], str)
        self.assertRaises(Unreadable, samples_of, b"# nothing\n")


class EventTests(Case):
    def test_events_are_decoded_for_every_chunk_size(self):
        text = b': hi\r\nevent: a\ndata: one\ndata:two\nid: 7\n\n\ndata: {"x":1}\r\n\r\nretry: 1500\rdata: last\r\r'
        wanted = [("a", "one\ntwo", "7"), ("message", '{"x":1}', "7"), ("message", "last", "7")]
        for size in range(1, len(text)):
            events, found = Events(1_000), []
            for place in range(0, len(text), size):
                found += events.add(text[place : place + size])
            found += events.add(b"\n")
            self.assertEqual(found, wanted, size)
            self.assertEqual(events.retry, 1.5)

    def test_oversized_event_is_skipped_and_counted(self):
        events = Events(100)
        self.assertEqual(
            events.add(b"data: " + b"x" * 50 + b"\ndata: " + b"x" * 60 + b"\n\ndata: y\n\n"),
            [("message", "y", "")])
        self.assertEqual(events.faults, 1)

    def test_latest_event_per_key_is_kept_and_stream_resumed(self):
        more = threading.Event()
        self.addCleanup(more.set)

        def pieces(first):
            yield f'id: {first}\ndata: {{"id":1,"v":{first}}}\n\n'.encode()
            yield f'id: {first + 1}\ndata: nonsense\n\ndata: {{"id":2,"v":0}}\n\n'.encode()
            if first > 1:
                more.wait()

        def answer(request):
            last = int(request.headers.get("Last-Event-ID", "0"))
            return Answer(kind="text/event-stream", pieces=pieces(last + 1))

        server = self.serve(answer)
        program = self.start(url=server.url, format="sse", key="id")
        program.until(lambda: program.rows.get(1, {}).get("v") == 3)
        self.assertEqual(program.rows.keys(), {1, 2})
        self.assertEqual(server.requests[1][1]["Last-Event-ID"], "2")
        self.assertTrue(any("the stream has ended" in text for _, text in program.states))
        self.assertTrue(any("it has no “id”" in message["reason"] for message in program.rejects))

    def test_events_are_numbered_and_keep_reaches_schema(self):
        more = threading.Event()
        self.addCleanup(more.set)

        def pieces():
            for number in range(30):
                yield f"event: tick\ndata: {number}\n\n".encode()
            more.wait()

        server = self.serve(lambda _: Answer(kind="text/event-stream", pieces=pieces()))
        program = self.start(url=server.url, keep=10)
        program.until(lambda: 30 in program.rows)
        self.assertEqual(program.keep, 10)
        self.assertEqual(program.rows[30]["data"], "29")
        self.assertEqual(program.rows[30]["@event"], "tick")


class ExamTests(Case):
    def check(self, **settings):
        words = [*COMMAND, "plugin", "check", "--patience", "60"]
        for name, value in settings.items():
            words += ["--set", f"{name}={value}"]
        found = subprocess.run([*words, str(PLUGIN)], capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stdout[-4_000:] + found.stderr)

    def test_exam_passes_for_json_list(self):
        rows = [{"id": number, "name": f"row {number}", "share": number / 7} for number in range(2_000)]
        self.check(url=self.serve(Answer(json.dumps(rows))).url, interval=0.5)

    def test_exam_passes_for_server_sent_events(self):
        more = threading.Event()
        self.addCleanup(more.set)

        def pieces():
            yield b"".join(f'data: {{"id":{number},"v":1}}\n\n'.encode() for number in range(20))
            more.wait()

        server = self.serve(lambda _: Answer(kind="text/event-stream", pieces=pieces()))
        self.check(url=server.url, format="sse", key="id")

    def test_exam_passes_for_prometheus_samples(self):
        metrics = (METRICS % 5).replace("broken{\n", "")
        self.check(url=self.serve(Answer(metrics, kind="text/plain")).url, interval=0.5)


if __name__ == "__main__":
    unittest.main()
