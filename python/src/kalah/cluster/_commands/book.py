"""The command `book`."""

import argparse
from typing import TYPE_CHECKING, Final

from kalah.cluster import _book
from kalah.cluster._book import BookStatus, build_book
from kalah.cluster._commands.command_line import (
    add_engine_options,
    add_executor_options,
    add_job_options,
    add_start_options,
    checked_position,
    number,
    run_with,
)

if TYPE_CHECKING:
    from argparse import _SubParsersAction

EPILOG: Final = """\
The store keeps the margin of each leaf at once: after Ctrl-C or a crash, the
same command goes on from there, and so does `kalah book build`. `kalah book
check` verifies the book.

Examples:
  python -m kalah.cluster book 6x4 --plies 4 --store 6x4.build \\
      --out 6x4.book --processes 2
  python -m kalah.cluster book 6x5 --plies 4 --store 6x5.build \\
      --out 6x5.book --scheduler tcp://pluto:8786
"""


def add_command(commands: "_SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to a command line."""
    command = commands.add_parser(
        "book",
        help="build an opening book",
        description="Builds an opening book of exact margins.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run, parser=command)
    add = command.add_argument
    add_start_options(command, "start", "a start such as 6x4")
    add(
        "--plies",
        type=number(0, _book.MAX_PLIES),
        required=True,
        metavar="N",
        help="plies from the start to a leaf; each sowing of a turn is a ply",
    )
    add(
        "--store",
        dest="path",
        required=True,
        metavar="FILE",
        help="the file that keeps the results of the build",
    )
    add("--out", required=True, metavar="FILE", help="the file of the book")
    add_executor_options(command)
    add(
        "--job-leaves",
        type=number(1, _book.MAX_JOB_LEAVES),
        metavar="N",
        default=_book.DEFAULT_JOB_LEAVES,
        help=f"the leaves of a job [default: {_book.DEFAULT_JOB_LEAVES}]",
    )
    add_engine_options(command, "searches")
    add_job_options(command, _book.DEFAULT_LEASE_SECONDS, str(_book.DEFAULT_LEASE_SECONDS))


def run(options: argparse.Namespace) -> str:
    """Builds the book, and returns its size and the margin of its start as text."""
    start = checked_position(options, options.start)
    status = run_with(
        options,
        _progress_text,
        lambda executor, progress: build_book(
            start,
            None,
            options.path,
            options.out,
            executor,
            plies=options.plies,
            jobs_in_flight=options.jobs_in_flight,
            job_leaves=options.job_leaves,
            memory=options.memory,
            threads=options.threads,
            tables=options.table,
            lease=options.lease,
            progress=progress,
        ),
    )
    margin = f"{status.margin:+}" if status.margin else "0"
    return (
        f"'{options.out}' is complete: {status.positions:,} positions with {status.leaves:,} "
        f"leaves; the margin of the start is {margin}\n"
    )


def _progress_text(status: BookStatus) -> str:
    return (
        f"{status.known_leaves:,} of {status.leaves:,} leaves; jobs: {status.jobs:,}, "
        f"{status.jobs_in_flight} in flight, {status.repeated_jobs} repeated"
    )
