"""Calling operators: arguments by schema, forms, Python's operators, wrong calls."""

import gc
import operator
import sys

import numpy as np
import pytest
import tenon as tn


@pytest.fixture
def x():
    return tn.tensor([1.0, 2.0, 3.0])


def test_function_method_and_operator_agree(x):
    y = tn.tensor([10.0, 20.0, 30.0])
    for sum_ in (tn.add(x, y), x.add(y), x + y, tn.ops.add(x, y), tn.ops.add.Tensor(x, y)):
        assert sum_.tolist() == [11.0, 22.0, 33.0]


def test_keywords_and_defaults(x):
    assert tn.add(x, x, alpha=2).tolist() == [3.0, 6.0, 9.0]
    assert tn.add(x, other=x).tolist() == [2.0, 4.0, 6.0]
    assert tn.add(self=x, other=x).tolist() == [2.0, 4.0, 6.0]
    assert tn.add(input=x, other=x).tolist() == [2.0, 4.0, 6.0]


def test_numbers_stand_for_tensors(x):
    assert (x + 1).tolist() == [2.0, 3.0, 4.0]
    assert (1 + x).tolist() == [2.0, 3.0, 4.0]
    assert (2 - x).tolist() == [1.0, 0.0, -1.0]
    assert (x * np.float32(2)).tolist() == [2.0, 4.0, 6.0]
    assert (np.float64(2) * x).tolist() == [2.0, 4.0, 6.0]
    assert (np.float64(2) * x).dtype is tn.float32
    assert (x * True).tolist() == [1.0, 2.0, 3.0]


def test_out_is_written_and_returned(x):
    z = tn.tensor([0.0, 0.0, 0.0])
    assert tn.add(x, x, out=z) is z
    assert z.tolist() == [2.0, 4.0, 6.0]
    with pytest.raises(TypeError, match="out must be a Tensor"):
        tn.add(x, x, out=3)


def test_in_place_returns_the_object_itself(x):
    y = x
    x += 1
    assert x is y
    assert x.mul_(2) is y
    assert tn.sub_(x, 1) is y
    assert y.tolist() == [3.0, 5.0, 7.0]
    assert y._version >= 3


def test_foreign_operands_get_their_turn(x):
    class Other:
        def __radd__(self, left):
            return "radd"

        def __eq__(self, other):
            return "eq"

    assert x + Other() == "radd"
    assert (x == Other()) == "eq"
    assert (x == None) is False  # noqa: E711
    for function in (operator.add, operator.mul, operator.sub):
        with pytest.raises(TypeError, match="unsupported operand"):
            function(x, object())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: tn.add(x), "argument 'other' is missing"),
        (lambda x: tn.add(x, "1"), "argument 'other' cannot be str"),
        (lambda x: tn.add(x, x, x), "takes at most 2 positional"),
        (lambda x: tn.add(x, x, beta=1), "has no argument 'beta'"),
        (lambda x: tn.add(x, x, other=x), "argument 'other' is given twice"),
        (lambda x: tn.add(1, 2), "at least one argument must be a Tensor"),
        (lambda x: tn.add(x, None), "argument 'other' cannot be NoneType"),
        (lambda x: tn.add(x, [x]), "argument 'other' cannot be list of tenon.Tensor"),
        (lambda x: tn.add(x, x, alpha="2"), "argument 'alpha' cannot be str"),
    ],
)
def test_wrong_calls_name_candidates_and_arguments(x, call, words):
    with pytest.raises(TypeError, match=words) as caught:
        call(x)
    assert "add.Tensor(Tensor self, Tensor other" in str(caught.value)


def test_errors_of_the_core_keep_their_kind(x):
    with pytest.raises((ValueError, RuntimeError), match=r"\[3\]"):
        x + tn.tensor([1.0, 2.0])


def test_unknown_names_are_attribute_errors(x):
    for lookup in (
        lambda: tn.no_such_operator,
        lambda: x.no_such_operator,
        lambda: tn.ops.no_such_operator,
        lambda: tn.ops.add.NoSuchOverload,
    ):
        with pytest.raises(AttributeError, match=r"[Nn]o_?[Ss]uch"):
            lookup()
    assert not hasattr(x, "no_such_operator_")


def test_operators_describe_themselves():
    assert tn.add.__name__ == "add"
    assert "add.Tensor(Tensor self, Tensor other" in tn.add.__doc__
    assert any(schema.startswith("add.Tensor(") for schema in tn.add.schemas)
    assert "add" in dir(tn) and "add" in dir(tn.ops)


def test_operators_survive_pickling(x):
    import pickle

    assert pickle.loads(pickle.dumps(tn.add))(x, x).tolist() == [2.0, 4.0, 6.0]


def test_explain_and_doctor_say_something(x):
    assert "add" in tn.explain("add.Tensor", x, x)
    assert "cpu" in tn.doctor()
    assert isinstance(tn.doctor(json=True), dict)
    with pytest.raises(TypeError, match="cannot be called with"):
        tn.explain("add.Tensor", x, "1")


def test_subclasses_inherit_methods():
    class Named(tn.Tensor):
        pass

    x = tn.Tensor._make_subclass(Named, tn.tensor([1.0, 2.0]))
    x.name = "weights"
    assert x.add(x).tolist() == [2.0, 4.0]
    assert (x + x).tolist() == [2.0, 4.0]
    assert type(x + x) is tn.Tensor


def test_calls_leave_nothing_behind(x, no_leak):
    for _ in range(100):
        y = x + x
        y.add_(x)
        tn.add(x, 1, out=y)
        with pytest.raises(TypeError):
            tn.add(x, "1")


def test_import_loads_no_plugin_and_no_numpy(run_python):
    program = (
        "import sys, tenon; "
        "print('numpy' in sys.modules, [p['name'] for p in tenon._C.plugins() "
        "if p['state'] == 'loaded'])"
    )
    assert run_python(program).strip() == "False []"


def test_an_operator_gives_back_what_it_holds():
    gc.collect()
    keyword = sys.intern("exponent")
    before = sys.getrefcount(keyword), len(tuple.__subclasses__())
    for _ in range(100):
        tn._C.operator("pow")
        tn._C.operator("nll_loss_forward")(tn.ones([2, 3]), tn.tensor([0, 1]), None, 1, -100)
    gc.collect()
    assert (sys.getrefcount(keyword), len(tuple.__subclasses__())) == before


def test_threads_may_call_at_once(x):
    from concurrent.futures import ThreadPoolExecutor

    big = tn.tensor(np.ones(1 << 17, dtype=np.float32))

    def work(i):
        return (big + i)[0].item(), (x + i).tolist()

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(work, range(64)))
    assert results == [(1.0 + i, [1.0 + i, 2.0 + i, 3.0 + i]) for i in range(64)]
