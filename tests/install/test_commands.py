"""What the README says about an installed prefix is what one types."""

import os
import re
import shutil

import pytest
from prefix import HELLO, ROOT, install, run

README = (ROOT / "README.md").read_text()


@pytest.mark.skipif(
    "TEST_SANITIZER" in os.environ, reason="a plain compiler does not link a sanitizer's runtime"
)
def test_its_commands_build_the_c_example(tmp_path):
    assert "cmake --install build/release --prefix ~/tenon " in README
    install(tmp_path / "tenon")
    shutil.copy(HELLO / "hello.c", tmp_path)
    (commands,) = (c for c in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if "cc " in c)
    printed = run("bash", "-euc", commands + "./hello", cwd=tmp_path, HOME=str(tmp_path))
    assert printed == "11 12 13\n14 15 16\n"


def test_it_names_the_archive_and_the_script_that_there_are(tmp_path):
    prefix = install(tmp_path / "tenon")
    assert "~/tenon/lib/tenon/uninstall" in README
    assert (prefix / "lib/tenon/uninstall").exists()
    (version,) = re.findall(r"project\(Tenon VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
    assert f"tenon-{version}-linux-x86_64.tar.gz" in README
