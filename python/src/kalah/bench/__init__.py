"""Measures the package and prints ratios: `python -m kalah.bench`.

Each row compares two programs in one run, in seconds of the processor on one core; each is
measured several times, and the best time counts. `--json` prints the rows as JSON, and `--scale`
changes the amount of work. Rows of packages that are not installed are skipped with the reason.

>>> from kalah import bench
>>> bench.random_plies([4] * 6, [4] * 6, seed=1, plies=100)
100
"""

import argparse
import dataclasses
import json
import random
import sys
import time
from collections.abc import Callable
from typing import Final

__all__ = ["Row", "main", "measure", "random_plies"]

REPEATS: Final = 5
MAX_SCALE: Final = 1_000_000
DESCRIPTION: Final = (
    "Measures the package against other programs. Each row has the ratio of two rates of one run, "
    "in seconds of the processor on one core; each rate is the best of several measurements."
)


@dataclasses.dataclass(frozen=True)
class Row:
    """A comparison of two rates, or the reason why it was skipped.

    >>> from kalah.bench import Row
    >>> Row("plies", "plies/s", 200.0, "pure Python", 100.0).ratio
    2.0
    """

    name: str
    """The program measured."""
    unit: str
    """The unit of both rates."""
    rate: float | None = None
    """The rate of the program."""
    other: str = ""
    """The program that it is compared with."""
    other_rate: float | None = None
    """The rate of the other program."""
    skipped: str | None = None
    """The reason why the row was not measured."""

    @property
    def ratio(self) -> float | None:
        """The rate divided by that of the other program."""
        if self.rate is None or self.other_rate is None:
            return None
        return self.rate / self.other_rate


def measure(run: Callable[[], int], repeats: int = REPEATS) -> float:
    """Returns the best rate of several runs: the work that `run` returns, for each second.

    >>> from kalah.bench import measure
    >>> measure(lambda: sum(range(1000)) and 1000, repeats=2) > 0
    True
    """
    best = 0.0
    for _ in range(repeats):
        start = time.process_time()
        work = run()
        best = max(best, work / max(time.process_time() - start, 1e-9))
    return best


def random_plies(south: list[int], north: list[int], *, seed: int, plies: int) -> int:
    """Plays random games in pure Python and returns the number of plies made, at least `plies`.

    `south` and `north` are the rows at the start of each game. The rules are `standard`: a game is
    over when a row is empty, and a capture needs seeds in the opposite house.

    >>> from kalah.bench import random_plies
    >>> random_plies([4] * 6, [4] * 6, seed=1, plies=100)
    100
    """
    generator = random.Random(seed)
    houses = len(south)
    # Houses and store of South, then those of North, in sowing order.
    start = [*south, 0, *north, 0]
    board, first, made = start.copy(), 0, 0
    while made < plies:
        legal = [house for house in range(first, first + houses) if board[house]]
        has_bonus_turn = _sow(board, houses, first, generator.choice(legal))
        made += 1
        if not any(board[:houses]) or not any(board[houses + 1 : -1]):
            board, first = start.copy(), 0
        elif not has_bonus_turn:
            first = houses + 1 - first
    return made


def _sow(board: list[int], houses: int, first: int, house: int) -> bool:
    """Sows a house of the side whose row begins at `first`; returns whether it sows again."""
    pits = len(board)
    store = first + houses
    other_store = (store + houses + 1) % pits
    seeds, board[house] = board[house], 0
    pit = house
    while seeds:
        pit = (pit + 1) % pits
        if pit != other_store:
            board[pit] += 1
            seeds -= 1
    opposite = 2 * houses - pit
    if first <= pit < store and board[pit] == 1 and board[opposite]:
        board[store] += 1 + board[opposite]
        board[pit] = board[opposite] = 0
    return pit == store


def _text(row: Row) -> str:
    if row.rate is None or row.other_rate is None or row.ratio is None:
        return f"{row.name}: skipped, {row.skipped}"
    return (
        f"{row.name}: {row.ratio:.2f} times {row.other} "
        f"({row.rate:,.0f} to {row.other_rate:,.0f} {row.unit})"
    )


def _scale(text: str) -> float:
    """Returns the value of `--scale`."""
    scale = float(text)
    if not 0 < scale <= MAX_SCALE:
        message = f"expected more than 0 and at most {MAX_SCALE}, not {text}"
        raise argparse.ArgumentTypeError(message)
    return scale


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line.

    >>> from kalah.bench import main
    >>> main(["--help"])
    Traceback (most recent call last):
        ...
    SystemExit: 0
    """
    # The rows use the functions of this module.
    from kalah.bench._rows import measured_rows

    parser = argparse.ArgumentParser(prog="python -m kalah.bench", description=DESCRIPTION)
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--scale", type=_scale, default=1.0, help="the amount of work [default: 1]")
    options = parser.parse_args(arguments)
    rows = measured_rows(options.scale)
    if options.json:
        documents = [dataclasses.asdict(row) | {"ratio": row.ratio} for row in rows]
        sys.stdout.write(json.dumps(documents) + "\n")
    else:
        sys.stdout.write("".join(_text(row) + "\n" for row in rows))
