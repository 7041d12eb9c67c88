"""The manifests by themselves: names, references, rights, options and settings."""

import re
import shutil
import subprocess
import tempfile
import unittest

from manifests import (
    COMMAND, COMPOSE, KUBERNETES, PACKAGING, ROOT, certificate, check_configuration, compose, containers, find,
    objects, options, probes, read, workloads)  # fmt: skip

# The time in which the server ends (docs/operating.md), in seconds.
ENDING = 3


class KubernetesTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.items = objects()
        cls.workloads = workloads(cls.items)

    def pods(self):
        return [(item["metadata"]["name"], item["spec"]["template"]) for item in self.workloads]

    def selected(self, selector):
        return [name for name, pod in self.pods() if selector.items() <= pod["metadata"]["labels"].items()]

    def test_every_file_is_a_resource_of_the_kustomization(self):
        names = read((KUBERNETES / "kustomization.yaml").read_text())[0]["resources"]
        files = {path.name for path in KUBERNETES.iterdir()} - {"kustomization.yaml"}
        self.assertEqual(files, set(names))
        for item in self.items:
            self.assertTrue(item["apiVersion"] and item["kind"] and item["metadata"]["name"])

    def test_names_are_unique_in_each_kind(self):
        names = [(item["kind"], item["metadata"]["name"]) for item in self.items]
        self.assertEqual(len(names), len(set(names)))

    def test_two_publishers_two_relays_and_three_nats_servers(self):
        counts = {item["metadata"]["name"]: item["spec"]["replicas"] for item in self.workloads}
        self.assertEqual(counts, {"rowcast-publisher": 2, "rowcast-relay": 2, "rowcast-nats": 3})

    def test_variables_come_from_objects_that_exist(self):
        for item in self.workloads:
            for container in containers(item):
                names = set()
                for variable in container.get("env", []):
                    names.add(variable["name"])
                    source = variable.get("valueFrom", {})
                    if key := source.get("secretKeyRef"):
                        self.assertIn(key["key"], find(self.items, "Secret", key["name"])["stringData"])
                    elif "value" not in variable:
                        self.assertIn(source["fieldRef"]["fieldPath"], ("status.podIP", "metadata.name"))
                used = re.findall(r"\$\((\w+)\)", " ".join(container.get("args", [])))
                self.assertLessEqual(set(used), names)

    def test_volumes_come_from_objects_that_exist(self):
        for item in self.workloads:
            pod = item["spec"]["template"]["spec"]
            names = {claim["metadata"]["name"] for claim in item["spec"].get("volumeClaimTemplates", [])}
            for volume in pod["volumes"]:
                names.add(volume["name"])
                if "configMap" in volume:
                    find(self.items, "ConfigMap", volume["configMap"]["name"])
                if "secret" in volume:
                    find(self.items, "Secret", volume["secret"]["secretName"])
            mounted = {mount["name"] for container in containers(item) for mount in container["volumeMounts"]}
            self.assertEqual(mounted, names)

    def test_files_of_the_configuration_are_in_mounted_folders(self):
        for item in self.workloads:
            container = item["spec"]["template"]["spec"]["containers"][0]
            mounts = [mount["mountPath"] for mount in container["volumeMounts"]]
            text = str(find(self.items, "ConfigMap", item["metadata"]["name"])["data"]) + str(container["args"])
            paths = re.findall(r"(?<![\w/:.])/(?:run|etc|data|var)[\w/.]*", text)
            self.assertTrue(paths)
            for path in paths:
                self.assertTrue(any(path.startswith(mount) for mount in mounts), path)

    def test_selectors_find_pods(self):
        for item in self.items:
            name, spec = item["metadata"]["name"], item.get("spec", {})
            if item["kind"] == "Service":
                self.assertEqual(len(self.selected(spec["selector"])), 1, name)
            elif item["kind"] == "PodDisruptionBudget":
                self.assertEqual(self.selected(spec["selector"]["matchLabels"]), [name])
            elif item["kind"] == "NetworkPolicy":
                self.assertTrue(self.selected(spec["podSelector"].get("matchLabels", {})), name)
                for rule in spec.get("ingress", []) + spec.get("egress", []):
                    for peer in rule.get("from", []) + rule.get("to", []):
                        labels = peer.get("podSelector", {}).get("matchLabels", {})
                        self.assertTrue(self.selected(labels), name)
            elif item["kind"] == "HorizontalPodAutoscaler":
                find(self.items, spec["scaleTargetRef"]["kind"], spec["scaleTargetRef"]["name"])
        for item in self.workloads:
            labels = item["spec"]["template"]["metadata"]["labels"]
            self.assertLessEqual(item["spec"]["selector"]["matchLabels"].items(), labels.items())

    def test_every_workload_has_a_disruption_budget(self):
        for item in self.workloads:
            find(self.items, "PodDisruptionBudget", item["metadata"]["name"])

    def test_named_ports_exist(self):
        ports = {}
        for name, pod in self.pods():
            ports[name] = {port["name"] for container in pod["spec"]["containers"] for port in container["ports"]}
            for container in pod["spec"]["containers"]:
                for probe in probes(container).values():
                    self.assertIn(probe.get("httpGet", probe.get("tcpSocket"))["port"], ports[name])
        every = set().union(*ports.values())
        for item in self.items:
            if item["kind"] == "Service":
                for port in item["spec"]["ports"]:
                    self.assertIn(port["targetPort"], ports[self.selected(item["spec"]["selector"])[0]])
            if item["kind"] == "NetworkPolicy":
                for rule in item["spec"].get("ingress", []) + item["spec"].get("egress", []):
                    for port in rule["ports"]:
                        self.assertTrue(port["port"] in every or port["port"] == 53)
        nats = find(self.items, "StatefulSet", "rowcast-nats")
        find(self.items, "Service", nats["spec"]["serviceName"])

    def test_containers_have_no_rights_and_write_nowhere_else(self):
        for item in self.workloads:
            pod = item["spec"]["template"]["spec"]
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            self.assertGreater(pod["securityContext"]["runAsUser"], 0)
            self.assertEqual(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault")
            self.assertFalse(pod["automountServiceAccountToken"])
            for container in containers(item):
                context = container["securityContext"]
                self.assertEqual(
                    context, {
                        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                        "capabilities": {"drop": ["ALL"]}})
                self.assertEqual(set(container["resources"]), {"requests", "limits"})

    def test_pods_have_time_to_end_after_the_pause(self):
        for item in self.workloads:
            pod = item["spec"]["template"]["spec"]
            command = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"]
            pause = int(command[1]) if command[0] == "sleep" else 0
            self.assertGreater(pod["terminationGracePeriodSeconds"], pause + ENDING)

    def test_probes_are_ready_late_and_alive_early(self):
        for name in ("rowcast-publisher", "rowcast-relay"):
            container = find(self.items, "Deployment", name)["spec"]["template"]["spec"]["containers"][0]
            paths = {kind: probe["httpGet"]["path"] for kind, probe in probes(container).items()}
            self.assertEqual(
                paths, {"startupProbe": "/healthz", "readinessProbe": "/readyz", "livenessProbe": "/healthz"})

    def test_placeholders_of_secrets_are_refused(self):
        text = find(self.items, "Secret", "rowcast-tokens")["stringData"]["tokens"]
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/tokens"
            with open(path, "w") as file:
                file.write(text)
            subprocess.run(["chmod", "600", path], check=True)
            done = subprocess.run(
                [*COMMAND, "serve", "--port", "0", "--token-file", path, "--child", "x=true"], capture_output=True,
                text=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("a line is “operator TOKEN”", done.stderr)

    def test_settings_and_options_are_those_of_the_server(self):
        known = options()
        for name in ("rowcast-publisher", "rowcast-relay"):
            text = find(self.items, "ConfigMap", name)["data"]["rowcast.yaml"]
            with tempfile.TemporaryDirectory() as folder:
                certificate(folder)
                text = text.replace("/run/secrets/tls", folder)
                words = find(self.items, "Deployment", name)["spec"]["template"]["spec"]["containers"][0]["args"]
                for option in ("--publish", "--from"):
                    # The URL has the password, so it is an argument.
                    if option in words:
                        text += f"{option[2:]}: nats://rowcast:x@rowcast-nats:4222\n"
                self.assertEqual(check_configuration(text, folder), "")
                self.assertNotEqual(check_configuration(text + "nonsense: 1\n", folder), "")
            self.assertLessEqual({word for word in words if word.startswith("--")}, known)

    def test_kustomize_builds_the_manifests(self):
        if shutil.which("kubectl") is None:
            self.skipTest("kubectl is not installed")
        done = subprocess.run(["kubectl", "kustomize", str(KUBERNETES)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(read(done.stdout)), len(self.items))


class ComposeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = compose()
        cls.services = cls.file["services"]

    def test_references_resolve_and_files_exist(self):
        for name, service in self.services.items():
            for kind in ("configs", "secrets"):
                for entry in service.get(kind, []):
                    self.assertIn(entry["source"], self.file[kind], name)
            for volume in service.get("volumes", []):
                self.assertIn(volume.split(":")[0], self.file["volumes"], name)
            for network in service.get("networks", []):
                self.assertIn(network, self.file["networks"], name)
            for other in service.get("depends_on", []):
                self.assertIn(other, self.services, name)
        for entry in self.file["configs"].values():
            self.assertTrue((COMPOSE / entry["file"]).is_file(), entry)

    def test_two_publishers_two_relays_and_three_nats_servers(self):
        kinds = sorted(re.sub(r"-\d$", "", name) for name in self.services)
        self.assertEqual(kinds, ["nats"] * 3 + ["owner", "proxy"] + ["publisher"] * 2 + ["relay"] * 2)

    def test_services_have_no_rights_and_write_nowhere_else(self):
        for name, service in self.services.items():
            self.assertTrue(service["read_only"], name)
            self.assertEqual(service["cap_drop"], ["ALL"], name)
            self.assertIn("no-new-privileges:true", service["security_opt"], name)
            if name != "owner":
                self.assertEqual(service["user"], "10001:10001", name)

    def test_settings_and_options_are_those_of_the_server(self):
        known = options()
        for name in ("publisher-1", "publisher-2", "relay-1", "relay-2"):
            words = self.services[name]["command"]
            self.assertEqual(words[0], "serve")
            self.assertLessEqual({word for word in words if word.startswith("--")}, known)
            entry = self.services[name]["configs"][0]
            self.assertEqual(words[words.index("--config") + 1], entry["target"])
            text = (COMPOSE / self.file["configs"][entry["source"]]["file"]).read_text()
            with tempfile.TemporaryDirectory() as folder:
                for option in ("publish", "from", "unix"):
                    if f"--{option}" in words:
                        value = words[words.index(f"--{option}") + 1].replace("${NATS_PASSWORD:?write it to .env}", "x")
                        text += f"{option}: {value}\n"
                self.assertEqual(check_configuration(text, folder), "")

    def test_the_parts_have_every_key_and_two_publishers_each(self):
        services = read((COMPOSE / "parts.yaml").read_text())[0]["services"]
        ranges = []
        known = options()
        for name, service in services.items():
            words = service["command"]
            if name not in self.services:
                self.assertEqual(service["extends"], {"file": "compose.yaml", "service": "publisher-1"}, name)
            self.assertEqual(words[:-2], self.services["publisher-1"]["command"], name)
            self.assertEqual(words[-2], "--publish-keys", name)
            self.assertIn(words[-2], known)
            ranges.append(words[-1])
        self.assertEqual(sorted(ranges), ["..50000"] * 2 + ["50000.."] * 2)
        with tempfile.TemporaryDirectory() as folder:
            for keys in set(ranges):
                text = f"publish: nats://a\npublish-keys: {keys}\n" + (COMPOSE / "publisher.yaml").read_text()
                self.assertEqual(check_configuration(text, folder), "")

    def test_health_checks_and_the_proxy_use_the_sockets_of_the_nodes(self):
        proxy = (COMPOSE / "haproxy.cfg").read_text()
        for name in ("relay-1", "relay-2"):
            words = self.services[name]["command"]
            path = words[words.index("--unix") + 1]
            self.assertIn(path, self.services[name]["healthcheck"]["test"])
            self.assertIn(f"server {name} unix@{path}\n", proxy)
            self.assertIn("http://localhost/readyz", self.services[name]["healthcheck"]["test"])
        self.assertIn("uri /readyz", proxy)
        publisher = read((COMPOSE / "publisher.yaml").read_text())[0]
        self.assertIn(publisher["unix"], self.services["publisher-1"]["healthcheck"]["test"])

    def test_passwords_come_from_the_environment(self):
        text = (COMPOSE / "compose.yaml").read_text()
        self.assertNotRegex(text, r"nats://rowcast:(?!\$\{NATS_PASSWORD)")
        for name in ("nats-1", "nats-2", "nats-3"):
            self.assertIn("NATS_PASSWORD", self.services[name]["environment"])


class AlertTests(unittest.TestCase):
    def test_alerts_use_figures_of_the_server(self):
        groups = read((PACKAGING / "alerts.yaml").read_text())[0]["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        self.assertGreater(len(rules), 5)
        sources = "".join(path.read_text() for path in (ROOT / "Sources").rglob("*.swift"))
        for rule in rules:
            names = re.findall(r"rowcast_\w+", rule["expr"])
            self.assertTrue(names)
            for name in names:
                # The names of nodes' figures are put together from two parts.
                part = name.removesuffix("_sum").removeprefix("rowcast_cluster_")
                self.assertIn(f'("{part}"', sources, name)


class ImageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = (PACKAGING / "Dockerfile").read_text()

    def test_the_image_has_the_libraries_of_the_binary(self):
        if len(COMMAND) != 1:
            self.skipTest("the command is not one binary")
        # The libraries that it names; apt installs what those need.
        dynamic = subprocess.run(["readelf", "-d", COMMAND[0]], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        owners = subprocess.run(
            ["dpkg", "-S", *(f"*/{name}" for name in names)], capture_output=True, text=True, check=False).stdout
        packages = {line.split(":")[0] for line in owners.splitlines()}
        self.assertIn("libwebsockets17", packages)
        # Packages of the base image; Swift's libraries belong to none.
        packages -= {"libc6", "libgcc-s1", "libstdc++6"}
        self.assertLessEqual({name for name in packages if "-dev" not in name}, set(self.text.split()))

    def test_copied_files_exist(self):
        for source in re.findall(r"^COPY (?!--from)(\S+) \S+$", self.text, re.M):
            self.assertTrue((ROOT / source).exists(), source)

    def test_the_user_is_that_of_the_manifests(self):
        user = int(re.search(r"^USER (\d+):\d+$", self.text, re.M)[1])
        for name in ("rowcast-publisher", "rowcast-relay"):
            pod = find(objects(), "Deployment", name)["spec"]["template"]["spec"]
            self.assertEqual(pod["securityContext"]["runAsUser"], user)
        self.assertEqual(compose()["services"]["relay-1"]["user"], f"{user}:{user}")


if __name__ == "__main__":
    unittest.main()
