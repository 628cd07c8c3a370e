"""The rows: what is measured, what the machine would allow, and what is wanted.

A limit is computed from what the same run has measured of the machine (limits.cc), so it holds on
any machine. Goals that are times are multiples of limits for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Machine(Protocol):
    """What a run has measured of the machine."""

    def rate(self, name: str) -> float:
        """Flops or bytes per nanosecond of a row of limits.cc."""

    def time(self, subject: str, row: str) -> float | None:
        """Nanoseconds of a row by another subject, such as Python itself."""


Limit = Callable[[Machine], float | None]


@dataclass(frozen=True)
class Goal:
    """At most `value`: of the row's unit, of instructions, or times the limit or a peer."""

    kind: str  # "value", "instructions", "limit" or the name of a peer
    value: float


@dataclass(frozen=True)
class Row:
    name: str
    limit: Limit | None = None
    goal: Goal | None = None
    unit: str = "ns"  # or "bytes"
    # Of rows in bytes, the row whose process it is the peak memory of.
    process: str = ""

    @property
    def group(self) -> str:
        return self.name.split("/")[0]


def flops(count: float, kind: str = "fma_f32") -> Limit:
    return lambda machine: count / machine.rate(kind)


def moved(count: float, *kinds: str) -> Limit:
    """Bytes at the best of the given rates."""
    return lambda machine: count / max(machine.rate(kind) for kind in kinds)


def slower(*limits: Limit) -> Limit:
    """Both are needed, at the same time."""

    def limit(machine: Machine) -> float | None:
        times = [one(machine) for one in limits]
        return max(time for time in times if time is not None)

    return limit


def floor(subject: str, row: str) -> Limit:
    return lambda machine: machine.time(subject, row)


def times_limit(factor: float) -> Goal:
    return Goal("limit", factor)


CALL, ALLOCATING = floor("limits", "call"), floor("limits", "call_allocating")
COPY = ("copy", "copy_non_temporal")

VECTOR = 4 * (16 << 20)  # bytes of 16 Mi floats
ROWS_1024 = 4 * 4096 * 1024
LAYER = 4 * 4096 * 4096
GATHERED = 4 * 16384 * 256


def overhead() -> list[Row]:
    def row(name: str, limit: Limit, goal: Goal | None = None) -> Row:
        return Row(f"overhead/{name}", limit, goal)

    return [
        row("add", ALLOCATING, Goal("instructions", 700)),
        row("add_number", ALLOCATING),
        row("add_out", CALL, Goal("instructions", 450)),
        row("add_in_place", CALL, Goal("instructions", 450)),
        row("add_broadcast", ALLOCATING),
        row("view", ALLOCATING, Goal("value", 25)),
        row("select", ALLOCATING, Goal("value", 25)),
        row("empty", ALLOCATING, Goal("value", 20)),
        row("sum", ALLOCATING),
        row("mm", ALLOCATING),
        row("add_recorded", ALLOCATING, Goal("instructions", 1500)),
        row("chain_100_backward", ALLOCATING, Goal("value", 400)),
    ]


def python() -> list[Row]:
    calls = [
        Row(f"python/{name}", floor("python", f"python/{name}"), Goal("value", 80))
        for name in ("add", "view", "index")
    ]
    return [*calls, Row("python/train_tiny", None, Goal("value", 15_000))]


def startup() -> list[Row]:
    empty, interpreter = floor("empty", "startup/program"), floor("python", "startup/import")
    return [
        Row("startup/program", empty, Goal("value", 10e6)),
        Row("startup/program_memory", None, Goal("value", 10e6), "bytes", "startup/program"),
        Row("startup/import", interpreter, Goal("value", 60e6)),
        Row("startup/libtenon", None, Goal("value", 500e3), "bytes"),
    ]


def pointwise() -> list[Row]:
    computed = {"exp": 1.3, "tanh": 1.4, "gelu_tanh": 1.6, "gelu_erf": 2.0}
    return [
        Row("pointwise/add", moved(3 * VECTOR, "add_non_temporal"), times_limit(1.1)),
        *(
            Row(f"pointwise/{name}", moved(2 * VECTOR, *COPY), times_limit(factor))
            for name, factor in computed.items()
        ),
    ]


