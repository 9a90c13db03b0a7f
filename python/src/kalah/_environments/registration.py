"""Registers the environments with Gymnasium and PettingZoo, when these packages are imported."""

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Final

#: The functions that register environments, by the package with the registry.
_REGISTRATIONS: Final[dict[str, Callable[[], None]]] = {}


def _register_gymnasium() -> None:
    from gymnasium.envs.registration import register, registry

    if "Kalah-v0" not in registry:
        register(
            id="Kalah-v0",
            entry_point="kalah.gymnasium:KalahEnv",
            vector_entry_point="kalah.gymnasium:KalahVectorEnv",
        )


def _register_pettingzoo() -> None:
    try:
        from pettingzoo import aec_registry, parallel_registry, register
    except ImportError:  # Older versions have no registry.
        return
    if "kalah/Kalah-v0" not in aec_registry:
        register("aec", "kalah/Kalah-v0", "kalah.pettingzoo:env")
    if "kalah/Kalah-v0" not in parallel_registry:
        register("parallel", "kalah/Kalah-v0", "kalah.pettingzoo:parallel_env")


_REGISTRATIONS["gymnasium"] = _register_gymnasium
_REGISTRATIONS["pettingzoo"] = _register_pettingzoo


class _Loader(importlib.abc.Loader):
    """Loads a package as its own loader does, and then registers the environments."""

    def __init__(self, loader: importlib.abc.Loader, register: Callable[[], None]) -> None:
        self._loader = loader
        self._register = register

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The package has its own loader again, which its resources need.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._register()


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the packages with registries, and nothing else."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in _REGISTRATIONS or path is not None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        spec.loader = _Loader(spec.loader, _REGISTRATIONS[fullname])
        return spec


def register_environments() -> None:
    """Registers the environments with Gymnasium and PettingZoo now or as soon as they are imported.

    `gymnasium.make("kalah:Kalah-v0")` imports `kalah`, which can have been imported before
    Gymnasium. The import of `kalah` imports neither package.
    """
    finds_later = False
    for package, register in _REGISTRATIONS.items():
        if package in sys.modules:
            register()
        else:
            finds_later = True
    if finds_later and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
