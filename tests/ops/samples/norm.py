"""Normalisation by mean and variance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness.arguments import Make
from harness.row import Row, Sample, bad, call


def channel(x: Any, ndim: int) -> Any:
    return x.reshape(1, -1, *[1] * (ndim - 2))


def others(ndim: int) -> tuple[int, ...]:
    return (0, *range(2, ndim))


def batch_norm(
    x: Any,
    weight: Any,
    bias: Any,
    mean: Any,
    var: Any,
    training: bool,
    momentum: float,
    eps: float,
    *_: Any,
) -> Any:
    """The result, and the batch's mean and reciprocal deviation."""
    axes = others(x.ndim)
    if training:
        mean, var = x.mean(axes), x.var(axes)
    invstd = 1 / np.sqrt(var + eps)
    out = (x - channel(mean, x.ndim)) * channel(invstd, x.ndim)
    out = out if weight is None else out * channel(weight, x.ndim)
    out = out if bias is None else out + channel(bias, x.ndim)
    return out, *((mean, invstd) if training else (np.zeros(0), np.zeros(0)))


def running(x: Any, mean: Any, var: Any, training: bool, momentum: float) -> Any:
    """What the running statistics become."""
    if not training:
        return mean, var
    axes = others(x.ndim)
    count = x.size / x.shape[1]
    batch_var = x.var(axes) * count / (count - 1)
    return mean + momentum * (x.mean(axes) - mean), var + momentum * (batch_var - var)


def batch_norm_with_running(x: Any, w: Any, b: Any, mean: Any, var: Any, *rest: Any) -> Any:
    results = batch_norm(x, w, b, mean, var, *rest)
    if mean is None:
        return results
    return *results, *running(x, mean, var, rest[0], rest[1])


def observe_running(args: Any, kwargs: Any, result: Any) -> Any:
    return result if args[3] is None else (*result, args[3], args[4])


def batch_gradient(
    g: Any,
    x: Any,
    weight: Any,
    mean: Any,
    var: Any,
    save_mean: Any,
    save_invstd: Any,
    train: bool,
    eps: float,
    mask: Any,
) -> Any:
    axes = others(x.ndim)
    if train:
        mean, invstd = save_mean, save_invstd
    else:
        invstd = 1 / np.sqrt(var + eps)
    normal = (x - channel(mean, x.ndim)) * channel(invstd, x.ndim)
    scaled = g if weight is None else g * channel(weight, x.ndim)
    grad = scaled
    if train:
        over = {"axis": axes, "keepdims": True}
        grad = scaled - scaled.mean(**over) - normal * (scaled * normal).mean(**over)
    grads = grad * channel(invstd, x.ndim), (g * normal).sum(axes), g.sum(axes)
    return tuple(value if wanted else None for value, wanted in zip(grads, mask, strict=True))


def layer_norm(
    x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5, *_: Any
) -> Any:
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    mean = x.mean(axes, keepdims=True)
    rstd = 1 / np.sqrt(x.var(axes, keepdims=True) + eps)
    out = (x - mean) * rstd
    out = out if weight is None else out * weight
    return out if bias is None else out + bias, mean, rstd


def layer_gradient(
    g: Any, x: Any, shape: Any, mean: Any, rstd: Any, weight: Any, bias: Any, mask: Any
) -> Any:
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    batch = tuple(range(x.ndim - len(shape)))
    normal = (x - mean) * rstd
    scaled = g if weight is None else g * weight
    over = {"axis": axes, "keepdims": True}
    grad = (scaled - scaled.mean(**over) - normal * (scaled * normal).mean(**over)) * rstd
    grads = grad, (g * normal).sum(batch), g.sum(batch)
    return tuple(value if wanted else None for value, wanted in zip(grads, mask, strict=True))


