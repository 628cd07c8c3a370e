#!/usr/bin/env python3
"""clang-format for C and C++, ruff for Python. `--fix` rewrites the files instead."""

from __future__ import annotations

import re
import subprocess
import sys

from repo import CPP, ROOT, files, finish


def run(*command: str) -> bool:
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def misformatted(sources: list[str]) -> list[str]:
    """The first place in each file that clang-format would change."""
    command = ["clang-format", "--dry-run", "--ferror-limit=1", *sources]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stderr
    places: dict[str, str] = {}
    for match in re.finditer(r"^([^:\n]+):(\d+):\d+: (?:warning|error): (.*)$", told, re.MULTILINE):
        places.setdefault(match[1], f"{match[1]}:{match[2]}: {match[3]}")
    return list(places.values())


def main() -> None:
    fix = "--fix" in sys.argv[1:]
    python = str(ROOT / ".venv/bin/python")
    problems: list[str] = []

    sources = files(*CPP)
    if fix and sources and not run("clang-format", "-i", *sources):
        problems.append("clang-format: see above")
    if sources:
        problems += misformatted(sources)
    if scripts := files(".py", ".pyi"):
        ruff = (python, "-m", "ruff")
        if not run(*ruff, "check", "--quiet", *(["--fix"] if fix else []), *scripts):
            problems.append("ruff check: see above")
        if not run(*ruff, "format", "--quiet", *([] if fix else ["--check", "--diff"]), *scripts):
            problems.append("ruff format: see above")
    finish("formatting", problems, "Run `tools/checks/formatting.py --fix`.")


if __name__ == "__main__":
    main()
