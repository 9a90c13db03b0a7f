"""Imports of packages that tests need and that can be missing."""

import importlib
import os
from typing import Any

import pytest


def require(*names: str) -> Any:
    """Returns the first of the modules, or skips the test file where one is missing.

    Where the variable `CI` is set, a missing module is an error.
    """
    modules = []
    for name in names:
        try:
            modules.append(importlib.import_module(name))
        except ImportError:
            if "CI" in os.environ:
                raise
            pytest.skip(f"{name} is not installed", allow_module_level=True)
    return modules[0]
