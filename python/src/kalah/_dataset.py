"""Data sets of positions with the exact margins of all moves."""

import contextlib
import dataclasses
import errno
import importlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kalah._kalah import (
    Engine,
    KalahError,
    Position,
    PositionProgress,
    Rules,
    Table,
    VectorEnv,
    _draw_from_layers,
    random_openings,
)
from kalah.players import PlayerLike, play_game
from kalah.typing import RulesLike

__all__ = ["Dataset", "dataset"]

ProgressLike: TypeAlias = bool | Callable[[PositionProgress], object]

SEED_BITS: Final = 64
#: The number of positions whose gains are read from the table at once.
BATCH: Final = 1024
#: The largest margin of the arrays' type.
MAX_TOTAL: Final = np.iinfo(np.int16).max
#: The key of the board in the metadata of a Parquet file.
METADATA_KEY: Final = b"kalah"


@dataclasses.dataclass(frozen=True, eq=False)
class Dataset:
    """Positions with the exact margins of all moves, as NumPy arrays with one row a position.

    >>> import kalah
    >>> data = kalah.dataset(3, houses=3, seeds=2, source="layer", layers=(1, 6), seed=1)
    >>> data.observations.shape, data.margins.shape
    ((3, 8), (3, 3))
    >>> len(data), bool((data.margins[data.legal] != data.UNKNOWN).all())
    (3, True)
    """

    UNKNOWN: ClassVar[int] = VectorEnv.UNKNOWN_GAIN
    """The margin of an illegal move, and of a move whose margin is not proven."""

    houses: int
    """The number of houses a side."""
    seeds: int
    """The number of seeds in each house at the start of a game."""
    rules: Rules
    """The rules."""
    observations: NDArray[np.unsignedinteger[Any]]
    """The positions, `(n, 2 * houses + 2)`, as those of `VectorEnv`: the houses of the side to
    move, its store, the other side's houses, and the other store."""
    legal: NDArray[np.bool_]
    """Whether each action of `VectorEnv` is legal, `(n, actions)`."""
    margins: NDArray[np.int16]
    """The margin at the end of the game for the side to move after each action with best play,
    `(n, actions)`, or `UNKNOWN`."""
    games: NDArray[np.int64]
    """The number of the game that each position is from, from 0, `(n,)`. Positions that were drawn
    from layers have numbers of their own. A split by games keeps those of a game together."""

    def __len__(self) -> int:
        """Returns the number of positions."""
        return len(self.observations)

    @property
    def leads(self) -> NDArray[np.int16]:
        """The store of the side to move minus the other store, `(n,)`."""
        counts = self.observations.astype(np.int32)
        return (counts[:, self.houses] - counts[:, -1]).astype(np.int16)

    @property
    def gains(self) -> NDArray[np.int16]:
        """The margins without the lead, as those of `VectorEnv.exact_gains`, `(n, actions)`."""
        gains = self.margins - self.leads[:, np.newaxis]
        return np.where(self.margins == self.UNKNOWN, self.UNKNOWN, gains).astype(np.int16)

    @property
    def values(self) -> NDArray[np.int16]:
        """The margin of the best move, `(n,)`, or `UNKNOWN` if that of a legal move is."""
        is_open = (self.legal & (self.margins == self.UNKNOWN)).any(axis=1)
        values: NDArray[np.int16] = np.where(is_open, self.UNKNOWN, self.margins.max(axis=1))
        return values.astype(np.int16)

    @property
    def best(self) -> NDArray[np.bool_]:
        """Whether each action is proven to be a best one, `(n, actions)`."""
        values = self.values[:, np.newaxis]
        is_best: NDArray[np.bool_] = (self.margins == values) & (values != self.UNKNOWN)
        return is_best & self.legal

    def position(self, index: int) -> Position:
        """Returns a position with South to move and later plies than those of a swap.

        >>> import kalah
        >>> data = kalah.dataset(1, houses=2, seeds=1, source="layer", layers=2, seed=4)
        >>> data.position(0).seeds_in_play
        2
        """
        index = _checked("index", index, 0, len(self) - 1)
        counts = self.observations[index].tolist()
        south, north = counts[: self.houses], counts[self.houses + 1 : -1]
        numbers = [self.houses, counts[self.houses], counts[-1], *south, *north]
        return Position(f"<{','.join(map(str, numbers))}> s", rules=self.rules)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the arrays to a Parquet file, in the place of its contents.

        The columns are `observation`, `legal`, `margin` and `game`, the first three with lists of a
        fixed length; an unknown margin is null. The metadata has houses, seeds and rules as JSON
        with the key `kalah`. The file has either its old or its new contents at any time.

        Needs pyarrow: `pip install 'kalah[parquet]'`. Raises a subclass of `OSError` with the path
        if the file cannot be written, for instance on a full disk.

        >>> import kalah, pathlib, tempfile
        >>> data = kalah.dataset(5, houses=3, seeds=2, source="layer", seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "positions.parquet")
        ...     data.to_parquet(path)
        ...     len(kalah.Dataset.read_parquet(path))
        5
        """
        pa, pq = _import_pyarrow()
        board = {"houses": self.houses, "seeds": self.seeds, "rules": str(self.rules)}
        unknown = (self.margins == self.UNKNOWN).ravel()
        columns = {
            "observation": _fixed_lists(pa, self.observations),
            "legal": _fixed_lists(pa, self.legal),
            "margin": _fixed_lists(pa, self.margins, mask=unknown),
            "game": pa.array(self.games),
        }
        table = pa.table(columns).replace_schema_metadata({METADATA_KEY: json.dumps(board)})
        with _replaced_file(path) as part:
            pq.write_table(table, part)

    @classmethod
    def read_parquet(cls, path: str | os.PathLike[str]) -> "Dataset":
        """Reads a file that `to_parquet` has written.

        Needs pyarrow. Raises a subclass of `OSError` with the path if the file cannot be read, and
        `KalahError` if it is no such file.

        >>> import kalah
        >>> kalah.Dataset.read_parquet("missing.parquet")
        Traceback (most recent call last):
            ...
        FileNotFoundError: [Errno 2] No such file or directory: 'missing.parquet'
        """
        pa, pq = _import_pyarrow()
        with Path(path).open("rb") as file:
            try:
                table = pq.read_table(file)
                board = json.loads((table.schema.metadata or {})[METADATA_KEY])
                count, houses, rules = len(table), board["houses"], Rules(board["rules"])
                actions = houses + rules.swap
                margins = _elements(table, "margin")
                return cls(
                    houses=houses,
                    seeds=board["seeds"],
                    rules=rules,
                    observations=_elements(table, "observation")
                    .to_numpy(zero_copy_only=False)
                    .reshape(count, 2 * houses + 2),
                    legal=_elements(table, "legal")
                    .to_numpy(zero_copy_only=False)
                    .reshape(count, actions),
                    margins=margins.fill_null(cls.UNKNOWN).to_numpy().reshape(count, actions),
                    games=table["game"].to_numpy(),
                )
            except (pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
                message = f"'{os.fspath(path)}' is no data set of kalah: {error}"
                raise KalahError(message) from error


def dataset(
    n: int,
    *,
    houses: int = 6,
    seeds: int = 4,
    rules: RulesLike = "cs32",
    source: Literal["play", "layer"] = "play",
    players: tuple[PlayerLike, PlayerLike] = ("level:3", "level:3"),
    opening_plies: int = 4,
    layers: int | tuple[int, int] | None = None,
    table: Table | None = None,
    nodes: int | None = None,
    seed: int | None = None,
    progress: ProgressLike = False,
) -> Dataset:
    """Returns `n` positions with the exact margins of all moves.

    `houses`, `seeds` and `rules` are those of the start of a game. `layers` are the seeds in the
    houses of the positions: a number, or the lowest and the highest, by default 1 to the seeds of
    the table. `table` is an endgame table; without it one is built in memory, with at most 32 MiB
    (16 seeds with six houses a side), or with the seeds of the highest layer of `source="layer"`.

    With `source="play"` the positions are those in which one of `players` was to move in games
    between them, in the order in which they occur. Each game begins with `opening_plies` random
    plies, and the players exchange sides after it. Margins that the table does not have are proven
    by the engine. That takes milliseconds in late positions, and hours in early positions of large
    boards; `nodes` limits the search of each position, and open margins are `Dataset.UNKNOWN`.

    With `source="layer"` each position is drawn from a layer, each layer with the same probability,
    and from the layer uniformly among the positions in which the game is not over. The seeds that
    are not in the houses are distributed to the two stores uniformly.

    Equal seeds give equal data sets if the players' moves follow from their seeds. `progress` is
    `True` for a progress bar (with tqdm), or a function that is called with a `PositionProgress`.

    Raises `KalahError` for values out of range, and if `source="play"` finds no position of the
    layers in 1,000 games.

    >>> import kalah
    >>> data = kalah.dataset(4, houses=4, seeds=3, source="play", layers=(2, 10), seed=7)
    >>> data.observations[:, :4].sum(axis=1) + data.observations[:, 5:9].sum(axis=1) <= 10
    array([ True,  True,  True,  True])
    """
    n = _checked("n", n, 0, np.iinfo(np.int32).max)
    start = Position.start(houses, seeds, rules)
    if start.total > MAX_TOTAL:
        message = f"seeds: expected at most {MAX_TOTAL} in all, not {start.total}"
        raise KalahError(message)
    if seed is None:
        seed = secrets.randbits(SEED_BITS)
    seed = _checked("seed", seed, 0, 2**SEED_BITS - 1)
    if source == "layer":
        lowest, highest, table = _layers_and_table(layers, table, start)
        observations, legal, gains = _draw_from_layers(
            table, start, n, lowest, highest, seed, progress
        )
        games = np.arange(n)
    elif source == "play":
        env = VectorEnv(BATCH, start=start, auto_reset=False, exact=table or True)
        table = env.table
        most = start.total if table is None else min(table.seeds, start.total)
        lowest, highest = _layer_range(layers, most, start.total)
        generator = _Play(players, opening_plies, start, seed).positions(lowest, highest)
        with Engine(tables=table) as engine, _display(progress) as display:
            observations, legal, gains, games = _collect(
                n, env, generator, _Prover(engine, nodes), display
            )
    else:
        message = f"source: expected play or layer, not {source!r}"
        raise KalahError(message)
    counts = observations.astype(np.int32)
    leads = counts[:, start.houses] - counts[:, -1]
    margins = np.where(gains == Dataset.UNKNOWN, Dataset.UNKNOWN, gains + leads[:, np.newaxis])
    return Dataset(
        houses=start.houses,
        seeds=int(seeds),
        rules=start.rules,
        observations=observations,
        legal=legal,
        margins=margins.astype(np.int16),
        games=games.astype(np.int64),
    )


def _checked(name: str, value: int, lowest: int, highest: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        message = f"{name}: expected an integer, not {type(value).__name__}"
        raise TypeError(message)
    value = value.__index__()
    if not lowest <= value <= highest:
        message = f"{name}: expected {lowest} to {highest}, not {value}"
        raise KalahError(message)
    return value


def _layer_range(layers: int | tuple[int, int] | None, most: int, limit: int) -> tuple[int, int]:
    """Returns the lowest and the highest layer."""
    if layers is None:
        return 1, most
    lowest, highest = layers if isinstance(layers, tuple) else (layers, layers)
    lowest = _checked("layers", lowest, 1, limit)
    return lowest, _checked("layers", highest, lowest, limit)


def _layers_and_table(
    layers: int | tuple[int, int] | None, table: Table | None, start: Position
) -> tuple[int, int, Table]:
    """Returns the lowest and the highest layer, and a table that has them."""
    if table is None and layers is None:
        table = VectorEnv(1, start=start, exact=True).table
    if table is None:
        lowest, highest = _layer_range(layers, start.total, start.total)
        return lowest, highest, Table.build(start.houses, highest, start.rules)
    most = min(table.seeds, start.total)
    return *_layer_range(layers, most, most), table


class _Play:
    """Games between two players, and their positions."""

    def __init__(
        self, players: tuple[PlayerLike, PlayerLike], opening_plies: int, start: Position, seed: int
    ) -> None:
        self._players = players
        self._opening_plies = opening_plies
        self._start = start
        self._seeds = np.random.SeedSequence(seed)

    #: The number of games without a position of the layers after which the search for one ends.
    MAX_EMPTY_GAMES: Final = 1000

    def positions(self, lowest: int, highest: int) -> Iterator[tuple[int, Position]]:
        """Yields positions with the numbers of their games."""
        number = 0
        last_found = 0
        south, north = self._players
        while number - last_found < self.MAX_EMPTY_GAMES:
            opening_seed, game_seed = self._game_seeds()
            opening = random_openings(
                self._start, plies=self._opening_plies, count=1, seed=opening_seed
            )
            game = play_game(south, north, start=opening[0], seed=game_seed)
            for position in game.positions[self._opening_plies :]:
                if lowest <= position.seeds_in_play <= highest:
                    last_found = number
                    yield number, position
            number += 1
            south, north = north, south
        message = f"layers: no position with {lowest} to {highest} seeds in {number} games"
        raise KalahError(message)

    def _game_seeds(self) -> tuple[int, int]:
        (child,) = self._seeds.spawn(1)
        first, second = child.generate_state(2, np.uint64).tolist()
        return first, second


@dataclasses.dataclass(frozen=True)
class _Prover:
    """Proofs of the margins that a table does not have."""

    engine: Engine
    nodes: int | None

    def complete(
        self, position: Position, legal: NDArray[np.bool_], gains: NDArray[np.int16]
    ) -> None:
        """Writes the gains of the legal moves that are not known yet."""
        if not (legal & (gains == Dataset.UNKNOWN)).any():
            return
        # Without this, the result would depend on the positions before.
        if self.nodes is not None:
            self.engine.clear()
        report = self.engine.analyse(position, nodes=self.nodes)
        for entry in report.moves:
            action = position.houses if entry.move.house is None else entry.move.house - 1
            if entry.is_exact:
                gains[action] = entry.margin - position.lead


def _collect(
    n: int,
    env: VectorEnv,
    positions: Iterator[tuple[int, Position]],
    prover: _Prover,
    display: Callable[[PositionProgress], object],
) -> tuple[
    NDArray[np.unsignedinteger[Any]], NDArray[np.bool_], NDArray[np.int16], NDArray[np.int64]
]:
    """Returns the observations, legal actions, gains and game numbers of the next `n` positions."""
    width, actions = env.observation_shape[-1], env.actions
    observations = np.zeros((n, width), dtype=env.observation_dtype)
    legal = np.zeros((n, actions), dtype=np.bool_)
    gains = np.zeros((n, actions), dtype=np.int16)
    games = np.zeros(n, dtype=np.int64)
    for first in range(0, n, env.games):
        batch = [next(positions) for _ in range(min(env.games, n - first))]
        for index, (number, position) in enumerate(batch):
            env.set_position(index, position)
            games[first + index] = number
        rows = slice(first, first + len(batch))
        observations[rows] = env.observe()[: len(batch)]
        legal[rows] = env.legal_mask()[: len(batch)]
        gains[rows] = env.exact_gains()[: len(batch)]
        for row, (_, position) in enumerate(batch, first):
            prover.complete(position, legal[row], gains[row])
            display(PositionProgress(row + 1, n))
    return observations, legal, gains, games


@contextlib.contextmanager
def _display(progress: ProgressLike) -> Iterator[Callable[[PositionProgress], object]]:
    """Yields the function that displays a progress."""
    if progress is True:
        from kalah._progress import ProgressBar

        bar = ProgressBar()
        try:
            yield bar.update
        finally:
            bar.close()
    elif callable(progress):
        yield progress
    else:
        yield lambda _: None


def _import_pyarrow() -> tuple[Any, Any]:
    """Returns the modules `pyarrow` and `pyarrow.parquet`."""
    try:
        pa = importlib.import_module("pyarrow")
        pq = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        message = "Parquet files need pyarrow: pip install 'kalah[parquet]'"
        raise ImportError(message) from error
    return pa, pq


def _fixed_lists(pa: Any, rows: NDArray[Any], mask: NDArray[np.bool_] | None = None) -> Any:
    """Returns a column with a list of a fixed length in each row."""
    flat = pa.array(np.ascontiguousarray(rows).ravel(), mask=mask)
    return pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])


def _elements(table: Any, name: str) -> Any:
    """Returns the elements of all lists of a column."""
    return table[name].combine_chunks().flatten()


@contextlib.contextmanager
def _replaced_file(path: str | os.PathLike[str]) -> Iterator[Path]:
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
