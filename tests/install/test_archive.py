"""The archive that `cpack` makes: an installation, with the libraries that machines may lack."""

import re
from pathlib import Path

import pytest
from prefix import BUILD, content, install, run

# What every machine has on which the archive is to run: glibc, and the runtimes of GCC.
SYSTEM = {
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libgomp.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
    "libstdc++.so.6",
}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder / "packed", cwd=folder)
    (archive,) = (folder / "packed").glob("*.tar.gz")
    run("tar", "-xzf", archive, cwd=folder)
    # One folder, called as the archive is.
    return folder / archive.name.removesuffix(".tar.gz")


def test_it_holds_what_an_installation_holds(unpacked, tmp_path):
    assert content(unpacked) == content(install(tmp_path / "prefix"))


def test_it_runs_where_it_is_unpacked(unpacked):
    report = run(unpacked / "bin/tenon", "doctor")
    assert f"{unpacked}/lib/tenon/plugins/libcpu" in report
    assert "quarantined" not in report


def test_its_libraries_need_nothing_that_it_lacks(unpacked):
    libraries = [path for path in unpacked.rglob("*.so*") if not path.is_symlink()]
    assert len(libraries) > 5
    here = SYSTEM | {path.name for path in unpacked.rglob("*.so*")}
    for path in libraries:
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", path)))
        assert needed <= here, f"{path.name} needs {needed - here}"
