"""A player of any kind, and a game between two of them."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kalah import _arguments
from kalah._kalah import BuiltinPlayer, Game, KalahError, Move, Position
from kalah._side import Side
from kalah._termination import Termination
from kalah.typing import MoveLike

if TYPE_CHECKING:
    from kalah.players import PlayerLike


#: The built-in players whose moves depend on those before them: they draw random numbers.
_RANDOM_PLAYERS: Final = ("random", *(f"level:{level}" for level in range(1, 10)))


class Contestant:
    """A player of any kind, with its name. `argument` is the argument that has the player.

    A copy, or a pickle, has a copy of the player, which goes on with the current game.
    """

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
        new_game = getattr(chosen, "new_game", None)
        if new_game is not None and not callable(new_game):
            raise _arguments.type_error(new_game, f"{argument}.new_game", "a method")
        self._player = chosen
        self._has_method = method is not None
        self._has_new_game = new_game is not None
        # The seed of the game, and the positions in which the player has drawn random numbers.
        self._seed: int | None = None
        self._drawn: list[Position] = []
        self._is_random = isinstance(chosen, BuiltinPlayer) and chosen.spec in _RANDOM_PLAYERS
        name = getattr(chosen, "name", None) or getattr(chosen, "__name__", None)
        self.name = _arguments.text(name or type(chosen).__name__, f"{argument}.name")

    def new_game(self, seed: int) -> None:
        self._seed = seed
        self._drawn.clear()
        if self._has_new_game:
            self._player.new_game(seed)

    def choose(self, position: Position, time: float | None) -> MoveLike:
        if self._is_random:
            self._drawn.append(position)
        move: MoveLike
        if self._has_method:
            move = self._player.choose(position, time=time)
        else:
            move = self._player(position)
        return move

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._is_random and self._seed is not None:
            # A copy of a built-in player has drawn nothing yet.
            self._player.new_game(self._seed)
            for position in self._drawn:
                self._player.choose(position)


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
