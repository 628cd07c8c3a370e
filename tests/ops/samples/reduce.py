"""Reductions: many elements into one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tenon as tn
from harness.arguments import ALL, ALL_REALS, COMPLEX, FLOATS, NUMBERS, REALS, Make
from harness.row import Row, Sample, bad, call, rough

Samples = Callable[[Make], Iterator[Sample]]


def whole(low: float = -2, high: float = 2, empty: bool = True, long: bool = True) -> Samples:
    def samples(make: Make) -> Iterator[Sample]:
        yield call(make(3, 4, 5, low=low, high=high))
        yield call(make(low=low, high=high))
        if long:
            yield call(make(1000, low=low, high=high))
        if empty:
            yield rough(make(0, 3))

    return samples


def over(*dims: Any, low: float = -2, high: float = 2, empty: bool = True) -> Samples:
    """Over each of these dims of a tensor of three dimensions."""

    def samples(make: Make) -> Iterator[Sample]:
        for dim in dims:
            yield call(make(3, 4, 17, low=low, high=high), dim)
            yield call(make(3, 4, 17, low=low, high=high), dim, True)
        yield call(make(low=low, high=high), dims[0] if isinstance(dims[0], int) else [])
        yield call(make(2, 150, low=low, high=high), 1)
        yield call(make(150, 2, low=low, high=high), 0)
        yield rough(make(3, 0), 0 if not empty else 1)

    return samples


def with_dtype(samples: Samples, *dims: Any) -> Samples:
    def more(make: Make) -> Iterator[Sample]:
        yield from samples(make)
        if make.dtype in REALS:
            yield call(make(4, 5), *dims, dtype=tn.f64)

    return more


def axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, list) and dim else None if dim == [] else dim


def reduced(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's reduction, called as ours."""

    def oracle(x: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
        if dim is not None and x.ndim == 0:
            dim = None
        if x.dtype == bool and function in (np.sum, np.prod):
            x = x.astype(np.int64)
        return function(x, axis=axes(dim), keepdims=keepdim)

    return oracle


def moment(function: Callable[..., Any]) -> Callable[..., Any]:
    def oracle(x: Any, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Any:
        axis = axes(dim) if x.ndim else None
        count = x.size if axis is None else np.prod([x.shape[a] for a in np.atleast_1d(axis)])
        ddof = 1 if correction is None else correction
        squares = np.var(x, axis=axis, keepdims=keepdim) * count
        result = squares / max(count - ddof, 0)
        return np.sqrt(result) if function is np.std else result

    return oracle


def moments(make: Make) -> Iterator[Sample]:
    yield call(make(3, 4, 17))
    yield call(make(3, 4, 17), 1)
    yield call(make(3, 4, 17), [0, -1], keepdim=True)
    yield call(make(3, 4, 17), [2], correction=0)
    yield call(make(1000), correction=2)
    yield call(make(2, 150), 1)
    if make.dtype == "f32":
        offset = make(400)
        yield call(make.of(offset.array + 1000))


def positions(make: Make) -> Iterator[Sample]:
    yield call(make(3, 4, 17))
    yield call(make(3, 4, 17), 1)
    yield call(make(3, 4, 17), -1, True)
    yield call(make(150, 2), 0)
    yield call(make())
    if make.is_float:
        yield call(make.of([[1.0, np.nan, 3.0], [np.inf, 2.0, -np.inf]]), 1)
        yield call(make.of([1.0, np.nan, 3.0, np.nan]))


def position(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, dim=None, keepdim=False: function(
        x, axis=dim, keepdims=keepdim and dim is not None
    )


def products(make: Make) -> Iterator[Sample]:
    yield call(make(3, 4, low=0.5, high=1.5))
    yield call(make(low=0.5, high=1.5))
    yield call(make(0, 3))
    if make.is_float:
        yield call(make.of([2.0, 0.0, 3.0]))
        yield call(make.of([2.0, 0.0, 0.0]))


def products_over(make: Make) -> Iterator[Sample]:
    for dim in (0, 1, -1):
        yield call(make(3, 4, 5, low=0.5, high=1.5), dim)
        yield call(make(3, 4, 5, low=0.5, high=1.5), dim, True)
    yield call(make(0, 3), 0)
    if make.is_float:
        yield call(make.of([[2.0, 0.0, 3.0], [0.0, 1.0, 0.0], [1.0, 2.0, 3.0]]), 1)


def outside(make: Make) -> list[Any]:
    return [bad(IndexError, "dim", make(2, 3), 2), bad(IndexError, "dim", make(2, 3), -3)]


def nothing(make: Make) -> list[Any]:
    return [*outside(make), bad((IndexError, ValueError), "element", make(0, 3), 0)]


DIMS = (0, 1, -1, [0, 2], [], [1, 0])

ROWS = [
    Row("sum", with_dtype(whole()), reduced(np.sum), dtypes=(*NUMBERS, "bool"), result="sum"),
    Row(
        "sum.dim_IntList",
        with_dtype(over(*DIMS, None), 1),
        reduced(np.sum),
        dtypes=(*NUMBERS, "bool"),
        result="sum",
        bad=lambda make: [*outside(make), bad(ValueError, "dim", make(2, 3), [0, 0])],
    ),
    Row("mean", with_dtype(whole()), reduced(np.mean), dtypes=FLOATS + COMPLEX),
    Row(
        "mean.dim",
        with_dtype(over(*DIMS, None), 1),
        reduced(np.mean),
        dtypes=FLOATS + COMPLEX,
        bad=outside,
    ),
    Row("prod", products, reduced(np.prod), dtypes=(*NUMBERS, "bool"), result="sum"),
    Row(
        "prod.dim_int",
        products_over,
        reduced(np.prod),
        dtypes=(*NUMBERS, "bool"),
        result="sum",
        bad=outside,
    ),
    Row("amax", over(*DIMS, empty=False), reduced(np.amax), dtypes=ALL_REALS, bad=nothing),
    Row("amin", over(*DIMS, empty=False), reduced(np.amin), dtypes=ALL_REALS, bad=nothing),
    Row(
        "argmax",
        positions,
        position(np.argmax),
        dtypes=REALS,
        result="i64",
        gradient="no",
        bad=nothing,
    ),
    Row(
        "argmin",
        positions,
        position(np.argmin),
        dtypes=REALS,
        result="i64",
        gradient="no",
        bad=nothing,
    ),
    Row("any", whole(0, 1), reduced(np.any), dtypes=ALL, result="bool", gradient="no"),
    Row("all", whole(0, 1), reduced(np.all), dtypes=ALL, result="bool", gradient="no"),
    Row(
        "any.dim",
        over(0, 1, -1, low=0, high=1),
        reduced(np.any),
        dtypes=ALL,
        result="bool",
        gradient="no",
        bad=outside,
    ),
    Row(
        "all.dim",
        over(0, 1, -1, low=0, high=1),
        reduced(np.all),
        dtypes=ALL,
        result="bool",
        gradient="no",
        bad=outside,
    ),
    Row("var.correction", moments, moment(np.var), FLOATS + COMPLEX, "real", bad=outside),
    Row("std.correction", moments, moment(np.std), FLOATS + COMPLEX, "real", bad=outside),
]
