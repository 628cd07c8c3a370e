#!/usr/bin/env python3
"""Compares the public headers with abi/abi.lock: layouts, values, constants and signatures.

The names come from the compiler's syntax tree of abi/include/tenon, the numbers from a C program
that is compiled against the headers. `--update` writes the lock. A line that changed or vanished
breaks every plugin that was built before, but for two kinds: the version, and the size of a struct
that begins with `size` and gained members at its end.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from repo import ROOT, files, finish

INCLUDE = "abi/include"
LOCK = ROOT / "abi/abi.lock"
HEADER = (
    "# Golden layout of the C ABI on LP64 Linux. Written by tools/checks/abi_lock.py --update.\n"
)
Node = dict[str, Any]


@dataclass
class Names:
    """What the headers declare, in their order."""

    structs: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # field path, type
    constants: list[tuple[str, str]] = field(default_factory=list)  # enum, constant
    lines: list[str] = field(default_factory=list)  # typedefs and functions, as they are


def headers() -> list[str]:
    return [n.removeprefix(INCLUDE + "/") for n in files(".h") if n.startswith(INCLUDE + "/")]


def compiler(*arguments: str, source: str) -> str:
    command = ["clang", "-std=c99", f"-I{ROOT / INCLUDE}", "-x", "c", *arguments, "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"abi_lock: the headers do not compile as C99:\n{done.stderr}")
    return done.stdout


def spelled(node: Node) -> str:
    """A type as written, without the position that the compiler gives nameless ones."""
    written: str = node["type"]["qualType"]
    return re.sub(r"\((?:anonymous|unnamed) .*?\)", "nameless", written)


def fields(record: Node, prefix: str = "") -> Iterator[tuple[str, str]]:
    nameless: Node | None = None
    for node in record.get("inner", []):
        if node["kind"] == "RecordDecl" and "name" not in node:
            nameless = node
        elif node["kind"] == "FieldDecl":
            path = prefix + node.get("name", "")
            if node.get("isBitfield"):
                sys.exit(f"abi_lock: {path} is a bit-field; their layout is the compiler's choice")
            if "name" in node:
                yield path, spelled(node)
            if nameless and "nameless" in spelled(node):
                yield from fields(nameless, path + "." if "name" in node else prefix)
                nameless = None


def collect(tree: Node) -> Names:
    names = Names()
    for node in tree["inner"]:
        name = node.get("name", "")
        kind = node["kind"]
        if kind == "EnumDecl":
            for constant in node.get("inner", []):
                if constant.get("name", "").startswith("TN_"):
                    names.constants.append((name or "nameless", constant["name"]))
        elif not name.startswith("tn_"):
            continue
        elif kind == "RecordDecl" and node.get("completeDefinition"):
            names.structs[f"{node['tagUsed']} {name}"] = list(fields(node))
        elif kind == "TypedefDecl" and spelled(node) not in (f"struct {name}", f"enum {name}"):
            names.lines.append(f"typedef {name} = {spelled(node)}")
        elif kind == "FunctionDecl" and node.get("storageClass") != "static":
            names.lines.append(f"function {name}: {spelled(node)}")
    return names


def measure(names: Names, source: str) -> list[str]:
    """The lines that hold numbers, printed by a C program."""
    prints = []
    for struct, members in names.structs.items():
        prints.append(f'printf("{struct} size %zu\\n", sizeof({struct}));')
        for path, written in members:
            # Nothing in a type's spelling is special to printf or to a C string.
            prints.append(
                f'printf("{struct}.{path} offset %zu size %zu type {written}\\n", '
                f"offsetof({struct}, {path}), sizeof((({struct}*)0)->{path}));"
            )
    for enum, constant in names.constants:
        prints.append(f'printf("enum {enum} {constant} = %lld\\n", (long long){constant});')
    program = source + "#include <stdio.h>\nint main(void) {\n" + "\n".join(prints) + "\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        binary = Path(folder) / "layout"
        compiler("-o", str(binary), source=program)
        return subprocess.run(
            [binary], capture_output=True, text=True, check=True
        ).stdout.splitlines()


def macros(source: str) -> list[str]:
    """Constants that are macros, by their text; not include guards, nor macros with arguments."""
    defined = compiler("-dM", "-E", source=source).splitlines()
    found = (re.fullmatch(r"#define (TN_[A-Z0-9_]+) (\S.*)", line) for line in defined)
    return sorted(f"macro {m[1]} = {m[2]}" for m in found if m)


def current() -> list[str]:
    source = "".join(f"#include <{name}>\n" for name in headers())
    tree = json.loads(compiler("-fsyntax-only", "-Xclang", "-ast-dump=json", source=source))
    names = collect(tree)
    return [*macros(source), *measure(names, source), *names.lines]


def main() -> None:
    lines = current()
    if "--update" in sys.argv[1:]:
        LOCK.write_text(HEADER + "\n".join(lines) + "\n")
        print(f"abi_lock: wrote {len(lines)} lines to {LOCK.relative_to(ROOT)}")
        return
    if not LOCK.exists():
        sys.exit("abi_lock: there is no abi/abi.lock; write it with --update")
    locked = LOCK.read_text().splitlines()[1:]
    gone = [f"- {line}" for line in locked if line not in set(lines)]
    new = [f"+ {line}" for line in lines if line not in set(locked)]
    if gone:
        new.append(
            "Lines with a minus break what was built before, unless they are the version or the "
            "size of a struct that carries its size; undo the others, or raise the major."
        )
    finish("abi_lock", gone + new, "If this is meant: tools/checks/abi_lock.py --update")


if __name__ == "__main__":
    main()
