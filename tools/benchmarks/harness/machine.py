"""What machine this is, and which versions were measured."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

from harness import subjects
from harness.process import Place


def description() -> dict[str, Any]:
    processor = Path("/proc/cpuinfo").read_text()
    memory = Path("/proc/meminfo").read_text()
    flags = (
        set(found[1].split())
        if (found := re.search(r"^flags\s*:(.*)$", processor, re.M))
        else set()
    )
    model = re.search(r"^model name\s*:\s*(.*)$", processor, re.M)
    numbers = [
        re.search(rf"^{key}\s*:\s*(\d+)$", processor, re.M) for key in ("cpu family", "model")
    ]
    kilobytes = re.search(r"MemTotal:\s*(\d+)", memory)
    wanted = ("avx2", "avx512f", "avx512_bf16", "amx_bf16")
    return {
        "cpu": model[1] if model else "unknown",
        "family_model": "/".join(number[1] for number in numbers if number),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(kilobytes[1]) / 2**20) if kilobytes else 0,
        "features": [flag for flag in wanted if flag in flags],
    }


def distribution(python: Path, name: str) -> str | None:
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    result = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else None


def versions(place: Place) -> dict[str, str]:
    """Of everything that was there to be measured."""
    tenon = subprocess.run(
        [place.program("tenon"), "--version"], capture_output=True, text=True, check=False
    )
    found: dict[str, str | None] = {
        "tenon": tenon.stdout.split()[-1] if tenon.stdout else None,
        "numpy": distribution(subjects.PYTHON, "numpy"),
        "onednn": distribution(subjects.PYTHON, "onednn-cpu-gomp"),
    }
    if subjects.has_torch():
        found["torch"] = distribution(subjects.TORCH_PYTHON, "torch")
    return {name: version for name, version in found.items() if version}
