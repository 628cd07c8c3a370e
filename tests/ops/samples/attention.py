"""Scaled dot-product attention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness.arguments import Make
from harness.row import Row, Sample, bad, call
from scipy import special


def samples(make: Make) -> Iterator[Sample]:
    yield call(make(2, 3, 5, 8), make(2, 3, 6, 8), make(2, 3, 6, 4))
    yield call(make(5, 8), make(6, 8), make(6, 4))
    yield call(make(2, 5, 8), make(2, 5, 8), make(2, 5, 8), is_causal=True)
    yield call(make(2, 5, 8), make(2, 6, 8), make(2, 6, 8), make(5, 6), scale=0.5)
    mask = make.mask(5, 6)
    mask.array[:, 0] = True
    yield call(make(2, 5, 8), make(2, 6, 8), make(2, 6, 8), mask)
    mask = make.of(np.array([[True, False], [False, False]]), "bool")
    yield call(make(2, 8), make(2, 8), make(2, 8), mask)
    yield call(make(1, 4, 5, 8), make(1, 2, 6, 8), make(1, 2, 6, 8), enable_gqa=True)


def attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: Any = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = np.repeat(key, times, axis=-3), np.repeat(value, times, axis=-3)
    scale = 1 / np.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ np.swapaxes(key, -1, -2) * scale
    if is_causal:
        attn_mask = np.tril(np.ones(scores.shape[-2:], bool))
    if attn_mask is not None:
        is_bool = attn_mask.dtype == bool
        scores = np.where(attn_mask, scores, -np.inf) if is_bool else scores + attn_mask
    return np.nan_to_num(special.softmax(scores, axis=-1)) @ value


def fused(make: Make) -> Iterator[Sample]:
    yield call(make(2, 3, 5, 8), make(2, 3, 6, 8), make(2, 3, 6, 4), None, False, 0.5)
    yield call(make(9, 8), make(6, 8), make(6, 4), None, True, -0.5)
    mask = make.mask(9, 6)
    mask.array[:, 0] = True
    mask.array[3] = False
    yield call(make(2, 9, 8), make(2, 6, 8), make(2, 6, 8), mask, False, 0.3)


def fused_attention(
    query: Any, key: Any, value: Any, mask: Any, is_causal: bool, scale: float
) -> Any:
    scores = query @ np.swapaxes(key, -1, -2) * scale
    if is_causal:
        mask = np.tril(np.ones(scores.shape[-2:], bool))
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    out = attention(query, key, value, mask, scale=scale)
    return out, special.logsumexp(scores, axis=-1)


def fused_backward(make: Make) -> Iterator[Sample]:
    for sample in fused(make):
        query, key, value, mask, is_causal, scale = sample.args
        arrays = [None if t is None else t.array for t in (query, key, value, mask)]
        out, logarithms = fused_attention(*arrays, is_causal, scale)
        statistics = "f64" if query.dtype == "f64" else "f32"
        yield call(
            make(*out.shape), query, key, value, mask, make.of(out, smooth=False),
            make.of(logarithms, statistics, smooth=False), is_causal, scale,
        )  # fmt: skip


def fused_gradient(
    g: Any, query: Any, key: Any, value: Any, mask: Any, out: Any, logarithms: Any,
    is_causal: bool, scale: float,
) -> Any:  # fmt: skip
    scores = query @ np.swapaxes(key, -1, -2) * scale
    if is_causal:
        mask = np.tril(np.ones(scores.shape[-2:], bool))
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.nan_to_num(special.softmax(scores, axis=-1))
    d_weights = g @ np.swapaxes(value, -1, -2)
    d_scores = weights * (d_weights - (weights * d_weights).sum(-1, keepdims=True)) * scale
    turned = np.swapaxes(d_scores, -1, -2)
    return d_scores @ key, turned @ query, np.swapaxes(weights, -1, -2) @ g


def wrong_fused(make: Make) -> list[Any]:
    x = make(2, 5, 8)
    return [
        bad(ValueError, "is_causal", x, x, x, make(5, 5), True, 1.0),
        bad(ValueError, "query must be", x, make(2, 5, 7), x, None, False, 1.0),
        bad(ValueError, "query must be", x, make(1, 5, 8), x, None, False, 1.0),
        bad(ValueError, "attn_mask", x, x, x, make(3, 5), False, 1.0),
    ]


def wrong(make: Make) -> list[Any]:
    x = make(2, 5, 8)
    return [
        bad(ValueError, "dimensions", make(8), make(8), make(8)),
        bad(ValueError, "is_causal", x, x, x, make(5, 5), is_causal=True),
        bad(ValueError, "", x, make(2, 5, 7), x),
        bad(ValueError, "heads", make(3, 5, 8), x, x, enable_gqa=True),
    ]


TOLERANCES = {"f32": (1e-5, 1e-5), "f16": (4e-3, 4e-3), "bf16": (3e-2, 3e-2)}
WHY = "two matrix products and a softmax between them, each rounded to the dtype"

ROWS = [
    Row(
        "_scaled_dot_product_attention",
        fused,
        fused_attention,
        result=("same", "statistics"),
        tolerances=TOLERANCES,
        why=WHY,
        bad=wrong_fused,
    ),
    Row(
        "_scaled_dot_product_attention_backward",
        fused_backward,
        fused_gradient,
        result=("same", "same", "same"),
        tolerances=TOLERANCES,
        why=WHY,
        gradient="raises",
    ),
    Row(
        "scaled_dot_product_attention",
        samples,
        attention,
        tolerances=TOLERANCES,
        why=WHY,
        bad=wrong,
    ),
]
