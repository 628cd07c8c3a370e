"""Errors of the operating system, as Python's own exceptions."""

from __future__ import annotations

from collections.abc import Callable


def test_an_error_of_the_operating_system_has_its_number_and_kind(
    run_python: Callable[[str], str],
) -> None:
    program = """
import os
os.environ["TENON_CONFIG"] = "/nowhere/tenon.toml"
import tenon
try:
    tenon.zeros(1)
except FileNotFoundError as error:
    print(error.errno, error.strerror)
"""
    assert run_python(program) == (
        "2 /nowhere/tenon.toml: cannot be opened: No such file or directory\n"
    )


def test_what_fails_for_want_of_a_descriptor_works_once_there_is_one(
    run_python: Callable[[str], str],
) -> None:
    program = """
import errno
import os
import resource
import tenon
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
files = []
try:
    while True:
        files.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
for _ in range(2):
    try:
        tenon.zeros(1)
    except OSError as error:
        print(errno.errorcode[error.errno])
for file in files:
    os.close(file)
print(tenon.zeros(1).tolist())
"""
    assert run_python(program) == "EMFILE\nEMFILE\n[0.0]\n"
