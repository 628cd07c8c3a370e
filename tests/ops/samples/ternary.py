"""Choosing, limiting and combining three tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, ALL_REALS, COMPLEX, FLOATS, NUMBERS, REALS, Make
from harness.row import Row, Sample, bad, call


def where(make: Make) -> Iterator[Sample]:
    yield call(make.mask(3, 71), make(3, 71), make(3, 71))
    yield call(make.mask(4, 1), make(3), make(2, 1, 1))
    yield call(make.mask(), make(), make())
    yield call(make.mask(0, 2), make(2), make(1))
    yield call(make.mask(5), make(5), True)


def masked_fill(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71), make.mask(3, 71), 1)
    yield call(make(4, 3), make.mask(3), make())
    yield call(make(), make.mask(), 0)
    yield call(make(0, 3), make.mask(3), 1)


def masked_fill_tensor(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71), make.mask(3, 71), make())
    yield call(make(4, 3), make.mask(3), make())
    yield call(make(0, 3), make.mask(3), make())


def clamp(make: Make) -> Iterator[Sample]:
    for limits in ((1, 2), (None, 1), (0, None), (2, 1)):
        yield call(make(3, 71, low=-3, high=3), *limits)
    yield call(make(), min=0)
    yield call(make(0, 3), 0, 1)


def clamped(x: Any, min: Any = None, max: Any = None) -> Any:
    x = x if min is None else np.maximum(x, min)
    return x if max is None else np.minimum(x, max)


def clamp_tensor(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71), make(3, 71), make(3, 71))
    yield call(make(4, 3), make(3), None)
    yield call(make(4, 3), None, make(4, 1))
    yield call(make(), make(), make())
    yield call(make(0, 3), make(3), make(1))


def three(**kwargs: Any) -> Any:
    def samples(make: Make) -> Iterator[Sample]:
        for more in ({}, kwargs) if kwargs else ({},):
            yield call(make(3, 71), make(3, 71), make(3, 71, low=0.5, high=2, nonzero=True), **more)
            yield call(make(4, 3), make(3), make(4, 1, low=0.5, high=2, nonzero=True), **more)
        yield call(make(), make(), make(low=0.5, high=2, nonzero=True))
        yield call(make(0, 3), make(3), make(3, low=0.5, high=2, nonzero=True))

    return samples


def fraction(make: Make) -> list[Any]:
    x = make.of([1, 2], "i64")
    return [bad(ValueError, "value", x, x, x, value=0.5)]


def no_limit(make: Make) -> list[Any]:
    return [bad(ValueError, "at least one", make(2))]


def no_limits(make: Make) -> list[Any]:
    return [
        *no_limit(make),
        bad(NotImplementedError, "no kernel", make(2, dtype="c64"), 0, 1),
        bad(NotImplementedError, "no kernel", make(2, dtype="bool"), False, True),
        bad(ValueError, "max is -1, which dtype u8 cannot hold", make(2, dtype="u8"), None, -1),
        bad(ValueError, "300 does not fit into u8", make(2, dtype="u8"), 300, 400),
        bad(ValueError, "-200 does not fit into i8", make(2, dtype="i8"), -100, -200),
    ]


def limits_within(make: Make) -> list[Any]:
    return [
        *no_limits(make),
        bad(ValueError, "min", make(2, dtype="u8"), -1),
        bad(ValueError, "300 does not fit into u8", make(2, dtype="u8"), 0, 300),
        bad(ValueError, "max", make(2, dtype="i64"), None, 0.5),
    ]


ROWS = [
    Row(
        "where.self",
        where,
        np.where,
        dtypes=ALL,
        result="second",
        bad=lambda make: [bad(TypeError, "bool", make(2), make(2), make(2))],
    ),
    Row(
        "masked_fill.Scalar",
        masked_fill,
        lambda x, mask, value: np.where(mask, value, x),
        dtypes=ALL,
        result="first",
        bad=lambda make: [bad(TypeError, "bool", make(2), make(2), 1)],
    ),
    Row(
        "masked_fill.Tensor",
        masked_fill_tensor,
        lambda x, mask, value: np.where(mask, value, x),
        dtypes=ALL,
        result="first",
        bad=lambda make: [bad(ValueError, "0-dim", make(2), make.mask(2), make(2))],
    ),
    # Of bool tensors only limits that are bool too are refused: test_promotion.py.
    Row("clamp", clamp, clamped, dtypes=REALS, result="common", bad=no_limits, any_dtype=True),
    Row("_clamp", clamp, clamped, dtypes=REALS, result="common", bad=limits_within),
    Row("clamp.Tensor", clamp_tensor, clamped, dtypes=ALL_REALS, result="common", bad=no_limit),
    Row(
        "lerp.Tensor",
        three(),
        lambda a, b, w: a + w * (b - a),
        dtypes=FLOATS + COMPLEX,
        result="common",
    ),
    Row(
        "addcmul",
        three(value=2),
        lambda x, a, b, value=1: x + value * a * b,
        dtypes=NUMBERS,
        result="common",
        bad=fraction,
    ),
    Row(
        "addcdiv",
        three(value=2),
        lambda x, a, b, value=1: x + value * (a / b),
        dtypes=FLOATS + COMPLEX,
        result="common",
    ),
]
