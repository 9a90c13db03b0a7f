"""Kalah as a game of OpenSpiel with the extra `kalah[open-spiel]`.

The import registers the game:

>>> import kalah.open_spiel
>>> import pyspiel
>>> game = pyspiel.load_game("kalah(houses=5,seeds=3)")
>>> state = game.new_initial_state()
>>> state.apply_action(2)  # house 3 has three seeds: the last one falls in the store
>>> state.current_player()
0

The parameters are `houses`, by default 6, `seeds`, 4, `rules`, `standard`, and `utility`: `win` for
returns of 1, 0 and -1, which is the default, or `margin` for the margin in seeds. Rules that are no
preset are given as `pyspiel.load_game("kalah", {"rules": "ends=row,..."})`.

Player 0 begins as South, and player 1 as North. A swap exchanges the sides of the two players.
Action `a` sows house `a + 1` of the player to move, and the last action is the swap if the rules
have one.
"""

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kalah._environments.player_view import (
    Reward,
    action_count,
    action_of,
    check_reward,
    final_reward,
    greatest_reward,
    observe,
    play_action,
    start_position,
)
from kalah._imports.extras import missing
from kalah._kalah import KalahError, Position
from kalah._side import Side

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError as _error:
    raise ImportError(missing("open_spiel", "open-spiel")) from _error

__all__ = ["KalahGame", "KalahState"]

if TYPE_CHECKING:
    # The package has no types.
    class _Game:
        def __init__(self, *arguments: Any) -> None: ...

    class _State:
        def __init__(self, *arguments: Any) -> None: ...
else:
    _Game, _State = pyspiel.Game, pyspiel.State

PLAYERS: Final = 2
GAME_TYPE: Final = pyspiel.GameType(
    short_name="kalah",
    long_name="Kalah",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=PLAYERS,
    min_num_players=PLAYERS,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"houses": 6, "seeds": 4, "rules": "standard", "utility": "win"},
)


def _max_game_length(position: Position) -> int:
    """Returns a number of plies that no game exceeds.

    A sowing that leaves the own row drops a seed in the store, so there is at most one for each
    seed. Every other sowing moves a seed towards the store of its row, by at most `houses - 1`
    houses a seed until the next sowing of the first kind. The swap is one ply.
    """
    seeds, houses = position.seeds_in_play, position.houses
    return seeds + (seeds + 1) * seeds * (houses - 1) + 1


class KalahGame(_Game):
    """The game with its parameters.

    >>> import kalah.open_spiel, pyspiel
    >>> pyspiel.load_game("kalah(houses=3,seeds=2,utility=margin)").max_utility()
    12.0
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**GAME_TYPE.parameter_specification, **(params or {})}
        self.start: Position = start_position(given["houses"], given["seeds"], given["rules"])
        check_reward(given["utility"], "utility")
        self.utility: Reward = given["utility"]
        greatest = float(greatest_reward(self.start, self.utility))
        info = pyspiel.GameInfo(
            num_distinct_actions=action_count(self.start),
            max_chance_outcomes=0,
            num_players=PLAYERS,
            min_utility=-greatest,
            max_utility=greatest,
            utility_sum=0.0,
            max_game_length=_max_game_length(self.start),
        )
        super().__init__(GAME_TYPE, info, params or {})

    def new_initial_state(self) -> "KalahState":
        return KalahState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Returns an observer of the states, as `open_spiel.python.observation` calls it.

        >>> import kalah.open_spiel, pyspiel
        >>> pyspiel.load_game("kalah").make_py_observer().tensor.shape
        (17,)
        """
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return _Observer(self.start.houses, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class KalahState(_State):
    """A position, and the sides of the players.

    >>> import kalah.open_spiel, pyspiel
    >>> state = pyspiel.load_game("kalah(houses=3,seeds=2)").new_initial_state()
    >>> state.position
    Position('<3,0,0,2,2,2,2,2,2> s', rules='standard')
    """

    def __init__(self, game: KalahGame) -> None:
        super().__init__(game)
        self.position: Position = game.start
        self.is_swapped: bool = False
        self._utility = game.utility

    def side(self, player: int) -> Side:
        """Returns the side of a player.

        >>> import kalah.open_spiel, pyspiel
        >>> pyspiel.load_game("kalah").new_initial_state().side(1)
        <Side.NORTH: 'north'>
        """
        if player not in (0, 1):
            raise KalahError(f"player: expected 0 or 1, not {player!r}")
        return Side.NORTH if (player == 1) != self.is_swapped else Side.SOUTH

    def current_player(self) -> int:
        if self.position.is_over:
            terminal: int = pyspiel.PlayerId.TERMINAL
            return terminal
        return int((self.position.to_move is Side.NORTH) != self.is_swapped)

    def _legal_actions(self, player: int) -> list[int]:
        del player
        return [action_of(self.position, move) for move in self.position.legal_moves]

    def _apply_action(self, action: int) -> None:
        before = self.position
        self.position = play_action(before, action)
        if action == before.houses:
            self.is_swapped = not self.is_swapped

    def _action_to_string(self, player: int, action: int) -> str:
        count = action_count(self.position)
        if not 0 <= action < count:
            raise KalahError(f"action: expected 0 to {count - 1}, not {action}")
        if action == self.position.houses:
            return "swap"
        first = ord("a") if self.side(player) is Side.NORTH else ord("A")
        return chr(first + action)

    def is_terminal(self) -> bool:
        return self.position.is_over

    def returns(self) -> list[float]:
        if not self.position.is_over:
            return [0.0] * PLAYERS
        sides = [self.side(player) for player in range(PLAYERS)]
        return [float(final_reward(self.position, side, self._utility)) for side in sides]

    def __str__(self) -> str:
        return f"{self.position}{' swapped' if self.is_swapped else ''}"


class _Observer:
    """The observations of a player, in the form of `open_spiel.python.observation`.

    The tensor has the houses and the store of the player, those of the other player, and three
    numbers that are 1 if the player is to move, if the game is over, and if a swap is possible.
    """

    def __init__(self, houses: int, params: Any) -> None:
        if params:
            raise KalahError(f"there are no parameters of observations: {params}")
        pits = 2 * (houses + 1)
        self.tensor = np.zeros(pits + 3, np.float32)
        self.dict = {
            "pits": self.tensor[:pits].reshape(2, houses + 1),
            "is_to_move": self.tensor[pits : pits + 1],
            "is_over": self.tensor[pits + 1 : pits + 2],
            "can_swap": self.tensor[pits + 2 :],
        }

    def set_from(self, state: KalahState, player: int) -> None:
        position = state.position
        self.tensor[: self.dict["pits"].size] = observe(position, state.side(player))
        self.dict["is_to_move"][0] = state.current_player() == player
        self.dict["is_over"][0] = position.is_over
        self.dict["can_swap"][0] = any(move.is_swap for move in position.legal_moves)

    def string_from(self, state: KalahState, player: int) -> str:
        return f"{state.position} player {player} is {state.side(player).value}"


if "kalah" not in pyspiel.registered_names():
    pyspiel.register_game(GAME_TYPE, KalahGame)
