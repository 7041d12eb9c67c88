"""A seeded discrete-event simulation of a publisher, NATS, a relay and its clients.

Each process is a queue with one processor. Times are in seconds. The rules are those of the server:
turns of at most 4,096 rows, one patch in flight for each client, a minimum interval that grows with
slow acknowledgements (`Pace.swift`), and changes that coalesce until a client is due.
"""

import heapq
import random
from dataclasses import dataclass, field

# The constants of the server: `ServerConfiguration.rowsPerTurn`, `SourceEvent.partRows`,
# `Pace.classes`, `Pace.patience` and `Pace.fastRun`.
TURN_ROWS = 4_096
PART_ROWS = 4_096
CLASSES = [0, .016, .033, .05, .1, .15, .2, .3, .5, .75, 1, 1.5, 2, 3, 5, 10, 30, 60]
PATIENCE = .1
FAST_RUN = 4
# The rows of a client's window.
WINDOW = 60


@dataclass
class Costs:
    """Processor times in seconds, for a row, a message or a patch."""

    publish_row: float = 0
    publish_base: float = 0  # for each second
    nats_row: float = 0
    nats_base: float = 0
    relay_row: float = 0  # in the thread that reads the stream
    relay_thread_base: float = 0
    loop_row: float = 0  # in the loop
    loop_base: float = 0
    view_row: float = 0  # for each row and view
    view_batch: float = 0  # for each view in a turn with changes
    patch: float = 0  # of a window of its own, with its acknowledgement
    shared_patch: float = 0


@dataclass
class Load:
    rate: float  # rows a second
    batches: float = 10  # a second
    rows: int = 100_000
    clients: int = 0
    same: bool = False
    interval: float = .3
    round_trip: float = .0002
    views: int | None = None  # the different queries; those of W4 if None
    visible: float | None = None  # the share of due windows that have changed; by W4 if None


@dataclass
class Result:
    publisher: float = 0
    nats: float = 0
    thread: float = 0
    loop: float = 0
    patches: float = 0
    latencies: list = field(default_factory=list)
    backlog: int = 0

    @property
    def relay(self):
        return self.thread + self.loop

    def latency(self, share):
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0


class Events:
    """The queue of events."""

    def __init__(self):
        self.now, self.heap, self.number = 0.0, [], 0

    def at(self, time, action, *arguments):
        self.number += 1
        heapq.heappush(self.heap, (time, self.number, action, arguments))

    def run(self, end):
        while self.heap and self.heap[0][0] <= end:
            self.now, _, action, arguments = heapq.heappop(self.heap)
            action(*arguments)


class Processor:
    """A processor that serves requests in order."""

    def __init__(self, events):
        self.events, self.free, self.busy = events, 0.0, 0.0

    def work(self, seconds, action, *arguments):
        self.free = max(self.free, self.events.now) + seconds
        self.busy += seconds
        self.events.at(self.free, action, *arguments)


class Session:
    """A client of the relay: its throttle, its pace, and the patch in flight."""

    __slots__ = ("number", "place", "wanted", "current", "fast", "last", "in_flight", "waits", "known", "queued")

    def __init__(self, number, interval):
        self.number = number
        self.wanted = self.current = next(i for i, value in enumerate(CLASSES) if value >= interval)
        self.fast, self.last, self.in_flight, self.waits, self.queued = 0, -60.0, False, False, False
        self.known = 0  # the batches that the client has

    @property
    def interval(self):
        return CLASSES[self.current]

    def note_acknowledgement(self, delay):
        bound = max(self.interval, PATIENCE)
        if delay > bound:
            self.current, self.fast = min(self.current + 1, len(CLASSES) - 1), 0
        elif self.current > self.wanted and delay * 2 <= bound:
            self.fast += 1
            if self.fast == FAST_RUN:
                self.current, self.fast = self.current - 1, 0
        else:
            self.fast = 0


