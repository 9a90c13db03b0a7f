"""Data sets of positions with the exact margins of all moves."""

import contextlib
import dataclasses
import json
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kalah import _arguments
from kalah._dataset import parquet
from kalah._dataset.games import PlayedGames, Prover, checked_players, collect
from kalah._environments.player_view import (
    action_count,
    observation_dtype,
    start_position,
)
from kalah._kalah import (
    Engine,
    KalahError,
    Position,
    PositionProgress,
    Rules,
    Table,
    VectorEnv,
    _draw_from_layers,
)
from kalah.players import PlayerLike
from kalah.typing import RulesLike

__all__ = ["Dataset", "dataset"]

ProgressLike: TypeAlias = bool | Callable[[PositionProgress], object]


SOURCES: Final = ("play", "layer")
DEFAULT_PLAYERS: Final = ("level:3", "level:3")
DEFAULT_OPENING_PLIES: Final = 4
#: The maximum of `random_openings`.
MAX_OPENING_PLIES: Final = 1000
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
        """The margin of each position with best play of both sides, `(n,)`.

        It is the greatest margin of the legal moves, for the side to move, in seeds. It is
        `UNKNOWN` if the margin of a legal move is unknown, since that move can be the best one.
        """
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
        """Returns the position of row `index`, with South to move.

        An observation does not tell which side was to move, so that the side to move is always
        South. It does not tell either whether a swap was possible: in the returned position none
        is, also where `legal` has the swap.

        Raises `KalahError` if there is no such row; the rows are numbered from 0.

        >>> import kalah
        >>> data = kalah.dataset(1, houses=2, seeds=1, source="layer", layers=2, seed=4)
        >>> data.position(0).seeds_in_play
        2
        """
        index = _arguments.integer(index, "index", 0, len(self) - 1)
        counts = self.observations[index].tolist()
        south, north = counts[: self.houses], counts[self.houses + 1 : -1]
        numbers = [self.houses, counts[self.houses], counts[-1], *south, *north]
        return Position(f"<{','.join(map(str, numbers))}> s", rules=self.rules)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the arrays to a Parquet file, in the place of its contents.

        The columns are `observation`, `legal`, `margin` and `game`, the first three with lists of a
        fixed length; an unknown margin is null. The metadata has houses, seeds and rules as JSON
        with the key `kalah`. The file has either its old or its new contents at any time.

        Needs pyarrow, which the extra `parquet` installs. Raises a subclass of `OSError` with the
        path if the file cannot be written, for instance on a full disk.

        >>> import kalah, pathlib, tempfile
        >>> data = kalah.dataset(5, houses=3, seeds=2, source="layer", seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "positions.parquet")
        ...     data.to_parquet(path)
        ...     len(kalah.Dataset.read_parquet(path))
        5
        """
        path = parquet.checked_path(path)
        pa, pq = parquet.import_pyarrow()
        board = {"houses": self.houses, "seeds": self.seeds, "rules": str(self.rules)}
        unknown = (self.margins == self.UNKNOWN).ravel()
        columns = {
            "observation": parquet.fixed_lists(pa, self.observations),
            "legal": parquet.fixed_lists(pa, self.legal),
            "margin": parquet.fixed_lists(pa, self.margins, mask=unknown),
            "game": pa.array(self.games),
        }
        table = pa.table(columns).replace_schema_metadata({METADATA_KEY: json.dumps(board)})
        with parquet.replaced_file(path) as part:
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
        path = parquet.checked_path(path)
        pa, pq = parquet.import_pyarrow()
        with Path(path).open("rb") as file:
            try:
                table = pq.read_table(file)
                board = json.loads((table.schema.metadata or {})[METADATA_KEY])
                rules = Rules(board["rules"])
                start = start_position(board["houses"], board["seeds"], rules)
                counts = "uint8" if observation_dtype(start) is np.uint8 else "uint16"
                width, actions = 2 * start.houses + 2, action_count(start)
                margins = parquet.elements(table, "margin", pa.list_(pa.int16(), actions))
                games = parquet.without_nulls(parquet.column(table, "game", pa.int64()))
                return cls(
                    houses=start.houses,
                    seeds=_seeds_per_house(start),
                    rules=rules,
                    observations=parquet.rows(
                        table, "observation", pa.list_(pa.type_for_alias(counts), width)
                    ),
                    legal=parquet.rows(table, "legal", pa.list_(pa.bool_(), actions)),
                    margins=margins.fill_null(cls.UNKNOWN).to_numpy().reshape(-1, actions),
                    games=games.to_numpy(),
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
    players: tuple[PlayerLike, PlayerLike] | None = None,
    opening_plies: int | None = None,
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

    With `source="play"` the positions are those in which one of the two `players`, by default
    both `level:3`, was to move in games between them, in the order in which they occur. Each game
    begins with `opening_plies` random plies, by default 4, and the players exchange sides after it.
    Margins that the table does not have are proven by the engine. That takes milliseconds in late
    positions, and hours in early positions of large boards; `nodes` limits the search of each
    position, and open margins are `Dataset.UNKNOWN`.

    With `source="layer"` each position is drawn from a layer, each layer with the same probability,
    and from the layer uniformly among the positions in which the game is not over. The seeds that
    are not in the houses are distributed to the two stores uniformly. `players`, `opening_plies`
    and `nodes` are arguments of `source="play"` only.

    Equal seeds give equal data sets if the players' moves follow from their seeds. `progress` is
    `True` for a progress bar (with tqdm), or a function that is called with a `PositionProgress`.

    Raises `KalahError` for values out of range, for arguments of the other source, for a table of
    another board, and if `source="play"` finds no position of the layers in 1,000 games. Raises
    `IllegalMoveError` if a player answers with an illegal move.

    >>> import kalah
    >>> data = kalah.dataset(4, houses=4, seeds=3, source="play", layers=(2, 10), seed=7)
    >>> data.observations[:, :4].sum(axis=1) + data.observations[:, 5:9].sum(axis=1) <= 10
    array([ True,  True,  True,  True])
    """
    n = _arguments.integer(n, "n", 0, np.iinfo(np.int32).max)
    _arguments.check_choice(source, "source", SOURCES)
    start = start_position(houses, seeds, rules)
    if start.total > MAX_TOTAL:
        raise KalahError(f"seeds: expected at most {MAX_TOTAL} in all, not {start.total}")
    if table is not None:
        _check_table(table, start)
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise TypeError(f"progress: expected bool or a function, not {type(progress).__name__}")
    if seed is None:
        seed = secrets.randbits(SEED_BITS)
    seed = _arguments.integer(seed, "seed", 0, 2**SEED_BITS - 1)
    if source == "layer":
        play_arguments = {"players": players, "opening_plies": opening_plies, "nodes": nodes}
        for name, value in play_arguments.items():
            if value is not None:
                raise KalahError(f'{name}: an argument of source="play", not of source="layer"')
        lowest, highest, table = _layers_and_table(layers, table, start)
        observations, legal, gains = _draw_from_layers(
            table, start, n, lowest, highest, seed, progress
        )
        games = np.arange(n)
    else:
        if nodes is not None:
            nodes = _arguments.integer(nodes, "nodes", 1, 2**SEED_BITS - 1)
        if opening_plies is None:
            opening_plies = DEFAULT_OPENING_PLIES
        else:
            opening_plies = _arguments.integer(opening_plies, "opening_plies", 0, MAX_OPENING_PLIES)
        contestants = checked_players(DEFAULT_PLAYERS if players is None else players)
        env = VectorEnv(BATCH, start=start, auto_reset=False, exact=table or True)
        table = env.table
        most = start.total if table is None else min(table.seeds, start.total)
        lowest, highest = _layer_range(layers, most, start.total)
        generator = PlayedGames(contestants, opening_plies, start, seed).positions(lowest, highest)
        with Engine(tables=table) as engine, _display(progress) as display:
            observations, legal, gains, games = collect(
                n, env, generator, Prover(engine, nodes), display
            )
    counts = observations.astype(np.int32)
    leads = counts[:, start.houses] - counts[:, -1]
    margins = np.where(gains == Dataset.UNKNOWN, Dataset.UNKNOWN, gains + leads[:, np.newaxis])
    return Dataset(
        houses=start.houses,
        seeds=_seeds_per_house(start),
        rules=start.rules,
        observations=observations,
        legal=legal,
        margins=margins.astype(np.int16),
        games=games.astype(np.int64),
    )


