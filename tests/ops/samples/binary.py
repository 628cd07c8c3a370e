"""Element-wise arithmetic of two tensors, or of a tensor and a number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, ALL_REALS, BOOL, FLOATS, INTEGERS, NUMBERS, REALS, Make
from harness.row import Row, Sample, bad, call, rough
from scipy import special

from samples.pointwise import Samples, two


def with_alpha(make: Make) -> Iterator[Sample]:
    yield from two()(make)
    if make.dtype != "bool":
        yield call(make(3, 71), make(3, 71), alpha=2)
        yield call(make(3, 5), 2, alpha=3)
    if make.is_float:
        yield call(make(7), make(2, 7), alpha=0.5)
    if make.is_complex:
        yield call(make(7), make(2, 7), alpha=0.5 - 2j)


def add(a: Any, b: Any, alpha: Any = 1) -> Any:
    return a | b if np.result_type(a, b) == np.bool_ else a + alpha * b


def fraction_alpha(make: Make) -> list[Any]:
    x = make.of([1, 2], "i64")
    return [bad(ValueError, "alpha", x, x, alpha=0.5)]


def power(make: Make) -> Iterator[Sample]:
    if make.is_integer:
        yield from two(-3, 3, other=(0, 3), specials=False)(make)
        yield call(make(9), 3)
    else:
        yield from two(0.2, 3, other=(-2, 2))(make)
        for exponent in (0, 1, 2, 3, 0.5, -1, -0.5):
            yield call(make(40, low=0.3, high=3), exponent)
        yield call(2.5, make(20))
    if make.is_complex:
        yield call(make(20), 1 - 2j)
        yield rough(make(3, 71, low=-3, high=3), make(3, 71, low=-2, high=2))
        yield rough(make.of([0, 0, 0]), make.of([0, 2, 1 + 1j]))


def modes(make: Make) -> Iterator[Sample]:
    for mode in ("trunc", "floor"):
        yield call(make(3, 71, low=-9, high=9), make(3, 71, low=1, high=4), rounding_mode=mode)
        yield call(make(4, 1, low=-9, high=9), make(3, low=1, high=4), rounding_mode=mode)
    yield call(make(0, 3), make(3), rounding_mode="floor")


def number_modes(make: Make) -> Iterator[Sample]:
    for mode in ("trunc", "floor"):
        yield call(make(3, 71, low=-9, high=9), 3, rounding_mode=mode)
        yield call(make(low=-9, high=9), 2, rounding_mode=mode)


def divided(a: Any, b: Any, rounding_mode: str | None) -> Any:
    if rounding_mode is None:
        return a / b
    return np.floor_divide(a, b) if rounding_mode == "floor" else np.trunc(a / b)


def whole(name: str, oracle: Callable[..., Any]) -> Row:
    """Division with a whole quotient: an integer divisor of zero is an error."""
    samples = two(-9, 9, other=(1, 4), nonzero=True, specials=False)
    zero = lambda make: [bad(RuntimeError, "zero", make.of([1, 2], "i64"), make.of([1, 0], "i64"))]  # noqa: E731
    return Row(name, samples, oracle, dtypes=REALS, result="common", bad=zero)


def pair(name: str, oracle: Callable[..., Any], samples: Samples, dtypes: Any, **more: Any) -> Row:
    return Row(name, samples, oracle, dtypes=dtypes, result="common", **more)


def bits(name: str, oracle: Callable[..., Any], dtypes: tuple[str, ...], **limits: Any) -> Row:
    return pair(name, oracle, two(**limits), dtypes, gradient="no")


def extremum(name: str, oracle: Callable[..., Any]) -> Row:
    return pair(name, oracle, two(), ALL_REALS)


def nextafter(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71), make(3, 71))
    yield call(make(4, 1), make(3))
    yield call(make(), make())
    yield call(make(0, 3), make(3))


def next_narrow(a: Any, b: Any) -> Any:
    """The neighbour in f32: the sample's values say nothing of the dtype, so f32 is tried first."""
    narrow = np.nextafter(a.astype(np.float32), b.astype(np.float32))
    exact = (a == a.astype(np.float32)).all() and (b == b.astype(np.float32)).all()
    return narrow if exact else np.nextafter(a, b)


ROWS = [
    pair("add.Tensor", add, with_alpha, ALL, bad=fraction_alpha),
    pair(
        "sub.Tensor", lambda a, b, alpha=1: a - alpha * b, with_alpha, NUMBERS, bad=fraction_alpha
    ),
    pair(
        "rsub.Tensor", lambda a, b, alpha=1: b - alpha * a, with_alpha, NUMBERS, bad=fraction_alpha
    ),
    pair("mul.Tensor", np.multiply, two(), ALL),
    Row("div.Tensor", two(other=(0.4, 3), nonzero=True), np.divide, dtypes=ALL, result="float"),
    Row(
        "true_divide.Tensor",
        two(other=(0.4, 3), nonzero=True),
        np.divide,
        dtypes=ALL,
        result="float",
    ),
    pair(
        "div.Tensor_mode",
        divided,
        modes,
        REALS,
        bad=lambda make: [bad(ValueError, "rounding_mode", make(2), make(2), rounding_mode="up")],
    ),
    pair(
        "div.Scalar_mode",
        divided,
        number_modes,
        ALL_REALS,
        bad=lambda make: [bad(ValueError, "rounding_mode", make(2), 2, rounding_mode="up")],
    ),
    whole("floor_divide", np.floor_divide),
    whole("_trunc_divide", lambda a, b: np.trunc(a / b)),
    whole("remainder.Tensor", np.remainder),
    whole("fmod.Tensor", np.fmod),
    pair(
        "pow.Tensor_Tensor",
        np.power,
        power,
        NUMBERS,
        bad=lambda make: [bad(ValueError, "negative", make.of([1, 2], "i64"), -1)],
    ),
    Row("atan2", two(), np.arctan2, dtypes=ALL_REALS, result="float"),
    pair("hypot", np.hypot, two(), FLOATS),
    pair("logaddexp", np.logaddexp, two(), FLOATS),
    pair("logaddexp2", np.logaddexp2, two(), FLOATS),
    Row(
        "xlogy.Tensor",
        two(other=(0.2, 3)),
        special.xlogy,
        dtypes=ALL_REALS,
        result="float",
    ),
    Row("copysign.Tensor", two(), np.copysign, dtypes=ALL_REALS, result="float"),
    pair("nextafter", next_narrow, nextafter, ("f32", "f64"), gradient="raises"),
    extremum("maximum", np.maximum),
    extremum("minimum", np.minimum),
    extremum("fmax", np.fmax),
    extremum("fmin", np.fmin),
    pair(
        "heaviside",
        lambda a, b: np.where(np.isnan(a), 0, np.heaviside(a, b)),
        two(-1, 1),
        ALL_REALS,
        gradient="raises",
    ),
    bits("gcd", np.gcd, INTEGERS, low=-50, high=50),
    bits("lcm", np.lcm, INTEGERS, low=-10, high=10),
    bits("bitwise_left_shift.Tensor", np.left_shift, INTEGERS, other=(0, 4)),
    bits("bitwise_right_shift.Tensor", np.right_shift, INTEGERS, low=-50, high=50, other=(0, 4)),
    bits("bitwise_and.Tensor", np.bitwise_and, BOOL + INTEGERS, low=-50, high=50),
    bits("bitwise_or.Tensor", np.bitwise_or, BOOL + INTEGERS, low=-50, high=50),
    bits("bitwise_xor.Tensor", np.bitwise_xor, BOOL + INTEGERS, low=-50, high=50),
]
