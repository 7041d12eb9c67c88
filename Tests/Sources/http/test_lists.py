"""JSON, NDJSON and CSV that are requested again and again, with real requests and faults."""

import gzip
import json
import pathlib
import ssl
import tempfile
import unittest

from program import Program
from server import Answer, Server

TLS = pathlib.Path(__file__).resolve().parents[2] / "Fixtures/tls"


class Case(unittest.TestCase):
    def serve(self, answer=None, **how):
        server = Server(answer, **how)
        self.addCleanup(server.close)
        return server

    def start(self, **settings):
        program = Program(**{"interval": 0.2, **settings})
        self.addCleanup(program.end)
        return program


class ListTests(Case):
    def test_table_follows_json_list_of_objects(self):
        server = self.serve(Answer('[{"id":1,"name":"a","cpu":{"load":0.5}},{"id":2,"name":"b","cpu":{"load":2}}]'))
        program = self.start(url=server.url)
        program.until(lambda: len(program.rows) == 2)
        self.assertEqual(program.schema["key"], "integer")
        self.assertEqual(program.names, ["id", "name", "cpu.load", "@other"])
        self.assertEqual(program.rows[1], {"id": 1, "name": "a", "cpu.load": 0.5, "@other": None})
        server.answer = Answer('[{"id":2,"name":"c","new":[1]}]')
        program.until(lambda: program.rows.keys() == {2})
        self.assertEqual(program.rows[2], {"id": 2, "name": "c", "cpu.load": None, "@other": '{"new":[1]}'})

    def test_single_list_is_found_and_rows_setting_selects_others(self):
        server = self.serve(Answer('{"count":1,"items":[{"name":"x"}]}'))
        program = self.start(url=server.url)
        program.until(lambda: "x" in program.rows)
        server.answer = Answer('{"data":{"items":[{"name":"y"}],"more":[{"name":"z"}]}}')
        program = self.start(url=server.url, rows="data.items")
        program.until(lambda: "y" in program.rows)
        program = self.start(url=server.url, rows="data.nothing")
        program.until_state("it has no “data.nothing”: set rows", state="stale")

    def test_ndjson_and_csv_are_recognized(self):
        server = self.serve(Answer('{"id":1,"v":true}\n{"id":2,"v":false}\n', kind="text/plain"))
        program = self.start(url=server.url)
        program.until(lambda: program.rows.keys() == {1, 2})
        self.assertIs(program.rows[1]["v"], True)
        server = self.serve(Answer('id;size;when\r\n7;1.5;2026-11-24T05:00:00Z\r\n8;"2";\r\n', kind="text/csv"))
        program = self.start(url=server.url)
        program.until(lambda: program.rows.keys() == {7, 8})
        self.assertEqual(program.rows[7], {"id": 7, "size": 1.5, "when": 1_795_496_400_000, "@other": None})
        self.assertEqual(program.rows[8]["size"], 2)

    def test_invalid_rows_are_rejected_and_others_kept(self):
        rows = [{"id": 1}, 5, {"x": 1}, {"id": 1}, {"id": "two"}, {"id": 3}]
        server = self.serve(Answer(json.dumps(rows)))
        program = self.start(url=server.url, key="id")
        program.until(lambda: program.rows.keys() == {"1", "two", "3"})
        reasons = " ".join(message["reason"] for message in program.rejects)
        for reason in ["item 2: it is not an object", "row 3: it has no “id”", "row 4: its “id” 1 occurs twice"]:
            self.assertIn(reason, reasons)
        program.until_state("faults in the last response", state="live")

    def test_rows_without_key_are_numbered_with_notice(self):
        server = self.serve(Answer('[{"a":1},{"a":1}]'))
        program = self.start(url=server.url)
        program.until(lambda: program.rows.keys() == {1, 2})
        program.until_state("rows are numbered: set key", state="live")

    def test_not_modified_response_causes_no_reload(self):
        def answer(request):
            is_known = request.headers.get("If-None-Match") == '"7"'
            return Answer(status=304) if is_known else Answer('[{"id":1}]', headers={"ETag": '"7"'})

        server = self.serve(answer)
        program = self.start(url=server.url)
        server.until(lambda requests: len(requests) > 3)
        self.assertEqual(program.reloads, 1)
        self.assertEqual(program.states[-1][0], "live")

    def test_gzip_responses_are_decoded_up_to_limit(self):
        body = json.dumps([{"id": number} for number in range(1_000)]).encode()
        headers = {"Content-Encoding": "gzip"}
        server = self.serve(Answer(gzip.compress(body), headers=headers))
        program = self.start(url=server.url)
        program.until(lambda: len(program.rows) == 1_000)
        server.answer = Answer(gzip.compress(b" " * 50_000_000 + b"[]"), headers=headers)
        program = self.start(url=server.url, limit=1_048_576)
        program.until_state("more than 1,048,576 bytes: set limit", state="stale")


