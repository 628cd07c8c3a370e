"""Rows of a table, looked up by index; and dropping elements at random."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, COMPLEX, FLOATS, Make, array, dtype_name
from harness.row import Row, Sample, bad, call, rough


def lookups(make: Make) -> Iterator[Sample]:
    yield call(make(7, 5), make.index(3, 4, high=7))
    yield call(make(7, 33), make.index(20, high=7, dtype="i32"))
    yield call(make(7, 5), make.index(high=7))
    yield call(make(7, 5), make.index(0, high=7))
    # The row padding_idx gets no gradient, so its finite differences do not count.
    yield rough(make(7, 5), make.index(9, high=7), 2)


def sums(make: Make) -> Iterator[Sample]:
    yield call(make(3, 4, 5), make.index(3, 4, high=7), 7, -1, False)
    yield call(make(20, 33), make.index(20, high=3), 7, 2, False)
    # Divided by a count, so no longer the transpose of the look-up.
    yield rough(make(20, 5), make.index(20, high=3), 7, -1, True)


def table_gradient(g: Any, indices: Any, rows: int, padding: int, by_frequency: bool) -> Any:
    out = np.zeros((rows, g.shape[-1]), g.dtype)
    flat = indices.ravel()
    for index, row in zip(flat, g.reshape(len(flat), -1), strict=True):
        if index != padding:
            out[index] += row / (np.sum(flat == index) if by_frequency else 1)
    return out


def wrong(make: Make) -> list[Any]:
    return [
        bad(IndexError, "7", make(7, 5), make.of([0, 7], "i64")),
        bad(IndexError, "-1", make(7, 5), make.of([-1], "i64")),
        bad(TypeError, "i64", make(7, 5), make(2)),
        bad(ValueError, "weight", make(7), make.index(2, high=7)),
        bad(NotImplementedError, "sparse", make(7, 5), make.index(2, high=7), -1, False, True),
    ]


# ---- dropout ------------------------------------------------------------------------------------


def droppings(*calls: tuple[Any, ...]) -> Any:
    def samples(make: Make) -> Iterator[Sample]:
        for more in calls:
            yield call(make(40, 50, low=1, high=2), *more)

    return samples


def check_dropout(args: Any, kwargs: Any, result: Any) -> None:
    """Kept elements are scaled, and about as many are kept as p says: within 5 deviations."""
    x, p, train = args
    dropped = p if train or train is None else 0.0
    out, mask = result if isinstance(result, tuple) else (result, None)
    values, given = array(out), array(x)
    kept = array(mask) if mask is not None else values != 0
    scale = 1 / (1 - dropped) if dropped < 1 else 0.0
    rtol = {"f16": 2e-3, "bf16": 2e-2}.get(dtype_name(x), 1e-6)
    np.testing.assert_allclose(values, np.where(kept, given * scale, 0), rtol=rtol)
    deviation = np.sqrt(dropped * (1 - dropped) / given.size)
    assert abs(kept.mean() - (1 - dropped)) <= 5 * deviation


def masked(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71), make.mask(3, 71), 2.0)
    yield call(make(), make.mask(), 1.5)


def probability(*last: Any) -> Any:
    return lambda make: [
        bad(ValueError, "p", make(2), -0.1, *last),
        bad(ValueError, "p", make(2), 1.1, *last),
        bad(ValueError, "p", make(2), float("nan"), *last),
    ]


ROWS = [
    Row("embedding", lookups, lambda w, i, *_: w[i], dtypes=ALL, bad=wrong),
    Row("embedding_dense_backward", sums, table_gradient, dtypes=FLOATS + COMPLEX),
    Row(
        "native_dropout",
        droppings((0.3, True), (0.0, True), (1.0, True), (0.3, False), (0.5, None)),
        None,
        check=check_dropout,
        dtypes=FLOATS + COMPLEX,
        result=("same", "bool"),
        bad=probability(True),
    ),
    Row(
        "native_dropout_backward",
        masked,
        lambda g, mask, scale: g * mask * scale,
        dtypes=ALL,
        result="float",
    ),
    Row(
        "dropout",
        droppings((0.3, True), (0.0, True), (0.3, False)),
        None,
        check=check_dropout,
        dtypes=FLOATS + COMPLEX,
        bad=probability(True),
    ),
]
