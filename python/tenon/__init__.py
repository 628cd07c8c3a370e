"""Tenon: tensors, operators and gradients on backends that are plugins.

    import tenon as tn

    x = tn.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    (x * x).sum().backward()
    print(x.grad)

Operators are not listed here: `tn.NAME` and `x.NAME` look NAME up in the registry of the running
process, so plugins' operators are found the same way. tn.ops names single overloads.
"""

from __future__ import annotations

from tenon import _C, config, ops
from tenon import _methods as _methods
from tenon._C import (
    Generator,
    Operator,
    Tensor,
    bf16,
    bfloat16,
    bool,
    c64,
    c128,
    cdouble,
    cfloat,
    channels_last,
    complex64,
    complex128,
    contiguous_format,
    device,
    double,
    dtype,
    f8e4m3,
    f8e5m2,
    f16,
    f32,
    f64,
    float,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    from_dlpack,
    from_numpy,
    get_default_device,
    get_default_dtype,
    get_num_threads,
    grad,
    half,
    i8,
    i16,
    i32,
    i64,
    int,
    int8,
    int16,
    int32,
    int64,
    is_grad_enabled,
    is_inference_mode_enabled,
    layout,
    long,
    manual_seed,
    memory_format,
    preserve_format,
    set_default_device,
    set_default_dtype,
    set_num_threads,
    short,
    strided,
    synchronize,
    tensor,
    u8,
    u16,
    u32,
    u64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tenon._create import as_tensor, is_tensor
from tenon._inspect import doctor, explain, operators, plugins
from tenon._modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from tenon._printing import set_printoptions

__version__ = _C.version()

__all__ = [
    "Generator",
    "Operator",
    "Tensor",
    "as_tensor",
    "bf16",
    "bfloat16",
    "bool",
    "c64",
    "c128",
    "cdouble",
    "cfloat",
    "channels_last",
    "complex64",
    "complex128",
    "config",
    "contiguous_format",
    "device",
    "doctor",
    "double",
    "dtype",
    "enable_grad",
    "explain",
    "f8e4m3",
    "f8e5m2",
    "f16",
    "f32",
    "f64",
    "float",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "float32",
    "float64",
    "from_dlpack",
    "from_numpy",
    "get_default_device",
    "get_default_dtype",
    "get_num_threads",
    "grad",
    "half",
    "i8",
    "i16",
    "i32",
    "i64",
    "inference_mode",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_tensor",
    "layout",
    "long",
    "manual_seed",
    "memory_format",
    "no_grad",
    "operators",
    "ops",
    "plugins",
    "preserve_format",
    "set_default_device",
    "set_default_dtype",
    "set_grad_enabled",
    "set_num_threads",
    "set_printoptions",
    "short",
    "strided",
    "synchronize",
    "tensor",
    "u8",
    "u16",
    "u32",
    "u64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]


def __getattr__(name: str) -> Operator:
    if name.startswith("__"):
        raise AttributeError(f"module 'tenon' has no attribute {name!r}")
    try:
        operator = _C.operator(name)
    except AttributeError as error:
        raise AttributeError(f"module 'tenon' has no attribute {name!r}: {error}") from None
    globals()[name] = operator
    return operator


def __dir__() -> list[str]:
    plain = [name for name in _C.operator_names() if "::" not in name]
    return sorted({*globals(), *plain})
