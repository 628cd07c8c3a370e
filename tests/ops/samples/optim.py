"""Optimizer steps over lists of parameters, in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness.arguments import Make
from harness.row import Row, Sample, bad, rough

SHAPES = ((3, 5), (71,), ())
SGD = {
    "weight_decay": 0.01, "momentum": 0.9, "lr": 0.1, "dampening": 0.1, "nesterov": False,
    "maximize": False, "is_first_step": False,
}  # fmt: skip
ADAM = {
    "lr": 0.01, "beta1": 0.9, "beta2": 0.99, "weight_decay": 0.1, "eps": 1e-3, "amsgrad": False,
    "maximize": False,
}  # fmt: skip


def lists(make: Make, count: int, **limits: float) -> list[Any]:
    return [[make(*shape, **limits) for shape in SHAPES] for _ in range(count)]


def sgd(make: Make) -> Iterator[Sample]:
    number = lambda value: make.of(value, "f32")  # noqa: E731
    for change in (
        {},
        {"nesterov": True, "dampening": 0.0},
        {"maximize": True},
        {"is_first_step": True},
    ):
        yield rough(*lists(make, 3), **SGD | change)
    yield rough(*lists(make, 2), [], **SGD | {"momentum": 0.0})
    yield rough(*lists(make, 3), **SGD, grad_scale=number(4.0), found_inf=number(0.0))
    yield rough(*lists(make, 3), **SGD, grad_scale=number(4.0), found_inf=number(1.0))


def sgd_step(
    self: Any, grads: Any, buffers: Any, *, weight_decay: float, momentum: float, lr: float,
    dampening: float, nesterov: bool, maximize: bool, is_first_step: bool, grad_scale: Any = 1,
    found_inf: Any = 0,
) -> Any:  # fmt: skip
    if found_inf:
        return [*self, *grads, *buffers]
    grads = [g / grad_scale for g in grads]
    steps = [(-g if maximize else g) + weight_decay * p for p, g in zip(self, grads, strict=True)]
    if momentum:
        if is_first_step:
            buffers = steps
        else:
            buffers = [
                momentum * b + (1 - dampening) * s for b, s in zip(buffers, steps, strict=True)
            ]
        if nesterov:
            steps = [s + momentum * b for s, b in zip(steps, buffers, strict=True)]
        else:
            steps = buffers
    return [*(p - lr * s for p, s in zip(self, steps, strict=True)), *grads, *buffers]


def adam(make: Make) -> Iterator[Sample]:
    for change, number in (
        ({}, 1.0),
        ({}, 7.0),
        ({"amsgrad": True}, 3.0),
        ({"maximize": True}, 2.0),
    ):
        given = lists(make, 3) + lists(make, 2, low=0.1, high=2)
        self, grads, averages, squares, largest = given
        largest = largest if change.get("amsgrad") else []
        steps = [make.of(number, "f32") for _ in SHAPES]
        yield rough(self, grads, averages, squares, largest, steps, **ADAM | change)


def adam_step(decoupled: bool) -> Any:
    def step(
        self: Any, grads: Any, averages: Any, squares: Any, largest: Any, steps: Any, *, lr: float,
        beta1: float, beta2: float, weight_decay: float, eps: float, amsgrad: bool, maximize: bool,
    ) -> Any:  # fmt: skip
        new: list[list[Any]] = [[], [], [], []]
        for i, (p, g, m, v, t) in enumerate(
            zip(self, grads, averages, squares, steps, strict=True)
        ):
            g = -g if maximize else g
            if decoupled:
                p = p * (1 - lr * weight_decay)
            else:
                g = g + weight_decay * p
            m = beta1 * m + (1 - beta1) * g
            v = beta2 * v + (1 - beta2) * g * g
            most = np.maximum(largest[i], v) if amsgrad else v
            scale = np.sqrt(most) / np.sqrt(1 - beta2**t) + eps
            p = p - lr / (1 - beta1**t) * m / scale
            for list_, value in zip(new, (p, m, v, most), strict=True):
                list_.append(value)
        return [*new[0], *grads, *new[1], *new[2], *(new[3] if amsgrad else [])]

    return step


def written(args: Any, kwargs: Any, result: Any) -> Any:
    """The tensors of the lists, without the step numbers: what the call wrote."""
    assert result is None
    return [t for list_ in args[:5] for t in list_]


def short(make: Make) -> list[Any]:
    return [bad(ValueError, "grads", [make(2)], [], [make(2)], **SGD)]


def short_adam(make: Make) -> list[Any]:
    x = [make(2)]
    return [
        bad(ValueError, "state_steps", x, x, x, x, [], [], **ADAM),
        bad(ValueError, "exp_avgs", x, x, [make(3)], x, [], [make.of(1.0, "f32")], **ADAM),
    ]


def row(name: str, samples: Any, oracle: Any, wrong: Any) -> Row:
    return Row(
        name, samples, oracle, observe=written, gradient="no", bad=wrong, result="same",
        tolerances={"f16": (2e-3, 2e-3), "bf16": (1.6e-2, 1.6e-2), "f32": (1e-5, 1e-5)},
        why="one rounding to the dtype of differences that may cancel",
    )  # fmt: skip


ROWS = [
    row("_fused_sgd_", sgd, sgd_step, short),
    row("_fused_adam_", adam, adam_step(False), short_adam),
    row("_fused_adamw_", adam, adam_step(True), short_adam),
]
