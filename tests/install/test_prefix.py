"""Programs and a plugin built against an installed prefix, which then moves."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["TENON_BUILD_DIR"])
HELLO = ROOT / "examples/hello"

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C CXX)
find_package(Tenon REQUIRED)
add_executable(hello_c hello.c)
target_link_libraries(hello_c PRIVATE Tenon::tenon)
add_executable(hello_cc hello.cc)
target_link_libraries(hello_cc PRIVATE Tenon::tenon Tenon::sdk)
tenon_add_plugin(mine SOURCES mine.cc)
"""

PLUGIN = """
#include <tenon/sdk/entry.h>
static const int answer = 7;
extern "C" TN_API tn_status tn_plugin_entry(const tn_host* host, tn_plugin* plugin) {
  return tn::plugin_entry(host, [&] {
    tn::check(host->register_interface(plugin, "mine", 1, &answer));
  });
}
"""

MANIFEST = """
[plugin]
name = "mine"
version = "1.0.0"
vendor = "A user"
abi = "0.1"
[[library]]
file = "libmine.so"
[[interface]]
name = "mine"
version = 1
"""


def run(*command, **environment) -> str:
    result = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory) -> Path:
    """Installed in one place and moved to another: nothing may remember the first."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    return Path(shutil.move(folder / "first", folder / "moved"))


def test_the_installed_command_finds_its_plugins(prefix):
    report = run(prefix / "bin/tenon", "plugins")
    assert "autograd" in report and "quarantined" not in report


def test_a_c_program_by_pkg_config(prefix, tmp_path):
    flags = run(
        "pkg-config", "--cflags", "--libs", "tenon", PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig")
    ).split()
    for compiler in ("gcc", "clang"):
        program = tmp_path / compiler
        run(compiler, "-std=c99", HELLO / "hello.c", "-o", program, *flags)
        assert run(program, LD_LIBRARY_PATH=str(prefix / "lib")) == "11 12 13\n14 15 16\n"


def test_programs_and_a_plugin_by_find_package(prefix, tmp_path):
    for name in ("hello.c", "hello.cc"):
        shutil.copy(HELLO / name, tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "mine.cc").write_text(PLUGIN)
    (tmp_path / "mine.plugin.toml").write_text(MANIFEST)
    run(
        "cmake",
        "-G",
        "Ninja",
        "-S",
        tmp_path,
        "-B",
        tmp_path / "build",
        f"-DCMAKE_PREFIX_PATH={prefix}",
    )
    run("cmake", "--build", tmp_path / "build")
    found = {path.name: path for path in (tmp_path / "build").rglob("*") if path.is_file()}
    assert run(found["hello_c"]) == "11 12 13\n14 15 16\n"
    assert run(found["hello_cc"]) == "y = 3.000 x + -1.000\n"
    plugins = run(
        prefix / "bin/tenon", "plugins", TENON_PLUGIN_PATH=str(found["libmine.so"].parent)
    )
    assert "mine" in plugins
