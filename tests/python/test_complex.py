"""Parts of complex tensors."""

from __future__ import annotations

import pytest
import tenon as tn


def test_parts_are_views() -> None:
    z = tn.tensor([1 + 2j, 3 - 1j])
    assert z.real.tolist() == [1, 3] and z.imag.tolist() == [2, -1]
    assert (z.real.dtype, z.imag.stride()) == (tn.f32, (2,))
    z.imag.fill_(5)
    assert z.tolist() == [1 + 5j, 3 + 5j]
    assert tn.view_as_complex(tn.view_as_real(z)).data_ptr() == z.data_ptr()


def test_a_real_tensor_is_its_own_real_part_and_conjugate() -> None:
    x = tn.ones(2)
    assert x.real is x and x.conj() is x
    with pytest.raises(TypeError, match="no imaginary part"):
        x.imag  # noqa: B018


def test_conjugates_are_new_tensors() -> None:
    z = tn.tensor([1 + 2j])
    w = z.conj()
    z.zero_()
    assert w.tolist() == [1 - 2j]


def test_views_of_pairs_need_pairs() -> None:
    with pytest.raises(ValueError, match="stride"):
        tn.view_as_complex(tn.ones(2, 3).t()[..., :2])
    with pytest.raises(ValueError, match="offset"):
        tn.view_as_complex(tn.ones(3)[1:])
    with pytest.raises(TypeError, match="complex"):
        tn.view_as_real(tn.ones(2))
