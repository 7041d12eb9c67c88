#!/usr/bin/env python3
"""The tables of the tasks, as a program that speaks JSON lines: `source.py TABLE`.

All values follow from the row's number. Times are relative to the start of the program. The tests
import the rows to compute what a task must show.
"""

import json
import select
import sys
import time

MIB = 1024**2


def pick(words, at):
    return words[at % len(words)]


# The processes: the users' sums of memory differ, and so do all sizes.
USERS = ["postgres", "root", "web", "mail", "backup", "build"]
PROCESSES = [
    [1000 + n, 1000 + n, f"{pick(['nginx', 'sshd', 'postgres', 'cron', 'node', 'java', 'redis'], n * 3)}-{n}",
     pick(USERS, n * n // 7),
     "zombie" if n % 40 == 7 else "stopped" if n % 25 == 3 else pick(["running", "sleeping", "idle"], n),
     n * 37 % 1000 / 10, (n * 7919 % 997 + 3) * MIB, n * 61 + 30,
     f"/usr/sbin/daemon-{n} --config /etc/daemon/{n}.conf --listen 127.0.0.1:{8000 + n} --workers {n % 9}"]
    for n in range(120)
]  # fmt: skip

TEAMS = ["web", "data", "mobile", "infra"]
STATES = ["done", "failed", "running", "queued"]
MESSAGES = [
    "Copied all files to the archive and verified their checksums. No differences were found in any of them.",
    "The disk of the build host is full: 0 bytes of 512 GiB are free. Remove old artifacts, and try again.",
    "Step 3 of 7: compiling the modules of the service. The cache was empty, so this takes longer than usual.",
    "Waiting for a free worker. The queue has more jobs than workers since the last deployment of the day.",
]
# A job ended n + 0.5 minutes ago.
JOBS = [
    [
        n,
        f"job {n}",
        pick(TEAMS, n * 5 // 3),
        pick(STATES, n * 7 // 5),
        n % 4 == 0,
        n + 0.5,
        n * 71 % 300 + 5,
        pick(MESSAGES, n * 7 // 5),
    ]
    for n in range(80)
]
SKIPPED = "the duration is negative"

# Prices: the first ten change several times at the start. `ticks` changes all the time.
SECTORS = ["Energy", "Banks", "Chips", "Food"]
PRICES = [
    [n, f"SYM{n:02}", pick(SECTORS, n), 100 + n * 13 % 50 + 0.25, n * 7 % 21 - 10, n * 9973 % 100_000, 0]
    for n in range(40)
]
COURSE = [120.5, 118.25, 125.75, 131.0, 127.5, 140.25, 133.0]

LEVELS = ["INFO", "INFO", "DEBUG", "WARN", "INFO", "ERROR"]
SERVICES = ["auth", "billing", "search"]


def log_row(n):
    text = pick(["request served", "cache miss", "timeout after 30 s", "connection reset", "token refreshed"], n)
    return [pick(LEVELS, n), pick(SERVICES, n), f"{text} (entry {n})"]


def column(name, title, kind, **more):
    return {"name": name, "title": title, "type": kind, **more}


SCHEMAS = {
    "processes": {
        "title": "Processes", "key": "integer", "label": "name", "severity": "state", "columns": [
            column("pid", "PID", "integer", format="plain"),
            column("name", "Name", "text"),
            column("user", "User", "text"),
            column("state", "State", "text", style="badge", warn=["stopped"], critical=["zombie"]),
            column("cpu", "CPU", "number", unit="%", format="plain.1", style="bar"),
            column("memory", "Memory", "integer", style="bytes"),
            column("started", "Started", "timestamp", style="age"),
            column("command", "Command", "text"),
        ], "view": {"tiles": [{"function": "count"}]},
    },
    "jobs": {
        "title": "Jobs", "key": "integer", "label": "name", "columns": [
            column("name", "Job", "text"),
            column("team", "Team", "text"),
            column("state", "State", "text", style="badge", critical=["failed"]),
            column("retry", "Retry", "boolean"),
            column("ended", "Ended", "timestamp", style="age"),
            column("duration", "Duration", "number", style="duration"),
            column("message", "Message", "text"),
        ], "actions": [
            {"name": "again", "title": "Run again"},
            {"name": "stop", "title": "Stop", "confirm": "Its work is lost.", "danger": True},
        ],
    },
    "prices": {
        "title": "Prices", "key": "integer", "label": "symbol", "columns": [
            column("symbol", "Symbol", "text"),
            column("sector", "Sector", "text"),
            column("price", "Price", "number", format="plain.2", better="higher", history=20),
            column("change", "Change", "number", unit="%"),
            column("volume", "Volume", "integer"),
            column("ticks", "Ticks", "integer"),
        ],
    },
    "logs": {
        "title": "Log", "key": "integer", "newest": "end", "severity": "level", "columns": [
            column("time", "Time", "timestamp", format="time"),
            column("level", "Level", "text", style="badge", warn=["WARN"], critical=["ERROR"]),
            column("service", "Service", "text"),
            column("message", "Message", "text"),
        ],
    },
}  # fmt: skip


def send(kind, **members):
    print(json.dumps({"type": kind, **members}), flush=True)


def rows_of(table, now):
    """Returns the rows at the start of the program; `now` is in milliseconds."""
    if table == "processes":
        return [[*row[:7], now - row[7] * 1000, row[8]] for row in PROCESSES]
    if table == "jobs":
        return [[*row[:5], now - int(row[5] * 60_000), *row[6:]] for row in JOBS]
    if table == "prices":
        return PRICES
    return [[n, now - (300 - n) * 1000, *log_row(n)] for n in range(300)]


def act(table, message):
    """Performs an action on a job."""
    name = next(row[1] for row in JOBS if row[0] == message["key"])
    is_again = message["action"] == "again"
    send("update", key=message["key"], row={"state": "queued" if is_again else "failed"})
    send("acted", id=message["id"], result=f"{name} {'waits for a worker' if is_again else 'was stopped'}")


def main():
    table = sys.argv[1]
    send("hello", version=1, capabilities=["health"])
    send("schema", name=table, **SCHEMAS[table])
    send("reload")
    send("upsert", rows=rows_of(table, int(time.time() * 1000)))
    send("commit")
    if table == "jobs":
        send("reject", key=900, reason=SKIPPED)
        send("reject", key=901, reason=SKIPPED)
    if table == "prices":
        for price in COURSE:
            send("update", rows=[[n, {"price": price + n}] for n in range(10)])
    turn = 0
    while True:
        # Prices and logs change four times a second; the other tables only by actions.
        ready, _, _ = select.select([sys.stdin], [], [], 0.25 if table in ("prices", "logs") else None)
        if ready:
            line = sys.stdin.readline()
            if line == "":
                return
            message = json.loads(line)
            if message["type"] == "health":
                send("health", id=message["id"])
            elif message["type"] == "action":
                act(table, message)
            continue
        turn += 1
        if table == "prices":
            send("update", rows=[[n, {"ticks": turn}] for n in range(40)])
        else:
            n = 299 + turn
            send("upsert", rows=[[n, int(time.time() * 1000), *log_row(n)]])


if __name__ == "__main__":
    main()
