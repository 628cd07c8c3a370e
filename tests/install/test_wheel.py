"""The wheel in an environment of its own, which tools/test_wheel makes: it is complete."""

import json
import os
import re
import shutil
import subprocess
from importlib.metadata import Distribution
from pathlib import Path

from libraries import lacking

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = Path(os.environ["TENON_WHEEL_ENVIRONMENT"])
(PACKAGE,) = ENVIRONMENT.glob("lib/python*/site-packages/tenon")
PLUGINS = {path.parent.name for path in ROOT.glob("plugins/*/*.plugin.toml*")}


def run(*command, **environment) -> str:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("TENON_")}
    kept.pop("PYTHONPATH", None)
    result = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ENVIRONMENT,
        env={**kept, "TENON_CONFIG": "/dev/null", **environment},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def python(code: str, **environment) -> str:
    return run(ENVIRONMENT / "bin/python", "-c", code, **environment)


def test_the_readmes_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert python(code).startswith("tensor([0.0000, 0.3033, 1.0000, 2.4731, 5.4366])")


def test_tensors_are_added_and_differentiated():
    code = """
import tenon as tn
x = tn.tensor([1.0, 2.0, 3.0], requires_grad=True)
((x + 10) * x).sum().backward()
print((x + 10).tolist(), x.grad.tolist())
"""
    assert python(code) == "[11.0, 12.0, 13.0] [12.0, 14.0, 16.0]\n"


def test_all_plugins_are_in_the_wheel():
    plugins = json.loads(run(ENVIRONMENT / "bin/tenon", "doctor", "--json"))["plugins"]
    assert {plugin["name"] for plugin in plugins} == PLUGINS
    for plugin in plugins:
        assert Path(plugin["library"]).is_relative_to(PACKAGE), plugin


def test_the_plugins_load_when_they_are_needed():
    code = """
import tenon as tn
tn.config.set("providers.cpu", ["onednn", "cpu"])
x = tn.rand([64, 64]).requires_grad_()
(x @ x).sum().backward()
tn.empty([2], device="meta")
plugins = tn.doctor(json=True)["plugins"]
print(*(plugin["name"] for plugin in plugins if plugin["state"] == "loaded"))
"""
    assert {"autograd", "cpu", "meta", "onednn", "ops"} <= {*python(code).split()}


def test_the_command_is_on_the_path_and_has_the_packages_version():
    version = Distribution.at(next(PACKAGE.parent.glob("tenon-*.dist-info"))).version
    assert run(ENVIRONMENT / "bin/tenon", "--version") == f"tenon {version}\n"
    assert run(ENVIRONMENT / "bin/python", "-m", "tenon", "--version") == f"tenon {version}\n"
    assert python("import tenon; print(tenon.__version__)") == f"{version}\n"


def test_its_libraries_need_nothing_that_it_lacks():
    assert lacking(PACKAGE) == {}


def test_the_package_works_where_it_is_copied_to(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "tenon")
    code = "import tenon as tn; print(tn.__file__, (tn.ones([2]) + 1).tolist())"
    printed = python(code, PYTHONPATH=str(tmp_path))
    assert printed == f"{tmp_path}/tenon/__init__.py [2.0, 2.0]\n"
