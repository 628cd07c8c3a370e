#!/usr/bin/env python3
"""Fails where an include goes against the arrows, or where folders include each other in a circle.

abi <- core;  abi <- sdk <- {each plugin, python, tests, tools, examples}. The core never includes
the sdk, a plugin never another plugin, and nothing but core includes core.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import PurePosixPath

from repo import CPP, ROOT, files, finish, read

MAY_INCLUDE = {"abi": set(), "core": {"abi"}, "sdk": {"abi"}}
USERS_MAY_INCLUDE = {"abi", "sdk"}
PUBLIC_ROOTS = ("abi/include", "sdk/include")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def part(name: str) -> str:
    """`abi`, `core`, ... or, as each plugin is a part of its own, `plugins/NAME`."""
    pieces = PurePosixPath(name).parts
    return "/".join(pieces[:2]) if pieces[0] == "plugins" else pieces[0]


def normal(name: PurePosixPath) -> str:
    pieces: list[str] = []
    for piece in name.parts:
        if piece == ".." and pieces:
            pieces.pop()
        elif piece != ".":
            pieces.append(piece)
    return "/".join(pieces)


def resolve(includer: str, text: str) -> str | None:
    """The repository's file that an include means; null for the system's and generated ones."""
    roots = [*PurePosixPath(includer).parents, *map(PurePosixPath, PUBLIC_ROOTS)]
    for root in roots:
        candidate = normal(root / text)
        if candidate and (ROOT / candidate).is_file():
            return candidate
    return None


def circle(graph: dict[str, dict[str, str]]) -> list[str] | None:
    """Some circle of folders, as `A -> B: example` lines."""
    done: set[str] = set()
    path: list[str] = []

    def visit(folder: str) -> list[str] | None:
        if folder in path:
            ring = [*path[path.index(folder) :], folder]
            return [f"  {a} -> {b}: {graph[a][b]}" for a, b in pairwise(ring)]
        if folder in done:
            return None
        path.append(folder)
        for other in graph.get(folder, {}):
            if found := visit(other):
                return found
        path.pop()
        done.add(folder)
        return None

    for folder in graph:
        if found := visit(folder):
            return found
    return None


def main() -> None:
    problems: list[str] = []
    graph: dict[str, dict[str, str]] = {}

    headers: dict[str, str] = {}
    for name in files(".h"):
        for root in PUBLIC_ROOTS:
            if name.startswith(root + "/"):
                short = name.removeprefix(root + "/")
                if short in headers:
                    problems.append(f"{name}: {headers[short]} has the same name; rename one")
                headers[short] = name

    for name in files(*CPP):
        source = read(name)
        me = part(name)
        allowed = MAY_INCLUDE.get(me, USERS_MAY_INCLUDE)
        for match in INCLUDE.finditer(source):
            where = f"{name}:{source.count(chr(10), 0, match.start()) + 1}"
            quote, text = match.groups()
            target = resolve(name, text)
            if target is None:
                if quote == '"':
                    problems.append(f'{where}: no file "{text}" in the repository; use <{text}>')
                continue
            if part(target) != me and part(target) not in allowed:
                problems.append(f"{where}: {me} may not include {target}")
            here, there = (str(PurePosixPath(p).parent) for p in (name, target))
            if here != there:
                graph.setdefault(here, {}).setdefault(there, f"{where} includes {target}")

    if ring := circle(graph):
        problems.append("\n".join(["folders include each other in a circle:", *ring]))
    finish("layers", problems, "Move the shared piece down, to a folder that both may include.")


if __name__ == "__main__":
    main()
