"""Gradients as Python sees them. That they are right is tested where derivatives are declared."""

import copy
import gc

import pytest
import tenon as tn

pytestmark = pytest.mark.usefixtures("autograd")


@pytest.fixture
def x():
    return tn.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_backward_fills_grad(x):
    y = x * x
    assert (x.is_leaf, y.is_leaf, x.grad_fn, y.grad_fn) == (True, False, None, "mul")
    y.backward(tn.tensor([1.0, 1.0, 1.0]))
    assert x.grad.tolist() == [2.0, 4.0, 6.0]
    assert x.grad is x.grad
    x.grad = None
    assert x.grad is None


def test_grad_set_is_the_grad_got(x):
    grad = tn.tensor([0.0, 0.0, 0.0])
    x.grad = grad
    assert x.grad is grad
    with pytest.raises(TypeError, match="grad must be a Tensor or None"):
        x.grad = 3
    with pytest.raises((ValueError, RuntimeError, TypeError)):
        x.grad = tn.tensor([0.0])


def test_grad_returns_a_tuple(x):
    y = x * x
    (dx,) = tn.grad(y, x, tn.tensor([1.0, 1.0, 1.0]))
    assert dx.tolist() == [2.0, 4.0, 6.0]
    assert x.grad is None


def test_second_derivative(x):
    (dx,) = tn.grad(x * x * x, x, tn.tensor([1.0, 1.0, 1.0]), create_graph=True)
    (ddx,) = tn.grad(dx, x, tn.tensor([1.0, 1.0, 1.0]))
    assert ddx.tolist() == [6.0, 12.0, 18.0]


def test_unused_inputs(x):
    other = tn.tensor([1.0], requires_grad=True)
    y = x * x
    seed = tn.tensor([1.0, 1.0, 1.0])
    with pytest.raises((RuntimeError, ValueError)):
        tn.grad(y, [x, other], seed, retain_graph=True)
    assert tn.grad(y, [x, other], seed, allow_unused=True)[1] is None


def test_modes(x):
    assert tn.is_grad_enabled()
    with tn.no_grad():
        assert not tn.is_grad_enabled()
        assert not (x * x).requires_grad
        with tn.enable_grad():
            assert (x * x).requires_grad
    with tn.inference_mode():
        y = x * x
        assert y.is_inference() and tn.is_inference_mode_enabled()
    assert tn.is_grad_enabled()


def test_modes_decorate(x):
    @tn.no_grad()
    def square(t):
        return t * t

    @tn.no_grad
    def cube(t):
        return t * t * t

    @tn.no_grad()
    def squares(t):
        yield (t * t).requires_grad
        yield tn.is_grad_enabled()

    assert not square(x).requires_grad
    assert not cube(x).requires_grad
    assert square.__name__ == "square"
    for answer in squares(x):
        assert answer is False
        assert tn.is_grad_enabled()


def test_set_grad_enabled(x):
    with tn.set_grad_enabled(False):
        assert not tn.is_grad_enabled()
    assert tn.is_grad_enabled()
    tn.set_grad_enabled(False)
    assert not tn.is_grad_enabled()
    tn.set_grad_enabled(True)


def test_hooks_see_and_replace_gradients(x):
    seen = []
    handle = x.register_hook(lambda grad: seen.append(grad.tolist()))
    other = x.register_hook(lambda grad: grad * 2)
    (x * 1).backward(tn.tensor([1.0, 1.0, 1.0]))
    assert seen == [[1.0, 1.0, 1.0]]
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    handle.remove()
    handle.remove()
    other.remove()
    (x * 1).backward(tn.tensor([1.0, 1.0, 1.0]))
    assert len(seen) == 1


def test_exceptions_of_hooks_come_through(x):
    def fail(grad):
        raise KeyError("mine")

    x.register_hook(fail)
    with pytest.raises(KeyError, match="mine"):
        (x * 1).backward(tn.tensor([1.0, 1.0, 1.0]))


def test_wrong_uses(x):
    with pytest.raises((RuntimeError, TypeError, ValueError)):
        tn.tensor([1], requires_grad=True)
    with pytest.raises((RuntimeError, ValueError)):
        (x * x).backward()
    with pytest.raises(TypeError, match="requires gradients"):
        x.numpy()
    with pytest.raises(BufferError, match="requires gradients"):
        x.__dlpack__()
    with pytest.raises(TypeError, match="must be a Tensor"):
        tn.grad(3, x)
    with pytest.raises(ValueError, match="1 entries"):
        tn.grad([x * 1, x * 2], x, [None])
    with pytest.raises(TypeError, match="takes a function"):
        x.register_hook(3)


def test_printing_tells(x):
    assert repr(x) == "tensor([1., 2., 3.], requires_grad=True)"
    assert repr(x * 2) == "tensor([2., 4., 6.], grad_fn=<mul>)"


def test_deepcopy_of_leaves(x):
    x.grad = tn.tensor([1.0, 1.0, 1.0])
    y = copy.deepcopy(x)
    assert y.requires_grad and y.data_ptr() != x.data_ptr()
    assert y.grad.tolist() == [1.0, 1.0, 1.0] and y.grad is not x.grad
    with pytest.raises(RuntimeError, match="only leaves"):
        copy.deepcopy(x * 2)


def test_graphs_are_freed(no_leak):
    x = tn.tensor([1.0], requires_grad=True)
    handle = x.register_hook(lambda grad: None)
    y = x
    for _ in range(10):
        y = y * 2
    y.backward()
    del x, y, handle
    gc.collect()


SGD = {"weight_decay": 0.0, "momentum": 0.0, "lr": 0.1, "dampening": 0.0, "nesterov": False}


def test_a_fused_step_writes_what_autograd_has_saved():
    x, p = tn.ones(2, requires_grad=True), tn.ones(2)
    y = x * p
    tn.ops._fused_sgd_([p], [tn.ones(2)], [], **SGD, maximize=False, is_first_step=True)
    with pytest.raises(RuntimeError, match="inplace"):
        y.sum().backward()


def test_a_fused_step_without_data_checks_its_lists():
    def step(grads: list[tn.Tensor]) -> None:
        p = [tn.empty(2, device="meta")]
        tn.ops._fused_sgd_(p, grads, [], **SGD, maximize=False, is_first_step=True)

    assert step([tn.empty(2, device="meta")]) is None
    with pytest.raises(ValueError, match="grads must hold one tensor for each"):
        step([])
    with pytest.raises(ValueError, match="sizes and dtype"):
        step([tn.empty(3, device="meta")])
