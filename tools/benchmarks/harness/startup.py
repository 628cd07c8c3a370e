"""Whole processes, from exec to exit, and their peak memory."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from harness.process import REAL_TIME, TENON, Place, Series, environment, output, series

Measure = Callable[[Place, list[str], int], dict[str, Series]]

# Arguments, and what is added to the environment.
Command = tuple[list[str], dict[str, str]]

# At least three runs, and more while they are quick.
PATIENCE = 1.0

ADD = "import {0} as lib; lib.ones(1) + lib.ones(1)"


def once(place: Place, command: list[str], own: dict[str, str]) -> tuple[float, int, str]:
    """Nanoseconds, involuntary context switches, and what it printed."""
    with tempfile.TemporaryFile() as printed:
        actions = [(os.POSIX_SPAWN_DUP2, printed.fileno(), 1)]
        scheduler: dict[str, Any] = (
            {"scheduler": (os.SCHED_FIFO, os.sched_param(REAL_TIME))} if place.exclusive else {}
        )
        start = time.perf_counter()
        child = os.posix_spawn(
            command[0], command, environment(own), file_actions=actions, **scheduler
        )
        _, status, usage = os.wait4(child, 0)
        taken = time.perf_counter() - start
        if status:
            sys.exit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
        printed.seek(0)
        return taken * 1e9, usage.ru_nivcsw, printed.read().decode()


def whole(place: Place, command: list[str], own: dict[str, str], samples: int) -> Series:
    once(place, command, own)
    runs: list[tuple[float, int, str]] = []
    start = time.perf_counter()
    while len(runs) < 3 or (len(runs) < samples and time.perf_counter() - start < PATIENCE):
        runs.append(once(place, command, own))
    printed = [text for _, _, text in runs if text]
    peak = max((float(text) for text in printed), default=0)
    return series(((taken, lost) for taken, lost, _ in runs), peak_memory=peak)


def stripped(library: Path) -> Series:
    with tempfile.NamedTemporaryFile() as copy:
        output(["strip", "-o", copy.name, str(library)])
        return series([(os.stat(copy.name).st_size, 0)])


def subjects(place: Place, python: Path, torch: Path | None) -> Iterator[tuple[str, Measure]]:
    def processes(table: dict[str, Command]) -> Measure:
        def measure(place: Place, rows: list[str], samples: int) -> dict[str, Series]:
            return {
                name: whole(place, command, own, samples)
                for name, (command, own) in table.items()
                if name in rows
            }

        return measure

    own = {**TENON, "TENON_PROVIDERS_CPU": "cpu"}

    def tenon(place: Place, rows: list[str], samples: int) -> dict[str, Series]:
        program = ([str(place.program("bench_startup"))], own)
        imported = (
            [str(python), "-c", ADD.format("tenon")],
            {**own, "PYTHONPATH": str(place.build / "python")},
        )
        found = processes({"startup/program": program, "startup/import": imported})(
            place, rows, samples
        )
        if "startup/libtenon" in rows:
            found["startup/libtenon"] = stripped(place.build / "lib/libtenon.so")
        return found

    yield "tenon", tenon
    yield "empty", processes({"startup/program": ([str(place.program("bench_startup_empty"))], {})})
    yield "python", processes({"startup/import": ([str(python), "-c", "pass"], {})})
    yield "numpy", processes({"startup/import": ([str(python), "-c", ADD.format("numpy")], {})})
    if torch:
        rows: dict[str, Command] = {"startup/import": ([str(torch), "-c", ADD.format("torch")], {})}
        if place.program("bench_startup_torch").exists():
            rows["startup/program"] = ([str(place.program("bench_startup_torch"))], {})
        yield "torch", processes(rows)
