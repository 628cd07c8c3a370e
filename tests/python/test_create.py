"""tn.tensor from Python data."""

import numpy as np
import pytest
import tenon as tn


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (True, tn.bool, ()),
        (3, tn.int64, ()),
        (2.5, tn.float32, ()),
        (1 + 2j, tn.complex64, ()),
        ([], tn.float32, (0,)),
        ([[], []], tn.float32, (2, 0)),
        ([True, 2], tn.int64, (2,)),
        ([1, 2.5], tn.float32, (2,)),
        ([1.5, 2j], tn.complex64, (2,)),
        (((1, 2), [3, 4]), tn.int64, (2, 2)),
        (range(4), tn.int64, (4,)),
        ([np.float32(1), np.int64(2)], tn.float32, (2,)),
        ([np.array([1, 2]), np.array([3, 4])], tn.int64, (2, 2)),
    ],
)
def test_dtype_and_shape_follow_from_data(data, dtype, shape):
    x = tn.tensor(data)
    assert (x.dtype, x.shape) == (dtype, shape)
    assert x.tolist() == np.array(data).tolist()


@pytest.mark.parametrize("name", ["u8", "i8", "i16", "i32", "i64", "f32", "f64", "c64", "c128"])
def test_given_dtype_is_used(name):
    dtype = getattr(tn, name)
    x = tn.tensor([[1, 2], [3, 4]], dtype=dtype)
    assert x.dtype is dtype
    assert x.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("name", "value"), [("f16", 1 / 3), ("bf16", 1 / 3), ("f8e4m3", 1.0625), ("f8e5m2", 1.25)]
)
def test_narrow_floats_round_to_nearest(name, value):
    error = {"f16": 2**-12, "bf16": 2**-9, "f8e4m3": 2**-4, "f8e5m2": 0}[name]
    assert abs(tn.tensor(value, dtype=getattr(tn, name)).item() - value) <= error


def test_without_memory_the_error_says_for_what_and_what_there_is():
    live = tn.ones(1 << 20)  # 4 MiB
    what = r"no memory for 281474976710656 bytes \(256.0 TiB\) on cpu; [\d.]+ MiB are live, "
    with pytest.raises(MemoryError, match=r"in empty\(\[70368744177664\].*\):\n  " + what):
        tn.empty([2**46])
    wide = live[:1].expand([2**46])
    with pytest.raises(MemoryError, match=r"in add\(f32\[70368744177664\]@cpu, 1, 1\):\n  " + what):
        wide + 1


def test_python_types_are_dtypes():
    assert tn.tensor(1, dtype=float).dtype is tn.float64
    assert tn.tensor(1, dtype=int).dtype is tn.int64
    assert tn.tensor(1, dtype=bool).dtype is tn.bool
    assert tn.tensor(1, dtype=complex).dtype is tn.complex128


def test_default_dtype_holds_for_floats_alone():
    tn.set_default_dtype(tn.float64)
    try:
        assert tn.tensor(1.0).dtype is tn.float64
        assert tn.tensor(1j).dtype is tn.complex128
        assert tn.tensor(1).dtype is tn.int64
    finally:
        tn.set_default_dtype(tn.float32)


def test_whole_range_of_integers():
    assert tn.tensor([-(2**63), 2**63 - 1]).tolist() == [-(2**63), 2**63 - 1]
    assert tn.tensor(2**64 - 1, dtype=tn.u64).item() == 2**64 - 1


@pytest.mark.parametrize(
    ("data", "kwargs", "error", "words"),
    [
        ([[1, 2], [3]], {}, ValueError, "length 2 is expected at dimension 1"),
        ([1, [2]], {}, ValueError, "differ in depth"),
        ([[1], 2], {}, ValueError, "differ in depth"),
        ("text", {}, TypeError, "cannot be made of str"),
        ([None], {}, TypeError, "cannot be made of NoneType"),
        (300, {"dtype": tn.u8}, ValueError, "300 does not fit into 8 bits of an unsigned"),
        (-1, {"dtype": tn.u64}, ValueError, "-1 does not fit"),
        (2**63, {}, (ValueError, TypeError), None),
        (1j, {"dtype": tn.f32}, TypeError, "complex"),
        (1, {"dtype": "float32"}, TypeError, "dtype must be a tenon.dtype"),
        (1, {"device": 3}, TypeError, "device must be"),
    ],
)
def test_wrong_data_is_refused(data, kwargs, error, words):
    with pytest.raises(error, match=words):
        tn.tensor(data, **kwargs)


