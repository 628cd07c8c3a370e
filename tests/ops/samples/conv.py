"""Convolutions of one and two dimensions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from harness.arguments import Make
from harness.row import Row, Sample, bad, call


def many(value: Any, dims: int) -> list[int]:
    values = list(np.atleast_1d(value))
    return values * dims if len(values) == 1 else values


def windows(
    sizes: Any, kernel: Any, stride: Any, padding: Any, dilation: Any
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each output position, and the part of the padded input that its kernel covers."""
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    counts = [
        (n + 2 * p - r) // s + 1 for n, p, r, s in zip(sizes, padding, reach, stride, strict=True)
    ]
    for at in product(*(range(count) for count in counts)):
        begin = [i * s for i, s in zip(at, stride, strict=True)]
        yield at, tuple(slice(b, b + r, d) for b, r, d in zip(begin, reach, dilation, strict=True))


def forward(x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    sizes, kernel = x.shape[2:], w.shape[2:]
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    places = list(windows(sizes, kernel, stride, padding, dilation))
    out = np.zeros((x.shape[0], w.shape[0], *(i + 1 for i in places[-1][0])))
    inner, outer = w.shape[1], w.shape[0] // groups
    for (at, window), g in product(places, range(groups)):
        part = padded[(slice(None), slice(g * inner, (g + 1) * inner), *window)]
        weights = w[g * outer : (g + 1) * outer]
        out[(slice(None), slice(g * outer, (g + 1) * outer), *at)] = (
            part.reshape(len(part), -1) @ weights.reshape(outer, -1).T
        )
    return out if b is None else out + b.reshape(-1, *[1] * len(sizes))


def transposed(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, groups: int, extra: Any
) -> Any:
    """Each input element adds its multiple of the kernel to the output."""
    kernel, inner, outer = w.shape[2:], w.shape[0] // groups, w.shape[1]
    full = [
        (n - 1) * s + d * (k - 1) + 1 + e
        for n, s, d, k, e in zip(x.shape[2:], stride, dilation, kernel, extra, strict=True)
    ]
    out = np.zeros((x.shape[0], outer * groups, *full))
    for at, g in product(np.ndindex(*x.shape[2:]), range(groups)):
        part = x[(slice(None), slice(g * inner, (g + 1) * inner), *at)]
        window = tuple(
            slice(i * s, i * s + d * (k - 1) + 1, d)
            for i, s, d, k in zip(at, stride, dilation, kernel, strict=True)
        )
        out[(slice(None), slice(g * outer, (g + 1) * outer), *window)] += np.einsum(
            "ni,io...->no...", part, w[g * inner : (g + 1) * inner]
        )
    inside = tuple(slice(p, n - p) for p, n in zip(padding, full, strict=True))
    out = out[(slice(None), slice(None), *inside)]
    return out if b is None else out + b.reshape(-1, *[1] * len(kernel))


def convolution(
    x: Any,
    w: Any,
    b: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    flip: bool,
    extra: Any,
    groups: int,
) -> Any:
    dims = w.ndim - 2
    stride, padding, dilation, extra = (many(v, dims) for v in (stride, padding, dilation, extra))
    if flip:
        return transposed(x, w, b, stride, padding, dilation, groups, extra)
    return forward(x, w, b, stride, padding, dilation, groups)


def batched(x: Any, w: Any, call_: Callable[[Any], Any]) -> Any:
    return call_(x) if x.ndim == w.ndim else call_(x[None])[0]


def conv(
    x: Any,
    w: Any,
    b: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    return batched(
        x, w, lambda x: convolution(x, w, b, stride, padding, dilation, False, 0, groups)
    )


def conv_transpose(
    x: Any, w: Any, b: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    return batched(
        x,
        w,
        lambda x: convolution(x, w, b, stride, padding, dilation, True, output_padding, groups),
    )


def backward(
    g: Any, x: Any, w: Any, bias_sizes: Any, stride: Any, padding: Any, dilation: Any, flip: bool,
    extra: Any, groups: int, mask: Any,
) -> Any:  # fmt: skip
    """The convolution is linear in each operand: its gradients are read off unit vectors."""

    def gradient(operand: Any, apply: Callable[[Any], Any]) -> Any:
        out = np.zeros_like(operand)
        for at in np.ndindex(*operand.shape):
            unit = np.zeros_like(operand)
            unit[at] = 1
            out[at] = np.sum(apply(unit) * g)
        return out

    rest = (None, stride, padding, dilation, flip, extra, groups)
    return (
        gradient(x, lambda unit: convolution(unit, w, *rest)) if mask[0] else None,
        gradient(w, lambda unit: convolution(x, unit, *rest)) if mask[1] else None,
        g.sum(axis=(0, *range(2, g.ndim))) if mask[2] else None,
    )


def signals(make: Make) -> Iterator[Sample]:
    yield call(make(2, 3, 9), make(4, 3, 3))
    yield call(make(2, 4, 9), make(6, 2, 3), make(6), 2, 1, 2, 2)
    yield call(make(3, 8), make(2, 3, 4), make(2), padding=2)
    yield call(make(1, 16, 40), make(17, 16, 5), make(17), padding=[2])


def images(make: Make) -> Iterator[Sample]:
    yield call(make(2, 3, 6, 7), make(4, 3, 3, 3))
    yield call(make(2, 4, 7, 6), make(6, 2, 3, 2), make(6), [2, 1], [1, 0], [1, 2], 2)
    yield call(make(2, 4, 5, 5), make(8, 1, 3, 3), make(8), padding=1, groups=4)
    yield call(make(3, 5, 5), make(2, 3, 1, 1), make(2), stride=2)
    yield call(make(1, 17, 9, 9), make(16, 17, 3, 3), padding=1)


def signals_back(make: Make) -> Iterator[Sample]:
    yield call(make(2, 3, 5), make(3, 4, 3))
    yield call(make(2, 4, 5), make(4, 3, 3), make(6), 2, 1, 1, 2, 2)
    yield call(make(3, 5), make(3, 2, 4), make(2), stride=3)


def images_back(make: Make) -> Iterator[Sample]:
    yield call(make(2, 3, 4, 5), make(3, 4, 3, 3))
    yield call(make(2, 4, 4, 3), make(4, 3, 3, 2), make(6), [2, 1], [1, 0], [1, 0], 2, [1, 2])
    yield call(make(3, 4, 4), make(3, 2, 2, 2), make(2), stride=2)


def both(make: Make) -> Iterator[Sample]:
    yield call(
        make(2, 4, 6, 5), make(6, 2, 3, 3), make(6), [2, 1], [1, 1], [1, 1], False, [0, 0], 2
    )
    yield call(make(2, 4, 4, 3), make(4, 3, 3, 2), None, [2], [1], [1], True, [1], 1)
    yield call(make(2, 3, 9), make(4, 3, 3), make(4), [1], [1], [1], False, [0], 1)


def gradients(make: Make) -> Iterator[Sample]:
    x, w = make(2, 4, 5, 4), make(6, 2, 3, 3)
    for mask in ([True, True, True], [True, False, False], [False, True, True]):
        yield call(make(2, 6, 3, 4), x, w, [6], [2, 1], [1, 1], [1, 1], False, [0, 0], 2, mask)
    yield call(
        make(2, 3, 9, 5), make(2, 4, 5, 3), make(4, 3, 3, 3), [3],
        [2, 2], [1, 1], [1, 1], True, [0, 0], 1, [True, True, True],
    )  # fmt: skip


def wrong(dims: int) -> Callable[[Make], list[Any]]:
    def calls(make: Make) -> list[Any]:
        x, w = make(2, 3, *[5] * dims), make(4, 3, *[3] * dims)
        return [
            bad(ValueError, "channels", make(2, 2, *[5] * dims), w),
            bad(ValueError, "dimensions", make(5), w),
            bad(ValueError, "stride", x, w, None, 0),
            bad(ValueError, "padding", x, w, None, 1, -1),
            bad(ValueError, "bias", x, w, make(5)),
            bad(ValueError, "groups", x, w, groups=0),
            bad(ValueError, "fit", make(2, 3, *[2] * dims), w),
            bad(TypeError, "dtype", x, make(4, 3, *[3] * dims, dtype="f64")),
        ]

    return calls


SUMS = {"f32": (1e-5, 2e-5), "f16": (2e-3, 4e-3), "bf16": (1.6e-2, 3e-2)}
WHY = "sums of products that cancel keep the absolute rounding error of their terms"


def row(name: str, samples: Any, oracle: Any, **more: Any) -> Row:
    return Row(name, samples, oracle, tolerances=SUMS, why=WHY, second_order=False, **more)


ROWS = [
    row("convolution", both, convolution),
    row("convolution_backward", gradients, backward),
    row("conv1d", signals, conv, bad=wrong(1)),
    row("conv2d", images, conv, bad=wrong(2)),
    row("conv_transpose1d", signals_back, conv_transpose),
    row("conv_transpose2d.input", images_back, conv_transpose),
]
