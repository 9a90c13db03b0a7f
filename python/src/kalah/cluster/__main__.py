"""`python -m kalah.cluster`: proofs, tournaments and books for a shell."""

import argparse
import os
import signal
import sys
from types import FrameType
from typing import Final, Never

from kalah._kalah import KalahError
from kalah.cluster._commands import book, prove, tournament

DESCRIPTION: Final = (
    "Proves margins, plays tournaments and builds opening books with the processes of this machine "
    "or of a cluster."
)

SIGNAL_EXIT_CODE: Final = 128
"""A command that a signal ends has this exit code plus the number of the signal."""


class _TerminatedError(BaseException):
    """A signal ends the program."""

    def __init__(self, number: int) -> None:
        self.number = number


def _terminate(number: int, _frame: FrameType | None) -> Never:
    raise _TerminatedError(number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kalah.cluster", description=DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)
    prove.add_command(commands)
    tournament.add_command(commands)
    book.add_command(commands)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line, and returns the exit code.

    >>> from kalah.cluster.__main__ import main
    >>> main(["prove", "--help"])
    Traceback (most recent call last):
        ...
    SystemExit: 0
    """
    options = _parser().parse_args(arguments)
    signals = {signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
    previous = {number: signal.signal(number, _terminate) for number in signals}
    try:
        result = options.run(options)
    except KeyboardInterrupt:
        return _interrupted(options.path, signal.SIGINT)
    except _TerminatedError as error:
        return _interrupted(options.path, error.number)
    except (KalahError, ImportError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    return _write(result)


def _write(text: str) -> int:
    """Writes a text to standard output, and returns the exit code."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # Python writes the rest again when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            # The reader has closed the pipe early.
            return 0
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


def _interrupted(path: str, number: int) -> int:
    if number != getattr(signal, "SIGHUP", None):
        message = f"'{path}' has all results so far, and the same command goes on with them"
        sys.stderr.write(f"error: interrupted: {message}\n")
    return SIGNAL_EXIT_CODE + number


if __name__ == "__main__":
    sys.exit(main())
