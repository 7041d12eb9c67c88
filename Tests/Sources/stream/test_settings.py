"""Refusals of wrong settings, and missing client libraries."""

import pathlib
import subprocess
import sys
import unittest

from program import PLUGIN, Program
from servers import FOLDER, certificates, write

sys.path.insert(0, str(PLUGIN.parent))
from options import Options, Refusal  # noqa: E402


class SettingsTests(unittest.TestCase):
    def refusal(self, **settings):
        with self.assertRaises(Refusal, msg=settings) as caught:
            Options({"backend": "nats", "stream": "s", **settings}, {})
        return caught.exception.setting, str(caught.exception)

    def test_refusals_name_the_setting_and_the_remedy(self):
        for setting, part, settings in (
            ("subject", "belongs to nats", {"backend": "redis", "subject": "a"}),
            ("config", "belongs to kafka", {"config": "/dev/null"}),
            ("stream", "is empty", {"stream": ""}),
            ("servers", "password_file", {"servers": "nats://user:secret@host:4222"}),
            ("servers", "use one like redis://", {"backend": "redis", "servers": "http://host"}),
            ("servers", "give one address", {"backend": "redis", "servers": "redis://a,redis://b"}),
            ("servers", "use one like", {"backend": "kafka", "servers": "kafka://a:9092"}),
            ("key", "only mode=latest", {"key": "id"}),
            ("key", "entries of Redis have no key", {"backend": "redis", "mode": "latest"}),
            ("key", "text payload has no members", {"mode": "latest", "key": "id", "payload": "text"}),
            ("key", "is empty", {"mode": "latest", "key": ""}),
            ("payload", "use json or text", {"payload": "fields"}),
            ("field", "needs the name of the field", {"backend": "redis", "payload": "json"}),
            ("field", "leave one", {"backend": "redis", "payload": "fields", "field": "data"}),
            ("delete", "MEMBER=VALUE", {"mode": "latest", "delete": "op"}),
            ("delete", "only mode=latest", {"delete": "op=d"}),
            ("meta", "use time, sequence, key", {"meta": "time,colour"}),
            ("columns", "unknown type “float”", {"columns": "a:float"}),
            ("columns", "two columns", {"columns": "a,a"}),
            ("columns", "has no name", {"columns": "a,,b"}),
            ("columns", "begins with @", {"columns": "@time"}),
            ("table", "1 to 200 bytes", {"table": "x" * 201}),
            ("password_file", "is not readable", {"password_file": "/nonexistent"}),
            ("password_file", "is empty", {"password_file": write("empty", "\n")}),
            ("user", "needs a user", {"password_file": write("some", "x")}),
            ("nkey", "exclude each other", {"credentials": "/dev/null", "nkey": "/dev/null"}),
            ("private_key", "without certificate", {"private_key": "/dev/null"}),
        ):
            found, text = self.refusal(**settings)
            self.assertEqual((found, part in text), (setting, True), text)
            self.assertNotIn("secret", text)

    def test_columns_setting_has_names_types_and_labels(self):
        options = Options({"backend": "nats", "stream": "s", "columns": "a.b:number=Price, c ,d:seconds"}, {})
        self.assertEqual(options.columns, [("a.b", "number", "Price"), ("c", "text", None), ("d", "seconds", None)])

    def test_invalid_certificate_files_are_refused(self):
        program = Program(backend="nats", stream="s", ca=write("bad.pem", "no certificate"))
        self.addCleanup(program.end)
        program.until(lambda: program.refusal)
        self.assertEqual(program.refusal["setting"], "ca")
        good = Program(
            backend="nats",
            stream="s",
            ca=certificates()[0],
            certificate=certificates()[1],
            private_key=write("bad.key", ""),
        )
        self.addCleanup(good.end)
        good.until(lambda: good.refusal)
        self.assertEqual(good.refusal["setting"], "certificate")

    def test_client_library_is_loaded_on_use_and_named_if_missing(self):
        folder = pathlib.Path(FOLDER / "without")
        for name in ("nats", "redis", "confluent_kafka"):
            (folder / name).mkdir(parents=True, exist_ok=True)
            (folder / name / "__init__.py").write_text("raise ImportError('no such package')")
        for backend, command in (
            ("nats", "pip install nats-py"),
            ("redis", "apt install python3-redis"),
            ("kafka", "python3-confluent-kafka"),
        ):
            program = Program(backend=backend, stream="s", environment={"PYTHONPATH": str(folder)})
            program.until(lambda: program.refusal)
            self.assertIn(command, program.refusal["reason"])
            self.assertEqual(program.end(), 0)
        text = "import stream; print([name for name in ('nats', 'redis', 'confluent_kafka') if name in sys.modules])"
        found = subprocess.run(
            [sys.executable, "-c", f"import sys; {text}"], cwd=PLUGIN.parent, capture_output=True, text=True, check=True
        )
        self.assertEqual(found.stdout.strip(), "[]")


if __name__ == "__main__":
    unittest.main()
