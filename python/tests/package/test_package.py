"""The package as a whole: its names, its import and its files."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import kalah
from kalah._imports.extension import import_extension

PACKAGE_FOLDER = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("free_threaded", [0, 1, None])
def test_failed_import_names_free_threaded_python(
    monkeypatch: pytest.MonkeyPatch, free_threaded: int | None
) -> None:
    monkeypatch.setitem(sys.modules, "kalah._kalah", None)
    monkeypatch.setattr(sysconfig, "get_config_var", {"Py_GIL_DISABLED": free_threaded}.__getitem__)
    with pytest.raises(ImportError) as caught:
        import_extension()
    assert ("free-threaded Python" in str(caught.value)) == bool(free_threaded)


def test_all_names_exist_once_in_order() -> None:
    assert sorted(set(kalah.__all__)) == kalah.__all__
    assert all(hasattr(kalah, name) for name in kalah.__all__)


def test_modules_of_the_package_are_attributes() -> None:
    code = "import kalah; print(kalah.plot.__name__, kalah.uki.Engine.__name__, *dir(kalah))"
    command = [sys.executable, "-c", code]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert words[:2] == ["kalah.plot", "Engine"]
    assert {"plot", "players", "typing", "uki", *kalah.__all__} <= set(words)


#: The packages that the extras install.
OPTIONAL_PACKAGES = [
    "PIL",
    "dask",
    "distributed",
    "gymnasium",
    "kaggle_environments",
    "matplotlib",
    "mpi4py",
    "open_spiel",
    "pettingzoo",
    "pyarrow",
    "pygame",
    "pyspiel",
    "tqdm",
]


def test_import_imports_no_optional_package() -> None:
    code = "import sys, kalah; print(*(name.partition('.')[0] for name in sys.modules))"
    command = [sys.executable, "-c", code]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "kalah" in words
    assert not set(words) & set(OPTIONAL_PACKAGES)


def test_unknown_attribute_is_named() -> None:
    with pytest.raises(AttributeError, match="module 'kalah' has no attribute 'solver'"):
        _ = kalah.solver  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["LICENSE-MIT", "LICENSE-APACHE"])
def test_licences_are_those_of_the_repository(name: str) -> None:
    assert (PACKAGE_FOLDER / name).read_bytes() == (PACKAGE_FOLDER.parent / name).read_bytes()
