"""The settings: their schema, their defaults and the errors for wrong ones."""

import os
import ssl
import stat
from urllib.parse import urlsplit

FORMATS = ("auto", "json", "ndjson", "csv", "prometheus", "sse")

SETTINGS = {
    "type": "object",
    "required": ["url"],
    "properties": {
        "url": {"type": "string", "title": "Address"},
        "format": {"enum": list(FORMATS), "title": "Format", "default": "auto"},
        "interval": {"type": "number", "minimum": 0.2, "maximum": 86_400, "title": "Seconds between requests"},
        "timeout": {"type": "number", "minimum": 0.1, "maximum": 3_600, "title": "Time limit in seconds"},
        "rows": {"type": "string", "title": "Path of the list, such as data.items"},
        "key": {"type": "string", "title": "Member that identifies a row"},
        "keep": {"type": "integer", "minimum": 1, "maximum": 1_000_000, "title": "Newest events"},
        "limit": {"type": "integer", "minimum": 1_024, "maximum": 1 << 30, "title": "Bytes of a response"},
        "table": {"type": "string", "title": "Name of the table"},
        "header": {"type": "string", "title": "Header, as NAME: VALUE"},
        "token_file": {"type": "string", "title": "File with a bearer token"},
        "user": {"type": "string", "title": "User"},
        "password_file": {"type": "string", "title": "File with the password"},
        "ca": {"type": "string", "title": "File with certificate authorities"},
    },
}


class Refusal(Exception):
    """A wrong setting."""

    def __init__(self, setting, reason):
        super().__init__(reason)
        self.setting = setting


class Options:
    """Checked settings."""

    def __init__(self, settings, environment=os.environ):
        self.url = settings["url"]
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Refusal("url", f"“{self.url}” is not an address that begins with http:// or https://")
        if parts.username or parts.password:
            raise Refusal("url", "an address must not have a user or password: use user and password_file")
        self.format = settings.get("format", "auto")
        self.interval = settings.get("interval", 15 if self.format == "prometheus" else 5)
        self.timeout = settings.get("timeout", 60 if self.format == "sse" else 10)
        self.path = settings.get("rows")
        if self.path is not None and self.format not in ("auto", "json"):
            raise Refusal("rows", "only a JSON document has a path of the list: leave rows out")
        self.key = settings.get("key")
        if self.key == "":
            raise Refusal("key", "is empty: name a member such as order.id")
        if self.key is not None and self.format == "prometheus":
            raise Refusal("key", "a sample is identified by its metric and labels: leave key out")
        self.keep = settings.get("keep", 10_000)
        if "keep" in settings and self.format not in ("auto", "sse"):
            raise Refusal("keep", "only events of a stream are kept: other formats show the whole list")
        self.limit = settings.get("limit", 64 << 20)
        name = parts.path.rstrip("/").rsplit("/", 1)[-1] or parts.hostname
        self.table = settings.get("table", name)
        if not 1 <= len(self.table.encode()) <= 200:
            raise Refusal("table", "the name of a table has 1 to 200 bytes: set table")
        self.headers = self._headers(settings)
        self.user = settings.get("user", environment.get("ROWCAST_HTTP_USER"))
        self.password = secret(settings, "password_file", environment, "ROWCAST_HTTP_PASSWORD")
        self.token = secret(settings, "token_file", environment, "ROWCAST_HTTP_TOKEN")
        if self.password is not None and self.user is None:
            raise Refusal("user", "a password needs a user")
        if self.password is not None and self.token is not None:
            raise Refusal("token_file", "token_file and password_file exclude each other")
        self.context = None
        if parts.scheme == "https":
            try:
                self.context = ssl.create_default_context(cafile=settings.get("ca"))
            except (OSError, ssl.SSLError) as error:
                raise Refusal("ca", f"the file “{settings.get('ca')}” is of no use: {error}") from None
        self.open_files = [
            settings[name]
            for name in ("token_file", "password_file")
            if name in settings and os.stat(settings[name]).st_mode & (stat.S_IRGRP | stat.S_IROTH)
        ]

    @staticmethod
    def _headers(settings):
        if "header" not in settings:
            return {}
        name, colon, value = settings["header"].partition(":")
        name, value = name.strip(), value.strip()
        if not colon or not name or not name.isascii() or " " in name or not value.isprintable():
            raise Refusal("header", "write NAME: VALUE, such as Accept: application/json")
        if name.lower() in ("authorization", "host", "content-length", "transfer-encoding", "connection"):
            raise Refusal("header", f"{name} is not for this setting: use token_file, or user and password_file")
        return {name: value}

    @property
    def secrets(self):
        return [value for value in (self.password, self.token) if value]


def secret(settings, name, environment, variable):
    """The first line of a file, or a variable of the environment."""
    if name not in settings:
        return environment.get(variable)
    try:
        with open(settings[name], encoding="utf-8", errors="replace") as file:
            value = file.readline().rstrip("\r\n")
    except OSError as error:
        raise Refusal(name, f"“{settings[name]}” is not readable: {error.strerror}") from None
    if not value:
        raise Refusal(name, f"the first line of “{settings[name]}” is empty")
    return value
