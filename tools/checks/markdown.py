"""What the checks of documentation read: a page's links, headings, code spans and code blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from repo import read

FENCE = re.compile(r"^\s*(```+|~~~+)(\w*)")
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
GENERATED = re.compile(r"<!-- .*: written by ")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


@dataclass
class Page:
    """Every list holds (line, text); of a block, each of its lines."""

    name: str
    links: list[tuple[int, str]] = field(default_factory=list)
    spans: list[tuple[int, str]] = field(default_factory=list)
    block_lines: list[tuple[int, str]] = field(default_factory=list)
    unfenced: list[tuple[int, str]] = field(default_factory=list)  # lines of indented blocks
    anchors: set[str] = field(default_factory=set)


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")


def is_indented_code(lines: list[str], index: int, inside: bool) -> bool:
    """Four columns after an empty line start such a block; a list's own text is not one."""
    if not lines[index].startswith("    "):
        return False
    if inside:
        return True
    before = next((line for line in reversed(lines[:index]) if line.strip()), "")
    in_list = re.match(r"\s*([*-]|\d+\.)\s", before) or before.startswith("  ")
    return not lines[index - 1].strip() and not in_list


def prose(page: Page, text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of code blocks; headings and the blocks' lines are put into the page.

    What a program wrote between `<!-- TITLE: written by PROGRAM -->` and the next comment counts by
    its headings alone.
    """
    lines = text.splitlines()
    fence, indented, generated = "", False, False
    repeated: dict[str, int] = {}
    for index, line in enumerate(lines):
        number = index + 1
        if match := FENCE.match(line):
            fence = "" if fence else match[1]
        elif fence or (indented := is_indented_code(lines, index, indented)):
            page.block_lines.append((number, line))
            if not fence:
                page.unfenced.append((number, line))
        else:
            if heading := HEADING.match(line):
                anchor = slug(heading[1])
                count = repeated[anchor] = repeated.get(anchor, -1) + 1
                page.anchors.add(f"{anchor}-{count}" if count else anchor)
            elif line.startswith("<!-- "):
                generated = GENERATED.match(line) is not None
            if not generated:
                yield number, line


def parse(name: str) -> Page:
    page = Page(name)
    paragraphs: list[tuple[int, str]] = []  # spans and links may go on in the next line
    for number, line in prose(page, read(name)):
        together = paragraphs and line.strip() and not line.startswith(("|", "#"))
        start, text = paragraphs.pop() if together else (number, "")
        paragraphs.append((start, f"{text}\n{line}" if together else line))
        if not line.strip():
            paragraphs.append((number, ""))
    for start, text in paragraphs:
        for match in SPAN.finditer(text):
            where = start + text.count("\n", 0, match.start())
            page.spans.append((where, " ".join(match[2].split())))
        bare = SPAN.sub(lambda m: re.sub(r"[^\n]", "x", m[0]), text)
        for match in LINK.finditer(bare):
            page.links.append((start + bare.count("\n", 0, match.start()), match[1]))
    return page
