"""A player of any kind, and a game between two of them."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from kalah import _arguments
from kalah._kalah import BuiltinPlayer, Game, KalahError, Move, Position
from kalah._side import Side
from kalah._termination import Termination
from kalah.typing import MoveLike

if TYPE_CHECKING:
    from kalah.players import PlayerLike


class Contestant:
    """A player of any kind, with its name. `argument` is the argument that has the player."""

    def __init__(self, player: "PlayerLike", argument: str = "player") -> None:
        chosen: Any = player
        if isinstance(player, str):
            with _arguments.named(argument, inner="spec"):
                chosen = BuiltinPlayer(player)
        if isinstance(chosen, type):
            raise TypeError(
                f"{argument}: expected an instance of {chosen.__name__}, not the class itself"
            )
        # The method `choose` of NumPy's arrays has nothing to do with players.
        is_array = isinstance(chosen, np.ndarray | np.generic)
        method = None if is_array else getattr(chosen, "choose", None)
        if method is None and not callable(chosen):
            expected = "str, an object with a method choose, or a function"
            raise _arguments.type_error(player, argument, expected)
        if method is not None and not callable(method):
            raise _arguments.type_error(method, f"{argument}.choose", "a method")
        self._new_game: Callable[[int], object] | None = getattr(chosen, "new_game", None)
        if self._new_game is not None and not callable(self._new_game):
            raise _arguments.type_error(self._new_game, f"{argument}.new_game", "a method")
        self._choose: Callable[[Position, float | None], MoveLike]
        if method is None:
            self._choose = lambda position, _: chosen(position)
        else:
            self._choose = lambda position, time: method(position, time=time)
        name = getattr(chosen, "name", None) or getattr(chosen, "__name__", None)
        self.name = _arguments.text(name or type(chosen).__name__, f"{argument}.name")

    def new_game(self, seed: int) -> None:
        if self._new_game is not None:
            self._new_game(seed)

    def choose(self, position: Position, time: float | None) -> MoveLike:
        return self._choose(position, time)


def play(
    players: tuple[Contestant, Contestant],
    seeds: tuple[int, int],
    game: Game,
    time: float | None,
) -> Game:
    """Plays a game between the players that begin as South and as North."""
    game.headers["South"], game.headers["North"] = players[0].name, players[1].name
    side, player = Side.SOUTH, players[0]
    try:
        for player, seed in zip(players, seeds, strict=True):
            player.new_game(seed)
        while game.outcome is None:
            side = game.position.to_move
            player = players[game.player_on(side) is Side.NORTH]
            move = player.choose(game.position, time)
            try:
                game.push(move)
            except (KalahError, TypeError) as error:
                _lose(game, side, move, error)
                break
    except BaseException as error:
        error.add_note(f"in ply {len(game) + 1}, in which {player.name} is to move as {side.value}")
        set_attribute(error, "game", game)
        raise
    return game


def _lose(game: Game, side: Side, answer: object, error: Exception) -> None:
    """Ends a game in which the player on `side` returned anything but a legal move."""
    began_as = game.player_on(side).value.capitalize()
    text = f"`{answer}`" if isinstance(answer, Move) else _arguments.quoted_value(answer)
    comment = f"illegal move by {began_as}: {text} in {game.position}: {error}"
    game.add_comment(comment.replace("{", "(").replace("}", ")"))
    game.end(Termination.ILLEGAL, side.opponent)


def set_attribute(error: BaseException, name: str, value: object) -> None:
    # A class of exceptions can refuse attributes.
    with suppress(AttributeError, TypeError):
        setattr(error, name, value)
