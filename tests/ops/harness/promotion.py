"""PyTorch's rules for the dtype of a result, written down once more as a reference.

Source: torch.result_type and "Tensor Attributes" in PyTorch's documentation. Operands are tensors
with dimensions, tensors without, and numbers; a lower kind counts only where its category (bool <
integer < float < complex) is higher than what the kinds above it gave.
"""

from __future__ import annotations

from functools import reduce

from harness.arguments import COMPLEX, FLOATS, INTEGERS

DEFAULT = "f32"
KINDS = ("dims", "zero", "number")
NUMBERS = {"bool": True, "i64": 2, "f32": 1.5, "c64": 1 + 2j}
_SIZES = {"u8": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8}


def category(dtype: str) -> int:
    return 3 if dtype in COMPLEX else 2 if dtype in FLOATS else 1 if dtype in INTEGERS else 0


def promote(a: str, b: str) -> str:
    """The common dtype of two tensors of the same kind."""
    if a == b:
        return a
    low, high = sorted((a, b), key=category)
    if category(high) == 3:
        return "c128" if {"f64", "c128"} & {a, b} else "c64"
    if category(low) < category(high):
        return high
    if category(a) == 2:
        return "f64" if "f64" in (a, b) else "f32"
    if "u8" in (a, b):
        other = b if a == "u8" else a
        return "i16" if other == "i8" else other
    return max(a, b, key=_SIZES.__getitem__)


def result_type(operands: list[tuple[str, str]]) -> str:
    """The common dtype of operands, each (dtype, kind)."""
    groups = []
    for kind in KINDS:
        dtypes = [dtype for dtype, k in operands if k == kind]
        if dtypes:
            groups.append(reduce(promote, dtypes))
    return reduce(_combine, groups)


def _combine(higher: str, lower: str) -> str:
    if category(lower) <= category(higher):
        return higher
    if category(higher) == 2:  # joined by complex: the precision stays
        return "c128" if higher == "f64" else "c64"
    return promote(higher, lower)


def real(dtype: str) -> str:
    return {"c64": "f32", "c128": "f64"}.get(dtype, dtype)


def compute_dtype(rule: str, operands: list[tuple[str, str]]) -> str:
    """What an element-wise operator of that rule computes in."""
    if rule in ("first", "same"):
        return operands[0][0]
    common = result_type(operands[1:] if rule == "second" else operands)
    return DEFAULT if rule == "float" and category(common) < 2 else common


def result_dtype(rule: str, operands: list[tuple[str, str]]) -> str:
    """The dtype of a result by a row's rule."""
    if rule == "statistics":
        return "f32" if operands[0][0] in ("f16", "bf16") else operands[0][0]
    if rule == "other":
        return operands[1][0]
    if rule == "sum":
        return "i64" if category(operands[0][0]) < 2 else operands[0][0]
    if rule == "complex":
        return "c128" if operands[0][0] == "f64" else "c64"
    if rule == "real float":
        return real(compute_dtype("float", operands))
    if rule in ("same", "first", "common", "float", "real", "second"):
        compute = compute_dtype(rule, operands)
        return real(compute) if rule == "real" else compute
    return rule
