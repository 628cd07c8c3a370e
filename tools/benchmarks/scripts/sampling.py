"""Times work in this process and prints it as Google Benchmark does, for the rows that are Python.

Only the standard library: it runs in the environments of the peers too.
"""

from __future__ import annotations

import json
import re
import resource
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

# What a row is: statements (timed without a call around them) or a function, and their names.
Work = str | Callable[[], object]


def switches() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


def peak_memory() -> int:
    """In bytes, since exec."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) * 1024 if found else 0


def sample(name: str, work: Work, names: dict[str, Any], samples: int) -> list[dict[str, Any]]:
    """Samples of at least 2 ms, after two runs that do not count."""
    timer = timeit.Timer(work, globals=names, timer=time.perf_counter)
    timer.timeit(2)
    times = 1
    while (taken := timer.timeit(times)) < 0.002:
        times = max(2 * times, int(0.0022 / max(taken, 1e-9) * times))
    result = []
    for _ in range(samples):
        before = switches()
        taken = timer.timeit(times)
        result.append(
            {
                "run_name": name,
                "run_type": "iteration",
                "iterations": times,
                "real_time": taken / times * 1e9,
                "time_unit": "ns",
                "switches": switches() - before,
                "peak_memory": peak_memory(),
            }
        )
    return result


def run(
    rows: dict[str, Callable[[], tuple[Work, dict[str, Any]]]], wanted: list[str], samples: int
) -> None:
    """Measures the wanted of the rows, each of which prepares its work, and prints them."""
    measured = []
    for name in wanted:
        if name in rows:
            work, names = rows[name]()
            measured += sample(name, work, names, samples)
    print(json.dumps({"benchmarks": measured}))
