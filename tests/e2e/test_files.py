"""Data and weights that are missing, damaged, or made for something else."""

from __future__ import annotations

import gzip
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, failure
from safetensors.numpy import load_file, save_file

NAMES = [
    f"{part}-{kind}-ubyte.gz"
    for part in ("train", "t10k")
    for kind in ("images-idx3", "labels-idx1")
]


def idx(sizes: list[int], data: bytes, kind: int = 8) -> bytes:
    return struct.pack(f">HBB{len(sizes)}I", 0, kind, len(sizes), *sizes) + data


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A whole set of twenty pictures."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in NAMES:
        images = "images" in name
        sizes = [20, 28, 28] if images else [20]
        content = bytes(range(10)) * 2 if not images else bytes(20 * 28 * 28)
        (folder / name).write_bytes(gzip.compress(idx(sizes, content)))
    return folder


def test_the_small_set_is_good(run: Run, data: Path) -> None:
    result = run("fashion_mnist_train", "--data", str(data), "--epochs=1")
    assert result.returncode == 0, result.stderr
    assert "20 training and 20 test images" in result.stdout


def test_a_missing_folder_says_how_to_get_the_data(run: Run, tmp_path: Path) -> None:
    said = failure(run("fashion_mnist_train", "--data", str(tmp_path / "nowhere")))
    assert "nowhere/train-images-idx3-ubyte.gz" in said
    assert "dataset-fashion-mnist" in said


def wrong_checksum(raw: bytes) -> bytes:
    packed = gzip.compress(raw)
    return packed[:-8] + bytes(4) + packed[-4:]


BAD: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "compressed stream cut off": (lambda raw: gzip.compress(raw)[:-30], "damaged or cut off"),
    "checksum wrong": (wrong_checksum, "damaged"),
    "data too short": (lambda raw: gzip.compress(raw[:-5]), "ends after 15675 of 15680 bytes"),
    "data too long": (lambda raw: gzip.compress(raw + b"x"), "goes on after"),
    "header cut off": (lambda raw: gzip.compress(raw[:6]), "of the header"),
    "empty": (lambda raw: b"", "of the header"),
    "another format": (lambda raw: gzip.compress(b"PK" + raw), "no IDX file"),
    "floats": (lambda raw: gzip.compress(idx([20, 28, 28], bytes(4), kind=13)), "type 13"),
    "labels in its place": (lambda raw: gzip.compress(idx([20], bytes(20))), "in 1 dimensions"),
    "larger": (lambda raw: gzip.compress(idx([20, 32, 32], bytes(20 * 1024))), "32 x 32"),
    "other count": (lambda raw: gzip.compress(idx([3, 28, 28], bytes(3 * 784))), "3 pictures"),
    "none": (lambda raw: gzip.compress(idx([0, 28, 28], b"")), "0 pictures"),
    "absurd sizes": (lambda raw: gzip.compress(idx([2**32 - 1] * 3, b"")), "more than 2^31"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_images_are_refused_by_name(run: Run, data: Path, case: str) -> None:
    spoil, reason = BAD[case]
    file = data / "train-images-idx3-ubyte.gz"
    file.write_bytes(spoil(gzip.decompress(file.read_bytes())))
    said = failure(run("fashion_mnist_train", "--data", str(data)))
    assert file.name in said
    assert reason in said


def test_a_label_out_of_range_is_refused(run: Run, data: Path) -> None:
    (data / NAMES[1]).write_bytes(gzip.compress(idx([20], bytes(19) + b"\x0a")))
    assert "label 10 at place 19" in failure(run("fashion_mnist_train", "--data", str(data)))


def test_an_output_folder_that_is_missing_is_an_error(run: Run, data: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "no" / "such")
    result = run("fashion_mnist_train", "--data", str(data), "--output", out)
    assert out in failure(result)
    assert result.stdout == "", "training is not begun in vain"


@pytest.fixture
def trained(run: Run, data: Path, tmp_path: Path) -> Path:
    run("fashion_mnist_train", "--data", str(data), "--epochs=1")
    return tmp_path


def test_the_c_program_says_which_file_is_missing(run: Run, trained: Path) -> None:
    assert run("fashion_mnist_classify").returncode == 0
    for name in ("fashion-test.safetensors", "fashion.safetensors"):
        (trained / name).unlink()
        said = failure(run("fashion_mnist_classify"))
        assert name in said
        assert "fashion_mnist_train" in said


def test_weights_cut_off_are_refused(run: Run, trained: Path) -> None:
    os.truncate(trained / "fashion.safetensors", 5000)
    assert "fashion.safetensors" in failure(run("fashion_mnist_classify"))


@pytest.mark.parametrize("name", ["conv1.weight", "linear.bias"])
def test_weights_of_another_shape_are_refused(run: Run, trained: Path, name: str) -> None:
    weights = load_file(trained / "fashion.safetensors")
    save_file(weights | {name: np.zeros((7, 3), np.float32)}, trained / "fashion.safetensors")
    said = failure(run("fashion_mnist_classify"))
    assert f'"{name}" is f32[7,3]' in said
    assert "expected [" in said


def test_a_missing_tensor_is_named(run: Run, trained: Path) -> None:
    weights = load_file(trained / "fashion.safetensors")
    del weights["conv2.bias"]
    save_file(weights, trained / "fashion.safetensors")
    assert "conv2.bias" in failure(run("fashion_mnist_classify"))


def test_missing_metadata_is_named(run: Run, trained: Path) -> None:
    weights = load_file(trained / "fashion.safetensors")
    save_file(weights, trained / "fashion.safetensors", {"mean": "0.3", "deviation": "0.3"})
    assert '"classes"' in failure(run("fashion_mnist_classify"))
    save_file(weights, trained / "fashion.safetensors", {"mean": "many", "deviation": "0.3"})
    assert '"mean" is many' in failure(run("fashion_mnist_classify"))


def test_a_folder_can_be_named(run: Run, trained: Path) -> None:
    other = trained / "other"
    other.mkdir()
    for name in ("fashion.safetensors", "fashion-test.safetensors"):
        shutil.move(trained / name, other / name)
    assert run("fashion_mnist_classify", str(other)).returncode == 0
    assert run("fashion_mnist_classify", "a", "b").returncode == 2
