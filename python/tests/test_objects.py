"""Properties that every object of the package has: immutable, picklable, safe in threads."""

import copy
import multiprocessing
import pickle
import random
import signal
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
