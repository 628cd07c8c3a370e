#!/usr/bin/env python3
"""Fails where a page names what is not there: a link, a path, a name of the code or a command.

Links and their anchors lead somewhere. In code, `core/plan.cc` is a path of the tree, `plan.h` some
file's name, `tn_call` or `descend` a word of the sources, and of `tools/...`, `tenon ...`, `cmake`,
`ctest` and `cpack` the script, the subcommand, the options, presets and targets exist. What a page
makes up for its reader to replace stands in docs_names.txt. Blocks of code are fenced and say their
language; tests/docs proves that they are true.
"""

from __future__ import annotations

import builtins
import json
import re
from functools import cache
from pathlib import PurePosixPath

from markdown import Page, parse
from repo import ROOT, files, finish, read, reasons

EXCEPTIONS = "tools/checks/docs_names.txt"
GENERATED = {"docs/ops.md", "docs/config.md"}  # compared with their sources by tests
FOLDERS = r"(?:abi|core|sdk|plugins|python|tests|tools|examples|docs|cmake|\.ci)"
PATH = re.compile(rf"{FOLDERS}(?:/[\w.*-]+)+/?")
FILE = re.compile(r"<?(?:[\w-]+/)*[\w-]+\.(?:h|cc|c|py|pyi|cmake|md)>?")
NAME = re.compile(r"(?:host->)?(?:\w+(?:::|\.))*([A-Za-z_]\w*)(?:\(\))?")
COMMAND = re.compile(r"(?:build/\w+/bin/)?tenon ([a-z].*)|(tools/\S+)(.*)|(cmake|ctest|cpack) (.*)")
PLACEHOLDER = re.compile(r"(?:^|/)(?:[A-Z]+|x|NAME.*)(?:/|$)|\.\.\.")


@cache
def sources() -> str:
    kinds = (".h", ".cc", ".c", ".py", ".pyi", ".toml", ".json", ".cmake", ".in", "CMakeLists.txt")
    scripts = [n for n in names() if re.fullmatch(r"tools/\w+", n)]
    return "\n".join(read(name) for name in [*files(*kinds), *scripts])


@cache
def words() -> set[str]:
    """Of the sources, of Python itself, and the stems of files."""
    stems = {PurePosixPath(name).stem for name in names()}
    return {*re.findall(r"\w+", sources()), *stems, *dir(builtins)}


@cache
def names() -> list[str]:
    return files("")


def bad_link(page: Page, target: str, anchors: dict[str, set[str]]) -> str | None:
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    place = (ROOT / page.name).parent / path if path else ROOT / page.name
    if not place.exists():
        return f"the link {target} leads nowhere"
    other = str(place.resolve().relative_to(ROOT))
    if anchor and other in anchors and anchor not in anchors[other]:
        return f"{other} has no heading #{anchor}"
    return None


def bad_path(page: Page, text: str) -> str | None:
    text = text.strip("<>")
    if PLACEHOLDER.search(text):
        return None
    if PATH.fullmatch(text):
        return None if any(ROOT.glob(text.rstrip("/"))) else f"there is no {text}"
    if FILE.fullmatch(text):
        here = str(PurePosixPath(page.name).parent / text)
        known = any(n == here or f"/{n}".endswith(f"/{text}") for n in names())
        if not known and f"#include <{text}>" not in sources():
            return f"no file is called {text}"
    return None


def missing_options(text: str, script: str) -> list[str]:
    given = re.findall(r"(?<!\S)(--[a-z][\w-]*)", text.partition("#")[0])
    return [f"{script} has no option {option}" for option in given if option not in code_of(script)]


@cache
def code_of(script: str) -> str:
    if script == "tenon":
        return "\n".join(read(n) for n in names() if n.startswith("tools/tenon/"))
    shared = [n for n in names() if n.startswith("tools/benchmarks/") and n.endswith(".py")]
    return "\n".join(read(n) for n in [script, *(shared if script == "tools/bench" else [])])


