"""The pages' blocks of code are true: each is quoted from what is built and tested, or it runs."""

import json
import re
import shlex
import struct
import subprocess
import sys

import pytest
from pages import BUILD, ROOT, Block, blocks, blocks_of, run, tracked

SOURCES = ("*.c", "*.cc", "*.h", "*.py", "*.toml", "*CMakeLists.txt")
LANGUAGES = {"c", "cpp", "cmake", "python", "sh", "text", "toml"}


def lines(text: str, language: str) -> list[str]:
    """Without indentation, empty lines and, where they are the quoting page's, TOML's comments."""
    if language == "toml":
        text = re.sub(r"#.*", "", text)
    return [line.strip() for line in text.splitlines() if line.strip()]


def stand_in(pieces: list[list[str]], source: list[str]) -> bool:
    """Each piece's lines follow each other in the source, and the pieces come in order."""
    start = 0
    for piece in pieces:
        places = range(start, len(source) - len(piece) + 1)
        found = next((i for i in places if source[i : i + len(piece)] == piece), None)
        if found is None:
            return False
        start = found + len(piece)
    return True


def is_quoted(block: Block) -> bool:
    pieces = [lines(p, block.language) for p in re.split(r"(?m)^\s*\.\.\.$", block.text)]
    return any(
        stand_in(pieces, lines((ROOT / name).read_text(), block.language))
        for name in tracked(*SOURCES)
    )


@pytest.mark.parametrize("page", tracked("*.md"))
def test_every_block_says_its_language(page):
    for block in blocks_of(page):
        assert block.language in LANGUAGES, f"{block}: a block of {block.language or 'nothing'}"


@pytest.mark.parametrize("block", blocks("c", "cpp", "cmake", "toml"), ids=str)
def test_code_is_quoted_from_the_tree(block):
    assert is_quoted(block), f"no file of the tree has\n{block.text}"


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_python_is_quoted_or_runs(block):
    if not is_quoted(block):
        run(sys.executable, "-c", block.text, PYTHONPATH=str(BUILD / "python"))


COMMANDS = [
    pytest.param(line, id=f"{block}: {line}")
    for block in blocks("sh")
    for line in block.text.splitlines()
    if re.match(r"(build/release/bin/)?tenon [a-z]", line) and "..." not in line
]


@pytest.mark.parametrize("line", COMMANDS)
def test_the_tenon_command_answers(line):
    words = shlex.split(line, comments=True)
    assert run(BUILD / "bin/tenon", *words[1:])


def texts_of_errors() -> list[str]:
    return [b.text for b in blocks_of("docs/errors.md") if b.language == "text"]


def test_the_failing_call_prints_what_the_page_of_errors_says():
    (_, printed, _) = texts_of_errors()
    environment = {"TENON_CONFIG": "/dev/null"}
    program = BUILD / "bin/docs_errors"
    done = subprocess.run([program], capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == printed


def test_the_malformed_file_is_refused_as_the_page_of_errors_says(tmp_path):
    (expected, _, _) = texts_of_errors()
    path = tmp_path / "bert.safetensors"
    entry = {"dtype": "F32", "shape": [4, 8], "data_offsets": [0, 64]}
    header = json.dumps({"pooler.weight": entry}, separators=(",", ":")).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(64))
    program = [BUILD / "bin/safetensors_copy", path, tmp_path / "copy"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    said = re.sub(
        r"at byte \d+", "at byte 9", done.stderr.replace(str(path), "/models/bert.safetensors")
    )
    assert said == expected


def test_without_memory_the_call_says_what_the_page_of_errors_says():
    (_, _, expected) = texts_of_errors()
    program = """
import tenon as tn
ones = tn.ones(1, 1)
try:
    tn.mm(ones.expand(2**24, 1), ones.expand(1, 2**24))
except MemoryError as error:
    print(error)
"""
    said = run(sys.executable, "-c", program, PYTHONPATH=str(BUILD / "python"))
    what_there_is = r"[\d.]+ \w+( of [\d.]+ \w+)? are (free|live)|[\d.]+ \w+ kept"
    assert re.sub(what_there_is, "", said) == re.sub(what_there_is, "", expected)
