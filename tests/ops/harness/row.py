"""What is said about one operator, once: a Row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from harness.arguments import FLOATS, Make


@dataclass(frozen=True, eq=False)
class Sample:
    """One call. Tensor arguments are In."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    smooth: bool = True  # no argument lies at a kink, a pole or beyond: gradients can be tested


def call(*args: Any, **kwargs: Any) -> Sample:
    return Sample(args, kwargs)


def rough(*args: Any, **kwargs: Any) -> Sample:
    """A call at a kink, a pole or of special values: no finite differences there."""
    return Sample(args, kwargs, smooth=False)


@dataclass(frozen=True, eq=False)
class Bad:
    """A wrong call: the exception it must raise and a word of its message."""

    error: type[Exception]
    word: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


def bad(error: type[Exception], word: str, *args: Any, **kwargs: Any) -> Bad:
    return Bad(error, word, args, kwargs)


@dataclass(frozen=True, eq=False)
class Row:
    """One operator and how it is tested."""

    # Name with overload, as in the schema: "add.Tensor".
    name: str
    # The calls to try; given a Make of each dtype in turn. Generic wrong calls start at the first.
    samples: Callable[[Make], Iterable[Sample]]
    # Called as the operator is, with NumPy arrays in the wide dtype; None where `check` judges.
    oracle: Callable[..., Any] | None
    # The dtypes the operator takes: tested with each, and to be refused with every other.
    dtypes: tuple[str, ...] = FLOATS
    # Dtype of the results, one rule each: "same" (as the first tensor), "common" (promoted),
    # "float" (promoted, integers to the default), "real", "real float" (float's real dtype),
    # "complex" (the first tensor's complex dtype), "bool", "sum" (integers to i64), "first",
    # "second" (promoted without the condition), "other" (as the second tensor), "statistics" (f32
    # for 16-bit floats) or a dtype's name; None where `check` looks at it.
    result: str | tuple[str, ...] | None = "same"
    # (rtol, atol) by dtype where harness/compare.py's are not enough, and the reason.
    tolerances: dict[str, tuple[float, float]] = field(default_factory=dict)
    why: str = ""
    # "yes"; "no": results carry no gradient; "raises": backward must name the operator; "cast":
    # results are the values in another dtype, and gradients those given, in the input's.
    gradient: str = "yes"
    second_order: bool = True
    # Has results on the meta device.
    meta: bool = True
    # Judges results that no oracle can foresee: check(sample's args, kwargs, result).
    check: Callable[..., None] | None = None
    # What is compared, where that is not the result: observe(args, kwargs, result).
    observe: Callable[..., Any] | None = None
    # Layouts of inputs may show in the results: as_strided, empty_like.
    sees_layout: bool = False
    # Dtypes outside `dtypes` are not tried: the tensors' dtypes say nothing about what is computed.
    any_dtype: bool = False
    # Given a Make of the first dtype.
    bad: Callable[[Make], Iterable[Bad]] = lambda make: ()

    def __str__(self) -> str:
        return self.name

    @property
    def in_place_only(self) -> bool:
        return self.name.partition(".")[0].endswith("_")

    def but(self, **changes: Any) -> Row:
        return replace(self, **changes)
