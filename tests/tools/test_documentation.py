"""The manual page, the completion and docs/command.md say what the command does."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MANUAL = Path(os.environ["TENON_MANUAL"])
PAGE = (ROOT / "docs/command.md").read_text()
COMMANDS = [
    "doctor",
    "plugins",
    "ops",
    "config show",
    "config keys",
    "config check",
    "explain",
    "bench",
]


def options(help_text: str) -> set[str]:
    return set(re.findall(r"--[a-z-]+", help_text))


def rendered() -> str:
    result = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", "-P-cbou", str(MANUAL / "tenon.1")],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"MANWIDTH": "200", "GROFF_NO_SGR": "1"},
    )
    assert result.stderr == ""
    return result.stdout


def test_the_manual_page_has_no_fault_and_its_sections():
    text = rendered()
    for section in ("NAME", "SYNOPSIS", "COMMANDS", "EXIT STATUS", "FILES", "ENVIRONMENT"):
        assert re.search(rf"^{section}$", text, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_manual_page_names_what_help_names(run, command):
    text = rendered()
    section = text.partition("COMMANDS\n")[2].partition(f"   tenon {command}\n")[2]
    section = section.partition("\n   tenon ")[0]
    help_text = run(*command.split(), "--help").stdout
    assert options(help_text) - {"--help"} <= options(section)
    about = help_text.split("\n")[0]
    assert about in " ".join(section.split())


def bash(words: tuple[str, ...]) -> list[str]:
    return [
        *("bash", "-euc"),
        f"source {shlex.quote(str(MANUAL / 'tenon.bash'))}; COMP_WORDS=({shlex.join(words)}); "
        f'COMP_CWORD={len(words) - 1}; _tenon; printf "%s\\n" "${{COMPREPLY[@]}}"',
    ]


def zsh(words: tuple[str, ...]) -> list[str]:
    """With what its completion system would do with the choices: print those that fit."""
    return [
        *("zsh", "-fuc"),
        f"words=({shlex.join(words)}); CURRENT={len(words)}; "
        "_describe() { local -a all=(${(P)@[-1]}); print -l -- ${(M)${all%%:*}:#$words[-1]*} }; "
        "_files() { print -l -- $words[-1]*(N) }; "
        f"source {shlex.quote(str(MANUAL / 'tenon.zsh'))} || true",
    ]


def fish(words: tuple[str, ...]) -> list[str]:
    line = shlex.join(words[:-1]) + " " + words[-1]
    return [
        *("fish", "--no-config", "-c"),
        f"source {shlex.quote(str(MANUAL / 'tenon.fish'))}; "
        f"complete -C {shlex.quote(line)} | string replace -r '\\t.*' ''",
    ]


SHELLS = [
    pytest.param(
        shell,
        id=shell.__name__,
        marks=pytest.mark.skipif(not shutil.which(shell.__name__), reason="it is not installed"),
    )
    for shell in (bash, zsh, fish)
]


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_offers_commands_and_options(shell, run, tmp_path):
    def complete(*words: str, cwd: Path | None = None) -> list[str]:
        """What the shell offers for the last word."""
        done = subprocess.run(
            shell(words), capture_output=True, text=True, check=False, cwd=cwd or tmp_path
        )
        assert not done.stderr
        return done.stdout.split()

    assert {"doctor", "config", "explain"} <= set(complete("tenon", ""))
    assert {"--help", "--version"} == set(complete("tenon", "--"))
    assert complete("tenon", "do") == ["doctor"]
    assert complete("tenon", "config", "s") == ["show"]
    assert complete("tenon", "ops", "--device", "cpu", "--mi") == ["--missing"]
    assert complete("tenon", "nonsense", "") == []
    for command in COMMANDS[:-1]:
        # Only the options' own lines: prose may name others.
        lines = re.findall(
            r"^  (?:-., ?)?(--[a-z-]+)", run(*command.split(), "--help").stdout, re.M
        )
        assert set(complete("tenon", *command.split(), "--")) == set(lines)
    (tmp_path / "mine.toml").write_text("")
    assert "mine.toml" in complete("tenon", "config", "check", "mi", cwd=tmp_path)


def paths(value: object, prefix: str = "") -> Iterator[str]:
    """Every key of a JSON value, as "plugins[].name"."""
    if isinstance(value, dict):
        for key, item in value.items():
            path = f"{prefix}.{key}" if prefix else key
            yield path
            yield from paths(item, path)
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, prefix + "[]")


def tables() -> dict[str, set[str]]:
    """The keys of each table in the page's part on JSON, by the call that prints them."""
    found = {}
    for title, table in re.findall(
        r"### `tenon (.*? --json)`\n\n(.*?)(?=\n###|\Z)", PAGE, re.DOTALL
    ):
        rows = [line.split(" | ")[0] for line in table.splitlines()[2:]]
        keys = {key for row in rows for key in re.findall(r"`([^`]+)`", row)}
        found[title] = {key.removesuffix("[]") for key in keys}
    return found


@pytest.mark.parametrize("call", tables())
def test_every_json_key_is_documented_and_every_documented_one_is_there(run, call):
    result = run(*shlex.split(call))
    assert result.returncode == 0, result.stderr
    printed, documented = set(paths(json.loads(result.stdout))), tables()[call]
    assert printed <= documented
    for key in documented - printed:
        # Only what stands in a list that is empty here.
        outer = key.rpartition("[]")[0] + "[]"
        assert "[]" in key, key
        assert not any(other.startswith(outer) for other in printed), key


def test_every_command_is_documented():
    for command in COMMANDS:
        assert f"`tenon {command}" in PAGE
