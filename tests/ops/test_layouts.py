"""Inputs that lie in memory in other ways give the same values as row-major ones."""

from __future__ import annotations

import pytest
from harness.arguments import replace, tensors_in
from harness.calls import main_dtype, run, samples_of, seeded
from harness.compare import assert_near, describe
from harness.layouts import LAYOUTS, constant_along, expanded
from harness.row import Row, Sample
from samples import ROWS


def has_values(row: Row) -> bool:
    """Whether a seed, if anything, decides the result: not so for uninitialised memory."""
    return not row.sees_layout and not row.name.partition(".")[0].startswith(("empty", "new_empty"))


def takes_tensors(row: Row) -> bool:
    return any(tensors_in([s.args, s.kwargs]) for s in samples_of(row, main_dtype(row)))


CASES = [row for row in ROWS if has_values(row) and takes_tensors(row)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("row", CASES, ids=str)
def test_layout(row: Row, layout: str) -> None:
    for sample in samples_of(row, main_dtype(row)):
        want = seeded(lambda s=sample: run(row, s))
        got = seeded(lambda s=sample: run(row, s, LAYOUTS[layout]))
        assert_near(row, got, want, f"{row} {describe(sample)}, {layout}")


# What is written must not be expanded: test_forms looks for the error.
@pytest.mark.parametrize("dim", (0, 1))
@pytest.mark.parametrize("row", [row for row in CASES if not row.in_place_only], ids=str)
def test_expanded(row: Row, dim: int) -> None:
    for sample in samples_of(row, main_dtype(row)):
        want = seeded(lambda s=sample: run(row, constant(s, dim)))
        got = seeded(lambda s=sample: run(row, s, expanded(dim)))
        assert_near(row, got, want, f"{row} {describe(sample)}, expanded in {dim}")


def constant(sample: Sample, dim: int) -> Sample:
    def along(value):
        return constant_along(value, dim)

    return Sample(replace(sample.args, along), replace(sample.kwargs, along))
