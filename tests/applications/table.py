"""The table: a line a measured time, with a ratio to each peer, in seconds and in processor time."""

import math


def amount(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)):
        if seconds * scale >= 1:
            break
    return f"{seconds * scale:.3g} {unit}"


def cell(times):
    return "–" if times is None else f"{amount(times[0])} ({amount(times[1])})"


def ratio(ours, theirs):
    if ours is None or theirs is None:
        return "–"
    return " ".join(form.format(b / a if a else math.nan) for form, a, b in zip(("{:.2f}", "({:.2f})"), ours, theirs))


def lines(row):
    yield "cold", row["cold"]
    yield "warm", row["warm"]
    yield from row["steady"].items()


def markdown(found, names):
    ours, *peers = names
    text = [
        "| Program | What | " + " | ".join(names) + "".join(f" | by {peer}" for peer in peers) + " |",
        "|---" * (2 + len(names) + len(peers)) + "|",
    ]
    ratios = {(peer, kind): [] for peer in peers for kind in ("cold", "warm", "steady")}
    for row in found:
        for what, times in lines(row):
            if not times:
                continue
            cells = [cell(times.get(name)) for name in names] + [ratio(times.get(ours), times.get(peer)) for peer in peers]
            text.append(f"| {row['program']} | {what} | " + " | ".join(cells) + " |")
            for peer in peers:
                if times.get(ours) and times.get(peer):
                    kind = what if what in ("cold", "warm") else "steady"
                    ratios[peer, kind].append([b / max(a, 1e-9) for a, b in zip(times[ours], times[peer])])
        for name, reason in row["failed"].items():
            text.append(f"| {row['program']} | not on {name} | {reason.replace('|', '/')} |" + " |" * (len(names) + len(peers) - 1))
    text.append("")
    for (peer, kind), values in ratios.items():
        if values:
            means = [math.exp(sum(math.log(value[n]) for value in values) / len(values)) for n in range(2)]
            below = [sum(value[n] < 1 for value in values) for n in range(2)]
            text.append(
                f"{peer}, {kind}: {len(values)} rows, {means[0]:.2f} times as long ({means[1]:.2f} the processor time);"
                f" {below[0]} below 1 ({below[1]})"
            )
    return "\n".join(text)
