"""Fixtures of the tests of the Python extension. NumPy is the oracle for memory and values."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
import tenon as tn


@pytest.fixture
def no_leak() -> Iterator[None]:
    """Fails a test after which more tensors live than before."""
    tn.tensor([1.0]) + tn.tensor([1.0])  # whatever is made once is made now
    gc.collect()
    before = tn._C.live_tensors()
    yield
    gc.collect()
    assert tn._C.live_tensors() == before


@pytest.fixture
def autograd() -> None:
    """Skips a test where no plugin provides gradients."""
    if not any("tenon.autograd" in row for row in [tn.doctor()]):
        pytest.skip("no plugin provides tenon.autograd")


@pytest.fixture
def run_python() -> Callable[[str], str]:
    """Runs a program in a fresh interpreter and returns what it prints."""

    def run(program: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True
        ).stdout

    return run
