"""Positions from games between two players, and the margins of their moves."""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kalah._kalah import (
    Engine,
    Game,
    IllegalMoveError,
    KalahError,
    Position,
    PositionProgress,
    VectorEnv,
    random_openings,
)
from kalah._termination import Termination
from kalah.players import PlayerLike, play_game
from kalah.players._contestant import Contestant

Players: TypeAlias = tuple[PlayerLike, PlayerLike]

PLAYERS: Final = 2


def checked_players(players: Any) -> Players:
    """Returns the two players of the argument `players`."""
    if not isinstance(players, tuple | list):
        raise TypeError(f"players: expected two players, not {type(players).__name__}")
    if len(players) != PLAYERS:
        raise KalahError(f"players: expected two players, not {len(players)}")
    for player in players:
        Contestant(player, "players")
    first, second = players
    return first, second


class PlayedGames:
    """Games between two players, and their positions."""

    def __init__(self, players: Players, opening_plies: int, start: Position, seed: int) -> None:
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
            game = play_game(south, north, start=self._opening(opening_seed), seed=game_seed)
            if game.termination is Termination.ILLEGAL:
                raise _illegal_move(game, number)
            for position in game.positions[self._opening_plies :]:
                if lowest <= position.seeds_in_play <= highest:
                    last_found = number
                    yield number, position
            number += 1
            south, north = north, south
        message = f"layers: no position with {lowest} to {highest} seeds in {number} games"
        raise KalahError(message)

    def _opening(self, seed: int) -> Game:
        try:
            openings = random_openings(self._start, plies=self._opening_plies, count=1, seed=seed)
        except KalahError as error:
            plies = self._opening_plies
            message = f"opening_plies: {plies} random plies end every game: {error}"
            raise KalahError(message) from None
        return openings[0]

    def _game_seeds(self) -> tuple[int, int]:
        (child,) = self._seeds.spawn(1)
        first, second = child.generate_state(2, np.uint64).tolist()
        return first, second


def _illegal_move(game: Game, number: int) -> IllegalMoveError:
    """Returns the error for a game that has ended with an illegal move.

    The last comment of the game has the side that the player began on, the move, the position and
    the reason.
    """
    name = "a player"
    if game.winner is not None:
        loser = game.player_on(game.winner.opponent)
        name = game.headers[loser.value.capitalize()]
    _, comment = game.comments[-1]
    return IllegalMoveError(f"players: {name} in game {number}: {comment}")


@dataclasses.dataclass(frozen=True)
class Prover:
    """Proofs of the margins that a table does not have."""

    engine: Engine
    nodes: int | None

    def complete(
        self, position: Position, legal: NDArray[np.bool_], gains: NDArray[np.int16]
    ) -> None:
        """Writes the gains of the legal moves that are not known yet."""
        if not (legal & (gains == VectorEnv.UNKNOWN_GAIN)).any():
            return
        # Without this, the result would depend on the positions before.
        if self.nodes is not None:
            self.engine.clear()
        report = self.engine.analyse(position, nodes=self.nodes)
        for entry in report.moves:
            action = position.houses if entry.move.house is None else entry.move.house - 1
            if entry.is_exact:
                gains[action] = entry.margin - position.lead


def collect(
    n: int,
    env: VectorEnv,
    positions: Iterator[tuple[int, Position]],
    prover: Prover,
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
