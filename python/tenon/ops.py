"""Every registered operator: tenon.ops.add, one overload of it tenon.ops.add.Tensor, and operators
whose name has a namespace, tenon.ops.acme.swiglu for acme::swiglu.

Operators are looked up in the registry when they are first used, which loads the plugin that
declares them.
"""

from __future__ import annotations

from tenon import _C


class Namespace:
    """The operators whose names start with `name::`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> _C.Operator:
        if name.startswith("__"):
            raise AttributeError(name)
        operator = _C.operator(f"{self._name}::{name}")
        setattr(self, name, operator)
        return operator

    def __dir__(self) -> list[str]:
        prefix = self._name + "::"
        return sorted(n.removeprefix(prefix) for n in _C.operator_names() if n.startswith(prefix))

    def __repr__(self) -> str:
        return f"<operators {self._name}::*>"


def _is_namespace(name: str) -> bool:
    # By convention a plugin's operators are in the namespace of its name; it need not be loaded.
    if any(plugin["name"] == name for plugin in _C.plugins()):
        return True
    return any(operator.startswith(name + "::") for operator in _C.operator_names())


def __getattr__(name: str) -> _C.Operator | Namespace:
    if name.startswith("__"):
        raise AttributeError(f"module 'tenon.ops' has no attribute {name!r}")
    found: _C.Operator | Namespace
    try:
        found = _C.operator(name)
    except AttributeError:
        if not _is_namespace(name):
            raise
        found = Namespace(name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    names = {name.split("::")[0] for name in _C.operator_names()}
    return sorted(names | set(globals()))
