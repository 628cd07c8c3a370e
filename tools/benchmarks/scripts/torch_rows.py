"""PyTorch's rows, in inference mode but for training.

torch_rows.py SAMPLES ROW...
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Any

import sampling

# Optional, and so not there when the types are checked.
torch: Any = importlib.import_module("torch")
nn: Any = torch.nn
F: Any = nn.functional
Prepare = Callable[[], tuple[sampling.Work, dict[str, Any]]]


def on(
    work: Callable[..., object], *shapes: tuple[int, ...], dtype: Any = torch.float32
) -> Prepare:
    """A row that calls `work` with normally distributed tensors of the given shapes."""

    def prepare() -> tuple[sampling.Work, dict[str, Any]]:
        tensors = [torch.randn(shape, dtype=dtype) for shape in shapes]

        def run() -> None:
            with torch.inference_mode():
                work(*tensors)

        return run, {}

    return prepare


def conv(channels: int, size: int, dtype: Any, memory_format: Any) -> Prepare:
    def prepare() -> tuple[sampling.Work, dict[str, Any]]:
        x = torch.randn(8, channels, size, size, dtype=dtype).contiguous(
            memory_format=memory_format
        )
        weight = torch.randn(channels, channels, 3, 3, dtype=dtype)
        weight = weight.contiguous(memory_format=memory_format)

        def run() -> None:
            with torch.inference_mode():
                F.conv2d(x, weight, padding=1)

        return run, {}

    return prepare


def embedding() -> tuple[sampling.Work, dict[str, Any]]:
    table, indices = torch.randn(50000, 256), torch.randint(50000, (16384,))

    def run() -> None:
        with torch.inference_mode():
            F.embedding(indices, table)

    return run, {}


def convolutions(pools: bool) -> Any:
    pool = [nn.MaxPool2d(2)] if pools else []
    flat = 64 * 7 * 7 if pools else 64 * 28 * 28
    first = [nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), *pool]
    second = [nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), *pool]
    return nn.Sequential(*first, *second, nn.Flatten(), nn.Linear(flat, 10))


def perceptron() -> Any:
    relu = nn.ReLU()
    return nn.Sequential(nn.Linear(784, 512), relu, nn.Linear(512, 512), relu, nn.Linear(512, 10))


class Block(nn.Module):  # type: ignore[misc]
    """As in training.cc: 256 wide, 4 heads, normalisation first."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(256), nn.LayerNorm(256)
        self.joint, self.projection = nn.Linear(256, 768), nn.Linear(256, 256)
        self.wide, self.narrow = nn.Linear(256, 1024), nn.Linear(1024, 256)

    def forward(self, x: Any) -> Any:
        batch, length, width = x.shape
        query, key, value = (
            part.view(batch, length, 4, 64).transpose(1, 2)
            for part in self.joint(self.norm1(x)).chunk(3, 2)
        )
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.projection(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(F.gelu(self.wide(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(256, 256), nn.Embedding(128, 256)
        self.blocks = nn.Sequential(*(Block() for _ in range(4)))
        self.norm, self.head = nn.LayerNorm(256), nn.Linear(256, 256, bias=False)

    def forward(self, text: Any) -> Any:
        x = self.tokens(text) + self.places(torch.arange(128))
        return self.head(self.norm(self.blocks(x))).view(-1, 256)


def training(network: Callable[[], Any], data: Callable[[], Any], classes: int) -> Prepare:
    def prepare() -> tuple[sampling.Work, dict[str, Any]]:
        model, x = network(), data()
        optimizer = (
            torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
            if isinstance(model, Gpt)
            else torch.optim.SGD(model.parameters(), lr=0.01, fused=True)
        )
        target = torch.randint(classes, (len(model(x)),))

        def step() -> None:
            optimizer.zero_grad()
            F.cross_entropy(model(x), target).backward()
            optimizer.step()

        return step, {}

    return prepare


def attention(is_causal: bool) -> Prepare:
    heads = (4, 8, 512, 64)
    return on(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=is_causal),
        heads,
        heads,
        heads,
    )


def images() -> Any:
    return torch.randn(64, 1, 28, 28)


VECTOR, SQUARE, GEMM, ROWS_1024 = (16 << 20,), (4096, 4096), (2048, 2048), (4096, 1024)
LAST, FIRST = torch.channels_last, torch.contiguous_format
ROWS: dict[str, Prepare] = {
    "pointwise/add": on(torch.add, VECTOR, VECTOR),
    "pointwise/exp": on(torch.exp, VECTOR),
    "pointwise/tanh": on(torch.tanh, VECTOR),
    "pointwise/gelu_tanh": on(lambda a: F.gelu(a, approximate="tanh"), VECTOR),
    "pointwise/gelu_erf": on(F.gelu, VECTOR),
    "reduce/sum_dim0": on(lambda a: a.sum(0), SQUARE),
    "reduce/sum_dim1": on(lambda a: a.sum(1), SQUARE),
    "reduce/sum_all": on(torch.sum, SQUARE),
    "reduce/softmax": on(lambda a: a.softmax(1), ROWS_1024),
    "reduce/layer_norm": on(
        lambda a, w, b: F.layer_norm(a, (1024,), w, b), ROWS_1024, (1024,), (1024,)
    ),
    "gemm/f32_2048": on(torch.mm, GEMM, GEMM),
    "gemm/f32_512": on(torch.mm, (512, 512), (512, 512)),
    "gemm/bf16_2048": on(torch.mm, GEMM, GEMM, dtype=torch.bfloat16),
    "gemm/linear_m1": on(F.linear, (1, 4096), (4096, 4096)),
    "gemm/linear_m32": on(F.linear, (32, 4096), (4096, 4096)),
    "conv/64x56_f32": conv(64, 56, torch.float32, LAST),
    "conv/64x56_f32_row_major": conv(64, 56, torch.float32, FIRST),
    "conv/64x56_bf16": conv(64, 56, torch.bfloat16, LAST),
    "conv/256x14_f32": conv(256, 14, torch.float32, LAST),
    "conv/256x14_f32_row_major": conv(256, 14, torch.float32, FIRST),
    "conv/256x14_bf16": conv(256, 14, torch.bfloat16, LAST),
    "memory/transpose": on(lambda a: a.t().contiguous(), SQUARE),
    "memory/embedding": embedding,
    "attention/full": attention(False),
    "attention/causal": attention(True),
    "training/mlp": training(perceptron, lambda: torch.randn(128, 784), 10),
    "training/cnn": training(lambda: convolutions(True), images, 10),
    "training/cnn_without_pools": training(lambda: convolutions(False), images, 10),
    "training/gpt": training(Gpt, lambda: torch.randint(256, (8, 128)), 256),
}


def main() -> None:
    samples, *wanted = sys.argv[1:]
    if not any(name.startswith("training/") for name in wanted):
        # Touches the memory that the rows get, and gives it back to malloc, which keeps it. Not
        # where peak memory is measured: a step takes the same memory every time anyway.
        torch.ones(256 << 20)
    sampling.run(ROWS, wanted, int(samples))


if __name__ == "__main__":
    main()
