"""Reading and writing at the indices that a tensor holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, Make
from harness.row import Row, Sample, bad, call

# As a sum in i8 wraps, samples stay small; scatter keeps one of several values for an index, so
# its samples name each index once.


def select(make: Make) -> Iterator[Sample]:
    yield call(make(5, 3), 0, make.index(7, high=5))
    yield call(make(5, 3), -1, make.index(2, high=3, dtype="i32"))
    yield call(make(2, 5, 3), 1, make.index(high=5))
    yield call(make(5, 3), 0, make.index(0, high=5))
    yield call(make(), 0, make.index(1, high=1))


def add(make: Make) -> Iterator[Sample]:
    yield call(make(5, 3), 0, make.index(7, high=5), make(7, 3))
    yield call(make(5, 3), 1, make.index(2, high=3), make(5, 2))
    if make.dtype != "bool":
        yield call(make(2, 5, 3), 1, make.index(4, high=5), make(2, 4, 3), alpha=2)
    yield call(make(5, 3), 0, make.index(0, high=5), make(0, 3))


def added(x: Any, dim: int, index: Any, source: Any, alpha: Any = 1) -> Any:
    out = x.copy()
    rows = np.moveaxis(out, dim, 0)
    for i, at in enumerate(np.atleast_1d(index)):
        part = np.moveaxis(source, dim, 0)[i]
        rows[at] = rows[at] | part if x.dtype == bool else rows[at] + alpha * part
    return out


def gather(make: Make) -> Iterator[Sample]:
    yield call(make(5, 3), 0, make.index(4, 3, high=5))
    yield call(make(5, 3), -1, make.index(2, 6, high=3))
    yield call(make(2, 5, 3), 1, make.index(2, 4, 2, high=5, dtype="i32"))
    yield call(make(5, 3), 0, make.index(0, 3, high=5))


def gathered(x: Any, dim: int, index: Any, **_: Any) -> Any:
    inside = tuple(slice(n) for n in index.shape)
    dim %= x.ndim
    inside = (*inside[:dim], slice(None), *inside[dim + 1 :])
    return np.take_along_axis(x[inside], index, axis=dim)


def along(make: Make) -> Iterator[Sample]:
    yield call(make(5, 3), make.index(4, 3, high=5), 0)
    yield call(make(5, 3), make.index(1, 2, high=3), 1)
    yield call(make(1, 6), make.index(4, 2, high=6), -1)
    yield call(make(5, 3), make.index(4, high=15))


def taken(x: Any, index: Any, dim: Any = None) -> Any:
    if dim is None:
        return x.ravel()[index.ravel()]
    return np.take_along_axis(x, index, axis=dim)


def once(make: Make, lines: int, count: int, high: int, axis: int) -> Any:
    rows = np.stack([make.rng.permutation(high)[:count] for _ in range(lines)])
    return make.of(rows.T if axis == 0 else rows, "i64")


def scatter(make: Make) -> Iterator[Sample]:
    yield call(make(5, 3), 0, once(make, 3, 4, 5, 0), make(4, 3))
    yield call(make(5, 6), 1, once(make, 3, 4, 6, 1), make(5, 6))
    yield call(make(5, 3), 0, make.index(0, 3, high=5), make(4, 3))
    yield from scatter_of_one(make)


def scatter_of_one(make: Make) -> Iterator[Sample]:
    """A 0-dim tensor counts as a vector of one element."""
    yield call(make(1), 0, make.index(high=1), make(3))
    yield call(make(4), 0, make.index(1, high=4), make())
    yield call(make(), 0, make.index(1, high=1), make(2))
    yield call(make(), 0, make.index(high=1), make())


def scatter_value(make: Make) -> Iterator[Sample]:
    yield call(make(5, 3), 0, once(make, 3, 4, 5, 0), 1)
    yield call(make(5, 6), -1, make.index(3, 4, high=6), 1)


def scatter_add(make: Make) -> Iterator[Sample]:
    yield call(make(5, 3), 0, make.index(4, 3, high=5), make(4, 3))
    yield call(make(5, 6), 1, make.index(3, 4, high=6, dtype="i32"), make(5, 6))
    yield call(make(5, 3), 0, make.index(0, 3, high=5), make(4, 3))
    yield from scatter_of_one(make)


def scattered(x: Any, dim: int, index: Any, src: Any, plus: bool = False) -> Any:
    if np.ndim(x) == 0 or index.ndim == 0:  # as vectors
        index = index.reshape(-1)
        return scattered(x.reshape(-1), dim, index, np.reshape(src, -1), plus).reshape(x.shape)
    out = x.copy()
    for at in np.ndindex(*index.shape):
        to = list(at)
        to[dim] = index[at]
        value = src[at] if isinstance(src, np.ndarray) and src.ndim else src
        if plus and x.dtype != bool:
            value = out[tuple(to)] + value
        elif plus:
            value = out[tuple(to)] | value
        out[tuple(to)] = value
    return out


def wrong(shape: tuple[int, ...], *last: Any) -> Any:
    """Indices outside, of the wrong dtype, and dimensions outside."""

    def calls(make: Make) -> list[Any]:
        low, high = np.zeros(shape, int), np.zeros(shape, int)
        low.flat[0], high.flat[-1] = -1, 5
        x = make(5, 3)
        return [
            bad(IndexError, "5", x, 0, make.of(high, "i64"), *last),
            bad(IndexError, "-1", x, 0, make.of(low, "i64"), *last),
            bad(TypeError, "i64", x, 0, make.of(high, "f32"), *last),
            bad(IndexError, "dim", x, 2, make.of(high * 0, "i64"), *last),
        ]

    return calls


def mixed(make: Make) -> list[Any]:
    return [
        *wrong((2, 3), make(2, 3))(make),
        bad(TypeError, "dtype", make(5, 3), 0, make.index(2, 3, high=5), make(2, 3, dtype="i64")),
        bad(ValueError, "src", make(5, 3), 0, make.index(2, 3, high=5), make(1, 3)),
        bad(ValueError, "rank", make(5, 3), 0, make.index(2, high=5), make(2)),
    ]


def row(name: str, samples: Any, oracle: Any, **more: Any) -> Row:
    return Row(name, samples, oracle, dtypes=ALL, **more)


def sum_row(name: str, samples: Any, oracle: Any, wrong: Any) -> Row:
    """16-bit sums of several sources round after each, as in PyTorch."""
    return row(
        name, samples, oracle, bad=wrong,
        tolerances={"f16": (2e-3, 2e-3), "bf16": (1.6e-2, 1.6e-2)},
        why="each addition rounds to the dtype, and sums near zero keep that absolute error",
    )  # fmt: skip


ROWS = [
    row(
        "index_select",
        select,
        lambda x, dim, i: x.reshape(()) if x.ndim == 0 else np.take(x, np.atleast_1d(i), axis=dim),
        bad=wrong((2,)),
    ),
    sum_row(
        "index_add",
        add,
        added,
        lambda make: [
            bad(IndexError, "5", make(5, 3), 0, make.of([0, 5], "i64"), make(2, 3)),
            bad(ValueError, "source", make(5, 3), 0, make.of([0, 4], "i64"), make(3, 3)),
            bad(TypeError, "dtype", make(5, 3), 0, make.of([0, 4], "i64"), make(2, 3, dtype="i64")),
            bad(
                TypeError,
                "alpha",
                make(5, 3, dtype="i64"),
                0,
                make.of([0, 4], "i64"),
                make(2, 3, dtype="i64"),
                alpha=0.5,
            ),
            bad(
                ValueError,
                "alpha is 128, which does not fit into i8",
                make(5, 3, dtype="i8"),
                0,
                make.of([0, 4], "i64"),
                make(2, 3, dtype="i8"),
                alpha=128,
            ),
        ],
    ),
    row("gather", gather, gathered, bad=wrong((2, 3))),
    row("scatter.src", scatter, scattered, bad=mixed),
    row(
        "scatter.value",
        scatter_value,
        scattered,
        bad=lambda make: [
            *wrong((2, 3), 1)(make),
            bad(ValueError, "300", make(2, dtype="u8"), 0, make.index(1, high=2), 300),
        ],
    ),
    row(
        "take_along_dim",
        along,
        taken,
        bad=lambda make: [
            bad(IndexError, "5", make(5, 3), make.of([[0, 1, 5]], "i64"), 0),
            bad(TypeError, "i64", make(5, 3), make(2, 3), 0),
            bad(ValueError, "rank", make(5, 3), make.index(3, high=5), 0),
        ],
    ),
    sum_row("scatter_add", scatter_add, lambda *args: scattered(*args, plus=True), mixed),
]