def _seeds_per_house(start: Position) -> int:
    return start.total // (2 * start.houses)


def _check_table(table: Table, start: Position) -> None:
    """Raises an exception if `table` is no table of the houses and the rules of the start."""
    if not isinstance(table, Table):
        raise TypeError(f"table: expected Table, not {type(table).__name__}")
    if (table.houses, table.rules) != (start.houses, start.rules):
        raise KalahError(
            f"table: expected {start.houses} houses a side and the rules {start.rules}, "
            f"not {table.houses} and {table.rules}"
        )


def _layer_range(layers: int | tuple[int, int] | None, most: int, limit: int) -> tuple[int, int]:
    """Returns the lowest and the highest layer."""
    if layers is None:
        return 1, most
    pair = layers if isinstance(layers, tuple | list) else (layers, layers)
    if len(pair) != len(("lowest", "highest")):
        raise KalahError(f"layers: expected a number or two, not {len(pair)}")
    lowest = _arguments.integer(pair[0], "layers", 1, limit)
    return lowest, _arguments.integer(pair[1], "layers", lowest, limit)


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


@contextlib.contextmanager
def _display(progress: ProgressLike) -> Iterator[Callable[[PositionProgress], object]]:
    """Yields the function that displays a progress."""
    if progress is True:
        from kalah._display.progress import ProgressBar

        bar = ProgressBar()
        try:
            yield bar.update
        finally:
            bar.close()
    elif callable(progress):
        yield progress
    else:
        yield lambda _: None
