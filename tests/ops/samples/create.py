"""New tensors: uninitialised, filled with one number, counting, or random."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tenon as tn
from harness.arguments import ALL, Make, array
from harness.row import Row, Sample, bad, call

SHAPES = ([2, 3], [], [0, 3], [2, 3, 4, 5])


def sized(*last: Any, **more: Any) -> Callable[[Make], Iterator[Sample]]:
    """Of a size alone, and of each dtype."""

    def samples(make: Make) -> Iterator[Sample]:
        for shape in SHAPES:
            yield call(shape, *last, dtype=getattr(tn, make.dtype), **more)

    return samples


def like(*last: Any, **more: Any) -> Callable[[Make], Iterator[Sample]]:
    def samples(make: Make) -> Iterator[Sample]:
        for shape in SHAPES:
            yield call(make(*shape, smooth=False), *last, **more)
        yield call(make(2, 3, smooth=False), *last, dtype=tn.f64)
        yield call(make(2, 3, 4, 5, smooth=False), *last, memory_format=tn.channels_last)

    return samples


def new(*last: Any) -> Callable[[Make], Iterator[Sample]]:
    def samples(make: Make) -> Iterator[Sample]:
        for shape in SHAPES:
            yield call(make(2, smooth=False), shape, *last)
        yield call(make(2, smooth=False), [3], *last, dtype=tn.i32)

    return samples


def plain(*calls: tuple[Any, ...], **more: Any) -> Callable[[Make], Iterator[Sample]]:
    """Calls without tensors: with the natural dtype, and with each dtype."""

    def samples(make: Make) -> Iterator[Sample]:
        for args in calls:
            yield call(*args, dtype=getattr(tn, make.dtype), **more)

    return samples


def filled(value: Any) -> Callable[..., Any]:
    return lambda size, *_, **__: np.full(size, value)


def filled_like(value: Any) -> Callable[..., Any]:
    return lambda x, *_, **__: np.full(x.shape, value)


def check_shape(args: Any, kwargs: Any, result: Any) -> None:
    """Uninitialised memory: shape, dtype and strides only."""
    like_ = args[0] if isinstance(args[0], tn.Tensor) else None
    size = args[1] if like_ is not None and len(args) > 1 else args[0] if like_ is None else None
    assert list(result.shape) == list(size if size is not None else like_.shape)
    natural = like_.dtype if like_ is not None else tn.get_default_dtype()
    assert result.dtype is kwargs.get("dtype", natural)
    if kwargs.get("memory_format") is tn.channels_last:
        assert result.is_contiguous(tn.channels_last)


def check_strides(args: Any, kwargs: Any, result: Any) -> None:
    assert list(result.shape) == list(args[0])
    assert list(result.stride()) == list(args[1])


def check_random(
    low: float, high: float, mean: float, deviation: float, of_part: float = 1
) -> Callable[..., None]:
    """Limits, and the mean of 10 000 numbers within 5 deviations of it.

    `of_part` is the share of the deviation that each part of a complex number has.
    """

    def check(args: Any, kwargs: Any, result: Any) -> None:
        values, expected = array(result), deviation
        if np.iscomplexobj(values):
            values, expected = values.view(np.float64), deviation * of_part
        assert ((values >= low) & (values < high)).all()
        if values.size >= 10000:
            assert abs(values.mean() - mean) < 5 * expected / np.sqrt(values.size)
            assert abs(values.std() - expected) < 0.05 * expected + 1e-3

    return check


def check_permutation(args: Any, kwargs: Any, result: Any) -> None:
    assert sorted(array(result)) == list(range(args[0]))


def random_like(make: Make) -> Iterator[Sample]:
    yield call(make(100, 100, smooth=False))
    yield call(make(0, smooth=False))


def arange_oracle(*args: Any, **_: Any) -> Any:
    return np.arange(*args)


def size_errors(*last: Any) -> Callable[[Make], list[Any]]:
    return lambda make: [
        bad(ValueError, "negative", [-1], *last),
        bad((ValueError, MemoryError, RuntimeError), "", [2**62, 2**62], *last),
        bad(ValueError, "dimensions", [1] * 65, *last),
    ]


def factory(name: str, samples: Any, oracle: Any, **more: Any) -> Row:
    more = {"dtypes": ALL, "gradient": "no", "any_dtype": True} | more
    return Row(name, samples, oracle, **more)


RANDOM = ("f16", "bf16", "f32", "f64")
PARTS = (*RANDOM, "c64", "c128")
HOLDS = tuple(d for d in ALL if d not in ("bool", "c64", "c128"))
BIG = ([100, 100],), ([0],)
INF = float("inf")
UNIFORM = check_random(0, 1.0000001, 0.5, 12**-0.5)
NORMAL = check_random(-INF, INF, 0, 1, of_part=0.5**0.5)

ROWS = [
    factory("empty.memory_format", sized(), None, check=check_shape, bad=size_errors()),
    factory(
        "empty_strided",
        plain(([2, 3], [1, 2]), ([2, 3], [0, 1]), ([], [])),
        None,
        check=check_strides,
        bad=lambda make: [
            bad(ValueError, "length", [2], [1, 1]),
            bad(ValueError, "negative", [2], [-1]),
        ],
    ),
    factory("empty_like", like(), None, check=check_shape, sees_layout=True),
    factory("new_empty", new(), None, check=check_shape),
    factory("zeros", sized(), filled(0), bad=size_errors()),
    factory("ones", sized(), filled(1), bad=size_errors()),
    factory(
        "full",
        sized(3),
        lambda size, value, **_: np.full(size, value),
        bad=lambda make: [
            *size_errors(1)(make),
            bad(ValueError, "300 does not fit into u8", [2], 300, dtype=tn.u8),
        ],
    ),
    factory("zeros_like", like(), filled_like(0)),
    factory("ones_like", like(), filled_like(1)),
    factory("full_like", like(3), filled_like(3)),
    factory("new_zeros", new(), lambda x, size, **_: np.full(size, 0)),
    factory("new_ones", new(), lambda x, size, **_: np.full(size, 1)),
    factory("new_full", new(3), lambda x, size, value, **_: np.full(size, value)),
    factory("scalar_tensor", plain((3,), (True,), (1.5,)), lambda s, **_: np.asarray(s)),
    factory(
        "arange",
        plain((9,), (0,), (4.5,)),
        arange_oracle,
        dtypes=HOLDS,
        bad=lambda make: [bad(ValueError, "finite", INF)],
    ),
    factory(
        "arange.start",
        plain((2, 9), (0, 4.5)),
        arange_oracle,
        dtypes=HOLDS,
        bad=lambda make: [bad(ValueError, "away", 5, 2)],
    ),
    factory(
        "arange.start_step",
        plain((2, 9, 3), (9, 2, -2), (0, 3, 0.75)),
        lambda start, end, step, **_: np.arange(start, end, step),
        dtypes=HOLDS,
        bad=lambda make: [bad(ValueError, "step", 0, 5, 0), bad(ValueError, "away", 0, 5, -1)],
    ),
    factory(
        "linspace",
        plain((0, 1, 5), (2, 10, 9), (5, 1, 3), (3, 3, 1), (0, 1, 0)),
        lambda a, b, n, **_: np.linspace(a, b, n),
        dtypes=(*RANDOM, "c64", "c128", "i32", "i64"),
        bad=lambda make: [bad(ValueError, "steps", 0, 1, -1)],
    ),
    factory(
        "logspace",
        plain((0, 1, 5), (1, -1, 3), (0, 4, 5, 2.0), (0, 1, 0)),
        lambda a, b, n, base=10.0, **_: np.logspace(a, b, n, base=base),
        dtypes=(*RANDOM, "i32", "i64"),
        tolerances={"f16": (2e-2, 0), "bf16": (1e-1, 0), "f32": (1e-5, 0)},
        why="the exponent is rounded to the dtype before the power is taken",
        bad=lambda make: [bad(ValueError, "steps", 0, 1, -1)],
    ),
    factory(
        "eye",
        plain((3,), (0,)),
        lambda n, **_: np.eye(n),
        bad=lambda make: [bad(ValueError, "negative", -1)],
    ),
    factory("eye.m", plain((3, 5), (5, 3), (0, 2)), lambda n, m, **_: np.eye(n, m)),
    factory("rand", plain(*BIG), None, check=UNIFORM, dtypes=PARTS, bad=size_errors()),
    factory("randn", plain(*BIG), None, check=NORMAL, dtypes=PARTS, bad=size_errors()),
    factory("rand_like", random_like, None, check=UNIFORM, dtypes=PARTS, any_dtype=False),
    factory("randn_like", random_like, None, check=NORMAL, dtypes=PARTS, any_dtype=False),
    factory(
        "randint",
        plain((10, [100, 100]), (10, [0])),
        None,
        check=check_random(0, 10, 4.5, 8.25**0.5),
        dtypes=HOLDS,
        bad=lambda make: [
            bad(ValueError, "low", 0, [2]),
            bad(ValueError, "u8", 300, [2], dtype=tn.u8),
            bad(TypeError, "bool", 2, [2], dtype=tn.bool),
        ],
    ),
    factory(
        "randint.low",
        plain((2, 12, [100, 100]), (2, 12, [0])),
        None,
        check=check_random(2, 12, 6.5, 8.25**0.5),
        dtypes=HOLDS,
        bad=lambda make: [bad(ValueError, "low", 5, 5, [2])],
    ),
    factory(
        "randperm",
        plain((100,), (0,), (1,)),
        None,
        check=check_permutation,
        dtypes=HOLDS,
        bad=lambda make: [bad(ValueError, "n is -1", -1), bad(ValueError, "u8", 257, dtype=tn.u8)],
    ),
]
