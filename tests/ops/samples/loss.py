"""What training minimises. reduction: 0 none, 1 mean, 2 sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness.arguments import Make
from harness.row import Row, Sample, bad, call
from scipy import special

REDUCTIONS = (0, 1, 2)


def reduced(loss: Any, reduction: int) -> Any:
    return (lambda x: x, np.mean, np.sum)[reduction](loss)


def pairs(
    self: tuple[float, float] = (-2, 2), target: tuple[float, float] = (-2, 2), **more: Any
) -> Callable[[Make], Iterator[Sample]]:
    def samples(make: Make) -> Iterator[Sample]:
        for reduction in REDUCTIONS:
            x = make(3, 7, low=self[0], high=self[1])
            yield call(x, make(3, 7, low=target[0], high=target[1]), reduction=reduction)
        x = make(5, low=self[0], high=self[1])
        yield call(x, make(5, low=target[0], high=target[1]), **more)
        yield call(make(low=self[0], high=self[1]), make(low=target[0], high=target[1]))

    return samples


def weighted(self: tuple[float, float], weights: int) -> Callable[[Make], Iterator[Sample]]:
    """Targets in (0, 1), and up to `weights` further tensors."""

    def samples(make: Make) -> Iterator[Sample]:
        for reduction in REDUCTIONS:
            x = make(3, 7, low=self[0], high=self[1])
            yield call(x, make(3, 7, low=0.1, high=0.9), reduction=reduction)
        for given in range(1, weights + 1):
            x, y = make(3, 7, low=self[0], high=self[1]), make(3, 7, low=0.1, high=0.9)
            yield call(x, y, *(make(7, low=0.5, high=2) for _ in range(given)))
        if self[0] < 0:  # smooth at zero, where parts of the usual formula are not
            yield call(make.of([0.0, 1.0]), make(2, low=0.1, high=0.9))

    return samples


def pair(function: Callable[..., Any]) -> Callable[..., Any]:
    def oracle(x: Any, y: Any, reduction: int = 1, **more: Any) -> Any:
        return reduced(function(x, y, **more), reduction)

    return oracle


def huber(x: Any, y: Any, delta: float = 1.0) -> Any:
    d = np.abs(x - y)
    return np.where(d <= delta, d * d / 2, delta * (d - delta / 2))


def smooth_l1(x: Any, y: Any, beta: float = 1.0) -> Any:
    d = np.abs(x - y)
    return np.where(d < beta, d * d / (2 * beta), d - beta / 2)


def with_logits(x: Any, y: Any, weight: Any = 1, pos_weight: Any = 1, reduction: int = 1) -> Any:
    loss = -(pos_weight * y * np.log(special.expit(x)) + (1 - y) * np.log(special.expit(-x)))
    return reduced(loss * weight, reduction)


def binary(x: Any, y: Any, weight: Any = 1, reduction: int = 1) -> Any:
    return reduced(-(y * np.log(x) + (1 - y) * np.log1p(-x)) * weight, reduction)


def kl_div(x: Any, y: Any, log_target: bool = False) -> Any:
    return np.exp(y) * (y - x) if log_target else special.xlogy(y, y) - y * x


def classes(*order: str, smoothing: bool = False) -> Callable[[Make], Iterator[Sample]]:
    """Log-probabilities and class indices, with `order` the further arguments' names."""

    def samples(make: Make) -> Iterator[Sample]:
        for reduction in REDUCTIONS:
            for shape in ((6, 5), (5,), (2, 5, 3)):
                batch = shape[:1] + shape[2:] if len(shape) > 1 else ()
                given = {
                    "weight": make(5, low=0.5, high=2, smooth=False) if reduction else None,
                    "reduction": reduction,
                    "ignore_index": 2 if len(shape) == 2 else -100,
                }
                more = {"label_smoothing": 0.2} if smoothing and reduction else {}
                target = make.index(*batch, high=5)
                yield call(make(*shape), target, *(given[n] for n in order), **more)

    return samples


def probabilities(make: Make) -> Iterator[Sample]:
    yield from classes("weight", "reduction", "ignore_index", smoothing=True)(make)
    for reduction in REDUCTIONS:
        x, target = make(6, 5), make(6, 5, low=0, high=0.4)
        weight = make(5, low=0.5, high=2, smooth=False)
        yield call(x, target, weight, reduction=reduction, label_smoothing=0.1)


def nll(
    x: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100
) -> Any:
    x, target = (x[None], target[None]) if x.ndim == 1 else (x, target)
    weight = np.ones(x.shape[1]) if weight is None else weight
    counted = target != ignore_index
    weights = np.where(counted, weight[np.where(counted, target, 0)], 0.0)
    picked = np.take_along_axis(x, np.where(counted, target, 0)[:, None], axis=1)[:, 0]
    loss, total = -picked * weights, weights.sum()
    return loss, total, (loss, loss.sum() / total, loss.sum())[reduction]


def nll_forward(x: Any, target: Any, weight: Any, reduction: int, ignore_index: int) -> Any:
    loss, total, result = nll(x, target, weight, reduction, ignore_index)
    if reduction == 0:
        return loss.reshape(target.shape), 0.0
    return result, total


