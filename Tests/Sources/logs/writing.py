"""Random log files of each format."""

import datetime
import json

WORDS = (
    "alpha beta gamma timeout connection refused user request Straße ÄRGER kelvin K İstanbul naïve "
    "日本 done failed Retry info error").split()
LEVELS = ["DEBUG", "INFO", "WARN", "ERROR"]
TRACES = [
    "Traceback (most recent call last):\n  File \"x.py\", line 1\n    raise\n"
    "ValueError: bad value\n",
    "\tat com.example.Main(Main.java:1)\nCaused by: java.io.IOException: no\n", "\n",
    "  indented\n"]


def text(random, words=None):
    return " ".join(random.choices(WORDS, k=words or random.randrange(1, 9)))


def times(random):
    """Times that increase and sometimes repeat."""
    now = datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)
    while True:
        yield now
        if random.random() < 0.7:
            now += datetime.timedelta(milliseconds=random.randrange(2_000))


def iso_line(random, now):
    stamp = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    level = random.choice(LEVELS)
    head = random.choice([f"{stamp} {level} ", f"[{stamp}] [{level}] ", f"{stamp} [main] {level} ", f"{stamp} "])
    return head + text(random)


def json_line(random, now):
    row = {"time": now.isoformat(timespec="milliseconds"), "level": random.choice(["debug", "info", "warn", "error"])}
    row["message"] = random.choice([
        text(random), text(random) + ' "quoted" \\ / \n\t', "\x1b[31mred\x1b[0m " + text(random),
        ""])
    if random.random() < 0.7:
        row["user"] = random.choice(["root", "Zoë", "user7"])
    row["took"] = random.choice([random.random() * 100, random.randrange(50)])
    row["count"] = random.randrange(1000)
    row["ok"] = random.random() < 0.5
    row["nested"] = {"a": random.randrange(3), "b": [1, text(random)]}
    nested = json.dumps(row.pop("nested"), separators=(",", ":"), ensure_ascii=False)
    body = json.dumps(row, ensure_ascii=random.random() < 0.5)
    return body[:-1] + ', "nested": ' + nested + "}"


def logfmt_line(random, now):
    message = json.dumps(text(random) + random.choice(["", ' "x"', "\\"]), ensure_ascii=False)
    return (
        f"ts={now.isoformat(timespec='milliseconds')} level={random.choice(['info', 'error'])} "
        f"msg={message} status={random.choice([200, 404, 500])} took={random.random():.4f}")


def syslog_line(random, now):
    head = random.choice(["", f"<{random.randrange(192)}>"])
    return (
        f"{head}{now:%b} {now.day:2} {now:%H:%M:%S} host{random.randrange(3)} "
        f"app{random.choice(['[' + str(random.randrange(9999)) + ']', ''])}: {text(random)}")


def syslog5424_line(random, now):
    data = random.choice(["-", '[id@1 k="v" q="a\\"]b"]', '[a x="1"][b y="2"]'])
    return (
        f"<{random.randrange(192)}>1 {now.isoformat()} host {random.choice(['app', '-'])} "
        f"{random.choice(['12', '-'])} ID{random.randrange(5)} {data} {text(random)}")


def access_line(random, now, is_combined=True):
    request = random.choice([
        f"GET /{text(random, 1)}?q={random.randrange(99)} HTTP/1.1", "POST /a/b HTTP/2.0", "-",
        'GET /\\"x HTTP/1.0'])
    line = (
        f'10.0.0.{random.randrange(9)} - {random.choice(["-", "zoe", "two words"])} '
        f'[{now:%d/%b/%Y:%H:%M:%S} +0000] "{request}" {random.choice([200, 301, 404, 503])} '
        f'{random.choice(["-", random.randrange(10**6)])}')
    return line + (f' "{random.choice(["-", "http://x/"])}" "Agent {text(random)}"' if is_combined else "")


def journal_line(random, now):
    message = text(random)
    row = {
        "__REALTIME_TIMESTAMP": str(int(now.timestamp() * 1e6)),
        "PRIORITY": str(random.randrange(8)), "_PID": str(random.randrange(9999)), "_HOSTNAME": "h"}
    row["MESSAGE"] = list(("\x1b[1m" + message).encode() + b"\xff") if random.random() < 0.2 else message
    if random.random() < 0.8:
        row["_SYSTEMD_UNIT"] = f"u{random.randrange(4)}.service"
        row["SYSLOG_IDENTIFIER"] = "x"
    return json.dumps(row, ensure_ascii=random.random() < 0.5)


def export_entry(random, now):
    message = (text(random) + random.choice(["", "\nsecond line"])).encode()
    body = (
        b"MESSAGE\n" + len(message).to_bytes(8, "little") + message + b"\n" if b"\n" in message
        or random.random() < 0.2 else b"MESSAGE=" + message + b"\n")
    head = (
        f"__CURSOR=s{random.randrange(10**6)}\n__REALTIME_TIMESTAMP={int(now.timestamp() * 1e6)}\n"
        f"PRIORITY={random.randrange(8)}\n_PID={random.randrange(99)}\n_HOSTNAME=h\n")
    return head.encode() + body + b"\n"


def plain_line(random, now):
    return text(random, 12)


LINES = {
    "iso": iso_line, "json": json_line, "logfmt": logfmt_line, "syslog": syslog_line,
    "syslog5424": syslog5424_line, "combined": access_line,
    "common": lambda random, now: access_line(random, now, False), "journal": journal_line,
    "export": export_entry, "plain": plain_line,
}
#: Formats whose lines may be followed by stack traces, bytes that are not UTF-8, and colours.
ROUGH = {"iso", "syslog", "plain"}


def write(random, form, count):
    """Returns the bytes of a random file."""
    clock = times(random)
    parts = []
    for _ in range(count):
        line = LINES[form](random, next(clock))
        line = line if isinstance(line, bytes) else line.encode() + b"\n"
        if form in ROUGH:
            if random.random() < 0.03:
                line = line[:-1] + random.choice([
                    b" \xff\xfe bad", b" \xe2\x82", b" nul\x00bell\x07", b" \x1b[31mred\x1b[0m",
                    b" del\x7f", b"\r"]) + b"\n"
            if random.random() < 0.05:
                line += random.choice(TRACES).encode()
        parts.append(line)
    return b"".join(parts)
