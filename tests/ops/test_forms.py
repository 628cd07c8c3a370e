"""One operator, one answer: functional, out=, in-place and as a method; views show their base."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tenon as tn
from harness.arguments import In, array, dtype_name, replace, tensor, tensors_in
from harness.calls import main_dtype, run, samples_of, seeded
from harness.compare import assert_near, describe
from harness.layouts import expanded, sliced, transposed
from harness.promotion import category
from harness.registry import Facts, facts, handle, in_place
from harness.row import Row, Sample
from samples import ROWS

REFUSED = (TypeError, ValueError, RuntimeError)


def with_form(form: str) -> list[Row]:
    return [row for row in ROWS if form in facts()[row.name].forms and not row.in_place_only]


def arguments(sample: Sample) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return replace(sample.args, tensor), replace(sample.kwargs, tensor)


def results(row: Row, sample: Sample) -> list[tn.Tensor] | None:
    """The functional form's results; None where some are absent."""
    args, kwargs = arguments(sample)
    result = seeded(lambda: handle(row.name)(*args, **kwargs))
    found = list(result) if isinstance(result, tuple) else [result]
    return found if all(isinstance(t, tn.Tensor) for t in found) else None


def like(t: tn.Tensor, make: Any = tensor) -> tn.Tensor:
    """A tensor of the same shape and dtype that holds something else."""
    return make(In(np.ones_like(array(t)), dtype_name(t)))


def write(row: Row, sample: Sample, outs: list[tn.Tensor], device: str = "cpu") -> Any:
    args = replace(sample.args, lambda value: tensor(value, device))
    kwargs = replace(sample.kwargs, lambda value: tensor(value, device))
    out = outs[0] if len(outs) == 1 else tuple(outs)
    result = seeded(lambda: handle(row.name)(*args, **kwargs, out=out))
    assert result is out
    return result


OUT_LAYOUTS = {
    "fresh": like,
    "transposed": lambda t: like(t, transposed),
    "sliced": lambda t: like(t, sliced),
    "empty": lambda t: tn.empty([0], dtype=t.dtype),
    # A dtype of the same category or a higher one takes the result, converted.
    "wider": lambda t: tn.ones(t.shape, dtype=getattr(tn, WIDER[dtype_name(t)])),
    "narrower": lambda t: tn.ones(t.shape, dtype=getattr(tn, NARROWER[dtype_name(t)])),
}
WIDER = {
    "bool": "i64", "u8": "i16", "i32": "f32", "i64": "f64", "bf16": "f32", "f32": "f64",
    "f64": "c128", "c64": "c128",
}  # fmt: skip
NARROWER = {
    "bool": "u8", "u8": "i8", "i32": "i8", "i64": "i16", "bf16": "f16", "f32": "bf16",
    "f64": "f32", "c64": "c64",
}  # fmt: skip


@pytest.mark.parametrize("layout", OUT_LAYOUTS)
@pytest.mark.parametrize("row", with_form("out"), ids=str)
def test_out(row: Row, layout: str) -> None:
    for sample in samples_of(row, main_dtype(row)):
        want = results(row, sample)
        if want is not None:
            outs = [OUT_LAYOUTS[layout](t) for t in want]
            got = write(row, sample, outs)
            got = got if isinstance(got, tuple) else (got,)
            want = [w.to(dtype=g.dtype) for g, w in zip(got, want, strict=True)]
            assert_near(row, got, want, f"{row} {describe(sample)}, {layout}")


@pytest.mark.parametrize("row", with_form("out"), ids=str)
def test_out_that_cannot_take_the_result(row: Row) -> None:
    sample = samples_of(row, main_dtype(row))[0]
    want = results(row, sample)
    if want is None:
        return
    outs = [like(t) for t in want]
    by_argument = facts()[row.name].device_rule == "argument"  # factories go where `out` is
    wrong = [] if by_argument else [like(want[0]).to(device="meta")]
    if max(want[0].shape, default=1) > 1:
        dim = next(d for d, n in enumerate(want[0].shape) if n > 1)
        wrong.append(like(want[0], expanded(dim)))
    if category(dtype_name(want[0])) > 0:
        lower = ("bool", "bool", "i64", "f64")[category(dtype_name(want[0]))]
        wrong.append(tn.zeros(want[0].shape, dtype=getattr(tn, lower)))
    for out in wrong:
        before = None if out.device.type == "meta" else array(out)
        with pytest.raises(REFUSED):
            write(row, sample, [out, *outs[1:]])
        if before is not None:
            np.testing.assert_array_equal(array(out), before)


