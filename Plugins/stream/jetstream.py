"""NATS JetStream, through the package nats-py."""

import asyncio
import collections
import json
import ssl
import time

from backend import Unavailable, Backend, Gap, Message
from options import Refusal

BATCH = 1_000
EXPIRY = 5  # seconds until the server gives up a request for messages
BYTES = 8 << 20  # bytes of the answers to one request
WIDTH = 1_000  # sequences in which they are looked for first
HISTORY = 100  # messages of a subject that are looked at before a rejected one
JUMPS = 1_000  # jumps between two looks; later ones become one
PATIENCE = 5  # seconds for an answer of the server


class JetStream(Backend):
    """Reads with an ephemeral pull consumer that acknowledges nothing.

    The event loop only runs within calls, so a table that is not read from leaves its messages at the
    server.
    """

    name = "NATS JetStream"
    key_kind = "integer"
    key_title = "Subject"

    def __init__(self, options, host):
        try:
            import nats
        except ImportError:
            raise Refusal(
                "backend", "nats needs the Python package nats-py: python3 -m pip install nats-py nkeys"
            ) from None
        if options.nkey or options.credentials:
            try:
                import nkeys  # noqa: F401
            except ImportError:
                name = "nkey" if options.nkey else "credentials"
                raise Refusal(name, "needs the Python package nkeys: python3 -m pip install nkeys") from None
        self.nats, self.options, self.host = nats, options, host
        self.loop = asyncio.new_event_loop()
        self.connection = self.created = None
        self.position = self.target = 0
        self.pending = None
        self.jumps = []
        self.is_behind = False
        self.firsts = collections.deque()  # the deliveries that may be the first of a request's
        self.by_subject = options.is_latest and options.key is None
        self.supersedes = False
        self.arguments = self._arguments()
        self.client = encrypted(nats) if "tls" in self.arguments else nats.NATS

    def _arguments(self):
        options = self.options
        found = {
            "servers": [
                server.strip() if "://" in server else f"nats://{server.strip()}"
                for server in options.servers.split(",")
            ],
            "name": "rowcast",
            "allow_reconnect": False,
            "connect_timeout": PATIENCE,
            "ping_interval": 10,
            "max_outstanding_pings": 2,
        }
        if options.credentials:
            found["user_credentials"] = options.credentials
        if options.nkey:
            found["nkeys_seed"] = options.nkey
        if options.token:
            found["token"] = options.token
        if options.user:
            found["user"], found["password"] = options.user, options.password or ""
        if options.tls or "tls://" in options.servers:
            try:
                found["tls"] = ssl.create_default_context(cafile=options.ca)
                if options.certificate:
                    found["tls"].load_cert_chain(options.certificate, options.private_key)
            except (OSError, ssl.SSLError) as error:
                raise Refusal(
                    "certificate" if options.certificate else "ca", f"the TLS files are not usable: {error}"
                ) from None
        return found

    def row_key(self, place):
        return place

    def describe(self, place):
        return f"sequence {place}"

    # Connection.

    def run(self, work, patience=PATIENCE * 2):
        try:
            return self.loop.run_until_complete(asyncio.wait_for(work, patience))
        except Unavailable:
            raise
        except asyncio.TimeoutError:
            raise Unavailable(self.fault or f"the server does not answer within {patience} s") from None
        except self.nats.js.errors.NotFoundError as error:
            raise Unavailable(f"the stream “{self.options.stream}” does not exist ({error.description})") from None
        except self.nats.js.errors.ServiceUnavailableError:
            raise Unavailable(
                "JetStream is not available: start nats-server with -js, and look at its cluster"
            ) from None
        except (self.nats.errors.Error, OSError, ValueError) as error:
            raise Unavailable(self.fault or str(error) or type(error).__name__) from None

    fault = None
    must_repeat = False

    def connect(self):
        if self.connection is not None and self.connection.is_connected:
            return
        self.close()
        self.fault = None
        self.arrived, self.event = [], asyncio.Event()
        self.run(self._connect())

    async def _connect(self):
        async def on_error(error):
            self.fault = str(error) or type(error).__name__

        async def on_close():
            self.event.set()

        self.connection = self.client()
        await self.connection.connect(**self.arguments, error_cb=on_error, closed_cb=on_close)
        self.js = self.connection.jetstream(timeout=PATIENCE)

    def close(self):
        if self.connection is not None:
            try:
                self.loop.run_until_complete(asyncio.wait_for(self.connection.close(), 2))
            except Exception:  # the connection is given up anyway
                pass
            self.connection = None

    # Position.

    def begin(self, newest):
        info = self._info()
        self.created, self.jumps = info.created, []
        first, last = max(1, info.state.first_seq), info.state.last_seq
        self.target = last
        if newest is None and self.by_subject:
            self._consume("last_per_subject")
            self.position = first - 1
            return
        start = first if newest is None else max(first, last - newest + 1)
        self._consume("by_start_sequence", start)
        # Deleted messages and those of other subjects leave fewer: begin earlier.
        while newest is not None and start > first and self.pending < newest:
            start = max(first, last - 2 * (last - start + 1) + 1)
            self._consume("by_start_sequence", start)
        self.position = start - 1

    def resume(self):
        info = self._info()
        self.jumps = []
        if info.created != self.created or info.state.last_seq < self.position:
            text = "the stream was created again" if info.created != self.created else "the stream lost messages"
            self.position = 0
            return Gap(None, f"{text}: reading it from the beginning", True)
        gap = self._trimmed(info.state.first_seq, self.position + 1, self.position + 1)
        self._consume("by_start_sequence", self.position + 1)
        if gap is None and self.by_subject and self.supersedes and info.state.first_seq > self.position + 1:
            return Gap(0, "", True)
        return gap

    def _info(self):
        info = self.run(self.js.stream_info(self.options.stream))
        self.supersedes = (info.config.max_msgs_per_subject or 0) > 0
        return info

    def _trimmed(self, first, start, end):
        """The gap if the messages from `start` on were removed before they were read."""
        if first <= start or (self.by_subject and self.supersedes):
            return None  # a removed message was replaced by a later one of its subject
        end = max(first, end) - 1
        self.position = max(self.position, end)
        count = end - start + 1
        most = "up to " if self.options.subject else ""
        return Gap(
            count,
            f"{most}{count:,} messages left the stream before they were read (sequences {start:,} to {end:,})",
            True,
        )

    def _consume(self, policy, start=None):
        self.run(self._consumed(policy, start))

    async def _consumed(self, policy, start):
        connection, options = self.connection, self.options
        config = self.nats.js.api.ConsumerConfig(
            ack_policy="none",
            deliver_policy=policy,
            opt_start_seq=start,
            filter_subject=options.subject or (">" if start is None else None),
            inactive_threshold=60.0,
        )
        try:
            info = await self.js.add_consumer(options.stream, config)
        except self.nats.js.errors.BadRequestError as error:
            raise Unavailable(
                f"the stream “{options.stream}” is only readable by changing it: {error.description}"
            ) from None
        self.inbox = connection.new_inbox()
        self.next = f"$JS.API.CONSUMER.MSG.NEXT.{options.stream}.{info.name}"
        self.consumer, self.pending = info.name, info.num_pending
        self.delivered = self.outstanding = 0
        self.deadline = 0.0
        self.must_repeat = False
        self.is_behind = self.pending > 0
        self.firsts.clear()
        self.arrived.clear()
        inbox, arrived, event = self.inbox, self.arrived, self.event

        async def receive(message):
            if message.subject == inbox and not message.reply:
                if self.inbox == inbox:
                    self._note_status(message)
            elif self.inbox == inbox:
                arrived.append(message)
                self.outstanding -= 1
            event.set()

        await connection.subscribe(inbox, cb=receive, pending_msgs_limit=1 << 20, pending_bytes_limit=1 << 30)

    def _note_status(self, message):
        code = (message.headers or {}).get("Status")
        if code != "100":
            self.outstanding = 0

    # Messages.

    def read(self, timeout):
        if self.must_repeat:
            self._consume("by_start_sequence", self.position + 1)
        return self._accepted(self.run(self._read(timeout), timeout + PATIENCE))

    async def _read(self, timeout):
        connection = self.connection
        if not connection.is_connected:
            raise Unavailable(self.fault or "the connection was closed")
        if self.outstanding <= 0 or time.monotonic() > self.deadline:
            if self.deadline and self.outstanding > 0:
                await self.js.consumer_info(self.options.stream, self.consumer)  # or it is gone
            self.outstanding = BATCH
            # Answers to the request before may still be unread.
            self.firsts.append(self.delivered + len(self.arrived) + 1)
            self.deadline = time.monotonic() + EXPIRY + 2
            request = {
                "batch": BATCH,
                "expires": EXPIRY * 10**9,
                "max_bytes": max(BYTES, connection.max_payload + 65_536),
            }
            await connection.publish(self.next, json.dumps(request).encode(), reply=self.inbox)
        if not self.arrived:
            self.event.clear()
            try:
                await asyncio.wait_for(self.event.wait(), timeout)
            except asyncio.TimeoutError:
                pass
        await asyncio.sleep(0)
        found, self.arrived[:] = list(self.arrived), []
        return found

    def _accepted(self, messages):
        """The messages that continue what was read before."""
        found = []
        for message in messages:
            sequence, delivered, moment, pending = numbers(message)
            if delivered != self.delivered + 1:
                self.must_repeat = True  # a delivery was lost on the way
                break
            self.delivered = delivered
            self.pending = pending
            may_miss = not self.options.subject or self.is_behind
            while self.firsts and self.firsts[0] <= delivered:
                self.firsts.popleft()
                may_miss = True
            self.is_behind = pending > 0
            if sequence <= self.position:
                continue
            if sequence > self.position + 1 and self.position >= self.target and may_miss:
                self._note_jump(self.position + 1, sequence)
            self.position = sequence
            found.append(self._message(message, sequence, moment))
        return found

    def _note_jump(self, start, sequence):
        """Keeps a jump for the next look at the stream.

        Messages of other subjects lie between those of one subject. Only a jump after a pause, or while more
        messages waited, can hide one that was removed.
        """
        if len(self.jumps) == JUMPS:
            start = self.jumps.pop()[0]
        self.jumps.append((start, sequence))

    @staticmethod
    def _message(message, sequence, moment):
        deletes = False
        if message.headers:
            deletes = message.headers.get("KV-Operation") in ("DEL", "PURGE") or "Nats-Marker-Reason" in message.headers
        return Message(sequence, message.subject, moment // 10**6, message.data, deletes)

    def earlier(self, key, place):
        return self.run(self._earlier(key, place), 30) if self.by_subject else []

    async def _earlier(self, subject, before):
        found = collections.deque(maxlen=HISTORY)
        subscription, width = None, WIDTH
        # Only the end of a long history is read.
        while True:
            start = max(1, before - width)
            config = self.nats.js.api.ConsumerConfig(
                ack_policy="none",
                deliver_policy="by_start_sequence",
                opt_start_seq=start,
                inactive_threshold=30.0,
            )
            subscription = await self.js.pull_subscribe(subject, stream=self.options.stream, config=config)
            if start == 1 or (await subscription.consumer_info()).num_pending > HISTORY:
                break
            await subscription.unsubscribe()
            width *= 8
        try:
            is_over = False
            while not is_over:
                for message in await subscription.fetch(BATCH, timeout=PATIENCE):
                    sequence, _, moment, pending = numbers(message)
                    if sequence < before:
                        found.append(self._message(message, sequence, moment))
                    is_over = is_over or sequence >= before or pending == 0
        finally:
            await subscription.unsubscribe()
        return list(found)

    def is_caught_up(self):
        return self.pending == 0 or self.position >= self.target

    def status(self):
        info = self._info()
        if info.created != self.created:
            return None, [self.resume()]
        try:
            consumer = self.run(self.js.consumer_info(self.options.stream, self.consumer))
        except Unavailable:
            return None, [gap for gap in [self.resume()] if gap]
        lag = consumer.num_pending + max(0, consumer.delivered.consumer_seq - self.delivered)
        gaps = []
        first = info.state.first_seq
        gaps += [self._trimmed(min(first, end), start, end) for start, end in self.jumps]
        self.jumps = []
        if lag == 0:
            self.position = max(self.position, info.state.last_seq)
        elif self.position >= self.target:
            gaps.append(self._trimmed(first, self.position + 1, first))
        return lag, [gap for gap in gaps if gap]


def encrypted(nats):
    """A client that sends no credentials without TLS; nats-py leaves that to the server."""

    class Encrypted(nats.NATS):
        def _connect_command(self):
            if not self._server_info.get("tls_required"):
                raise nats.errors.Error("the server offers no TLS: set it up there, or leave tls and ca out")
            return super()._connect_command()

    return Encrypted


def numbers(message):
    """Sequence in the stream, delivery number, nanoseconds since 1970, number of later messages."""
    parts = message.reply.split(".")
    at = 5 if len(parts) < 12 else 7  # newer servers name a domain and an account, too
    return int(parts[at]), int(parts[at + 1]), int(parts[at + 2]), int(parts[at + 3])
