"""The files in packaging/, and the places in them that a test replaces."""

import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
KUBERNETES = PACKAGING / "kubernetes"
COMPOSE = PACKAGING / "compose"
COMMAND = shlex.split(os.environ.get("ROWCAST", str(ROOT / ".build/debug/rowcast")))
sys.path.insert(0, str(ROOT / "Tests/Cluster"))


def read(text):
    """Returns the documents of a YAML text, read by Debian's PyYAML."""
    program = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin.read()))))"
    done = subprocess.run(["/usr/bin/python3", "-c", program], input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"the YAML is not readable: {done.stderr.strip().splitlines()[-1]}")
    return [document for document in json.loads(done.stdout) if document is not None]


def objects():
    """Returns all objects of the Kubernetes manifests."""
    names = read((KUBERNETES / "kustomization.yaml").read_text())[0]["resources"]
    return [item for name in names for item in read((KUBERNETES / name).read_text())]


def find(items, kind, name):
    found = [item for item in items if item["kind"] == kind and item["metadata"]["name"] == name]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} objects {kind}/{name}")
    return found[0]


def workloads(items):
    return [item for item in items if item["kind"] in ("Deployment", "StatefulSet")]


def containers(workload):
    pod = workload["spec"]["template"]["spec"]
    return pod.get("initContainers", []) + pod["containers"]


def probes(container):
    return {name: container[name] for name in container if name.endswith("Probe")}


def compose():
    return read((COMPOSE / "compose.yaml").read_text())[0]


def replaced(text, places):
    """Returns a text with each key of `places` replaced, the longest first."""
    for key in sorted(places, key=len, reverse=True):
        text = text.replace(key, places[key])
    return text


def check_configuration(text, folder):
    """Runs `rowcast config check`, and returns its complaints."""
    path = pathlib.Path(folder) / "checked.yaml"
    path.write_text(text)
    done = subprocess.run(
        [*COMMAND, "config", "check", str(path)], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return "" if done.returncode == 0 else done.stderr or f"exit code {done.returncode}"


def options():
    """Returns the options of `rowcast serve`."""
    help_text = subprocess.run(
        [*COMMAND, "serve", "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True).stdout
    return {word for line in help_text.splitlines() for word in line.split() if word.startswith("--")}


def certificate(folder):
    """Makes a certificate and its key in a folder, with the names of Kubernetes."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=rows.example.org", "-addext", "subjectAltName=DNS:rows.example.org,IP:127.0.0.1",
         "-keyout", f"{folder}/tls.key", "-out", f"{folder}/tls.crt"], capture_output=True, check=True)  # fmt: skip