@pytest.mark.parametrize("row", with_form("out"), ids=str)
def test_out_is_an_input(row: Row) -> None:
    """Element-wise operators allow it; others do, or say that they do not."""
    pointwise = facts()[row.name].kind == "pointwise"
    for sample in samples_of(row, main_dtype(row)):
        want = results(row, sample)
        if want is None or len(want) != 1:
            continue
        for i, value in enumerate(sample.args):
            args, kwargs = arguments(sample)
            fits = isinstance(value, In) and args[i].shape == want[0].shape
            if fits and args[i].dtype is want[0].dtype:
                before = array(args[i])
                try:
                    got = seeded(
                        lambda a=args, k=kwargs, o=args[i]: handle(row.name)(*a, **k, out=o)
                    )
                except RuntimeError as error:
                    assert not pointwise and "shares memory" in str(error)
                    np.testing.assert_array_equal(array(args[i]), before)
                    continue
                assert_near(row, got, want, f"{row} {describe(sample)}, out=argument {i}")


POINTWISE_OUT = [row for row in with_form("out") if facts()[row.name].kind == "pointwise"]


@pytest.mark.parametrize("row", POINTWISE_OUT, ids=str)
def test_out_shares_a_part_with_an_input(row: Row) -> None:
    """Elements would be overwritten before they are read."""
    sample = samples_of(row, main_dtype(row))[0]
    args = list(replace(sample.args, tensor))
    at = next(i for i, value in enumerate(args) if isinstance(value, tn.Tensor))
    size, n = args[at].shape, args[at].numel()
    memory = tensor(In(np.resize(array(args[at]), n + 1), dtype_name(args[at])))
    args[at] = memory.narrow(0, 0, n).view(size)
    before = array(memory)
    want = results(row, sample)
    if want is not None and want[0].dtype is memory.dtype:
        with pytest.raises(RuntimeError, match="share"):
            handle(row.name)(*args, **sample.kwargs, out=memory.narrow(0, 1, n).view(size))
        np.testing.assert_array_equal(array(memory), before)


@pytest.mark.parametrize("dtype", ("f32", "i64"))
@pytest.mark.parametrize("row", with_form("in-place"), ids=str)
def test_in_place(row: Row, dtype: str) -> None:
    if dtype not in row.dtypes:
        return
    for sample in samples_of(row, dtype):
        want = results(row, sample)
        args, kwargs = arguments(sample)
        if want is None or not isinstance(args[0], tn.Tensor):
            continue
        self, where = args[0], f"{row} {describe(sample)}, in place"
        version, before = self._version, array(self)
        fits = want[0].shape == self.shape
        if fits and category(dtype_name(want[0])) <= category(dtype):
            got = seeded(lambda a=args, k=kwargs: in_place(row.name)(*a, **k))
            assert got is self, where
            assert self._version > version, where
            assert_near(row, got, want[0].to(dtype=self.dtype), where)
        else:
            with pytest.raises(REFUSED):
                in_place(row.name)(*args, **kwargs)
            np.testing.assert_array_equal(array(self), before, err_msg=where)


def receiver(operator: Facts) -> int | None:
    """Which positional argument a method's tensor is."""
    for i, parameter in enumerate(operator.parameters):
        named = parameter.name == "self" or (i == 0 and parameter.name == "input")
        if named and parameter.type == "Tensor" and not parameter.keyword_only:
            return i
    return None


@pytest.mark.parametrize("row", [r for r in ROWS if receiver(facts()[r.name]) is not None], ids=str)
def test_method(row: Row) -> None:
    at = receiver(facts()[row.name])
    for sample in samples_of(row, main_dtype(row)):
        if not isinstance(sample.args[at], In) or row.observe:
            continue  # a number stands for the tensor: no method of it
        args, kwargs = arguments(sample)
        method = getattr(args[at], row.name.partition(".")[0])
        if isinstance(method, tn.Tensor):  # a property
            assert len(args) == 1
            got = method
        else:
            got = seeded(lambda a=args, k=kwargs, m=method: m(*a[:at], *a[at + 1 :], **k))
        if not row.name.startswith(("empty", "new_empty")):
            want = seeded(lambda s=sample: run(row, s))
            assert_near(row, got, want, f"{row} {describe(sample)}, method")


@pytest.mark.parametrize("row", [r for r in ROWS if "view" in facts()[r.name].tags], ids=str)
def test_view_shows_the_memory_of_its_base(row: Row) -> None:
    for sample in samples_of(row, main_dtype(row)):
        args, kwargs = arguments(sample)
        result = handle(row.name)(*args, **kwargs)
        args[0].zero_()
        for view in tensors_in([result]):
            assert not array(view).any(), f"{row} {describe(sample)}"


@pytest.mark.parametrize("row", [row for row in ROWS if row.in_place_only], ids=str)
def test_an_expanded_tensor_is_not_written(row: Row) -> None:
    """Its elements share memory. Operators that change the tensor's shape alone may."""
    if row.name.startswith(("squeeze_", "unsqueeze_", "transpose_", "t_", "set_", "resize_")):
        return
    sample = samples_of(row, main_dtype(row))[0]
    args = list(replace(sample.args, tensor))
    args[0] = replace(sample.args[0], expanded(0))
    with pytest.raises(REFUSED):
        handle(row.name)(*args, **replace(sample.kwargs, tensor))
