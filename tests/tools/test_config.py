"""`tenon config`: values, origins, keys, and what is wrong with a file."""

from __future__ import annotations

import json

import pytest


def shown(run, **variables):
    result = run("config", "show", "--json", **variables)
    assert result.returncode == 0, result.stderr
    return {entry["key"]: entry for entry in json.loads(result.stdout)}


def checked(run, *arguments, **variables):
    result = run("config", "check", "--json", *arguments, **variables)
    assert result.stderr == ""
    return json.loads(result.stdout), result.returncode


def test_layers_of_which_the_later_wins(run, tmp_path):
    files = {
        "system": tmp_path / "system/tenon/tenon.toml",
        "user": tmp_path / "user/tenon/tenon.toml",
        "project": tmp_path / "tenon.toml",
    }
    expected = {"threads": "default"}
    for number, (layer, path) in enumerate(files.items(), 1):
        assert shown(run)["threads"]["origin"] == expected["threads"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'# {layer}\nthreads = {number}\nproviders.{layer} = ["cpu"]\n')
        expected["threads"] = f"{path}:2"
    entries = shown(run)
    assert (entries["threads"]["value"], entries["threads"]["origin"]) == (3, expected["threads"])
    # What only an earlier layer sets stays.
    assert entries["providers.system"]["value"] == ["cpu"]
    assert entries["providers.user"]["origin"] == f"{files['user']}:3"

    entries = shown(run, TENON_THREADS="4")
    assert entries["threads"] == {"key": "threads", "value": 4, "origin": "TENON_THREADS"}

    (tmp_path / "other.toml").write_text("threads = 5\n")
    entries = shown(run, TENON_CONFIG=str(tmp_path / "other.toml"))
    assert (entries["threads"]["value"], entries["threads"]["origin"]) == (
        5,
        f"{tmp_path / 'other.toml'}:1",
    )
    assert "providers.user" not in entries


def test_text_is_toml_and_tells_origins_on_demand(run, tmp_path):
    (tmp_path / "tenon.toml").write_text('log = "info"\n')
    plain, origins = run("config", "show").stdout, run("config", "show", "--origin").stdout
    assert " ".join(plain.split()).count('log = "info"') == 1
    assert "#" not in plain
    # A long path goes to a line of its own.
    assert f'log = "info" # {tmp_path / "tenon.toml"}:1 ' in " ".join(origins.split()) + " "


def test_keys_are_described(run):
    keys = {key["key"]: key for key in json.loads(run("config", "keys", "--json").stdout)}
    assert keys["fallback"] == {
        "key": "fallback",
        "type": "string",
        "default": "error",
        "choices": ["error", "warn", "host"],
        "variable": "TENON_FALLBACK",
        "fixed_at_init": False,
        "help": keys["fallback"]["help"],
    }
    assert keys["plugins.path"]["variable"] == "TENON_PLUGIN_PATH"
    assert keys["providers.*"]["variable"] == "TENON_PROVIDERS_*"
    assert keys["threads"]["fixed_at_init"]
    assert all(key["help"] for key in keys.values())
    text = run("config", "keys").stdout
    assert all(line in text for line in ("fallback ", "one of error, warn, host"))


def test_a_plugin_declares_keys(run, plugin, tmp_path):
    folder = plugin("acme", '[config.speed]\ntype = "float"\ndefault = 1.5\nhelp = "How fast."\n')
    keys = json.loads(run("config", "keys", "--json", path=folder).stdout)
    [key] = [key for key in keys if key["key"] == "plugin.acme.speed"]
    assert (key["type"], key["default"], key["help"]) == ("float", 1.5, "How fast.")
    assert key["variable"] == "TENON_PLUGIN_ACME_SPEED"

    (tmp_path / "acme.toml").write_text("[plugin.acme]\nsped = 2.0\n")
    found, status = checked(run, str(tmp_path / "acme.toml"), path=folder)
    assert (status, found["line"]) == (1, 2)
    assert 'did you mean "plugin.acme.speed"?' in found["message"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("threads = 1\nlog = \n", 2, ""),
        ("[memory\n", 1, ""),
        ("threads = 1\nthreads = 2\n", 2, ""),
        ('threads = "many"\n', 1, "threads must be an integer"),
        ("threads = -1\n", 1, "threads must be 0"),
        ("threads = 1.5\n", 1, "threads must be an integer"),
        ("\n\nthread = 1\n", 3, 'unknown key thread (did you mean "threads"?)'),
        ("[provider]\ncpu = []\n", 2, 'did you mean "providers.cpu"?'),
        ('log = "wran"\n', 1, 'did you mean "warn"?'),
        ("providers.cpu = [1]\n", 1, "providers.cpu must be a list of strings"),
        ('plugins.path = ["relative"]\n', 1, "absolute"),
        ("zzz_qqq = 1\n", 1, "unknown key zzz_qqq"),
        ("[plugin.no_such_plugin]\nx = 1\n", 2, "no_such_plugin"),
    ],
)
def test_a_malformed_file_is_told_with_its_line(run, tmp_path, text, line, message):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    found, status = checked(run, str(file))
    assert status == 1
    assert (found["ok"], found["file"], found["line"]) == (False, str(file), line)
    assert message in found["message"]

    result = run("config", "check", str(file))
    assert (result.returncode, result.stderr) == (1, "")
    assert f"{file}:{line}" in " ".join(result.stdout.split())


