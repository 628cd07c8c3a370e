"""Samples that element-wise rows share. Sizes leave a remainder after any vector's length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from harness.arguments import Make
from harness.row import Sample, call, rough

Samples = Callable[[Make], Iterator[Sample]]
INF, NAN = float("inf"), float("nan")
SPECIAL = (INF, -INF, NAN, 0.0, -0.0, 1.0, -1.0)


def one(low: float = -3, high: float = 3, specials: bool = True, **kwargs: Any) -> Samples:
    """One tensor: of two dimensions, 0-dim, empty, and of special values."""

    def samples(make: Make) -> Iterator[Sample]:
        yield call(make(3, 71, low=low, high=high), **kwargs)
        yield call(make(low=low, high=high), **kwargs)
        yield call(make(0, 3), **kwargs)
        if specials and make.is_float:
            yield rough(make.of(SPECIAL), **kwargs)

    return samples


def two(
    low: float = -3,
    high: float = 3,
    other: tuple[float, float] | None = None,
    nonzero: bool = False,
    specials: bool = True,
    **kwargs: Any,
) -> Samples:
    """Two tensors: of equal shape, broadcast both ways, 0-dim, empty, and of special values.

    `other` are the limits of the second one, those of the first by default.
    """
    low2, high2 = other or (low, high)

    def samples(make: Make) -> Iterator[Sample]:
        def second(*shape: int) -> Any:
            return make(*shape, low=low2, high=high2, nonzero=nonzero)

        yield call(make(3, 71, low=low, high=high), second(3, 71), **kwargs)
        yield call(make(4, 1, 3, low=low, high=high), second(5, 1), **kwargs)
        yield call(make(4, 3, low=low, high=high), second(), **kwargs)
        yield call(make(low=low, high=high), second(2), **kwargs)
        yield call(make(0, 3), second(1, 3), **kwargs)
        if specials and make.is_float:
            n = len(SPECIAL)
            yield rough(
                make.of([a for a in SPECIAL for _ in range(n)]), make.of(SPECIAL * n), **kwargs
            )

    return samples
