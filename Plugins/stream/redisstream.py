"""Redis Streams (Redis 7 or newer, Valkey), through the package redis."""

import ssl

from backend import Unavailable, Backend, Gap, Message
from options import Refusal

BYTES = 4 << 20  # the bytes that one read should bring
MOST = 2_000
BLOCK_LIMIT = 5  # seconds for an answer


class RedisStream(Backend):
    """Reads with XREAD; the counters of XINFO STREAM show the lag and what was removed unread."""

    name = "Redis"

    def __init__(self, options, host):
        try:
            import redis
        except ImportError:
            raise Refusal(
                "backend",
                "redis needs the Python package redis: apt install python3-redis, or python3 -m pip install redis",
            ) from None
        self.redis, self.options = redis, options
        arguments = {"socket_connect_timeout": 5, "socket_timeout": BLOCK_LIMIT, "client_name": "rowcast"}
        url = options.servers.strip()
        if options.tls and url.startswith("redis://"):
            url = "rediss" + url[5:]
        if url.startswith("rediss://"):
            arguments.update(ssl_cert_reqs="required", ssl_check_hostname=True)
            if options.ca:
                arguments["ssl_ca_certs"] = options.ca
            if options.certificate:
                arguments.update(ssl_certfile=options.certificate, ssl_keyfile=options.private_key)
        if options.user:
            arguments["username"] = options.user
        if options.password:
            arguments["password"] = options.password
        try:
            self.client = redis.Redis.from_url(url, **arguments)
        except (ValueError, redis.RedisError) as error:
            raise Refusal("servers", str(error)) from None
        self.last = self.target = b"0-0"
        self.counter = 0  # of all entries ever added, those up to `last`
        self.batch = 100
        self.is_connected = False

    def run(self, *words):
        return self.guarded(lambda: self.client.execute_command(*words))

    def guarded(self, work):
        try:
            return work()
        except self.redis.ResponseError as error:
            text = str(error)
            if "no such key" in text:
                raise Unavailable(f"the stream “{self.options.stream}” does not exist") from None
            if text.startswith("WRONGTYPE"):
                raise Unavailable(f"the key “{self.options.stream}” is not a stream") from None
            raise Unavailable(text) from None
        except (self.redis.RedisError, OSError, ssl.SSLError) as error:
            self.is_connected = False
            raise Unavailable(str(error) or type(error).__name__) from None

    def connect(self):
        if not self.is_connected:
            self.client.connection_pool.disconnect()
            self.run("PING")
            self.is_connected = True

    def close(self):
        self.is_connected = False
        self.client.connection_pool.disconnect()

    def _info(self):
        """The last id and how many entries were ever added."""
        info = self.guarded(lambda: self.client.xinfo_stream(self.options.stream))
        added = info.get("entries-added")
        if added is None:
            raise Unavailable("Redis 7 or newer is needed")
        return info["last-generated-id"], added, info["length"]

    def begin(self, newest):
        self.last = b"0-0"
        if newest is not None:
            self._seek(newest)
        self.target, added, length = self._info()
        left = length if newest is None or self.last == b"0-0" else newest
        self.counter = added - left
        self.is_drained = False
        self.is_exact = newest is None  # with a seek, entries may have been added meanwhile

    def _seek(self, newest):
        """Moves before the newest entries."""
        end = b"+"
        while newest > 0:
            count = min(newest, 1_000)
            entries = self.run("XREVRANGE", self.options.stream, end, "-", "COUNT", count)
            if not entries:
                return
            newest -= len(entries)
            oldest = entries[-1][0]
            if len(entries) < count:
                return
            end = b"(" + oldest
        before = self.run("XREVRANGE", self.options.stream, end, "-", "COUNT", 1)
        if before:
            self.last = before[0][0]

    def resume(self):
        last, added, _ = self._info()
        if order(last) < order(self.last) or (self.is_exact and added < self.counter):
            return Gap(None, "the stream was created again or lost entries: reading it from the beginning", True)
        return None

    def read(self, timeout):
        found = self.run(
            "XREAD",
            "COUNT",
            self.batch,
            "BLOCK",
            max(1, int(timeout * 1_000)),
            "STREAMS",
            self.options.stream,
            self.last,
        )
        self.is_drained = not found
        if not found:
            return []
        entries = found[0][1] if isinstance(found, list) else next(iter(found.values()))
        messages, size, field = [], 0, self.options.field
        if field is not None:
            field = field.encode()
        for place, fields in entries:
            place_text = place.decode()
            # redis-py gives fields as a dict or, without a parser, as a flat list.
            pairs = fields.items() if isinstance(fields, dict) else zip(fields[::2], fields[1::2])
            if field is not None:
                value = dict(pairs).get(field)
                size += len(value or b"") + 32
                # An entry without the field deletes nothing.
                value = MISSING if value is None else value
            else:
                value = {name.decode(errors="backslashreplace"): text for name, text in pairs}
                size += sum(map(len, value.values())) + 32
            messages.append(Message(place_text, None, int(place_text.partition("-")[0]), value, False))
        self.last = entries[-1][0]
        self.counter += len(entries)
        self.batch = max(10, min(MOST, self.batch * 4, BYTES * len(entries) // size))
        return messages

    def is_caught_up(self):
        return self.is_drained or order(self.last) >= order(self.target)

    def status(self):
        last, added, length = self._info()
        if order(last) < order(self.last) or (self.is_exact and added < self.counter):
            gap = Gap(None, "the stream was created again or lost entries: reading it from the beginning", True)
            return None, [gap]
        if order(last) > order(self.last):
            if self.run("XREAD", "COUNT", 1, "STREAMS", self.options.stream, self.last):
                return max(0, added - self.counter) if self.is_exact else None, []
            self.last = last.encode() if isinstance(last, str) else last  # the entries up to here are deleted
        lost, self.counter = added - self.counter, added
        if not self.is_exact or lost <= 0:
            self.is_exact = True
            return 0, []
        place = self.last.decode()
        return 0, [Gap(lost, f"{lost:,} entries left the stream before they were read (up to {place})", True)]

    def describe(self, place):
        return f"id {place}"


#: The payload of an entry without the field that should have it.
MISSING = object()


def order(place):
    first, _, second = place.partition(b"-")
    return int(first), int(second)
