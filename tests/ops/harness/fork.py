"""Work in a child process, so that a crash is a failure with a name and not the end of the run."""

from __future__ import annotations

import os
import resource
import signal
import traceback
from collections.abc import Callable

import pytest

SANITIZED = "TEST_SANITIZER" in os.environ


def in_fork(work: Callable[[], None], seconds: int = 60, memory: int | None = None) -> None:
    """Runs work and fails as it fails, or with the signal or exit status that ended it.

    memory limits the child's address space, in bytes. A sanitizer takes terabytes of it for itself,
    so its own limit on an allocation stands in; and under it everything takes several times longer.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        text = b""
        try:
            signal.alarm(10 * seconds if SANITIZED else seconds)
            if memory is not None and not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            work()
        except AssertionError as error:
            text = str(error).encode() or b"an assertion failed"
        except BaseException:
            text = traceback.format_exc().encode()
        os.write(write, text[-8000:])
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        pytest.fail(f"the process was killed by {signal.Signals(os.WTERMSIG(status)).name}")
    if text:
        pytest.fail(text.decode(errors="replace"))
    if status != 0:  # a sanitizer's report, which is on stderr, ends the process so
        pytest.fail(f"the process ended with exit status {os.WEXITSTATUS(status)}")
