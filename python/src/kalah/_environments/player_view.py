"""A game as one of its players sees it: numbers of actions and observations."""

from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kalah import _arguments
from kalah._kalah import IllegalMoveError, KalahError, Move, Position
from kalah._side import Side
from kalah.typing import MoveLike, RulesLike

Reward: TypeAlias = Literal["win", "margin"]
"""The reward at the end of a game: 1, 0 or -1, or the margin in seeds."""

REWARDS: Final = ("win", "margin")

#: More seeds need observations with two bytes a count.
MAX_BYTE_SEEDS: Final = np.iinfo(np.uint8).max


def start_position(houses: int, seeds: int, rules: RulesLike) -> Position:
    """Returns the start of a game, which is not over.

    >>> from kalah._environments.player_view import start_position
    >>> start_position(6, 0, "cs32")
    Traceback (most recent call last):
        ...
    kalah.KalahError: seeds: expected at least 1, not 0
    """
    start = Position.start(houses, seeds, rules)
    if start.is_over:
        raise KalahError(f"seeds: expected at least 1, not {seeds}")
    return start


def check_reward(reward: str, name: str = "reward") -> None:
    """Raises `KalahError` if there is no such reward. `name` is the name of the argument.

    >>> from kalah._environments.player_view import check_reward
    >>> check_reward("seeds")
    Traceback (most recent call last):
        ...
    kalah.KalahError: reward: expected win or margin, not `seeds`
    """
    _arguments.check_choice(reward, name, REWARDS)


def action_count(position: Position) -> int:
    """Returns the number of actions: one for each house, and one for the swap if the rules have it.

    >>> import kalah
    >>> from kalah._environments.player_view import action_count
    >>> action_count(kalah.Position("6x4", "mankalah"))
    7
    """
    return position.houses + position.rules.swap


def observation_dtype(position: Position) -> Any:
    """Returns the type of the counts of observations."""
    return np.uint8 if position.total <= MAX_BYTE_SEEDS else np.uint16


def move_of(position: Position, action: int) -> MoveLike:
    """Returns the move of an action: the number of a house, or the swap."""
    if action == position.houses and position.rules.swap:
        return "swap"
    return action + 1


def play_action(position: Position, action: int) -> Position:
    """Returns the position after an action.

    >>> import kalah
    >>> from kalah._environments.player_view import play_action
    >>> play_action(kalah.Position("<2,5,6,0,2,3,4> s"), 0)
    Traceback (most recent call last):
        ...
    kalah.IllegalMoveError: action 0 is illegal: house A is empty
    """
    count = action_count(position)
    if not 0 <= action < count:
        raise IllegalMoveError(f"action: expected 0 to {count - 1}, not {action}")
    try:
        return position.play(move_of(position, action))
    except IllegalMoveError as error:
        raise IllegalMoveError(f"action {action} is illegal: {error}") from None


def action_of(position: Position, move: Move) -> int:
    """Returns the action of a move."""
    house = move.house
    return position.houses if house is None else house - 1


def observe(position: Position, side: Side) -> NDArray[Any]:
    """Returns the houses and the store of `side`, and then those of the other side.

    >>> import kalah
    >>> from kalah._environments.player_view import observe
    >>> observe(kalah.Position("<2,5,6,1,2,3,4> s"), kalah.Side.NORTH)
    array([3, 4, 6, 1, 2, 5], dtype=uint8)
    """
    other = side.opponent
    pits = (
        *position.row(side),
        position.store(side),
        *position.row(other),
        position.store(other),
    )
    return np.array(pits, observation_dtype(position))


def legal_mask(position: Position) -> NDArray[np.int8]:
    """Returns 1 for each legal action of the side to move, and 0 for the others.

    >>> import kalah
    >>> from kalah._environments.player_view import legal_mask
    >>> legal_mask(kalah.Position("<2,5,6,0,2,3,4> s"))
    array([0, 1], dtype=int8)
    """
    mask = np.zeros(action_count(position), np.int8)
    for move in position.legal_moves:
        mask[action_of(position, move)] = 1
    return mask


def final_reward(position: Position, side: Side, reward: Reward) -> int:
    """Returns the reward of the player on `side` in a finished game.

    >>> import kalah
    >>> from kalah._environments.player_view import final_reward
    >>> final_reward(kalah.Position("<1,3,5,0,0> s"), kalah.Side.NORTH, "margin")
    2
    """
    outcome = position.outcome
    margin = 0 if outcome is None else outcome.margin(side)
    return margin if reward == "margin" else (margin > 0) - (margin < 0)


def greatest_reward(position: Position, reward: Reward) -> int:
    """Returns the greatest reward of a game: 1, or all seeds."""
    return max(position.total, 1) if reward == "margin" else 1
