"""The pages' commands for whoever has Tenon installed in ~/tenon do what they say."""

import re
import sys
from pathlib import Path

import pytest
from prefix import BUILD, HELLO, ROOT, install, run


@pytest.fixture
def home(tmp_path) -> Path:
    """A folder with ~/tenon and, as the tree, what the commands name."""
    install(tmp_path / "tenon")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "hello.c").symlink_to(HELLO / "hello.c")
    return tmp_path


def commands(page: str, first: str) -> str:
    """The block of shell that begins with these words."""
    (block,) = re.findall(
        rf"```sh\n({re.escape(first)}.*?)```", (ROOT / page).read_text(), re.DOTALL
    )
    return block


def shell(block: str, home: Path) -> str:
    return run("bash", "-e", "-c", block, cwd=home, HOME=str(home))


def test_a_c_program_is_compiled_as_the_readme_says(home):
    shell(commands("README.md", "export PKG_CONFIG_PATH"), home)
    assert run(home / "hello") == "11 12 13\n14 15 16\n"


ASK = """
import tenon as tn

x = tn.arange(6, dtype=tn.float32).reshape(2, 3).to(device="acme")
print((x.t() + x.t()).tolist())
print((x + tn.tensor([10, 20, 30]).to(device="acme")).tolist())
print(tn.add(x, 1.5, alpha=2).tolist(), tn.zeros(2, device="acme").fill_(3).tolist())
x.requires_grad_()
(x + x).backward(x.detach())
print(x.grad.device, x.grad.tolist())
print(tn.ops.acme.swiglu(tn.tensor([2.0, -4.0]), tn.tensor([0.0, 1.0]), beta=0).tolist())
for wrong in (lambda: x.to(tn.float16), lambda: tn.empty(1 << 30, device="acme"), lambda: x.exp()):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__)
"""

ANSWERS = """\
[[0.0, 6.0], [2.0, 8.0], [4.0, 10.0]]
[[10.0, 21.0, 32.0], [13.0, 24.0, 35.0]]
[[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]] [3.0, 3.0]
acme:0 [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]
[0.0, -2.0]
NotImplementedError
MemoryError
NotImplementedError
"""


def test_the_backend_is_built_and_installed_as_its_page_says(home):
    listed = shell(commands("docs/add-a-backend.md", "cmake -S examples/acme"), home)
    assert re.search(r"^add\.Tensor .*acme", listed, re.MULTILINE), listed
    installed = str(home / "tenon/lib/tenon/plugins")
    where = {"TENON_PLUGIN_PATH": installed, "PYTHONPATH": str(BUILD / "python")}
    assert run(sys.executable, "-c", ASK, **where) == ANSWERS
