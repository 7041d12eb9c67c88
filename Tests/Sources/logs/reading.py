"""A plain reading of log files, to compare the program with: slow, whole files, and written
without looking at its code."""

import codecs
import datetime
import json
import re

codecs.register_error("each", lambda fault: ("\ufffd" * (fault.end - fault.start), fault.end))
LIMIT = 16_384
SEVERITIES = "emergency alert critical error warning notice info debug".split()


def clean(raw):
    text = raw.decode("utf-8", "each")
    text = re.sub(r"\x1b\[[\x20-\x3f]*[\x40-\x7e]?", "", text)
    text = re.sub(r"\r(?=\n|$)", "", text)
    return re.sub(
        r"[\x00-\x08\x0b-\x1f\x7f]",
        lambda found: "\u2421" if found[0] == "\x7f" else chr(0x2400 + ord(found[0])), text)


def records(data, joins_errors=False, mark=None):
    """Returns (offset, line number, bytes) of each record."""
    result, offset = [], 0
    for number, line in enumerate(
            data.splitlines(keepends=True) if b"\r" not in data
            else re.findall(rb"[^\n]*\n|[^\n]+$", data),
            1):
        if mark is not None:
            joins = not line.startswith(mark)
        else:
            joins = re.match(rb"[ \t\n]|\r\n|at |Caused by|Traceback", line) is not None
            joins = (
                joins or joins_errors
                and re.match(
                    rb"[A-Za-z][\w.]*(Error|Exception|Warning|Interrupt|Exit)(:|\r|\n|$)",
                    line) is not None)
        if joins and result:
            result[-1][2] += line
        else:
            result.append([offset, number, line])
        offset += len(line)
    return [(start, number, text.rstrip(b"\r\n")) for start, number, text in result]


