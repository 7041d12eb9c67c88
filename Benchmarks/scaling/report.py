"""The tables of docs/scaling.md."""

import model
import predict

DOCUMENT = model.FOLDER.parents[1] / "docs/scaling.md"


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in rows).join(
        ("| " + " | ".join(head) + " |\n|" + "-|" * len(head) + "\n", "\n"))


def costs(points):
    found, sizes = model.calibrate(points), model.snapshots(points)
    rows = [
        ("publisher, an update", found.publish_row), ("NATS with one relay, an update", found.nats_row),
        ("relay, an update, in the thread that reads", found.relay_row),
        ("relay, an update, in the loop", found.loop_row), ("relay, an update, for each view", found.view_row),
        ("relay, a turn with changes, for each view", found.view_batch),
        ("relay, a patch for a window of its own", found.patch),
        ("relay, a patch for a shared window", found.shared_patch),
        ("publisher, a row of a snapshot", sizes.write), ("relay, a row of a snapshot", sizes.read)]
    bytes_ = [
        ("an update in the stream", predict.row_bytes(points)), ("a row in a relay", sizes.row_bytes),
        ("a client with a window of its own, in a relay", predict.client_bytes(points)),
        ("a patch for such a client", predict.patch_bytes(points))]
    return table(
        ("cost", "figure"),
        [(name, f"{value * 1e6:.2f} µs") for name, value in rows]
        + [(name, f"{value:,.0f} bytes") for name, value in bytes_])


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def checks(found):
    return table(
        ("measured point", "unit", "measured", "simulated", "difference"),
        [(check.name, check.unit, number(check.measured), number(check.simulated), f"{100 * check.difference:+.0f} %")
         for check in found])


def parts(found):
    head = ("parts", "rows, updates/s each", "loop without clients", "clients a relay", "relays in all", "p99",
            "relay's memory", "a snapshot takes")
    return table(head, [
        (str(part.parts), f"{part.rows / 1e6:g}M, {part.rate / 1e3:g}k", f"{100 * part.rows_share:.0f} %",
         f"{part.clients:,}" if part.clients else "none", f"{part.parts * part.relays:,}" if part.relays else "–",
         f"{1e3 * part.p99:.0f} ms" if part.relays else "–", f"{part.relay_memory / 2 ** 30:.1f} GiB",
         f"{part.snapshot:.1f} s") for part in found])


def network(points, part):
    return table(("network", "in all", "a part or a relay"), [
        (name, f"{whole / 1e9:.2f} GB/s", f"{each / 1e6:.2f} MB/s")
        for name, whole, each in predict.network(points, part)])


def tables(points, found):
    every = [predict.part(points, count) for count in predict.PARTS]
    best = next(part for part in every if part.parts == 100)
    return {
        "costs": costs(points), "checks": checks(found),
        "limits": table(("what grows", "what ends it", "at"), predict.limits(points)),
        "parts": parts(every), "network": network(points, best)}


def filled(text, found):
    """Returns the document with these tables between its marks."""
    for name, lines in found.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        assert text.count(begin) == 1 and text.count(end) == 1, f"docs/scaling.md has no place for {name}"
        before, rest = text.split(begin)
        text = f"{before}{begin}{lines}{end}{rest.split(end)[1]}"
    return text
