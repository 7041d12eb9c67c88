"""The settings: their schema, their defaults and the errors for wrong ones."""

import os
import stat

BACKENDS = ("nats", "redis", "kafka")
TYPES = ("text", "number", "integer", "boolean", "timestamp", "seconds", "micros", "nanos", "series")
SERVERS = {"nats": "nats://127.0.0.1:4222", "redis": "redis://127.0.0.1:6379/0", "kafka": "127.0.0.1:9092"}

SETTINGS = {
    "type": "object",
    "required": ["backend", "stream"],
    "properties": {
        "backend": {"enum": list(BACKENDS)},
        "servers": {"type": "string"},
        "stream": {"type": "string"},
        "subject": {"type": "string"},
        "mode": {"enum": ["latest", "newest"]},
        "rows": {"type": "integer", "minimum": 1, "maximum": 10_000_000},
        "key": {"type": "string"},
        "delete": {"type": "string"},
        "payload": {"enum": ["json", "text", "fields"]},
        "field": {"type": "string"},
        "columns": {"type": "string"},
        "meta": {"type": "string"},
        "table": {"type": "string"},
        "max_message": {"type": "integer", "minimum": 1, "maximum": 67_108_864},
        "user": {"type": "string"},
        "password_file": {"type": "string"},
        "token_file": {"type": "string"},
        "credentials": {"type": "string"},
        "nkey": {"type": "string"},
        "tls": {"type": "boolean"},
        "ca": {"type": "string"},
        "certificate": {"type": "string"},
        "private_key": {"type": "string"},
        "config": {"type": "string"},
    },
}

#: The settings that only some backends have.
ONLY = {
    "subject": ("nats",),
    "field": ("redis",),
    "token_file": ("nats",),
    "credentials": ("nats",),
    "nkey": ("nats",),
    "config": ("kafka",),
}
FILES = ("password_file", "token_file", "credentials", "nkey", "ca", "certificate", "private_key", "config")


class Refusal(Exception):
    """A wrong setting."""

    def __init__(self, setting, reason):
        super().__init__(reason)
        self.setting = setting


