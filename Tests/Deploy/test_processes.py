"""The processes of the Kubernetes manifests: readiness, draining, and the loss of a publisher."""

import json
import pathlib
import random
import re
import socket
import tempfile
import threading
import unittest

from manifests import ROOT
from nodes import Truth, until
from pods import ADDRESS, Cluster, Customer, NatsPod, Node

PATIENCE = 120


class Deployment(unittest.TestCase):
    """One NATS server; each test starts its publishers and relays."""

    servers = 1

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="rowcast-deploy-")
        self.addCleanup(self.folder.cleanup)
        folder = pathlib.Path(self.folder.name)
        self.truth = Growing(folder)
        self.truth.grow(200)
        self.cluster = Cluster(folder)
        self.addCleanup(self.cluster.stop)
        self.cluster.is_alone = self.servers == 1
        self.nats = [NatsPod(self.cluster, number, self.servers == 1) for number in range(self.servers)]
        for pod in self.nats:
            pod.spawn()
        for pod in self.nats:
            pod.start()
        until(lambda: all(pod.is_ready() for pod in self.nats), PATIENCE, "NATS is ready")

    def publisher(self, number):
        return Node(self.cluster, "publisher", f"publisher-{number}", source=self.truth.source).start()

    def relay(self, number):
        return Node(self.cluster, "relay", f"relay-{number}").start()

    def owned(self, pods):
        return sum(pod.metrics("rowcast_cluster_lease") for pod in pods)

    def await_rows(self, pod):
        until(lambda: pod.metrics("rowcast_source_rows") == len(self.truth.rows), PATIENCE, "the rows are there")


class NatsTests(Deployment):
    servers = 3

    def test_three_nats_servers_agree_on_a_leader(self):
        until(lambda: all(pod.has_leader() for pod in self.nats), PATIENCE, "the servers have a leader")


class TakeoverTests(Deployment):
    servers = 3

    def test_rows_survive_a_publisher_and_a_nats_server(self):
        publishers = [self.publisher(1), self.publisher(2)]
        for pod in publishers:
            self.await_rows(pod)
        relay = self.relay(1)
        until(relay.is_ready, PATIENCE, "the relay is ready")
        until(lambda: self.owned(publishers) == 1, PATIENCE, "one publisher owns the table")
        customer = Customer(lambda: relay, self.cluster.token)
        self.addCleanup(setattr, customer, "isEnding", True)
        # kill -9, without a goodbye.
        owner = next(pod for pod in publishers if pod.metrics("rowcast_cluster_lease") == 1)
        other = next(pod for pod in publishers if pod is not owner)
        owner.process.kill()
        self.truth.grow(100)
        until(lambda: customer.rows() == self.truth.rows, PATIENCE, "the rows come from the other publisher")
        self.assertEqual(other.metrics("rowcast_cluster_lease"), 1)
        for pod in self.nats:
            pod.process.kill()
            self.truth.grow(100)
            until(lambda: customer.rows() == self.truth.rows, PATIENCE, "the rows come without a NATS server")
            pod.spawn()
            until(pod.is_ready, PATIENCE, "the NATS server is ready again")
            until(lambda: self.has_replicas(), PATIENCE, "the server has what it has missed")
        self.assertIsNone(customer.fault)
        self.assertEqual(customer.reverts, [])

    def has_replicas(self):
        """Whether each stream has a leader with two replicas that are current."""
        found = {}
        for pod in self.nats:
            for account in pod.figures("jsz?streams=true").get("account_details", []):
                for stream in account.get("stream_detail", []):
                    replicas = stream.get("cluster", {}).get("replicas", [])
                    if len(replicas) == 2 and all(replica["current"] for replica in replicas):
                        found[stream["name"]] = True
        return {"ROWCAST_jobs", "ROWCAST-SNAPSHOTS", "KV_ROWCAST_LEASES", "KV_ROWCAST_TABLES"} <= set(found)


class ReadinessTests(Deployment):
    def test_relay_is_ready_once_a_snapshot_is_whole(self):
        relay = self.relay(1)
        until(lambda: "no table is published" in relay.probe("readinessProbe")[1], PATIENCE, "the list is known")
        self.assertFalse(relay.is_ready())
        publisher = self.publisher(1)
        self.await_rows(publisher)
        until(lambda: publisher.metrics("rowcast_cluster_snapshots_total") >= 1, PATIENCE, "a snapshot is written")
        until(relay.is_ready, PATIENCE, "the relay is ready")
        self.await_rows(relay)
        self.assertEqual(publisher.end(), 0)
        self.assertEqual(relay.end(), 0)
        # The entry of the snapshot remains, and its chunks are gone.
        purge(self.cluster, "ROWCAST-SNAPSHOTS")
        relay = self.relay(2)
        until(lambda: "not whole yet: 1 of 1" in relay.probe("readinessProbe")[1], PATIENCE, "the table is known")
        answers = [relay.probe("readinessProbe") for _ in range(50)]
        self.assertFalse(any(is_right for is_right, _ in answers))
        self.assertTrue(relay.probe("livenessProbe")[0])
        publisher = self.publisher(2)
        until(relay.is_ready, PATIENCE, "the relay is ready after another snapshot")
        self.await_rows(relay)


