"""With any one plugin's files removed, the rest works, and what needed it says so."""

import os
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["TEST_BUILD_DIR"])
PLUGINS = sorted(
    path.name.split(".")[0] for path in (BUILD / "lib/tenon/plugins").glob("*.plugin.toml")
)

# What the two programs need, and a word that the error must have when it is gone.
NEEDED_BY_C = {"ops": "requires plugin ops", "cpu": 'device "cpu"'}
NEEDED_BY_CPP = {"ops": "no operator", "cpu": "host device", "autograd": "tenon.autograd"}


@pytest.fixture(params=PLUGINS)
def without(request, tmp_path) -> tuple[str, Path]:
    """A copy of the build's programs and libraries (as hard links) less one plugin."""
    subprocess.run(["cp", "-al", BUILD / "bin", BUILD / "lib", tmp_path], check=True)
    removed = list((tmp_path / "lib/tenon/plugins").glob(f"{request.param}.plugin.toml"))
    removed += (tmp_path / "lib/tenon/plugins").glob(f"lib{request.param}*.so")
    for path in removed:
        path.unlink()
    return request.param, tmp_path


def run(*command) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=60
    )


def check_program(program: Path, removed: str, needed: dict[str, str], expected: str):
    result = run(program)
    if removed in needed:
        assert result.returncode == 1
        assert needed[removed] in result.stderr, result.stderr
    else:
        assert result.stdout == expected, result.stderr


def test_the_doctor_and_the_list_of_plugins_work(without):
    removed, tree = without
    for arguments in (["doctor"], ["plugins"], ["doctor", "--json"]):
        result = run(tree / "bin/tenon", *arguments)
        # Without the host's device there is something to mend, and the doctor says so.
        mend = removed == "cpu" and arguments[0] == "doctor"
        assert result.returncode == mend, result.stderr
        assert "a plugin that provides the host's device" in result.stdout or not mend
        assert f"lib{removed}.so" not in result.stdout


def test_a_c_program_works_unless_it_needs_the_plugin(without):
    removed, tree = without
    check_program(tree / "bin/hello_c", removed, NEEDED_BY_C, "11 12 13\n14 15 16\n")


def test_a_cpp_program_works_unless_it_needs_the_plugin(without):
    removed, tree = without
    check_program(tree / "bin/hello_cc", removed, NEEDED_BY_CPP, "y = 3.000 x + -1.000\n")
