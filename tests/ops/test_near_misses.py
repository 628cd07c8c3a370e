"""Calls that are right but for the shape of one tensor or for one number.

Each is an error that leaves its inputs alone, or a result that is what the device without data
foresees, with gradients of the inputs' shapes. Each row's calls run in a fork. Under a sanitizer,
what a kernel reads beside its arguments shows.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tenon as tn
from harness.arguments import In, array, replace, tensor, tensors_in
from harness.calls import main_dtype, samples_of, seeded
from harness.compare import describe
from harness.fork import in_fork
from harness.registry import facts, handle
from harness.row import Row, Sample
from samples import ROWS

REFUSED = (TypeError, ValueError, IndexError, RuntimeError, MemoryError)
NUMBERS = (-(2**63), -2, -1, 0, 1, 2, 7, 2**40, 2**63 - 1)
MEMORY = 4 << 30
LARGE = 1 << 20  # what is expanded takes no memory, but time


def shapes_near(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Other ranks, and each size none, one, one more and one less."""
    yield from {(), (0,), (1,), (2,), (1, *shape), (*shape, 1)} - {shape}
    if len(shape) > 1:
        yield from {shape[1:], shape[:-1]}
    for d, size in enumerate(shape):
        for other in {0, 1, size - 1, size + 1} - {size, -1}:
            yield (*shape[:d], other, *shape[d + 1 :])


def near(value: Any) -> Iterator[Any]:
    """What could stand in an argument's place by mistake."""
    if isinstance(value, In):
        for shape in shapes_near(value.array.shape):
            yield In(np.resize(value.array, shape), value.dtype, value.smooth, value.written)
    elif isinstance(value, (list, tuple)):
        yield value[:-1] if value else [1]
        yield [*value, *value[-1:]]
        for i, item in enumerate(value):
            yield from ([*value[:i], other, *value[i + 1 :]] for other in near(item))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from NUMBERS


def near_misses(sample: Sample) -> Iterator[Sample]:
    args, kwargs = sample.args, sample.kwargs
    for i, value in enumerate(args):
        for other in near(value):
            yield Sample((*args[:i], other, *args[i + 1 :]), kwargs)
    for name, value in kwargs.items():
        for other in near(value):
            yield Sample(args, {**kwargs, name: other})


def outcome(row: Row, sample: Sample, make: Any) -> Any:
    """The results' shapes and dtypes, or the error."""
    args, kwargs = replace(sample.args, make), replace(sample.kwargs, make)
    given = [t for t in tensors_in([args, kwargs]) if t.device.type == "cpu"]
    before = [array(t) for t in given]
    try:
        result = seeded(lambda: handle(row.name)(*args, **kwargs))
    except REFUSED as error:
        for t, values in zip(given, before, strict=True):
            np.testing.assert_array_equal(array(t), values, err_msg="changed an input")
        return error
    found = tensors_in([result])
    roots = [t for t in found if t.requires_grad and 0 < t.numel() < LARGE and not t.is_complex()]
    if roots and row.gradient == "yes":
        with contextlib.suppress(NotImplementedError):  # a derivative that not all arguments have
            sum(t.sum() for t in roots).backward()
        for t in given:
            assert t.grad is None or t.grad.shape == t.shape, (
                f"gradient {t.grad.shape} of {t.shape}"
            )
    return [(t.shape, t.dtype) for t in found]


def on_cpu(value: In) -> tn.Tensor:
    made = tensor(value)
    differentiable = value.smooth and made.is_floating_point()
    return made.requires_grad_() if differentiable else made


def on_meta(value: In) -> tn.Tensor:
    return tensor(value, "meta")


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_near_misses(row: Row) -> None:
    foreseen = row.meta and facts()[row.name].device_rule == "same"

    def work() -> None:
        for sample in samples_of(row, main_dtype(row)):
            for wrong in near_misses(sample):
                where = f"{row} {describe(wrong)}"
                try:
                    found = outcome(row, wrong, on_cpu)
                except AssertionError as error:
                    raise AssertionError(f"{where}: {error}") from error
                if foreseen and not isinstance(found, MemoryError):
                    told = outcome(row, wrong, on_meta)
                    if not isinstance(found, Exception):
                        assert told == found, f"{where}: {told!r} on meta, {found} on the cpu"

    in_fork(work, memory=MEMORY)
