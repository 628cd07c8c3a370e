"""The `tenon` command: what it prints, in both formats, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SUBCOMMANDS = [
    "doctor",
    "plugins",
    "ops",
    "ops --device cpu",
    "ops --device cpu --missing",
    "ops --coverage",
    "config show",
    "config show --origin",
    "config keys",
    "config check",
    "explain add --args f32[2],f32[2]",
]


def test_version(run):
    result = run("--version")
    assert (result.returncode, result.stderr) == (0, "")
    name, version = result.stdout.split()
    assert name == "tenon"
    assert len(version.split(".")) == 3


def test_help_names_every_subcommand(run):
    result = run("--help")
    assert result.returncode == 0
    for name in ["doctor", "plugins", "ops", "config", "explain", "bench"]:
        assert f"\n  {name} " in result.stdout
    assert "Exit status" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    ["doctor", "plugins", "ops", "config", "config show", "config keys", "config check"],
)
def test_every_command_has_help(run, arguments):
    result = run(*arguments.split(), "--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert "--help" in result.stdout
    assert arguments == "config" or "--json" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such"],
        ["doctor", "--no-such"],
        ["plugins", "x"],
        ["ops", "a", "b"],
        ["ops", "--missing"],
        ["ops", "--device"],
        ["ops", "--device", "cpu", "--missing", "--coverage"],
        ["config"],
        ["config", "no-such"],
        ["config", "check", "a", "b"],
        ["explain"],
        ["explain", "add", "--args"],
    ],
)
def test_wrong_usage_is_status_2_and_goes_to_stderr(run, arguments):
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_text_fits_100_columns(run, name):
    result = run(*name.split())
    assert result.returncode == 0, result.stderr
    for line in result.stdout.splitlines():
        # A path or another long word cannot be broken.
        assert len(line) <= 100 or any(len(word) > 60 for word in line.split()), line
        assert line == line.rstrip()


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_json_is_valid_whatever_is_broken(run, broken, name):
    result = run(*name.split(), "--json", path=broken)
    assert result.returncode == (name == "doctor"), result.stderr
    json.loads(result.stdout)


def test_plugins_lists_what_each_provides(run):
    plugins = {plugin["name"]: plugin for plugin in json.loads(run("plugins", "--json").stdout)}
    assert "tenon.safetensors/1" in plugins["safetensors"]["interfaces"]
    assert plugins["meta"]["devices"] == ["meta"]
    assert plugins["null"]["state"] == "discovered"
    assert Path(plugins["null"]["library"]).is_file()

    text = run("plugins").stdout
    assert text.splitlines()[0].split() == ["NAME", "VERSION", "STATE", "PROVIDES"]
    assert "interfaces: tenon.safetensors/1" in text


def test_plugins_gives_the_reason_for_a_broken_manifest(run, broken):
    result = run("plugins", path=broken)
    assert result.returncode == 0
    [row] = [line for line in result.stdout.splitlines() if line.startswith("scrawl ")]
    assert "quarantined" in row
    assert any(line.startswith("scrawl: ") for line in result.stdout.splitlines())

    plugins = {p["name"]: p for p in json.loads(run("plugins", "--json", path=broken).stdout)}
    assert plugins["scrawl"]["state"] == "quarantined"
    assert plugins["scrawl"]["reason"]
    # The library has not been needed so far, so nobody has looked into it.
    assert plugins["garbage"]["version"] == "1.2.3"


def test_a_broken_plugin_costs_only_itself(run, broken):
    whole = run("ops", "--json")
    result = run("ops", "--json", path=broken)
    assert result.returncode == 0
    assert "garbage" in result.stderr
    assert json.loads(result.stdout) == json.loads(whole.stdout)


def test_ops_lists_schema_and_documentation(run):
    operators = {operator["name"]: operator for operator in json.loads(run("ops", "--json").stdout)}
    add = operators["add.Tensor"]
    assert add["schema"].startswith("add.Tensor(Tensor self, Tensor other")
    assert add["doc"]
    assert (add["kind"], add["promotion"]) == ("pointwise", "common")
    assert add["forms"] == ["functional", "out", "in-place"]
    assert list(operators) == sorted(operators)
    assert add["schema"] in " ".join(run("ops").stdout.split())


def test_every_plugin_of_the_build_can_be_loaded(run):
    """Listing all operators loads them all, and the core warns of those that fail."""
    assert run("ops").stderr == ""


def test_ops_of_one_name(run):
    overloads = [operator["name"] for operator in json.loads(run("ops", "--json", "add").stdout)]
    assert "add.Tensor" in overloads
    assert all(name.split(".")[0] == "add" for name in overloads)

    [one] = json.loads(run("ops", "--json", "add.Tensor").stdout)
    assert one["name"] == "add.Tensor"
    assert "kind: pointwise" in run("ops", "add.Tensor").stdout


def test_ops_of_an_unknown_name_is_an_error(run):
    result = run("ops", "no_such_operator")
    assert (result.returncode, result.stdout) == (1, "")
    assert "no_such_operator" in result.stderr


def test_without_any_plugin(run, bare):
    assert run("plugins", command=bare).stdout.startswith("No plugins were found")
    assert json.loads(run("plugins", "--json", command=bare).stdout) == []
    assert run("ops", command=bare).stdout.startswith("No operators")
    assert json.loads(run("ops", "--json", command=bare).stdout) == []
    assert "install a plugin that provides the host's device" in run("doctor", command=bare).stdout
    assert json.loads(run("doctor", "--json", command=bare).stdout)["plugins"] == []
    assert run("ops", "add", command=bare).returncode == 1


@pytest.mark.parametrize(
    "arguments", [["plugins"], ["ops"], ["config", "show"], ["explain", "add", "--args", "1 2"]]
)
def test_a_broken_config_is_an_error(run, tmp_path, arguments):
    (tmp_path / "tenon.toml").write_text("no_such_key = 1\n")
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert "no_such_key" in result.stderr


def test_bench_hands_over_to_the_source_tree(run):
    result = run("bench", "--help")
    assert result.returncode == 0, result.stderr
    assert "ARGUMENTS" in result.stdout
    result = run("bench", "--", "--no-such-option")
    assert result.returncode != 0
    assert "--no-such-option" in result.stderr


def test_bench_of_an_installation_says_where_it_is(run, bare):
    result = run("bench", "overhead", command=bare)
    assert (result.returncode, result.stdout) == (1, "")
    assert "tools/bench" in result.stderr
