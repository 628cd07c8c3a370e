"""What the meta device says of results is what the cpu then makes: shape, dtype and strides."""

from __future__ import annotations

from typing import Any

import pytest
import tenon as tn
from harness.arguments import In, replace, tensor
from harness.calls import main_dtype, run, run_on, samples_of, seeded
from harness.compare import describe
from harness.layouts import channels_last, sliced, transposed
from harness.registry import facts
from harness.row import Row
from samples import ROWS

LAYOUTS = {
    "row-major": tensor, "transposed": transposed, "channels_last": channels_last, "sliced": sliced,
}  # fmt: skip


def results(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("row", [row for row in ROWS if row.meta], ids=str)
def test_meta(row: Row, layout: str) -> None:
    by_argument = facts()[row.name].device_rule == "argument"
    for sample in samples_of(row, main_dtype(row)):
        if layout != "row-major" and row.sees_layout:
            continue
        make = LAYOUTS[layout]
        want = seeded(lambda s=sample, m=make: run(row, s, m))

        def on_meta(value: In, make: Any = make) -> tn.Tensor:
            like = make(value)
            return tn.empty_strided(like.shape, like.stride(), dtype=like.dtype, device="meta")

        args, kwargs = replace(sample.args, on_meta), replace(sample.kwargs, on_meta)
        if by_argument:
            kwargs["device"] = "meta"
        elif row.name == "to.device":
            args = (args[0], "meta")
        got = run_on(row, args, kwargs)
        where = f"{row} {describe(sample)}, {layout}"
        for g, w in zip(results(got), results(want), strict=True):
            assert (g is None) == (w is None), where
            if g is not None:
                assert g.device.type == "meta", where
                assert (g.shape, g.stride(), g.dtype) == (w.shape, w.stride(), w.dtype), where


@pytest.mark.parametrize("row", [row for row in ROWS if not row.meta], ids=str)
def test_no_meta(row: Row) -> None:
    sample = samples_of(row, main_dtype(row))[0]
    with pytest.raises((RuntimeError, NotImplementedError)):
        run(row, sample, lambda value: tensor(value, "meta"))
