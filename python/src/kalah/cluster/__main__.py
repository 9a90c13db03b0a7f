"""`python -m kalah.cluster`: proofs for a shell."""

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from types import FrameType
from typing import Any, Final, Never

from kalah._extras import missing
from kalah._kalah import Bounds, KalahError, Position
from kalah.cluster import _proof
from kalah.cluster._executors import DaskExecutor, PoolExecutor
from kalah.cluster._proof import prove
from kalah.cluster._status import ProofStatus

DESCRIPTION: Final = "Proves margins with the processes of this machine or of a cluster."

EPILOG: Final = """\
The store is a file with the proof, which `kalah prove status` reads at any time. Every result is in
it at once: after Ctrl-C or a crash, the same command goes on from there.

Examples:
  python -m kalah.cluster prove 5x4 --rules standard --store 5x4.proof --processes 2
  python -m kalah.cluster prove 6x5 --store 6x5.proof --scheduler tcp://pluto:8786
  mpirun -n 4 python -m mpi4py.futures -m kalah.cluster prove 5x4 --store 5x4.proof --mpi
"""

SIGNAL_EXIT_CODE: Final = 128
"""A command that a signal ends has this exit code plus the number of the signal."""

LOG_SECONDS: Final = 60
"""The time between two lines of progress in a file."""

MAX_PROCESSES: Final = 1024
"""The maximum number of processes of `--processes`."""


class _TerminatedError(BaseException):
    """A signal ends the program."""

    def __init__(self, number: int) -> None:
        self.number = number


def _terminate(number: int, _frame: FrameType | None) -> Never:
    raise _TerminatedError(number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kalah.cluster", description=DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser(
        "prove",
        help="prove the margin of a position",
        description="Proves the margin of a position.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command.add_argument
    add("position", help="a start such as 6x4, or the text of a position")
    add("--rules", default="cs32", help="the rules [default: cs32]")
    add("--store", required=True, metavar="FILE", help="the file that keeps the proof")
    add("--moves", action="store_true", help="prove the margin of every move")
    group = command.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="the address of the scheduler of a Dask cluster, or its scheduler file",
    )
    group.add_argument(
        "--processes",
        type=_number(1, MAX_PROCESSES),
        metavar="N",
        help="the number of processes on this machine",
    )
    group.add_argument("--mpi", action="store_true", help="the processes of mpi4py.futures")
    add(
        "--jobs",
        type=_number(1, _proof.MAX_JOBS),
        metavar="N",
        help="the jobs in flight [default: as many as the workers search at the same time]",
    )
    add(
        "--job-nodes",
        type=_number(1, sys.maxsize),
        metavar="N",
        default=_proof.DEFAULT_JOB_NODES,
        help=f"the least node limit of a job [default: {_proof.DEFAULT_JOB_NODES}]",
    )
    add("--memory", metavar="SIZE", help="the memory of each worker process, such as 4GiB")
    add(
        "--threads",
        type=_number(1, _proof.MAX_THREADS),
        metavar="N",
        help="the threads with which a process builds its endgame table [default: 1]",
    )
    add(
        "--table",
        action="append",
        metavar="FILE",
        help="an endgame table on the machines of the workers; can be repeated",
    )
    add(
        "--lease",
        type=float,
        metavar="SECONDS",
        default=_proof.DEFAULT_LEASE_SECONDS,
        help="the time after which a job without an answer is handed out again "
        f"[default: {_proof.DEFAULT_LEASE_SECONDS}]",
    )
    add("--quiet", action="store_true", help="print no progress")
    return parser


def _number(lowest: int, highest: int) -> Callable[[str], int]:
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


def _executor(options: argparse.Namespace) -> Executor | Callable[[], Executor]:
    """Returns the executor, or the function that creates it."""
    if options.scheduler is not None:
        return partial(DaskExecutor, options.scheduler)
    if options.processes is not None:
        return partial(PoolExecutor, options.processes)
    try:
        from mpi4py.futures import MPIPoolExecutor
    except ImportError:
        raise ImportError(missing("mpi4py", "mpi")) from None
    return MPIPoolExecutor()


class _Progress:
    """Progress on standard error: one line of a terminal, or a line a minute in a file."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._start = time.monotonic()
        self._next = self._start + (0 if self._is_terminal else LOG_SECONDS)

    def update(self, status: ProofStatus) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        goal = status.goal
        complete = "" if goal is None else f", target {goal.target:+} {goal.complete:.1%} complete"
        line = (
            f"{_bounds(status.bounds)}; {status.nodes:,} positions, {status.solved_goals} of "
            f"{status.goals} goals solved, {status.jobs} jobs, {status.jobs_in_flight} in flight, "
            f"{status.repeated_jobs} repeated{complete}; {now - self._start:.0f} s"
        )
        if self._is_terminal:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
            sys.stderr.write(f"\r\x1b[K{line[: columns - 1]}")
        else:
            self._next = now + LOG_SECONDS
            sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    def close(self) -> None:
        if self._is_terminal:
            sys.stderr.write("\r\x1b[K")


def _bounds(bounds: Bounds) -> str:
    """Returns bounds as `kalah prove` prints them."""
    if bounds.is_exact:
        return f"{bounds.lower:+} exact" if bounds.lower else "0 exact"
    return f"from {bounds.lower:+} to {bounds.upper:+}"


def _print(status: ProofStatus) -> None:
    print(f"{status.position.to_move.name.capitalize()} to move: {_bounds(status.bounds)}")
    best_first = sorted(status.moves, key=lambda pair: (-pair[1].lower, -pair[1].upper))
    for index, (move, bounds) in enumerate(best_first):
        star = " *" if index == 0 and bounds.is_exact and bounds == status.bounds else ""
        print(f"{move}: {_bounds(bounds)}{star}")
    print(
        f"{status.goals} goals, {status.solved_goals} solved; {status.jobs} jobs, "
        f"{status.repeated_jobs} repeated; {status.nodes:,} positions"
    )


def _prove(options: argparse.Namespace, position: Position) -> None:
    progress = _Progress()
    executor = _executor(options)
    arguments: dict[str, Any] = {
        "moves": options.moves,
        "jobs_in_flight": options.jobs,
        "job_nodes": options.job_nodes,
        "memory": options.memory,
        "threads": options.threads,
        "tables": options.table,
        "lease": options.lease,
        "progress": None if options.quiet else progress.update,
    }
    try:
        status = prove(position, None, options.store, executor, **arguments)
    finally:
        progress.close()
        if isinstance(executor, Executor):
            executor.shutdown(wait=False)
    _print(status)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line, and returns the exit code.

    >>> from kalah.cluster.__main__ import main
    >>> main(["prove", "--help"])
    Traceback (most recent call last):
        ...
    SystemExit: 0
    """
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        position = Position(options.position, options.rules)
    except KalahError as error:
        parser.error(str(error))
    signals = {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
    previous = {number: signal.signal(number, _terminate) for number in signals}
    try:
        _prove(options, position)
    except KeyboardInterrupt:
        return _interrupted(options.store, signal.SIGINT)
    except _TerminatedError as error:
        return _interrupted(options.store, error.number)
    except (KalahError, ImportError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    return 0


def _interrupted(store: str, number: int) -> int:
    if number != getattr(signal, "SIGHUP", None):
        message = f"'{store}' has all results so far, and the same command goes on with them"
        sys.stderr.write(f"error: interrupted: {message}\n")
    return SIGNAL_EXIT_CODE + number


if __name__ == "__main__":
    sys.exit(main())
