"""What the checks share: the files of the repository and one way to report."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP = (".h", ".cc", ".c", ".cu", ".cuh")


def files(*suffixes: str) -> list[str]:
    """Tracked and new (not ignored) files with one of these suffixes, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = sorted(set(listed.split("\0")) - {""})
    return [n for n in names if n.endswith(suffixes) and (ROOT / n).is_file()]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def reasons(name: str) -> dict[str, str]:
    """A list of exceptions, `KEY: reason` a line; `#` starts a comment line."""
    entries: dict[str, str] = {}
    for line in read(name).splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        key, _, reason = line.partition(": ")
        if not reason.strip():
            sys.exit(f"{name}: '{line}' gives no reason; write `KEY: reason`")
        entries[key.strip()] = reason.strip()
    return entries


def finish(check: str, problems: Iterable[str], fix: str) -> None:
    """Prints the problems and how to fix them, and exits accordingly."""
    problems = list(problems)
    for problem in problems:
        print(problem)
    if problems:
        print(f"{check}: {len(problems)} problem(s). {fix}")
    else:
        print(f"{check}: ok")
    sys.exit(bool(problems))
