"""The runtime's configuration, as `tenon config` shows it."""

from __future__ import annotations

from tenon import _C

TYPE_CHECKING = False  # importing typing would take longer than all of this package
if TYPE_CHECKING:
    from typing import Any


class Entry:
    """A value in force: a key, its value as TOML text, and where it came from."""

    __slots__ = ("key", "origin", "value")

    def __init__(self, key: str, value: str, origin: str) -> None:
        self.key, self.value, self.origin = key, value, origin

    def __repr__(self) -> str:
        return f"{self.key} = {self.value}  # from {self.origin}"


class Key:
    """What a key takes: its type, its default as TOML text, and what it is for."""

    __slots__ = ("choices", "default", "fixed_at_init", "help", "key", "type", "variable")

    def __init__(
        self,
        key: str,
        type: str,
        default: str,
        choices: list[str],
        variable: str,
        fixed_at_init: bool,
        help: str,
    ) -> None:
        self.key, self.type, self.default, self.choices = key, type, default, choices
        self.variable, self.fixed_at_init, self.help = variable, fixed_at_init, help

    def __repr__(self) -> str:
        return f"{self.key}: {self.type} = {self.default}  # {self.help}"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(entry) for entry in value) + "]"
    raise TypeError(f"a configuration value is a bool, number, str or list, not {value!r}")


def set(key: str, value: Any) -> None:
    """Sets a key, over all files and variables: set("providers.cpu", ["onednn", "cpu"]).

    Keys that decide which plugins there are have to be set before the first operator is called.
    """
    _C.config_set(key, _toml(value))


def get(key: str) -> Entry:
    """The value in force and where it came from."""
    return Entry(key, *_C.config_get(key))


def items() -> list[Entry]:
    """Every key with a value, in order."""
    return [Entry(*row) for row in _C.config_items()]


def keys() -> list[Key]:
    """Every key that there is: the core's, then those of the plugins found."""
    return [Key(*row) for row in _C.config_keys()]
