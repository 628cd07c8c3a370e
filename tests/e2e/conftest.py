"""Runs the example programs in a folder of their own, away from anybody's configuration."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SANITIZER = os.environ.get("TEST_SANITIZER", "")
BIN = Path(os.environ["TENON_BIN"])
PLUGINS = BIN.parent / "lib" / "tenon" / "plugins"

# Seconds, and 70 % where guessing gives 10. With a sanitizer everything takes many times longer, so
# there it is a quarter of the pictures, and 55 %.
PICTURES, GOOD_ACCURACY = (500, 45) if SANITIZER else (2000, 60)

Result = subprocess.CompletedProcess[str]
Run = Callable[..., Result]


def has(plugin: str) -> bool:
    """Whether this build has the plugin."""
    return (PLUGINS / f"{plugin}.plugin.toml").exists()


def accuracy(result: Result) -> float:
    """The percentage that both programs print last but for the names of files."""
    found = re.search(r"^test accuracy: ([0-9.]+) %$", result.stdout, re.MULTILINE)
    assert found, result.stdout + result.stderr
    return float(found[1])


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Calls a program: `run("hello_c", config='threads = 1', path=folder)`, where path is
    TENON_PLUGIN_PATH and config the text of tenon.toml in the folder that it runs in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TENON_")}

    def call(program: str, *arguments: str, config: str = "", path: Path | None = None) -> Result:
        (tmp_path / "tenon.toml").write_text(config)
        environment = kept | {
            "HOME": str(tmp_path),
            "XDG_CONFIG_HOME": str(tmp_path),
            # Other tests run at the same time; but with one thread there are no races to be found.
            "TENON_THREADS": "2" if SANITIZER == "thread" else "1",
        }
        if path is not None:
            environment["TENON_PLUGIN_PATH"] = str(path)
        return subprocess.run(
            [BIN / program, *arguments],
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            timeout=300,
        )

    return call


@pytest.fixture
def train(run: Run) -> Run:
    """Trains for an epoch on few pictures."""

    def call(*arguments: str, **options: Any) -> Result:
        few = f"--limit={PICTURES}"
        return run("fashion_mnist_train", few, "--epochs=1", *arguments, **options)

    return call


def failure(result: Result) -> str:
    """What a program that failed properly said: exit status 1, a reason, no signal."""
    assert result.returncode == 1, (result.returncode, result.stdout, result.stderr)
    assert result.stderr.strip()
    return result.stderr
