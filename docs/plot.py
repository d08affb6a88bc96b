"""Draws docs/images/benchmarks.svg from docs/benchmarks.json: a bar a run, from the least to the largest ratio where there were several."""

import json
import sys
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
LEFT, WIDTH, ROW, TOP = 330, 380, 26, 64
COLOURS = {"Intel's runtime, 2026": "#1f6f8b", "PoCL (Debian's)": "#c8553d"}


def plot(runs):
    most = max(max(run["ratios"]) for run in runs)
    scale = WIDTH / (most * 1.15)
    height = TOP + ROW * len(runs) + 16
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH} {height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{LEFT + WIDTH}" height="{height}" fill="white"/>',
        '<text x="12" y="24" font-size="16" font-weight="bold">How many times as fast as other drivers</text>',
        '<text x="12" y="44" fill="#555">geometric mean of all rows of make bench; dashed: as fast</text>',
    ]
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
    return "\n".join([*lines, "</svg>\n"])


if __name__ == "__main__":
    text = plot(json.loads((HERE / "benchmarks.json").read_text())["runs"])
    picture = HERE / "images/benchmarks.svg"
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if picture.read_text() == text else f"{picture} is not what plot.py makes: run it")
    picture.parent.mkdir(exist_ok=True)
    picture.write_text(text)
