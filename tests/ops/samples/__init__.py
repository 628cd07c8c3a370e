"""One row per operator. To test a new operator, add its row to the file of its kind."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from harness.row import Row

_MODULES = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]

# `pointwise` is what files of element-wise rows share; it has none of its own.
ROWS: list[Row] = [row for module in _MODULES for row in getattr(module, "ROWS", ())]
