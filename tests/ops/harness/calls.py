"""Running a row's samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tenon as tn

from harness.arguments import In, Make, replace, tensor
from harness.registry import handle
from harness.row import Row, Sample

Maker = Callable[[In], Any]


def samples_of(row: Row, dtype: str) -> list[Sample]:
    return list(row.samples(Make(dtype, row.name)))


def run(row: Row, sample: Sample, make: Maker = tensor) -> Any:
    """Calls the operator on new tensors and returns what the row wants compared."""
    return run_on(row, replace(sample.args, make), replace(sample.kwargs, make))


def run_on(row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    result = handle(row.name)(*args, **kwargs)
    return row.observe(args, kwargs, result) if row.observe else result


def expected(row: Row, sample: Sample) -> Any:
    """The oracle's answer."""
    assert row.oracle is not None

    def wide(value: In) -> np.ndarray:
        # Functions of real numbers take truth values and integers as floats.
        to_float = row.result == "float" and not np.iscomplexobj(value.array)
        return value.array.astype(np.float64) if to_float else value.array.copy()

    with np.errstate(all="ignore"):
        return row.oracle(*replace(sample.args, wide), **replace(sample.kwargs, wide))


def main_dtype(row: Row) -> str:
    """The one dtype for suites in which dtypes make no difference."""
    return next((d for d in ("f32", "i64") if d in row.dtypes), row.dtypes[0])


def is_random(tags: frozenset[str]) -> bool:
    return "rng" in tags


def seeded(function: Callable[[], Any]) -> Any:
    """function(), from the same random numbers each time."""
    tn.manual_seed(1)
    return function()
