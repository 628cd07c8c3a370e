"""NumPy's rows, where it has the operator.

numpy_rows.py SAMPLES ROW...
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import sampling

rng = np.random.default_rng(1)


def randn(*shape: int) -> Any:
    return rng.standard_normal(shape, dtype=np.float32)


def on(work: Callable[..., object], *shapes: tuple[int, ...]) -> Callable[[], Any]:
    """A row that calls `work` with normally distributed arrays of the given shapes."""

    def prepare() -> tuple[sampling.Work, dict[str, Any]]:
        arrays = [randn(*shape) for shape in shapes]
        return lambda: work(*arrays), {}

    return prepare


VECTOR, SQUARE = (16 << 20,), (4096, 4096)
INDICES = rng.integers(0, 50000, 16384)
ROWS = {
    "pointwise/add": on(np.add, VECTOR, VECTOR),
    "pointwise/exp": on(np.exp, VECTOR),
    "pointwise/tanh": on(np.tanh, VECTOR),
    "reduce/sum_dim0": on(lambda a: a.sum(0), SQUARE),
    "reduce/sum_dim1": on(lambda a: a.sum(1), SQUARE),
    "reduce/sum_all": on(np.sum, SQUARE),
    "gemm/f32_2048": on(np.matmul, (2048, 2048), (2048, 2048)),
    "gemm/f32_512": on(np.matmul, (512, 512), (512, 512)),
    "gemm/linear_m1": on(lambda x, w: x @ w.T, (1, 4096), (4096, 4096)),
    "gemm/linear_m32": on(lambda x, w: x @ w.T, (32, 4096), (4096, 4096)),
    "memory/transpose": on(lambda a: np.ascontiguousarray(a.T), SQUARE),
    "memory/embedding": on(lambda table: table[INDICES], (50000, 256)),
}

if __name__ == "__main__":
    sampling.run(ROWS, sys.argv[2:], int(sys.argv[1]))
