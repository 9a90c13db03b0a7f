"""Properties that every object of the package has: immutable, picklable, safe in threads."""

import copy
import functools
import itertools
import multiprocessing
import pickle
import random
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

import kalah

POSITION = kalah.Position("<6,1,0,4,4,0,5,5,5,4,4,4,4,4,4> s", rules="standard")

#: Objects of every immutable class. Each class of the package with values belongs here.
VALUES: list[Any] = [
    kalah.Rules.CS32,
    kalah.Rules("ends=stuck,capture=always,swap=yes,first-bonus=no"),
    kalah.Move("A"),
    kalah.Move("z"),
    kalah.Move("swap"),
    kalah.Side.SOUTH,
    kalah.Side.NORTH,
    kalah.Outcome(30, 18),
    POSITION,
    kalah.Position.start(26, 1, rules="mankalah"),
    kalah.Position.start(6, 4, rules="mankalah").play("A"),
    kalah.Position("<1,3,5,0,0> s"),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_gives_the_value_back(value: Any, protocol: int) -> None:
    again = pickle.loads(pickle.dumps(value, protocol))
    assert type(again) is type(value)
    assert again == value
    assert hash(again) == hash(value)
    assert repr(again) == repr(value)


def results() -> Iterator[Any]:
    """Returns results of analyses, reviews and puzzles, with the parts of which they consist."""
    engine = kalah.Engine(threads=1, memory="4MiB")
    reports = [
        kalah.solve("4x3", moves=True),
        kalah.solve("<2,3,5,0,0,0,0> s"),
        engine.analyse("6x4", nodes=2000, lines=3),
        engine.analyse(kalah.Position("6x4", "mankalah").play("A"), nodes=2000, lines=7),
        engine.analyse("26x1", nodes=200, goal="best-move"),
    ]
    for report in reports:
        yield from (report, report.bounds, *report.moves)
    annotated = kalah.Game.parse('[South "Marge"] 1. A { a comment } ( 1. B ) a *')
    for game in (
        kalah.Game("3x2", rules="mankalah", moves="A swap"),
        kalah.Game("3x2", moves="A"),
        annotated,
    ):
        review = kalah.review(game, nodes=2000)
        yield from (review, *review.plies, *review.margins)
        yield from (*review.accuracy.values(), *review.grades.values())
        yield from (reason for ply in review.plies for reason in ply.reasons)
        yield from game.plies
    yield kalah.puzzle("4x3", seed=1)


#: Objects that are the results of long calls.
RESULTS = list(results())


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_gives_results_back(protocol: int) -> None:
    for value in RESULTS:
        again = pickle.loads(pickle.dumps(value, protocol))
        assert type(again) is type(value)
        assert again == value
        assert repr(again) == repr(value)
        assert again != RESULTS[0] or value == RESULTS[0]


def test_copies_of_results_are_equal() -> None:
    for value in RESULTS:
        assert copy.copy(value) == value
        assert copy.deepcopy([value]) == [value]


def test_equal_reviews_and_puzzles_are_equal() -> None:
    game = kalah.Game("3x2", moves="A")
    review = kalah.review(game, nodes=2000)
    assert review == kalah.review(game, nodes=2000)
    game.headers["South"] = "Marge"
    assert review != kalah.review(game, nodes=2000)
    assert review != kalah.review(kalah.Game("3x2", moves="B"), nodes=2000)
    assert kalah.puzzle("4x3", seed=1) == kalah.puzzle("4x3", seed=1)
    assert kalah.puzzle("4x3", seed=1) != kalah.puzzle("4x3", seed=2)


#: Values that take the place of each value in a pickle.
NONSENSE: list[Any] = [
    *(None, True, 0, -1, 1, 1.5, 10**6, 2**31, -(2**31), 2**63, 10**30),
    *("", "A", "a", "Z", "swap", "win", "\ud800", [], (), (None,), object()),
    *(kalah.Side.NORTH, kalah.Move("f"), kalah.Move("swap"), kalah.Bounds, kalah.Game()),
    *(kalah.Position("1x1"), kalah.Position("<2,3,5,0,0,0,0> s"), RESULTS[0], RESULTS[1]),
]


def replaced(values: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Returns tuples in which one value, also of an inner tuple, is replaced or missing."""
    for index, value in enumerate(values):
        before, after = values[:index], values[index + 1 :]
        inner = replaced(value) if isinstance(value, tuple) else iter(())
        for other in itertools.chain(NONSENSE, inner):
            yield (*before, other, *after)
        yield (*before, *after)


def use(value: Any) -> None:
    """Reads every property of an object, and those of the objects that they return."""
    assert repr(value)
    assert value == copy.copy(value)
    for name in dir(type(value)):
        if not name.startswith("_"):
            assert repr(getattr(value, name))
    if hasattr(value, "_repr_html_"):
        assert value._repr_html_()


def test_a_pickle_with_other_values_is_an_exception_or_an_object_that_works() -> None:
    seen = set()
    refused = 0
    for value in RESULTS:
        if type(value) in seen and not isinstance(value, kalah.Review):
            continue
        seen.add(type(value))
        function, values = value.__reduce__()
        for others in replaced(values):
            try:
                again = function(*others)
            except (TypeError, ValueError, OverflowError) as error:
                assert str(error)
                refused += 1
            else:
                use(again)
    assert refused > 1000


#: The values of a report in a pickle.
FIRST_VALUES = RESULTS[0].__reduce__()[1]

REVIEW = next(value for value in RESULTS if isinstance(value, kalah.Review))


@pytest.mark.parametrize(
    ("function", "values", "message"),
    [
        (kalah.Bounds._from_values, (3, 2), "upper: expected 3 to 131070, not 2"),
        (kalah.Bounds._from_values, (-(10**6), 2), "lower: expected -131070 to 131070"),
        (kalah.Accuracy._from_values, (1, 0, 5, 4), "cost: expected 0 to 4, not 5"),
        (
            kalah.Report._from_values,
            (*FIRST_VALUES[:2], FIRST_VALUES[2][1:], *FIRST_VALUES[3:]),
            "moves: expected the legal moves of the position in their order, not 3 other moves",
        ),
        (kalah.Ply._from_values, (POSITION, kalah.Move("C")), "house C is empty"),
        (kalah.Report._from_values, (POSITION, *FIRST_VALUES[1:]), "house C is empty"),
        (
            kalah.Review._from_values,
            (kalah.Game("3x2"), *REVIEW.__reduce__()[1][1:]),
            "plies: expected those of the game, not 2 other plies",
        ),
    ],
)
def test_pickles_with_wrong_values_are_refused(
    function: Callable[..., object], values: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(kalah.KalahError, match=f"^{message}"):
        function(*values)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_copies_are_equal(value: Any) -> None:
    assert copy.copy(value) == value
    assert copy.deepcopy([value, value]) == [value, value]


#: The values of classes of the extension module. Python's enumerations accept new attributes.
EXTENSION_VALUES = [value for value in VALUES if not isinstance(value, kalah.Side)]


@pytest.mark.parametrize("value", EXTENSION_VALUES, ids=repr)
def test_values_are_immutable(value: Any) -> None:
    properties = [name for name in dir(type(value)) if not name.startswith("__")]
    for name in [*properties, "new_attribute"]:
        with pytest.raises((AttributeError, TypeError)):
            setattr(value, name, 1)
        with pytest.raises((AttributeError, TypeError)):
            delattr(value, name)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_differ_from_other_types(value: Any) -> None:
    for other in (None, 0, "A", object(), (value,)):
        assert (value == other) is False
        assert (value != other) is True
    if not isinstance(value, kalah.Move):
        with pytest.raises(TypeError):
            sorted([value, value])


@pytest.mark.parametrize(
    "extension_class", [kalah.Rules, kalah.Move, kalah.Outcome, kalah.Position]
)
def test_classes_cannot_be_changed_or_derived_from(extension_class: Any) -> None:
    assert extension_class.__module__ == "kalah"
    with pytest.raises(TypeError):
        type("Derived", (extension_class,), {})


def play_some_plies(position: kalah.Position, seed: int) -> str:
    """Returns the text of a position after random plies."""
    generator = random.Random(seed)
    for _ in range(20):
        if moves := position.legal_moves:
            position = position.play(generator.choice(moves))
    return str(position)


START_METHODS = [
    method for method in ("fork", "spawn") if method in multiprocessing.get_all_start_methods()
]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", START_METHODS)
def test_positions_pass_between_processes(method: str) -> None:
    expected = [play_some_plies(POSITION, seed) for seed in range(8)]
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(max_workers=2, mp_context=context) as pool:
        results = pool.map(play_some_plies, [POSITION] * 8, range(8))
        assert list(results) == expected


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", START_METHODS)
def test_results_pass_between_processes(method: str) -> None:
    starts = ["3x2", "3x3", "4x3"]
    games = [kalah.Game("3x2", moves="A"), kalah.Game("3x3", moves="A B")]
    with multiprocessing.get_context(method).Pool(2) as pool:
        reports = pool.map(kalah.solve, starts)
        reviews = pool.map(functools.partial(kalah.review, nodes=2000), games)
        puzzles = pool.map(functools.partial(kalah.puzzle, seed=1), starts)
    assert [report.margin for report in reports] == [kalah.solve(start).margin for start in starts]
    assert reviews == [kalah.review(game, nodes=2000) for game in games]
    assert puzzles == [kalah.puzzle(start, seed=1) for start in starts]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer signals")
def test_signals_interrupt_perft() -> None:
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(KeyboardInterrupt):
            kalah.perft("26x1260", 2**32 - 1)
    finally:
        signal.signal(signal.SIGALRM, previous)


def test_threads_share_a_position() -> None:
    expected = [play_some_plies(POSITION, seed) for seed in range(400)]
    with ThreadPoolExecutor(max_workers=16) as pool:
        results = pool.map(play_some_plies, [POSITION] * 400, range(400))
        assert list(results) == expected


def test_perft_runs_in_threads_at_once() -> None:
    with ThreadPoolExecutor(max_workers=4) as pool:
        results = pool.map(kalah.perft, ["6x4"] * 8, [7] * 8)
        assert list(results) == [114430] * 8
