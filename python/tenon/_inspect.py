"""What the runtime found and how it decides."""

from __future__ import annotations

from tenon import _C

TYPE_CHECKING = False  # importing typing would take longer than all of this package
if TYPE_CHECKING:
    from typing import Any


def doctor(json: bool = False) -> Any:
    """The report on plugins found, chosen or skipped and why, on devices and configuration.

    Returns text to print, or with json=True the same as dicts and lists. `python -m tenon doctor`
    adds the libraries that plugins load and what to mend.
    """
    report = _C.doctor(json)
    return _parse(report) if json else report


def plugins() -> list[dict[str, Any]]:
    """The plugins found: name, version, state, what each provides, and why one cannot be used."""
    return _C.plugins()


def operators(
    device: str | _C.device | None = None, *, missing: bool = False
) -> list[dict[str, Any]]:
    """All operators: name, schema and doc; with a device also who serves each there.

    "providers" have kernels, the preferred one first; "decomposition" says whether the operator is
    composed of others where there is no kernel; "inference", whether shapes and dtypes are all that
    the device is asked for. With missing=True only those that have none of the three.
    """
    if missing and device is None:
        raise TypeError("operators(missing=True) needs a device to be missing on")
    for plugin in _C.plugins():
        if plugin["declares"] and plugin["state"] == "discovered":
            try:
                _C.plugin_load(plugin["name"])
            except Exception:  # costs only its own operators; doctor() says why
                continue
    rows: list[dict[str, Any]] = []
    for name, schema, doc, providers, decomposes, infers in _C.operators(device):
        row: dict[str, Any] = {"name": name, "schema": schema, "doc": doc}
        if device is not None:
            lacking = not (providers or decomposes or infers)
            if missing and not lacking:
                continue
            row |= {"providers": providers, "decomposition": decomposes, "inference": infers}
            row["missing"] = lacking
        rows.append(row)
    return sorted(rows, key=lambda row: str(row["name"]))


def explain(operator: str | _C.Operator, *args: Any, json: bool = False, **kwargs: Any) -> Any:
    """How the call operator(*args, **kwargs) would travel: layers, providers, kernel, outputs.

    Nothing runs. Returns text to print, or with json=True the same as dicts and lists.
    """
    if isinstance(operator, str):
        operator = _C.operator(operator)
    story = _parse(operator.explain_json(*args, **kwargs))
    story |= {"outputs": None, "outputs_unknown": ""}
    if not story["fails"]:
        _infer(story, operator, args, kwargs)
    if json:
        return story
    text = operator.explain(*args, **kwargs)
    if story["outputs"] is not None:
        return text + f"  outputs   {_listed(story['outputs'])}\n"
    return text + f"  outputs   {story['outputs_unknown'] or story['outcome']}\n"


def _infer(story: dict[str, Any], operator: _C.Operator, args: Any, kwargs: Any) -> None:
    """What the call would return, found by making it on a device without data."""
    device = next((str(v) for v in (*args, *kwargs.values()) if isinstance(v, _C.device)), None)
    device = str(kwargs.get("device") or device or story["device"])
    try:
        without_data = {name: _without_data(value) for name, value in kwargs.items()}
        if kwargs.get("device") is not None:
            without_data["device"] = "meta"
        result = operator(*map(_without_data, args), **without_data)
    except NotImplementedError as error:  # it needs values
        story["outputs_unknown"] = _reason(error)
    except Exception as error:  # whatever the call would raise is the answer
        story |= {"fails": True, "kernel": "", "outcome": f"an error: {_reason(error)}"}
    else:
        results = result if isinstance(result, tuple) else (result,)
        story["outputs"] = [_described(item, device) for item in results]


def _reason(error: Exception) -> str:
    """Without the line that names the call: it tells of the device without data."""
    first, _, rest = str(error).partition("\n  ")
    return rest if rest and first.startswith("in ") else str(error)


def _without_data(value: Any) -> Any:
    if isinstance(value, _C.Tensor):
        empty = _C.operator("empty_strided")
        return empty(value.shape, value.stride(), dtype=value.dtype, device="meta")
    if isinstance(value, _C.device):
        return _C.device("meta")
    if isinstance(value, list | tuple):
        return type(value)(_without_data(item) for item in value)
    return value


def _described(value: Any, device: str) -> Any:
    if isinstance(value, list | tuple):
        return [_described(item, device) for item in value]
    if not isinstance(value, _C.Tensor):
        return value
    return {
        "dtype": value.describe().partition("[")[0],
        "sizes": list(value.shape),
        "strides": list(value.stride()),
        "device": device,
    }


def _listed(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_listed, value))
    if not isinstance(value, dict):
        return str(value)
    sizes = ",".join(map(str, value["sizes"]))
    return f"{value['dtype']}[{sizes}]@{value['device']}"


def _parse(report: str) -> Any:
    from json import loads

    return loads(report)
