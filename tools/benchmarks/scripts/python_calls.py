"""The price of a call from Python: the same statements in Tenon, PyTorch, NumPy and Python itself.

python_calls.py tenon|torch|numpy|python SAMPLES ROW...
"""

from __future__ import annotations

import array
import importlib
import sys
from collections.abc import Callable
from typing import Any

import sampling

Prepared = tuple[sampling.Work, dict[str, Any]]


def statements(library: Any) -> dict[str, Callable[[], Prepared]]:
    def prepared(statement: str) -> Callable[[], Prepared]:
        names = {"x": library.ones(1), "y": library.ones(1), "m": library.ones((8, 16))}
        return lambda: (statement, names)

    view = "m.reshape(16, 8)" if library.__name__ == "numpy" else "m.view(16, 8)"
    return {
        "python/add": prepared("x + y"),
        "python/view": prepared(view),
        "python/index": prepared("m[0]"),
    }


def floor() -> dict[str, Callable[[], Prepared]]:
    """What Python itself takes for an operator, a method with two numbers and an index.

    Each makes one object.
    """
    names = {"x": 1.5j, "text": "", "m": array.array("d", [1.5])}
    return {
        "python/add": lambda: ("x + x", names),
        "python/view": lambda: ("text.ljust(16, ' ')", names),
        "python/index": lambda: ("m[0]", names),
    }


def train(library: Any, linear: Any, cross_entropy: Any) -> Prepared:
    """A step of a network 4-16-3 on a batch of 8, on one thread; plain gradient descent."""
    library.set_num_threads(1)
    x, target = library.randn((8, 4)), library.randint(0, 3, (8,))
    weights = [library.randn(shape).requires_grad_() for shape in ((16, 4), (16,), (3, 16), (3,))]

    def step() -> None:
        first, first_bias, last, last_bias = weights
        hidden = linear(x, first, first_bias).relu()
        cross_entropy(linear(hidden, last, last_bias), target).backward()
        with library.no_grad():
            for weight in weights:
                weight.add_(weight.grad, alpha=-0.01)
                weight.grad = None

    return step, {}


def main() -> None:
    subject, samples, *wanted = sys.argv[1:]
    if subject == "python":
        return sampling.run(floor(), wanted, int(samples))
    library = importlib.import_module(subject)
    rows = statements(library)
    if subject == "tenon":
        rows["python/train_tiny"] = lambda: train(
            library, library.linear, library.cross_entropy_loss
        )
    if subject == "torch":
        functions = importlib.import_module("torch.nn.functional")
        rows["python/train_tiny"] = lambda: train(
            library, functions.linear, functions.cross_entropy
        )
    if subject == "torch" and "python/train_tiny" not in wanted:
        with library.inference_mode():
            return sampling.run(statements(library), wanted, int(samples))
    return sampling.run(rows, wanted, int(samples))


if __name__ == "__main__":
    main()