def nll_loss(x: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
    result = nll(x, target, *args, **kwargs)[2]
    return result.reshape(target.shape) if np.ndim(result) else result


def nll_backward(make: Make) -> Iterator[Sample]:
    for reduction in REDUCTIONS:
        target, weight = make.index(6, high=5), make(5, low=0.5, high=2, smooth=False)
        kept = target.array != 2
        total = make.of(weight.array[target.array][kept].sum(), smooth=False)
        g = make(6) if reduction == 0 else make()
        yield call(g, make(6, 5), target, weight, reduction, 2, total)


def nll_gradient(
    g: Any, x: Any, target: Any, weight: Any, reduction: int, ignore_index: int, total: Any
) -> Any:
    out = np.zeros_like(x)
    for i, c in enumerate(target):
        if c != ignore_index:
            share = g[i] if reduction == 0 else g / total if reduction == 1 else g
            out[i, c] = -weight[c] * share
    return out


def cross_entropy(
    x: Any,
    target: Any,
    weight: Any = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Any:
    axis = 0 if x.ndim == 1 else 1
    logs, count = special.log_softmax(x, axis=axis), x.shape[axis]
    along = [1] * x.ndim
    along[axis] = count
    scale = np.ones(along) if weight is None else weight.reshape(along)
    if target.shape == x.shape:
        wanted = target * (1 - label_smoothing) + label_smoothing / count
        loss = -(logs * wanted * scale).sum(axis)
        return loss.sum() / (x.size / count) if reduction == 1 else reduced(loss, reduction)
    loss, total, _ = nll(logs, target, weight, reduction, ignore_index)
    smooth = np.where(target == ignore_index, 0, -(logs * scale).sum(axis))
    mixed = loss.reshape(target.shape) * (1 - label_smoothing) + smooth * label_smoothing / count
    return mixed.sum() / total if reduction == 1 else reduced(mixed, reduction)


def wrong_reduction(make: Make) -> list[Any]:
    return [bad(ValueError, "reduction", make(2), make(2), reduction=3)]


def wrong_classes(*last: Any) -> Callable[[Make], list[Any]]:
    def wrong(make: Make) -> list[Any]:
        return [
            bad(IndexError, "5", make(2, 5), make.of([0, 5], "i64"), *last),
            bad(IndexError, "-1", make(2, 5), make.of([0, -1], "i64"), *last),
            bad(TypeError, "i64", make(2, 5), make(2), *last),
            bad(ValueError, "sizes", make(2, 5), make.index(3, high=5), *last),
        ]

    return wrong


LOGS = {"bf16": (3e-2, 1e-2), "f16": (3e-3, 1e-3)}
ROUNDED_LOGS = "the composition rounds its intermediate results to 16 bits"

ROWS = [
    Row(
        "mse_loss",
        pairs(),
        pair(lambda x, y: (x - y) ** 2),
        tolerances=LOGS,
        why=ROUNDED_LOGS,
        bad=wrong_reduction,
    ),
    Row(
        "l1_loss",
        pairs(),
        pair(lambda x, y: np.abs(x - y)),
        tolerances=LOGS,
        why=ROUNDED_LOGS,
        bad=wrong_reduction,
    ),
    Row(
        "huber_loss",
        pairs(delta=0.7),
        pair(huber),
        tolerances=LOGS,
        why=ROUNDED_LOGS,
        bad=lambda make: [
            *wrong_reduction(make),
            bad(ValueError, "delta", make(2), make(2), delta=0.0),
        ],
    ),
    Row(
        "smooth_l1_loss",
        pairs(beta=0.7),
        pair(smooth_l1),
        tolerances=LOGS,
        why=ROUNDED_LOGS,
        bad=lambda make: [
            *wrong_reduction(make),
            bad(ValueError, "beta", make(2), make(2), beta=-1.0),
        ],
    ),
    Row(
        "binary_cross_entropy_with_logits",
        weighted((-3, 3), 2),
        with_logits,
        tolerances=LOGS,
        why=ROUNDED_LOGS,
        bad=wrong_reduction,
    ),
    Row(
        "binary_cross_entropy",
        weighted((0.1, 0.9), 1),
        binary,
        tolerances=LOGS,
        why=ROUNDED_LOGS,
        bad=wrong_reduction,
    ),
    Row(
        "kl_div",
        pairs(target=(0.1, 0.9), log_target=True),
        pair(kl_div),
        tolerances=LOGS,
        why=ROUNDED_LOGS,
        bad=wrong_reduction,
    ),
    Row(
        "nll_loss_forward",
        classes("weight", "reduction", "ignore_index"),
        nll_forward,
        bad=wrong_classes(None, 1, -100),
    ),
    Row("nll_loss_backward", nll_backward, nll_gradient),
    Row("nll_loss", classes("weight", "reduction", "ignore_index"), nll_loss, bad=wrong_classes()),
    Row(
        "cross_entropy_loss",
        probabilities,
        cross_entropy,
        tolerances=LOGS,
        why=ROUNDED_LOGS,
        bad=lambda make: [
            bad(
                ValueError,
                "label_smoothing",
                make(2, 5),
                make.index(2, high=5),
                label_smoothing=1.5,
            )
        ],
    ),
]
