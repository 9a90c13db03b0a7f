"""The parts of the command line that all commands share."""

import argparse
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import Final, Generic, TypeVar

from kalah import _arguments
from kalah._imports.extras import missing
from kalah._kalah import KalahError, Position, _memory_bytes
from kalah.cluster import _jobs, _worker
from kalah.cluster._executors import DaskExecutor, PoolExecutor, check_scheduler
from kalah.cluster._jobs import ClusterError

LOG_SECONDS: Final = 60
"""The time between two lines of progress in a file."""

DEFAULT_COLUMNS: Final = 80
"""The width of a terminal that reports none."""

MAX_PROCESSES: Final = 1024
"""The maximum number of processes of `--processes`."""

StatusT = TypeVar("StatusT")


def number(lowest: int, highest: int) -> Callable[[str], int]:
    """Returns the parser of an integer of a range."""

    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = lowest - 1
        if not lowest <= number <= highest:
            message = f"expected {lowest} to {highest}, not {text!r}"
            raise argparse.ArgumentTypeError(message)
        return number

    return parse


def seconds(text: str) -> float:
    """Parses a number of seconds."""
    try:
        return _arguments.seconds(float(text), "")
    except ValueError:
        message = f"expected 0 to {_arguments.MAX_SECONDS} seconds, not {text!r}"
        raise argparse.ArgumentTypeError(message) from None


def add_executor_options(command: argparse.ArgumentParser) -> None:
    """Adds the options that choose an executor."""
    group = command.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="the address of the scheduler of a Dask cluster, or its scheduler file",
    )
    group.add_argument(
        "--processes",
        type=number(1, MAX_PROCESSES),
        metavar="N",
        help="the number of processes on this machine",
    )
    group.add_argument("--mpi", action="store_true", help="the processes of mpi4py.futures")


def add_start_options(command: argparse.ArgumentParser, name: str, description: str) -> None:
    """Adds the argument `name` of a position, and its rules."""
    command.add_argument(name, help=description)
    command.add_argument(
        "--rules", default="cs32", help="the rules, such as standard [default: cs32]"
    )


def add_engine_options(command: argparse.ArgumentParser, use_of_threads: str) -> None:
    """Adds the options of the engine of each worker process."""
    command.add_argument(
        "--memory",
        metavar="SIZE",
        help="the memory of each worker process, such as 4GiB [default: a quarter of that of its "
        "machine, at most 1 GiB]",
    )
    command.add_argument(
        "--threads",
        type=number(1, _worker.MAX_THREADS),
        metavar="N",
        help=f"the threads with which a process {use_of_threads} [default: 1]",
    )
    command.add_argument(
        "--table",
        action="append",
        metavar="FILE",
        help="an endgame table on the machines of the workers; can be repeated",
    )


def checked_position(options: argparse.Namespace, text: str) -> Position:
    """Returns the position of a text under the rules of the options, and checks their memory.

    A wrong one ends the program with a message.
    """
    parser: argparse.ArgumentParser = options.parser
    try:
        if options.memory is not None:
            _memory_bytes(options.memory)
        return Position(text, options.rules)
    except KalahError as error:
        parser.error(str(error))


def add_job_options(command: argparse.ArgumentParser, lease: float | None, default: str) -> None:
    """Adds the options of jobs. `default` describes the default lease."""
    command.add_argument(
        "--jobs-in-flight",
        type=number(1, _jobs.MAX_JOBS),
        metavar="N",
        help="the jobs that are handed out [default: as many as the workers do at the same time]",
    )
    command.add_argument(
        "--lease",
        type=seconds,
        metavar="SECONDS",
        default=lease,
        help="the time after which a job without an answer is handed out again "
        f"[default: {default}]",
    )
    command.add_argument("--quiet", action="store_true", help="print no progress")


def executor_of(options: argparse.Namespace) -> Executor | Callable[[], Executor]:
    """Returns the executor, or the function that creates it."""
    if options.scheduler is not None:
        try:
            check_scheduler(options.scheduler)
        except KalahError as error:
            options.parser.error(str(error))
        return partial(DaskExecutor, options.scheduler)
    if options.processes is not None:
        return partial(PoolExecutor, options.processes)
    try:
        from mpi4py.futures import MPIPoolExecutor, _core
    except ImportError:
        raise ImportError(missing("mpi4py", "mpi")) from None
    # Without them the executor would wait for processes that it starts itself, and that do not come
    # where MPI cannot start any.
    if getattr(_core, "SharedPool", None) is None:
        message = "mpirun -n 4 python -m mpi4py.futures -m kalah.cluster"
        raise ClusterError(f"--mpi needs the processes of mpi4py.futures: {message} ...")
    return MPIPoolExecutor()


class ProgressLine(Generic[StatusT]):
    """Progress on standard error: one line of a terminal, or a line a minute in a file."""

    def __init__(self, text: Callable[[StatusT], str]) -> None:
        self._text = text
        self._is_terminal = sys.stderr.isatty()
        self._start = time.monotonic()
        self._next = self._start + (0 if self._is_terminal else LOG_SECONDS)

    def update(self, status: StatusT) -> None:
        """Prints a state, if it is time for one."""
        now = time.monotonic()
        if now < self._next:
            return
        line = f"{now - self._start:.0f} s: {self._text(status)}"
        if self._is_terminal:
            # Some terminals report no size.
            columns = os.get_terminal_size(sys.stderr.fileno()).columns or DEFAULT_COLUMNS
            sys.stderr.write(f"\r\x1b[K{line[: columns - 1]}")
        else:
            self._next = now + LOG_SECONDS
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Removes the line of a terminal."""
        if self._is_terminal:
            sys.stderr.write("\r\x1b[K")


def run_with(
    options: argparse.Namespace,
    text: Callable[[StatusT], str],
    call: Callable[
        [Executor | Callable[[], Executor], Callable[[StatusT], object] | None], StatusT
    ],
) -> StatusT:
    """Calls a function with the executor of the options and a function for its progress."""
    progress: ProgressLine[StatusT] = ProgressLine(text)
    executor = executor_of(options)
    try:
        return call(executor, None if options.quiet else progress.update)
    finally:
        progress.close()
        if isinstance(executor, Executor):
            executor.shutdown(wait=False)