def bad_cmake(program: str, text: str) -> list[str]:
    presets = json.loads(read("CMakePresets.json"))
    kind = {"ctest": "test", "cpack": "package"}.get(program, "configure")
    kind = "build" if program == "cmake" and "--build" in text else kind
    known = {p["name"] for p in presets[f"{kind}Presets"] if not p.get("hidden")}
    problems = [
        f"there is no {kind} preset {name}"
        for name in re.findall(r"--preset[ =](\w+)", text)
        if name not in known and not name.isupper()
    ]
    for target in re.findall(r"--target[ =](\w+)", text):
        # tenon_add_plugin(cpu ...) makes the target tenon_cpu.
        if not {target, target.removeprefix("tenon_")} & words():
            problems.append(f"there is no target {target}")
    return problems


def bad_command(text: str) -> list[str]:
    problems: list[str] = []
    for part in re.split(r"&&|;|(?<= )\| ", text.partition(" # ")[0]):
        match = COMMAND.match(re.sub(r"^(?:[A-Z_]+=\S+ )+", "", part.strip().strip("$").strip()))
        if match is None:
            problems += [
                f"nothing builds {name}"
                for name in re.findall(r"build/\w+/bin/(\w+)", part)
                if name not in words()
            ]
            continue
        subcommand, script, arguments, program, rest = match.groups()
        if subcommand:
            said = re.match(r"(\w+)(?: ([a-z]\w+))?", subcommand)
            commands = re.findall(r'^ *\{"([a-z ]+)", "', code_of("tenon"), re.MULTILINE)
            if said and not {said[1], f"{said[1]} {said[2]}"} & set(commands):
                problems.append(f"tenon has no command {said[0]}")
            problems += missing_options(subcommand, "tenon")
        elif script in names():
            problems += missing_options(arguments, script)
        elif program:
            problems += bad_cmake(program, rest)
    return problems


def bad_name(text: str) -> str | None:
    match = NAME.fullmatch(text)
    # An operator's form in place has a name of its own, which is written nowhere: mish_.
    if match is None or {match[1], match[1].removesuffix("_")} & words():
        return None
    return f"no source has the word {match[1]}"


def check(page: Page, anchors: dict[str, set[str]]) -> list[tuple[int, str, str]]:
    """(line, what is said, what is wrong with it)"""
    problems: list[tuple[int, str, str]] = []
    for line, target in page.links:
        if wrong := bad_link(page, target, anchors):
            problems.append((line, target, wrong))
    for line, text in page.spans:
        wrong = bad_path(page, text) or (None if FILE.fullmatch(text) else bad_name(text))
        problems += [(line, text, w) for w in [*filter(None, [wrong]), *bad_command(text)]]
    for line, text in page.unfenced[:1]:
        problems.append((line, text, "a block of code says its language: ```sh and the like"))
    for line, text in page.block_lines:
        problems += [(line, text.strip(), wrong) for wrong in bad_command(text)]
        for match in re.finditer(rf"(?<![\w./-]){PATH.pattern}", text):
            if wrong := bad_path(page, match[0]):
                problems.append((line, match[0], wrong))
        for name in re.findall(r"\b(?:tn_|TN_)\w+\b(?!\*)", text):
            if wrong := bad_name(name):
                problems.append((line, name, wrong))
    return problems


def bad_decisions() -> list[str]:
    """Decisions are numbered without gaps, and each page's title begins with its number."""
    pages = [n for n in files(".md") if n.startswith("docs/decisions/")]
    problems = []
    for expected, name in enumerate(pages, 1):
        if not PurePosixPath(name).name.startswith(f"{expected:04}-"):
            problems.append(f"{name}: its number is not {expected:04}")
        if not re.match(rf"# 0*{expected}\b", read(name)):
            problems.append(f"{name}: its title does not begin with its number")
    return problems


def main() -> None:
    excused = reasons(EXCEPTIONS)
    used: set[str] = set()
    pages = [parse(name) for name in files(".md") if name not in GENERATED]
    anchors = {page.name: page.anchors for page in [*pages, *map(parse, GENERATED)]}
    problems = bad_decisions()
    for page in pages:
        for line, text, wrong in check(page, anchors):
            if text in excused:
                used.add(text)
            else:
                problems.append(f"{page.name}:{line}: {wrong}")
    problems += [f"{EXCEPTIONS}: no page needs {text} any more" for text in excused.keys() - used]
    finish("docs", problems, f"Correct the page, or explain the name in {EXCEPTIONS}.")


if __name__ == "__main__":
    main()
