"""The READMEs are true: their programs are the examples, their Python runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["TEST_BUILD_DIR"])
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def run(*command: str, **environment: str) -> str:
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "TENON_CONFIG": "/dev/null", **environment},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_c_and_cpp_examples_are_the_ones_in_the_tree():
    (c,) = blocks("c")
    (cpp,) = blocks("cpp")
    assert c == (ROOT / "examples/hello/hello.c").read_text()
    assert cpp == (ROOT / "examples/hello/hello.cc").read_text()


def test_the_c_example_prints_the_sums():
    assert run(str(BUILD / "bin/hello_c")) == "11 12 13\n14 15 16\n"


def test_the_cpp_example_fits_the_line():
    assert run(str(BUILD / "bin/hello_cc")) == "y = 3.000 x + -1.000\n"


def test_the_python_example_prints_what_the_readme_says():
    (code,) = blocks("python")
    printed = run(sys.executable, "-c", code, PYTHONPATH=str(BUILD / "python"))
    for expected in blocks("text")[:1]:
        assert printed.startswith(expected), printed
    assert "chosen" in printed


def test_the_python_example_of_the_package_runs():
    page = (ROOT / "python/README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    gradient = run(sys.executable, "-c", code, PYTHONPATH=str(BUILD / "python"))
    assert gradient == "tensor([[2., 4.],\n        [6., 8.]])\n"
