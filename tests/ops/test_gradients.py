"""Gradients against finite differences in f64, of first and of second order.

A difference along one random direction, in which every element takes part, sees an error in any of
them; a few directions make it certain.
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
        inputs = [v for v in tensors if v.smooth and v.dtype == dtype]
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
        made = [tensor(In(point, self.dtype)) for point in points]
        return [leaf.requires_grad_() if tracked else leaf for leaf in made]

    def random(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        return [self.rng.standard_normal(a.shape) for a in arrays]


def dot(a: list[np.ndarray], b: list[np.ndarray]) -> float:
    return float(sum(np.sum(x * y) for x, y in zip(a, b, strict=True)))


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
        direction = [rng.standard_normal(p.shape) for p in points]
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
        assert gradient is None or gradient.shape == point.shape, f"{where}: a gradient's shape"
    return [
        np.zeros_like(p) if g is None else array(g) for g, p in zip(gradients, points, strict=True)
    ]


def functions(row: Row, dtype: str = "f64") -> list[Function]:
    samples = [s for s in samples_of(row, dtype) if s.smooth]
    made = [Function(row, sample, dtype) for sample in samples]
    return [function for function in made if function.points]


TAKES_F64 = [row for row in ROWS if "f64" in row.dtypes]
DIFFERENTIABLE = [row for row in TAKES_F64 if row.gradient == "yes"]


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=str)
def test_first_order(row: Row) -> None:
    found = functions(row)
    assert found, "no sample has a differentiable tensor; the row should say gradient='no'"
    for f in found:
        where = f"{row} {describe(f.sample)}"
        leaves = f.leaves(f.points)
        tracked = [t.requires_grad for t in f.results(leaves)]
        if not tracked:
            continue  # a list of no views
        assert tracked[0], f"{where}: the result carries no gradient"

        def outputs(points: list[np.ndarray], f: Function = f, kept: Any = tracked) -> Any:
            found = f.results(f.leaves(points, tracked=False))
            return [array(t) for t, keep in zip(found, kept, strict=True) if keep]

        weights = f.random(outputs(f.points))
        results = [t for t in f.results(leaves) if t.requires_grad]
        gradients = tn.grad(
            results, leaves, [tensor(In(w, "f64")) for w in weights], allow_unused=True
        )
        arrays = zeros_for_none(gradients, f.points, where)
        assert_slopes(lambda p, w=weights: dot(outputs(p), w), f.points, arrays, f.rng, where)


@pytest.mark.parametrize("row", [row for row in DIFFERENTIABLE if row.second_order], ids=str)
def test_second_order(row: Row) -> None:
    """Of the gradient as a function of the inputs and of the weights that it was given."""
    for f in functions(row):
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
            (g, tensor(In(d, "f64")))
            for g, d in zip(gradients, directions, strict=True)
            if g is not None and g.requires_grad
        ]
        if not used:  # none, or zero everywhere
            assert not any(g.any() for g in zeros_for_none(gradients, f.points, where)), where
            continue
        second = tn.grad([g for g, _ in used], leaves, [d for _, d in used], allow_unused=True)
        arrays = zeros_for_none(second, points, where)
        assert_slopes(value, points, arrays, f.rng, where)


@pytest.mark.parametrize("row", [row for row in TAKES_F64 if row.gradient == "cast"], ids=str)
def test_conversions_pass_gradients(row: Row) -> None:
    for f in functions(row):
        leaves = f.leaves(f.points[:1])
        if "complex" in describe(f.sample):
            with pytest.raises(NotImplementedError, match="complex"):
                f.results([*leaves, *f.leaves(f.points[1:])])
            continue
        for result in f.results([*leaves, *f.leaves(f.points[1:])]):
            weight = f.rng.integers(-9, 9, result.shape).astype(float)  # exact in every dtype
            given = tensor(In(weight, dtype_name(result)))
            (gradient,) = tn.grad(result, leaves, given, retain_graph=True)
            assert gradient.dtype is tn.f64
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


def test_complex_tensors_are_refused() -> None:
    """An honest error until there is an operator for the complex conjugate."""
    z = tn.tensor([1 + 2j, 3 - 1j])
    with pytest.raises(NotImplementedError, match="complex"):
        z.requires_grad_()
    x = tn.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(NotImplementedError, match="complex"):
        x * z
    with tn.no_grad():
        assert (x * z).is_complex()
