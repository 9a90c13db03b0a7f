"""The command `tournament`."""

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from kalah._kalah import KalahError, TournamentError
from kalah.cluster._commands.command_line import (
    add_executor_options,
    add_job_options,
    number,
    run_with,
)
from kalah.cluster._jobs import ClusterError
from kalah.cluster._tournament import TournamentFormat, tournament
from kalah.cluster._tournament_status import Sprt, TournamentStatus

if TYPE_CHECKING:
    from argparse import _SubParsersAction

EPILOG: Final = """\
The options are those of `kalah arena`, and so is the folder: either command
continues it. Every finished game is in it at once. After Ctrl-C or a crash,
the same command goes on from there. It needs only --out and the workers then.

A job is a pair of games. With time controls, each processor should have one job.

Examples:
  python -m kalah.cluster tournament --engine smart --engine level:9 \\
      --out mine --processes 2
  python -m kalah.cluster tournament --engine cmd=./new --engine cmd=./old \\
      --sprt elo1=20 --out mine --scheduler tcp://pluto:8786
"""

MAX_SEED: Final = 2**64 - 1
"""The greatest seed."""

OPTIONS: Final = {"contestants": "--engine", "start": "--board", "format": "--tournament"}
"""The options of arguments with other names."""

MAX_ROUNDS: Final = 1_000_000
"""The maximum number of rounds."""

SEEDS_PREFIX: Final = "seeds="
"""The beginning of the value of `--adjudicate`."""


def add_command(commands: "_SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command to a command line."""
    command = commands.add_parser(
        "tournament",
        help="play a tournament",
        description="Plays a tournament of programs and built-in players.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run, parser=command)
    add = command.add_argument
    add(
        "--engine",
        action="append",
        metavar="ENGINE",
        help="an engine on the machines of the workers, at least twice for a new tournament: "
        "smart, level:3, or cmd='COMMAND',proto=uki|kgp-child|mankalah",
    )
    add("--out", dest="path", required=True, metavar="DIR", help="the folder of the tournament")
    add_executor_options(command)
    add(
        "--rounds",
        type=number(1, MAX_ROUNDS),
        metavar="N",
        help="the rounds, of a pair of games of opponents [default: 10, or 5000 with --sprt]",
    )
    add(
        "--tournament",
        choices=get_args(TournamentFormat),
        help="the format [default: round-robin]",
    )
    add("--board", metavar="MxN", help="the start, of M houses a side and N seeds in each")
    add("--rules", metavar="PRESET", help="the rules [default: cs32, or those of the protocols]")
    add(
        "--time",
        metavar="TIME",
        help="the time for each move, 1s, for a game and once a turn, 10s+0.1s, or the "
        "positions to search for each move, nodes=10000 [default: 1s]",
    )
    add("--grace", metavar="DURATION", help="the tolerated delay of an answer [default: 50ms]")
    add(
        "--openings",
        metavar="FILE|balanced:K",
        help="a file, balanced:K, plies:N, random:N or start [default: balanced if the board has a "
        "list]",
    )
    group = command.add_mutually_exclusive_group()
    group.add_argument(
        "--adjudicate",
        type=_seeds,
        metavar="seeds=N",
        help="the most seeds in the houses of adjudicated games [default: a quarter, at most 12]",
    )
    group.add_argument(
        "--play-out",
        dest="adjudicate",
        action="store_const",
        const=0,
        help="play all games to their end",
    )
    add(
        "--resign",
        metavar="seeds=N,moves=M",
        help="end a game as lost when both engines estimate in their last M moves, 3 by default, "
        "that one of them loses it by at least N seeds",
    )
    add(
        "--sprt",
        nargs="*",
        type=_sprt_parameter,
        metavar="KEY=NUMBER",
        help="stop the match of two engines when the test is decided "
        "[default: elo0=0 elo1=10 alpha=0.05 beta=0.05]",
    )
    add(
        "--seed",
        type=number(0, MAX_SEED),
        metavar="N",
        help="the seed of the openings and of the random choices of built-in players [default: 1]",
    )
    add(
        "--memory",
        metavar="SIZE",
        help="the memory of each built-in player that searches [default: 64MiB]",
    )
    add_job_options(command, None, "the time of both players for two games, at least 1800")


def _seeds(text: str) -> int:
    """Parses `seeds=N`."""
    digits = text.removeprefix(SEEDS_PREFIX)
    if digits == text or not digits.isdecimal():
        raise argparse.ArgumentTypeError(f"expected {SEEDS_PREFIX}N, not {text!r}")
    return int(digits)


def _sprt_parameter(text: str) -> tuple[str, float]:
    """Parses a parameter such as `elo1=20`."""
    key, _, value = text.partition("=")
    keys = [field.name for field in dataclasses.fields(Sprt)]
    try:
        number = float(value)
    except ValueError:
        number = None
    if key not in keys or number is None:
        expected = ", ".join(f"{key}=" for key in keys)
        raise argparse.ArgumentTypeError(f"expected {expected} and a number, not {text!r}")
    return key, number


def run(options: argparse.Namespace) -> str:
    """Plays the tournament, and returns the results as text."""
    if options.engine is None and not Path(options.path, "tournament.json").exists():
        options.parser.error(
            f"'{options.path}' has no tournament to continue, and a new one needs two --engine"
        )
    arguments: dict[str, Any] = {
        "format": options.tournament,
        "rounds": options.rounds,
        "start": options.board,
        "rules": options.rules,
        "openings": options.openings,
        "time": options.time,
        "grace": options.grace,
        "adjudicate": options.adjudicate,
        "resign": options.resign,
        "sprt": None if options.sprt is None else Sprt(**dict(options.sprt)),
        "seed": options.seed,
        "memory": options.memory,
        "jobs_in_flight": options.jobs_in_flight,
        "lease": options.lease,
    }
    try:
        status = run_with(
            options,
            _progress_text,
            lambda executor, progress: tournament(
                options.engine, options.path, executor, progress=progress, **arguments
            ),
        )
    except (ClusterError, TournamentError):
        raise
    except KalahError as error:
        # The options contradict each other or themselves.
        name, separator, reason = str(error).partition(": ")
        options.parser.error(f"{OPTIONS.get(name, name)}{separator}{reason}")
    return status.text


def _progress_text(status: TournamentStatus) -> str:
    test = status.sprt
    llr = "" if test is None else f", LLR {test.llr:.2f} ({test.lower:.2f} to {test.upper:.2f})"
    leader = f", {status.standings[0].name} leads" if status.games else ""
    return (
        f"{status.games} of {status.planned_games} games, {status.jobs_in_flight} pairs in flight, "
        f"{status.repeated_jobs} repeated{leader}{llr}"
    )
