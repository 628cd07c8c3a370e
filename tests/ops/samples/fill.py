"""Operators that write one tensor in place: copy, fill, random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, ALL_REALS, FLOATS, Make
from harness.row import Row, Sample, bad, call

from samples.create import NORMAL, UNIFORM, check_random


def of(*last: Any) -> Callable[[Make], Iterator[Sample]]:
    def samples(make: Make) -> Iterator[Sample]:
        for shape in ((3, 71), (), (0, 3)):
            yield call(make(*shape), *last)

    return samples


def many(*last: Any) -> Callable[[Make], Iterator[Sample]]:
    def samples(make: Make) -> Iterator[Sample]:
        yield call(make(100, 100), *last)
        yield call(make(0), *last)

    return samples


def copies(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71), make(3, 71))
    yield call(make(4, 3), make(3))
    yield call(make(), make())
    yield call(make(0, 3), make(3))
    for dtype in ALL_REALS:
        yield call(make(40), make(40, dtype=dtype))
    if make.is_float or make.is_complex:
        yield call(make(40), make(40, dtype="f64"))


def fill(x: Any, value: Any) -> Any:
    return np.full(x.shape, value)


def row(name: str, samples: Any, oracle: Any, **more: Any) -> Row:
    return Row(name, samples, oracle, dtypes=more.pop("dtypes", ALL), result="first", **more)


ROWS = [
    row(
        "copy_",
        copies,
        lambda x, src, *_: np.broadcast_to(src, x.shape),
        bad=lambda make: [
            bad(ValueError, "", make(2, 3), make(2)),
            bad(ValueError, "", make(3), make(2, 3)),
        ],
    ),
    row(
        "fill_.Scalar",
        of(1),
        fill,
        bad=lambda make: [
            bad(ValueError, "300 does not fit into u8", make(3, dtype="u8"), 300),
            bad(ValueError, "-2.5 does not fit into u8", make(3, dtype="u8"), -2.5),
            bad(ValueError, "-129 does not fit into i8", make(3, dtype="i8"), -129),
            bad(ValueError, "1e+10 does not fit into i32", make(3, dtype="i32"), 1e10),
            bad(ValueError, "9.22337e+18 does not fit into i64", make(3, dtype="i64"), 2.0**63),
            bad(ValueError, "nan does not fit into i64", make(3, dtype="i64"), np.nan),
            bad(TypeError, "cannot be converted to f32", make(3, dtype="f32"), 1j),
        ],
    ),
    row("zero_", of(), lambda x: np.zeros(x.shape)),
    row(
        "uniform_",
        many(),
        None,
        check=UNIFORM,
        dtypes=FLOATS,
        bad=lambda make: [bad(ValueError, "", make(2), 1.0, 0.0)],
    ),
    row(
        "normal_",
        many(),
        None,
        check=NORMAL,
        dtypes=FLOATS,
        bad=lambda make: [bad(ValueError, "std", make(2), 0.0, -1.0)],
    ),
    row(
        "bernoulli_.float",
        many(0.3),
        None,
        check=check_random(0, 2, 0.3, 0.21**0.5),
        dtypes=ALL_REALS,
        bad=lambda make: [bad(ValueError, "p", make(2), -0.1), bad(ValueError, "p", make(2), 1.1)],
    ),
]
