"""Processes, stores and waiting for the tests of `kalah.cluster`."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kalah

#: The seconds after which a test that hangs fails.
HANG_SECONDS = 600

#: The settings of the tests: little memory, and jobs of few nodes, so that small proofs have many.
SMALL: dict[str, Any] = {"moves": True, "memory": "16MiB", "job_nodes": 50}

#: A proof of some hundred small jobs.
START, RULES = "4x3", "standard"

#: Whether the slow tests run, as `.ci/run` wants it.
ALL_TESTS = "KALAH_ALL_TESTS" in os.environ


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits for a condition that another process fulfils."""
    deadline = time.monotonic() + HANG_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def start_python(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Starts Python with arguments."""
    return subprocess.Popen([sys.executable, *arguments], text=True, **options)


def is_running(process: int) -> bool:
    """Returns whether a process exists."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def is_ended(process: int) -> bool:
    """Returns whether a process has ended, also if its parent has not taken note of it."""
    try:
        return not is_running(process) or ") Z " in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        # The process ended meanwhile, or this system has no `/proc`.
        return not is_running(process)


def jobs_in_store(path: Path) -> int:
    """Returns the number of jobs whose results a store has, also while it is written."""
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    except sqlite3.OperationalError:
        return 0
    try:
        return int(connection.execute("SELECT total(jobs) FROM runs").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def assert_solved(status: "kalah.cluster.ProofStatus", start: str = START) -> None:
    """Compares a proof of all moves with that of one process without a store."""
    expected = kalah.solve(start, status.position.rules, moves=True)
    assert status.is_finished
    assert status.goal is None
    assert status.margin == expected.margin
    assert status.bounds == expected.bounds
    assert dict(status.moves)[status.line[0]] == status.bounds
    assert {str(move): bounds for move, bounds in status.moves} == {
        str(entry.move): entry.bounds for entry in expected.moves
    }
