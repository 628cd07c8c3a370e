"""Tensors brought to one shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, Make
from harness.row import Row, Sample, bad, call

from samples.join import of


def grids(make: Make) -> Iterator[Sample]:
    for indexing in ("ij", "xy"):
        yield call([make(2), make(3), make(4)], indexing=indexing)
    yield call([make(3), make()])
    yield call([make(0), make(2)])


def meshgrid(tensors: Any, indexing: str = "ij") -> Any:
    return np.meshgrid(*tensors, indexing=indexing)


ROWS = [
    Row(
        "broadcast_tensors",
        of((((2, 1), (3,), ()), ()), (((0, 3), (1, 3)), ()), (((2,),), ())),
        lambda tensors: list(np.broadcast_arrays(*tensors)),
        dtypes=ALL,
        bad=lambda make: [bad(ValueError, "broadcast", [make(2), make(3)])],
    ),
    Row(
        "meshgrid.indexing",
        grids,
        meshgrid,
        dtypes=ALL,
        bad=lambda make: [
            bad(ValueError, "indexing", [make(2)], indexing="zz"),
            bad(ValueError, "empty", []),
            bad(ValueError, "vector", [make(2, 2)]),
        ],
    ),
]
