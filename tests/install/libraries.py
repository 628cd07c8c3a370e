"""Which libraries a folder of them needs and lacks."""

import re
import subprocess
from pathlib import Path

# What every machine has on which Tenon is to run: glibc, and the runtimes of GCC.
SYSTEM = {
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libgomp.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libstdc++.so.6",
}


def lacking(folder: Path) -> dict[str, set[str]]:
    """By file, what it needs that is neither in the folder nor part of the system."""
    files = list(folder.rglob("*.so*"))
    assert len(files) > 5
    here = SYSTEM | {path.name for path in files}
    answer = {}
    for path in files:
        dynamic = subprocess.run(
            ["readelf", "-d", path], capture_output=True, text=True, check=True
        ).stdout
        answer[path.name] = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)) - here
    return {name: needed for name, needed in answer.items() if needed}
