"""An agent for the environment `open_spiel_mancala` of Kaggle.

>>> from kalah.kaggle import make_agent
>>> agent = make_agent("first")
>>> board = [0, 4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4]
>>> agent({"playerId": 0, "observationString": {"board": board, "current_player": 0}})
{'submission': 1}

The module needs no other package: `kaggle_environments.make("open_spiel_mancala")` takes the
function `kalah.kaggle.agent` as an agent. The environment plays Kalah(6,4) under the rules
`standard`. Its board has North's store, South's houses, South's store and North's houses, in this
order, and an action is the index of a house. Player 0 is South.
"""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from kalah import _arguments
from kalah._kalah import KalahError, Position
from kalah._side import Side
from kalah.players import PlayerLike
from kalah.players._contestant import Contestant
from kalah.typing import MoveLike

__all__ = ["Agent", "agent", "make_agent"]

Agent: TypeAlias = Callable[..., dict[str, int]]
"""An agent function: from an observation to an action."""

RULES: Final = "standard"
HOUSES: Final = 6
NORTH_STORE: Final = 0
SOUTH_STORE: Final = 7
BOARD_FIELDS: Final = 14
#: The submission of an agent that is not to move.
NO_SUBMISSION: Final = -1
#: The player of `agent`, and its time for a move in seconds. The environment allows more.
DEFAULT_PLAYER: Final = "smart"
DEFAULT_SECONDS: Final = 0.5


def make_agent(player: PlayerLike = DEFAULT_PLAYER, *, time: float | None = None) -> Agent:
    """Returns the agent function of a player, with `time` seconds for each move.

    >>> from kalah.kaggle import make_agent
    >>> agent = make_agent("level:3")
    >>> agent({"playerId": 1, "observationString": ""})  # the game has not begun
    {'submission': -1}
    """
    contestant = Contestant(player)

    def agent(observation: Mapping[str, Any], configuration: Any = None) -> dict[str, int]:
        del configuration
        position = _position(observation)
        if position is None:
            return {"submission": NO_SUBMISSION}
        return {"submission": _field(position, contestant.choose(position, time))}

    return agent


def agent(observation: Mapping[str, Any], configuration: Any = None) -> dict[str, int]:
    """Chooses a move by a search of half a second.

    >>> from kalah.kaggle import agent
    >>> board = [20, 0, 0, 0, 0, 2, 1, 20, 0, 0, 0, 0, 0, 5]
    >>> agent({"playerId": 0, "observationString": {"board": board, "current_player": 0}})
    {'submission': 6}
    """
    return _default_agent()(observation, configuration)


@functools.cache
def _default_agent() -> Agent:
    return make_agent(DEFAULT_PLAYER, time=DEFAULT_SECONDS)


def _position(observation: Mapping[str, Any]) -> Position | None:
    """Returns the position in which the agent is to move, or `None` if it is not to move."""
    if not isinstance(observation, Mapping):
        raise TypeError(f"observation: expected a mapping, not {type(observation).__name__}")
    state = observation.get("observationString")
    if isinstance(state, str):
        try:
            state = json.loads(state) if state else None
        except ValueError as error:
            raise KalahError(f"observationString: expected JSON: {error}") from None
    if state and not isinstance(state, Mapping):
        kind = type(state).__name__
        raise TypeError(f"observationString: expected a mapping or its JSON text, not {kind}")
    if not state or observation.get("isTerminal") or state.get("is_terminal"):
        return None
    player = observation.get("playerId")
    if player not in (0, 1) or state.get("current_player") != player:
        return None
    board: Any = state.get("board")
    if not isinstance(board, Sequence) or isinstance(board, str):
        raise TypeError(f"board: expected a list of integers, not {type(board).__name__}")
    if len(board) != BOARD_FIELDS:
        raise KalahError(f"board: expected {BOARD_FIELDS} numbers, not {len(board)}")
    board = [_arguments.any_integer(seeds, "board") for seeds in board]
    south = board[NORTH_STORE + 1 : SOUTH_STORE]
    north = board[SOUTH_STORE + 1 :]
    pits = [HOUSES, board[SOUTH_STORE], board[NORTH_STORE], *south, *north]
    position = Position(f"<{','.join(map(str, pits))}> {'sn'[player]}", RULES)
    return None if position.is_over else position


def _field(position: Position, move: MoveLike) -> int:
    """Returns the index of the house of a legal move."""
    first = NORTH_STORE if position.to_move is Side.SOUTH else SOUTH_STORE
    after = position.play(move)
    for legal in position.legal_moves:
        if legal.house is not None and position.play(legal) == after:
            return first + legal.house
    raise KalahError(f"move: there is no action for {move!r}")
