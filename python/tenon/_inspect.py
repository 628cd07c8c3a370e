"""What the runtime found and how it decides."""

from __future__ import annotations

from tenon import _C

TYPE_CHECKING = False  # importing typing would take longer than all of this package
if TYPE_CHECKING:
    from typing import Any


def doctor(json: bool = False) -> Any:
    """The report on plugins found, chosen or skipped and why, on devices and configuration.

    Returns text to print, or with json=True the same as dicts and lists.
    """
    report = _C.doctor(json)
    return _parse(report) if json else report


def explain(operator: str | _C.Operator, *args: Any, json: bool = False, **kwargs: Any) -> Any:
    """How the call operator(*args, **kwargs) would travel: layers, providers tried, kernel.

    Nothing runs. Returns text to print, or with json=True the same as dicts and lists.
    """
    if isinstance(operator, str):
        operator = _C.operator(operator)
    if json:
        return _parse(operator.explain_json(*args, **kwargs))
    return operator.explain(*args, **kwargs)


def _parse(report: str) -> Any:
    from json import loads

    return loads(report)
