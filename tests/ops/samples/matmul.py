"""Matrix products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, NUMBERS, Make
from harness.row import Row, Sample, bad, call

Shapes = tuple[tuple[int, ...], ...]


def of(*shapes: Shapes, scaled: bool = False) -> Callable[[Make], Iterator[Sample]]:
    """One call for each list of shapes, and with beta and alpha where there are such."""

    def samples(make: Make) -> Iterator[Sample]:
        for list_ in shapes:
            yield call(*(make(*shape) for shape in list_))
        if scaled:
            yield call(*(make(*shape) for shape in shapes[0]), beta=3, alpha=2)
            if make.is_complex:
                yield call(*(make(*shape) for shape in shapes[0]), beta=0.5 - 1j, alpha=2j)
            if make.is_float:
                yield call(*(make(*shape) for shape in shapes[0]), beta=0.5, alpha=-1.5)
            yield call(*(make(*shape) for shape in shapes[0]), beta=0)

    return samples


def plus(product: Callable[..., Any]) -> Callable[..., Any]:
    def oracle(x: Any, a: Any, b: Any, beta: Any = 1, alpha: Any = 1) -> Any:
        return beta * x + alpha * product(a, b)

    return oracle


def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    return x @ weight.T + (0 if bias is None else bias)


def mismatch(*shapes: Shapes) -> Callable[[Make], list[Any]]:
    return lambda make: [bad(ValueError, "", *(make(*s) for s in list_)) for list_ in shapes]


def wrong_factors(*shapes: Shapes) -> Callable[[Make], list[Any]]:
    """Shapes that do not go together after those that do, which have factors of other dtypes."""

    def calls(make: Make) -> list[Any]:
        small = [make(*shape, dtype="u8") for shape in shapes[0]]
        return [
            *mismatch(*shapes[1:])(make),
            bad(ValueError, "alpha is 256, which does not fit into u8", *small, alpha=256),
            bad(ValueError, "beta is -257, which does not fit into u8", *small, beta=-257),
            bad(TypeError, "alpha must be an integer", *small, alpha=0.5),
        ]

    return calls


SUMS = {"f32": (1e-5, 1e-5), "c64": (1e-5, 1e-5), "f16": (2e-3, 2e-3), "bf16": (1.6e-2, 1.6e-2)}
WHY = "sums of products that cancel keep the absolute rounding error of their terms"


def product(name: str, oracle: Callable[..., Any], samples: Any, wrong: Any) -> Row:
    return Row(name, samples, oracle, dtypes=NUMBERS, tolerances=SUMS, why=WHY, bad=wrong)


ROWS = [
    product(
        "mm",
        np.matmul,
        of(
            ((3, 4), (4, 5)),
            ((33, 65), (65, 17)),
            ((1, 7), (7, 1)),
            ((3, 0), (0, 2)),
            ((0, 3), (3, 2)),
        ),
        mismatch(((2, 3), (2, 3)), ((2,), (2, 3)), ((2, 3), (3, 2, 2))),
    ),
    product(
        "addmm",
        plus(np.matmul),
        of(
            ((3, 5), (3, 4), (4, 5)),
            ((5,), (3, 4), (4, 5)),
            ((), (33, 65), (65, 17)),
            ((2,), (3, 0), (0, 2)),
            scaled=True,
        ),
        wrong_factors(((3, 5), (3, 4), (4, 5)), ((3, 5), (3, 4), (3, 5)), ((4,), (3, 4), (4, 5))),
    ),
    product(
        "bmm",
        np.matmul,
        of(
            ((2, 3, 4), (2, 4, 5)),
            ((3, 17, 33), (3, 33, 9)),
            ((0, 3, 4), (0, 4, 5)),
            ((2, 3, 0), (2, 0, 2)),
        ),
        mismatch(((2, 3, 4), (3, 4, 5)), ((2, 3, 4), (2, 3, 4)), ((3, 4), (4, 5))),
    ),
    product(
        "baddbmm",
        plus(np.matmul),
        of(
            ((2, 3, 5), (2, 3, 4), (2, 4, 5)),
            ((5,), (2, 3, 4), (2, 4, 5)),
            ((3, 1), (2, 3, 4), (2, 4, 5)),
            scaled=True,
        ),
        wrong_factors(
            ((5,), (2, 3, 4), (2, 4, 5)), ((4,), (2, 3, 4), (2, 4, 5)), ((5,), (2, 3, 4), (2, 3, 5))
        ),
    ),
    product(
        "mv",
        np.matmul,
        of(((3, 4), (4,)), ((33, 65), (65,)), ((3, 0), (0,)), ((0, 3), (3,))),
        mismatch(((2, 3), (2,)), ((3,), (3,))),
    ),
    product(
        "addmv",
        plus(np.matmul),
        of(((3,), (3, 4), (4,)), ((), (3, 4), (4,)), ((33,), (33, 65), (65,)), scaled=True),
        mismatch(((2,), (3, 4), (4,)), ((3,), (3, 4), (3,))),
    ),
    product(
        "dot",
        np.dot,
        of(((4,), (4,)), ((100,), (100,)), ((0,), (0,))),
        mismatch(((3,), (4,)), ((2, 2), (2, 2))),
    ),
    product(
        "vdot",
        np.vdot,
        of(((4,), (4,)), ((100,), (100,)), ((0,), (0,))),
        mismatch(((3,), (4,)), ((2, 2), (2, 2))),
    ),
    Row(
        "outer",
        of(((3,), (4,)), ((0,), (4,)), ((17,), (33,))),
        np.outer,
        dtypes=ALL,
        bad=mismatch(((2, 2), (2,))),
    ),
    product(
        "matmul",
        np.matmul,
        of(
            ((4,), (4,)),
            ((3, 4), (4,)),
            ((4,), (4, 5)),
            ((3, 4), (4, 5)),
            ((2, 3, 4), (4, 5)),
            ((2, 3, 4), (4,)),
            ((4,), (2, 4, 5)),
            ((2, 3, 4), (2, 4, 5)),
            ((6, 1, 3, 4), (2, 4, 5)),
            ((3, 4), (2, 4, 5)),
            ((2, 3, 0), (0, 5)),
        ),
        mismatch(((2, 3), (2, 3)), ((2, 3, 4), (3, 4, 5)), ((), (3,)), ((3,), (4,))),
    ),
    product(
        "linear",
        linear,
        of(
            ((3, 4), (5, 4)),
            ((3, 4), (5, 4), (5,)),
            ((4,), (5, 4), (5,)),
            ((2, 3, 4), (5, 4), (5,)),
            ((0, 4), (5, 4), (5,)),
        ),
        mismatch(((3, 4), (4, 5)), ((3, 4), (4,))),
    ),
]
