"""The archive that `cpack` makes: an installation, with the libraries that machines may lack."""

import os
from pathlib import Path

import pytest
from libraries import lacking
from prefix import BUILD, content, install, run


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


@pytest.mark.skipif(
    "TEST_SANITIZER" in os.environ, reason="clang's runtimes are no part of what is delivered"
)
def test_its_libraries_need_nothing_that_it_lacks(unpacked):
    assert lacking(unpacked) == {}
