"""One run: every row of some groups, by everyone who has it, and what the numbers mean together."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import Any

from harness import machine, overhead, subjects
from harness.process import Place, Series, best
from harness.rows import GROUPS, Goal, Row

# Subjects that are measured for limits only.
FLOORS = ("python", "empty", "limits")

Rounds = dict[str, dict[str, list[Series]]]  # subject, row, one of each round


class Measured:
    """The best of all rounds."""

    def __init__(self, rounds: Rounds) -> None:
        self.rounds = rounds

    def series(self, subject: str, row: str) -> Series | None:
        found = self.rounds.get(subject, {}).get(row)
        return best(found) if found else None

    def time(self, subject: str, row: str) -> float | None:
        found = self.series(subject, row)
        return found.median if found else None

    def rate(self, name: str) -> float:
        # Without bf16 arithmetic in the processor it is done in f32.
        found = self.series("limits", name) or self.series("limits", "fma_f32")
        assert found, name
        return found.amount / found.median

    def value(self, subject: str, row: Row) -> float | None:
        """In the row's unit."""
        if not row.process:
            return self.time(subject, row.name)
        found = self.rounds.get(subject, {}).get(row.process)
        return min(one.peak_memory for one in found) if found else None


def measure(groups: list[str], place: Place, rounds: int, samples: int) -> Measured:
    found: Rounds = defaultdict(lambda: defaultdict(list))
    for number in range(1, rounds + 1):
        for group in groups:
            # Anew for each: how fast memory is depends on what else the machine does meanwhile.
            for row, one in subjects.limits(place, samples).items():
                found["limits"][row].append(one)
            names = [row.name for row in GROUPS[group] if not row.process]
            # Steps of training get a process each, for its peak memory.
            parts = [[name] for name in names] if group == "training" else [names]
            for subject, run in subjects.of_group(group, place).items():
                if sys.stderr.isatty():
                    print(f"round {number} of {rounds}: {group}, {subject}", file=sys.stderr)
                for part in parts:
                    for row, one in run(place, part, samples).items():
                        found[subject][row].append(one)
    return Measured(found)


def goal(row: Row, limit: float | None, peers: dict[str, float]) -> float | None:
    """The most that the row may take, in its unit or in instructions."""
    wanted: Goal | None = row.goal
    if wanted is None:
        return None
    if wanted.kind in ("value", "instructions"):
        return wanted.value
    base = limit if wanted.kind == "limit" else peers.get(wanted.kind)
    return None if base is None else base * wanted.value


def result(row: Row, measured: Measured, counts: dict[str, int]) -> dict[str, Any]:
    """The keys are told in docs/performance.md."""
    median = measured.value("tenon", row)
    if median is None:
        sys.exit(f"{row.name}: Tenon has no such row")
    peers = {
        subject: value
        for subject in measured.rounds
        if subject not in ("tenon", *FLOORS) and (value := measured.value(subject, row)) is not None
    }
    fastest = min(peers, key=lambda name: peers[name]) if peers else None
    limit = row.limit(measured) if row.limit else None
    most = goal(row, limit, peers)
    in_instructions = row.goal is not None and row.goal.kind == "instructions"
    reached = counts.get(row.name) if in_instructions else median
    own = measured.series("tenon", row.process or row.name)
    return {
        "name": row.name,
        "group": row.group,
        "unit": row.unit,
        "median": median,
        "limit": limit,
        "of_limit": median / limit if limit else None,
        "peer": peers[fastest] if fastest else None,
        "peer_name": fastest,
        "peers": peers,
        "ratio": median / peers[fastest] if fastest else None,
        "instructions": counts.get(row.name),
        "ceiling": overhead.ceilings().get(row.name),
        "goal": most,
        "goal_unit": "instructions" if in_instructions else row.unit,
        "met": None if most is None or reached is None else reached <= most,
        "clean_samples": own.clean if own else 0,
        "samples": own.samples if own else 0,
    }


def run(groups: list[str], place: Place, rounds: int, samples: int, command: str) -> dict[str, Any]:
    counts = overhead.counted(place) if "overhead" in groups else {}
    measured = measure(groups, place, rounds, samples)
    limits = measured.rounds["limits"]
    return {
        "command": command,
        "machine": machine.description(),
        "versions": machine.versions(place),
        "limits": {
            name: measured.rate(name) if best(one).amount else best(one).median
            for name, one in limits.items()
        },
        "rows": [result(row, measured, counts) for group in groups for row in GROUPS[group]],
    }
