"""Comparisons and logic."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, ALL_REALS, Make
from harness.row import Row, Sample, call

from samples.pointwise import two


def samples(make: Make) -> Iterator[Sample]:
    yield from two()(make)
    x = make(3, 71)
    yield call(x, make.of(x.array))
    yield call(make(9), 1)


def question(name: str, oracle: Callable[..., Any], dtypes: tuple[str, ...] = ALL_REALS) -> Row:
    return Row(name, samples, oracle, dtypes=dtypes, result="bool", gradient="no")


ROWS = [
    question("eq.Tensor", np.equal, ALL),
    question("ne.Tensor", np.not_equal, ALL),
    question("lt.Tensor", np.less),
    question("le.Tensor", np.less_equal),
    question("gt.Tensor", np.greater),
    question("ge.Tensor", np.greater_equal),
    question("logical_and", np.logical_and, ALL),
    question("logical_or", np.logical_or, ALL),
    question("logical_xor", np.logical_xor, ALL),
]