def reduce() -> list[Row]:
    cached = moved(2 * ROWS_1024, "copy_16mib")
    return [
        *(
            Row(f"reduce/sum_{name}", moved(LAYER, "read"), times_limit(1.15))
            for name in ("dim0", "dim1", "all")
        ),
        Row("reduce/softmax", cached, times_limit(2.8)),
        Row("reduce/layer_norm", cached, times_limit(1.96)),
    ]


def gemm() -> list[Row]:
    def few(rows: int) -> Limit:
        return slower(flops(2 * rows * 4096**2), moved(LAYER, "read"))

    return [
        Row("gemm/f32_2048", flops(2 * 2048**3), times_limit(1.165)),
        Row("gemm/f32_512", flops(2 * 512**3), times_limit(1.11)),
        Row("gemm/bf16_2048", flops(2 * 2048**3, "fma_bf16"), times_limit(1.195)),
        Row("gemm/linear_m1", few(1), times_limit(1.07)),
        Row("gemm/linear_m32", few(32), times_limit(1.6)),
    ]


def conv_flops(batch: int, inputs: int, outputs: int, size: int) -> float:
    """Of 3x3 with padding 1 on squares, whose border windows have nothing to multiply outside."""
    return 2 * batch * inputs * outputs * (3 * size - 2) ** 2


def conv() -> list[Row]:
    goal = Goal("onednn", 1.03)
    return [
        Row(f"conv/{channels}x{size}_{form}", flops(work, kind), goal)
        for channels, size in ((64, 56), (256, 14))
        for work in (conv_flops(8, channels, channels, size),)
        for form, kind in (("f32", "fma_f32"), ("f32_row_major", "fma_f32"), ("bf16", "fma_bf16"))
    ]


def memory() -> list[Row]:
    return [
        Row("memory/transpose", moved(2 * LAYER, *COPY), times_limit(2.5)),
        Row("memory/embedding", moved(2 * GATHERED, *COPY), times_limit(1.1)),
    ]


def attention() -> list[Row]:
    work = 2 * 2 * 4 * 8 * 512 * 512 * 64
    causal = work * (512 + 1) / (2 * 512)
    return [
        Row("attention/full", flops(work), times_limit(1.41)),
        Row("attention/causal", flops(causal), times_limit(1.68)),
    ]


def training() -> list[Row]:
    # Forward, and as much again for the gradients of inputs and of weights; the first layer's input
    # needs none.
    mlp = 2 * 128 * (3 * (784 * 512 + 512 * 512 + 512 * 10) - 784 * 512)

    def cnn(second: int, last: int) -> float:
        """Of `second` squared pixels in the second convolution and `last` squared after."""
        first, middle = conv_flops(64, 1, 32, 28), conv_flops(64, 32, 64, second)
        return 2 * first + 3 * middle + 3 * (2 * 64 * last**2 * 64 * 10)

    tokens = 8 * 128
    gpt = 3 * (4 * (2 * tokens * 12 * 256**2 + 2 * 2 * 8 * 128 * 128 * 256)
               + 2 * tokens * 256 * 256)  # fmt: skip
    steps = {
        "mlp": (mlp, 1.82, 40e6),
        "cnn": (cnn(14, 7), 1.94, 90e6),
        "cnn_without_pools": (cnn(28, 28), 1.45, 150e6),
        "gpt": (gpt, 1.75, 230e6),
    }
    rows = []
    for name, (work, factor, peak) in steps.items():
        row = f"training/{name}"
        rows.append(Row(row, flops(work), times_limit(factor)))
        rows.append(Row(f"{row}_memory", None, Goal("value", peak), "bytes", row))
    return rows


GROUPS: dict[str, list[Row]] = {
    make.__name__: make()
    for make in (
        overhead,
        python,
        startup,
        pointwise,
        reduce,
        gemm,
        conv,
        memory,
        attention,
        training,
    )
}
