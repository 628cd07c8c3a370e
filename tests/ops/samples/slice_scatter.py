"""A part of a tensor replaced, and matrices from their diagonals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, Make
from harness.row import Row, Sample, bad, call

from samples.view import of, wrong


def with_source(*calls: Any) -> Callable[[Make], Iterator[Sample]]:
    """One call per (shape of self, shape of src, further arguments)."""

    def samples(make: Make) -> Iterator[Sample]:
        for shape, source, more in calls:
            yield call(make(*shape), make(*source), *more)

    return samples


def replaced(x: Any, src: Any, index: Any) -> Any:
    out = x.copy()
    out[index] = src
    return out


def along(dim: int, index: Any, ndim: int) -> Any:
    return (slice(None),) * (dim % ndim) + (index,)


def slice_scatter(
    x: Any, src: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Any:
    return replaced(x, src, along(dim, slice(start, end, step), x.ndim))


def diagonal_scatter(x: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    places = np.diagonal(np.arange(x.size).reshape(x.shape), offset, dim1, dim2)
    out = x.copy()
    out.ravel()[places] = src
    return out


def diag_embed(x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    rows = np.arange(x.shape[-1])
    out[..., rows + max(-offset, 0), rows + max(offset, 0)] = x
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def scatter(name: str, samples: Any, oracle: Any, word: str, *last: Any) -> Row:
    return Row(
        name, samples, oracle, dtypes=ALL,
        bad=lambda make: [bad(ValueError, word, make(3, 4), make(2, 2), *last)],
    )  # fmt: skip


ROWS = [
    scatter(
        "select_scatter",
        with_source(((3, 4), (4,), (0, 1)), ((3, 4), (3,), (-1, -2))),
        lambda x, src, dim, index: replaced(x, src, along(dim, index, x.ndim)),
        "src",
        0,
        1,
    ),
    scatter(
        "slice_scatter",
        with_source(
            ((5, 3), (5, 3), ()),
            ((5, 3), (2, 3), (0, 1, 4, 2)),
            ((5, 3), (5, 1), (1, -1)),
            ((5, 3), (0, 3), (0, 3, 3)),
        ),
        slice_scatter,
        "src",
    ),
    scatter(
        "diagonal_scatter",
        with_source(((3, 4), (3,), ()), ((3, 4), (2,), (-1,)), ((2, 3, 4), (3, 2), (0, 0, 2))),
        diagonal_scatter,
        "src",
    ),
    Row(
        "diag_embed",
        of(((3,), ()), ((2, 3), (1,)), ((2, 3), (-1,)), ((2, 3), (0, 0, 1)), ((0,), ())),
        diag_embed,
        dtypes=ALL,
        bad=wrong((IndexError, "dim1", (), ()), (IndexError, "dim1", (3,), (0, 5, 1))),
    ),
    Row(
        "diag",
        of(((3,), ()), ((3,), (1,)), ((3, 4), ()), ((3, 4), (-1,)), ((0,), ())),
        np.diag,
        dtypes=ALL,
        bad=wrong((ValueError, "matrix", (2, 2, 2), ()), (ValueError, "matrix", (), ())),
    ),
]
