"""`tenon explain`: how a call would travel, and what is said of a wrong one."""

from __future__ import annotations

import json

import pytest


def explained(run, *arguments, status=0, **options):
    result = run("explain", *arguments, "--json", **options)
    assert result.returncode == status, result.stdout + result.stderr
    return json.loads(result.stdout)


def outputs(story):
    return [(o["dtype"], o["sizes"], o["strides"], o["device"]) for o in story["outputs"]]


def test_a_broadcast_with_promotion(run):
    story = explained(run, "add", "--args", "f32[2,3]@cpu i64[3]@cpu alpha=2")
    assert story["schema"].startswith("add.Tensor(")
    assert story["call"] == "add.Tensor(f32[2,3]@cpu, i64[3]@cpu, 2)"
    assert (story["device"], story["kernel"], story["compute_dtype"]) == ("cpu", "cpu", "f32")
    assert story["conversions"] == ["other: i64 to f32, block by block"]
    assert outputs(story) == [("f32", [2, 3], [3, 1], "cpu")]
    assert (story["layers"], story["fails"]) == ([], False)


@pytest.mark.parametrize(
    ("op", "args", "compute", "expected"),
    [
        ("sum", "i32[4]", "i64", [("i64", [], [], "cpu")]),
        (
            "sum.dim_IntList",
            "bf16[8,128], [1], keepdim=true",
            "bf16",
            [("bf16", [8, 1], [1, 1], "cpu")],
        ),
        ("mean.dim", "f32[2,3,4] [0,2] dtype=f64", "f64", [("f64", [3], [1], "cpu")]),
        ("argmax", "f32[3,4] 1", "f32", [("i64", [3], [1], "cpu")]),
        ("sin", "i64[2]", "f32", [("f32", [2], [1], "cpu")]),
        ("eq.Tensor", "i32[2] f64[]", "f64", [("bool", [2], [1], "cpu")]),
        ("where", "bool[2,1] f16[3] f32[]", "f16", [("f16", [2, 3], [3, 1], "cpu")]),
        ("mul", "f32[2] 3", "f32", [("f32", [2], [1], "cpu")]),
        ("add_", "f32[2,3] f64[3]", None, [("f32", [2, 3], [3, 1], "cpu")]),
    ],
)
def test_dtypes_of_computation_and_result(run, op, args, compute, expected):
    story = explained(run, op, "--args", args)
    assert outputs(story) == expected
    if compute:
        assert story["compute_dtype"] == compute


def test_a_view_keeps_its_strides_and_needs_no_device(run):
    story = explained(run, "transpose.int", "--args", "f32[2,3] 0 1")
    assert outputs(story) == [("f32", [3, 2], [1, 3], "cpu")]
    [provider] = story["providers"]
    assert (provider["device"], provider["chosen"]) == ("any", True)


def test_lists_of_tensors(run):
    story = explained(run, "cat", "--args", "[f32[2,3], f32[4,3]] dim=0")
    assert outputs(story) == [("f32", [6, 3], [3, 1], "cpu")]
    story = explained(run, "split.Tensor", "--args", "f32[5] 2")
    assert [o["sizes"] for o in story["outputs"][0]] == [[2], [2], [1]]


def test_providers_are_tried_in_the_configured_order(run, tmp_path):
    names = {p["name"] for p in json.loads(run("plugins", "--json").stdout)}
    if "onednn" not in names:
        pytest.skip("this build has no oneDNN")
    (tmp_path / "tenon.toml").write_text('[providers]\ncpu = ["onednn", "cpu"]\n')
    story = explained(run, "mm", "--args", "f32[64,64] f32[64,64]")
    assert [(p["provider"], p["chosen"]) for p in story["providers"]] == [
        ("onednn", True),
        ("cpu", False),
    ]
    assert story["providers"][1]["reason"] == "comes later"
    story = explained(run, "mm", "--args", "f64[64,64] f64[64,64]")
    assert story["kernel"] == "cpu"
    assert story["providers"][0]["reason"]


