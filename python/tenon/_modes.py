"""Context managers and decorators over the state of the calling thread."""

from __future__ import annotations

from tenon import _C

TYPE_CHECKING = False  # importing typing would take longer than all of this package
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

# co_flags of functions that suspend: their body runs later than the call.
_SUSPENDS = 0x20 | 0x80 | 0x200


class _Mode:
    """Sets bits of the thread's mode on entry and puts the old mode back on exit.

    An instance may be entered again while it is active. As a decorator it applies to each call,
    and to a generator function each time its body runs.
    """

    _on = 0
    _off = 0

    def __init__(self) -> None:
        self._previous: list[int] = []

    def __enter__(self) -> None:
        mode = _C.mode()
        self._previous.append(mode)
        _C.set_mode((mode | self._on) & ~self._off)

    def __exit__(self, *exception: object) -> None:
        _C.set_mode(self._previous.pop())

    def __call__(self, function: F) -> F:
        if not callable(function):
            raise TypeError(f"{type(self).__name__} decorates a function, not {function!r}")
        code = getattr(function, "__code__", None)
        suspends = code.co_flags & _SUSPENDS if code is not None else 0
        if suspends & ~0x20:
            raise TypeError(f"{type(self).__name__} cannot decorate a coroutine function")
        from functools import update_wrapper

        wrapper: Any = (self._wrap_generator if suspends else self._wrap)(function)
        update_wrapper(wrapper, function)
        decorated: F = wrapper
        return decorated

    def _wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return wrapper

    def _wrap_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            body = function(*args, **kwargs)
            resume, value = body.send, None
            while True:
                try:
                    with self:
                        answer = resume(value)
                except StopIteration as stop:
                    return stop.value
                try:
                    value = yield answer
                    resume = body.send
                except GeneratorExit:
                    with self:
                        body.close()
                    raise
                except BaseException as error:
                    resume, value = body.throw, error

        return wrapper


class _BareMode(_Mode):
    """A mode that may also be written without parentheses: `@no_grad`."""

    def __new__(cls, function: Any = None) -> Any:
        self = super().__new__(cls)
        if function is None:
            return self
        self.__init__()  # type: ignore[misc]
        return self(function)

    def __init__(self, function: None = None) -> None:
        super().__init__()


class no_grad(_BareMode):
    """Operators called inside are not recorded for backward()."""

    _on = _C.MODE_NO_GRAD


class enable_grad(_BareMode):
    """Operators called inside are recorded again, within no_grad()."""

    _off = _C.MODE_NO_GRAD


class inference_mode(_Mode):
    """As no_grad(), and what is made inside can never take part in backward().

    `inference_mode(False)` leaves such a region again.
    """

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        bits = _C.MODE_INFERENCE | _C.MODE_NO_GRAD
        self._on, self._off = (bits, 0) if mode else (0, bits)


class set_grad_enabled(_Mode):
    """Switches recording on or off, at once; as a context manager, until its end."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        previous = _C.mode()
        self._on, self._off = (0, _C.MODE_NO_GRAD) if mode else (_C.MODE_NO_GRAD, 0)
        _C.set_mode((previous | self._on) & ~self._off)
        self._outer: int | None = previous

    def __enter__(self) -> None:
        super().__enter__()
        if self._outer is not None:
            self._previous[-1] = self._outer
            self._outer = None

    def __call__(self, function: F) -> F:
        # As a decorator it is about the calls, so the switch of its construction is undone.
        if self._outer is not None:
            _C.set_mode(self._outer)
            self._outer = None
        return super().__call__(function)
