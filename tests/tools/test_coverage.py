"""`tenon ops` about a device: who serves each operator, which are missing, how many."""

from __future__ import annotations

import json

import pytest


def answer(run, *arguments, **options):
    result = run("ops", *arguments, "--json", **options)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_who_serves_an_operator(run, tmp_path):
    (tmp_path / "tenon.toml").write_text('[providers]\ncpu = ["cpu", "onednn"]\n')
    rows = {row["name"]: row for row in answer(run, "--device", "cpu")}
    assert rows["add.Tensor"]["providers"] == ["cpu"]
    assert rows["mm"]["providers"][0] == "cpu"
    assert rows["view"]["providers"] == ["ops"]
    assert (rows["linear"]["providers"], rows["linear"]["decomposition"]) == ([], True)
    assert not any(row["missing"] for row in rows.values())
    assert len(rows) == len(answer(run))


def test_the_order_of_providers_is_the_configured_one(run, tmp_path):
    (tmp_path / "tenon.toml").write_text('[providers]\ncpu = ["onednn", "cpu"]\n')
    [row] = answer(run, "mm", "--device", "cpu")
    if len(row["providers"]) == 1:
        pytest.skip("this build has no oneDNN")
    assert row["providers"] == ["onednn", "cpu"]


def test_nothing_is_missing_on_the_host(run):
    """Every operator that is declared has a kernel or a decomposition on cpu."""
    assert answer(run, "--device", "cpu", "--missing") == []
    assert run("ops", "--device", "cpu", "--missing").stdout == "No operator is missing on cpu.\n"


def test_meta_serves_by_inference(run):
    rows = {row["name"]: row for row in answer(run, "--device", "meta")}
    assert rows["mm"]["inference"]
    assert not rows["mm"]["missing"]
    missing = [row["name"] for row in answer(run, "--device", "meta", "--missing")]
    assert missing == [name for name, row in rows.items() if row["missing"]]


def test_counts_add_up(run):
    total = len(answer(run))
    for row in answer(run, "--coverage"):
        served = sum(provider["first"] for provider in row["providers"])
        others = row["decomposition"] + row["inference"] + row["missing"]
        assert served + others == row["operators"] == total
        assert all(p["first"] <= p["operators"] for p in row["providers"])
    devices = [row["device"] for row in answer(run, "--coverage")]
    assert {"cpu", "meta"} <= set(devices)
    [only] = answer(run, "--coverage", "--device", "meta")
    assert only["device"] == "meta"


def test_text_is_a_table(run):
    lines = run("ops", "--coverage").stdout.splitlines()
    assert lines[0].split() == ["DEVICE", "SERVED", "BY", "OPERATORS", "FIRST"]
    assert run("ops", "--device", "cpu", "mm").stdout.splitlines()[0].split() == [
        "OPERATOR",
        "SERVED",
        "BY",
    ]


@pytest.mark.parametrize("option", [[], ["--missing"], ["--coverage"]])
def test_an_unknown_device_is_an_error(run, option):
    result = run("ops", "--device", "warp", *option)
    assert (result.returncode, result.stdout) == (1, "")
    assert "warp" in result.stderr


def test_a_device_whose_plugin_does_not_register_it(run, plugin):
    folder = plugin("void", '[[device]]\nname = "void"\n')
    result = run("ops", "--device", "void", path=folder)
    assert (result.returncode, result.stdout) == (1, "")
    assert "void" in result.stderr
    # The others are counted all the same.
    devices = [row["device"] for row in answer(run, "--coverage", path=folder)]
    assert "cpu" in devices
    assert "void" not in devices
