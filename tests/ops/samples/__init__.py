"""One row per operator. To test a new operator, add its row to the file of its kind."""

from __future__ import annotations

from harness.row import Row

from samples import (
    activation,
    attention,
    binary,
    broadcast,
    compare,
    conv,
    convert,
    create,
    embedding,
    fill,
    index,
    join,
    loss,
    matmul,
    norm,
    optim,
    pool,
    rearrange,
    reduce,
    slice_scatter,
    softmax,
    ternary,
    unary,
    view,
    view_part,
)

_MODULES = (
    activation,
    attention,
    binary,
    broadcast,
    compare,
    conv,
    convert,
    create,
    embedding,
    fill,
    index,
    join,
    loss,
    matmul,
    norm,
    optim,
    pool,
    rearrange,
    reduce,
    slice_scatter,
    softmax,
    ternary,
    unary,
    view,
    view_part,
)

ROWS: list[Row] = [row for module in _MODULES for row in module.ROWS]
