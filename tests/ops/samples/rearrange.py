"""The elements of one tensor in other places."""

from __future__ import annotations

from typing import Any

import numpy as np
from harness.arguments import ALL
from harness.row import Row

from samples.view import of, wrong


def tiled(x: Any, repeats: Any) -> Any:
    return np.tile(x, repeats) if len(repeats) else x


def rolled(x: Any, shifts: Any, dims: Any = ()) -> Any:
    if np.size(dims) == 0:
        return np.roll(x, np.ravel(shifts)[0])
    return np.roll(x, shifts, axis=dims)


def move(name: str, samples: Any, oracle: Any, **more: Any) -> Row:
    return Row(name, samples, oracle, dtypes=ALL, **more)


TRIANGLES = of(
    ((3, 4), ()), ((4, 3), (1,)), ((4, 3), (-1,)), ((2, 5, 5), (2,)), ((0, 3), ()), ((3, 3), (-9,))
)
VECTOR = wrong((ValueError, "matrix", (3,), ()))

ROWS = [
    move(
        "flip",
        of(((3, 4), ([0],)), ((3, 4), ([0, -1],)), ((3, 4), ([],)), ((), ([],)), ((0, 3), ([1],))),
        lambda x, dims: np.flip(x, dims) if dims else x,
        bad=wrong((IndexError, "", (3,), ([1],)), (ValueError, "twice", (3, 3), ([0, 0],))),
    ),
    move(
        "fliplr",
        of(((3, 4), ()), ((2, 3, 2), ())),
        np.fliplr,
        bad=wrong((ValueError, "rank", (3,), ())),
    ),
    move(
        "flipud", of(((3, 4), ()), ((3,), ())), np.flipud, bad=wrong((ValueError, "rank", (), ()))
    ),
    move(
        "rot90",
        of(
            *(((3, 4), (k,)) for k in range(-1, 5)),
            ((2, 3, 4), (1, [1, 2])),
            ((2, 3, 4), (3, [-1, 0])),
        ),
        lambda x, k=1, dims=(0, 1): np.rot90(x, k, dims),
        bad=wrong(
            (ValueError, "dims", (2, 3), (1, [0])),
            (ValueError, "twice", (2, 3), (1, [0, 0])),
            (IndexError, "", (2, 3), (1, [0, 2])),
        ),
    ),
    move("tril", TRIANGLES, lambda x, k=0: np.tril(x, k), bad=VECTOR),
    move("triu", TRIANGLES, lambda x, k=0: np.triu(x, k), bad=VECTOR),
    move(
        "repeat",
        of(
            ((2, 3), ([2, 3],)),
            ((3,), ([2, 1, 2],)),
            ((), ([3],)),
            ((2, 3), ([0, 2],)),
            ((2, 1), ([1, 4],)),
        ),
        tiled,
        bad=wrong((ValueError, "repeats", (2, 3), ([2],)), (ValueError, "negative", (2,), ([-1],))),
    ),
    move(
        "tile",
        of(((2, 3), ([2],)), ((2, 3), ([2, 3],)), ((2, 3), ([2, 1, 2],)), ((2,), ([],))),
        tiled,
    ),
    move(
        "roll",
        of(
            ((5, 3), (2,)),
            ((5, 3), (2, 0)),
            ((5, 3), ([1, -1], [0, 1])),
            ((5, 3), (-7, 1)),
            ((0, 3), (1, 0)),
        ),
        rolled,
        bad=wrong((ValueError, "length", (3,), ([1, 2], [0])), (IndexError, "", (3,), (1, 1))),
    ),
]
