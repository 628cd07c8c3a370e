"""Files of the reference implementation (PyPI's safetensors) and Tenon's are the same files."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from safetensors import SafetensorError
from safetensors.numpy import load, load_file, save, save_file

DTYPES = [
    *("bool", "uint8", "int8", "int16", "uint16", "float16", "int32", "uint32", "float32"),
    *("complex64", "float64", "int64", "uint64"),
]


def copy(source: Path, target: Path, *keys: str) -> subprocess.CompletedProcess[str]:
    command = [os.environ["SAFETENSORS_COPY"], str(source), str(target), *keys]
    return subprocess.run(command, capture_output=True, text=True)


def tensors() -> dict[str, np.ndarray]:
    """All dtypes, with ranks 0 to 4, empty ones, and names that need escapes."""
    random = np.random.default_rng(0)
    made = {}
    for i, dtype in enumerate(DTYPES):
        for rank in range(5):
            shape = tuple(random.integers(1, 4, rank))
            bits = random.integers(0, 2 if dtype == "bool" else 128, (*shape, 16), np.uint8)
            values = np.ascontiguousarray(bits.view(dtype)[..., 0]).reshape(shape)
            made[f"layer{i}.{dtype}.{rank}"] = values
        made[f"empty.{dtype}"] = np.zeros((2, 0, 3), dtype)
    made['quote" back\\slash \t é € 😀'] = np.arange(5, dtype="float32")
    return made


def test_a_copy_is_the_reference_files_bytes(tmp_path):
    save_file(tensors(), tmp_path / "in", metadata={"format": "pt"})
    result = copy(tmp_path / "in", tmp_path / "out", "format")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out").read_bytes() == (tmp_path / "in").read_bytes()


def test_the_reference_reads_what_tenon_wrote(tmp_path):
    expected = tensors()
    save_file(expected, tmp_path / "in")
    assert copy(tmp_path / "in", tmp_path / "out").returncode == 0
    found = load_file(tmp_path / "out")
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].dtype == values.dtype
        assert found[name].shape == values.shape
        assert found[name].tobytes() == values.tobytes()


def test_a_file_without_tensors(tmp_path):
    (tmp_path / "in").write_bytes(save({}))
    assert copy(tmp_path / "in", tmp_path / "out").returncode == 0
    assert load_file(tmp_path / "out") == {}


@pytest.mark.parametrize("padding", range(8))
def test_misaligned_data_is_read_rightly(tmp_path, padding):
    """The reference accepts any header length, so data may begin at any address."""
    header = (
        json.dumps(
            {
                "b": {"dtype": "U8", "shape": [3], "data_offsets": [0, 3]},
                "w": {"dtype": "F64", "shape": [2], "data_offsets": [3, 19]},
            }
        ).encode()
        + b" " * padding
    )
    data = bytes([1, 2, 3]) + struct.pack("<2d", 1.5, -2.25)
    (tmp_path / "in").write_bytes(struct.pack("<Q", len(header)) + header + data)
    assert copy(tmp_path / "in", tmp_path / "out").returncode == 0
    found = load_file(tmp_path / "out")
    assert found["b"].tolist() == [1, 2, 3]
    assert found["w"].tolist() == [1.5, -2.25]


BROKEN = {
    "cut": lambda good: good[:-1],
    "longer": lambda good: good + b"\0",
    "header cut": lambda good: good[:20],
    "length": lambda good: struct.pack("<Q", 1 << 40) + good[8:],
    "dtype": lambda good: good.replace(b'"F32"', b'"F31"'),
    "shape": lambda good: good.replace(b"[4]", b"[5]"),
    "overlap": lambda good: good.replace(b"[16,32]", b"[8,24] "),
    "outside": lambda good: good.replace(b"[16,32]", b"[20,36]"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_both_refuse_the_same_files(tmp_path, name):
    ones = np.ones(4, "float32")
    bad = BROKEN[name](save({"a": ones, "b": ones}))
    with pytest.raises(SafetensorError):
        load(bad)
    (tmp_path / "in").write_bytes(bad)
    result = copy(tmp_path / "in", tmp_path / "out")
    assert result.returncode == 1
    assert str(tmp_path / "in") in result.stderr
    assert not (tmp_path / "out").exists()
