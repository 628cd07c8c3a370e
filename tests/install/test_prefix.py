"""Programs and a plugin built against a prefix alone, which then moves and is forgotten by all."""

import os
import shutil
from pathlib import Path

import pytest
from prefix import HELLO, install, move, run

USER = Path(__file__).parent / "user"

COMPILERS = [
    pytest.param(("gcc", "g++"), id="gcc"),
    pytest.param(
        ("clang", "clang++"),
        id="clang",
        marks=pytest.mark.skipif(not shutil.which("clang++"), reason="clang is not installed"),
    ),
]


@pytest.fixture
def prefix(tmp_path) -> Path:
    return install(tmp_path / "first/prefix")


def check(prefix: Path):
    """Everything in the prefix works, and what it loads lies in it."""
    assert run(prefix / "bin/hello_c") == "11 12 13\n14 15 16\n"
    assert run(prefix / "bin/hello_cc") == "y = 3.000 x + -1.000\n"
    assert run(prefix / "bin/ask") == "7\n"
    report = run(prefix / "bin/tenon", "doctor")
    assert "quarantined" not in report
    assert f"{prefix}/lib/libtenon.so" in report
    assert f"{prefix}/lib/tenon/plugins/libautograd.so" in report
    assert f"{prefix}/lib/tenon/plugins/libmine.so" in report


def test_the_manual_and_the_completion_are_where_shells_look(prefix):
    assert ".TH TENON 1" in (prefix / "share/man/man1/tenon.1").read_text()
    completion = prefix / "share"
    bash = completion / "bash-completion/completions/tenon"
    assert "complete -F _tenon tenon" in bash.read_text()
    assert (completion / "zsh/site-functions/_tenon").read_text().startswith("#compdef tenon\n")
    assert "complete -c tenon" in (completion / "fish/vendor_completions.d/tenon.fish").read_text()


@pytest.mark.parametrize("compilers", COMPILERS)
def test_by_find_package(prefix, compilers, tmp_path):
    c, cpp = compilers
    build = tmp_path / "build"
    run(
        *("cmake", "-G", "Ninja", "-S", USER, "-B", build),
        *(f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_CXX_COMPILER={cpp}", f"-DTENON_HELLO={HELLO}"),
        *(f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_INSTALL_PREFIX={prefix}"),
    )
    run("cmake", "--build", build)
    # Where they were built the programs run, too, with a plugin that is installed nowhere.
    assert run(build / "ask", TENON_PLUGIN_PATH=str(build / "lib/tenon/plugins")) == "7\n"
    run("cmake", "--install", build)
    check(prefix)
    check(move(prefix))


@pytest.mark.parametrize("compilers", COMPILERS)
def test_by_pkg_config(prefix, compilers):
    c, cpp = compilers

    def flags(*options) -> list[str]:
        path = str(prefix / "lib/pkgconfig")
        return run("pkg-config", *options, "tenon", PKG_CONFIG_PATH=path).split()

    warnings = ["-Wall", "-Wextra", "-Werror"]
    program = [*flags("--cflags", "--libs"), "-Wl,-rpath,$ORIGIN/../lib", *warnings]
    run(c, "-std=c99", HELLO / "hello.c", "-o", prefix / "bin/hello_c", *program)
    run(c, "-std=c99", USER / "ask.c", "-o", prefix / "bin/ask", *program)
    run(cpp, "-std=c++20", HELLO / "hello.cc", "-o", prefix / "bin/hello_cc", *program)

    plugins = Path(*flags("--variable=plugindir"))
    plugin = ["-shared", "-fPIC", "-fvisibility=hidden", *flags("--cflags"), *warnings]
    run(c, "-std=c99", USER / "mine.c", "-o", plugins / "libmine.so", *plugin)
    shutil.copy(USER / "mine.plugin.toml", plugins)
    check(prefix)
    check(move(prefix))


def test_pkg_config_follows_a_prefix_that_moved(prefix):
    moved = move(prefix)
    for options in (["--define-prefix"], ["--dont-define-prefix"]):
        (include, *libraries) = run(
            "pkg-config", *options, "--cflags", "--libs", "tenon",
            PKG_CONFIG_PATH=str(moved / "lib/pkgconfig"),
        ).split()  # fmt: skip
        assert os.path.realpath(include.removeprefix("-I")) == str(moved / "include")
        assert os.path.realpath(libraries[0].removeprefix("-L")) == str(moved / "lib")
        assert libraries[1:] == ["-ltenon"]
