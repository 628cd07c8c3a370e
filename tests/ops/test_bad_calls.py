"""Wrong calls: an exception of the right kind, inputs unchanged, and the process lives.

Each row's calls run in a fork, so that a crash is a failure that names the row and its signal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tenon as tn
from harness.arguments import ALL, In, Make, array, replace, tensor, tensors_in
from harness.calls import main_dtype, samples_of
from harness.compare import describe
from harness.fork import in_fork
from harness.registry import facts, handle
from harness.row import Row, Sample
from samples import ROWS

ANY = (TypeError, ValueError, IndexError, NotImplementedError, RuntimeError, MemoryError)


def raises(
    row: Row,
    error: type[Exception] | tuple[type[Exception], ...],
    word: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    """Makes the call, whose tensor arguments are tensors, and looks at what it did."""
    given = [t for t in tensors_in([args, kwargs]) if t.device.type == "cpu"]
    before = [array(t) for t in given]
    call = describe(Sample(args, kwargs))
    try:
        handle(row.name)(*args, **kwargs)
    except error as caught:
        assert word in str(caught), f"{row}{call}: {caught!r} does not say {word!r}"
    except Exception as caught:
        raise AssertionError(f"{row}{call}: {caught!r}, expected {error}") from caught
    else:
        raise AssertionError(f"{row}{call}: no error, expected {error} with {word!r}")
    for t, values in zip(given, before, strict=True):
        np.testing.assert_array_equal(array(t), values, err_msg=f"{row}{call}: changed an input")


def first(row: Row) -> Sample:
    return samples_of(row, main_dtype(row))[0]


def made(sample: Sample) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return replace(sample.args, tensor), replace(sample.kwargs, tensor)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_wrong_calls_of_the_row(row: Row) -> None:
    def work() -> None:
        for bad in row.bad(Make(main_dtype(row), "bad")):
            args, kwargs = replace(bad.args, tensor), replace(bad.kwargs, tensor)
            raises(row, bad.error, bad.word, args, kwargs)

    in_fork(work)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_arguments_that_do_not_fit_the_schema(row: Row) -> None:
    parameters = facts()[row.name].parameters
    required = [p for p in parameters if not p.has_default and not p.keyword_only]

    def work() -> None:
        args, kwargs = made(first(row))
        if required:
            raises(row, TypeError, "", args[: len(required) - 1], {})
        positional = sum(not p.keyword_only for p in parameters)
        raises(row, TypeError, "", (*args, *[args[-1] if args else 1] * (positional + 1)), kwargs)
        raises(row, TypeError, "no_such_argument", args, {**kwargs, "no_such_argument": 1})
        for i in range(min(len(args), positional)):
            raises(row, TypeError, "", (*args[:i], object(), *args[i + 1 :]), kwargs)
            wrong = (
                "1" if "str" not in parameters[i].type and "Device" not in parameters[i].type else 1
            )
            raises(row, TypeError, "", (*args[:i], wrong, *args[i + 1 :]), kwargs)

    in_fork(work)


REFUSING = [row for row in ROWS if not row.any_dtype and set(ALL) - set(row.dtypes)]


@pytest.mark.parametrize("row", REFUSING, ids=str)
def test_other_dtypes_are_refused(row: Row) -> None:
    def work() -> None:
        for dtype in ALL:
            if dtype not in row.dtypes:
                raises(row, ANY, "", *made(samples_of(row, dtype)[0]))

    in_fork(work)


def tensor_places(sample: Sample) -> list[int]:
    """Positions of tensor arguments with dimensions. Those without may join any device."""
    return [i for i, v in enumerate(sample.args) if isinstance(v, In) and v.array.ndim > 0]


SAME_DEVICE = [
    row
    for row in ROWS
    if len(tensor_places(first(row))) > 1 and facts()[row.name].device_rule == "same"
]


@pytest.mark.parametrize("row", SAME_DEVICE, ids=str)
def test_tensors_on_two_devices(row: Row) -> None:
    sample = first(row)

    def work() -> None:
        for i in tensor_places(sample):
            args, kwargs = made(sample)
            args = (*args[:i], args[i].to(device="meta"), *args[i + 1 :])
            raises(row, ANY, "", args, kwargs)

    in_fork(work)


def pointwise() -> Iterator[Row]:
    for row in ROWS:
        if facts()[row.name].kind == "pointwise" and len(tensor_places(first(row))) > 1:
            yield row


@pytest.mark.parametrize("row", pointwise(), ids=str)
def test_shapes_that_do_not_broadcast(row: Row) -> None:
    sample = first(row)

    def work() -> None:
        for i in tensor_places(sample)[1:]:
            args, kwargs = made(sample)
            longer = replace(sample.args[i], lambda v: In(v.array.repeat(2, axis=-1), v.dtype))
            args = (*args[:i], tensor(longer), *args[i + 1 :])
            raises(row, (ValueError, RuntimeError), "broadcast", args, kwargs)

    in_fork(work)


def with_dim() -> Iterator[tuple[Row, int]]:
    for row in ROWS:
        if row.name == "tile":  # whose dims are numbers of repeats
            continue
        for i, parameter in enumerate(facts()[row.name].parameters):
            if parameter.name in ("dim", "dims", "dim0", "dim1", "dim2", "dimension"):
                yield row, i


CASES = list(with_dim())


@pytest.mark.parametrize(("row", "at"), CASES, ids=[f"{row}-{at}" for row, at in CASES])
def test_dim_out_of_range(row: Row, at: int) -> None:
    parameter = facts()[row.name].parameters[at]
    positional = [s for s in samples_of(row, main_dtype(row)) if len(s.args) > at]

    def work() -> None:
        for outside in (100, -100, 2**62, -(2**62)):
            value: Any = outside if parameter.type == "int" else [outside]
            if positional:
                given = positional[0].args[at]
                value = [outside, *given[1:]] if isinstance(given, list) else outside
                args, kwargs = made(positional[0])
                raises(row, IndexError, "", (*args[:at], value, *args[at + 1 :]), kwargs)
            else:
                args, kwargs = made(first(row))
                raises(row, IndexError, "", args, {**kwargs, parameter.name: value})

    in_fork(work)


def test_the_process_lives() -> None:
    assert (tn.ones([2]) + 1).tolist() == [2.0, 2.0]