class FaultTests(Case):
    def test_rows_are_kept_during_server_faults_and_updated_after(self):
        server = self.serve(Answer('[{"id":1},{"id":2}]'))
        program = self.start(url=server.url, timeout=0.5)
        program.until(lambda: len(program.rows) == 2)
        faults = [
            (Answer(status=500), "status 500"),
            (Answer('[{"id":1},{"id":2}]', cut=10), "cut off"),
            (Answer("[{", kind="application/json"), "it is not JSON"),
            (Answer("<html>", kind="text/html"), "HTML"),
            (Answer("[]", is_held=True), "in time"),
            (Answer(status=302, headers={"Location": "ftp://x/"}), "is not followed"),
        ]
        for answer, text in faults:
            since = len(program.states)
            server.answer = answer
            program.until_state(text, state="stale", since=since)
            self.assertEqual(len(program.rows), 2)
            server.answer = Answer('[{"id":1},{"id":2}]')
            program.until(lambda: program.states[-1][0] == "live")
        server.answer = Answer('[{"id":3}]')
        program.until(lambda: program.rows.keys() == {3})

    def test_source_recovers_after_server_restart(self):
        server = Server(Answer('[{"id":1}]'))
        program = self.start(url=server.url)
        program.until(lambda: program.rows.keys() == {1})
        server.close()
        program.until_state("no server listens there", state="stale")
        self.serve(Answer('[{"id":2}]'), port=server.port)
        program.until(lambda: program.rows.keys() == {2})

    def test_retry_after_header_sets_pause_before_next_request(self):
        server = self.serve(Answer(status=429, headers={"Retry-After": "600"}))
        program = self.start(url=server.url)
        program.until_state("status 429", state="stale")
        pause = program.until(lambda: [line for line in program.log if "the next request is in 600.0 s" in line])
        self.assertTrue(pause)

    def test_token_is_not_sent_to_redirect_target_nor_logged(self):
        other = self.serve(Answer('[{"id":1}]'))
        server = self.serve(Answer(status=302, headers={"Location": other.url}))
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("s3cret-token\n")
            file.flush()
            program = self.start(url=server.url, token_file=file.name, header="X-Team: a")
            program.until(lambda: program.rows.keys() == {1})
        self.assertEqual(server.requests[0][1]["Authorization"], "Bearer s3cret-token")
        self.assertEqual(server.requests[0][1]["X-Team"], "a")
        self.assertNotIn("Authorization", other.requests[0][1])
        self.assertNotIn("s3cret", " ".join(program.log) + str(program.states))

    def test_server_certificate_is_verified(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(TLS / "localhost.crt", TLS / "localhost.key")
        server = self.serve(Answer('[{"id":1}]'), context=context)
        url = f"https://localhost:{server.port}/jobs"
        self.start(url=url).until_state("its certificate is not valid", state="stale")
        program = self.start(url=url, ca=str(TLS / "localhost.crt"))
        program.until(lambda: program.rows.keys() == {1})


class SettingsTests(Case):
    def test_invalid_settings_are_refused_by_name(self):
        for settings, name in [
            ({"url": "file:///etc/passwd"}, "url"), ({"url": "http://a:b@c/"}, "url"),
            ({"url": "http://a/", "key": ""}, "key"),
            ({"url": "http://a/", "header": "nonsense"}, "header"),
            ({"url": "http://a/", "header": "Host: x"}, "header"),
            ({"url": "http://a/", "token_file": "/nowhere"}, "token_file"),
            ({"url": "http://a/", "format": "csv", "keep": 5}, "keep"),
            ({"url": "https://a/", "ca": "/nowhere"}, "ca"),
            ({"url": "http://a/", "format": "csv", "rows": "a"}, "rows"),
        ]:
            program = self.start(**settings)
            program.until(lambda: program.refusal)
            self.assertEqual(program.refusal["setting"], name, settings)


if __name__ == "__main__":
    unittest.main()
