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


@pytest.mark.parametrize("number", [2**63, 2**70, -(2**63) - 1])
@pytest.mark.parametrize(
    "give",
    [
        lambda x, n: x + n,
        lambda x, n: n * x,
        lambda x, n: x == n,
        lambda x, n: x.fill_(n),
        lambda x, n: x.clamp(max=n),
        lambda x, n: tn.add(x, x, alpha=n),
        lambda x, n: tn.full([2], n),
    ],
)
def test_a_number_beyond_64_bits_says_so(give: Any, number: int) -> None:
    """An OverflowError as in PyTorch, which lets numbers of less than 2**64 wrap around."""
    for dtype in (tn.f32, tn.i64, tn.u8, tn.bool):
        with pytest.raises(OverflowError, match="which does not fit into 64 bits"):
            give(tn.ones(2, dtype=dtype), number)


def test_a_float_of_that_size_is_a_number() -> None:
    assert (tn.ones(2) + float(2**70)).tolist() == [2.0**70, 2.0**70]


def test_what_is_wrong_beside_a_number_beyond_64_bits_is_a_type_error() -> None:
    for wrong in (lambda: tn.relu(2**70), lambda: tn.add(tn.ones(2), "two", alpha=2**70)):
        with pytest.raises(TypeError, match="cannot be called with"):
            wrong()


def test_integers_are_not_computed_with_numbers_beyond_their_dtype() -> None:
    """PyTorch lets the number wrap around, here to 255 and 44."""
    x = tn.tensor([0, 1, 255], dtype=tn.u8)
    for number in (-1, 300):
        for give in (
            lambda n: x + n,
            lambda n: n - x,
            lambda n: x * n,
            lambda n: tn.where(x == x, x, n),
        ):
            with pytest.raises(ValueError, match=f"{number} does not fit into u8"):
                give(number)
    assert (x - 1).tolist() == [255, 0, 254]


# As PyTorch 2.15 prints them, of [0, 1, 255], [-128, 0, 127], the same as i32, and [True, False].
@pytest.mark.parametrize(
    ("limits", "u8", "i8", "i32", "truths"),
    [
        ((-1, None), [0, 1, 255], [-1, 0, 127], [-1, 0, 127], [1, 0]),
        ((-1, 5), [0, 1, 5], [-1, 0, 5], [-1, 0, 5], [1, 0]),
        ((None, 300), [0, 1, 255], [-128, 0, 127], [-128, 0, 127], [1, 0]),
        ((3, 300), [3, 3, 255], [3, 3, 127], [3, 3, 127], [3, 3]),
        ((-1, 300), [0, 1, 255], [-1, 0, 127], [-1, 0, 127], [1, 0]),
        ((-300, -200), None, None, [-200, -200, -200], [-200, -200]),
        ((300, 400), None, None, [300, 300, 300], [300, 300]),
        ((None, -1), None, [-128, -1, -1], [-128, -1, -1], [-1, -1]),
        ((256, None), None, None, [256, 256, 256], [256, 256]),
        ((-(2**63), 2**63 - 1), [0, 1, 255], [-128, 0, 127], [-128, 0, 127], [1, 0]),
    ],
)
def test_limits_beyond_a_dtype_limit_nothing_or_are_errors(
    limits: Any, u8: Any, i8: Any, i32: Any, truths: Any
) -> None:
    small = tn.tensor([-128, 0, 127], dtype=tn.i8)
    for x, expected in (
        (tn.tensor([0, 1, 255], dtype=tn.u8), u8),
        (small, i8),
        (small.to(tn.i32), i32),
    ):
        if expected is None:
            with pytest.raises(ValueError, match=r"does not fit into|cannot hold"):
                x.clamp(*limits)
            continue
        y = x.clamp(*limits)
        assert (y.dtype, y.tolist()) == (x.dtype, expected)
        assert tn.clamp(x, *limits, out=tn.empty(3, dtype=x.dtype)).tolist() == expected
        assert x.clone().clamp_(*limits).tolist() == expected
    y = tn.tensor([True, False]).clamp(*limits)
    assert (y.dtype, y.tolist()) == (tn.i64, truths)


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