class Options:
    """Checked settings. `columns` is a list of (path, type, title), or None to infer them."""

    def __init__(self, settings, environment=os.environ):
        self.backend = settings["backend"]
        for name, backends in ONLY.items():
            if name in settings and self.backend not in backends:
                raise Refusal(
                    name, f"the backend {self.backend} has no such setting: it belongs to {' and '.join(backends)}"
                )
        self.stream = text(settings, "stream")
        self.servers = settings.get("servers", SERVERS[self.backend])
        self._check_servers()
        self.subject = settings.get("subject")
        self.is_latest = settings.get("mode", "newest") == "latest"
        self.rows = settings.get("rows", 1_000_000 if self.is_latest else 10_000)
        self.field = settings.get("field")
        default = "fields" if self.backend == "redis" and self.field is None else "json"
        self.payload = settings.get("payload", default)
        if self.payload == "fields" and self.backend != "redis":
            raise Refusal("payload", f"only entries of Redis have fields: use json or text with {self.backend}")
        if self.payload == "fields" and self.field is not None:
            raise Refusal("field", "payload=fields shows all fields: leave one of both settings out")
        if self.payload != "fields" and self.backend == "redis" and self.field is None:
            raise Refusal("field", f"payload={self.payload} needs the name of the field that has the payload")
        self._read_key(settings)
        self.delete = self._pair(settings)
        self.columns = columns(settings["columns"]) if "columns" in settings else None
        self.meta = self._meta(settings)
        self.table = settings.get("table", self.stream)
        if not 1 <= len(self.table.encode()) <= 200:
            raise Refusal(
                "table" if "table" in settings else "stream", "the name of a table has 1 to 200 bytes: set table"
            )
        self.max_message = settings.get("max_message", 262_144)
        self._read_credentials(settings, environment)

    def _check_servers(self):
        for server in self.servers.split(","):
            server = server.strip()
            if "@" in server.split("//")[-1]:
                raise Refusal("servers", "an address must not have a user or password: use user and password_file")
            scheme = server.split("://")[0] if "://" in server else ""
            allowed = {"nats": ("", "nats", "tls"), "redis": ("redis", "rediss", "unix"), "kafka": ("",)}[self.backend]
            if not server or scheme not in allowed:
                raise Refusal(
                    "servers", f"“{server}” is not an address for {self.backend}: use one like {SERVERS[self.backend]}"
                )
        if self.backend == "redis" and "," in self.servers:
            raise Refusal("servers", "a source reads from one Redis server: give one address")

    def _read_key(self, settings):
        self.key = settings.get("key")
        if self.key is not None and not self.is_latest:
            raise Refusal("key", "only mode=latest has a key: rows of the newest messages are known by their position")
        if self.is_latest and self.key is None and self.backend == "redis":
            raise Refusal(
                "key", "mode=latest needs the name of the field that identifies a row: entries of Redis have no key"
            )
        if self.key is not None and self.payload == "text":
            raise Refusal("key", "a text payload has no members: leave key out, or use payload=json")
        if self.key == "":
            raise Refusal("key", "is empty: name a member such as order.id")

    def _pair(self, settings):
        if "delete" not in settings:
            return None
        path, found, value = settings["delete"].partition("=")
        if not found or not path:
            raise Refusal("delete", f"“{settings['delete']}” is not MEMBER=VALUE, such as op=d")
        if not self.is_latest:
            raise Refusal("delete", "only mode=latest deletes rows")
        return path, value

    def _meta(self, settings):
        has_key = self.backend != "redis"
        if "meta" not in settings:
            if self.is_latest:
                return (["key"] if has_key and self.key is None else []) + ["time"]
            return ["time"] + (["key"] if has_key else [])
        found = [name.strip() for name in settings["meta"].split(",") if name.strip()]
        allowed = ["time", "sequence"] + (["key"] if has_key else [])
        for name in found:
            if name not in allowed:
                raise Refusal("meta", f"unknown “{name}”: use {', '.join(allowed)}")
        return list(dict.fromkeys(found))

    def _read_credentials(self, settings, environment):
        for name in FILES:
            if name in settings and not os.access(settings[name], os.R_OK):
                raise Refusal(name, f"the file “{settings[name]}” is not readable")
        self.credentials = settings.get("credentials")
        self.nkey = settings.get("nkey")
        self.config = settings.get("config")
        self.ca, self.certificate = settings.get("ca"), settings.get("certificate")
        self.private_key = settings.get("private_key")
        if self.private_key is not None and self.certificate is None:
            raise Refusal("private_key", "is of no use without certificate")
        self.tls = settings.get("tls", self.ca is not None or self.certificate is not None)
        self.user = settings.get("user", environment.get("ROWCAST_STREAM_USER"))
        self.password = secret(settings, "password_file", environment, "ROWCAST_STREAM_PASSWORD")
        self.token = secret(settings, "token_file", environment, "ROWCAST_STREAM_TOKEN")
        given = [name for name in ("credentials", "nkey", "token_file", "password_file") if name in settings]
        if self.backend == "nats" and len(given) > 1:
            raise Refusal(given[1], f"{given[0]} and {given[1]} exclude each other")
        if self.backend != "redis" and self.password is not None and self.user is None:
            raise Refusal("user", "a password needs a user")
        self.open_files = [
            settings[name]
            for name in ("password_file", "token_file", "credentials", "nkey", "private_key", "config")
            if name in settings and os.stat(settings[name]).st_mode & (stat.S_IRGRP | stat.S_IROTH)
        ]

    @property
    def secrets(self):
        return [value for value in (self.password, self.token) if value]


def text(settings, name):
    if not settings[name]:
        raise Refusal(name, "is empty")
    return settings[name]


def secret(settings, name, environment, variable):
    """The first line of a file, or a variable of the environment."""
    if name not in settings:
        return environment.get(variable)
    with open(settings[name], encoding="utf-8", errors="replace") as file:
        value = file.readline().rstrip("\r\n")
    if not value:
        raise Refusal(name, f"the first line of “{settings[name]}” is empty")
    return value


def columns(setting):
    """Reads `PATH[:TYPE[=TITLE]]`, separated by commas."""
    found = []
    for part in setting.split(","):
        rest, _, title = part.strip().partition("=")
        path, _, kind = rest.partition(":")
        if not path or len(path.encode()) > 200:
            raise Refusal("columns", f"“{part}” has no name: write MEMBER:TYPE, separated by commas")
        kind = kind or "text"
        if kind not in TYPES:
            raise Refusal("columns", f"the column “{path}” has the unknown type “{kind}”: use {', '.join(TYPES)}")
        if path.startswith("@"):
            raise Refusal("columns", f"the column “{path}” begins with @: use meta for properties of the message")
        if path in (other[0] for other in found):
            raise Refusal("columns", f"two columns are called “{path}”")
        found.append((path, kind, title or None))
    if len(found) > 500:
        raise Refusal("columns", f"{len(found)} columns are too many: use at most 500")
    return found
