"""Maxima and means over windows of images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness.arguments import In, Make
from harness.row import Row, Sample, bad, call


def two(value: Any) -> tuple[int, int]:
    values = np.atleast_1d(value)
    return int(values[0]), int(values[-1])


def geometry(
    x: Any,
    kernel: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Iterator[tuple[int, int, Any]]:
    """Each output position, and the rows and columns of the image that its window covers."""
    kernel = two(kernel)
    stride = two(stride) if np.size(stride) else kernel
    padding, dilation = two(padding), two(dilation)
    counts = []
    for n, k, s, p, d in zip(x.shape[-2:], kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        count = (-(-room // s) if ceil_mode else room // s) + 1
        counts.append(count - 1 if ceil_mode and (count - 1) * s >= n + p else count)
    for i in range(counts[0]):
        for j in range(counts[1]):
            lines = []
            for at, n, k, s, p, d in zip(
                (i, j), x.shape[-2:], kernel, stride, padding, dilation, strict=True
            ):
                first = at * s - p
                lines.append(([a for a in range(first, first + d * k, d) if 0 <= a < n],
                              min(first + k, n + p) - first))  # fmt: skip
            yield i, j, lines


def max_pool(x: Any, *args: Any, **kwargs: Any) -> Any:
    cells = list(geometry(x, *args, **kwargs))
    shape = (*x.shape[:-2], cells[-1][0] + 1, cells[-1][1] + 1)
    values, places = np.zeros(shape), np.zeros(shape, np.int64)
    for i, j, ((rows, _), (columns, _)) in cells:
        part = x[..., rows, :][..., columns]
        flat = part.reshape(*x.shape[:-2], -1)
        at = flat.argmax(-1)
        values[..., i, j] = np.take_along_axis(flat, at[..., None], -1)[..., 0]
        row, column = np.divmod(at, len(columns))
        places[..., i, j] = np.array(rows)[row] * x.shape[-1] + np.array(columns)[column]
    return values, places


def avg_pool(
    x: Any, kernel: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: Any = None,
) -> Any:  # fmt: skip
    cells = list(geometry(x, kernel, stride, padding, 1, ceil_mode))
    out = np.zeros((*x.shape[:-2], cells[-1][0] + 1, cells[-1][1] + 1))
    for i, j, ((rows, height), (columns, width)) in cells:
        count = height * width if count_include_pad else len(rows) * len(columns)
        total = x[..., rows, :][..., columns].sum((-1, -2))
        out[..., i, j] = total / (divisor_override or count)
    return out


def bounds(i: int, size: int, count: int) -> slice:
    return slice(i * size // count, -(-(i + 1) * size // count))


def adaptive(x: Any, output_size: Any) -> Any:
    h, w = two(output_size)
    out = np.zeros((*x.shape[:-2], h, w))
    for i in range(h):
        for j in range(w):
            part = x[..., bounds(i, x.shape[-2], h), bounds(j, x.shape[-1], w)]
            out[..., i, j] = part.mean((-1, -2))
    return out


def linear_gradient(g: Any, x: Any, apply: Any) -> Any:
    """The gradient of an operator that is linear in x, read off unit images."""
    out = np.zeros_like(x)
    for at in np.ndindex(*x.shape[-2:]):
        unit = np.zeros_like(x)
        unit[(..., *at)] = 1
        out[(..., *at)] = (apply(unit) * g).sum((-1, -2))
    return out


def max_gradient(
    g: Any, x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool, indices: Any
) -> Any:
    out = np.zeros_like(x).reshape(-1, x.shape[-2] * x.shape[-1])
    flat = indices.reshape(out.shape[0], -1)
    for plane, (places, values) in enumerate(zip(flat, g.reshape(flat.shape), strict=True)):
        np.add.at(out[plane], places, values)
    return out.reshape(x.shape)


def maxima(make: Make) -> Iterator[Sample]:
    yield call(make.distinct(2, 3, 6, 7), 2)
    yield call(make.distinct(2, 3, 7, 6), [3, 2], [2, 1], [1, 1], [1, 2], True)
    yield call(make.distinct(3, 5, 5), 3, 1, 1)
    yield call(make.distinct(1, 17, 8, 8), 2, 2)


def max_backward(make: Make) -> Iterator[Sample]:
    for x, args in (
        (make.distinct(2, 3, 6, 7), ([2, 2], [2, 2], [0, 0], [1, 1], False)),
        (make.distinct(2, 3, 5, 5), ([3, 3], [1, 1], [1, 1], [1, 1], False)),
    ):
        x = In(x.array, x.dtype, smooth=False)
        values, places = max_pool(x.array, *args)
        yield call(make(*values.shape), x, *args, make.of(places, "i64"))


def means(make: Make) -> Iterator[Sample]:
    yield call(make(2, 3, 6, 7), 2)
    yield call(make(2, 3, 7, 6), [3, 2], [2, 1], [1, 1], True)
    yield call(make(2, 3, 7, 6), [3, 2], [2, 1], [1, 1], True, False)
    yield call(make(3, 5, 5), 3, 1, 1, divisor_override=5)


def mean_backward(make: Make) -> Iterator[Sample]:
    for more in ((True, True, None), (True, False, None), (False, True, 5)):
        x = make(2, 3, 7, 6, smooth=False)
        shape = avg_pool(x.array, [3, 2], [2, 1], [1, 1], *more).shape
        yield call(make(*shape), x, [3, 2], [2, 1], [1, 1], *more)


def adaptives(make: Make) -> Iterator[Sample]:
    for size in ([1, 1], [3, 2], [6, 7], [8, 9]):
        yield call(make(2, 3, 6, 7), size)
    yield call(make(3, 6, 7), 2)


def adaptive_backward(make: Make) -> Iterator[Sample]:
    for size in ((1, 1), (3, 2), (5, 4)):
        yield call(make(2, 3, *size), make(2, 3, 6, 7, smooth=False))


def wrong(make: Make) -> list[Any]:
    image = make(1, 2, 4, 4)
    return [
        bad(ValueError, "fit", image, 9),
        bad(ValueError, "padding", image, 2, 2, 2),
        bad(ValueError, "stride", image, 2, 0),
        bad(ValueError, "kernel_size", image, 0),
        bad(ValueError, "", make(4, 4), 2),
    ]


def row(name: str, samples: Any, oracle: Any, **more: Any) -> Row:
    return Row(name, samples, oracle, second_order=False, **more)


ROWS = [
    row("max_pool2d_with_indices", maxima, max_pool, result=("same", "i64"), bad=wrong),
    row("max_pool2d_with_indices_backward", max_backward, max_gradient),
    row("max_pool2d", maxima, lambda *args, **kwargs: max_pool(*args, **kwargs)[0], bad=wrong),
    row("avg_pool2d", means, avg_pool, bad=wrong),
    row(
        "avg_pool2d_backward",
        mean_backward,
        lambda g, x, *args: linear_gradient(g, x, lambda unit: avg_pool(unit, *args)),
    ),
    row("_adaptive_avg_pool2d", adaptives, adaptive),
    row(
        "_adaptive_avg_pool2d_backward",
        adaptive_backward,
        lambda g, x: linear_gradient(g, x, lambda unit: adaptive(unit, g.shape[-2:])),
    ),
    row("adaptive_avg_pool2d", adaptives, adaptive),
]
