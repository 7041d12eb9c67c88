"""Three NATS servers, two publishers, four relays and many clients, with seeded faults."""

import json
import pathlib
import random
import subprocess
import sys
import threading
import time

from nodes import GO_ON, PAUSE, ROOT, Client, Node, Truth, until
from servers import COUNT, Servers
from wires import Wires

LIBRARY = next(iter(sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
BEAT = 0.25
# Long enough for an election of NATS, which takes up to 10 s, on a busy machine.
PATIENCE = 180
HOUR = 3_600


class BeatingTruth(Truth):
    """Rows that change all the time; the row 0 has the time of its last change."""

    def __init__(self, folder, chance):
        super().__init__(folder, chance)
        self.lock = threading.RLock()
        self.is_beating = False
        self.is_ending = False
        self.beat()
        threading.Thread(target=self._run, daemon=True).start()

    def beat(self):
        """Writes the time into the row 0, and returns it."""
        with self.lock:
            now = time.monotonic()
            self.rows[0] = f"beat {now:.3f}"
            with open(self.lines, "a") as file:
                row = {"number": 0, "text": self.rows[0]}
                file.write(json.dumps({"type": "upsert", "key": 0, "row": row}) + "\n")
            return float(self.rows[0][5:])

    def change(self, count):
        with self.lock:
            super().change(count)
            if 0 not in self.rows:
                self.beat()

    def _run(self):
        while not self.is_ending:
            threading.Event().wait(BEAT)
            if not self.is_beating:
                continue
            self.beat()
            self.change(3)

    def table(self):
        """Returns all rows in the order of their keys."""
        with self.lock:
            return [[key, self.rows[key]] for key in sorted(self.rows)]


class NamedNode(Node):
    """A node with a clock of its own that reaches the NATS servers through its own wires."""

    def __init__(self, name, folder, *options, port=0):
        self.name = name
        self.date = pathlib.Path(folder) / f"{name}.date"
        self.set_clock(0)
        prefix = []
        if LIBRARY is not None and name in Three.SHIFTED:
            # libfaketime adds a variable to the environment of the first process, which Swift's
            # runtime does not expect; the second `env` hides it.
            prefix = [
                "env", f"LD_PRELOAD={LIBRARY}", f"FAKETIME_TIMESTAMP_FILE={self.date}", "FAKETIME_CACHE_DURATION=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_FORCE_MONOTONIC_FIX=0", "NO_FAKE_STAT=1", "env"]
        super().__init__(*options, port=port, prefix=prefix)

    def set_clock(self, seconds):
        self.date.write_text(f"{seconds:+d}")


class Three:
    """The cluster, and the faults that it must survive."""

    # The nodes whose clocks jump.
    SHIFTED = ("publisher-0", "relay-3")

    def __init__(self, folder, chance, clients, relays=4):
        self.chance = chance
        self.folder = pathlib.Path(folder)
        self.truth = BeatingTruth(self.folder, random.Random(chance.random()))
        self.truth.change(100)
        self.wires = Wires().__enter__()
        self.servers = Servers(self.folder, self.wires)
        self.nodes = {}
        self.urls = {}
        self.relays = [f"relay-{number}" for number in range(relays)]
        self.controls = []
        self.paused = set()
        self.acted = []
        self.number = 0
        self.late = []
        self.crowd = None
        self.clients = clients

    def start(self):
        # A node waits for their leader for a minute only.
        self.servers.settle()
        for name in (*self.publishers(), *self.relays):
            self.urls[name] = self.servers.url(name)
            self.begin(name)
        until(lambda: all(self.nodes[name].is_ready() for name in self.relays), PATIENCE, "the relays are ready")
        ports = ",".join(str(self.nodes[name].port) for name in self.relays)
        words = [ports, str(self.clients), str(self.chance.randrange(1 << 30))]
        self.crowd = subprocess.Popen(
            [sys.executable, str(ROOT / "Tests/Cluster/crowd.py"), *words], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.controls = [Client(self.nodes[name]) for name in self.relays]

    def begin(self, name, port=0):
        """Starts a node, and waits until a publisher has read its source."""
        options = ["--nats-replicas", "3"]
        if name.startswith("publisher"):
            options += [
                "--publish", self.urls[name], "--publish-snapshots", "5", "--publish-retention", "2", "--child",
                self.truth.source]
        else:
            options += ["--from", self.urls[name]]
        node = self.nodes[name] = NamedNode(name, self.folder, *options, port=port)
        if name.startswith("publisher"):
            # It may take over while its source still delivers former rows.
            client = Client(node)
            until(lambda: client.rows().get(0) == self.truth.rows[0], PATIENCE, "the publisher has read its source")
            client.isEnding = True
            client.socket.close()
        return node

    def ask(self, **command):
        self.crowd.stdin.write(json.dumps(command) + "\n")
        self.crowd.stdin.flush()
        line = self.crowd.stdout.readline()
        assert line, "the process of the clients has ended"
        return json.loads(line)

    def watch(self):
        """Names the processes that must be scheduled, so that the clients are judged."""
        processes = [*self.nodes.values(), *self.servers.all, self.wires]
        self.ask(watch=[process.process.pid for process in processes])

    def set_beating(self, is_beating):
        if is_beating:
            self.watch()
            self.ask(beating=True)
            self.truth.is_beating = True
        else:
            self.truth.is_beating = False
            self.ask(beating=False, last=self.truth.beat())

    def agree(self, what):
        """Waits until every client has the rows of the source, and returns the seconds."""
        self.set_beating(False)
        self.truth.change(5)
        rows = self.truth.table()
        found = {}

        def is_equal():
            found.update(self.ask(rows=rows))
            self.late += found["late"]
            assert not found["faults"], f"clients fail: {found['faults']}"
            whole = dict(map(tuple, rows))
            for client in self.controls:
                assert client.fault is None, f"a client fails: {client.fault}"
            return found["equal"] == found["of"] and all(client.rows() == whole for client in self.controls)

        try:
            seconds = until(is_equal, PATIENCE, f"the clients have the rows after {what}")
        except AssertionError as error:
            raise AssertionError(f"{error}; {found.get('equal')} of {found.get('of')}: {found.get('wrong')}") from None
        self.looks, self.worthless, self.moves = found["looks"], found["worthless"], found["moves"]
        assert not self.late, f"clients have shown old rows as live after {what}: {self.late[:5]}"
        return seconds

    def act(self):
        """Runs an action through any relay that is not paused; its answer is judged at the end."""
        client = self.chance.choice(self.controls)
        if client.node.name in self.paused or client.socket is None:
            return
        self.number += 1
        word = f"word{self.number}"
        try:
            client.act(self.number, word)
        except Exception:  # noqa: BLE001  the client is not connected
            return
        self.acted.append((client, self.number, word))

    def judge_actions(self):
        words = self.truth.words()
        done = 0
        for client, number, word in self.acted:
            count = words.count(word)
            assert count <= 1, f"the action {word} has run {count} times"
            if client.acted.get(number) == f"marked {word}":
                done += 1
                assert count == 1, f"the action {word} was answered and has not run"
        return done

    # Parts of faults

    def pause(self, process, name=None):
        if name is not None and name.startswith("relay"):
            self.paused.add(name)
            self.tell_paused()
        process.signal(PAUSE)

    def go_on(self, process, name=None):
        process.signal(GO_ON)
        if name in self.paused:
            self.paused.discard(name)
            self.tell_paused()

    def tell_paused(self):
        self.ask(paused=[self.nodes[name].port for name in self.paused])

    def owner(self):
        found = []

        def is_one():
            found[:] = [name for name in self.publishers() if self.nodes[name].holds_lease()]
            return len(found) == 1

        until(is_one, PATIENCE, "one publisher has the lease")
        return found[0]

    @staticmethod
    def publishers():
        return ["publisher-0", "publisher-1"]

    def hold(self, most=6):
        """Waits for a random time, in which an action is requested."""
        seconds = self.chance.uniform(0.2, most)
        threading.Event().wait(seconds / 2)
        self.act()
        threading.Event().wait(seconds / 2)

    def restart(self, name):
        port = self.nodes[name].port
        node = self.begin(name, port)
        self.watch()
        for client in self.controls:
            if client.node.name == name:
                client.node = node
        return node

    # Faults

    def kill_owner(self):
        name = self.owner()
        self.nodes[name].kill()
        self.hold()
        self.restart(name)

    def kill_standby(self):
        owner = self.owner()
        name = next(one for one in self.publishers() if one != owner)
        self.nodes[name].kill()
        self.hold()
        self.restart(name)

    def kill_relay(self):
        name = self.chance.choice(self.relays)
        self.nodes[name].kill()
        self.hold()
        node = self.restart(name)
        until(node.is_ready, PATIENCE, "the new relay is ready")

    def kill_server(self):
        server = self.chance.choice(self.servers.all)
        server.kill()
        self.hold()
        server.begin()
        self.servers.settle()

    def kill_leader(self):
        number = self.servers.leader("ROWCAST_jobs")
        server = self.servers.all[number if number is not None else 0]
        server.kill()
        self.hold(12)
        server.begin()
        self.servers.settle()

    def kill_all_servers(self):
        for server in self.servers.all:
            server.kill()
        self.hold()
        for server in self.servers.all:
            server.begin()
        self.servers.settle()

    def pause_owner(self):
        name = self.owner()
        self.pause(self.nodes[name], name)
        self.hold()
        self.go_on(self.nodes[name], name)

    def pause_relay(self):
        name = self.chance.choice(self.relays)
        self.pause(self.nodes[name], name)
        self.hold()
        self.go_on(self.nodes[name], name)

    def pause_server(self):
        server = self.chance.choice(self.servers.all)
        server.signal(PAUSE)
        self.hold(12)
        server.signal(GO_ON)
        self.servers.settle()

    def cut_route(self):
        one, other = self.chance.sample(range(COUNT), 2)
        self.servers.cut(one, other)
        self.hold(12)
        self.servers.heal(one, other)
        self.servers.settle()

    def isolate_server(self):
        """Cuts a server from the others, while nodes still reach it."""
        one = self.chance.randrange(COUNT)
        others = [other for other in range(COUNT) if other != one]
        for other in others:
            self.servers.cut(one, other)
        self.hold(15)
        for other in others:
            self.servers.heal(one, other)
        self.servers.settle()

    def cut_node(self):
        """Cuts a node from some servers, or from all."""
        name = self.chance.choice(list(self.nodes))
        count = self.chance.randint(1, COUNT)
        wires = [f"{name} nats-{number}" for number in self.chance.sample(range(COUNT), count)]
        for wire in wires:
            self.wires.cut(wire)
        self.hold(8)
        for wire in wires:
            self.wires.heal(wire)

    def reset_node(self):
        name = self.chance.choice(list(self.nodes))
        for number in range(COUNT):
            self.wires.reset(f"{name} nats-{number}")
        self.hold(1)

    def slow_relay(self):
        """Makes the way to a relay slow, or gives it a fifth of the time."""
        name = self.chance.choice(self.relays)
        if self.chance.random() < 0.5:
            for number in range(COUNT):
                self.wires.slow(f"{name} nats-{number}", 2_000)
            self.hold(8)
            for number in range(COUNT):
                self.wires.heal(f"{name} nats-{number}")
            return
        end = time.monotonic() + self.chance.uniform(1, 6)
        while time.monotonic() < end:
            self.nodes[name].signal(PAUSE)
            threading.Event().wait(0.2)
            self.nodes[name].signal(GO_ON)
            threading.Event().wait(0.05)
        self.act()

    def fill_disk(self):
        """Fills the disk of a server, which is started again once there is space."""
        server = self.chance.choice(self.servers.all)
        server.fill()
        self.hold(10)
        server.kill()
        server.free()
        server.begin()
        self.servers.settle()

    def jump_clock(self):
        name = self.chance.choice(self.SHIFTED)
        if LIBRARY is None or name not in self.nodes:
            return
        self.nodes[name].set_clock(self.chance.choice([HOUR, -HOUR, 10 * 365 * 24 * HOUR]))
        self.hold(8)
        self.nodes[name].set_clock(0)

    # The whole

    def run(self, kinds):
        self.set_beating(True)
        self.agree("the start")
        for number, kind in enumerate(kinds):
            self.set_beating(True)
            began = time.monotonic()
            getattr(self, kind)()
            seconds = self.agree(kind)
            whole = time.monotonic() - began
            print(f"  {number + 1}: {kind}: equal {seconds:.1f} s after it, {whole:.1f} s in all", flush=True)
        self.set_beating(True)
        # The last actions have a deadline of 5 s.
        threading.Event().wait(1)
        self.agree("the end")
        done = self.judge_actions()
        share = self.worthless / max(1, self.looks + self.worthless)
        print(
            f"{len(kinds)} faults; {len(self.acted)} actions, {done} answered as done; {self.moves} lost connections; "
            f"{self.looks} looks for old rows shown as live, {share:.0%} of all do not count; "
            f"{self.servers.restarts} NATS servers had to be restarted", flush=True)

    def logs(self):
        for name, node in self.nodes.items():
            print(f"--- {name} at port {node.port}\n" + "".join(node.log)[-4_000:])
        print(f"--- the test ends at {time.monotonic():.1f}, {time.strftime('%H:%M:%S', time.gmtime())}")

    def end(self):
        self.truth.is_ending = True
        for client in self.controls:
            client.isEnding = True
        if self.crowd is not None:
            self.crowd.kill()
        for node in self.nodes.values():
            node.signal(GO_ON)
            node.kill()
        self.servers.discard()
        self.wires.__exit__()


KINDS = [
    "kill_owner", "kill_standby", "kill_relay", "kill_server", "kill_leader", "pause_owner", "pause_relay",
    "pause_server", "cut_route", "isolate_server", "cut_node", "reset_node", "slow_relay", "fill_disk", "jump_clock"]
# Only with --only: NATS 2.9.10 may lose streams then, see docs/limitations.md.
RARE = ["kill_all_servers"]
# For `make test`: those that take little time, and one of each thing that may fail.
SMALL = ["kill_leader", "pause_owner", "cut_node", "kill_relay"]
