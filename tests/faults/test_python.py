"""Python programs without memory: an exception each time, nothing lost, and the next call works.

Runs with libfaults.so preloaded. What the interpreter itself allocates does not fail: CPython 3.11
loses objects then, and may look for a handler of the MemoryError in vain and for ever.
"""

from __future__ import annotations

import ctypes
import errno
import gc
from collections.abc import Callable
from pathlib import Path

import pytest
import tenon as tn

MEMORY = 1

_library = ctypes.CDLL(None)
_library.fault_plan.argtypes = [ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int32, ctypes.c_int32]
_library.fault_plan.restype = None
_library.fault_spare.argtypes = [ctypes.c_char_p]
_interpreter = [b"/libpython", b"/bin/python"]  # a library of its own or the program
for path in _interpreter:
    _library.fault_spare(path)
# Must be callable without memory, so it has neither arguments nor a result.
_end = ctypes.CDLL(None).fault_end
_end.argtypes = []
_end.restype = None
_counted = ctypes.CDLL(None).fault_end
_counted.restype = ctypes.c_uint64


def attempt(call: Callable[[], object], nth: int, on: bool) -> tuple[object, int]:
    """The call's result, or None where it had no memory, and how many allocations it came to."""
    result = None
    _library.fault_plan(MEMORY, nth, on, errno.ENOMEM)
    try:
        result = call()
    except MemoryError:
        pass
    finally:
        _end()
    return result, _counted()


x = tn.tensor([[1.0, 2.0], [3.0, 4.0]])
leaf = tn.tensor([1.0, 2.0]).requires_grad_()


def backward() -> list[float]:
    own = tn.tensor([1.0, 2.0]).requires_grad_()
    (own * own).sum().backward()
    return own.grad.tolist()


CALLS: dict[str, tuple[Callable[[], object], object]] = {
    "from a list": (lambda: tn.tensor([[1, 2], [3, 4]]).tolist(), [[1, 2], [3, 4]]),
    "operators": (lambda: (x + 2 * x).tolist(), [[3, 6], [9, 12]]),
    "keywords and lists": (lambda: tn.sum(x, dim=[0], keepdim=True).tolist(), [[4, 6]]),
    "several results": (lambda: [t.tolist() for t in tn.split(x, 1)], [[[1, 2]], [[3, 4]]]),
    "indexing": (lambda: x[1:, 0].tolist(), [3]),
    "printing": (lambda: repr(x[0]), "tensor([1., 2.])"),
    "NumPy": (lambda: float(x.numpy()[1, 1]), 4.0),
    "backward": (backward, [2, 4]),
    "an error of another kind": (lambda: error_of(lambda: x + tn.ones(3)), "ValueError"),
    "explaining": (lambda: "add" in tn.explain("add", x, x), True),
}


def error_of(call: Callable[[], object]) -> str:
    try:
        call()
    except MemoryError:
        raise
    except Exception as error:  # whichever it is: its name is the result
        return type(error).__name__
    return "none"


@pytest.mark.parametrize("on", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("name", CALLS)
def test_every_allocation_may_fail(name: str, on: bool) -> None:
    call, expected = CALLS[name]
    assert call() == expected
    gc.collect()
    before = tn._C.live_tensors()
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    failures = 0
    for nth in range(1, 10000):
        result, counted = attempt(call, nth, on)
        assert result is None or result == expected, f"allocation {nth}"
        failures += result is None
        if counted < nth:
            break
        gc.collect()
        assert tn._C.live_tensors() == before, f"allocation {nth}"
        assert call() == expected, f"after allocation {nth}"
    assert failures > 0
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
