"""Draws the pictures of the benchmarks.

    plot.py [--check]            docs/images/benchmarks.svg from docs/benchmarks.json: a bar a run, from the least to the largest ratio where there were
                                 several; docs/images/scale.svg from docs/scale.json; and for each recorded run docs/runs/NAME.json its pictures
                                 docs/images/NAME-*.svg
    plot.py RUN.json DIRECTORY   the pictures of one run that `make bench` recorded: DIRECTORY/bench-ratios.svg, bench-times.svg
"""

import json
import math
import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEFT, WIDTH, ROW, TOP = 330, 380, 26, 64
COLOURS = {"Intel's runtime": "#1f6f8b", "PoCL (Debian's)": "#c8553d", "PoCL's main": "#7a5c99"}
# Of drivers, in the order of a run.
PALETTE = ["#2f7d4f", "#1f6f8b", "#c8553d", "#7a5c99", "#b08a2e"]
SHORT = {"Portable Computing Language": "PoCL", "Intel(R) OpenCL": "Intel"}
TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


def picture(height, title, subtitle, body):
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH} {height}" font-family="sans-serif" font-size="13">',
            f'<rect width="{LEFT + WIDTH}" height="{height}" fill="white"/>',
            f'<text x="12" y="24" font-size="16" font-weight="bold">{escape(title)}</text>',
            f'<text x="12" y="44" fill="#555">{escape(subtitle)}</text>',
            *body,
            "</svg>\n",
        ]
    )


def summary(runs):
    scale = WIDTH / (max(max(run["ratios"]) for run in runs) * 1.3)
    height = TOP + ROW * len(runs) + 16
    lines = []
    for index, run in enumerate(runs):
        y = TOP + ROW * index
        low, high = min(run["ratios"]), max(run["ratios"])
        label = f"{run['peer']} — {run['machine'].split(',')[0]}, {run['target']}"
        value = f"{low}" if low == high else f"{low} to {high}"
        colour = COLOURS[run["peer"]]
        lines += [
            f'<text x="{LEFT - 10}" y="{y + 17}" text-anchor="end">{escape(label)}</text>',
            f'<rect x="{LEFT}" y="{y + 4}" width="{low * scale:.1f}" height="{ROW - 8}" fill="{colour}"/>',
            f'<rect x="{LEFT + low * scale:.1f}" y="{y + 4}" width="{(high - low) * scale:.1f}" height="{ROW - 8}" fill="{colour}" opacity="0.5"/>',
            f'<text x="{LEFT + high * scale + 6:.1f}" y="{y + 17}">{value}</text>',
        ]
    one = LEFT + scale
    lines.append(f'<line x1="{one:.1f}" x2="{one:.1f}" y1="{TOP}" y2="{height - 12}" stroke="black" stroke-dasharray="3 3"/>')
    return picture(height, "How many times as fast as other drivers", "geometric mean of all rows of make bench; dashed: as fast", lines)


def of_run(run):
    """When and where a run was."""
    return f"{run['machine']}, {run['processors']} processors, {run['date']}, {run['command']}"


def bars(run, title, subtitle, rows, mark):
    """A group of bars a row, a bar a driver, on a logarithmic scale. A row is its label, and numbers (or None) with their texts. Names of drivers by colour
    stand above. Bars begin at a dashed line at the number `mark`, if there is one, else at the left."""
    numbers = [number for _, values in rows for number, _ in values if number]
    if not numbers:
        return None
    low, high = math.log10(min(numbers + ([mark] if mark else []))), math.log10(max(numbers + ([mark] if mark else [])))
    low, high = low - 0.1 * (high - low) - 0.01, high + 0.25 * (high - low) + 0.01

    def place(number):
        return LEFT + WIDTH * (math.log10(number) - low) / (high - low)

    thin, lines, y = 15, [], TOP + 24
    base = place(mark) if mark else LEFT
    # The drivers that have bars: all, or all but the first.
    first = len(run["drivers"]) - len(rows[0][1])
    for index, driver in list(enumerate(run["drivers"]))[first:]:
        x, name = 12 + 230 * (index - first), driver["platform"]
        lines.append(f'<rect x="{x}" y="{TOP - 6}" width="11" height="11" fill="{PALETTE[index % len(PALETTE)]}"/>')
        lines.append(f'<text x="{x + 16}" y="{TOP + 4}">{escape(SHORT.get(name, name))} {escape(driver["driver"])}</text>')
    for label, values in rows:
        lines.append(f'<text x="{LEFT - 10}" y="{y + thin * len(values) / 2 + 4:.1f}" text-anchor="end">{escape(label)}</text>')
        for index, (number, text) in enumerate(values):
            if number:
                left, right = sorted((base, place(number)))
                colour = PALETTE[(index + first) % len(PALETTE)]
                lines.append(f'<rect x="{left:.1f}" y="{y + 1}" width="{right - left:.1f}" height="{thin - 2}" fill="{colour}"/>')
                lines.append(f'<text x="{right + 4:.1f}" y="{y + 12}" font-size="11">{escape(text)}</text>')
            y += thin
        y += 8
    if mark:
        lines.append(f'<line x1="{place(mark):.1f}" x2="{place(mark):.1f}" y1="{TOP + 18}" y2="{y}" stroke="black" stroke-dasharray="3 3"/>')
    return picture(y + 12, title, subtitle, lines)


