"""Imports the extension module, and explains why a free-threaded Python cannot import it."""

import importlib
import sysconfig


def import_extension() -> None:
    """Imports `kalah._kalah`, with a message of its own on a free-threaded Python."""
    try:
        importlib.import_module("kalah._kalah")
    except ImportError as error:
        if not sysconfig.get_config_var("Py_GIL_DISABLED"):
            raise
        message = (
            "kalah does not support free-threaded Python: its extension module has the stable ABI "
            "of Python with the global interpreter lock. Use a Python without the suffix t, such "
            "as python3.13 instead of python3.13t"
        )
        raise ImportError(message, name=error.name, path=error.path) from error
