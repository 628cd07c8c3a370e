"""Tensors from what other libraries made."""

from __future__ import annotations

from tenon import _C
from tenon._C import Tensor

TYPE_CHECKING = False  # importing typing would take longer than all of this package
if TYPE_CHECKING:
    from typing import Any


def as_tensor(
    data: Any, dtype: _C.dtype | type | None = None, device: _C.device | str | None = None
) -> Tensor:
    """A tensor of the data, sharing its memory where dtype, device and the data allow it.

    Tensors are returned as they are or converted with .to(); writable NumPy arrays are shared;
    anything else goes to tensor(), which copies.
    """
    tensor: Any = data
    if not isinstance(data, Tensor):
        flags = getattr(data, "flags", None)
        if not hasattr(data, "__array_interface__") or not getattr(flags, "writeable", False):
            return _C.tensor(data, dtype=dtype, device=device)
        try:
            tensor = _C.from_numpy(data)
        except ValueError:  # negative strides and the like
            return _C.tensor(data, dtype=dtype, device=device)
    if dtype is not None:
        tensor = tensor.to(dtype=dtype)
    if device is not None:
        tensor = tensor.to(device=device)
    result: Tensor = tensor
    return result


def is_tensor(value: object) -> bool:
    """Whether the value is a Tensor."""
    return isinstance(value, Tensor)
