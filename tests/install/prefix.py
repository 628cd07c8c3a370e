"""What the tests of an installed prefix share."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ["TEST_BUILD_DIR"])
HELLO = ROOT / "examples/hello"


def run(*command, cwd=None, **environment) -> str:
    result = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def install(prefix: Path) -> Path:
    # CMake writes this list into the build tree, where an installation by root left one of root's.
    (BUILD / "install_manifest.txt").unlink(missing_ok=True)
    run("cmake", "--install", BUILD, "--prefix", prefix)
    return prefix


def content(folder: Path) -> list[str]:
    """All files and folders in a folder, the folders with a slash."""
    return sorted(
        f"{path.relative_to(folder)}" + "/" * (path.is_dir() and not path.is_symlink())
        for path in folder.rglob("*")
    )


def move(prefix: Path) -> Path:
    """The prefix in another place, which is not as deep as the first."""
    return Path(shutil.move(prefix, prefix.parents[1] / "moved"))