class DrainingTests(Deployment):
    def test_client_moves_to_another_relay_without_loss(self):
        publishers = [self.publisher(1), self.publisher(2)]
        for pod in publishers:
            self.await_rows(pod)
        until(lambda: self.owned(publishers) == 1, PATIENCE, "one publisher owns the table")
        self.assertTrue(all(pod.is_ready() for pod in publishers))
        relays = [self.relay(1), self.relay(2)]
        for pod in relays:
            until(pod.is_ready, PATIENCE, "the relay is ready")
        endpoints = list(relays)
        customer = Customer(lambda: next((pod for pod in endpoints if pod.is_ready()), None), self.cluster.token)
        self.addCleanup(setattr, customer, "isEnding", True)
        self.truth.follow(customer)
        source = threading.Thread(target=self.truth.keep_growing)
        source.start()
        self.addCleanup(source.join)
        self.addCleanup(self.truth.isDone.set)
        until(lambda: self.truth.seen() > 300, PATIENCE, "changes arrive")
        # The pod is deleted: it leaves the endpoints during the pause, and then gets SIGTERM.
        endpoints.remove(relays[0])
        before = self.truth.seen()
        until(lambda: self.truth.seen() > before + 20, PATIENCE, "the relay serves its clients in the pause")
        self.assertEqual(relays[0].end(), 0)
        until(lambda: len(customer.pods) == 2, PATIENCE, "the client has another relay")
        moved = self.truth.last
        until(lambda: self.truth.seen() > moved, PATIENCE, "changes arrive from the other relay")
        # The publisher that owns the table ends, and the other one goes on.
        owner = next(pod for pod in publishers if pod.metrics("rowcast_cluster_lease") == 1)
        other = next(pod for pod in publishers if pod is not owner)
        self.assertEqual(owner.end(), 0)
        until(lambda: other.metrics("rowcast_cluster_lease") == 1, PATIENCE, "the other publisher owns the table")
        taken = self.truth.last
        until(lambda: self.truth.seen() > taken, PATIENCE, "changes arrive from the other publisher")
        self.truth.isDone.set()
        source.join()
        until(lambda: customer.rows() == self.truth.rows, PATIENCE, "the client has every row")
        self.assertIsNone(customer.fault)
        self.assertEqual([pod.folder.name for pod in customer.pods], ["relay-1", "relay-2"])
        self.assertEqual(customer.ends, [1001])
        self.assertEqual(customer.reverts, [])


class Growing(Truth):
    """Rows whose values only grow, in the file that the sources of both publishers read."""

    def __init__(self, folder):
        super().__init__(folder, random.Random(1))
        self.isDone = threading.Event()
        self.customer = None

    def grow(self, count):
        lines = []
        for _ in range(count):
            self.last += 1
            key = self.last % 200
            self.rows[key] = f"value {self.last}"
            lines.append({"type": "upsert", "key": key, "row": {"number": key, "text": self.rows[key]}})
        with open(self.lines, "a") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines))

    def keep_growing(self):
        while not self.isDone.wait(0.02):
            self.grow(1)

    def follow(self, customer):
        self.customer = customer

    def seen(self):
        """The greatest value that the client has."""
        return max(self.customer.values.values(), default=0)


def purge(cluster, stream):
    """Deletes all messages of a stream, by the protocol of NATS."""
    with socket.create_connection((ADDRESS, cluster.nats[0].client), 30) as peer:
        peer.settimeout(60)
        file = peer.makefile("rwb")
        options = {"user": "rowcast", "pass": cluster.password, "verbose": False, "pedantic": False}
        file.write(f"CONNECT {json.dumps(options)}\r\nSUB reply 1\r\n".encode())
        file.write(f"PUB $JS.API.STREAM.PURGE.{stream} reply 0\r\n\r\nPING\r\n".encode())
        file.flush()
        for line in file:
            if line.startswith(b"PING"):
                file.write(b"PONG\r\n")
                file.flush()
            if re.match(rb"-ERR", line):
                raise AssertionError(line.decode())
            if line.startswith(b"MSG reply"):
                answer = json.loads(file.readline())
                assert answer.get("success"), answer
                return
    raise AssertionError("NATS does not answer")


if __name__ == "__main__":
    assert ROOT
    unittest.main()
