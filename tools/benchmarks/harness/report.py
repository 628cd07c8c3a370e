"""Results as a text table, and as the tables of docs/performance.md."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.process import ROOT

DOCUMENT = ROOT / "docs/performance.md"
REASONS = ROOT / "tools/benchmarks/reasons.toml"
BEGIN, END = "<!-- results: written by tools/bench -->\n", "<!-- end of results -->\n"

Result = dict[str, Any]


def quantity(value: float | None, unit: str) -> str:
    """With three digits and the unit that makes the number readable."""
    if value is None:
        return "–"
    if unit == "instructions":
        return f"{value:.0f} instr"
    steps = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")]
    if unit == "bytes":
        steps = [(1e9, "GB"), (1e6, "MB"), (1e3, "KB"), (1, "B")]
    size, name = next((step for step in steps if abs(value) >= step[0]), steps[-1])
    scaled = value / size
    return f"{scaled:.{0 if scaled >= 100 else 1 if scaled >= 10 else 2}f} {name}"


def times(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}×"


Column = tuple[str, Callable[[Result], str]]

COLUMNS: list[Column] = [
    ("row", lambda r: str(r["name"])),
    ("Tenon", lambda r: quantity(r["median"], r["unit"])),
    ("limit", lambda r: quantity(r["limit"], r["unit"])),
    ("of limit", lambda r: times(r["of_limit"])),
    ("peer", lambda r: f"{quantity(r['peer'], r['unit'])} {r['peer_name'] or ''}".strip()),
    ("ratio", lambda r: times(r["ratio"])),
    ("instr", lambda r: "–" if r["instructions"] is None else str(r["instructions"])),
    ("ceiling", lambda r: "–" if r["ceiling"] is None else str(r["ceiling"])),
    ("goal", lambda r: quantity(r["goal"], r["goal_unit"])),
    ("met", lambda r: {True: "yes", False: "no", None: "–"}[r["met"]]),
]


def cells(rows: list[Result]) -> tuple[list[str], list[list[str]]]:
    """Without the columns that are empty throughout."""
    columns = [(title, [cell(row) for row in rows]) for title, cell in COLUMNS]
    columns = [(title, column) for title, column in columns if set(column) != {"–"}]
    return [title for title, _ in columns], [
        list(line) for line in zip(*(c for _, c in columns), strict=True)
    ]


def text(results: Result) -> str:
    titles, lines = cells(results["rows"])
    widths = [max(map(len, column)) for column in zip(titles, *lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in [titles, *lines]
    )


def table(rows: list[Result]) -> list[str]:
    titles, lines = cells(rows)
    rule = ["---", *["--:"] * (len(titles) - 1)]
    return [f"| {' | '.join(line)} |" for line in [titles, rule, *lines]]


def reasons() -> dict[str, str]:
    """Why a row misses its goal, by the row's name."""
    loaded: dict[str, str] = tomllib.loads(REASONS.read_text())
    return loaded


def distance(row: Result) -> float:
    reached = row["instructions"] if row["goal_unit"] == "instructions" else row["median"]
    return float(reached / row["goal"])


def missed(rows: list[Result]) -> list[str]:
    known = reasons()
    late = sorted((row for row in rows if row["met"] is False), key=distance, reverse=True)
    return [
        f"* `{row['name']}`: {times(distance(row))} its goal of "
        f"{quantity(row['goal'], row['goal_unit'])}. "
        f"{known.get(row['name'], 'The reason has not been looked for yet.')}"
        for row in late
    ]


def worst(rows: list[Result], key: str, count: int) -> str:
    """The rows with the largest of a ratio."""
    ranked = sorted((row for row in rows if row[key]), key=lambda row: -float(row[key]))
    return ", ".join(f"`{row['name']}` {times(row[key])}" for row in ranked[:count])


def markdown(results: Result) -> str:
    machine, rows, rates = results["machine"], results["rows"], results["limits"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    compared = [row for row in rows if row["ratio"]]
    ahead = sum(row["ratio"] < 1 for row in compared)
    judged = [row for row in rows if row["met"] is not None]
    reached = sum(row["met"] for row in judged)
    lines = [
        f"`{results['command']}` on {machine['cpu']} (family/model {machine['family_model']}), "
        f"{machine['cores']} cores, {machine['memory_gib']} GiB, {' '.join(machine['features'])}; "
        f"{versions}.",
        "",
        "### The machine's limits",
        "",
        "| what | figure |",
        "|---|--:|",
        *(
            f"| {name} | {rate:.0f} {'GFLOP/s' if name.startswith('fma') else 'GB/s'} |"
            if not name.startswith("call")
            else f"| {name} | {quantity(rate, 'ns')} |"
            for name, rate in rates.items()
        ),
    ]
    for group in dict.fromkeys(row["group"] for row in rows):
        lines += ["", f"### {group}", "", *table([row for row in rows if row["group"] == group])]
    lines += [
        "",
        "### Worst ratios",
        "",
        f"{ahead} of {len(compared)} rows are ahead of the fastest peer; "
        f"{reached} of {len(judged)} reach their goal.",
        "",
        f"* To the fastest peer: {worst(rows, 'ratio', 8)}.",
        f"* To the limit: {worst(rows, 'of_limit', 8)}.",
    ]
    if late := missed(rows):
        lines += ["", "### Goals missed", "", *late]
    return "\n".join(lines) + "\n"


def document(results: Result, path: Path = DOCUMENT) -> None:
    """Rewrites what stands between the marks."""
    before, _, rest = path.read_text().partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"{path}: the marks of the results are missing")
    path.write_text(f"{before}{BEGIN}\n{markdown(results)}\n{END}{after}")
