#!/usr/bin/env python3
"""Fails for a rule of docs/semantics.md without a test of its name, and for a test of no rule."""

from __future__ import annotations

import re

from repo import files, finish, read

PAGE = "docs/semantics.md"
# TEST_F(Memory, rule_8_...), TEST(Loader, Rule7As...), NAME abi.rule_24_dl
TEST = re.compile(r"(?:TEST\w*\(\w+,\s*|add_test\(NAME \w+\.)[rR]ule_?(\d+)(?=[_A-Z])")


def main() -> None:
    rules = re.findall(r"^### (\d+)\. ", read(PAGE), re.MULTILINE)
    sources = [n for n in files(".cc", "CMakeLists.txt") if n.startswith("tests/")]
    tested = {number: name for name in sources for number in TEST.findall(read(name))}
    problems = [f"{PAGE}: no test is named after rule {n}" for n in rules if n not in tested]
    problems += [f"{tested[n]}: {PAGE} has no rule {n}" for n in tested if n not in rules]
    finish("rules", problems, "Name tests rule_N_what_holds, or RuleNWhatHolds.")


if __name__ == "__main__":
    main()
