#!/usr/bin/env python3
"""Looks at the built libraries: what they export, need and weigh.

Every plugin exports `tn_plugin_entry` alone, needs no libtenon and has no thread-local storage: for
the initial-exec kind the process has little room, and without memory for the other kind the dynamic
loader ends the process. libtenon exports only `tn_*`, weighs at most 500 KB
stripped, and its thread-local segment has at most 64 bytes. `--build FOLDER` names the build tree.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from repo import ROOT, finish

LIBTENON_BYTES = 500_000
LIBTENON_TLS_BYTES = 64


def output(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exports(library: Path) -> list[str]:
    # The last column, without a symbol version; the version's own entry is absolute (A).
    rows = (line.split() for line in output("nm", "-D", "--defined-only", library).splitlines())
    return [row[-1].partition("@")[0] for row in rows if row[-2] != "A"]


def check_plugin(library: Path) -> list[str]:
    problems = []
    if (found := exports(library)) != ["tn_plugin_entry"]:
        problems.append(f"exports {', '.join(found) or 'nothing'}, not exactly tn_plugin_entry")
    dynamic = output("readelf", "-dW", library)
    if re.search(r"NEEDED.*\[libtenon\.so", dynamic):
        problems.append("needs libtenon; all that a plugin calls comes from the host table")
    if re.search(r"^\s*TLS ", output("readelf", "-lW", library), re.M):
        problems.append("has thread-local storage; use pthread_getspecific")
    return [f"{library}: {problem}" for problem in problems]


def check_libtenon(library: Path) -> list[str]:
    problems = []
    if stray := [name for name in exports(library) if not name.startswith("tn_")]:
        problems.append(f"exports {', '.join(stray[:5])} ({len(stray)} without the prefix tn_)")
    with tempfile.NamedTemporaryFile() as stripped:
        output("strip", "-o", stripped.name, library)
        size = Path(stripped.name).stat().st_size
    print(f"{library}: {size} bytes stripped")
    if size > LIBTENON_BYTES:
        problems.append(f"has {size} bytes stripped, more than {LIBTENON_BYTES}")
    tls = re.search(
        r"^\s*TLS(?:\s+0x[0-9a-f]+){4}\s+(0x[0-9a-f]+)", output("readelf", "-lW", library), re.M
    )
    if tls and int(tls[1], 16) > LIBTENON_TLS_BYTES:
        problems.append(
            f"has {int(tls[1], 16)} bytes of thread-local storage, more than "
            f"{LIBTENON_TLS_BYTES}; put them behind a pointer"
        )
    return [f"{library}: {problem}" for problem in problems]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=str(ROOT / "build/release"), help="a build tree")
    library_dir = Path(parser.parse_args().build) / "lib"
    if not (library_dir / "libtenon.so").exists():
        sys.exit(f"plugins: no {library_dir}/libtenon.so; build first: tools/test")

    problems = check_libtenon(library_dir / "libtenon.so")
    for manifest in sorted((library_dir / "tenon/plugins").glob("*.plugin.toml")):
        libraries = tomllib.loads(manifest.read_text()).get("library", [])
        if not libraries:
            problems.append(f"{manifest}: lists no [[library]]")
        for entry in libraries:
            library = manifest.parent / entry["file"]
            if library.exists():
                problems += check_plugin(library)
            else:
                problems.append(f"{manifest}: {entry['file']} was not built")
    finish(
        "plugins", problems, "Plugins are built with tenon_add_plugin (cmake/TenonPlugin.cmake)."
    )


if __name__ == "__main__":
    main()
