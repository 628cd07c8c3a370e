"""`tenon doctor`: what it finds, what it tells to mend, and its exit status."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest


def report(run, **options):
    result = run("doctor", "--json", **options)
    return json.loads(result.stdout), result.returncode


def test_nothing_to_mend_is_status_0(run):
    found, status = report(run)
    assert (found["fixes"], found["problem"], found["notes"], status) == ([], "", [], 0)
    assert run("doctor").stdout.endswith("Nothing to mend.\n")


def test_libraries_are_those_that_the_dynamic_loader_finds(run):
    """Compared with ldd, name by name and path by path."""
    found, _ = report(run)
    [plugin] = [p for p in found["plugins"] if p["name"] == "cpu"]
    listed = subprocess.run(["ldd", plugin["library"]], capture_output=True, text=True).stdout
    expected = {}
    for line in listed.splitlines():
        name, arrow, target = line.strip().partition(" => ")
        if arrow:
            expected[name] = str(Path(target.split(" (")[0]).resolve())
    assert {library["name"]: library["path"] for library in plugin["libraries"]} == expected
    if "libgomp.so.1" not in expected:  # a build of clang, as those for sanitizers
        assert "libomp.so.5" in expected
        return
    [gomp] = [x for x in plugin["libraries"] if x["name"] == "libgomp.so.1"]
    assert gomp["path"].endswith(".so." + gomp["version"])


def test_onednn_tells_its_version(run):
    found, _ = report(run)
    plugins = [p for p in found["plugins"] if p["name"] == "onednn"]
    if not plugins:
        pytest.skip("this build has no oneDNN")
    [library] = [x for x in plugins[0]["libraries"] if x["name"].startswith("libdnnl")]
    assert Path(library["path"]).is_absolute()
    assert [part.isdigit() for part in library["version"].split(".")] == [True] * 3


def test_features_of_the_processor(run):
    found, _ = report(run)
    assert found["processor"] == sorted(found["processor"])
    flags = Path("/proc/cpuinfo").read_text().split()
    for feature in ("avx2", "avx512f", "fma"):
        assert (feature in found["processor"]) == (feature in flags)


def test_origins_of_the_configuration(run, tmp_path):
    (tmp_path / "tenon.toml").write_text("# a comment\nthreads = 2\n")
    found, _ = report(run, TENON_LOG="info")
    entries = {entry["key"]: entry for entry in found["config"]}
    assert found["config_files"] == [str(tmp_path / "tenon.toml")]
    assert entries["threads"]["origin"] == f"{tmp_path / 'tenon.toml'}:2"
    assert (entries["log"]["value"], entries["log"]["origin"]) == ('"info"', "TENON_LOG")
    assert entries["fallback"]["origin"] == "default"


def test_broken_plugins_are_something_to_mend(run, broken):
    found, status = report(run, path=broken)
    assert status == 1
    fixes = "\n".join(found["fixes"])
    assert "plugin scrawl: " in fixes
    assert str(broken / "scrawl.plugin.toml") in fixes
    assert "plugin garbage: " in fixes
    text = run("doctor", path=broken)
    assert text.returncode == 1
    assert "To mend\n  1. " in text.stdout


def test_a_missing_library_is_named(run, tmp_path):
    """A plugin linked with a library that is gone by the time it is wanted."""
    folder = tmp_path / "lost"
    folder.mkdir(mode=0o755)
    (tmp_path / "gone.c").write_text("int gone(void) { return 1; }\n")
    (tmp_path / "lost.c").write_text(
        "int gone(void);\nint tn_plugin_entry(void) { return gone(); }\n"
    )
    gone = tmp_path / "libtenontestgone.so.7"
    for output, *rest in [
        (gone, tmp_path / "gone.c", "-Wl,-soname,libtenontestgone.so.7"),
        (folder / "liblost.so", tmp_path / "lost.c", gone),
    ]:
        subprocess.run(["cc", "-shared", "-fPIC", "-o", output, *rest], check=True)
    gone.unlink()
    (folder / "lost.plugin.toml").write_text(
        '[plugin]\nname = "lost"\nversion = "1"\nvendor = "Nobody"\nabi = "0.3"\n'
        '[[library]]\nfile = "liblost.so"\n[[interface]]\nname = "lost"\nversion = 1\n'
    )
    found, status = report(run, path=folder)
    assert status == 1
    [fix] = found["fixes"]
    assert fix.startswith("plugin lost: install libtenontestgone.so.7")
    [plugin] = [p for p in found["plugins"] if p["name"] == "lost"]
    assert {"name": "libtenontestgone.so.7", "path": "", "version": ""} in plugin["libraries"]


def test_a_broken_configuration_is_reported_not_fatal(run, tmp_path):
    (tmp_path / "tenon.toml").write_text("\nthreds = 2\n")
    found, status = report(run)
    assert status == 1
    assert f"{tmp_path / 'tenon.toml'}:2" in found["problem"]
    assert 'did you mean "threads"?' in found["fixes"][0]


def test_a_default_device_without_plugin(run, tmp_path):
    (tmp_path / "tenon.toml").write_text('default_device = "warp"\n')
    found, status = report(run)
    assert status == 1
    assert any("device warp" in fix and "tenon.toml:1" in fix for fix in found["fixes"])


def test_a_variable_that_sets_nothing(run):
    found, status = report(run, TENON_THRAEDS="2")
    assert status == 1
    assert "TENON_THRAEDS" in found["notes"][0]
    assert "TENON_THREADS" in found["fixes"][0]


def test_a_plugin_switched_off_is_nothing_to_mend(run):
    found, status = report(run, TENON_PLUGINS_DISABLE="null")
    assert status == 0, found["fixes"]
    assert {p["name"]: p["state"] for p in found["plugins"]}["null"] == "skipped"


def test_a_library_name_with_unusual_characters(run, plugin, tmp_path):
    """Paths are handed to the loader as they are, not through a shell."""
    folder = plugin("odd", "", library="meta").rename(tmp_path / "it's $HOME; a 'place'")
    found, _ = report(run, path=folder)
    [odd] = [p for p in found["plugins"] if p["name"] == "odd"]
    assert odd["library"] == str(folder / "libodd.so")
    assert [x["name"] for x in odd["libraries"]]
