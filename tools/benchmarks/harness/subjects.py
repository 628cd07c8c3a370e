"""Who runs the rows: Tenon, the peers that are installed, and what sets limits.

A subject gets the names of rows of one group and returns those that it has.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness import overhead, startup
from harness.process import ROOT, TENON, Place, Series, google, script

Measure = Callable[[Place, list[str], int], dict[str, Series]]

PYTHON = ROOT / ".venv/bin/python"
TORCH_PYTHON = ROOT / ".venv-bench/bin/python"

# PyTorch at its best: memory that is kept and on huge pages, threads bound to cores.
TORCH = {
    "GLIBC_TUNABLES": ":".join(
        f"glibc.malloc.{name}"
        for name in ("hugetlb=1", "mmap_max=0", "trim_threshold=17179869184", "top_pad=268435456")
    ),
    "OMP_PROC_BIND": "true",
}
BOUND = {"OMP_PROC_BIND": "true"}


def in_program(program: str, own: dict[str, str]) -> Measure:
    return lambda place, rows, samples: google(place, program, rows, samples, own)


def in_script(python: Path, name: str, own: dict[str, str], *first: str) -> Measure:
    return lambda place, rows, samples: script(
        place, python, name, [*first, str(samples), *rows], own
    )


def tenon_calls(place: Place, rows: list[str], samples: int) -> dict[str, Series]:
    own = {**TENON, "PYTHONPATH": str(place.build / "python")}
    return script(place, PYTHON, "python_calls.py", ["tenon", str(samples), *rows], own)


def has_torch() -> bool:
    return any(ROOT.glob(".venv-bench/lib/python3*/site-packages/torch"))


def of_group(group: str, place: Place) -> dict[str, Measure]:
    """The subjects of a group by name."""
    torch = has_torch()
    subjects: dict[str, Measure | None]
    if group == "overhead":
        subjects = {
            "tenon": overhead.timed("bench_overhead", overhead.ENVIRONMENT),
            "torch": overhead.timed("bench_overhead_torch", TORCH)
            if place.program("bench_overhead_torch").exists()
            else None,
        }
    elif group == "python":
        subjects = {
            "tenon": tenon_calls,
            "numpy": in_script(PYTHON, "python_calls.py", {}, "numpy"),
            "torch": in_script(TORCH_PYTHON, "python_calls.py", TORCH, "torch") if torch else None,
            "python": in_script(PYTHON, "python_calls.py", {}, "python"),
        }
    elif group == "startup":
        subjects = dict(startup.subjects(place, PYTHON, TORCH_PYTHON if torch else None))
    else:
        subjects = {
            "tenon": in_program("bench_tenon", TENON),
            "onednn": in_program("bench_onednn", BOUND)
            if place.program("bench_onednn").exists() and group in ("gemm", "conv")
            else None,
            "numpy": in_script(PYTHON, "numpy_rows.py", BOUND),
            "torch": in_script(TORCH_PYTHON, "torch_rows.py", TORCH) if torch else None,
        }
    return {name: measure for name, measure in subjects.items() if measure}


def limits(place: Place, samples: int) -> dict[str, Series]:
    return google(place, "bench_limits", [], samples, BOUND)
