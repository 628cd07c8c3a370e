#!/usr/bin/env python3
"""clang-tidy, as .clang-tidy says, over every source that is built.

Most of its time goes into the standard library's headers, over and over. So sources of one folder
and one command are looked at together, as one file that includes them; those that do not compile
beside the others, as their unnamed namespaces share a name, come in a group of their own.

A source found clean is remembered by all that the answer depends on: the tool, its settings, the
command and the contents of the source and of what it includes from this tree. So only what a change
reaches is looked at again. The memory is `tenon/tidy` in the user's cache, as ccache's is.
`tidy.py PATH...` looks at these files or folders alone; `--build` names the build tree.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from repo import ROOT, finish

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^">]+)[">]', re.MULTILINE)
# gcc has flags and pragmas that clang does not know.
FOREIGN = [
    f"-Wno-{name}"
    for name in ("unknown-warning-option", "unknown-pragmas", "ignored-optimization-argument")
]
AT_ONCE = 24  # sources in a group: enough to share the headers, few enough to share the cores


@dataclass(frozen=True)
class Source:
    name: str  # relative to the root
    command: tuple[str, ...]  # without the source and the output


@cache
def contents(path: Path) -> tuple[str, tuple[str, ...]]:
    """A digest of a file, and what it includes, as written."""
    text = path.read_bytes()
    names = INCLUDE.findall(text.decode("utf-8", "replace"))
    return sha256(text).hexdigest(), tuple(names)


def reached(source: Source) -> dict[str, str]:
    """The digests of a source and of all that it includes from this tree and its build tree."""
    flags = [flag.removeprefix("-I") for flag in source.command if flag.startswith("-I")]
    folders = [Path(flag) for flag in flags if Path(flag).is_relative_to(ROOT)]
    found: dict[str, str] = {}
    pending = [ROOT / source.name]
    while pending:
        path = pending.pop()
        name = os.path.relpath(path, ROOT)
        if name in found:
            continue
        found[name], includes = contents(path)
        for include in includes:
            places = [Path(os.path.normpath(p / include)) for p in (path.parent, *folders)]
            pending += [place for place in places if place.is_file()][:1]
    return found


def sources(build: Path) -> list[Source]:
    """Each with one command, though the cpu plugin's are compiled once for each level."""
    chosen: dict[str, Source] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        name = os.path.relpath(entry["file"], ROOT)
        words = shlex.split(entry["command"])
        output = words.index("-o")
        command = [
            w for w in words[:output] + words[output + 2 :] if w not in ("-c", entry["file"])
        ]
        if not name.startswith("build/") and (ROOT / name).is_file():  # it may be gone since
            chosen.setdefault(name, Source(name, tuple(command)))
    return [chosen[name] for name in sorted(chosen)]


def question(source: Source, tool: str) -> str:
    """A digest of all that the answer depends on; the same wherever the tree lies."""
    command = " ".join(source.command).replace(str(ROOT), "")
    asked = [tool, command, sorted(reached(source).items())]
    return sha256(json.dumps(asked).encode()).hexdigest()


def groups(listed: list[Source]) -> list[list[Source]]:
    alike: dict[object, list[Source]] = {}
    for source in listed:
        path = Path(source.name)
        alike.setdefault((path.parent, path.suffix, source.command), []).append(source)
    return [some[i : i + AT_ONCE] for some in alike.values() for i in range(0, len(some), AT_ONCE)]


def parts_of(group: list[Source], file: Path) -> list[list[Source]]:
    """The group, or its parts where its sources do not compile together, as in `file`."""
    compiler = "clang" if file.suffix == ".c" else "clang++"
    command = [compiler, "-fsyntax-only", "-w", "-ferror-limit=0", *group[0].command[1:], str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return [group]
    named = set(re.findall(r"^([^:\n]+):\d+:\d+: (?:fatal )?error: ", done.stderr, re.MULTILINE))
    apart = [source for source in group if str(ROOT / source.name) in named]
    if 0 < len(apart) < len(group):
        return [[source for source in group if source not in apart], apart]
    # All are at odds, or it is a header of one that does not bear another.
    return [group[: len(group) // 2], group[len(group) // 2 :]]


def look(group: list[Source]) -> list[str]:
    """What clang-tidy says of a group."""
    with tempfile.TemporaryDirectory() as folder:
        file = ROOT / group[0].name
        if len(group) > 1:
            file = Path(folder) / f"together{file.suffix}"
            file.write_text("".join(f'#include "{ROOT / source.name}"\n' for source in group))
            parts = parts_of(group, file)
            if len(parts) > 1:
                return [said for part in parts for said in look(part)]
        command = ["clang-tidy", "--quiet", f"--config-file={ROOT / '.clang-tidy'}"]
        if len(group) > 1:
            command.append("--checks=-bugprone-suspicious-include")
        command += [str(file), "--", *group[0].command[1:], *FOREIGN]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    said = done.stdout.replace(f"{ROOT}/", "").strip()
    return [said or f"{group[0].name}: clang-tidy failed: {done.stderr.strip()}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="a build tree")
    parser.add_argument("paths", nargs="*", help="files or folders, relative to the root")
    options = parser.parse_args()
    if not (options.build / "compile_commands.json").exists():
        sys.exit(f"tidy: no compile_commands.json in {options.build}; build first: tools/test")

    version = ["clang-tidy", "--version"]
    tool = subprocess.run(version, capture_output=True, text=True, check=True).stdout
    tool += (ROOT / ".clang-tidy").read_text()
    memory = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tenon/tidy"
    memory.mkdir(parents=True, exist_ok=True)

    paths = options.paths or ["."]
    asked_for = [
        source
        for source in sources(options.build)
        if any(Path(source.name).is_relative_to(path) for path in paths)
    ]
    answers = {source: memory / question(source, tool) for source in asked_for}
    unknown = [source for source, answer in answers.items() if not answer.exists()]
    print(f"tidy: {len(asked_for)} files, {len(unknown)} of them new or changed", flush=True)

    def judge(group: list[Source]) -> list[str]:
        said = look(group)
        if not said:
            for source in group:
                answers[source].touch()
        return said

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        # What several say of one header is told once.
        said = dict.fromkeys(text for found in pool.map(judge, groups(unknown)) for text in found)
    finish("tidy", said, "Correct it, or leave the check out in .clang-tidy with the reason.")


if __name__ == "__main__":
    main()