def test_gradients_add_a_layer(run):
    story = explained(run, "mm", "--args", "f32[2,3] f32[3,4]", "--grad")
    assert story["layers"] == ["autograd"]
    assert (
        "autograd -> device" in run("explain", "mm", "--args", "f32[2,3] f32[3,4]", "--grad").stdout
    )


def test_gradients_of_what_is_composed(run):
    story = explained(run, "mse_loss", "--args", "f32[2] f32[2]", "--grad")
    assert story["layers"] == ["autograd"]
    assert not story["fails"]


def test_autocast_without_a_plugin_for_it(run):
    layers = [p["layers"] for p in json.loads(run("plugins", "--json").stdout)]
    if any("autocast" in names for names in layers):
        story = explained(run, "mm", "--args", "f32[2,3] f32[3,4]", "--autocast")
        assert story["layers"] == ["autocast"]
        return
    result = run("explain", "mm", "--args", "f32[2,3] f32[3,4]", "--autocast")
    assert (result.returncode, result.stdout) == (1, "")
    assert "no layer named autocast is registered" in result.stderr


def test_tensors_larger_than_memory(run):
    # Together less than the terabyte of addresses that the thread sanitizer leaves a program.
    story = explained(run, "mm", "--args", "f32[350000,350000] f32[350000,350000]")
    assert outputs(story)[0][1] == [350_000, 350_000]


def test_on_a_device_without_data(run):
    story = explained(run, "mm", "--args", "f32[2,3]@meta f32[3,4]@meta")
    assert "no data" in story["outcome"]
    assert outputs(story) == [("f32", [2, 4], [4, 1], "meta")]


def test_factories(run):
    story = explained(run, "zeros", "--args", "[2,3] dtype=i64 device=cpu")
    assert outputs(story) == [("i64", [2, 3], [3, 1], "cpu")]
    story = explained(run, "empty", "--args", "[1,4,2,2] memory_format=channels_last")
    assert outputs(story) == [("f32", [1, 4, 2, 2], [16, 1, 8, 4], "cpu")]
    story = explained(run, "zeros", "--args", "[2] device=meta")
    assert outputs(story)[0][3] == "meta"


def test_results_that_depend_on_values(run):
    story = explained(run, "item", "--args", "f32[1]")
    assert story["outputs"] is None
    assert story["outputs_unknown"]
    assert "outputs unknown: " in " ".join(
        run("explain", "item", "--args", "f32[1]").stdout.split()
    )


@pytest.mark.parametrize(
    ("op", "args", "message"),
    [
        ("add", "f32[2] f32[3]", "do not broadcast"),
        ("mm", "f32[2,3] f32[4,5]", ""),
        ("mm", "f32[2] f32[3,4]", ""),
        ("sum.dim_IntList", "f32[2] [3]", "outside"),
        ("cat", "[f32[2,3], f32[2,4]] 0", ""),
        ("view", "f32[2,3] [5]", ""),
        ("add", "f32[2]@cpu f32[2]@meta", "all tensors must be on one device"),
        ("conv2d", "f32[1,3,8,8] f32[4,5,3,3]", ""),
    ],
)
def test_a_call_that_would_fail(run, op, args, message):
    story = explained(run, op, "--args", args, status=1)
    assert story["fails"]
    assert story["outcome"].startswith("an error: ")
    assert message in story["outcome"]
    assert (story["kernel"], story["outputs"]) == ("", None)
    text = run("explain", op, "--args", args)
    assert (text.returncode, text.stderr) == (1, "")
    assert "an error: " in text.stdout


def test_an_operator_that_the_device_lacks(run, plugin):
    folder = plugin("acme", '[[device]]\nname = "acme"\n')
    result = run("explain", "add", "--args", "f32[2]@acme f32[2]@acme", path=folder)
    assert (result.returncode, result.stdout) == (1, "")
    assert "acme" in result.stderr


