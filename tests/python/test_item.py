"""Elements as Python numbers, and the properties of a tensor."""

import pytest
import tenon as tn


def test_item_has_the_kind_of_the_dtype():
    for value in (True, 3, 2.5, 1 + 2j):
        item = tn.tensor([value]).item()
        assert item == value
        assert type(item) is type(value)


def test_numbers_of_python():
    x = tn.tensor(3)
    assert (int(x), float(x), complex(x), bool(x)) == (3, 3.0, 3 + 0j, True)
    assert [10, 20, 30, 40][x] == 40
    assert f"{tn.tensor(1.5):.2f}" == "1.50"
    assert not tn.tensor([0.0])


def test_more_than_one_element_is_no_number():
    x = tn.tensor([1, 2])
    with pytest.raises(RuntimeError, match="2 elements is ambiguous"):
        bool(x)
    with pytest.raises((ValueError, RuntimeError)):
        x.item()
    with pytest.raises(TypeError):
        [1, 2][x]
    with pytest.raises(TypeError):
        [1, 2][tn.tensor(1.0)]


def test_zero_dimensions_have_no_length():
    x = tn.tensor(1.0)
    with pytest.raises(TypeError, match="0 dimensions"):
        len(x)
    with pytest.raises(TypeError, match="0 dimensions"):
        iter(x)


def test_properties():
    x = tn.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert x.shape == x.size() == (2, 3)
    assert (x.size(0), x.size(-1), x.stride(0)) == (2, 3, 3)
    assert (x.stride(), x.numel(), x.ndim, x.dim(), len(x)) == ((3, 1), 6, 2, 2, 2)
    assert (x.element_size(), x.itemsize, x.nbytes, x.storage_offset()) == (4, 4, 24, 0)
    assert x.dtype is tn.float32 is tn.f32 is tn.float
    assert x.is_contiguous() and not x.is_contiguous(memory_format=tn.channels_last)
    assert x.layout is tn.strided
    assert x.is_floating_point() and not x.is_complex() and x.is_signed()
    assert x.describe().startswith("f32[2,3]@cpu")
    with pytest.raises(IndexError, match="dim 2 is out of range"):
        x.size(2)
    with pytest.raises(TypeError, match="dim must be an int"):
        x.stride("0")


def test_devices_compare_by_value():
    cpu = tn.device("cpu")
    assert tn.tensor([1.0]).device == cpu
    assert hash(cpu) == hash(tn.device("cpu", 0))
    assert (str(cpu), repr(cpu), cpu.type, cpu.index) == ("cpu", "device(type='cpu')", "cpu", None)
    assert cpu != "cpu"
    with pytest.raises(RuntimeError):
        tn.device("no_such_device")


def test_dtypes_know_themselves():
    assert repr(tn.f32) == "tenon.float32"
    assert (tn.f64.itemsize, tn.f64.is_floating_point, tn.c64.is_complex) == (8, True, True)
    assert tn.i8.is_signed and not tn.u8.is_signed


def test_constants_survive_pickling():
    import pickle

    for constant in (tn.float32, tn.bool, tn.channels_last, tn.device("cpu")):
        assert pickle.loads(pickle.dumps(constant)) == constant


def test_tensors_are_keys_by_identity():
    x, y = tn.tensor([1.0]), tn.tensor([1.0])
    assert {x: 1, y: 2}[x] == 1


def test_weak_references_end(no_leak):
    import weakref

    x = tn.tensor([1.0])
    reference = weakref.ref(x)
    assert reference() is x
    del x
    assert reference() is None


def test_tensor_cannot_be_called():
    with pytest.raises(TypeError, match=r"tenon\.tensor\(data\)"):
        tn.Tensor([1.0])
