"""Views of a whole tensor, and the in-place forms of some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tenon as tn
from harness.arguments import ALL, Make
from harness.row import Row, Sample, bad, call

Shapes = tuple[tuple[int, ...], ...]


def of(*calls: tuple[tuple[int, ...], tuple[Any, ...]]) -> Callable[[Make], Iterator[Sample]]:
    """One call per (shape of self, further arguments)."""

    def samples(make: Make) -> Iterator[Sample]:
        for shape, more in calls:
            yield call(make(*shape), *more)

    return samples


def of_two(*shapes: Shapes) -> Callable[[Make], Iterator[Sample]]:
    def samples(make: Make) -> Iterator[Sample]:
        for a, b in shapes:
            yield call(make(*a), make(*b, smooth=False))

    return samples


def wrong(*calls: tuple[type[Exception], str, tuple[int, ...], tuple[Any, ...]]) -> Any:
    return lambda make: [bad(error, word, make(*s), *more) for error, word, s, more in calls]


def strided(x: Any, size: Any, stride: Any, storage_offset: int = 0) -> Any:
    flat = np.ascontiguousarray(x).ravel()[storage_offset:]
    return np.lib.stride_tricks.as_strided(flat, size, [s * flat.itemsize for s in stride])


def as_dtype(make: Make) -> Iterator[Sample]:
    """Dtypes of the same size only: what the bytes say depends on the dtype."""
    partner = {
        "bool": tn.u8, "u8": tn.i8, "i8": tn.u8, "i16": tn.f16, "f16": tn.i16, "bf16": tn.i16,
        "i32": tn.f32, "f32": tn.i32, "i64": tn.f64, "f64": tn.i64, "c64": tn.i64, "c128": tn.c128,
    }[make.dtype]  # fmt: skip
    yield call(make(3, 4), partner)
    yield call(make(), partner)


def check_as_dtype(args: Any, kwargs: Any, result: Any) -> None:
    x, dtype = args
    assert result.dtype is dtype and result.shape == x.shape
    back = result.view(x.dtype)
    assert back.data_ptr() == x.data_ptr()
    assert result.itemsize == x.itemsize
    if dtype is tn.i16:  # f16 has a NumPy dtype to compare with, bf16 none
        return
    if x.dtype is not tn.bf16 and dtype is not tn.c128:
        np.testing.assert_array_equal(result.numpy(), x.numpy().view(result.numpy().dtype))


def flattened(x: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    if x.ndim == 0:
        return x.reshape(1)
    start, end = start_dim % x.ndim, end_dim % x.ndim
    return x.reshape(
        (*x.shape[:start], int(np.prod(x.shape[start : end + 1])), *x.shape[end + 1 :])
    )


def unflattened(x: Any, dim: int, sizes: Any) -> Any:
    dim %= x.ndim
    sizes = np.empty(x.shape[dim]).reshape(sizes).shape
    return x.reshape((*x.shape[:dim], *sizes, *x.shape[dim + 1 :]))


def expanded(x: Any, size: Any, **_: Any) -> Any:
    kept = (1,) * (len(size) - x.ndim) + x.shape
    return np.broadcast_to(x, [k if s == -1 else s for s, k in zip(size, kept, strict=True)])


def squeezed(x: Any, dim: Any = None) -> Any:
    dims = range(x.ndim) if dim is None else np.atleast_1d(dim) % max(x.ndim, 1)
    return x.squeeze(tuple(d for d in dims if x.ndim and x.shape[d] == 1))


def swapped(x: Any, a: int, b: int) -> Any:
    return x if x.ndim == 0 else np.swapaxes(x, a, b)


def view(name: str, samples: Any, oracle: Any, **more: Any) -> Row:
    return Row(name, samples, oracle, dtypes=ALL, **more)


SWAPS = of(
    ((2, 3, 4), (0, 2)), ((2, 3, 4), (-1, 1)), ((5,), (0, 0)), ((), (0, -1)), ((0, 3), (0, 1))
)
MOVES = of(((2, 3, 4), (0, 2)), ((2, 3, 4), (-1, 0)), ((3,), (0, 0)))
MANY_MOVES = of(((2, 3, 4), ([0, 1], [2, 0])), ((2, 3, 4), ([], [])))
BAD_MANY_MOVES = wrong(
    (ValueError, "length", (2, 3), ([0], [0, 1])), (ValueError, "twice", (2, 3), ([0, 0], [0, 1]))
)
BAD_SWAPS = wrong((IndexError, "", (2, 3), (0, 2)), (IndexError, "", (2, 3), (-3, 0)))
SHAPE = of(
    ((2, 3, 4), ([6, 4],)),
    ((2, 3, 4), ([-1, 2],)),
    ((), ([1, 1],)),
    ((1,), ([],)),
    ((0, 3), ([3, 0],)),
)
BAD_SHAPES = wrong(
    (ValueError, "", (2, 3), ([4],)),
    (ValueError, "", (2, 3), ([-1, -1],)),
    (ValueError, "", (2, 3), ([-2, 3],)),
)
SIZES = of(
    ((1, 3), ([4, 3],)),
    ((3,), ([2, 3],)),
    ((2, 1), ([-1, 5],)),
    ((), ([2, 2],)),
    ((0, 1), ([0, 3],)),
)
BAD_SIZES = wrong((ValueError, "", (2, 3), ([4, 3],)), (ValueError, "", (2, 3), ([3],)))
NOTHING = of(((2, 3), ()), ((), ()), ((0, 3), ()))
VECTORS = of(((2, 3), ()), ((3,), ()), ((), ()), ((2, 3, 4), ()), ((0,), ()))
ONES = of(((1, 3, 1), ()), ((), ()), ((1, 0), ()))
ONE = of(((1, 3, 1), (0,)), ((1, 3, 1), (1,)), ((1, 3, 1), (-1,)), ((), (0,)))
NEW = of(((2, 3), (0,)), ((2, 3), (2,)), ((2, 3), (-2,)), ((), (0,)), ((0,), (1,)))
MATRIX = of(((2, 3), ()), ((4,), ()), ((), ()), ((0, 2), ()))
OUTSIDE = wrong((IndexError, "dim", (2, 3), (2,)), (IndexError, "dim", (2, 3), (-3,)))


def matrix(x: Any) -> Any:
    return x.T


def plain(x: Any, *_: Any) -> Any:
    return x


ROWS = [
    view("alias", NOTHING, plain),
    view("detach", NOTHING, plain, gradient="no"),
    view(
        "as_strided",
        of(
            ((4, 5), ([2, 3], [5, 1])),
            ((4, 5), ([3], [2], 1)),
            ((4, 5), ([2, 2], [1, 1], 3)),
            ((3,), ([], [], 2)),
        ),
        strided,
        sees_layout=True,
        bad=wrong(
            (ValueError, "", (3,), ([4], [1])),
            (ValueError, "length", (3,), ([2], [1, 1])),
            (ValueError, "negative", (3,), ([2], [-1])),
            (ValueError, "offset", (3,), ([2], [1], -1)),
            (ValueError, "", (3,), ([2], [2**62])),
        ),
    ),
    view("view", SHAPE, lambda x, s: x.reshape(s), sees_layout=True, bad=BAD_SHAPES),
    view(
        "view.dtype",
        as_dtype,
        None,
        check=check_as_dtype,
        result=None,
        gradient="no",
        sees_layout=True,
        bad=lambda make: [
            bad(ValueError, "", make(3), tn.i64),
            bad(ValueError, "", make(), tn.f64),
        ],
    ),
    view(
        "view_as",
        of_two(((2, 3), (6,)), ((), (1,))),
        lambda x, y: x.reshape(y.shape),
        sees_layout=True,
    ),
    view("reshape", SHAPE, lambda x, s: x.reshape(s), bad=BAD_SHAPES),
    view(
        "flatten.using_ints",
        of(((2, 3, 4), ()), ((2, 3, 4), (1,)), ((2, 3, 4), (0, 1)), ((), ()), ((0, 3), ())),
        flattened,
        bad=wrong((IndexError, "", (2, 3), (2,)), (ValueError, "start_dim", (2, 3), (1, 0))),
    ),
    view(
        "unflatten.int",
        of(((6, 4), (0, [2, 3])), ((6, 4), (-1, [2, -1])), ((6, 4), (1, [4]))),
        unflattened,
        bad=wrong(
            (IndexError, "", (6,), (1, [2, 3])),
            (ValueError, "", (6,), (0, [4])),
            (ValueError, "", (6,), (0, [])),
        ),
    ),
    view(
        "permute",
        of(((2, 3, 4), ([2, 0, 1],)), ((2, 3), ([-1, 0],)), ((), ([],))),
        np.transpose,
        bad=wrong(
            (ValueError, "", (2, 3), ([0],)),
            (ValueError, "twice", (2, 3), ([0, 0],)),
            (IndexError, "", (2, 3), ([0, 2],)),
        ),
    ),
    view("transpose.int", SWAPS, swapped, bad=BAD_SWAPS),
    view("swapaxes", SWAPS, swapped, bad=BAD_SWAPS),
    view("t", MATRIX, matrix, bad=wrong((ValueError, "rank", (2, 2, 2), ()))),
    view("movedim.int", MOVES, np.moveaxis, bad=BAD_SWAPS),
    view("movedim.intlist", MANY_MOVES, np.moveaxis, bad=BAD_MANY_MOVES),
    view("moveaxis.int", MOVES, np.moveaxis, bad=BAD_SWAPS),
    view("moveaxis.intlist", MANY_MOVES, np.moveaxis, bad=BAD_MANY_MOVES),
    view("swapdims", SWAPS, swapped, bad=BAD_SWAPS),
    view("ravel", NOTHING, np.ravel),
    view("atleast_1d", NOTHING, np.atleast_1d),
    view("atleast_2d", VECTORS, np.atleast_2d),
    view("atleast_3d", VECTORS, np.atleast_3d),
    view("expand", SIZES, expanded, bad=BAD_SIZES),
    view("broadcast_to", SIZES, expanded, bad=BAD_SIZES),
    view(
        "expand_as", of_two(((1, 3), (4, 3)), ((), (2,))), lambda x, y: np.broadcast_to(x, y.shape)
    ),
    view("squeeze", ONES, squeezed),
    view("squeeze.dim", ONE, squeezed, bad=OUTSIDE),
    view(
        "squeeze.dims",
        of(((1, 3, 1), ([0, 2],)), ((1, 3, 1), ([0, 1],)), ((1, 3, 1), ([],))),
        squeezed,
        bad=wrong((IndexError, "", (2, 3), ([2],))),
    ),
    view("unsqueeze", NEW, np.expand_dims, bad=wrong((IndexError, "", (2, 3), (3,)))),
    view("squeeze_", ONES, squeezed),
    view("squeeze_.dim", ONE, squeezed, bad=OUTSIDE),
    view("unsqueeze_", NEW, np.expand_dims, bad=wrong((IndexError, "", (2, 3), (3,)))),
    view("transpose_", SWAPS, swapped, bad=BAD_SWAPS),
    view("t_", MATRIX, matrix, bad=wrong((ValueError, "rank", (2, 2, 2), ()))),
]