@pytest.mark.parametrize(
    ("op", "args", "message"),
    [
        ("no_such_operator", "", "no_such_operator"),
        ("add", "", "argument 'self' is missing"),
        ("add", "f32[2]", "argument 'other' is missing"),
        ("add", "f32[2] f32[2] f32[2]", "at most 2 positional"),
        ("add", "f32[2] f32[2] beta=2", "has no argument 'beta'"),
        ("add", "f32[2] self=f32[2]", "argument 'self' is given twice"),
        ("add", "f32[2] alpha=1 f32[2]", "by position stands behind one by name"),
        ("add", "f32[2] mean", "argument 'other' cannot be mean"),
        ("add", "f32[2] [1,2]", ""),
        ("add", "q7[2] f32[2]", "there is no dtype q7"),
        ("add", "f32[2,x] f32[2]", "a tensor's size must be a number"),
        ("add", "f32[-1] f32[2]", "a tensor's size must be a number"),
        ("add", "f32[2 f32[2]", "a tensor's size must be a number"),
        ("add", "f32[2]@ f32[2]", "name of a device is missing"),
        ("add", "f32[2]@warp f32[2]", "warp"),
        ("add", "f32[2] f32[9999999999999,9999999999999]", "64 bits"),
        ("add", "f32[99999999999999] f32[2]", "no address range"),
        ("add", "f32[99999999999999999999] f32[2]", "a tensor's size must be a number"),
        ("add", "f32[2] 99999999999999999999", "too large"),
        ("add", "f32[2] 12abc", "no number"),
        ("add", "f32[2] 'x", "a string has no end"),
        ("add", "f32[2] [1", "a list has no end"),
        ("add", "f32[2] ;", "this cannot be read"),
        ("add", "f32[2] alpha=", "a value is missing"),
        ("cat", "[f32[2], 3]", "different kinds"),
        ("cat", "[[[[[[[[[[1]]]]]]]]]]", "nested too deeply"),
        ("sum", "f32[2] dtype=f99", "which is no dtype"),
        ("zeros", "[2] device=warp", "warp"),
        ("add", "f32[" + ",".join("1" * 65) + "] 1", "too many dimensions"),
    ],
)
def test_arguments_that_do_not_fit(run, op, args, message):
    result = run("explain", op, "--args", args)
    assert (result.returncode, result.stdout) == (1, "")
    assert message in result.stderr
    assert result.stderr.startswith("tenon: ")


def test_every_overload_says_why_it_does_not_fit(run):
    result = run("explain", "sum", "--args", "3 4 5 6")
    assert result.returncode == 1
    assert result.stderr.count("\n  sum") >= 2


def test_numbers_and_words_of_every_kind(run):
    for args in (
        "f32[2] 1",
        "f32[2] -1.5e3",
        "c64[2] 1+2j",
        "c64[2] -2j",
        "f32[2] true",
        "f32[] 0",
    ):
        assert not explained(run, "mul", "--args", args)["fails"], args
    assert not explained(run, "gelu", "--args", "f32[2] approximate=tanh")["fails"]
    assert not explained(run, "gelu", "--args", "f32[2], approximate='tanh'")["fails"]
    assert not explained(run, "clamp", "--args", "f32[2] none 3")["fails"]
    assert not explained(run, "contiguous", "--args", "f32[1,2,3,4] memory_format=channels_last")[
        "fails"
    ]


def test_every_operator_with_senseless_arguments_ends_well(run):
    """Whatever is asked, the answer is an explanation or an error, and never a signal."""
    names = [op["name"] for op in json.loads(run("ops", "--json").stdout)]
    for name in names[::7]:
        for args in ("f32[2,3]", "f32[2] f32[0]", "i64[] 3 [1,2]"):
            result = run("explain", name, "--args", args)
            assert result.returncode in (0, 1), (name, args, result.stderr)
            assert result.stdout or result.stderr
