"""Random arguments of the types that each schema names: a result or an exception, never a crash.

What a call answers is not looked at; test_values and test_bad_calls do that.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import tenon as tn
from harness.arguments import ALL, Make, tensor
from harness.fork import in_fork
from harness.layouts import offset, sliced, transposed
from harness.registry import Parameter, facts, handle, in_place

CALLS = 100
# Sizes that are no mistake are small, and others far beyond memory, so that no call takes long.
INTEGERS = (-(2**63), -(2**40), -100, -2, -1, 0, 0, 1, 1, 2, 2, 3, 5, 2**40, 2**62, 2**63 - 1)
FLOATS = (-1.0, 0.0, 0.5, 1.0, 1e-5, 1e30, float("inf"), float("nan"))
SHAPES = (
    (),
    (1,),
    (3,),
    (0,),
    (2, 3),
    (3, 2),
    (3, 0),
    (1, 3),
    (2, 3, 4),
    (1, 2, 5, 5),
    (2, 1, 3, 3),
)
LAYOUTS = (tensor, tensor, transposed, sliced, offset)
MEMORY = 4 << 30


class Arguments:
    """Random values of the types that schemas name."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.seed = seed

    def any(self, parameter: Parameter) -> Any:
        if parameter.optional and self.rng.random() < 0.4:
            return None
        kind, is_list, _ = parameter.type.partition("[")
        if not is_list:
            return self.one(kind)
        if kind == "bool":
            return [self.one(kind) for _ in range(3)]
        return [self.one(kind) for _ in range(self.rng.choice((0, 1, 2, 2, 3)))]

    def one(self, kind: str) -> Any:
        choice = self.rng.choice
        match kind:
            case "Tensor":
                return self.tensor()
            case "int":
                return choice(INTEGERS)
            case "float":
                return choice(FLOATS)
            case "bool":
                return choice((True, False))
            case "Scalar":
                return choice((*INTEGERS, *FLOATS, True, 1 + 2j))
            case "str":
                return choice(("none", "mean", "trunc", "floor", "tanh", "ij", ""))
            case "ScalarType":
                return getattr(tn, choice((*ALL, "f8e4m3", "u32")))
            case "Device":
                return choice(("cpu", "meta", "nowhere"))
            case "MemoryFormat":
                return choice((tn.contiguous_format, tn.channels_last, tn.preserve_format))
        return None

    def tensor(self) -> tn.Tensor:
        dtype = self.rng.choice((*ALL, "f32", "f32", "f32", "i64"))
        make = Make(dtype, f"{self.seed} {self.rng.random()}")
        made = self.rng.choice(LAYOUTS)(make(*self.rng.choice(SHAPES), low=-1, high=3))
        if self.rng.random() < 0.05:
            return made.to(device="meta")
        if made.is_floating_point() and self.rng.random() < 0.2:
            return made.requires_grad_()
        return made


def call(name: str, form: str, arguments: Arguments) -> None:
    parameters = facts()[name].parameters
    args = [arguments.any(p) for p in parameters if not p.keyword_only]
    kwargs = {p.name: arguments.any(p) for p in parameters if p.keyword_only}
    operator = in_place(name) if form == "in-place" else handle(name)
    if form == "out":
        kwargs["out"] = arguments.tensor()
    result = operator(*args, **kwargs)
    if isinstance(result, tn.Tensor) and result.requires_grad:
        result.sum().backward()


def forms(name: str) -> list[str]:
    """An operator that only exists in place is called by its own name."""
    found = facts()[name].forms
    return sorted(found) if "functional" in found else ["functional"]


CASES = [(name, form) for name in facts() for form in forms(name)]


@pytest.mark.parametrize(("name", "form"), CASES, ids=[f"{n}-{form}" for n, form in CASES])
def test_random_arguments(name: str, form: str) -> None:
    def work() -> None:
        arguments = Arguments(f"{name} {form}")
        for _ in range(CALLS):
            try:
                call(name, form, arguments)
            except (TypeError, ValueError, IndexError, RuntimeError, MemoryError):
                continue  # NotImplementedError is a RuntimeError
        np.testing.assert_array_equal((tn.ones([2]) + 1).numpy(), [2.0, 2.0])

    in_fork(work, memory=MEMORY)