class Cluster:
    """One publisher, one NATS server, and one relay with its clients."""

    def __init__(self, costs, load, seed):
        self.costs, self.load, self.random = costs, load, random.Random(seed)
        self.events = Events()
        self.publisher, self.nats, self.thread, self.loop = (Processor(self.events) for _ in range(4))
        self.sessions = [Session(number, load.interval) for number in range(load.clients)]
        # Clients connect one after the other, so their first flushes are spread over an interval.
        for session in self.sessions:
            session.last = -self.random.random() * load.interval
        kinds = 1 if load.same else min(23, 3 + min(20, load.clients // 4)) if load.clients else 0
        self.views = load.views if load.views is not None else kinds
        self.inbox = self.mail = 0
        self.is_storing = self.is_turning = False
        self.handed, self.applied = [], 0
        self.due, self.alarm = [], 0.0
        self.result = Result()
        self.patches = 0
        self.counts = False

    # The publisher and NATS

    def tick(self, number):
        rows = round(self.load.rate / self.load.batches)
        self.handed.append((self.events.now, rows))
        self.inbox += rows
        self.events.at((number + 1) / self.load.batches, self.tick, number + 1)
        self.store()

    def store(self):
        if self.is_storing or self.inbox == 0:
            return
        rows = min(self.inbox, PART_ROWS)
        self.inbox -= rows
        self.is_storing = True
        self.publisher.work(rows * self.costs.publish_row, self.pass_on, rows)

    def pass_on(self, rows):
        self.nats.work(rows * self.costs.nats_row, self.acknowledge, rows)

    def acknowledge(self, rows):
        self.is_storing = False
        self.thread.work(rows * self.costs.relay_row, self.receive, rows)
        self.store()

    # The relay

    def receive(self, rows):
        self.mail += rows
        self.turn()

    def turn(self):
        """Begins a turn of the loop if there is work and none is running."""
        if self.is_turning:
            return
        rows = min(self.mail, TURN_ROWS)
        self.wake()
        if rows == 0 and not self.is_due():
            return
        self.mail -= rows
        self.is_turning = True
        costs = self.costs
        per_row = costs.loop_row + self.views * costs.view_row
        per_turn = self.views * costs.view_batch if rows else 0
        self.loop.work(rows * per_row + per_turn, self.apply, rows)

    def is_due(self):
        return bool(self.due) and self.due[0][0] <= self.events.now

    def apply(self, rows):
        if rows:
            self.applied += rows
            for session in self.sessions:
                if not session.waits:
                    session.waits = True
                    self.schedule(session)
        self.flush()

    def schedule(self, session):
        if session.waits and not session.in_flight and not session.queued:
            session.queued = True
            heapq.heappush(self.due, (max(self.events.now, session.last + session.interval), session.number))

    def wake(self):
        if self.due and self.due[0][0] > self.events.now and not self.events.now < self.alarm <= self.due[0][0]:
            self.alarm = self.due[0][0]
            self.events.at(self.alarm, self.turn)

    def flush(self):
        """Serves the clients that are due, one after another, and ends the turn after 10 ms."""
        began = self.events.now
        self.serve(began)

    def serve(self, began):
        if not self.is_due() or self.events.now - began > .01:
            self.is_turning = False
            return self.turn()
        session = self.sessions[heapq.heappop(self.due)[1]]
        session.queued = session.waits = False
        session.last = self.events.now
        rows = self.applied - session.known
        first, session.known = session.known, self.applied
        if not self.changes(session.number, rows):
            return self.loop.work(0, self.serve, began)
        cost = self.costs.shared_patch if self.load.same else self.costs.patch
        self.loop.work(cost, self.send, session, first, began)

    def send(self, session, first, began):
        session.in_flight = True
        if self.counts:
            self.patches += 1
            self.sample(first, session.known)
        self.events.at(self.events.now + self.load.round_trip, self.take, session, self.events.now)
        self.serve(began)

    def take(self, session, sent):
        session.in_flight = False
        session.note_acknowledgement(self.events.now - sent)
        self.schedule(session)
        self.turn()

    def sample(self, first, last):
        """Notes the age of one of the rows of a patch."""
        size = self.handed[0][1]
        place = self.random.randrange(first, last) // size if size and last > first else 0
        if place < len(self.handed):
            self.result.latencies.append(self.events.now + self.load.round_trip / 2 - self.handed[place][0])

    # The windows of W4: which of them a number of changed rows changes or moves

    def changes(self, number, rows):
        load = self.load
        if load.visible is not None:
            return self.random.random() < load.visible
        if load.same or number % 4 == 0:
            return rows > 0
        step = number // 4
        if number % 4 == 2:
            return self.poisson(rows * WINDOW / load.rows) > 0
        if number % 4 == 1:
            count, changed, place = load.rows, rows, 100 * step
        else:
            count, changed, place = load.rows / 20, self.poisson(rows / 20), 10 * step
        above = min(1, place / count)
        crossing = changed * above * (1 - above)
        touched = self.poisson(changed * 2 * min(1, WINDOW / count))
        return touched > 0 or self.poisson(crossing) != self.poisson(crossing)

    def poisson(self, mean):
        if mean > 30:
            return max(0, round(self.random.gauss(mean, mean ** .5)))
        limit, product, count = 2.718281828459045 ** -mean, self.random.random(), 0
        while product > limit:
            product *= self.random.random()
            count += 1
        return count

    def run(self, seconds, warm_up=2.0):
        self.events.at(0, self.tick, 0)
        self.events.run(warm_up)
        processors = (self.publisher, self.nats, self.thread, self.loop)
        before = [processor.busy for processor in processors]
        self.counts = True
        self.events.run(warm_up + seconds)
        costs, result = self.costs, self.result
        spent = [min(1, (processor.busy - first) / seconds) for processor, first in zip(processors, before)]
        result.publisher = spent[0] + costs.publish_base
        result.nats = spent[1] + costs.nats_base
        result.thread = spent[2] + costs.relay_thread_base
        result.loop = min(1, spent[3] + costs.loop_base)
        result.patches = self.patches / seconds
        result.backlog = self.inbox + self.mail
        return result


def simulate(costs, load, seed=1, seconds=3.0):
    return Cluster(costs, load, seed).run(seconds)


def join(clients, connect, window, seed=1):
    """Clients that connect at once: returns the times at which each has its window.

    The loop accepts connections first, because they wait in the kernel's queue.
    """
    chance = random.Random(seed)
    events = Events()
    loop = Processor(events)
    served = []
    arrivals = sorted(chance.random() * connect * clients for _ in range(clients))
    accepted = []
    for time in arrivals:
        loop.free = max(loop.free, time) + connect
        accepted.append(loop.free)
    loop.free = accepted[-1]
    for _ in accepted:
        loop.free += window
        served.append(loop.free)
    return served
