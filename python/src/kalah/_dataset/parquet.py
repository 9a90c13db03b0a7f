"""Columns and files of the Parquet format, with pyarrow."""

import contextlib
import errno
import importlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalah._imports.extras import missing
from kalah._kalah import KalahError


def import_pyarrow() -> tuple[Any, Any]:
    """Returns the modules `pyarrow` and `pyarrow.parquet`."""
    try:
        pa = importlib.import_module("pyarrow")
        pq = importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise ImportError(missing("pyarrow", "parquet")) from error
    return pa, pq


def fixed_lists(pa: Any, rows: NDArray[Any], mask: NDArray[np.bool_] | None = None) -> Any:
    """Returns a column with a list of a fixed length in each row."""
    flat = pa.array(np.ascontiguousarray(rows).ravel(), mask=mask)
    return pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])


def column(table: Any, name: str, kind: Any) -> Any:
    """Returns a column of a type as an array."""
    values = table[name]
    if values.type != kind:
        raise TypeError(f"column {name}: expected {kind}, not {values.type}")
    return values.combine_chunks()


def without_nulls(values: Any) -> Any:
    if values.null_count:
        raise ValueError("a value is null that is no margin")
    return values


def elements(table: Any, name: str, kind: Any) -> Any:
    """Returns the elements of all lists of a column."""
    return without_nulls(column(table, name, kind)).flatten()


def rows(table: Any, name: str, kind: Any) -> NDArray[Any]:
    """Returns the lists of a column as the rows of an array."""
    values = without_nulls(elements(table, name, kind))
    rows: NDArray[Any] = values.to_numpy(zero_copy_only=False)
    return rows.reshape(-1, kind.list_size)


def checked_path(path: Any) -> str:
    try:
        text = os.fsdecode(path)
    except TypeError:
        kind = type(path).__name__
        raise TypeError(f"path: expected str, bytes or os.PathLike, not {kind}") from None
    if "\0" in text:
        raise KalahError(f"path: expected no null character, not {text!r}")
    return text


@contextlib.contextmanager
def replaced_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yields the path of a new file that replaces the one at `path` if no exception is raised.

    The new file has the permissions of the old one. A device or a pipe is not replaced: it receives
    the bytes of the file. The exception of the operating system is raised again with `path`.
    """
    target = Path(os.path.realpath(path))
    exists = target.exists()
    if exists and not target.is_file():
        with tempfile.TemporaryDirectory() as folder:
            complete = Path(folder, "file")
            yield complete
            with complete.open("rb") as source, Path(path).open("wb") as sink:
                shutil.copyfileobj(source, sink)
        return
    if exists and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    part = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    try:
        try:
            yield part
            with part.open("rb+") as file:
                os.fsync(file.fileno())
            if exists:
                shutil.copymode(target, part)
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        number = error.errno or errno.EIO
        raise OSError(number, os.strerror(number), os.fspath(path)) from error