def moment(text):
    """Milliseconds of an ISO time."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)([.,]\d+)?(Z|[+-]\d\d:?\d\d)?", text)
    if not found:
        return None
    zone = found[4] or "Z"
    zone = "+00:00" if zone == "Z" else zone if ":" in zone else zone[:3] + ":" + zone[3:]
    whole = datetime.datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}")
    fraction = int((found[3] or ".0")[1:].ljust(9, "0")[:9])
    return written(int(whole.timestamp()) * 10**9 + fraction)


def written(nanoseconds):
    """A time as the program writes it."""
    whole, rest = divmod(nanoseconds, 10**6)
    return whole if rest == 0 else f"{whole}.{rest:06}"


def iso(text):
    found = re.match(r"\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)\]?[ \t]*", text)
    if not found:
        return {"message": text}
    rest = text[found.end():]
    level = re.match(r"(?i)\[?(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)(?![\w.])[\]:]?[ \t]*(?:- )?", rest)
    row = {"time": moment(found[1])}
    if level:
        row["level"], rest = level[1], rest[level.end():]
    else:
        named = re.match(r"\[[\w-]+\] (TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b", rest)
        if named:
            row["level"] = named[1]
    row["message"] = rest
    return row


def ndjson(text):
    try:
        members = json.loads(text)
        assert isinstance(members, dict)
    except (ValueError, AssertionError):
        return {"message": text}
    row, other = {}, []
    for key, value in members.items():
        if key in ("time", "level", "message", "user", "took", "count", "ok"):
            row[key] = value
        else:
            row[key] = (
                value if isinstance(value, str) or value is None
                else json.dumps(value, separators=(",", ":"), ensure_ascii=False))
    if "time" in row:
        row["time"] = moment(row["time"])
    for key in ("message", "user", "level"):
        if isinstance(row.get(key), str):
            row[key] = clean(
                row[key].encode("utf-8", "surrogatepass")
                if not re.search("[\ud800-\udfff]", row[key])
                else re.sub("[\ud800-\udfff]", "\ufffd", row[key]).encode())
    return row


def logfmt(text):
    if not re.match(r'[^\s="]+=', text):
        return {"message": text}
    row = {}
    for found in re.finditer(r'([^\s=]+)=("(?:[^"\\]|\\.)*"|\S*)', text):
        value = json.loads(found[2]) if found[2].startswith('"') else found[2]
        row[found[1]] = value
    row["time"] = moment(row.pop("ts"))
    row["message"] = row.pop("msg")
    row["status"] = int(row["status"])
    row["took"] = float(row["took"])
    return row


def syslog(text):
    found = re.match(
        r"(?:<(\d+)>)?([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (\S+) ([^\s:\[]+)(?:\[(\d+)\])?: "
        r"?(.*)",
        text, re.S)
    if not found:
        return {"message": text}
    time = datetime.datetime.strptime("2026 " + found[2], "%Y %b %d %H:%M:%S").replace(tzinfo=datetime.timezone.utc)
    row = {"time": int(time.timestamp()) * 1000, "host": found[3], "app": found[4], "message": found[6]}
    if found[5]:
        row["pid"] = int(found[5])
    if found[1]:
        row["level"], row["facility"] = SEVERITIES[int(found[1]) & 7], int(found[1]) >> 3
    return row


def syslog5424(text):
    found = re.match(
        r'<(\d+)>1 (\S+) (\S+) (\S+) (\S+) (\S+) (-|(?:\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])+) ?(.*)',
        text, re.S)
    if not found:
        return {"message": text}
    names = ("host", "app", "pid", "msgid", "data")
    row = {name: value for name, value in zip(names, found.groups()[2:7]) if value != "-"}
    row.update(
        time=moment(found[2]) if found[2] != "-" else None, message=found[8],
        level=SEVERITIES[int(found[1]) & 7], facility=int(found[1]) >> 3)
    return row


def access(text):
    found = re.match(
        r'(\S+) (\S+) (.*?) \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d+) (\d+|-)(?: '
        r'"((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)")?',
        text)
    if not found:
        return {"message": text}
    time = datetime.datetime.strptime(found[4], "%d/%b/%Y:%H:%M:%S %z")
    status = int(found[6])
    row = {
        "time": int(time.timestamp()) * 1000, "client": found[1], "ident": found[2],
        "user": found[3], "message": found[5], "status": status}
    row["level"] = "error" if status >= 500 else "warning" if status >= 400 else "info"
    if found[7] != "-":
        row["size"] = int(found[7])
    words = found[5].split(" ", 1)
    if len(words) == 2:
        row["method"], row["path"] = words[0], re.sub(r" HTTP/[^/]*$", "", words[1])
    row["referrer"], row["agent"] = found[8], found[9]
    return {key: None if value == "-" and key != "message" else value for key, value in row.items()}


def journal(text):
    members = json.loads(text)
    message = members.get("MESSAGE")
    if isinstance(message, list):
        message = bytes(message)
    else:
        message = message.encode()
    row = {
        "time": written(int(members["__REALTIME_TIMESTAMP"]) * 1000),
        "level": SEVERITIES[int(members["PRIORITY"])], "message": clean(message)}
    row.update(
        unit=members.get("_SYSTEMD_UNIT"), identifier=members.get("SYSLOG_IDENTIFIER"),
        pid=int(members["_PID"]), host=members["_HOSTNAME"])
    row["command"] = None
    return row


def export(raw):
    row = {}
    names = {"_SYSTEMD_UNIT": "unit", "SYSLOG_IDENTIFIER": "identifier", "_HOSTNAME": "host", "MESSAGE": "message"}
    while raw:
        line, _, rest = raw.partition(b"\n")
        key, equals, value = line.partition(b"=")
        if not equals and line:
            length = int.from_bytes(rest[:8], "little")
            value, rest = rest[8 : 8 + length], rest[9 + length :]
        raw, key = rest, key.decode()
        if key in names:
            row[names[key]] = clean(value)
        elif key == "PRIORITY":
            row["level"] = SEVERITIES[int(value)]
        elif key == "_PID":
            row["pid"] = int(value)
        elif key == "__REALTIME_TIMESTAMP":
            row["time"] = written(int(value) * 1000)
    return row


READERS = {
    "iso": (iso, {"joins_errors": True}), "json": (ndjson, {}), "logfmt": (logfmt, {}),
    "syslog": (syslog, {"joins_errors": True}),
    "syslog5424": (syslog5424, {}), "combined": (access, {}), "common": (access, {}), "journal": (journal, {}),
    "export": (export, {"mark": b"__CURSOR="}), "plain": (lambda text: {"message": text}, {}),
}


def read(data, form, columns):
    """Returns the rows of a file: the offset, and a cell for each column."""
    reader, rules = READERS[form]
    rows = []
    for offset, number, raw in records(data, **rules):
        row = reader(raw if form == "export" else clean(raw))
        row["line"] = number
        rows.append((offset, [row.get(column) for column in columns]))
    return rows
