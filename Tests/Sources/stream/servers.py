"""Real servers on loopback, in temporary directories; Kafka is librdkafka's mock cluster."""

import asyncio
import atexit
import base64
import ctypes
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import time

import confluent_kafka
import nats
import redis

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="rowcast-stream-test-"))
atexit.register(shutil.rmtree, FOLDER, True)
pause = threading.Event().wait


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for_port(port, process):
    end = time.monotonic() + 10
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > end or process.poll() is not None:
                raise AssertionError(f"{process.args[0]} does not listen") from None
            pause(0.02)


class Process:
    """A server that can be killed and started again with its data."""

    def __init__(self):
        self.port = free_port()
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDER))
        self.process = None
        # Also after a failure outside a test, and before the folder is removed.
        atexit.register(self.stop)
        self.start()

    def start(self, port=None):
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(self.words(port or self.port), stdout=log, stderr=log, cwd=self.folder)
        log.close()
        wait_for_port(port or self.port, self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()


class Nats(Process):
    """nats-server with JetStream; `lines` of its configuration, and how the tests connect."""

    def __init__(self, lines="", **connection):
        self.lines, self.connection = lines, connection
        super().__init__()

    def words(self, port):
        file = self.folder / "nats.conf"
        file.write_text(
            f'listen: 127.0.0.1:{port}\n'
            f'jetstream {{ store_dir: "{self.folder}/js", max_mem: 64MB, max_file: 1GB }}\n'
            f'{self.lines}'
        )
        return ["nats-server", "-c", str(file)]

    def do(self, work, port=None):
        """Runs `work(js, connection)` and returns its result."""

        async def run():
            connection = await nats.connect(f"nats://127.0.0.1:{port or self.port}", **self.connection)
            try:
                return await work(connection.jetstream(timeout=5), connection)
            finally:
                await connection.close()

        for _ in range(50):
            try:
                return asyncio.run(run())
            except nats.js.errors.ServiceUnavailableError:
                pause(0.1)  # JetStream is still starting
        raise AssertionError("JetStream does not start")

    def add(self, name, subjects, port=None, **options):
        return self.do(lambda js, _: js.add_stream(name=name, subjects=subjects, **options), port)

    def publish(self, messages, port=None):
        """Publishes (subject, payload) pairs, and waits until the last one is stored."""

        async def work(js, connection):
            for subject, payload in messages[:-1]:
                await connection.publish(subject, payload)
            await js.publish(*messages[-1])

        self.do(work, port)


class Redis(Process):
    """redis-server with a log of its changes; `lines` of its configuration."""

    def __init__(self, lines="", **connection):
        self.lines, self.connection = lines, connection
        super().__init__()
        self.client = redis.Redis(**{"port": self.port, **connection})

    def words(self, port):
        file = self.folder / "redis.conf"
        file.write_text(
            f"bind 127.0.0.1\nport {port}\nappendonly yes\nappendfsync always\nsave ''\n{self.lines}".replace(
                "PORT", str(port)
            )
        )
        return ["redis-server", str(file)]

    def start(self, port=None):
        super().start(port)
        # It loads its data after it listens.
        client = redis.Redis(**{"port": port or self.port, **self.connection})
        for _ in range(100):
            try:
                client.ping()
                break
            except (redis.exceptions.BusyLoadingError, redis.exceptions.ConnectionError):
                pause(0.05)
            except redis.RedisError:
                break
        client.close()


class Kafka:
    """A mock cluster of one broker, in this process."""

    def __init__(self):
        library = ctypes.CDLL("librdkafka.so.1")
        self.library, pointer = library, ctypes.c_void_p
        for name, result, *arguments in (
            ("conf_new", pointer),
            ("conf_set", ctypes.c_int, pointer, ctypes.c_char_p, ctypes.c_char_p, pointer, ctypes.c_size_t),
            ("new", pointer, ctypes.c_int, pointer, pointer, ctypes.c_size_t),
            ("mock_cluster_new", pointer, pointer, ctypes.c_int),
            ("mock_cluster_destroy", None, pointer),
            ("mock_cluster_bootstraps", ctypes.c_char_p, pointer),
            ("mock_topic_create", ctypes.c_int, pointer, ctypes.c_char_p, ctypes.c_int, ctypes.c_int),
            ("mock_topic_set_error", None, pointer, ctypes.c_char_p, ctypes.c_int),
            ("mock_broker_set_down", ctypes.c_int, pointer, ctypes.c_int32),
            ("mock_broker_set_up", ctypes.c_int, pointer, ctypes.c_int32),
        ):
            function = getattr(library, f"rd_kafka_{name}")
            function.restype, function.argtypes = result, arguments
        config = library.rd_kafka_conf_new()
        library.rd_kafka_conf_set(config, b"log_level", b"2", None, 0)
        self.handle = library.rd_kafka_new(0, config, None, 0)
        self.cluster = library.rd_kafka_mock_cluster_new(self.handle, 1)
        self.servers = library.rd_kafka_mock_cluster_bootstraps(self.cluster).decode()
        self.producer = confluent_kafka.Producer({"bootstrap.servers": self.servers, "log_level": 2})

    def create(self, topic, partitions=1):
        self.library.rd_kafka_mock_topic_create(self.cluster, topic.encode(), partitions, 1)

    def publish(self, topic, messages):
        """Publishes (key, payload) pairs, and waits until they are stored."""
        for key, payload in messages:
            self.producer.produce(topic, key=key, value=payload)
            self.producer.poll(0)
        assert self.producer.flush(20) == 0

    def set_error(self, topic, code):
        self.library.rd_kafka_mock_topic_set_error(self.cluster, topic.encode(), code)

    def down(self):
        self.library.rd_kafka_mock_broker_set_down(self.cluster, 1)

    def up(self):
        self.library.rd_kafka_mock_broker_set_up(self.cluster, 1)


class Proxy:
    """A proxy between a source and a server. While it is cut, it passes and closes nothing."""

    def __init__(self, target, host="127.0.0.1"):
        self.target, self.passes = target, threading.Event()
        self.passes.set()
        self.sockets = []
        self.listener = socket.create_server((host, 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        self.passes.clear()

    def heal(self):
        self.passes.set()

    def stop(self):
        self.passes.set()
        self.listener.close()
        for one in self.sockets:
            one.close()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:  # the server is away
                near.close()
                continue
            self.sockets += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source, sink):
        try:
            while data := source.recv(65_536):
                self.passes.wait()
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


_servers = {}


def shared(kind):
    """A server for all tests of a run that leave it as it is."""
    if kind not in _servers:
        _servers[kind] = kind()
    return _servers[kind]


def certificates():
    """The paths of a CA, and of a certificate for localhost and its key."""
    folder = FOLDER / "tls"
    ca, certificate, key = (str(folder / name) for name in ("ca.pem", "server.pem", "server.key"))
    if not folder.exists():
        folder.mkdir()
        openssl = [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ]
        subprocess.run(
            [*openssl, "-keyout", f"{folder}/ca.key", "-out", ca, "-subj", "/CN=test CA"],
            check=True,
            capture_output=True,
        )
        subprocess.run(
            [
                *openssl,
                "-CA",
                ca,
                "-CAkey",
                f"{folder}/ca.key",
                "-keyout",
                key,
                "-out",
                certificate,
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-addext",
                "basicConstraints=CA:FALSE",
            ],
            check=True,
            capture_output=True,
        )
    return ca, certificate, key


def operator():
    """The lines of a nats-server with an operator, and a credentials file of a user."""
    import nkeys

    def pair(prefix, number):
        seed = nkeys.encode_seed(bytes([number] * 32), prefix)
        found = nkeys.from_seed(bytearray(seed))
        return found, found.public_key.decode(), seed.decode()

    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    def token(signer, issuer, subject, **claims):
        claims = {"iss": issuer, "sub": subject, "name": "test", "iat": 1, "nats": {"version": 2, **claims}}
        head = {"typ": "JWT", "alg": "ed25519-nkey"}
        text = ".".join(part(json.dumps(value).encode()) for value in (head, claims))
        return f"{text}.{part(signer.sign(text.encode()))}"

    names = "subs data payload imports exports conn leaf mem_storage disk_storage streams consumer"
    limits = {**dict.fromkeys(names.split(), -1), "wildcards": True}
    top, top_key, _ = pair(nkeys.PREFIX_BYTE_OPERATOR, 1)
    account, account_key, _ = pair(nkeys.PREFIX_BYTE_ACCOUNT, 2)
    _, system_key, _ = pair(nkeys.PREFIX_BYTE_ACCOUNT, 3)
    _, user_key, seed = pair(nkeys.PREFIX_BYTE_USER, 4)
    no_streams = {**limits, "mem_storage": 0, "disk_storage": 0, "streams": 0, "consumer": 0}
    lines = (
        f"operator: {token(top, top_key, top_key, type='operator')}\nsystem_account: {system_key}\n"
        f"resolver: MEMORY\nresolver_preload: {{\n"
        f"{account_key}: {token(top, top_key, account_key, type='account', limits=limits)}\n"
        f"{system_key}: {token(top, top_key, system_key, type='account', limits=no_streams)}\n}}\n"
    )
    user = token(account, account_key, user_key, type="user", subs=-1, data=-1, payload=-1, pub={}, sub={})
    text = (
        f"-----BEGIN NATS USER JWT-----\n{user}\n------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
    )
    return lines, write("user.creds", text), seed


def write(name, text, mode=0o600):
    """A file with this text; its path."""
    path = FOLDER / name
    path.write_text(text)
    os.chmod(path, mode)
    return str(path)
