"""Dtypes of results: element-wise operators over all pairs of dtypes and kinds of operands."""

from __future__ import annotations

import operator
from itertools import product
from typing import Any

import pytest
import tenon as tn
from harness.arguments import ALL, In, Make, dtype_name, tensor
from harness.calls import samples_of
from harness.promotion import KINDS, NUMBERS, category, compute_dtype, result_dtype
from harness.registry import facts, handle
from harness.row import Row
from samples import ROWS

REFUSED = (TypeError, NotImplementedError, ValueError, RuntimeError)


def is_pointwise(row: Row) -> bool:
    return facts()[row.name].kind == "pointwise" and not row.in_place_only


POINTWISE = [row for row in ROWS if is_pointwise(row)]


def operand(dtype: str, kind: str) -> Any:
    if kind == "number":
        return NUMBERS[dtype]
    return tensor(Make(dtype, "promotion").of([1, 1] if kind == "dims" else 1))


def kinds(dtype: str) -> list[str]:
    return [kind for kind in KINDS if kind != "number" or dtype in NUMBERS]


OPERANDS = [(dtype, kind) for dtype in ALL for kind in kinds(dtype)]


@pytest.mark.parametrize("row", POINTWISE, ids=str)
def test_promotion(row: Row) -> None:
    sample = samples_of(row, row.dtypes[-1])[0]
    places = [i for i, value in enumerate(sample.args) if isinstance(value, In)]
    varied = [i for i in places if sample.args[i].dtype != "bool" or row.dtypes[-1] == "bool"][:2]
    for given in product(OPERANDS, repeat=len(varied)):
        if all(kind == "number" for _, kind in given):
            continue
        check(row, sample, places, dict(zip(varied, given, strict=True)))


def check(row: Row, sample: Any, places: list[int], given: dict[int, tuple[str, str]]) -> None:
    args = list(sample.args)
    operands = []
    for i in places:
        # What is not varied joins as a mask, or as the last of those that are.
        mask = sample.args[i].dtype == "bool" and i not in given
        operands.append(given.get(i, ("bool", "dims") if mask else list(given.values())[-1]))
        args[i] = operand(*operands[-1])
    numbers = {i: v for i, v in enumerate(args) if i not in places and v is not None}
    where = f"{row} of {operands}"
    rule = row.result if isinstance(row.result, str) else "same"
    compute = compute_dtype(rule if rule != "bool" else "common", operands)
    if compute in row.dtypes and (operands[0][1] != "number" or rule not in ("first", "same")):
        result = handle(row.name)(*args, **sample.kwargs)
        assert dtype_name(result) == result_dtype(rule, operands), where
    elif category(compute) >= 0 and not numbers:
        with pytest.raises(REFUSED):
            handle(row.name)(*args, **sample.kwargs)


@pytest.mark.parametrize("dtype", ["u8", "i8", "i16", "i32", "i64"])
def test_float_limits_of_integers_promote(dtype: str) -> None:
    x = tn.tensor([0, 1, 2, 3], dtype=getattr(tn, dtype))
    for limits, expected in (
        ((0.5, 2.5), [0.5, 1, 2, 2.5]),
        ((1.5, None), [1.5, 1.5, 2, 3]),
        ((1, 2.5), [1, 1, 2, 2.5]),
    ):
        y = x.clamp(*limits)
        assert (y.dtype, y.tolist()) == (tn.f32, expected)
        assert tn.clamp(x.to(device="meta"), *limits).dtype is tn.f32
    assert x.clamp(1, 2).dtype is x.dtype
    with pytest.raises((TypeError, ValueError, RuntimeError), match="f32"):
        x.clamp_(0.5, 2.5)
    assert x.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("op", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("dtype", ["u8", "i8", "i16", "i32"])
def test_integers_are_compared_with_numbers_beyond_their_dtype(op: str, dtype: str) -> None:
    """As Python compares them; PyTorch raises or lets the number wrap around."""
    values = [0, 1, 100, 127]
    x = tn.tensor(values, dtype=getattr(tn, dtype))
    for number in (-1, 44, 128, 255, 300, -300, 2**31, -(2**31) - 1, 2**63 - 1, -(2**63)):
        expected = [getattr(operator, op)(value, number) for value in values]
        assert getattr(tn, op)(x, number).tolist() == expected, number
        assert getattr(tn, op)(x[::2], number).tolist() == expected[::2], number


@pytest.mark.parametrize("give", [lambda x, n: x + n, tn.add, lambda x, n: tn.full([2], n)])
def test_a_number_beyond_64_bits_says_so(give: Any) -> None:
    with pytest.raises(TypeError, match="which does not fit into 64 bits"):
        give(tn.ones(2), 2**70)
    assert (tn.ones(2) + float(2**70)).tolist() == [2.0**70, 2.0**70]


@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (lambda: tn.empty([2]), "f32"),
        (lambda: tn.zeros([2]), "f32"),
        (lambda: tn.ones([2]), "f32"),
        (lambda: tn.rand([2]), "f32"),
        (lambda: tn.randn([2]), "f32"),
        (lambda: tn.eye(2), "f32"),
        (lambda: tn.linspace(0, 1, 3), "f32"),
        (lambda: tn.scalar_tensor(1), "f32"),
        (lambda: tn.full([2], True), "bool"),
        (lambda: tn.full([2], 1), "i64"),
        (lambda: tn.full([2], 1.0), "f32"),
        (lambda: tn.full([2], 1j), "c64"),
        (lambda: tn.arange(3), "i64"),
        (lambda: tn.arange(3.0), "f32"),
        (lambda: tn.arange(0, 3, 0.5), "f32"),
        (lambda: tn.randint(3, [2]), "i64"),
        (lambda: tn.randperm(3), "i64"),
    ],
)
def test_natural_dtype_of_factories(make: Any, dtype: str) -> None:
    assert dtype_name(make()) == dtype
    previous = tn.get_default_dtype()
    try:
        tn.set_default_dtype(tn.f64)
        wider = {"f32": "f64", "c64": "c128"}.get(dtype, dtype)
        assert dtype_name(make()) == wider
    finally:
        tn.set_default_dtype(previous)
