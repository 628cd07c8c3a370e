"""The live registry, as the command `tenon ops --json` prints it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import tenon as tn


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str  # without "?" and alias annotation: "Tensor", "Tensor[]", "int[2]", "Scalar"
    optional: bool
    has_default: bool
    keyword_only: bool


@dataclass(frozen=True)
class Facts:
    name: str
    schema: str
    kind: str
    forms: frozenset[str]
    tags: frozenset[str]
    device_rule: str
    parameters: tuple[Parameter, ...]


@cache
def facts() -> dict[str, Facts]:
    """Every operator by its full name."""
    beside = Path(tn.__file__).parents[2] / "bin" / "tenon"
    command = os.environ.get("TENON_COMMAND", str(beside))
    text = subprocess.run([command, "ops", "--json"], check=True, capture_output=True).stdout
    return {row["name"]: _facts(row) for row in json.loads(text)}


def handle(name: str) -> Any:
    """The operator as Python calls it, one overload of it."""
    return tn._C.operator(name if "." in name else name + ".default")


def in_place(name: str) -> Any:
    base, dot, overload = name.partition(".")
    return handle(base + "_" + dot + overload)


def _facts(row: dict[str, Any]) -> Facts:
    parameters = []
    keyword_only = False
    for text in _split(row["schema"][row["schema"].index("(") + 1 :]):
        if text == "*":
            keyword_only = True
            continue
        declared, _, default = text.partition("=")
        kind, _, name = re.sub(r"\([^()]*\)", "", declared).strip().rpartition(" ")
        parameters.append(
            Parameter(name, kind.rstrip("?"), kind.endswith("?"), bool(default), keyword_only)
        )
    return Facts(
        row["name"],
        row["schema"],
        row["kind"],
        frozenset(row["forms"]),
        frozenset(row["tags"]),
        row["device_rule"],
        tuple(parameters),
    )


def _split(text: str) -> list[str]:
    """The parameters in "Tensor(a) self, int[] dims=[]) -> ...": up to the bracket that closes."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        if letter in "([":
            depth += 1
        elif letter == "]" or (letter == ")" and depth > 0):
            depth -= 1
        elif depth == 0 and letter in ",)":
            parts.append(text[start:i].strip())
            start = i + 1
            if letter == ")":
                break
    return [part for part in parts if part]
