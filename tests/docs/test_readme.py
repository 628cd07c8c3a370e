"""The READMEs are true: their programs are the examples, their Python runs."""

import sys

from pages import BUILD, ROOT, blocks_of, run


def blocks(language: str) -> list[str]:
    return [block.text for block in blocks_of("README.md") if block.language == language]


def test_the_c_and_cpp_examples_are_the_ones_in_the_tree():
    (c,) = blocks("c")
    (cpp,) = blocks("cpp")
    assert c == (ROOT / "examples/hello/hello.c").read_text()
    assert cpp == (ROOT / "examples/hello/hello.cc").read_text()


def test_the_c_example_prints_the_sums():
    assert run(BUILD / "bin/hello_c") == "11 12 13\n14 15 16\n"


def test_the_cpp_example_fits_the_line():
    assert run(BUILD / "bin/hello_cc") == "y = 3.000 x + -1.000\n"


def test_the_python_example_prints_what_the_readme_says():
    (code,) = blocks("python")
    printed = run(sys.executable, "-c", code, PYTHONPATH=str(BUILD / "python"))
    for expected in blocks("text")[:1]:
        assert printed.startswith(expected), printed
    assert "chosen" in printed


def test_the_python_example_of_the_package_runs():
    (code,) = (b.text for b in blocks_of("python/README.md") if b.language == "python")
    gradient = run(sys.executable, "-c", code, PYTHONPATH=str(BUILD / "python"))
    assert gradient == "tensor([[2., 4.],\n        [6., 8.]])\n"
