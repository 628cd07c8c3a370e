"""What Python can ask about the runtime, beside the `tenon` command."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import tenon as tn


def test_plugins_say_what_they_provide():
    plugins = {plugin["name"]: plugin for plugin in tn.plugins()}
    assert plugins["cpu"]["devices"] == ["cpu"]
    assert plugins["ops"]["declares"] == ["*"]
    assert plugins["safetensors"]["interfaces"] == ["tenon.safetensors/1"]
    assert plugins["null"]["layers"] == []


def test_operators_have_schema_and_doc():
    operators = {row["name"]: row for row in tn.operators()}
    assert operators["add.Tensor"]["schema"].startswith("add.Tensor(Tensor self")
    assert operators["add.Tensor"]["doc"]
    assert list(operators) == sorted(operators)
    assert "providers" not in operators["add.Tensor"]


def test_operators_of_a_device():
    on_cpu = {row["name"]: row for row in tn.operators("cpu")}
    assert "cpu" in on_cpu["add.Tensor"]["providers"]
    assert on_cpu["linear"]["decomposition"]
    assert tn.operators("cpu", missing=True) == []
    on_meta = {row["name"]: row for row in tn.operators(tn.device("meta"))}
    assert on_meta["mm"]["inference"]
    missing = [row["name"] for row in tn.operators("meta", missing=True)]
    assert missing == [name for name, row in on_meta.items() if row["missing"]]


def test_operators_of_no_device():
    with pytest.raises(TypeError, match="needs a device"):
        tn.operators(missing=True)
    with pytest.raises(RuntimeError, match="warp"):
        tn.operators("warp")


def test_keys_of_the_configuration():
    keys = {key.key: key for key in tn.config.keys()}  # noqa: SIM118
    assert (keys["threads"].type, keys["threads"].default) == ("int", "0")
    assert keys["fallback"].choices == ["error", "warn", "host"]
    assert keys["threads"].fixed_at_init
    assert "TENON_THREADS" in keys["threads"].variable
    assert keys["log"].help in repr(keys["log"])


def test_explain_infers_the_outputs(no_leak):
    story = tn.explain("mm", tn.ones(2, 3), tn.ones(3, 4), json=True)
    assert story["outputs"] == [
        {"dtype": "f32", "sizes": [2, 4], "strides": [4, 1], "device": "cpu"}
    ]
    assert not story["fails"]
    assert "outputs   f32[2,4]@cpu" in tn.explain("mm", tn.ones(2, 3), tn.ones(3, 4))
    assert tn.explain("zeros", [2], device="cpu", json=True)["outputs"][0]["device"] == "cpu"


def test_explain_of_a_call_that_would_fail(no_leak):
    story = tn.explain("add", tn.ones(2), tn.ones(3), json=True)
    assert story["fails"]
    assert story["kernel"] == ""
    assert "do not broadcast" in story["outcome"]
    with pytest.raises(ValueError, match="do not broadcast"):
        tn.ones(2) + tn.ones(3)


def test_explain_of_results_that_depend_on_values():
    story = tn.explain("item", tn.ones(1), json=True)
    assert story["outputs"] is None
    assert story["outputs_unknown"]


def test_explain_and_the_command_agree():
    """One call, asked from both sides."""
    mine = tn.explain("add", tn.ones(2, 3), tn.ones(3, dtype=tn.i64), alpha=2, json=True)
    arguments = ["explain", "add", "--args", "f32[2,3]@cpu i64[3]@cpu alpha=2", "--json"]
    result = subprocess.run(
        [sys.executable, "-m", "tenon", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    assert json.loads(result.stdout) == mine


def test_python_m_tenon_is_the_command():
    result = subprocess.run(
        [sys.executable, "-m", "tenon", "--version"], capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (0, f"tenon {tn.__version__}\n")
    result = subprocess.run([sys.executable, "-m", "tenon", "nonsense"], capture_output=True)
    assert result.returncode == 2
