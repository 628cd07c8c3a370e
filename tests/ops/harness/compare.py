"""Results against expectations."""

from __future__ import annotations

from typing import Any

import numpy as np
import tenon as tn

from harness.arguments import In, array, dtype_name, rounded, tensors_in
from harness.promotion import result_dtype
from harness.registry import facts
from harness.row import Row, Sample

TOLERANCES = {
    "f64": (1e-7, 1e-7), "f32": (1.3e-6, 1e-5), "f16": (1e-3, 1e-5), "bf16": (1.6e-2, 1e-5),
    "c128": (1e-7, 1e-7), "c64": (1.3e-6, 1e-5),
}  # fmt: skip


NUMBERS = {bool: "bool", int: "i64", float: "f32", complex: "c64"}


def expected_dtype(row: Row, sample: Sample, index: int) -> str | None:
    rules = row.result if isinstance(row.result, tuple) else (row.result,)
    rule = rules[min(index, len(rules) - 1)]
    if rule is None:
        return None
    wanted = sample.kwargs.get("dtype")
    if isinstance(wanted, tn.dtype):
        return dtype_name(wanted)
    operands = [
        (t.dtype, "dims" if t.array.ndim else "zero")
        for t in tensors_in([sample.args, sample.kwargs])
    ]
    # A number that stands for a tensor is an operand; other numbers are not.
    for parameter, value in zip(facts()[row.name].parameters, sample.args, strict=False):
        if type(value) in NUMBERS and (parameter.type == "Tensor" or parameter.name == "other"):
            operands.append((NUMBERS[type(value)], "number"))
    return result_dtype(rule, operands)


def assert_values(row: Row, sample: Sample, result: Any, expected: Any) -> None:
    """Results, one or several, against an oracle's: shape, dtype and value."""
    if not isinstance(expected, (list, tuple)):
        result, expected = [result], [expected]
    assert len(result) == len(expected), f"{len(result)} results, expected {len(expected)}"
    for i, (got, want) in enumerate(zip(result, expected, strict=True)):
        where = f"{row} {describe(sample)}, result {i}"
        if want is None:
            assert got is None, where
        elif not isinstance(got, tn.Tensor):
            assert type(got) in (bool, int, float, complex), where
            np.testing.assert_allclose(got, want, rtol=1e-6, err_msg=where)
        else:
            dtype = expected_dtype(row, sample, i)
            assert dtype_name(got) == dtype, f"{where}: dtype {dtype_name(got)}, expected {dtype}"
            assert_close(got, want, row.tolerances.get(dtype), where)


def assert_close(
    got: tn.Tensor, want: Any, tolerance: tuple[float, float] | None, where: str
) -> None:
    """One tensor against values, which are rounded to its dtype first."""
    want = np.asarray(want)
    assert got.shape == want.shape, f"{where}: shape {got.shape}, expected {want.shape}"
    dtype = dtype_name(got)
    values, want = array(got), rounded(want, dtype)
    if dtype not in TOLERANCES:
        np.testing.assert_array_equal(values, want, err_msg=where)
        return
    rtol, atol = tolerance or TOLERANCES[dtype]
    np.testing.assert_allclose(values, want, rtol=rtol, atol=atol, err_msg=where)


def assert_near(row: Row, got: Any, want: Any, where: str) -> None:
    """Results of two ways to the same values: equal in dtype and shape, and up to rounding.

    Sums may be grouped in another way, so errors are relative to the largest value as well.
    """
    if not tensors_in([want]):
        assert got == want, where
    got, want = tensors_in([got]), tensors_in([want])
    assert len(got) == len(want), where
    for a, b in zip(got, want, strict=True):
        assert dtype_name(a) == dtype_name(b), where
        values, dtype = array(b), dtype_name(b)
        rtol, atol = row.tolerances.get(dtype) or TOLERANCES.get(dtype, (0.0, 0.0))
        finite = np.abs(values[np.isfinite(values)])
        assert_close(a, values, (rtol, max(atol, rtol * finite.max(initial=0))), where)


def describe(sample: Sample) -> str:
    """The call as text: tensors by dtype and shape."""
    parts = [_text(a) for a in sample.args] + [f"{k}={_text(v)}" for k, v in sample.kwargs.items()]
    return "(" + ", ".join(parts) + ")"


def _text(value: Any) -> str:
    if isinstance(value, In):
        return value.dtype + str(list(value.array.shape))
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_text(item) for item in value) + "]"
    return repr(value)
