"""Every sample of every operator in every dtype, against an independent oracle."""

from __future__ import annotations

import pytest
import tenon as tn
from harness.arguments import dtype_name, replace, tensor, tensors_in
from harness.calls import expected, run, run_on, samples_of, seeded
from harness.compare import assert_values, expected_dtype
from harness.row import Row, Sample
from samples import ROWS

CASES = [(row, dtype) for row in ROWS for dtype in row.dtypes]


@pytest.mark.parametrize(("row", "dtype"), CASES, ids=[f"{row}-{dtype}" for row, dtype in CASES])
def test_values(row: Row, dtype: str) -> None:
    for sample in samples_of(row, dtype):
        if row.check:
            check(row, sample)
        else:
            assert_values(row, sample, run(row, sample), expected(row, sample))


def check(row: Row, sample: Sample) -> None:
    args, kwargs = replace(sample.args, tensor), replace(sample.kwargs, tensor)
    result = seeded(lambda: run_on(row, args, kwargs))
    for i, t in enumerate(tensors_in([result])):
        assert isinstance(t, tn.Tensor)
        assert expected_dtype(row, sample, i) in (None, dtype_name(t))
    assert row.check is not None
    row.check(args, kwargs, result)
