"""Processes with the arguments of the Kubernetes manifests, on this machine.

Only what names other machines is replaced: addresses, ports, and folders. Root needs `--allow-root`.
"""

import json
import os
import pathlib
import re
import secrets
import socket
import ssl
import subprocess
import threading
import urllib.error
import urllib.request

from manifests import COMMAND, certificate, find, objects, probes, replaced
from nodes import Client, Process, free_port, until
from websockets.sync.client import connect

# What the kubelet and clients do not check here: the certificate is made for the test.
TLS = ssl.create_default_context()
TLS.check_hostname = False
TLS.verify_mode = ssl.CERT_NONE
ADDRESS = "127.0.0.1"


class Cluster:
    """The Secrets, and the places that are replaced for all pods."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.items = objects()
        self.log = []
        # As secrets.yaml makes it: NATS reads a value that begins with a digit as a number.
        self.password = "p" + secrets.token_hex(24)
        self.token = secrets.token_urlsafe(32)
        for name in ("tokens", "tls"):
            (self.folder / name).mkdir()
        tokens = self.folder / "tokens/tokens"
        tokens.write_text(f"operator {secrets.token_urlsafe(32)}\nviewer {self.token}\n")
        # As Kubernetes mounts a Secret for a group.
        tokens.chmod(0o440)
        certificate(self.folder / "tls")
        self.nats = [Ports() for _ in range(3)]
        self.pods = []
        # Whether there is one NATS server, which has no replicas.
        self.is_alone = False

    def places(self):
        """The names of NATS servers, and where they are here."""
        found = {}
        for number, ports in enumerate(self.nats):
            found[f"rowcast-nats-{number}.rowcast-nats-peers:4222"] = f"{ADDRESS}:{ports.client}"
            found[f"rowcast-nats-{number}.rowcast-nats-peers:6222"] = f"{ADDRESS}:{ports.routes}"
        return found

    def stop(self):
        for pod in self.pods:
            if pod.process is not None:
                pod.process.kill()


class Ports:
    def __init__(self):
        self.client, self.routes, self.monitor = (unused_port() for _ in range(3))


taken = set()


def unused_port():
    """Returns a port that is free now, and that no other process of the test has."""
    while (port := free_port()) in taken:
        pass
    taken.add(port)
    return port


class Pod:
    """The only container of a pod, after those that prepare it."""

    def __init__(self, cluster, kind, name, places, pod_name):
        self.cluster = cluster
        self.workload = find(cluster.items, kind, name)
        self.spec = self.workload["spec"]["template"]["spec"]
        self.container = self.spec["containers"][0]
        self.folder = cluster.folder / pod_name
        self.variables = {
            "POD_IP": ADDRESS, "POD_NAME": pod_name, "NATS_PASSWORD": cluster.password}
        self.places = {**cluster.places(), "0.0.0.0": ADDRESS, **places}
        self.folder.mkdir()
        for container in [*self.spec.get("initContainers", []), self.container]:
            for mount in container["volumeMounts"]:
                self.mount(mount)
        self.configure(find(cluster.items, "ConfigMap", name)["data"])
        for container in self.spec.get("initContainers", []):
            done = subprocess.run(
                [self.local(word) for word in container["command"]], capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"the container {container['name']} fails: {done.stderr}"
        self.process = None
        # The output of all processes, also of those that have ended.
        self.log = []
        cluster.pods.append(self)

    def mount(self, mount):
        path, secret = mount["mountPath"], self.cluster.folder / mount["name"]
        place = secret if secret.is_dir() else self.folder / mount["name"]
        place.mkdir(exist_ok=True)
        # The folders of the process itself keep their names.
        if path != "/tmp":
            self.places[path] = str(place)

    def configure(self, files):
        for name, text in files.items():
            (self.folder / "configuration" / name).write_text(self.local(text))

    def local(self, text):
        """Returns a text of the manifests with the places of this machine."""
        text = replaced(text, self.places)
        return re.sub(r"\$\((\w+)\)", lambda match: self.variables[match[1]], text)

    def words(self):
        return [self.local(word) for word in [*self.container.get("command", []), *self.container["args"]]]

    def environment(self):
        found = {}
        for variable in self.container["env"]:
            value = self.local(variable["value"]) if "value" in variable else self.variables[variable["name"]]
            found[variable["name"]] = value
        return {**os.environ, **found}

    def start(self):
        """Starts the process, and again when it ends, as the kubelet does, until it is alive."""
        if self.process is None:
            self.spawn()

        def is_alive():
            if self.process.process.poll() is not None:
                self.spawn()
            return self.probe("livenessProbe")[0]

        try:
            until(is_alive, 120, f"{self.folder.name} is alive")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{''.join(self.log)[-3000:]}") from None
        return self

    def spawn(self):
        self.process = Process(self.words(), env=self.environment(), log=self.log)

    def probe(self, kind):
        """Asks as the kubelet does. Returns whether it is right, and the answer."""
        probe = probes(self.container)[kind]
        port = self.port(probe.get("httpGet", probe.get("tcpSocket"))["port"])
        if "tcpSocket" in probe:
            try:
                socket.create_connection((ADDRESS, port), 5).close()
            except OSError as error:
                return False, str(error)
            return True, ""
        question = probe["httpGet"]
        url = f"{question.get('scheme', 'HTTP').lower()}://{ADDRESS}:{port}{question['path']}"
        try:
            with urllib.request.urlopen(url, timeout=5, context=TLS if url.startswith("https") else None) as answer:
                return 200 <= answer.status < 400, answer.read().decode()
        except urllib.error.HTTPError as error:
            return False, f"{error.code} {error.read().decode()}"
        except OSError as error:
            return False, str(error)

    def is_ready(self):
        return self.probe("readinessProbe")[0]


class NatsPod(Pod):
    """A NATS server; one that is alone has no `cluster`, because it would wait for others."""

    def __init__(self, cluster, number, is_alone):
        self.is_alone = is_alone
        ports = cluster.nats[number]
        self.ports = {"nats": ports.client, "routes": ports.routes, "monitor": ports.monitor}
        places = {f"0.0.0.0:{port}": f"{ADDRESS}:{mine}" for port, mine in
                  ((4222, ports.client), (6222, ports.routes), (8222, ports.monitor))}
        super().__init__(cluster, "StatefulSet", "rowcast-nats", places, f"rowcast-nats-{number}")

    def port(self, name):
        return self.ports[name]

    def configure(self, files):
        if self.is_alone:
            files = {name: re.sub(r"^cluster \{.*?^\}\n", "", text, flags=re.M | re.S) for name, text in files.items()}
        super().configure(files)

    def has_leader(self):
        """Whether the servers have agreed on one that decides for JetStream."""
        return bool(self.figures("jsz").get("meta_cluster", {}).get("leader"))

    def figures(self, path):
        """Returns a page of the monitor; an empty one if the server does not answer."""
        try:
            with urllib.request.urlopen(f"http://{ADDRESS}:{self.ports['monitor']}/{path}", timeout=5) as answer:
                return json.load(answer)
        except OSError:
            return {}


class Node(Pod):
    """A publisher or a relay; `source` replaces the sources of a publisher."""

    def __init__(self, cluster, role, name, source=None):
        self.https = unused_port()
        self.source = source
        super().__init__(
            cluster, "Deployment", f"rowcast-{role}",
            {"port: 7777": f"port: {self.https}", ":7777": f":{self.https}"}, name)

    def configure(self, files):
        if self.cluster.is_alone:
            files = {name: text.replace("nats-replicas: 3", "nats-replicas: 1") for name, text in files.items()}
        if self.source is not None:
            text = files["rowcast.yaml"]
            text = text[:text.index("sources:")] + f"sources:\n  - child: {json.dumps(self.source)}\n"
            files = {"rowcast.yaml": text}
        super().configure(files)

    def words(self):
        words = super().words()
        return [*COMMAND, *words, *(["--allow-root"] if os.geteuid() == 0 else [])]

    def port(self, _):
        return self.https

    def metrics(self, name):
        request = urllib.request.Request(
            f"https://{ADDRESS}:{self.https}/metrics", headers={"Authorization": f"Bearer {self.cluster.token}"})
        with urllib.request.urlopen(request, timeout=5, context=TLS) as answer:
            found = re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", answer.read().decode(), re.M)
        return sum(float(value) for value in found)

    def end(self):
        """Ends the process as the kubelet does after the pause."""
        self.process.process.terminate()
        grace = self.spec["terminationGracePeriodSeconds"]
        return self.process.process.wait(max(60, grace))


class Customer(Client):
    """A client that connects to the pod that a load balancer chooses."""

    def __init__(self, choose, token):
        self.choose, self.token = choose, token
        self.ends, self.values, self.reverts, self.pods = [], {}, [], []
        super().__init__(None)

    def serve(self):
        pod = self.choose()
        if pod is None:
            return
        protocols = ["rowcast.v1", f"rowcast.token.{self.token}"]
        with connect(
                f"wss://{ADDRESS}:{pod.https}/ws", subprotocols=protocols, proxy=None, open_timeout=30, max_size=None,
                ssl=TLS) as peer:
            self.send(peer, {"type": "hello", "version": 1, "client": "deploy"})
            viewport = {"first": 0, "count": 1000, "ahead": 0, "behind": 0, "stick": "top"}
            self.send(peer, {"type": "open", "table": "jobs", "request": 1, "query": {}, "viewport": viewport})
            self.socket = peer
            self.pods.append(pod)
            for text in peer:
                self.take(peer, json.loads(text))
            self.ends.append(peer.protocol.close_code)

    def take(self, peer, message):
        super().take(peer, message)
        if message["type"] not in ("window", "patch"):
            return
        rows = {row[2][0]: int(row[2][1].split()[-1]) for row in self.replica.rows}
        for key, value in self.values.items():
            # Values only grow, and no row is deleted.
            if rows.get(key, -1) < value:
                self.reverts.append((key, value, rows.get(key)))
        self.values = rows