def test_self_containing_list_is_refused():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="nested more than 64"):
        tn.tensor(loop)


def test_tensors_are_copied(no_leak):
    x = tn.tensor([1.0, 2.0])
    y = tn.tensor(x)
    assert y.data_ptr() != x.data_ptr()
    assert y.tolist() == [1.0, 2.0]
    assert tn.tensor([tn.tensor(1.5), 2]).tolist() == [1.5, 2.0]


def test_arrays_are_copied_whatever_their_strides():
    a = np.arange(12.0).reshape(3, 4)
    for view in (a, a.T, a[::-1, ::2], a[1:1], a.astype(np.float16)):
        x = tn.tensor(view)
        assert x.tolist() == view.tolist()
        assert x.is_contiguous()
    assert tn.tensor(a, dtype=tn.int32).dtype is tn.int32
    assert tn.tensor(np.float32(1)).dtype is tn.float32


FACTORIES = [
    lambda **k: tn.rand(3, **k),
    lambda **k: tn.rand(2, 3, **k),
    lambda **k: tn.randn((3,), **k),
    lambda **k: tn.zeros(3, **k),
    lambda **k: tn.ones(3, **k),
    lambda **k: tn.empty(3, **k),
    lambda **k: tn.empty_strided((2, 2), (1, 2), **k),
    lambda **k: tn.full((3,), 1.5, **k),
    lambda **k: tn.arange(3.0, **k),
    lambda **k: tn.linspace(0, 1, 3, **k),
    lambda **k: tn.logspace(0, 1, 3, **k),
    lambda **k: tn.eye(3, **k),
    lambda **k: tn.randperm(3, dtype=tn.f32, **k),
    lambda **k: tn.randint(3, (3,), dtype=tn.f32, **k),
    lambda **k: tn.scalar_tensor(2.0, **k),
    lambda **k: tn.tensor([1.0], **k),
    lambda **k: tn.zeros_like(tn.ones(3), **k),
    lambda **k: tn.ones_like(tn.ones(3), **k),
    lambda **k: tn.empty_like(tn.ones(3), **k),
    lambda **k: tn.full_like(tn.ones(3), 2.0, **k),
    lambda **k: tn.rand_like(tn.ones(3), **k),
    lambda **k: tn.randn_like(tn.ones(3), **k),
    lambda **k: tn.ones(3).new_zeros(2, **k),
    lambda **k: tn.ones(3).new_full((2,), 1.0, **k),
]


FACTORIES_OF_INTEGERS = [
    lambda: tn.zeros(2, dtype=tn.i64, requires_grad=True),
    lambda: tn.full([2], 1, requires_grad=True),
    lambda: tn.tensor([True], requires_grad=True),
    lambda: tn.tensor([1], dtype=tn.u8).requires_grad_(),
]


@pytest.mark.parametrize("make", FACTORIES)
def test_factories_make_leaves_that_require_gradients(make):
    assert not make().requires_grad
    assert not make(requires_grad=False).requires_grad
    x = make(requires_grad=True)
    assert x.requires_grad
    assert x.is_leaf
    (x * 2).sum().backward()
    assert x.grad.tolist() == tn.full_like(x, 2).tolist()
    with pytest.raises(TypeError, match=r"requires_grad|bool"):
        make(requires_grad="yes")


def test_a_factory_without_gradients_recorded_makes_a_leaf_that_requires_them():
    with tn.no_grad():
        assert tn.zeros(2, requires_grad=True).requires_grad


def test_a_given_output_of_a_factory_requires_gradients():
    out = tn.empty(2)
    assert tn.ones(2, out=out, requires_grad=True) is out
    assert out.requires_grad


@pytest.mark.parametrize("make", FACTORIES_OF_INTEGERS)
def test_integers_cannot_require_gradients(make):
    with pytest.raises(RuntimeError, match="floating point"):
        make()


@pytest.mark.parametrize("call", [lambda x: x.to(tn.f64, requires_grad=True)])
def test_what_is_no_factory_takes_no_requires_grad(call):
    with pytest.raises(TypeError, match="requires_grad"):
        call(tn.ones(2))
