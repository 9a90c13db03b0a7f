"""Calls every public function, method and property with random arguments.

A call returns a value or raises one of the documented exceptions. A class or a function that is
added to the package is covered when `OBJECTS` or `FUNCTIONS` has a strategy for it, and
`test_every_public_name_is_registered` fails before that.
"""

import enum
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kalah

#: The exceptions that any call may raise for wrong arguments.
DOCUMENTED = (kalah.KalahError, TypeError, KeyError, IndexError)

RULES = st.builds(
    lambda ends, capture, swap, bonus: (
        f"ends={ends},capture={capture},swap={swap},first-bonus={bonus}"
    ),
    st.sampled_from(["stuck", "row"]),
    st.sampled_from(["opposite", "always"]),
    st.sampled_from(["yes", "no"]),
    st.sampled_from(["yes", "no"]),
)
COUNTS = st.integers(0, 30)
SIZES = st.tuples(st.integers(1, 8), st.integers(0, 9))


@st.composite
def positions(draw: st.DrawFn) -> kalah.Position:
    """Draws a position of a random game."""
    houses, seeds = draw(SIZES)
    position = kalah.Position.start(houses, seeds, rules=draw(RULES))
    for number in draw(st.lists(st.integers(0, 7), max_size=20)):
        if moves := position.legal_moves:
            position = position.play(moves[number % len(moves)])
    return position


MOVES = st.sampled_from([*"ABCDEFGZabcdefgz", "swap"]).map(kalah.Move)
OUTCOMES = st.builds(kalah.Outcome, st.integers(0, 65535), st.integers(0, 65535))
SIDES = st.sampled_from(kalah.Side)

ENGINE = kalah.Engine(memory="2MiB")
TABLE = kalah.Table.build(3, 6, rules="standard")
REPORT = kalah.solve("3x3", moves=True)
REVIEW = kalah.review(kalah.Game("3x2", moves="A"), nodes=10_000)
DATASET = kalah.dataset(3, houses=3, seeds=2, source="layer", table=None, seed=1)


def games() -> st.SearchStrategy[kalah.Game]:
    """Returns a strategy of unfinished and finished games."""

    def play(size: tuple[int, int], rules: str, numbers: list[int]) -> kalah.Game:
        game = kalah.Game(kalah.Position.start(*size, rules=rules))
        for number in numbers:
            if moves := game.position.legal_moves:
                game.push(moves[number % len(moves)])
        return game

    return st.builds(play, SIZES, RULES, st.lists(st.integers(0, 7), max_size=12))


VECTOR_ENVS = st.builds(
    lambda games, size, rules, seed: kalah.VectorEnv(games, size[0], size[1], rules, seed=seed),
    st.integers(1, 4),
    st.tuples(st.integers(1, 8), st.integers(1, 9)),
    RULES,
    st.integers(0, 9),
)

#: A strategy for the instances of each public class; `None` for a class without instances to call.
OBJECTS: dict[str, st.SearchStrategy[Any] | None] = {
    "Accuracy": st.sampled_from(list(REVIEW.accuracy.values())),
    "Bounds": st.just(REPORT.bounds),
    "BuildProgress": None,
    "Dataset": st.just(DATASET),
    "Engine": st.just(ENGINE),
    "Game": games(),
    "GradeCounts": st.sampled_from(list(REVIEW.grades.values())),
    "IllegalMoveError": None,
    "KalahError": None,
    "MarginEstimate": st.sampled_from(REVIEW.margins),
    "Move": MOVES,
    "MoveReport": st.sampled_from(REPORT.moves),
    "Outcome": OUTCOMES,
    "ParseError": None,
    "Ply": games().filter(lambda game: len(game.plies) > 0).map(lambda game: game.plies[0]),
    "Position": positions(),
    "PositionProgress": st.just(kalah.PositionProgress(1, 2)),
    "ProofError": None,
    "Puzzle": st.just(kalah.puzzle("4x3", seed=1)),
    "Reason": st.sampled_from([reason for ply in REVIEW.plies for reason in ply.reasons]),
    "Report": st.just(REPORT),
    "Review": st.just(REVIEW),
    "ReviewedPly": st.sampled_from(REVIEW.plies),
    "Rules": RULES.map(kalah.Rules),
    "Side": SIDES,
    "Table": st.just(TABLE),
    "TableError": None,
    "Termination": st.sampled_from(kalah.Termination),
    "BookError": None,
    "TournamentError": None,
    "VectorEnv": VECTOR_ENVS,
}

SMALL_POSITIONS = st.sampled_from(["3x2", "2x3", "", "3x", None, 3, kalah.Position("3x2")])
SMALL_INTEGERS = st.integers(-1, 4) | st.none()
POSITIONS_WITH_RULES = [SMALL_POSITIONS, RULES | st.none()]

#: Two engines without a limit would play for hours.
PLAYERS = st.sampled_from(["first", "", "level:11", None, 3, kalah.Side.SOUTH])