def test_every_fault_is_told_with_its_line(run, plugin, tmp_path):
    folder = plugin("acme", '[config.speed]\ntype = "float"\ndefault = 1.5\nhelp = "How fast."\n')
    file = tmp_path / "bad.toml"
    file.write_text(
        'threads = "many"\nthread = 1\n\n[providers]\ncpu = ["cpu"]\nmeta = 3\n'
        '[plugin.acme]\nsped = 1.0\nspeed = "fast"\n[plugin.amce]\nspeed = 1.0\n'
    )
    found, status = checked(run, str(file), path=folder)
    assert status == 1
    assert [(f["file"], f["line"]) for f in found["faults"]] == [
        (str(file), line) for line in (1, 2, 6, 8, 9, 11)
    ]
    texts = " ".join(f["message"] for f in found["faults"])
    for expected in (
        "threads must be an integer",
        "unknown key thread ",
        "providers.meta must be a list of strings",
        'unknown key plugin.acme.sped (did you mean "plugin.acme.speed"?)',
        "plugin.acme.speed must be a float",
        "plugin.amce.speed is for a plugin that was not found",
    ):
        assert expected in texts
    assert found["message"] == found["faults"][0]["message"]
    shown = " ".join(run("config", "check", str(file), path=folder).stdout.split())
    assert all(f"{file}:{line}: " in shown for line in (1, 2, 6, 8, 9, 11))


def test_faults_of_files_and_variables_come_together(run, tmp_path):
    (tmp_path / "tenon.toml").write_text("threads = 1.5\n")
    found, status = checked(run, TENON_LOG="loud", TENON_FALLBACK="cpu")
    assert status == 1
    assert [f["line"] for f in found["faults"]] == [1, 0, 0]
    assert [f["message"].split(":")[0] for f in found["faults"][1:]] == [
        "TENON_FALLBACK",
        "TENON_LOG",
    ]


def test_a_well_formed_file(run, tmp_path):
    file = tmp_path / "good.toml"
    file.write_text('threads = 2\n[providers]\ncpu = ["cpu"]\n')
    found, status = checked(run, str(file))
    assert status == 0
    assert (found["ok"], found["files"], found["line"]) == (True, [str(file)], 0)
    assert run("config", "check", str(file)).stdout == f"{file}: well formed\n"


def test_a_file_is_checked_on_its_own(run, tmp_path):
    """Neither another file nor a variable has a say."""
    (tmp_path / "tenon.toml").write_text("nonsense = 1\n")
    (tmp_path / "good.toml").write_text("threads = 2\n")
    _, status = checked(run, str(tmp_path / "good.toml"), TENON_THREADS="nonsense")
    assert status == 0
    _, status = checked(run)
    assert status == 1


@pytest.mark.parametrize("name", ["missing.toml", "folder", "binary.toml", "empty.toml"])
def test_what_is_no_file_of_text(run, tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary.toml").write_bytes(bytes(range(256)))
    (tmp_path / "empty.toml").write_text("")
    found, status = checked(run, str(tmp_path / name))
    assert status == (name != "empty.toml")
    assert (name in found["message"]) == (name != "empty.toml")


def test_all_that_is_in_force(run, tmp_path):
    assert run("config", "check").returncode == 0
    assert "no files" in run("config", "check").stdout
    found, status = checked(run, TENON_THREADS="many")
    assert (status, found["file"], found["line"]) == (1, "", 0)
    assert "TENON_THREADS" in found["message"]
    found, status = checked(run, TENON_THRAEDS="2")
    assert status == 0
    assert "TENON_THRAEDS" in found["notes"][0]


def test_a_project_may_not_choose_code(run, tmp_path):
    (tmp_path / "tenon.toml").write_text('plugins.path = ["/opt"]\n')
    found, status = checked(run)
    assert status == 1
    assert "may not set plugins.path" in found["message"]