def ratios(run):
    """For each row, how many times better the first driver is than each other."""
    rows = []
    for row in run["rows"]:
        own, *others = row["values"]
        values = []
        for other in others:
            ratio = (own / other if row["more_is_better"] else other / own) if own and other else None
            values.append((ratio, f"{ratio:.0f}" if ratio and ratio >= 10 else f"{ratio:.2g}" if ratio else ""))
        if any(number for number, _ in values):
            rows.append((row["name"], values))
    first = run["drivers"][0]["platform"]
    return bars(run, f"How many times better {first} is", of_run(run), rows, 1)


def times(run):
    """Rows that are times: launches, builds, transfers."""
    rows = [
        (row["name"], [(value and value * TIMES[row["unit"]], f"{value:.3g} {row['unit']}" if value else "") for value in row["values"]])
        for row in run["rows"]
        if row["unit"] in TIMES and any(row["values"])
    ]
    return bars(run, "What it takes (less is better)", of_run(run), rows, None)


def of_file(path, folder, name):
    """The pictures of a run, as paths and texts."""
    run = json.loads(path.read_text())
    drawn = {"ratios": ratios(run), "times": times(run)}
    return {folder / f"{name}-{kind}.svg": text for kind, text in drawn.items() if text}


def scale(launches):
    """For each launch a line: the share of the machine that works for it, by the number of cores."""
    height, left, width = 300, 60, LEFT + WIDTH - 90
    cores = [point[0] for point in launches[0]["points"]]
    bottom = TOP + height

    def place(number, share):
        return left + width * math.log2(number / cores[0]) / math.log2(cores[-1] / cores[0]), bottom - height * share

    lines = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = place(cores[0], share)[1]
        lines.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        lines.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    lines += [f'<text x="{place(number, 0)[0]:.1f}" y="{bottom + 18}" text-anchor="middle">{number}</text>' for number in cores]
    for index, launch in enumerate(launches):
        points = [place(number, share) for number, _, share in launch["points"]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        colour, y = PALETTE[index], bottom + 44 + 20 * index
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        total = launch["groups"] * launch["nanoseconds"] / 1e6
        text = f'{launch["groups"]:,} work-groups of {launch["nanoseconds"] / 1000:g} us: {total:,.{0 if total >= 10 else 1}f} ms of work'
        lines.append(f'<rect x="{left}" y="{y - 10}" width="11" height="11" fill="{colour}"/>')
        lines.append(f'<text x="{left + 18}" y="{y}">{escape(text)}</text>')
    return picture(
        bottom + 44 + 20 * len(launches), "What launches make of many cores", "share of all cores' time that goes into work-groups, by cores (simulated)", lines
    )


def all_pictures():
    pictures = {HERE / "images/benchmarks.svg": summary(json.loads((HERE / "benchmarks.json").read_text())["runs"])}
    pictures[HERE / "images/scale.svg"] = scale(json.loads((HERE / "scale.json").read_text()))
    for path in sorted((HERE / "runs").glob("*.json")):
        pictures |= of_file(path, HERE / "images", path.stem)
    return pictures


def main(arguments):
    if arguments and arguments != ["--check"]:
        pictures = of_file(Path(arguments[0]), Path(arguments[1]), "bench")
    else:
        pictures = all_pictures()
    for path, text in pictures.items():
        if arguments == ["--check"]:
            if not path.exists() or path.read_text() != text:
                return f"{path} is not what plot.py makes: run it"
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
            print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
