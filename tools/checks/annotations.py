#!/usr/bin/env python3
"""mypy, as mypy.ini says, over the `tenon` package and the tools."""

from __future__ import annotations

import subprocess

from repo import ROOT, files, finish


def main() -> None:
    problems: list[str] = []
    for prefix in ("tools/checks/", "tools/benchmarks/", "python/"):
        # A stub stands for its module: mypy reads it by itself.
        sources = [n for n in files(".py") if n.startswith(prefix) and "/tests/" not in n]
        if not sources:
            continue
        command = [str(ROOT / ".venv/bin/python"), "-m", "mypy", "--no-error-summary", *sources]
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            problems.append(f"mypy: {prefix}: see above")
    finish("annotations", problems, "Correct the annotations; mypy.ini holds the settings.")


if __name__ == "__main__":
    main()
