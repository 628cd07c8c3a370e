"""Tensor arguments of samples: values in a wide NumPy dtype, and the tensors made of them.

An oracle computes on the wide arrays, the operator on tensors that hold exactly the same values.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tenon as tn

BOOL = ("bool",)
INTEGERS = ("u8", "i8", "i16", "i32", "i64")
FLOATS = ("f16", "bf16", "f32", "f64")
COMPLEX = ("c64", "c128")
REALS = INTEGERS + FLOATS
ALL_REALS = BOOL + REALS
NUMBERS = REALS + COMPLEX
ALL = ALL_REALS + COMPLEX

# bf16 has no NumPy dtype; its values travel as f32.
NARROW = {
    "bool": np.bool_, "u8": np.uint8, "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64, "f16": np.float16, "bf16": np.float32, "f32": np.float32,
    "f64": np.float64, "c64": np.complex64, "c128": np.complex128,
}  # fmt: skip

SHORT = {getattr(tn, name): name for name in NARROW}


def wide_dtype(dtype: str) -> type:
    """What an oracle computes in."""
    if dtype in COMPLEX:
        return np.complex128
    if dtype in FLOATS:
        return np.float64
    return np.bool_ if dtype == "bool" else np.int64


def rounded(array: Any, dtype: str) -> np.ndarray:
    """The values a tensor of that dtype holds for these ones, in the wide dtype. Integers wrap."""
    array = np.asarray(array)
    with np.errstate(all="ignore"):
        narrow = array.astype(NARROW[dtype])
        if dtype == "bf16":
            bits = narrow.view(np.uint32).astype(np.uint64)
            bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
            even = bits.astype(np.uint32).view(np.float32)
            narrow = np.where(np.isfinite(narrow), even, narrow)
        return narrow.astype(wide_dtype(dtype))


@dataclass(frozen=True, eq=False)
class In:
    """One tensor argument."""

    array: np.ndarray
    dtype: str
    smooth: bool = True  # gradients with respect to it are tested, where it is of a float dtype
    written: bool = False  # the operator writes it, though its schema does not say so


class Make:
    """Makes tensor arguments of one dtype with reproducible values."""

    def __init__(self, dtype: str, seed: str) -> None:
        self.dtype = dtype
        self.is_float = dtype in FLOATS
        self.is_complex = dtype in COMPLEX
        self.is_integer = dtype in INTEGERS
        self.rng = np.random.default_rng(zlib.crc32(f"{seed} {dtype}".encode()))

    def __call__(
        self,
        *shape: int,
        low: float = -2,
        high: float = 2,
        nonzero: bool = False,
        smooth: bool = True,
        written: bool = False,
        dtype: str | None = None,
    ) -> In:
        """Values spread evenly over [low, high]; integers of it for integer dtypes."""
        dtype = dtype or self.dtype
        if dtype == "bool":
            values: Any = self.rng.integers(0, 2, shape)
        elif dtype in INTEGERS:
            first = int(np.ceil(max(low, 0) if dtype == "u8" else low))
            values = self.rng.integers(first, max(first, int(np.floor(high))) + 1, shape)
        else:
            values = self.rng.uniform(low, high, shape)
            if dtype in COMPLEX:
                values = values + 1j * self.rng.uniform(low, high, shape)
        values = np.asarray(values)
        if nonzero:
            values = np.where(values == 0, np.ones_like(values), values)
        return In(rounded(values, dtype), dtype, smooth and not written, written)

    def of(self, values: Any, dtype: str | None = None, smooth: bool = True) -> In:
        """Exactly these values, as far as the dtype holds them."""
        dtype = dtype or self.dtype
        return In(rounded(values, dtype), dtype, smooth)

    def index(self, *shape: int, high: int, dtype: str = "i64") -> In:
        return In(self.rng.integers(0, high, shape).astype(np.int64), dtype)

    def mask(self, *shape: int) -> In:
        return In(self.rng.integers(0, 2, shape).astype(bool), "bool")

    def distinct(self, *shape: int) -> In:
        """No two values within 0.05 of each other: a small step does not change their order."""
        count = int(np.prod(shape))
        values = self.rng.permutation(count) * 0.1 - count * 0.05
        return In(rounded(values.reshape(shape), self.dtype), self.dtype)


def tensor(value: In, device: str = "cpu") -> tn.Tensor:
    """A row-major tensor of the argument's values, with memory of its own."""
    narrow = np.array(value.array, dtype=NARROW[value.dtype], order="C")
    made = tn.from_numpy(narrow)
    if value.dtype == "bf16":
        made = made.to(dtype=tn.bf16)
    return made if device == "cpu" else made.to(device=device)


def array(t: tn.Tensor) -> np.ndarray:
    """A tensor's values in the wide dtype."""
    name = dtype_name(t)
    t = t.detach()
    if name == "bf16":
        t = t.to(dtype=tn.f32)
    return np.array(t.numpy()).astype(wide_dtype(name))


def dtype_name(of: tn.Tensor | tn.dtype) -> str:
    """The short name of a dtype, or of a tensor's."""
    dtype = of.dtype if isinstance(of, tn.Tensor) else of
    return SHORT.get(dtype, dtype.name)


def replace(value: Any, function: Callable[[In], Any]) -> Any:
    """The same structure of arguments with each tensor argument replaced by function(it)."""
    if isinstance(value, In):
        return function(value)
    if isinstance(value, (list, tuple)):
        return type(value)(replace(item, function) for item in value)
    if isinstance(value, dict):
        return {key: replace(item, function) for key, item in value.items()}
    return value


def tensors_in(value: Any) -> list[Any]:
    """All tensors or tensor arguments in a structure of arguments or results, in order."""
    if isinstance(value, (In, tn.Tensor)):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    found: Iterable[list[Any]] = (tensors_in(item) for item in value)
    return [item for part in found for item in part]
