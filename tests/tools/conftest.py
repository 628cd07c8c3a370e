"""Runs the `tenon` command as a person would, away from that person's configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Calls the command: `run("ops", "--json", path=folder)`, where path is TENON_PLUGIN_PATH.

    Other variables are given by name: `run("config", "show", TENON_THREADS="3")`.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TENON_")}

    def call(
        *arguments: str, path: Path | None = None, command: Path | None = None, **variables: str
    ):
        environment = kept | {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "user")}
        environment |= {"XDG_CONFIG_DIRS": str(tmp_path / "system")} | variables
        if path is not None:
            environment["TENON_PLUGIN_PATH"] = str(path)
        program = command or Path(os.environ["TENON_COMMAND"])
        return subprocess.run(
            [program, *arguments], capture_output=True, text=True, env=environment, cwd=tmp_path
        )

    return call


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder with a plugin whose library is no library, and one whose manifest is no manifest."""
    folder = tmp_path / "broken"
    folder.mkdir(mode=0o755)
    (folder / "garbage.plugin.toml").write_text(
        '[plugin]\nname = "garbage"\nversion = "1.2.3"\nvendor = "Nobody"\nabi = "0.3"\n'
        'declares = ["garbage.*"]\n'
        '[[library]]\nfile = "libgarbage.so"\n'
        '[[device]]\nname = "garbage"\n'
    )
    (folder / "libgarbage.so").write_text("This is no library.\n")
    (folder / "scrawl.plugin.toml").write_text("[plugin\n")
    return folder


@pytest.fixture
def plugin(tmp_path: Path) -> Callable[..., Path]:
    """Makes a plugin of the name, with these sections in its manifest; returns its folder.

    Its library is that of another plugin, null, so it registers nothing that its manifest promises.
    """

    def make(name: str, sections: str, library: str = "null") -> Path:
        installed = Path(os.environ["TENON_COMMAND"]).parents[1] / "lib/tenon/plugins"
        folder = tmp_path / "plugins"
        folder.mkdir(mode=0o755)
        shutil.copy(installed / f"lib{library}.so", folder / f"lib{name}.so")
        (folder / f"{name}.plugin.toml").write_text(
            f'[plugin]\nname = "{name}"\nversion = "1"\nvendor = "Nobody"\nabi = "0.3"\n'
            f'[[library]]\nfile = "lib{name}.so"\n{sections}'
        )
        return folder

    return make


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """The command in an installation without plugins."""
    command = Path(os.environ["TENON_COMMAND"])
    for folder in ("bin", "lib"):
        (tmp_path / "bare" / folder).mkdir(parents=True)
    for file in (command.parent.parent / "lib").glob("libtenon.so*"):
        shutil.copy2(file, tmp_path / "bare" / "lib", follow_symlinks=False)
    return Path(shutil.copy2(command, tmp_path / "bare" / "bin"))
