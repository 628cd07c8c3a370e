"""Every operator has a row, and rows say what the registry says."""

from __future__ import annotations

import pytest
from conftest import read_list
from harness.registry import facts
from harness.row import Row
from samples import ROWS


def test_every_operator_has_a_row() -> None:
    rows = {row.name for row in ROWS}
    unsupported = read_list("unsupported.txt")
    missing = set(facts()) - rows - set(unsupported)
    assert not missing, f"add a row for each of {sorted(missing)} to tests/ops/samples"
    stale = set(unsupported) & rows | set(unsupported) - set(facts())
    assert not stale, f"take {sorted(stale)} out of unsupported.txt"


def test_every_row_has_an_operator_once() -> None:
    names = [row.name for row in ROWS]
    assert sorted(set(names)) == sorted(names)
    assert not set(names) - set(facts())


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_row_agrees_with_the_registry(row: Row) -> None:
    tags = facts()[row.name].tags
    if "not differentiable" in tags:
        assert row.gradient == "no"
    assert bool(row.tolerances) == bool(row.why), "a wider tolerance needs its reason, and only it"
    assert row.oracle or row.check
