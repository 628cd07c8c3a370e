"""Memory shared with NumPy and other libraries."""

import gc
import weakref

import numpy as np
import pytest
import tenon as tn

DTYPES = ["bool", "u1", "i1", "i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("name", DTYPES)
def test_from_numpy_and_numpy_share_memory(name):
    a = np.zeros((2, 3), dtype=name)
    x = tn.from_numpy(a)
    a[1, 2] = 1
    assert x.data_ptr() == a.ctypes.data
    assert x.tolist() == a.tolist()
    b = x.numpy()
    assert (b.dtype, b.shape, b.ctypes.data) == (a.dtype, a.shape, a.ctypes.data)
    b[0, 0] = 1
    assert a[0, 0] == 1


def test_strides_are_kept():
    a = np.arange(24.0).reshape(2, 3, 4)
    for view in (a.transpose(2, 0, 1), a[:, 1:, ::2], a[0, 0, 0], a[:0]):
        x = tn.from_numpy(np.asarray(view))
        assert x.tolist() == view.tolist()
        back = x.numpy()
        assert back.tolist() == view.tolist()
        assert back.shape == view.shape


def test_each_side_keeps_the_memory_alive(no_leak):
    a = np.arange(3.0)
    alive = weakref.ref(a)
    x = tn.from_numpy(a)
    del a
    assert x.tolist() == [0.0, 1.0, 2.0]
    b = x.numpy()
    del x
    gc.collect()
    assert alive() is not None
    assert b.tolist() == [0.0, 1.0, 2.0]
    del b
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: np.arange(3.0)[::-1], ValueError, "negative stride"),
        (lambda: np.zeros(3, dtype="M8[s]"), (TypeError, ValueError), None),
        (lambda: np.zeros(3, dtype=">f4"), TypeError, "native byte order"),
        (lambda: np.zeros(3, dtype="S4"), TypeError, "no dtype"),
        (lambda: np.broadcast_to(np.float64(1), (3,)), ValueError, "read-only"),
        (lambda: np.zeros(2, dtype="i1,f4")["f1"], ValueError, "no multiple"),
        (lambda: [1.0], TypeError, "numpy.ndarray"),
    ],
)
def test_from_numpy_refuses(make, error, words):
    with pytest.raises(error, match=words):
        tn.from_numpy(make())


def test_asarray_shares_and_converts():
    x = tn.tensor([[1.0, 2.0]])
    assert np.asarray(x).ctypes.data == x.data_ptr()
    assert np.asarray(x, dtype=np.float64).dtype == np.float64
    assert np.array(x).ctypes.data != x.data_ptr()
    assert np.sin(x).tolist() == np.sin([[np.float32(1), np.float32(2)]]).tolist()


def test_numpy_lacks_bfloat16():
    with pytest.raises(TypeError, match="bf16"):
        tn.tensor([1.0], dtype=tn.bf16).numpy()


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("name", ["u1", "i2", "i8", "f2", "f4", "f8", "c8"])
def test_dlpack_round_trip(name, legacy, no_leak):
    a = np.arange(6).reshape(2, 3).astype(name).T
    x = tn.from_numpy(a)
    capsule = x.__dlpack__() if legacy else x.__dlpack__(max_version=(1, 0))
    y = tn.from_dlpack(capsule)
    assert y.data_ptr() == a.ctypes.data
    assert y.tolist() == a.tolist()
    with pytest.raises(ValueError, match="consumed before"):
        tn.from_dlpack(capsule)


def test_dlpack_with_numpy():
    a = np.arange(6.0).reshape(2, 3)
    x = tn.from_dlpack(a)
    assert x.data_ptr() == a.ctypes.data
    b = np.from_dlpack(x)
    assert b.ctypes.data == a.ctypes.data
    assert b.tolist() == a.tolist()
    assert x.__dlpack_device__() == a.__dlpack_device__()


def test_unconsumed_capsules_free_their_tensors(no_leak):
    x = tn.tensor([1.0, 2.0])
    x.__dlpack__()
    x.__dlpack__(max_version=(1, 0))
    x.__dlpack__(max_version=(1, 0), copy=True)


def test_dlpack_copies_on_demand():
    x = tn.tensor([1.0, 2.0])
    y = tn.from_dlpack(x.__dlpack__(copy=True))
    assert y.data_ptr() != x.data_ptr()
    assert y.tolist() == x.tolist()


def test_dlpack_refuses():
    a = np.arange(3.0)
    a.flags.writeable = False
    with pytest.raises(BufferError):
        tn.from_dlpack(a)
    with pytest.raises(TypeError, match="__dlpack__"):
        tn.from_dlpack([1.0])
    with pytest.raises(BufferError, match="device"):
        tn.tensor([1.0]).__dlpack__(dl_device=(2, 0))
    with pytest.raises(TypeError, match="max_version"):
        tn.tensor([1.0]).__dlpack__(max_version=1)


def test_memoryview_sees_the_memory():
    x = tn.tensor([[1, 2], [3, 4]], dtype=tn.i32)
    view = memoryview(x)
    assert (view.format, view.shape, view.tolist()) == ("i", (2, 2), [[1, 2], [3, 4]])
