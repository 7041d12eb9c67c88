"""Kafka, through the package confluent_kafka (librdkafka)."""

import time

from backend import Unavailable, Backend, Gap, Message
from options import Refusal

BATCH = 2_000
LOOK = 15  # seconds between looks at the topic's partitions
PATIENCE = 5


class Missing(Unavailable):
    """The topic does not exist, or is not readable."""


class KafkaTopic(Backend):
    """Reads assigned partitions from own positions, without joining a group or committing."""

    name = "Kafka"

    def __init__(self, options, host):
        try:
            import confluent_kafka
        except ImportError:
            raise Refusal(
                "backend",
                "kafka needs the Python package confluent_kafka: apt install python3-confluent-kafka, or "
                "python3 -m pip install confluent-kafka",
            ) from None
        self.kafka, self.options, self.host = confluent_kafka, options, host
        self.codes = confluent_kafka.KafkaError
        self.fault = None
        self.early = []  # messages that librdkafka handed over before they were wanted
        self.position, self.target, self.ends = {}, {}, set()
        try:
            self.consumer = confluent_kafka.Consumer(self._config())
        except (confluent_kafka.KafkaException, ValueError, TypeError) as error:
            raise Refusal(
                "config" if options.config else "servers", f"librdkafka refuses the settings: {error}"
            ) from None
        self.looked = 0.0

    def _config(self):
        options = self.options
        config = {
            "group.id": "rowcast",
            "queued.max.messages.kbytes": 16_384,
            "log.connection.close": False,
            "reconnect.backoff.max.ms": 5_000,
            "topic.metadata.refresh.interval.ms": LOOK * 1_000,
        }
        if options.tls:
            config["security.protocol"] = "SASL_SSL" if options.user else "SSL"
        elif options.user:
            config["security.protocol"] = "SASL_PLAINTEXT"
        if options.user:
            config.update(
                {"sasl.mechanism": "PLAIN", "sasl.username": options.user, "sasl.password": options.password or ""}
            )
        for name, value in (("ca", options.ca), ("certificate", options.certificate), ("key", options.private_key)):
            if value:
                config[f"ssl.{name}.location"] = value
        if options.config:
            config.update(self._read_config(options.config))
        # Positions and errors are handled here.
        config.update(
            {
                "bootstrap.servers": options.servers,
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "auto.offset.reset": "error",
                "enable.partition.eof": True,
                "error_cb": self._note_error,
            }
        )
        return config

    def _read_config(self, path):
        found = {}
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.strip()
                if not line or line[0] in "#!":
                    continue
                name, separator, value = line.partition("=")
                name, value = name.strip(), value.strip()
                if not separator or not name:
                    raise Refusal("config", f"line {number} of “{path}” is not NAME=VALUE")
                if name.endswith((".password", ".secret", ".key.pem", "oauthbearer.config")) and value:
                    self.host.secrets.append(value)
                found[name] = value
        return found

    def _note_error(self, error):
        if error.code() in (self.codes._ALL_BROKERS_DOWN, self.codes._AUTHENTICATION, self.codes._SSL):
            # The error before names the reason.
            if error.code() != self.codes._ALL_BROKERS_DOWN or self.fault is None:
                self.fault = error.str()
            self.is_down = True
        elif error.code() in (self.codes._TRANSPORT, self.codes._RESOLVE):
            self.fault = error.str()

    is_down = False

    def guarded(self, work):
        try:
            return work()
        except self.kafka.KafkaException as exception:
            error = exception.args[0]
            if error.code() == self.codes._TRANSPORT and self.fault:
                raise Unavailable(self.fault) from None
            raise Unavailable(error.str()) from None

    def connect(self):
        first = self.consumer.poll(0)  # delivers errors
        if first is not None:
            self.early.append(first)
        self.is_down, self.fault = False, None
        self._partitions(PATIENCE)
        self.is_down, self.fault = False, None

    def _partitions(self, patience):
        topic = self.guarded(lambda: self.consumer.list_topics(self.options.stream, timeout=patience)).topics[
            self.options.stream
        ]
        if topic.error is not None:
            if topic.error.code() == self.codes.UNKNOWN_TOPIC_OR_PART:
                raise Missing(f"the topic “{self.options.stream}” does not exist")
            raise Missing(topic.error.str())
        self.looked = time.monotonic()
        return sorted(topic.partitions)

    def _place(self, partition, offset=0):
        return self.kafka.TopicPartition(self.options.stream, partition, offset)

    def _watermarks(self, partition):
        found = self.guarded(lambda: self.consumer.get_watermark_offsets(self._place(partition), timeout=PATIENCE))
        if found is None:
            raise Unavailable(self.fault or f"partition {partition} does not answer within {PATIENCE} s")
        return found

    def begin(self, newest):
        self.position, self.target, self.ends, self.early = {}, {}, set(), []
        for partition in self._partitions(PATIENCE):
            low, high = self._watermarks(partition)
            self.position[partition] = low if newest is None else max(low, high - newest)
            self.target[partition] = high
        self._assign()

    def _assign(self):
        places = [self._place(partition, offset) for partition, offset in self.position.items()]
        self.guarded(lambda: self.consumer.assign(places))

    def resume(self):
        # Partitions that failed are read only after a new assignment.
        self.early = []
        self._assign()
        return None

    def read(self, timeout):
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure
        if not self.early:
            first = self.guarded(lambda: self.consumer.poll(timeout))
            if first is not None:
                self.early.append(first)
        if self.is_down:
            raise Unavailable(self.fault or "no broker is reachable")
        if not self.early:
            return []
        messages = self.early + self.guarded(lambda: self.consumer.consume(BATCH, 0))
        self.early = []
        found, position = [], self.position
        for message in messages:
            partition, offset = message.partition(), message.offset()
            error = message.error()
            if error is not None:
                try:
                    self._note_end(error, partition, offset)
                except Unavailable as unavailable:
                    self.failure = unavailable  # after the messages that were read with it
                continue
            if offset < position.get(partition, 0):
                continue
            position[partition] = offset + 1
            self.ends.discard(partition)
            key = message.key()
            if key is not None:
                key = key.decode(errors="backslashreplace")
            time_type, moment = message.timestamp()
            found.append(Message((partition, offset), key, moment if time_type else None, message.value(), False))
        return found

    gaps = ()
    failure = None

    def _note_end(self, error, partition, offset):
        code = error.code()
        if code == self.codes._PARTITION_EOF:
            if offset >= self.position.get(partition, 0):
                self.position[partition] = offset
                self.ends.add(partition)
        elif code in (self.codes._AUTO_OFFSET_RESET, self.codes.OFFSET_OUT_OF_RANGE):
            self._note_gap(partition)
        elif code in (self.codes.UNKNOWN_TOPIC_OR_PART, self.codes._UNKNOWN_TOPIC, self.codes._UNKNOWN_PARTITION):
            raise Unavailable(f"the topic “{self.options.stream}” or its partition {partition} does not exist")
        elif not error.retriable():
            raise Unavailable(error.str())

    def _note_gap(self, partition):
        """Continues at the first message that is still there."""
        low, high = self._watermarks(partition)
        before = self.position[partition]
        if low > before:
            text = f"{low - before:,} messages left partition {partition} before they were read"
            text += f" (offsets {before:,} to {low - 1:,})"
            gap = Gap(low - before, text, True)
        else:
            gap = Gap(
                None,
                f"partition {partition} ends at offset {high:,} before {before:,}: reading it from the beginning",
                True,
            )
        self.position[partition] = low
        self.gaps = (*self.gaps, gap)
        self._assign()

    def is_caught_up(self):
        return all(partition in self.ends or self.position[partition] >= end for partition, end in self.target.items())

    def status(self):
        gaps, self.gaps = list(self.gaps), ()
        if time.monotonic() - self.looked > LOOK:
            try:
                found = self._partitions(1)
            except Missing:
                raise
            except Unavailable:
                found = []  # a slow answer: `read` notices brokers that are away
                self.looked = time.monotonic()
            new = [partition for partition in found if partition not in self.position]
            for partition in new:
                self.position[partition] = self._watermarks(partition)[0]
                self.host.log("info", f"partition {partition} is new")
            if new:
                self._assign()
        lag = 0
        for partition, position in self.position.items():
            low, high = self.consumer.get_watermark_offsets(self._place(partition), cached=True) or (-1, -1)
            if partition not in self.ends and high >= 0:
                lag += max(0, high - position)
        return lag, gaps

    def row_key(self, place):
        return f"{place[0]}:{place[1]}"

    def describe(self, place):
        return f"partition {place[0]} offset {place[1]}"

    def close(self):
        """Keeps the consumer: librdkafka reconnects by itself and knows its positions."""
