"""repr() in PyTorch's layout: the expected texts are what PyTorch 2 prints for the same data."""

import pytest
import tenon as tn

CASES = [
    (lambda: tn.tensor(1.0), "tensor(1.)"),
    (lambda: tn.tensor(True), "tensor(True)"),
    (lambda: tn.tensor([]), "tensor([])"),
    (lambda: tn.tensor([[], []]), "tensor([], size=(2, 0))"),
    (lambda: tn.tensor([], dtype=tn.int64), "tensor([], dtype=tenon.int64)"),
    (lambda: tn.tensor([[1.0, 2.0]]), "tensor([[1., 2.]])"),
    (lambda: tn.tensor([1.5, -2.25]), "tensor([ 1.5000, -2.2500])"),
    (lambda: tn.tensor([True, False]), "tensor([ True, False])"),
    (lambda: tn.tensor([1, -20, 300]), "tensor([  1, -20, 300])"),
    (lambda: tn.tensor([1e-5, 1.0]), "tensor([1.0000e-05, 1.0000e+00])"),
    (lambda: tn.tensor([1e9, 1.0]), "tensor([1.0000e+09, 1.0000e+00])"),
    (lambda: tn.tensor([float("nan"), float("inf"), 1.0]), "tensor([nan, inf, 1.])"),
    (lambda: tn.tensor([1 + 2j, -1.5 - 1j]), "tensor([ 1.0000+2.j, -1.5000-1.j])"),
    (lambda: tn.tensor([1.0], dtype=tn.f64), "tensor([1.], dtype=tenon.float64)"),
    (lambda: tn.tensor([1], dtype=tn.i32), "tensor([1], dtype=tenon.int32)"),
    (lambda: tn.tensor([0.1], dtype=tn.bf16), "tensor([0.1001], dtype=tenon.bfloat16)"),
    (
        lambda: tn.tensor([[[1], [2]], [[3], [4]]]),
        "tensor([[[1],\n         [2]],\n\n        [[3],\n         [4]]])",
    ),
    (
        lambda: tn.tensor(list(range(2000))),
        "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])",
    ),
]


@pytest.mark.parametrize(("make", "text"), CASES)
def test_text(make, text):
    assert repr(make()) == str(make()) == text


def test_long_rows_wrap_at_the_line_width():
    lines = repr(tn.tensor(list(range(100)))).split("\n")
    assert max(map(len, lines)) <= 80
    assert all(line.startswith("        ") for line in lines[1:])


def test_large_tensors_show_their_corners():
    x = tn.tensor([[100 * i + j for j in range(40)] for i in range(40)])
    lines = repr(x).split("\n")
    assert lines[0] == "tensor([[   0,    1,    2,  ...,   37,   38,   39],"
    assert lines[3] == "        ...,"
    assert lines[-1] == "        [3900, 3901, 3902,  ..., 3937, 3938, 3939]])"


def test_options():
    tn.set_printoptions(precision=2, sci_mode=True)
    try:
        assert repr(tn.tensor([1.5])) == "tensor([1.50e+00])"
    finally:
        tn.set_printoptions(precision=4)
    assert repr(tn.tensor([1.5])) == "tensor([1.5000])"
