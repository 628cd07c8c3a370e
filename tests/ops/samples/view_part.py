"""Views of a part of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
from harness.arguments import ALL
from harness.row import Row

from samples.view import of, wrong


def select(x: Any, dim: int, index: int) -> Any:
    return x.take(index, axis=dim)


def sliced(x: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    return x[(slice(None),) * (dim % x.ndim) + (slice(start, end, step),)]


def narrow(x: Any, dim: int, start: int, length: int) -> Any:
    start = start % x.shape[dim] if start < 0 else start
    return sliced(x, dim, start, start + length)


def unfold(x: Any, dimension: int, size: int, step: int) -> Any:
    if x.ndim == 0:
        return x.reshape(1)[:size]
    windows = np.lib.stride_tricks.sliding_window_view(x, size, axis=dimension)
    return sliced(windows, dimension % x.ndim, None, None, step)


def split(x: Any, size: int, dim: int = 0) -> Any:
    return np.split(x, range(size, x.shape[dim], size), axis=dim)


def split_sizes(x: Any, sizes: Any, dim: int = 0) -> Any:
    return np.split(x, np.cumsum(sizes)[:-1], axis=dim)


def chunk(x: Any, chunks: int, dim: int = 0) -> Any:
    if x.shape[dim] == 0:
        return [x] * chunks
    return split(x, -(-x.shape[dim] // chunks), dim)


def unbind(x: Any, dim: int = 0) -> Any:
    return [x.take(i, axis=dim) for i in range(x.shape[dim])]


def part(name: str, samples: Any, oracle: Any, **more: Any) -> Row:
    return Row(name, samples, oracle, dtypes=ALL, **more)


NO_DIM = (IndexError, "0-dim", (), (0,))
SIZES = of(((5, 3), ([2, 3],)), ((5, 3), ([1, 0, 2], 1)), ((0, 3), ([0],)))
BAD_SIZES = wrong(
    (ValueError, "", (5,), ([2, 2],)),
    (ValueError, "", (5,), ([6, -1],)),
    (IndexError, "", (5,), ([5], 1)),
)

ROWS = [
    part(
        "select.int",
        of(((3, 4), (0, 1)), ((3, 4), (-1, -2)), ((5,), (0, 4))),
        select,
        bad=wrong(
            (IndexError, "index 3", (3, 4), (0, 3)),
            (IndexError, "index -4", (3, 4), (0, -4)),
            (IndexError, "dim", (3, 4), (2, 0)),
            (IndexError, "0-dim", (), (0, 0)),
        ),
    ),
    part(
        "slice.Tensor",
        of(
            ((5, 3), ()),
            ((5, 3), (0, 1, 4)),
            ((5, 3), (1, None, 2)),
            ((5, 3), (0, -3, None, 2)),
            ((5, 3), (0, 9, 20)),
            ((5, 3), (0, 3, 1)),
        ),
        sliced,
        bad=wrong(
            (ValueError, "step", (5,), (0, 0, 4, 0)),
            (ValueError, "step", (5,), (0, 0, 4, -1)),
            NO_DIM,
        ),
    ),
    part(
        "narrow",
        of(((5, 3), (0, 1, 3)), ((5, 3), (-1, 0, 2)), ((5, 3), (0, -2, 2)), ((5, 3), (0, 5, 0))),
        narrow,
        bad=wrong(
            (ValueError, "length", (5,), (0, 0, -1)),
            (ValueError, "exceed", (5,), (0, 3, 3)),
            (IndexError, "start", (5,), (0, 6, 0)),
        ),
    ),
    part(
        "diagonal",
        of(
            ((3, 4), ()),
            ((3, 4), (1,)),
            ((3, 4), (-2,)),
            ((3, 4), (9,)),
            ((2, 3, 4), (0, 0, 2)),
            ((2, 3, 4), (1, -1, 0)),
        ),
        np.diagonal,
        bad=wrong((IndexError, "", (3, 4), (0, 0, 2)), (ValueError, "", (3, 4), (0, 1, 1)), NO_DIM),
    ),
    part(
        "unfold",
        of(((7, 2), (0, 3, 2)), ((2, 7), (-1, 2, 1)), ((2, 7), (1, 7, 1)), ((), (0, 1, 1))),
        unfold,
        bad=wrong(
            (ValueError, "size", (3,), (0, 4, 1)),
            (ValueError, "step", (3,), (0, 2, 0)),
            (IndexError, "", (3,), (1, 1, 1)),
        ),
    ),
    part(
        "split.Tensor",
        of(((5, 3), (2,)), ((5, 3), (2, 1)), ((4,), (2,)), ((4,), (9,))),
        split,
        bad=wrong(
            (ValueError, "split_size", (4,), (0,)),
            (ValueError, "split_size", (4,), (-1,)),
            (IndexError, "", (4,), (1, 1)),
        ),
    ),
    part("split.sizes", SIZES, split_sizes, bad=BAD_SIZES),
    part("split_with_sizes", SIZES, split_sizes, bad=BAD_SIZES),
    part(
        "chunk",
        of(((5, 3), (2,)), ((5, 3), (3, 1)), ((5,), (4,)), ((0, 3), (2,))),
        chunk,
        bad=wrong((ValueError, "chunks", (4,), (0,)), (IndexError, "", (4,), (1, 1))),
    ),
    part(
        "tensor_split.sections",
        of(((5, 3), (2,)), ((5, 3), (4, 1)), ((0, 3), (2,))),
        lambda x, n, dim=0: np.array_split(x, n, axis=dim),
        bad=wrong((ValueError, "sections", (4,), (0,))),
    ),
    part(
        "tensor_split.indices",
        of(((5, 3), ([1, 3],)), ((5, 3), ([2, 9], 1)), ((5, 3), ([-2],)), ((5,), ([3, 1],))),
        lambda x, at, dim=0: np.array_split(x, at, axis=dim),
        bad=wrong((IndexError, "", (4,), ([1], 1))),
    ),
    part(
        "unbind.int",
        of(((3, 2), ()), ((3, 2), (1,)), ((0, 2), ())),
        unbind,
        bad=wrong((IndexError, "", (4,), (1,)), NO_DIM),
    ),
]
