"""What the tests of the pages share: the tree's pages and their blocks of code."""

from __future__ import annotations

import os
import re
import subprocess
import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["TEST_BUILD_DIR"])
BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@cache
def tracked(*patterns: str) -> list[str]:
    command = ["git", "ls-files", "-co", "--exclude-standard", *patterns]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def blocks_of(page: str) -> list[Block]:
    text = (ROOT / page).read_text()
    return [
        Block(page, text.count("\n", 0, m.start()) + 1, m[2], textwrap.dedent(m[3]))
        for m in BLOCK.finditer(text)
    ]


def blocks(*languages: str) -> list[Block]:
    return [b for page in tracked("*.md") for b in blocks_of(page) if b.language in languages]


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    result = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env={**os.environ, "TENON_CONFIG": "/dev/null", **environment},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout
