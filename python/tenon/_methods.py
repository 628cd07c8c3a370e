"""Methods of Tensor that are written in Python. Importing this puts them on the type."""

from __future__ import annotations

from tenon import _C
from tenon._C import Tensor

TYPE_CHECKING = False  # importing typing would take longer than all of this package
if TYPE_CHECKING:
    from typing import Any

    import numpy


def backward(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> None:
    """Adds the gradient of this tensor to the .grad of every leaf it was computed from.

    gradient      of the final result with respect to this tensor, in its shape; may be left out
                  for a tensor of one element, whose own gradient is 1
    retain_graph  keeps what was saved, so that backward() can run again; as create_graph if None
    create_graph  records backward() itself, for gradients of gradients
    """
    _C.backward(self, gradient, retain_graph, create_graph)


def numpy_(self: Tensor, *, force: bool = False) -> numpy.ndarray[Any, Any]:
    """A NumPy array over the same memory, which stays alive with it.

    Errors: the tensor requires gradients, is not in host memory, or has a dtype that NumPy lacks.
    With force=True the first two are met by x.detach().cpu().
    """
    import numpy

    source: Any = self.detach().cpu() if force else self
    try:
        view = memoryview(source)
    except BufferError as error:
        raise TypeError(f"numpy(): {error}") from None
    return numpy.asarray(view)


def array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
    """NumPy's protocol: numpy.asarray(x) shares the memory where dtype and copy allow it."""
    result = self.numpy()
    if dtype is not None and result.dtype != dtype:
        if copy is False:
            raise ValueError(f"a copy is needed to make {dtype} of {self.dtype}")
        return result.astype(dtype)
    return result.copy() if copy else result


def text(self: Tensor) -> str:
    from tenon._printing import tensor_text

    return tensor_text(self)


def formatted(self: Tensor, spec: str) -> str:
    """A tensor without dimensions formats as its number, any other as its text."""
    if self.ndim == 0 and spec:
        return format(self.item(), spec)
    return format(text(self), spec)


def deep_copy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy with memory of its own, of the same class, with the same attributes and gradient."""
    if not self.is_leaf:
        raise RuntimeError(
            f"only leaves can be deep-copied, and this tensor was made by {self.grad_fn}; "
            "use x.detach() first"
        )
    from copy import deepcopy

    copy = _C.tensor(self)
    if type(self) is not Tensor:
        copy = Tensor._make_subclass(type(self), copy)
    memo[id(self)] = copy
    if self.requires_grad:
        copy.requires_grad_()
    if self.grad is not None:
        copy.grad = deepcopy(self.grad, memo)
    if hasattr(self, "__dict__"):
        copy.__dict__.update(deepcopy(self.__dict__, memo))
    return copy


def contains(self: Tensor, value: object) -> bool:
    return bool((self == value).any())


def cpu(self: Tensor) -> Tensor:
    """The tensor in host memory; itself when it is there already."""
    moved: Tensor = self.to(device="cpu")
    return moved


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """The tensor in the other's dtype and on its device."""
    converted: Tensor = self.to(other)
    return converted


def install() -> None:
    methods: dict[str, Any] = {
        "backward": backward,
        "numpy": numpy_,
        "__array__": array,
        "__repr__": text,
        "__format__": formatted,
        "__deepcopy__": deep_copy,
        "__contains__": contains,
        "cpu": cpu,
        "type_as": type_as,
        "T": property(lambda self: self.permute(tuple(reversed(range(self.ndim))))),
        "mT": property(lambda self: self.transpose(-2, -1)),
        "real": property(lambda self: _C.operator("real")(self)),
        "imag": property(lambda self: _C.operator("imag")(self)),
    }
    for name, method in methods.items():
        setattr(Tensor, name, method)


install()