def group_norm(x: Any, groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    if x.size == 0:
        return x
    flat = x.reshape(x.shape[0] * groups, -1)
    out = layer_norm(flat, flat.shape[1:], eps=eps)[0].reshape(x.shape)
    out = out if weight is None else out * channel(weight, x.ndim)
    return out if bias is None else out + channel(bias, x.ndim)


def rms_norm(x: Any, shape: Any, weight: Any = None, eps: float = 1e-3) -> Any:
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    out = x / np.sqrt((x * x).mean(axes, keepdims=True) + eps)
    return out if weight is None else out * weight


def batches(*last: Any) -> Any:
    def samples(make: Make) -> Iterator[Sample]:
        for shape in ((4, 3, 5, 5), (6, 3), (4, 3, 7)):
            parameters = [make(3, low=0.5, high=2), make(3)]
            statistics = [make(3, written=True), make(3, low=0.5, high=2, written=True)]
            yield call(make(*shape), *parameters, *statistics, True, 0.1, 1e-5, *last)
            yield call(make(*shape), *parameters, *statistics, False, 0.1, 1e-5, *last)
        yield call(make(4, 3, 5), None, None, None, None, True, 0.1, 1e-3, *last)

    return samples


def batch_gradients(make: Make) -> Iterator[Sample]:
    for train, mask in ((True, [True] * 3), (False, [True] * 3), (True, [True, False, True])):
        # The derivative knows the statistics to follow from x; with those held it cannot be tested.
        x, weight = make(4, 3, 5, smooth=False), make(3, low=0.5, high=2)
        statistics = "f32" if make.dtype in ("f16", "bf16") else make.dtype
        mean, var = x.array.mean((0, 2)), x.array.var((0, 2))
        saved = [make.of(v, statistics, smooth=False) for v in (mean, 1 / np.sqrt(var + 1e-5))]
        running_ = [make(3, smooth=False), make(3, low=0.5, high=2, smooth=False)]
        yield call(make(4, 3, 5), x, weight, *running_, *saved, train, 1e-5, mask)


def layers(*last: Any) -> Any:
    def samples(make: Make) -> Iterator[Sample]:
        yield call(make(4, 3, 37), [37], make(37, low=0.5, high=2), make(37), *last)
        yield call(make(4, 3, 5), [3, 5], make(3, 5, low=0.5, high=2), make(3, 5), *last)
        yield call(make(9), [9], None, None, *last)
        yield call(make(0, 4), [4], None, None, *last)

    return samples


def layer_gradients(make: Make) -> Iterator[Sample]:
    for mask in ([True] * 3, [True, False, False], [False, True, True]):
        x, parameters = make(4, 7, smooth=False), [make(7, low=0.5, high=2), make(7, smooth=False)]
        statistics = "f32" if make.dtype in ("f16", "bf16") else make.dtype
        saved = [make.of(v, statistics, smooth=False) for v in layer_norm(x.array, [7])[1:]]
        yield call(make(4, 7), x, [7], *saved, *parameters, mask)


def groups(make: Make) -> Iterator[Sample]:
    for count in (1, 2, 4):
        yield call(make(3, 4, 5, 5), count, make(4, low=0.5, high=2), make(4))
    yield call(make(3, 4), 2)
    yield call(make(0, 4, 3), 2)


def roots(make: Make) -> Iterator[Sample]:
    yield call(make(4, 3, 37), [37], make(37), eps=1e-3)
    yield call(make(4, 3, 5), [3, 5], eps=1e-3)


def wrong_batch(*last: Any) -> Any:
    def calls(make: Make) -> list[Any]:
        rest = (None, None, True, 0.1, 1e-5, *last)
        return [
            bad(ValueError, "weight", make(4, 3), make(4), None, *rest),
            bad(ValueError, "C", make(4), None, None, *rest),
            bad(ValueError, "together", make(4, 3), None, None, make(3), *rest[1:]),
            bad(ValueError, "training", make(4, 3), None, None, None, None, False, *rest[3:]),
        ]

    return calls


def wrong_layer(*last: Any) -> Any:
    def calls(make: Make) -> list[Any]:
        return [
            bad(ValueError, "normalized_shape", make(4, 3), [4], None, None, *last),
            bad(ValueError, "normalized_shape", make(4, 3), [], None, None, *last),
            bad(ValueError, "weight", make(4, 3), [3], make(4), None, *last),
        ]

    return calls


WIDER = {"f32": (1e-5, 1e-5), "f16": (4e-3, 4e-3), "bf16": (3e-2, 3e-2)}
WHY = "differences from the mean cancel, and scaling in 16 bits rounds more than once"
STATISTICS = ("same", "statistics", "statistics")


def row(name: str, samples: Any, oracle: Any, **more: Any) -> Row:
    return Row(name, samples, oracle, tolerances=WIDER, why=WHY, **more)


ROWS = [
    row(
        "native_batch_norm",
        batches(),
        batch_norm_with_running,
        observe=observe_running,
        result=(*STATISTICS, "same", "same"),
        bad=wrong_batch(),
    ),
    # Where batch_norm is to be differentiated twice it records what these are made of instead.
    row("native_batch_norm_backward", batch_gradients, batch_gradient, gradient="raises"),
    row("batch_norm", batches(True), lambda *args: batch_norm(*args)[0], bad=wrong_batch(True)),
    row("native_layer_norm", layers(1e-5), layer_norm, result=STATISTICS, bad=wrong_layer(1e-5)),
    row("native_layer_norm_backward", layer_gradients, layer_gradient, gradient="raises"),
    row("layer_norm", layers(), lambda *args: layer_norm(*args)[0], bad=wrong_layer()),
    row(
        "group_norm",
        groups,
        group_norm,
        bad=lambda make: [
            bad(ValueError, "num_groups", make(2, 4, 3), 3),
            bad(ValueError, "num_groups", make(2, 4, 3), 0),
        ],
    ),
    row("rms_norm", roots, rms_norm),
]
