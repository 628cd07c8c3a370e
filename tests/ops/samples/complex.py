"""Complex numbers: parts, conjugates, angles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, COMPLEX, FLOATS, Make
from harness.row import Row, Sample, bad, call, rough

from samples.pointwise import INF, NAN, one


def shapes(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71))
    yield call(make(2, 3, 4))
    yield call(make())
    yield call(make(0, 3))


def pairs(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71, 2))
    yield call(make(2))
    yield call(make(0, 3, 2))


def bad_pairs(make: Make) -> list[Any]:
    return [
        bad(ValueError, "size 2", make(3)),
        bad(ValueError, "size 2", make()),
        bad(TypeError, "f32 or f64", make(2, dtype="i32")),
        bad(TypeError, "f32 or f64", make(2, dtype="f16")),
    ]


def plane(make: Make) -> Iterator[Sample]:
    """In all four quadrants, and on the axes."""
    yield from one(specials=False)(make)
    if make.is_complex:
        yield rough(make.of([0, 1, -1, 1j, -1j, 2 - 1j, -2 + 1j]))
    if make.is_float:
        yield rough(make.of([INF, -INF, NAN, 0.0, -0.0]))


def angle(x: Any) -> Any:
    if np.iscomplexobj(x):
        return np.angle(x)
    return np.where(np.isnan(x), x, np.where(x < 0, np.pi, 0)) if x.dtype == np.float64 else x


def angle_of_any(x: Any) -> Any:
    return angle(x if np.iscomplexobj(x) else x.astype(np.float64))


def isreal(make: Make) -> Iterator[Sample]:
    yield from shapes(make)
    if make.is_complex:
        yield call(make.of([1, 1j, 0, 2 + 1j]))


ROWS = [
    Row(
        "view_as_real",
        shapes,
        lambda x: np.stack([x.real, x.imag], -1),
        dtypes=COMPLEX,
        result="real",
    ),
    Row(
        "view_as_complex",
        pairs,
        lambda x: x[..., 0] + 1j * x[..., 1],
        dtypes=("f32", "f64"),
        result="complex",
        sees_layout=True,  # pairs must lie side by side
        bad=bad_pairs,
    ),
    Row("real", shapes, lambda x: x.real, dtypes=ALL, result="real"),
    Row("imag", shapes, lambda x: x.imag, dtypes=COMPLEX, result="real"),
    Row("conj", shapes, lambda x: x.conj(), dtypes=ALL),
    Row("conj_physical", one(), lambda x: x.conj(), dtypes=ALL),
    Row("angle", plane, angle_of_any, dtypes=ALL, result="real float"),
    Row("_angle", plane, angle, dtypes=FLOATS + COMPLEX, result="real"),
    Row("isreal", isreal, np.isreal, dtypes=ALL, result="bool", gradient="no"),
]