#: Functions and methods that random arguments would keep busy for long or let write files, with the
#: strategies of their arguments.
ARGUMENTS: dict[str, list[st.SearchStrategy[Any]]] = {
    "Dataset.read_parquet": [st.none() | st.floats()],
    "Dataset.to_parquet": [st.none() | st.floats()],
    "Engine.choose": [SMALL_POSITIONS],
    "Engine.analyse": POSITIONS_WITH_RULES,
    "Engine.close": [st.integers()],
    "Game.write": [st.integers()],
    "Table.build": [SMALL_INTEGERS, SMALL_INTEGERS, RULES],
    "Table.open": [st.none() | st.integers()],
    "VectorEnv": [SMALL_INTEGERS, SMALL_INTEGERS, SMALL_INTEGERS, RULES | st.none()],
    "dataset": [SMALL_INTEGERS],
    "perft": [positions() | st.just("3x2"), st.integers(-1, 4) | st.none(), RULES | st.none()],
    "play_game": [PLAYERS, PLAYERS],
    "play_match": [PLAYERS, PLAYERS],
    "puzzle": [st.sampled_from(["4x", "", None, 3]).filter(lambda start: start is not None)],
    "read_games": [st.none() | st.floats() | st.lists(st.integers())],
    "review": [SMALL_POSITIONS],
    "solve": POSITIONS_WITH_RULES,
    "write_games": [st.none() | st.floats(), st.none()],
}

ANYTHING: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-2, 30),
    st.floats(),
    st.text(max_size=8),
    st.characters(categories=["Cs"]),
    st.binary(max_size=8),
    st.lists(st.integers(0, 9), max_size=4),
    st.builds(object),
    st.sampled_from([int, kalah.Position, kalah.Side, ..., NotImplemented]),
    st.integers(0, 255).map(np.uint8),
    st.just(np.zeros(2)),
    st.sampled_from(["6x4", "3x2", "A", "c", "swap", "cs32", "standard"]),
    RULES,
    *(strategy for strategy in OBJECTS.values() if strategy is not None),
)
ARGUMENT_LISTS = st.lists(ANYTHING, max_size=4)
KEYWORDS = st.sampled_from(
    ["text", "rules", "houses", "seeds", "position", "depth", "move", "side", "south", "other"]
)
KEYWORD_ARGUMENTS = st.dictionaries(KEYWORDS, ANYTHING, max_size=2)

#: Special methods of the data model that a class of the package may define.
OPERATORS = ["__eq__", "__ne__", "__lt__", "__hash__", "__repr__", "__str__", "__reduce__"]


def callables(instance: Any) -> list[str]:
    """Returns the public attributes of an object, and its operators."""
    public = [name for name in dir(type(instance)) if not name.startswith("_")]
    return public + [name for name in OPERATORS if hasattr(instance, name)]


def call(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> None:
    """Calls a function, and accepts the documented exceptions only."""
    try:
        function(*arguments, **keywords)
    except DOCUMENTED as error:
        assert str(error), f"{function} raised an exception without a message"


def test_every_public_name_is_registered() -> None:
    for name in kalah.__all__:
        if inspect.isclass(getattr(kalah, name)):
            assert name in OBJECTS, f"OBJECTS has no strategy for kalah.{name}"
    registered = OBJECTS.keys() | {name.partition(".")[0] for name in ARGUMENTS}
    assert registered <= set(kalah.__all__)


CONSTRUCTORS_AND_FUNCTIONS = [name for name in kalah.__all__ if callable(getattr(kalah, name))]


@pytest.mark.parametrize("name", CONSTRUCTORS_AND_FUNCTIONS)
def test_functions_and_constructors_raise_documented_exceptions_only(name: str) -> None:
    function = getattr(kalah, name)
    if name in ARGUMENTS:

        @given(st.tuples(*ARGUMENTS[name]))
        def run(arguments: tuple[Any, ...]) -> None:
            call(function, *arguments)

        run()
    elif issubclass(type(function), enum.EnumMeta):
        # The constructor of Python's enumerations raises ValueError itself.
        with pytest.raises(ValueError, match="east"):
            function("east")
    else:

        @given(ARGUMENT_LISTS, KEYWORD_ARGUMENTS)
        def run_any(arguments: list[Any], keywords: dict[str, Any]) -> None:
            call(function, *arguments, **keywords)

        run_any()


CLASSES = [name for name, strategy in OBJECTS.items() if strategy is not None]


@pytest.mark.parametrize("name", CLASSES)
def test_methods_and_properties_raise_documented_exceptions_only(name: str) -> None:
    strategy = OBJECTS[name]
    assert strategy is not None

    @settings(suppress_health_check=[HealthCheck.too_slow])
    @given(strategy, ARGUMENT_LISTS, KEYWORD_ARGUMENTS)
    def run(instance: Any, arguments: list[Any], keywords: dict[str, Any]) -> None:
        for member_name in callables(instance):
            member = getattr(instance, member_name)
            if not callable(member) or inspect.isclass(member):
                continue
            if f"{name}.{member_name}" in ARGUMENTS:
                continue
            call(member)
            call(member, *arguments)
            call(member, *arguments[:1])
            call(member, **keywords)

    run()

    for member_name in callables_of_class(name):
        if f"{name}.{member_name}" in ARGUMENTS:
            call_with_drawn_arguments(strategy, name, member_name)


def call_with_drawn_arguments(
    instances: st.SearchStrategy[Any], name: str, member_name: str
) -> None:
    """Calls a method with the arguments that `ARGUMENTS` has for it."""

    @given(instances, st.tuples(*ARGUMENTS[f"{name}.{member_name}"]))
    def run(instance: Any, arguments: tuple[Any, ...]) -> None:
        call(getattr(instance, member_name), *arguments)

    run()


def callables_of_class(name: str) -> list[str]:
    """Returns the public attributes of a class of the package."""
    return [attribute for attribute in dir(getattr(kalah, name)) if not attribute.startswith("_")]
