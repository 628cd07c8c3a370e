"""The price of a call: nanoseconds, and instructions counted by callgrind.

Instructions are counted on the x86-64-v3 kernels, which valgrind can run. They do not depend on
what else the machine does.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness.process import ROOT, Place, Series, environment, output, series

CEILINGS = ROOT / "tools/benchmarks/ceilings.json"
ENVIRONMENT = {"TENON_CONFIG": "/dev/null", "TENON_PROVIDERS_CPU": "cpu"}


def calls(program: Path) -> dict[str, int]:
    """The rows of a program, and how many calls each is made of."""
    lines = output([str(program)]).splitlines()
    return {name: int(count) for name, count in (line.split() for line in lines)}


def timed(program: str, own: dict[str, str]) -> Callable[..., dict[str, Series]]:
    def measure(place: Place, rows: list[str], samples: int) -> dict[str, Series]:
        path = place.program(program)
        result = {}
        for name, count in calls(path).items():
            if f"overhead/{name}" not in rows:
                continue
            times = str(20_000 // count)
            lines = output([*place.prefix(), str(path), name, times, str(samples)], own)
            pairs = [line.split() for line in lines.splitlines()]
            result[f"overhead/{name}"] = series((float(ns), float(lost)) for ns, lost in pairs)
        return result

    return measure


def instructions(program: Path, name: str, count: int) -> float:
    """Per call: the difference of two runs, so that start and first calls do not count."""
    few, more = 20, 220
    counts = []
    with tempfile.TemporaryDirectory() as folder:
        for times in (few, more):
            valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
            command = [*valgrind, str(program), name, str(times), "1"]
            result = subprocess.run(
                command, capture_output=True, text=True, env=environment(ENVIRONMENT), check=False
            )
            found = re.search(r"Collected : (\d+)", result.stderr)
            if result.returncode or not found:
                sys.exit(f"{' '.join(command)}\n{result.stdout}{result.stderr}")
            counts.append(int(found[1]))
    return (counts[1] - counts[0]) / (more - few) / count


def counted(place: Place) -> dict[str, int]:
    """Instructions per call of each row."""
    program = place.program("bench_overhead")
    table = calls(program)
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda item: instructions(program, *item), table.items())
        return {f"overhead/{name}": round(count) for name, count in zip(table, found, strict=True)}


def ceilings() -> dict[str, int]:
    return {f"overhead/{name}": count for name, count in json.loads(CEILINGS.read_text()).items()}


def late(found: dict[str, int]) -> list[str]:
    """What to say of rows that have more instructions than committed, or no ceiling."""
    allowed = ceilings()
    return [
        f"{name}: {count} instructions a call, ceiling {allowed.get(name, 'missing')} "
        f"in {CEILINGS.relative_to(ROOT)}"
        for name, count in found.items()
        if count > allowed.get(name, 0)
    ]
