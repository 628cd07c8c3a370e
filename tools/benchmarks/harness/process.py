"""Runs the programs that measure, and reads their samples."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "tools/benchmarks/scripts"

# Away from the configuration of whoever runs it; the providers that the tree's tenon.toml names.
TENON = {"TENON_CONFIG": "/dev/null", "TENON_PROVIDERS_CPU": "onednn,cpu"}

REAL_TIME = 10  # priority among real-time processes, of which there are hardly any


@dataclass(frozen=True)
class Place:
    """Where the programs are, and whether they get the processors to themselves."""

    build: Path
    exclusive: bool = False

    def program(self, name: str) -> Path:
        return self.build / "bin" / name

    def prefix(self) -> list[str]:
        return ["chrt", "--fifo", str(REAL_TIME)] if self.exclusive else []


@dataclass(frozen=True)
class Series:
    """What one process measured of one row."""

    median: float
    clean: int  # samples during which the scheduler took no core away; all count if there are none
    samples: int
    peak_memory: float = 0
    amount: float = 0


def series(samples: Iterable[tuple[float, float]], **rest: float) -> Series:
    """Of pairs of a time and the involuntary context switches meanwhile."""
    samples = list(samples)
    clean = [time for time, switches in samples if not switches]
    chosen = clean or [time for time, _ in samples]
    return Series(statistics.median(chosen), len(clean), len(samples), **rest)


def best(rounds: list[Series]) -> Series:
    """The fastest process, of those that had clean samples if any had."""
    return min(rounds, key=lambda one: (one.clean == 0, one.median))


def environment(own: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **own}


def output(command: list[str], own: Mapping[str, str] = {}) -> str:
    result = subprocess.run(
        command, capture_output=True, text=True, env=environment(own), check=False
    )
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
    return result.stdout


def read(text: str) -> dict[str, Series]:
    """Google Benchmark's JSON, or what scripts/sampling.py makes of it."""
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in json.loads(text)["benchmarks"] if text.strip() else []:
        name = entry["run_name"].removesuffix("/real_time")
        if entry.get("error_occurred"):
            sys.exit(f"{name}: {entry['error_message']}")
        if entry["run_type"] == "iteration":
            found[name].append(entry)

    result: dict[str, Series] = {}
    for variant, entries in found.items():
        one = series(
            ((entry["real_time"], entry["switches"]) for entry in entries),
            peak_memory=max(entry["peak_memory"] for entry in entries),
            amount=entries[0].get("amount", 0),
        )
        # Variants of a row are told apart by what follows a colon; the fastest counts.
        name = variant.split(":")[0]
        result[name] = best([result[name], one]) if name in result else one
    return result


def google(
    place: Place, program: str, rows: list[str], samples: int, own: Mapping[str, str]
) -> dict[str, Series]:
    command = [
        *place.prefix(),
        str(place.program(program)),
        "--benchmark_format=json",
        "--benchmark_min_time=0.002",
        f"--benchmark_repetitions={samples}",
    ]
    if rows:
        command.append(f"--benchmark_filter=^({'|'.join(rows)})(:.*)?/real_time$")
    return read(output(command, own))


def script(
    place: Place, python: Path, name: str, arguments: list[str], own: Mapping[str, str]
) -> dict[str, Series]:
    command = [*place.prefix(), str(python), str(SCRIPTS / name), *arguments]
    return read(output(command, own))
