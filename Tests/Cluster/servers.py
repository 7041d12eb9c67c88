"""Three clustered NATS servers with JetStream, whose connections go through wires."""

import json
import os
import pathlib
import signal
import subprocess
import urllib.error
import urllib.request

from nodes import Process, free_port, until

COUNT = 3
# The space of the disk of one server, in megabytes.
DISK = 192


class Server(Process):
    """One server, with a file system of its own if this user may mount one."""

    def __init__(self, folder, number, routes):
        self.number = number
        self.folder = folder / f"nats-{number}"
        self.store = self.folder / "store"
        self.store.mkdir(parents=True)
        self.client, self.route, self.monitor = free_port(), free_port(), free_port()
        self.is_mounted = os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK}m", f"rowcast-test-{number}", str(self.store)],
            capture_output=True, check=False).returncode == 0
        self.routes = routes

    def begin(self):
        """Starts the process, also again."""
        urls = ", ".join(f'"nats://127.0.0.1:{port}"' for port in self.routes)
        configuration = self.folder / "nats.conf"
        # No server may learn an address that is not a wire.
        configuration.write_text(f"""
            server_name: nats-{self.number}
            listen: "127.0.0.1:{self.client}"
            http: "127.0.0.1:{self.monitor}"
            jetstream {{ store_dir: "{self.store}", max_file_store: 1GB, max_memory_store: 64MB }}
            cluster {{
              name: rowcast, listen: "127.0.0.1:{self.route}", advertise: "127.0.0.1:1", no_advertise: true
              routes: [{urls}]
            }}
            """)
        super().__init__(["nats-server", "-c", str(configuration)], log=getattr(self, "log", None))

    def fill(self):
        """Leaves no space on the disk of the server."""
        if self.is_mounted:
            with open(self.store / "ballast", "wb", buffering=0) as file:
                try:
                    while file.write(bytes(1 << 16)):
                        pass
                except OSError:
                    return
        # Without a right to mount: no file may grow.
        else:
            subprocess.run(["prlimit", f"--pid={self.process.pid}", "--fsize=1:"], check=True)

    def free(self):
        """Gives the space back."""
        (self.store / "ballast").unlink(missing_ok=True)
        if not self.is_mounted and self.process.poll() is None:
            subprocess.run(["prlimit", f"--pid={self.process.pid}", "--fsize=unlimited:"], check=True)

    def figures(self, path):
        """Returns a page of the monitor; an empty one if the server does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor}/{path}", timeout=2) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            # The reason why a server is not healthy.
            return json.loads(error.read() or b"{}")
        except (OSError, ValueError):
            return {}

    def is_healthy(self):
        """Whether the server has a leader and all it should have."""
        return self.figures("healthz").get("status") == "ok"

    def discard(self):
        self.kill()
        if self.is_mounted:
            subprocess.run(["umount", "-l", str(self.store)], check=False)
            self.is_mounted = False


class Servers:
    """The cluster. `wires` carry the routes between servers."""

    def __init__(self, folder, wires):
        self.all = [Server(pathlib.Path(folder), number, []) for number in range(COUNT)]
        self.wires = wires
        # Servers that did not become healthy by themselves.
        self.restarts = 0
        for one in self.all:
            for other in self.all:
                if one is not other:
                    one.routes.append(wires.add(self.route(one.number, other.number), other.route))
        for one in self.all:
            one.begin()

    @staticmethod
    def route(one, other):
        return f"nats-{one} nats-{other}"

    def url(self, node=None):
        """Returns the URL of all servers; with a name of a node, through wires of its own."""
        ports = [
            one.client if node is None else self.wires.add(f"{node} nats-{one.number}", one.client)
            for one in self.all]
        return "nats://" + ",".join(f"127.0.0.1:{port}" for port in ports)

    def cut(self, one, other):
        for name in (self.route(one, other), self.route(other, one)):
            self.wires.cut(name)

    def heal(self, one, other):
        for name in (self.route(one, other), self.route(other, one)):
            self.wires.heal(name)

    def settle(self):
        """Waits until all servers have a leader and their streams.

        A server of NATS 2.9 may report for good that a stream or consumer is not current. It is restarted
        then, as docs/cluster.md says, and the restart is counted.
        """
        try:
            until(self.are_healthy, 60, "the NATS servers are healthy")
        except AssertionError:
            for one in self.all:
                reason = one.figures("healthz").get("error", "")
                if "is not current" in reason:
                    print(f"  nats-{one.number} is restarted: {reason}", flush=True)
                    self.restarts += 1
                    one.stop()
                    one.begin()
        try:
            until(self.are_healthy, 120, "the NATS servers are healthy")
        except AssertionError as error:
            raise AssertionError(f"{error}: {[one.figures('healthz') for one in self.all]}") from None

    def are_healthy(self):
        return all(one.is_healthy() for one in self.all)

    def leader(self, stream):
        """Returns the number of the server that leads a stream; None without one."""
        for one in self.all:
            for account in one.figures("jsz?streams=true").get("account_details", []):
                for detail in account.get("stream_detail", []):
                    name = detail.get("cluster", {}).get("leader", "")
                    if detail["name"] == stream and name.startswith("nats-"):
                        return int(name[5:])
        return None

    def discard(self):
        for one in self.all:
            one.process.send_signal(signal.SIGCONT)
            one.discard()
