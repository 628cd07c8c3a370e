"""Several tensors as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, Make
from harness.row import Row, Sample, bad, call

Shapes = tuple[tuple[int, ...], ...]


def of(*calls: tuple[Shapes, tuple[Any, ...]]) -> Callable[[Make], Iterator[Sample]]:
    def samples(make: Make) -> Iterator[Sample]:
        for shapes, more in calls:
            yield call([make(*shape) for shape in shapes], *more)

    return samples


def joined(make: Make) -> Iterator[Sample]:
    yield from of(
        (((2, 3), (4, 3)), ()), (((2, 3), (2, 1), (2, 2)), (1,)), (((2, 3), (2, 3)), (-1,)),
        (((5,),), ()),
        (((2, 3), (0,), (1, 3)), ()), (((0, 3), (2, 3)), ()), (((0,), (0,)), ()),
    )(make)  # fmt: skip
    if make.dtype == "f32":
        yield call([make(2, 3), make(1, 3, dtype="i64"), make(1, 3, dtype="f64")])


def cat(tensors: Any, dim: int = 0) -> Any:
    kept = [t for t in tensors if t.shape != (0,)]
    return np.concatenate(kept, axis=dim) if kept else tensors[0]


def mismatch(make: Make) -> list[Any]:
    return [
        bad(ValueError, "empty", []),
        bad(ValueError, "", [make(2, 3), make(2, 4)]),
        bad(ValueError, "0-dim", [make(), make()]),
        bad(IndexError, "dim", [make(2, 3)], 2),
    ]


def unequal(make: Make) -> list[Any]:
    return [
        bad(ValueError, "empty", []),
        bad(ValueError, "shape", [make(2), make(3)]),
        bad(IndexError, "dim", [make(2)], 2),
    ]


def empty(make: Make) -> list[Any]:
    return [bad(ValueError, "empty", []), bad(ValueError, "", [make(2, 2), make(3, 4)])]


STACKS = of(
    (((2, 3), (2, 3)), ()), (((3,), (3,)), ()), (((), ()), ()), (((2, 3, 4), (2, 3, 4)), ())
)


def row(name: str, samples: Any, oracle: Any, wrong: Any) -> Row:
    return Row(name, samples, oracle, dtypes=ALL, result="common", bad=wrong)


ROWS = [
    row("cat", joined, cat, mismatch),
    row(
        "stack",
        of(
            (((2, 3), (2, 3)), ()),
            (((2, 3), (2, 3)), (1,)),
            (((3,), (3,)), (-1,)),
            (((), ()), ()),
            (((0, 2), (0, 2)), ()),
        ),
        lambda tensors, dim=0: np.stack(tensors, axis=dim),
        unequal,
    ),
    row("concat", joined, cat, mismatch),
    row("column_stack", STACKS, np.column_stack, empty),
    row("hstack", STACKS, np.hstack, empty),
    row("vstack", STACKS, np.vstack, empty),
    row("dstack", STACKS, np.dstack, empty),
]
