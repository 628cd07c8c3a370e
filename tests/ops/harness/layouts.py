"""The same values in other places of memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import tenon as tn

from harness.arguments import In, tensor


def transposed(value: In) -> tn.Tensor:
    """The dimensions in reverse order in memory."""
    order = tuple(reversed(range(value.array.ndim)))
    reverse = In(np.transpose(value.array, order), value.dtype)
    return tensor(reverse).permute(order)


def sliced(value: In) -> tn.Tensor:
    """Every second element of a larger tensor, starting behind its first; the rest is garbage."""
    shape = value.array.shape
    garbage = np.full(tuple(2 * n + 1 for n in shape), 77, dtype=value.array.dtype)
    where = tuple(slice(1, 2 * n + 1, 2) for n in shape)
    garbage[where] = value.array
    view = tensor(In(garbage, value.dtype))
    for d, n in enumerate(shape):
        view = view.slice(d, 1, 2 * n + 1, 2)
    return view


def offset(value: In) -> tn.Tensor:
    """Dense, but not at the start of its storage nor aligned to a vector."""
    flat = np.concatenate([np.zeros(3, value.array.dtype), value.array.ravel()])
    return tensor(In(flat, value.dtype)).narrow(0, 3, value.array.size).view(value.array.shape)


def channels_last(value: In) -> tn.Tensor:
    if value.array.ndim != 4:
        return tensor(value)
    return tensor(In(np.moveaxis(value.array, 1, -1), value.dtype)).permute((0, 3, 1, 2))


def can_expand(value: In, dim: int) -> bool:
    return value.array.ndim > dim and value.array.shape[dim] > 0 and not value.written


def constant_along(value: In, dim: int) -> In:
    """The argument with the values of index 0 of dim at every index of it."""
    if not can_expand(value, dim):
        return value
    first = value.array.take([0], axis=dim)
    return replace(value, array=np.broadcast_to(first, value.array.shape))


def expanded(dim: int) -> Callable[[In], tn.Tensor]:
    """A tensor of constant_along(value, dim) that has stride 0 there."""

    def make(value: In) -> tn.Tensor:
        if not can_expand(value, dim):
            return tensor(value)
        first = In(value.array.take([0], axis=dim), value.dtype)
        return tensor(first).expand(value.array.shape)

    return make


LAYOUTS = {
    "transposed": transposed,
    "sliced": sliced,
    "offset": offset,
    "channels_last": channels_last,
}
