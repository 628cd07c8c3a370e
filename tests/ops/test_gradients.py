"""Gradients against finite differences in f64 and c128, of first and of second order.

A difference along one random direction, in which every element takes part, sees an error in any of
them; a few directions make it certain. Complex numbers are differentiated as pairs of real ones: a
gradient of z = x + iy is dL/dx + i dL/dy, and L = Re(conj(w) f(z)) for weights w.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tenon as tn
from harness.arguments import In, array, dtype_name, replace, tensor, tensors_in
from harness.calls import run_on, samples_of, seeded
from harness.compare import describe
from harness.row import Row, Sample
from samples import ROWS

# What is differentiated in the samples of a dtype.
DIFFERENTIATED = {"f64": ("f64",), "c128": ("f64", "c128"), "f32": ("f32",)}
STEP = 1e-5
DIRECTIONS = 3
TOLERANCE = 1e-6


def is_inexact(t: Any) -> bool:
    return isinstance(t, tn.Tensor) and (t.is_floating_point() or t.is_complex())


class Function:
    """A sample as a function of its differentiable tensors, with its results weighted."""

    def __init__(self, row: Row, sample: Sample, dtype: str = "f64") -> None:
        self.row, self.sample, self.dtype = row, sample, dtype
        self.rng = np.random.default_rng(0)
        tensors = tensors_in([sample.args, sample.kwargs])
        inputs = [v for v in tensors if v.smooth and v.dtype in DIFFERENTIATED[dtype]]
        self.points = [v.array for v in inputs]
        self.inputs = {id(v): i for i, v in enumerate(inputs)}

    def results(self, leaves: list[tn.Tensor]) -> list[tn.Tensor]:
        """The results that carry gradients, or all of float dtypes where no leaf does."""

        def argument(value: In) -> tn.Tensor:
            at = self.inputs.get(id(value))
            if at is None:
                return tensor(value)
            # What is written in place must not be a leaf.
            return leaves[at].clone() if self.row.in_place_only else leaves[at]

        args, kwargs = replace(self.sample.args, argument), replace(self.sample.kwargs, argument)
        result = seeded(lambda: run_on(self.row, args, kwargs))
        return [t for t in tensors_in([result]) if is_inexact(t)]

    def leaves(self, points: list[np.ndarray], tracked: bool = True) -> list[tn.Tensor]:
        made = [tensor(In(point, dtype_of(point, self.dtype))) for point in points]
        return [leaf.requires_grad_() if tracked else leaf for leaf in made]

    def random(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        return [normal(self.rng, a) for a in arrays]


def dtype_of(values: np.ndarray, dtype: str) -> str:
    if dtype in ("f64", "c128"):
        return "c128" if np.iscomplexobj(values) else "f64"
    return dtype


def normal(rng: np.random.Generator, like: np.ndarray) -> np.ndarray:
    values = rng.standard_normal(like.shape)
    return values + 1j * rng.standard_normal(like.shape) if np.iscomplexobj(like) else values


def dot(a: list[np.ndarray], b: list[np.ndarray]) -> float:
    return float(sum(np.sum(np.conj(x) * y).real for x, y in zip(a, b, strict=True)))


def assert_slopes(
    value: Callable[[list[np.ndarray]], float],
    points: list[np.ndarray],
    gradients: list[np.ndarray],
    rng: np.random.Generator,
    where: str,
) -> None:
    """The gradients of `value` at `points` against differences of its values."""
    if not any(p.size for p in points):
        return
    for _ in range(DIRECTIONS):
        direction = [normal(rng, p) for p in points]
        ahead, behind = (
            value([p + s * STEP * d for p, d in zip(points, direction, strict=True)])
            for s in (1, -1)
        )
        slope, found = (ahead - behind) / (2 * STEP), dot(gradients, direction)
        scale = max(1.0, abs(slope), *(float(np.abs(g).max(initial=0)) for g in gradients))
        assert abs(found - slope) <= TOLERANCE * scale, f"{where}: {found}, expected {slope}"


def zeros_for_none(
    gradients: Any, points: list[np.ndarray], where: str
) -> list[np.ndarray]:  # fmt: skip
    for gradient, point in zip(gradients, points, strict=True):
        if gradient is not None:
            assert gradient.shape == point.shape, f"{where}: a gradient's shape"
            assert gradient.is_complex() == np.iscomplexobj(point), f"{where}: a gradient's dtype"
    return [
        np.zeros_like(p) if g is None else array(g) for g, p in zip(gradients, points, strict=True)
    ]


def functions(row: Row, dtype: str = "f64") -> list[Function]:
    samples = [s for s in samples_of(row, dtype) if s.smooth]
    made = [Function(row, sample, dtype) for sample in samples]
    return [function for function in made if function.points]


TAKES_F64 = [row for row in ROWS if "f64" in row.dtypes]
DIFFERENTIABLE = [
    pytest.param(row, dtype, id=f"{row}-{dtype}")
    for row in ROWS
    for dtype in ("f64", "c128")
    if row.gradient == "yes" and dtype in row.dtypes
]
SECOND_ORDER = [case for case in DIFFERENTIABLE if case.values[0].second_order]


def assert_first_order(f: Function) -> None:
    where = f"{f.row} {describe(f.sample)}"
    leaves = f.leaves(f.points)
    tracked = [t.requires_grad for t in f.results(leaves)]
    if not tracked:
        return  # a list of no views
    assert tracked[0], f"{where}: the result carries no gradient"

    def outputs(points: list[np.ndarray]) -> Any:
        found = f.results(f.leaves(points, tracked=False))
        return [array(t) for t, keep in zip(found, tracked, strict=True) if keep]

    weights = f.random(outputs(f.points))
    results = [t for t in f.results(leaves) if t.requires_grad]
    gradients = tn.grad(results, leaves, f.leaves(weights, tracked=False), allow_unused=True)
    arrays = zeros_for_none(gradients, f.points, where)
    assert_slopes(lambda points: dot(outputs(points), weights), f.points, arrays, f.rng, where)


@pytest.mark.parametrize("row, dtype", DIFFERENTIABLE)
def test_first_order(row: Row, dtype: str) -> None:
    found = functions(row, dtype)
    assert found, "no sample has a differentiable tensor; the row should say gradient='no'"
    for f in found:
        assert_first_order(f)


PROMOTING = ("common", "float", "second")
MIXED = [row for row in ROWS if row.gradient == "yes" and row.result in PROMOTING]


@pytest.mark.parametrize("row", [row for row in MIXED if "c128" in row.dtypes], ids=str)
def test_real_beside_complex_arguments(row: Row) -> None:
    """The first tensor is real where there are several: its gradient is the real part."""
    for f in functions(row, "c128"):
        first, *others = (v for v in tensors_in([f.sample.args]) if v.dtype == "c128")
        if not others:
            continue

        def real(value: In, first: In = first) -> In:
            return In(value.array.real, "f64") if value is first else value

        assert_first_order(Function(row, replace_args(f.sample, real), "c128"))


def replace_args(sample: Sample, function: Callable[[In], In]) -> Sample:
    return Sample(replace(sample.args, function), sample.kwargs)


@pytest.mark.parametrize("row, dtype", SECOND_ORDER)
def test_second_order(row: Row, dtype: str) -> None:
    """Of the gradient as a function of the inputs and of the weights that it was given."""
    for f in functions(row, dtype):
        where = f"{row} {describe(f.sample)}, second order"
        shapes = [array(t) for t in f.results(f.leaves(f.points)) if t.requires_grad]
        weights, directions = f.random(shapes), f.random(f.points)
        count = len(f.points)

        def first(points: list[np.ndarray], f: Function = f, n: int = count) -> Any:
            leaves = f.leaves(points)
            results = [t for t in f.results(leaves[:n]) if t.requires_grad]
            gradients = tn.grad(
                results, leaves[:n], leaves[n:], create_graph=True, allow_unused=True
            )
            return leaves, gradients

        def value(points: list[np.ndarray], d: Any = directions, f: Function = f) -> float:
            return dot(zeros_for_none(first(points)[1], f.points, ""), d)

        points = f.points + weights
        leaves, gradients = first(points)
        used = [
            (g, *f.leaves([d], tracked=False))
            for g, d in zip(gradients, directions, strict=True)
            if g is not None and g.requires_grad
        ]
        if not used:  # none, or zero everywhere
            assert not any(g.any() for g in zeros_for_none(gradients, f.points, where)), where
            continue
        second = tn.grad([g for g, _ in used], leaves, [d for _, d in used], allow_unused=True)
        arrays = zeros_for_none(second, points, where)
        assert_slopes(value, points, arrays, f.rng, where)


@pytest.mark.parametrize("dtype", ("f64", "c128"))
@pytest.mark.parametrize("row", [row for row in TAKES_F64 if row.gradient == "cast"], ids=str)
def test_conversions_pass_gradients(row: Row, dtype: str) -> None:
    if dtype not in row.dtypes:
        return
    for f in functions(row, dtype):
        leaves = f.leaves(f.points[:1])
        for result in f.results([*leaves, *f.leaves(f.points[1:])]):
            weight = f.rng.integers(-9, 9, result.shape).astype(float)  # exact in every dtype
            given = tensor(In(weight, dtype_name(result)))
            (gradient,) = tn.grad(result, leaves, given, retain_graph=True)
            assert gradient.dtype is getattr(tn, dtype)
            np.testing.assert_array_equal(array(gradient), weight)


@pytest.mark.parametrize("row", [row for row in TAKES_F64 if row.gradient == "no"], ids=str)
def test_no_gradient(row: Row) -> None:
    for f in functions(row):
        if not row.in_place_only:
            assert not any(t.requires_grad for t in f.results(f.leaves(f.points)))


@pytest.mark.parametrize("row", [row for row in TAKES_F64 if row.gradient == "raises"], ids=str)
def test_missing_derivative_names_the_operator(row: Row) -> None:
    f = functions(row)[0]
    results = f.results(f.leaves(f.points))
    with pytest.raises((RuntimeError, NotImplementedError), match=row.name.partition(".")[0]):
        results[0].sum().backward()


def test_a_real_argument_of_a_complex_function_gets_the_real_part() -> None:
    x, w = tn.tensor([1.0, 2.0], requires_grad=True), tn.tensor([3 - 1j, 2j])
    (x * w).sum().backward(tn.tensor(1 + 1j))
    assert x.grad.tolist() == [2.0, 2.0]  # Re((1 + i) conj(w))
    assert not x.grad.is_complex()


def test_complex_results_want_a_gradient_to_start_from() -> None:
    z = tn.tensor(1 + 2j, requires_grad=True)
    with pytest.raises(RuntimeError, match="real scalar outputs"):
        (z * z).backward()
    (z * z).backward(tn.tensor(1 + 0j))
    assert z.grad.item() == 2 - 4j


def test_writes_through_views_of_the_parts_are_differentiated() -> None:
    z = tn.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    w = z * 1
    tn.view_as_real(w)[:, 0].mul_(5)
    w.imag.mul_(tn.tensor([2.0, 4.0]))
    assert w.tolist() == [5 + 4j, 15 - 4j]
    w.backward(tn.tensor([1 + 1j, 2 - 3j]))
    assert z.grad.tolist() == [5 + 2j, 10 - 12j]


def test_writes_through_a_complex_view_of_real_memory_are_refused() -> None:
    x = tn.ones(2, 2).requires_grad_() * 1
    with pytest.raises(RuntimeError, match="another dtype"):
        tn.view_as_complex(x).mul_(2j)
    assert x.tolist() == [[1, 1], [1, 1]]
