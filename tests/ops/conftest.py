"""Known failures: expected_failures.txt turns tests into strict expected failures.

Where everything takes many times longer, $TEST_SAMPLE = N runs each N-th test, the same ones each
time. A tenth of all suites together still calls nearly every operator.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def read_list(name: str) -> dict[str, str]:
    """The lines "subject  reason" of a list; a line without a reason is an error."""
    found = {}
    for line in (FOLDER / name).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            subject, _, reason = line.partition("  ")
            assert reason.strip(), f"{name}: {subject!r} has no reason"
            found[subject] = reason.strip()
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    expected = read_list("expected_failures.txt")
    files = {item.path.stem for item in items}
    for item in items:
        reason = expected.pop(f"{item.path.stem}::{item.name}", None)
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    # Only where whole files were collected: a single test may be run alone.
    stale = [subject for subject in expected if subject.partition("::")[0] in files]
    if stale and not any("::" in argument for argument in items[0].config.args):
        raise pytest.UsageError(f"expected_failures.txt names tests that do not exist: {stale}")
    items[:] = items[:: int(os.environ.get("TEST_SAMPLE", "1"))]


def pytest_configure(config: pytest.Config) -> None:
    config.option.tbstyle = "short"
