"""Tensors as text, laid out as PyTorch does."""

from __future__ import annotations

import math

from tenon import _C

TYPE_CHECKING = False  # importing typing would take longer than all of this package
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Formatter = Callable[[Any], str]


class Options:
    """What set_printoptions() sets."""

    precision: int = 4
    threshold: int = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


options = Options()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors print; what is left out keeps its value, but sci_mode goes back to None.

    precision   digits after the point
    threshold   tensors of more elements than this are summarised
    edgeitems   entries shown at each end of a summarised dimension
    linewidth   characters in a line
    sci_mode    True or False for or against powers of ten; None decides by the values
    """
    if precision is not None:
        options.precision = precision
    if threshold is not None:
        options.threshold = threshold
    if edgeitems is not None:
        options.edgeitems = edgeitems
    if linewidth is not None:
        options.linewidth = linewidth
    options.sci_mode = sci_mode


def _values(tensor: _C.Tensor) -> Any:
    """The elements as nested lists, with Ellipsis where a dimension is cut short."""
    if tensor.numel() <= options.threshold:
        return tensor.tolist()
    shape, strides = tensor.shape, tensor.stride()
    edge = options.edgeitems

    def walk(dim: int, offset: int) -> Any:
        if dim == len(shape):
            return tensor._strided_window((), (), offset).tolist()
        size, stride = shape[dim], strides[dim]
        if size <= 2 * edge:
            return [walk(dim + 1, offset + i * stride) for i in range(size)]
        first = [walk(dim + 1, offset + i * stride) for i in range(edge)]
        last = [walk(dim + 1, offset + i * stride) for i in range(size - edge, size)]
        return [*first, ..., *last]

    return walk(0, tensor.storage_offset())


def _leaves(values: Any) -> list[Any]:
    if isinstance(values, list):
        return [leaf for entry in values for leaf in _leaves(entry)]
    return [] if values is ... else [values]


def _float_formatter(numbers: list[float]) -> Formatter:
    finite = [abs(x) for x in numbers if math.isfinite(x) and x != 0]
    whole = all(x == math.floor(x) for x in finite)
    smallest, largest = (min(finite), max(finite)) if finite else (1.0, 1.0)
    scientific = options.sci_mode
    if scientific is None:
        scientific = largest > 1e8 or largest / smallest > 1000.0
        scientific = scientific or (not whole and smallest < 1e-4)

    def plain(x: float) -> str:
        if scientific:
            return f"{x:.{options.precision}e}"
        if not whole:
            return f"{x:.{options.precision}f}"
        return f"{x:.0f}." if math.isfinite(x) else str(x)

    # The width is that of the finite numbers, zeros aside, as in PyTorch.
    width = max((len(plain(x)) for x in numbers if math.isfinite(x) and x != 0), default=1)
    return lambda x: plain(x).rjust(width)


def _padded(plain: Formatter, values: list[Any]) -> Formatter:
    width = max((len(plain(value)) for value in values), default=0)
    return lambda value: plain(value).rjust(width)


def _complex_formatter(numbers: list[complex]) -> Formatter:
    real = _float_formatter([x.real for x in numbers])
    imaginary = _float_formatter([x.imag for x in numbers])

    def plain(x: complex) -> str:
        part = imaginary(x.imag).lstrip()
        return f"{real(x.real)}{part if part.startswith('-') else '+' + part}j"

    return plain


def _formatter(dtype: _C.dtype, leaves: list[Any]) -> Formatter:
    if dtype.is_floating_point:
        return _float_formatter(leaves)
    if dtype.is_complex:
        return _complex_formatter(leaves)
    return _padded(str, leaves)


def _row(values: list[Any], text: Formatter, indent: int) -> str:
    entries = [" ..." if value is ... else text(value) for value in values]
    width = max(map(len, entries), default=0) + 2
    per_line = max(1, (options.linewidth - indent) // width)
    lines = [", ".join(entries[i : i + per_line]) for i in range(0, len(entries), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _block(values: Any, ndim: int, text: Formatter, indent: int) -> str:
    if ndim == 0:
        return text(values)
    if ndim == 1:
        return _row(values, text, indent)
    parts = ["..." if v is ... else _block(v, ndim - 1, text, indent + 1) for v in values]
    return "[" + ("," + "\n" * (ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def _suffixes(tensor: _C.Tensor, shows_size: bool) -> list[str]:
    suffixes = []
    if shows_size:
        suffixes.append(f"size={tensor.shape}")
    if tensor.device.index is not None:
        suffixes.append(f"device='{tensor.device}'")
    implied = [_C.get_default_dtype()]
    if tensor.numel() > 0:  # of an empty tensor nothing is seen that could imply them
        implied += [_C.int64, _C.bool]
        implied.append(_C.complex128 if implied[0] is _C.float64 else _C.complex64)
    if tensor.dtype not in implied:
        suffixes.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{tensor.grad_fn}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return suffixes


def tensor_text(tensor: _C.Tensor) -> str:
    """What repr() of a tensor shows."""
    prefix = "tensor("
    if tensor.numel() == 0:
        body = "[]"
    elif tensor.data_ptr() == 0:  # a device without data, such as meta
        body = "..."
    else:
        values = _values(tensor)
        body = _block(values, tensor.ndim, _formatter(tensor.dtype, _leaves(values)), len(prefix))
    shows_size = body == "..." or (body == "[]" and tensor.ndim != 1)
    text = prefix + body
    line = len(text) - text.rfind("\n") - 1
    for suffix in _suffixes(tensor, shows_size):
        if line + len(suffix) + 3 > options.linewidth:
            text += ",\n" + " " * len(prefix) + suffix
            line = len(prefix) + len(suffix)
        else:
            text += ", " + suffix
            line += len(suffix) + 2
    return text + ")"
