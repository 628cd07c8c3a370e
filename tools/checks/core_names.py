#!/usr/bin/env python3
"""Fails where core spells the name of an operator, a device or a plugin in a string literal.

Core knows roles, not names: whatever it names, it could not do without. Plugins' names are those of
the folders in plugins/, and fail anywhere in a literal; operators' names are also plain words, so
they fail only where they are a whole literal. core_names.txt lists the exceptions.
"""

from __future__ import annotations

import re

from repo import ROOT, files, finish, read, reasons

EXCEPTIONS = "tools/checks/core_names.txt"
# Folder names that are also words of core's own vocabulary.
PLAIN_WORDS = {"ops", "null", "meta", "sim"}
DEVICES = {"cpu", "cuda", "hip", "rocm", "opencl", "vulkan", "metal", "xla", "tpu", "npu", "xpu"}
# The ones a core is tempted to know: those it calls on its own behalf, and the usual examples.
OPERATORS = set(
    re.findall(
        r"\w+",
        """
        abs add arange as_strided bmm cat clone contiguous conv1d conv2d convolution copy_ detach
        div empty eq expand fill_ full gather index item layer_norm linear matmul mean mm mul neg
        normal_ ones permute relu reshape resize_ scatter select slice softmax sub sum to transpose
        uniform_ view where zero_ zeros
        """,
    )
)
# A comment, a character or a string; the alternatives keep quotes in one from starting another.
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])+'|R"\((?P<raw>.*?)\)"|"(?P<text>(?:\\.|[^"\\\n])*)\"""",
    re.DOTALL,
)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[^\n]*", re.MULTILINE)


def plugin_names() -> set[str]:
    folders = {path.parent.name for path in ROOT.glob("plugins/*/CMakeLists.txt")}
    return (folders | DEVICES) - PLAIN_WORDS


def offence(literal: str, names: set[str]) -> str | None:
    if literal in OPERATORS:
        return f"the operator '{literal}'"
    for word in re.findall(r"[a-z_0-9]+", literal):
        if word in names:
            return f"the device or plugin '{word}'"
    return None


def main() -> None:
    excused = reasons(EXCEPTIONS)
    used: set[str] = set()
    problems: list[str] = []
    names = plugin_names()
    for name in files(".cc", ".h"):
        if not name.startswith("core/") or name.startswith("core/tests/"):
            continue
        source = INCLUDE.sub(lambda m: " " * len(m[0]), read(name))
        for match in TOKEN.finditer(source):
            literal = match["text"] if match["text"] is not None else match["raw"]
            found = offence(literal, names) if literal else None
            if found is None:
                continue
            key = f'{name} "{literal}"'
            if key in excused:
                used.add(key)
                continue
            line = source.count("\n", 0, match.start()) + 1
            problems.append(f'{name}:{line}: "{literal}" names {found}')
    problems += [f"{EXCEPTIONS}: {key} is not there any more" for key in excused.keys() - used]
    finish("core_names", problems, f"Use a role or a declaration, or explain it in {EXCEPTIONS}.")


if __name__ == "__main__":
    main()
