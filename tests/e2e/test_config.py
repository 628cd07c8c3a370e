"""What tenon.toml and the plugins at hand change."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import GOOD_ACCURACY, Run, accuracy, failure


def test_a_missing_device_is_named_with_what_there_is(train: Run) -> None:
    said = failure(train(config='default_device = "acme"'))
    assert '"acme"' in said
    assert "cpu" in said


def test_a_device_index_out_of_range_is_an_error(train: Run) -> None:
    assert "outside [0, 1)" in failure(train(config='default_device = "cpu:3"'))


def test_an_unknown_key_is_an_error_with_a_suggestion(train: Run) -> None:
    said = failure(train(config='defualt_device = "cpu"'))
    assert "defualt_device" in said
    assert "default_device" in said.replace("defualt_device", "")


def test_the_c_program_fails_as_well(run: Run, train: Run) -> None:
    train()
    assert '"acme"' in failure(run("fashion_mnist_classify", config='default_device = "acme"'))


@pytest.mark.parametrize("plugin", ["autograd", "safetensors"])
def test_without_a_plugin_training_says_so_at_once(train: Run, plugin: str) -> None:
    result = train(config=f'plugins.disable = ["{plugin}"]')
    assert f"plugin {plugin} is skipped" in failure(result)
    assert result.stdout == ""


def test_an_unknown_provider_is_an_error(train: Run) -> None:
    assert 'providers.cpu lists "acme"' in failure(train(config='providers.cpu = ["acme"]'))


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder with a plugin for the device cpu whose library is none."""
    folder = tmp_path / "broken"
    folder.mkdir(mode=0o755)
    (folder / "garbage.plugin.toml").write_text(
        '[plugin]\nname = "garbage"\nversion = "1.0"\nabi = "0.3"\npriority = 1000\n'
        '[[library]]\nfile = "libgarbage.so"\n'
        '[[device]]\nname = "garbage"\n'
        '[[provides]]\ndevice = "cpu"\noperators = ["convolution", "mm"]\n'
    )
    (folder / "libgarbage.so").write_text("This is no library.\n")
    return folder


def test_a_broken_plugin_costs_only_itself(train: Run, broken: Path) -> None:
    result = train(path=broken, config='providers.cpu = ["garbage", "cpu"]')
    assert result.returncode == 0, result.stderr
    assert accuracy(result) > GOOD_ACCURACY
    assert "garbage" not in result.stdout


def test_a_device_of_a_broken_plugin_is_an_error_with_the_reason(train: Run, broken: Path) -> None:
    said = failure(train(path=broken, config='default_device = "garbage"'))
    assert "libgarbage.so" in said


def test_a_broken_plugin_that_is_required_is_an_error(train: Run, broken: Path) -> None:
    said = failure(train(path=broken, config='plugins.required = ["garbage"]'))
    assert "garbage" in said
