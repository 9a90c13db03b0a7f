"""The starts of games and the openings of matches, from the arguments of functions."""

import itertools
import random
from collections.abc import Iterable
from typing import Final, SupportsIndex

from kalah import _arguments
from kalah._kalah import Game, KalahError, Position, Rules, random_openings
from kalah._termination import Termination
from kalah.typing import PositionLike, RulesLike

SEED_BITS: Final = 64

MAX_OPENING_PLIES: Final = 1000
"""The maximum number of plies of random openings, as in `random_openings`."""


def parsed_rules(rules: RulesLike | None) -> Rules | None:
    if rules is None or isinstance(rules, Rules):
        return rules
    if not isinstance(rules, str):
        raise _arguments.type_error(rules, "rules", "Rules or str")
    with _arguments.named("rules", inner="text"):
        return Rules(rules)


def start_game(start: PositionLike | Game | None, rules: Rules | None) -> Game:
    """Returns the game that the arguments `start` and `rules` describe."""
    return Game(None, rules) if start is None else _opening(start, rules, "start")


def _opening(start: PositionLike | Game, rules: Rules | None, argument: str) -> Game:
    """Returns a copy of a game without its ending, or a game from a position."""
    if not isinstance(start, Game | Position | str):
        raise _arguments.type_error(start, argument, "Game, Position or str")
    if isinstance(start, str):
        with _arguments.named(argument):
            start = Position(start, rules)
    if isinstance(start, Position):
        _check_rules(rules, start, "position")
        return Game(start)
    _check_rules(rules, start.position, "game")
    game = start.copy()
    if game.outcome is None:
        game.end(Termination.UNFINISHED)
    if len(game) > 0 and not any(plies == len(game) for plies, _ in game.comments):
        game.add_comment("the opening")
    return with_opening_plies(game)


def with_opening_plies(game: Game) -> Game:
    """Returns a game whose plies so far a review does not grade, because no player chose them."""
    if len(game) > 0:
        game.headers["OpeningPlies"] = str(len(game))
    return game


def _check_rules(rules: Rules | None, position: Position, kind: str) -> None:
    if rules is not None and rules != position.rules:
        raise KalahError(f"rules: expected those of the {kind}, {position.rules}, not {rules}")


def match_openings(
    openings: SupportsIndex | Iterable[PositionLike | Game],
    start: PositionLike | None,
    rules: Rules | None,
    games: int,
    generator: random.Random,
) -> list[Game]:
    """Returns the openings of a match, at least one."""
    if isinstance(start, Game):
        raise _arguments.type_error(start, "start", "Position or str")
    start_position = start_game(start, rules).position
    # An array of NumPy has `__index__` and is iterable.
    if isinstance(openings, SupportsIndex) and not isinstance(openings, Iterable):
        plies = _arguments.integer(openings, "openings", 0, MAX_OPENING_PLIES)
        if start_position.is_over:
            raise KalahError(f"start: the game is over in {start_position}")
        seed = generator.getrandbits(SEED_BITS)
        count = max(games // 2, 1)
        with _arguments.named("openings", inner="plies"):
            random_games = random_openings(start_position, plies=plies, count=count, seed=seed)
        return [with_opening_plies(game) for game in random_games]
    expected = "an integer, or games or positions in a list"
    if isinstance(openings, str | bytes | Game):
        raise _arguments.type_error(openings, "openings", expected)
    try:
        iterator = iter(openings)
    except TypeError:
        raise _arguments.type_error(openings, "openings", expected) from None
    if start is not None:
        raise KalahError("start: expected nothing, because openings has games or positions")
    # An iterator may be endless.
    used = itertools.islice(iterator, max(games // 2, 1))
    opening_games = [
        _opening(opening, rules, f"openings[{number}]") for number, opening in enumerate(used)
    ]
    if not opening_games:
        raise KalahError("openings: expected at least one opening")
    return opening_games
