#!/usr/bin/env python3
"""Lists files of more than 400 lines; fails above 800 unless large_files.txt gives a reason."""

from __future__ import annotations

from repo import CPP, ROOT, files, finish, read, reasons

THINK_AGAIN = 400
LIMIT = 800
EXCEPTIONS = "tools/checks/large_files.txt"


def is_script(name: str) -> bool:
    """Scripts have no suffix: they say what they are in their first two bytes."""
    if "." in name.rsplit("/", 1)[-1]:
        return False
    with (ROOT / name).open("rb") as file:
        return file.read(2) == b"#!"


def main() -> None:
    excused = reasons(EXCEPTIONS)
    problems: list[str] = []
    code = files(*CPP, ".py", ".pyi", ".cmake", "CMakeLists.txt", ".map")
    scripts = [name for name in files("") if is_script(name)]
    lengths = {name: len(read(name).splitlines()) for name in {*code, *scripts}}

    for name, length in sorted(lengths.items(), key=lambda item: -item[1]):
        if length > LIMIT and name not in excused:
            problems.append(f"{name}: {length} lines, more than {LIMIT}")
        elif length > THINK_AGAIN:
            reason = excused.get(name, "could it be two nouns?")
            print(f"{name}: {length} lines ({reason})")
    for name in excused:
        if lengths.get(name, 0) <= LIMIT:
            problems.append(f"{EXCEPTIONS}: {name} has no more than {LIMIT} lines; drop the entry")
    finish("sizes", problems, f"Split the file, or give the reason in {EXCEPTIONS}.")


if __name__ == "__main__":
    main()
