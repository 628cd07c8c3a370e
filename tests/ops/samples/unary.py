"""Element-wise functions of one tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness.arguments import ALL, ALL_REALS, BOOL, INTEGERS, NUMBERS, REALS, Make
from harness.row import Row, Sample, bad, call, rough
from scipy import special

from samples.pointwise import INF, one

Oracle = Callable[[Any], Any]


def function(name: str, oracle: Oracle, low: float = -3, high: float = 3, **more: Any) -> Row:
    """A function of real numbers: integers become floats."""
    return Row(name, one(low, high), oracle, dtypes=ALL_REALS, result="float", **more)


def holomorphic(name: str, oracle: Oracle, low: float = -3, high: float = 3) -> Row:
    """A function of complex numbers too, which are tried in all quadrants."""

    def samples(make: Make) -> Iterator[Sample]:
        yield from one(low, high)(make)
        if make.is_complex:
            yield rough(make(3, 71, low=-3, high=3))

    return Row(name, samples, oracle, dtypes=ALL, result="float")


def question(name: str, oracle: Oracle, dtypes: tuple[str, ...] = ALL_REALS) -> Row:
    def samples(make: Make) -> Iterator[Sample]:
        yield from one()(make)
        if make.is_complex:
            parts = (INF, -INF, np.nan, 0.0, 1.0)
            yield rough(make.of([complex(a, b) for a in parts for b in parts]))

    return Row(name, samples, oracle, dtypes=dtypes, result="bool", gradient="no")


def rounding(name: str, oracle: Oracle) -> Row:
    return Row(name, one(), oracle, dtypes=REALS)


def nan_to_num(x: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    if x.dtype != np.float64:
        return x
    # What is not given is an infinity here: its rounding to the dtype gives the limit in `limited`.
    x = np.where(np.isnan(x), 0 if nan is None else nan, x)
    x = np.where(x == INF, x if posinf is None else posinf, x)
    return np.where(x == -INF, x if neginf is None else neginf, x)


def nan_to_num_samples(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71))
    yield call(make(), 1.5)
    yield call(make(0, 3))
    if make.is_float:
        yield rough(make.of([INF, -INF, np.nan, 2.0]), 0.5, 7.0, -9.0)
        yield rough(make.of([np.nan, 2.0]))


def decimals(make: Make) -> Iterator[Sample]:
    for n in (-1, 0, 1):
        yield call(make(40, low=-60, high=60), decimals=n)
    yield rough(make(40), decimals=3)  # steps are too small for finite differences
    yield call(make(), decimals=2)
    yield call(make(0, 3), decimals=1)
    if make.is_float:
        yield rough(make.of([INF, -INF, np.nan, 0.25, -0.75, 2.5]), decimals=1)


def polygamma_samples(make: Make) -> Iterator[Sample]:
    for n in (0, 1, 2, 3):
        yield call(n, make(3, 17, low=0.5, high=5))
    yield call(1, make(low=0.5, high=3))
    yield call(1, make(0, 3))


def sgn(x: Any) -> Any:
    if np.iscomplexobj(x):
        return np.where(x == 0, 0, x / np.where(x == 0, 1, np.abs(x)))
    return sign(x)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x)) if np.iscomplexobj(x) else special.expit(x)


def sign(x: Any) -> Any:
    """0 for NaN, as PyTorch has it."""
    return (x > 0).astype(x.dtype) ^ (x < 0) if x.dtype == bool else (x > 0) * 1 - (x < 0) * 1


ROWS = [
    Row("abs", one(), np.abs, dtypes=NUMBERS, result="real"),
    Row("neg", one(), np.negative, dtypes=NUMBERS),
    Row("positive", one(), np.positive, dtypes=NUMBERS),
    Row("sign", one(), sign, dtypes=ALL_REALS),
    Row("sgn", one(), sgn, dtypes=ALL),
    Row("square", one(), np.square, dtypes=NUMBERS),
    Row(
        "reciprocal",
        one(0.3, 3),
        lambda x: 1 / x,
        dtypes=ALL,
        result="float",
    ),
    rounding("ceil", np.ceil),
    rounding("floor", np.floor),
    rounding("round", np.round),
    Row("round.decimals", decimals, np.round),
    rounding("trunc", np.trunc),
    Row("frac", one(specials=False), lambda x: x - np.trunc(x)),
    Row("nan_to_num", nan_to_num_samples, nan_to_num, dtypes=ALL_REALS),
    holomorphic("sqrt", np.sqrt, 0.1, 9),
    holomorphic("rsqrt", lambda x: 1 / np.sqrt(x), 0.1, 9),
    holomorphic("exp", np.exp),
    holomorphic("exp2", np.exp2),
    holomorphic("expm1", np.expm1),
    holomorphic("log", np.log, 0.1, 9),
    holomorphic("log10", np.log10, 0.1, 9),
    holomorphic("log1p", np.log1p, -0.9, 9),
    holomorphic("log2", np.log2, 0.1, 9),
    holomorphic("sigmoid", sigmoid),
    holomorphic("acos", np.arccos, -0.9, 0.9),
    holomorphic("acosh", np.arccosh, 1.1, 9),
    holomorphic("asin", np.arcsin, -0.9, 0.9),
    holomorphic("asinh", np.arcsinh),
    holomorphic("atan", np.arctan),
    holomorphic("atanh", np.arctanh, -0.9, 0.9),
    holomorphic("cos", np.cos, -30, 30),
    holomorphic("cosh", np.cosh),
    holomorphic("sin", np.sin, -30, 30),
    holomorphic("sinh", np.sinh),
    holomorphic("tan", np.tan, -1.4, 1.4),
    holomorphic("tanh", np.tanh),
    holomorphic("sinc", np.sinc),
    function("deg2rad", np.deg2rad, -360, 360),
    function("rad2deg", np.rad2deg),
    function("erf", special.erf),
    function("erfc", special.erfc),
    function("erfinv", special.erfinv, -0.9, 0.9),
    function("lgamma", lambda x: np.where(np.isinf(x), INF, special.gammaln(x)), 0.3, 9),
    function("digamma", special.digamma, 0.3, 9),
    Row(
        "polygamma",
        polygamma_samples,
        lambda n, x: special.polygamma(n, x) if n else special.digamma(x),
        dtypes=ALL_REALS,
        result="float",
        bad=lambda make: [bad(ValueError, "needs an n of 0 to", -1, make(2))],
    ),
    Row("bitwise_not", one(), np.invert, dtypes=BOOL + INTEGERS, gradient="no"),
    question("logical_not", np.logical_not, ALL),
    question("isfinite", np.isfinite, ALL),
    question("isinf", np.isinf, ALL),
    question("isnan", np.isnan, ALL),
    question("isposinf", lambda x: x.astype(float) == INF),
    question("isneginf", lambda x: x.astype(float) == -INF),
    question("signbit", lambda x: np.signbit(x.astype(float))),
]
