"""The `tenon` command of this package: `tenon doctor` or `python -m tenon doctor`."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    # Where a wheel has it, then where a build tree does.
    here = Path(__file__).absolute()
    places = [here.parent / "bin/tenon", here.parents[2] / "bin/tenon"]
    for command in places:
        if command.exists():
            os.execv(command, ["tenon", *sys.argv[1:]])
    sys.exit(f"tenon: neither {places[0]} nor {places[1]} exists; install the package again")


if __name__ == "__main__":
    main()
