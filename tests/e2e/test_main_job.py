"""Training in C++ and classifying in C."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import GOOD_ACCURACY, PICTURES, Run, accuracy, has
from safetensors.numpy import load_file

WITHOUT_ONEDNN = 'providers.cpu = ["cpu"]\nplugins.disable = ["onednn"]'
needs_onednn = pytest.mark.skipif(not has("onednn"), reason="built without onednn")
PROVIDERS = [["cpu"], pytest.param(["onednn", "cpu"], marks=needs_onednn)]


@pytest.mark.parametrize("providers", PROVIDERS, ids="-".join)
def test_trains_and_the_c_program_agrees(run: Run, train: Run, providers: list[str]) -> None:
    config = f"[providers]\ncpu = {providers}"
    trained = train(config=config)
    assert trained.returncode == 0, trained.stderr
    assert f"convolution by {providers[0]}" in trained.stdout
    assert accuracy(trained) > GOOD_ACCURACY
    classified = run("fashion_mnist_classify", config=config)
    assert classified.returncode == 0, classified.stderr
    assert accuracy(classified) == accuracy(trained)


@needs_onednn
def test_other_providers_give_the_same_answers(run: Run, train: Run) -> None:
    trained = train(config='providers.cpu = ["onednn", "cpu"]')
    alone = run("fashion_mnist_classify", config=WITHOUT_ONEDNN)
    # A sum in another order may turn a picture that hangs in the balance.
    assert accuracy(alone) == pytest.approx(accuracy(trained), abs=0.1)


def test_the_same_seed_gives_the_same_weights(train: Run, tmp_path: Path) -> None:
    weights = tmp_path / "fashion.safetensors"
    config = 'providers.cpu = ["cpu"]'
    train("--seed=7", "--threads=1", config=config)
    first = weights.read_bytes()
    train("--seed=7", "--threads=2", config=config)
    assert weights.read_bytes() == first
    train("--seed=8", config=config)
    assert weights.read_bytes() != first


def test_weights_are_read_by_other_programs(train: Run, tmp_path: Path) -> None:
    train()
    weights = load_file(tmp_path / "fashion.safetensors")
    assert weights["conv1.weight"].shape == (16, 1, 3, 3)
    assert weights["linear.weight"].dtype == np.float32
    test = load_file(tmp_path / "fashion-test.safetensors")
    assert test["images"].shape == (PICTURES, 1, 28, 28) and test["images"].dtype == np.uint8
    # The published file's beginning: an ankle boot, a pullover, two pairs of trousers.
    assert list(test["labels"][:4]) == [9, 2, 1, 1]


def test_prints_pictures_with_their_names(run: Run, train: Run) -> None:
    train()
    lines = run("fashion_mnist_classify").stdout.splitlines()
    assert "Ankle boot" in lines[0] and "Pullover" in lines[0] and "Trouser" in lines[0]
    assert len(lines) == 1 + 14 + 1


@pytest.mark.parametrize("arguments", [["--epochs=0"], ["--batch=x"], ["--nonsense"], ["--lr=-1"]])
def test_wrong_usage_is_status_2(run: Run, arguments: list[str]) -> None:
    assert run("fashion_mnist_train", *arguments).returncode == 2


def test_the_small_examples_run(run: Run) -> None:
    assert run("hello_c").stdout == "11 12 13\n14 15 16\n"
    assert run("hello_cc").stdout == "y = 3.000 x + -1.000\n"
