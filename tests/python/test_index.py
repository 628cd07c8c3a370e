"""Indexing against NumPy."""

import numpy as np
import pytest
import tenon as tn

KEYS = [
    0,
    -1,
    (0, 1),
    (-1, -2, 3),
    slice(None),
    slice(1, None),
    slice(0, -1, 2),
    slice(5, 1),
    slice(-100, 100),
    (slice(None), 1),
    (slice(None), slice(1, 3), slice(0, 4, 3)),
    ...,
    (..., 0),
    (0, ...),
    (0, ..., 1),
    None,
    (None, 0, None),
    (slice(1), None, ..., None),
    np.int64(1),
    (),
]


@pytest.fixture
def a():
    return np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize("key", KEYS)
def test_basic_indices_are_views(a, key):
    x = tn.tensor(a)
    y = x[key]
    expected = a[key]
    assert y.shape == expected.shape
    assert y.tolist() == expected.tolist()
    assert y is not x
    assert y._base.data_ptr() == x.data_ptr()


@pytest.mark.parametrize("key", KEYS)
def test_assignment_writes_what_indexing_reads(a, key):
    x = tn.tensor(a)
    x[key] = -1
    a[key] = -1
    assert x.tolist() == a.tolist()


def test_assignment_broadcasts_and_converts(a):
    x = tn.tensor(a)
    x[:, 1] = tn.tensor([1, 2, 3, 4])
    x[0, 0] = [5, 6, 7, 8]
    x[1, 2] = tn.tensor([[[9.0] * 4]])
    a[:, 1] = [1, 2, 3, 4]
    a[0, 0] = [5, 6, 7, 8]
    a[1, 2] = 9
    assert x.tolist() == a.tolist()


def test_augmented_assignment_writes_in_place(a):
    x = tn.tensor(a)
    place = x.data_ptr()
    x[0] += 1
    x[:, 1:, ::2] *= 3
    a[0] += 1
    a[:, 1:, ::2] *= 3
    assert x.tolist() == a.tolist()
    assert x.data_ptr() == place


def test_rows_are_iterated(a):
    x = tn.tensor(a)
    assert [row.tolist() for row in x] == a.tolist()
    _, second = x
    assert second.tolist() == a[1].tolist()


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (2, IndexError, None),
        (-3, IndexError, None),
        ((0, 3), IndexError, None),
        ((0, 0, 0, 0), IndexError, "too many indices: 4 for a tensor of 3"),
        ((..., ...), IndexError, "one Ellipsis"),
        (slice(None, None, -1), ValueError, "greater than 0"),
        (2**70, IndexError, "64 bits"),
        ("text", IndexError, "not str"),
        (1.5, IndexError, "not float"),
        ({}, IndexError, "not dict"),
    ],
)
def test_wrong_indices(a, key, error, words):
    x = tn.tensor(a)
    with pytest.raises(error, match=words):
        x[key]
    with pytest.raises(error, match=words):
        x[key] = 0
    assert x.tolist() == a.tolist()


def test_number_without_dimensions_has_no_elements():
    with pytest.raises(IndexError):
        tn.tensor(1.0)[0]
    with pytest.raises(TypeError, match="cannot be deleted"):
        del tn.tensor([1.0])[0]


PICKS = [
    [0, 2, 1],
    ([0, 1], [2, 0]),
    (slice(None), [2, 0]),
    (0, [2, 0]),
    np.array([1, 0]),
    np.array([True, False]),
    (..., np.array([3, 1])),
    True,
    False,
]


@pytest.mark.parametrize("key", PICKS)
def test_picking_with_lists_arrays_and_bools(a, key):
    x = tn.tensor(a[:, :, :] if not isinstance(key, list) else a.transpose(1, 0, 2))
    a = np.array(x)
    try:
        y = x[key]
    except NotImplementedError as error:
        assert "index" in str(error)
        return
    assert y.tolist() == a[key].tolist()
    x[key] = tn.tensor(-1.0)
    a[key] = -1
    assert x.tolist() == a.tolist()
