"""The command `prove`."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kalah._kalah import Bounds, Move
from kalah.cluster import _proof
from kalah.cluster._commands.command_line import (
    add_engine_options,
    add_executor_options,
    add_job_options,
    add_start_options,
    checked_position,
    number,
    run_with,
)
from kalah.cluster._proof import prove
from kalah.cluster._status import ProofStatus

if TYPE_CHECKING:
    from argparse import _SubParsersAction

EPILOG: Final = """\
The store is a file with the proof, which `kalah prove status` reads at any
time. Every result is in it at once: after Ctrl-C or a crash, the same command
goes on from there.

Examples:
  python -m kalah.cluster prove 5x4 --store 5x4.proof --processes 2
  python -m kalah.cluster prove 6x5 --store 6x5.proof \\
      --scheduler tcp://pluto:8786
  mpirun -n 4 python -m mpi4py.futures -m kalah.cluster prove 5x4 \\
      --store 5x4.proof --mpi
"""


def add_command(commands: "_SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to a command line."""
    command = commands.add_parser(
        "prove",
        help="prove the margin of a position",
        description="Proves the margin of a position.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run, parser=command)
    add = command.add_argument
    add_start_options(command, "position", "a start such as 6x4, or the text of a position")
    add("--store", dest="path", required=True, metavar="FILE", help="the file that keeps the proof")
    add("--moves", action="store_true", help="prove the margin of every move")
    add(
        "--guide",
        metavar="FILE",
        help="begin a new proof with the goals on which an earlier one depends, without their "
        "answers; it usually takes less time",
    )
    add_executor_options(command)
    add(
        "--job-nodes",
        type=number(1, _proof.MAX_JOB_NODES),
        metavar="N",
        default=_proof.DEFAULT_JOB_NODES,
        help=f"the least node limit of a job [default: {_proof.DEFAULT_JOB_NODES}]",
    )
    add_engine_options(command, "builds its endgame table")
    add_job_options(command, _proof.DEFAULT_LEASE_SECONDS, str(_proof.DEFAULT_LEASE_SECONDS))


def run(options: argparse.Namespace) -> str:
    """Proves the margin, and returns it as text."""
    position = checked_position(options, options.position)
    if options.guide is not None and Path(options.path).exists():
        sys.stderr.write(f"warning: '{options.path}' exists and goes on without the guide\n")
    arguments: dict[str, Any] = {
        "moves": options.moves,
        "guide": options.guide,
        "jobs_in_flight": options.jobs_in_flight,
        "job_nodes": options.job_nodes,
        "memory": options.memory,
        "threads": options.threads,
        "tables": options.table,
        "lease": options.lease,
    }
    status = run_with(
        options,
        _progress_text,
        lambda executor, progress: prove(
            position, None, options.path, executor, progress=progress, **arguments
        ),
    )
    return _text(status)


def _progress_text(status: ProofStatus) -> str:
    goal = status.goal
    complete = ""
    if goal is not None:
        complete = f"; target {_margin(goal.target)} {100 * goal.complete:.1f} % complete"
    bounds = _bounds(status.bounds, status.conditional_leaves)
    return (
        f"{bounds}{complete}; {status.nodes:,} positions; jobs: {status.jobs:,}, "
        f"{status.jobs_in_flight} in flight, {status.repeated_jobs} repeated; goals: "
        f"{status.solved_goals:,} of {status.goals:,} solved"
    )


def _bounds(bounds: Bounds, conditional_leaves: int) -> str:
    """Returns bounds as `kalah prove` prints them, exact only if they are unconditional."""
    if bounds.is_exact:
        return _margin(bounds.lower) if conditional_leaves else f"{_margin(bounds.lower)} exact"
    return f"from {_margin(bounds.lower)} to {_margin(bounds.upper)}"


def _margin(margin: int) -> str:
    """Returns a margin as `kalah prove` prints it."""
    return f"{margin:+}" if margin else "0"


def _line(moves: Iterable[Move]) -> str:
    """Returns a line of moves as `kalah prove` prints it: the moves of a turn are joined."""
    turns = groupby(moves, key=lambda move: move.side)
    return " ".join("".join(map(str, turn)) for _, turn in turns)


def _text(status: ProofStatus) -> str:
    return "".join(f"{line}\n" for line in _lines(status))


def _lines(status: ProofStatus) -> Iterator[str]:
    side = status.position.to_move.name.capitalize()
    if status.position.is_over:
        yield f"The game is over: {_margin(status.bounds.lower)} for {side}"
        return
    leaves = status.conditional_leaves
    noun = "leaf" if leaves == 1 else "leaves"
    condition = f", conditional on {leaves:,} {noun}" if leaves else ""
    yield f"{side} to move: {_bounds(status.bounds, leaves)}{condition}"
    best_first = sorted(status.moves, key=lambda pair: (-pair[1].lower, -pair[1].upper))
    for index, (move, bounds) in enumerate(best_first):
        star = " *" if index == 0 and bounds.is_exact and bounds == status.bounds else ""
        condition = ", conditional" if leaves and bounds.is_exact else ""
        yield f"{move}: {_bounds(bounds, leaves)}{condition}{star}"
    if leaves:
        yield "Not checked: the answers of these leaves, which are from the store"
    if status.line:
        yield f"Line: {_line(status.line)}"
    yield (
        f"{status.nodes:,} positions; goals: {status.solved_goals:,} of {status.goals:,} solved; "
        f"jobs of this run: {status.jobs:,}, {status.repeated_jobs:,} repeated"
    )
