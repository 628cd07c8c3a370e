"""Softmax, its logarithm, and the logarithm of a sum of exponentials."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tenon as tn
from harness.arguments import ALL_REALS, Make
from harness.row import Row, Sample, bad, call, rough
from scipy import special

DTYPES = {"f16": tn.f16, "bf16": tn.bf16, "f32": tn.f32, "f64": tn.f64}


def forward(*last: Any) -> Callable[[Make], Iterator[Sample]]:
    def samples(make: Make) -> Iterator[Sample]:
        for dim in (0, 1, -1):
            yield call(make(3, 4, 37), dim, *last)
        yield call(make(5, low=-60, high=60), 0, *last)
        yield call(make(), 0, *last)
        yield call(make(0, 3), 1, *last)
        if make.is_float:
            yield rough(make.of([[-np.inf, 1.0, 2.0], [-np.inf, -np.inf, 0.0]]), 1, *last)

    return samples


def backward(make: Make) -> Iterator[Sample]:
    dtype = DTYPES.get(make.dtype, tn.f32)
    for dim in (0, -1):
        yield call(make(3, 4, 37), make(3, 4, 37, low=-2, high=0), dim, dtype)
    yield call(make(), make(low=-1, high=0), 0, dtype)
    yield call(make(0, 3), make(0, 3), 1, dtype)


def log_sums(make: Make) -> Iterator[Sample]:
    for dim in (0, [1, 2], [-1]):
        yield call(make(3, 4, 7), dim)
        yield call(make(3, 4, 7), dim, True)
    yield call(make(), [0])
    if make.is_float:
        yield call(make(5, low=50, high=80), 0)
        yield rough(make.of([[-np.inf, -np.inf], [np.inf, 1.0]]), 1)


def over(x: Any, dim: Any) -> Any:
    return None if x.ndim == 0 else tuple(dim) if isinstance(dim, list) else dim


def softmax(x: Any, dim: int, *_: Any, **__: Any) -> Any:
    return special.softmax(x, axis=over(x, dim)) if x.size else x


def log_softmax(x: Any, dim: int, *_: Any, **__: Any) -> Any:
    return special.log_softmax(x, axis=over(x, dim)) if x.size else x


def log_sum(x: Any, dim: Any, keepdim: bool = False) -> Any:
    return special.logsumexp(x.astype(float), axis=over(x, dim), keepdims=keepdim)


def softmax_backward(g: Any, y: Any, dim: int, _: Any) -> Any:
    return y * (g - np.sum(g * y, axis=over(y, dim), keepdims=True))


def log_softmax_backward(g: Any, y: Any, dim: int, _: Any) -> Any:
    return g - np.exp(y) * np.sum(g, axis=over(y, dim), keepdims=True)


def wrong(*last: Any) -> Callable[[Make], list[Any]]:
    return lambda make: [bad(IndexError, "dim", make(2, 3), 2, *last)]


ROWS = [
    Row("_softmax", forward(False), softmax, bad=wrong(False)),
    Row("_log_softmax", forward(False), log_softmax, bad=wrong(False)),
    Row("softmax.int", forward(), softmax, bad=wrong()),
    Row("log_softmax.int", forward(), log_softmax, bad=wrong()),
    Row("_softmax_backward_data", backward, softmax_backward),
    Row("_log_softmax_backward_data", backward, log_softmax_backward),
    Row(
        "logsumexp",
        log_sums,
        log_sum,
        dtypes=ALL_REALS,
        result="float",
        bad=wrong(),
        tolerances={"f16": (1e-3, 2e-3), "bf16": (1.6e-2, 1.6e-2)},
        why="the maximum and the logarithm are each rounded to the dtype before they are added",
    ),
]
