"""The non-linear functions of neural networks, and the backward forms that are operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness.arguments import REALS, Make
from harness.row import Row, Sample, bad, call
from scipy import special

from samples.pointwise import one, two

C = np.sqrt(2 / np.pi)


def several(*calls: tuple[Any, ...], **kwargs: Any) -> Callable[[Make], Iterator[Sample]]:
    """The samples of one tensor, with each of these further arguments."""

    def samples(make: Make) -> Iterator[Sample]:
        for more in calls:
            yield call(make(3, 71, low=-4, high=4), *more, **kwargs)
        yield call(make(), *calls[0], **kwargs)
        yield call(make(0, 3), *calls[0], **kwargs)

    return samples


def limits(make: Make) -> Iterator[Sample]:
    yield from several((0, 2), (1, 1))(make)
    if make.dtype != "u8":  # which holds no negative limit
        yield from several((), (-2, 1))(make)


def gelu_modes(samples: Callable[..., Any]) -> Callable[[Make], Iterator[Sample]]:
    def both(make: Make) -> Iterator[Sample]:
        yield from samples(specials=False)(make)
        yield from samples(specials=False, approximate="tanh")(make)

    return both


def gelu(x: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        return x * 0.5 * (1 + np.tanh(C * (x + 0.044715 * x**3)))
    return x * special.ndtr(x)


def gelu_backward(g: Any, x: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        t = np.tanh(C * (x + 0.044715 * x**3))
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t**2) * C * (1 + 3 * 0.044715 * x**2))
    return g * (special.ndtr(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi))


def elu(x: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    return np.where(x > 0, scale * x, scale * alpha * np.expm1(np.minimum(x, 0) * input_scale))


def softplus(x: Any, beta: float = 1, threshold: float = 20) -> Any:
    return np.where(x * beta > threshold, x, np.logaddexp(0, x * beta) / beta)


def silu_backward(g: Any, x: Any) -> Any:
    s = special.expit(x)
    return g * s * (1 + x * (1 - s))


def threshold_backward(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71), make(3, 71), 0)
    yield call(make(4, 3), make(4, 3), 1)
    yield call(make(), make(), 0)
    yield call(make(0, 3), make(0, 3), 0)


def backward(name: str, oracle: Callable[..., Any], samples: Any = None) -> Row:
    return Row(name, samples or two(specials=False), oracle, result="common")


ROWS = [
    Row("relu", one(), lambda x: np.maximum(x, 0), dtypes=REALS),
    Row(
        "threshold", several((0, 1), (1, -2)), lambda x, t, v: np.where(x <= t, v, x), dtypes=REALS
    ),
    Row(
        "threshold_backward",
        threshold_backward,
        lambda g, x, t: np.where(x <= t, 0, g),
        dtypes=REALS,
        result="common",
    ),
    Row(
        "leaky_relu",
        several((), (0.2,), (-0.5,)),
        lambda x, slope=0.01: np.where(x > 0, x, x * slope),
    ),
    Row("elu", several((), (0.5,), (0.7, 1.3, 2.0)), elu),
    Row("softplus", several((), (2.0,), (1.0, 1.5)), softplus),
    Row(
        "hardtanh",
        limits,
        lambda x, low=-1, high=1: np.clip(x, low, high),
        dtypes=REALS,
        bad=lambda make: [bad(ValueError, "min_val", make(2, dtype="u8"))],
    ),
    Row("relu6", one(-3, 9), lambda x: np.clip(x, 0, 6), dtypes=REALS),
    backward("sigmoid_backward", lambda g, y: g * y * (1 - y)),
    backward("tanh_backward", lambda g, y: g * (1 - y * y)),
    Row("silu", one(specials=False), lambda x: x * special.expit(x)),
    backward("silu_backward", silu_backward),
    Row("mish", one(specials=False), lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    Row("gelu", gelu_modes(one), gelu),
    backward("gelu_backward", gelu_backward, gelu_modes(two)),
]
