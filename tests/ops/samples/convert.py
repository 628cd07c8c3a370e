"""Copies, changes of dtype and device, numbers out of tensors, other memory under a tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tenon as tn
from harness.arguments import ALL, ALL_REALS, FLOATS, Make
from harness.row import Row, Sample, bad, call


def of(*last: Any, **more: Any) -> Callable[[Make], Iterator[Sample]]:
    def samples(make: Make) -> Iterator[Sample]:
        for shape in ((3, 71), (), (0, 3)):
            yield call(make(*shape), *last, **more)

    return samples


def formats(make: Make) -> Iterator[Sample]:
    yield from of()(make)
    for format_ in (tn.channels_last, tn.contiguous_format):
        yield call(make(2, 3, 4, 5), memory_format=format_)


def dtypes(make: Make) -> Iterator[Sample]:
    yield from of()(make)
    targets = (
        [tn.c128] if make.is_complex else [tn.f64, tn.f32, tn.bf16, tn.i64, tn.u8, tn.bool, tn.c64]
    )
    for dtype in targets:
        yield call(make(3, 71), dtype=dtype)
    yield call(make(2, 3, 4, 5), memory_format=tn.channels_last)


def positional(make: Make) -> Iterator[Sample]:
    for name in ("f64", "c64") if make.is_complex else ("f64", "f16", "i32", "bool"):
        if make.is_complex and name == "f64":
            continue
        yield call(make(3, 71), dtype=getattr(tn, name))


def on_device(make: Make) -> Iterator[Sample]:
    dtype = tn.c64 if make.is_complex else tn.f32
    yield call(make(3, 71), "cpu", dtype=dtype)
    yield call(make(3), "cpu", dtype=getattr(tn, make.dtype), copy=True)


def others(make: Make) -> Iterator[Sample]:
    yield call(make(3, 71), make(2, smooth=False))
    yield call(make(3, 71), make(2, dtype="c64" if make.is_complex else "f64", smooth=False))


def single(make: Make) -> Iterator[Sample]:
    yield call(make())
    yield call(make(1, 1))


def pairs(make: Make) -> Iterator[Sample]:
    x = make(3, 4)
    yield call(x, make.of(x.array))
    yield call(x, make(3, 4))
    yield call(x, make(4, 3))
    yield call(make(0), make(0))


def resizes(make: Make) -> Iterator[Sample]:
    yield call(make(2, 3), [6])
    yield call(make(2, 3), [2, 2])
    yield call(make(6), [0])


def resized(x: Any, size: Any) -> Any:
    return x.ravel()[: int(np.prod(size))].reshape(size)


def plain(x: Any, *_: Any, **__: Any) -> Any:
    return x


def many(make: Make) -> list[Any]:
    return [bad(ValueError, "2", make(2)), bad(ValueError, "0", make(0))]


def convert(name: str, samples: Any, oracle: Any = plain, **more: Any) -> Row:
    return Row(name, samples, oracle, dtypes=more.pop("dtypes", ALL), any_dtype=True, **more)


def number(name: str, samples: Any, oracle: Any, wrong: Any) -> Row:
    return convert(name, samples, oracle, gradient="no", meta=False, bad=wrong)


def to(name: str, target: str) -> Row:
    # From complex to real the imaginary part is dropped, which is no conversion of real numbers.
    gradient = "cast" if target in FLOATS else "no"
    return convert(name, of(), result=target, dtypes=ALL_REALS, gradient=gradient)


def formatless(make: Make) -> list[Any]:
    return [bad(ValueError, "channels_last", make(2, 3), memory_format=tn.channels_last)]


ROWS = [
    convert("clone", formats, bad=formatless),
    convert("_to_copy", dtypes, gradient="cast", bad=formatless),
    convert("contiguous", formats, bad=formatless),
    convert("to.dtype_layout", dtypes, gradient="cast", bad=formatless),
    convert("to.dtype", positional, gradient="cast"),
    convert("to.device", on_device, gradient="cast"),
    convert("to.other", others, result="other", gradient="cast"),
    to("float", "f32"),
    to("double", "f64"),
    to("half", "f16"),
    to("bfloat16", "bf16"),
    to("int", "i32"),
    to("long", "i64"),
    to("bool", "bool"),
    number("_local_scalar_dense", single, lambda x: x.item(), many),
    number("item", single, lambda x: x.item(), many),
    number("is_nonzero", single, lambda x: bool(x.ravel()[0] != 0), many),
    number(
        "equal",
        pairs,
        np.array_equal,
        lambda make: [bad(TypeError, "dtype", make(2), make(2, dtype="i64"))],
    ),
    convert(
        "resize_",
        resizes,
        resized,
        gradient="no",
        sees_layout=True,
        bad=lambda make: [bad(ValueError, "negative", make(2), [-1])],
    ),
    convert(
        "set_.source_Tensor",
        lambda make: iter([call(make(2), make(3, 4))]),
        lambda x, y: y,
        gradient="no",
        sees_layout=True,
    ),
]
