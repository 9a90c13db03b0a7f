"""Wrong arguments: each is a TypeError or a KalahError that names the argument."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kalah
from kalah import IllegalMoveError, KalahError, ParseError, Side

START = kalah.Position.start(6, 4)


REPORT = kalah.solve("3x3", moves=True)


class WrongIndex:
    """A class whose `__index__` returns no integer."""

    def __index__(self) -> int:
        """Returns a text, against the protocol."""
        return "1"  # type: ignore[return-value]


class RaisingIndex:
    """A class whose `__index__` raises."""

    def __index__(self) -> int:
        """Raises."""
        raise ZeroDivisionError


NOT_TEXT: list[Any] = [None, 1, 1.5, b"6x4", ["6x4"], object(), str]
NOT_INTEGERS: list[Any] = [1.0, "1", b"1", True, [1], object(), int, WrongIndex(), np.bool_(1)]
NOT_PATHS: list[Any] = [None, 0, 1.5, True, ["x"], object(), str]
NOT_SIDES: list[Any] = [None, "south", 0, True, Side, object(), "\ud800"]
HUGE = 10**5000


def not_in(values: list[Any], *excluded: Any) -> list[Any]:
    """Returns the values that are not among `excluded`."""
    return [value for value in values if not any(value is other for other in excluded)]


Call = Callable[[Any], object]

#: For each argument: its name, a call with the value, and values of wrong types.
TYPE_ERRORS: list[tuple[str, Call, list[Any]]] = [
    ("text", kalah.Rules, NOT_TEXT),
    ("text", kalah.Move, NOT_TEXT),
    ("position", kalah.Position, NOT_TEXT),
    ("position", lambda value: kalah.perft(value, 1), NOT_TEXT),
    ("rules", lambda value: kalah.Position("6x4", value), not_in(NOT_TEXT, None)),
    ("rules", lambda value: kalah.Position.start(6, 4, value), not_in(NOT_TEXT, None)),
    ("rules", lambda value: kalah.perft("6x4", 1, value), not_in(NOT_TEXT, None)),
    ("houses", lambda value: kalah.Position.start(value), NOT_INTEGERS),
    ("seeds", lambda value: kalah.Position.start(6, value), NOT_INTEGERS),
    ("depth", lambda value: kalah.perft("6x4", value), [*NOT_INTEGERS, None]),
    ("south", lambda value: kalah.Outcome(value, 0), [*NOT_INTEGERS, None]),
    ("north", lambda value: kalah.Outcome(0, value), [*NOT_INTEGERS, None]),
    ("move", START.play, not_in([*NOT_INTEGERS, None], "1")),
    ("side", START.row, NOT_SIDES),
    ("side", START.store, NOT_SIDES),
    ("side", kalah.Outcome(1, 2).margin, NOT_SIDES),
    ("start", kalah.Game, not_in(NOT_TEXT, None)),
    ("start", kalah.puzzle, not_in(NOT_TEXT, None)),
    ("rules", lambda value: kalah.Game(None, value), not_in(NOT_TEXT, None)),
    ("rules", lambda value: kalah.puzzle(None, value), not_in(NOT_TEXT, None)),
    ("seed", lambda value: kalah.puzzle("3x2", seed=value), NOT_INTEGERS),
    ("min_depth", lambda value: kalah.puzzle("3x2", min_depth=value), NOT_INTEGERS),
    ("min_moves", lambda value: kalah.puzzle("3x2", min_moves=value), NOT_INTEGERS),
    ("rating", lambda value: kalah.puzzle("3x2", rating=value), [1200, "1200", 1.5, (900,)]),
    ("rating", lambda value: kalah.puzzle("3x2", rating=(value, 1200)), NOT_INTEGERS),
    ("game", kalah.review, [*NOT_TEXT, "AaB", START]),
    ("text", kalah.Game.parse, NOT_TEXT),
    ("text", kalah.parse_games, NOT_TEXT),
    ("text", lambda value: kalah.Game().add_comment(value), NOT_TEXT),
    ("move", lambda value: kalah.Game().push(value), not_in([*NOT_INTEGERS, None], "1")),
    ("move", lambda value: REPORT[value], not_in([*NOT_INTEGERS, None], "1")),
    ("moves", lambda value: kalah.Game(moves=value), [1, 1.5, object(), b"A"]),
    ("name", lambda value: kalah.Game().headers.update({value: "x"}), [None, 1, b"x", int]),
    ("value", lambda value: kalah.Game().headers.update({"South": value}), NOT_TEXT),
    ("side", lambda value: kalah.Game().player_on(value), NOT_SIDES),
    ("winner", lambda value: kalah.Game().end("resign", value), not_in(NOT_SIDES, None)),
    ("termination", lambda value: kalah.Game().end(value), not_in(NOT_TEXT)),
    ("games", lambda value: kalah.write_games("x.kgn", value), [None, 1, object()]),
    ("path", kalah.read_games, NOT_PATHS),
    ("path", lambda value: kalah.write_games(value, []), NOT_PATHS),
    ("append", lambda value: kalah.write_games("x.kgn", [], append=value), [0, 1.5, "x", []]),
]

#: For each argument: its name, a call with the value, and values out of range.
RANGE_ERRORS: list[tuple[str, Call, list[Any]]] = [
    ("houses", lambda value: kalah.Position.start(value, 1), [-1, 0, 27, 256, HUGE, -HUGE]),
    ("seeds", lambda value: kalah.Position.start(6, value), [-1, 2**64, HUGE, np.int64(-1)]),
    ("depth", lambda value: kalah.perft("6x4", value), [-1, 2**32, HUGE]),
    ("south", lambda value: kalah.Outcome(value, 0), [-1, 65536, HUGE]),
    ("north", lambda value: kalah.Outcome(0, value), [-1, 65536, HUGE]),
    ("move", START.play, [-1, 0, 27, HUGE, np.uint8(0)]),
    ("move", lambda value: REPORT[value], [-1, 0, 27, HUGE, np.uint8(0)]),
    ("seed", lambda value: kalah.puzzle("3x2", seed=value), [-1, 2**64, HUGE]),
    ("min_depth", lambda value: kalah.puzzle("3x2", min_depth=value), [0, 7, -1, HUGE]),
    ("min_moves", lambda value: kalah.puzzle("3x2", min_moves=value), [0, 256, -1, HUGE]),
    ("rating", lambda value: kalah.puzzle("3x2", rating=(value, 1200)), [0, 799, 2401, HUGE]),
]


def cases(table: list[tuple[str, Call, list[Any]]]) -> list[tuple[str, Call, Any]]:
    """Returns one case for each value of a table."""
    return [(name, call, value) for name, call, values in table for value in values]


@pytest.mark.parametrize(("name", "call", "value"), cases(TYPE_ERRORS))
def test_wrong_types_raise_type_errors(name: str, call: Call, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{name}: expected .*, not ."):
        call(value)


@pytest.mark.parametrize(
    ("name", "call", "value"),
    cases(RANGE_ERRORS),
    ids=lambda value: repr(value)[:9] if not isinstance(value, int) else hex(value)[:9],
)
def test_numbers_out_of_range_raise_kalah_errors(name: str, call: Call, value: Any) -> None:
    with pytest.raises(KalahError, match=rf"^{name}: expected \d+ to \d+, not ") as caught:
        call(value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a start such as 6x4"),
        ("6x", "expected a start such as 6x4"),
        ("0x4", "a row has no houses"),
        ("27x1", "27 houses a side are too many"),
        ("6x6000", "72000 seeds are too many"),
        ("<1,0,0,1> s", "expected 4 numbers after the first"),
        ("<1,0,0,1,1", "the closing > is missing"),
        ("<1,0,0,1,1> x", "neither a side"),
        ("<1,0,0,1,99999999999999999999> s", "too large"),
        ("\ud800", "position: the text has a surrogate"),
        ("6x4\0", "not a number"),
    ],
)
def test_wrong_positions_raise_parse_errors(text: str, message: str) -> None:
    for call in (kalah.Position, lambda text: kalah.perft(text, 1)):
        with pytest.raises(ParseError, match=message):
            call(text)


@pytest.mark.parametrize("text", ["", "yale", "CS32", "ends=row", "ends=row,ends=row", "\ud800"])
def test_wrong_rules_raise_parse_errors(text: str) -> None:
    for call in (
        kalah.Rules,
        lambda text: kalah.Position("6x4", text),
        lambda text: kalah.Position.start(6, 4, text),
    ):
        with pytest.raises(ParseError, match=r"rules|ends=|surrogate"):
            call(text)


@pytest.mark.parametrize("text", ["", "AB", "1", "Swap", " A", "ä", "\0", "\ud800", "A" * 10**6])
def test_wrong_moves_raise_parse_errors(text: str) -> None:
    for call in (kalah.Move, START.play):
        with pytest.raises(ParseError) as caught:
            call(text)
        assert len(str(caught.value)) < 200


def test_illegal_moves_name_the_reason() -> None:
    after = START.play("C")
    illegal: list[tuple[str | int, str]] = [
        ("C", "house C is empty"),
        (3, "house C is empty"),
        ("a", "a is a house of North, and South is to move"),
        ("G", "no house G"),
        (26, "no house Z"),
        ("swap", "swap"),
    ]
    for move, message in illegal:
        with pytest.raises(IllegalMoveError, match=message):
            after.play(move)
    with pytest.raises(IllegalMoveError, match="over"):
        kalah.Position("<1,3,5,0,0> s").play("A")


@pytest.mark.parametrize(
    "call", [START.play, lambda move: kalah.Game().push(move), lambda move: REPORT[move]]
)
def test_every_move_that_is_not_legal_is_an_illegal_move(call: Call) -> None:
    for move in ("Z", "a", "swap", kalah.Move("f"), 9, 26, 27, 0, -1, HUGE, np.int64(7)):
        with pytest.raises(IllegalMoveError):
            call(move)


def test_rules_that_differ_from_those_of_a_position_raise_kalah_error() -> None:
    for call in (
        kalah.Position,
        kalah.Game,
        kalah.puzzle,
        lambda position, rules: kalah.perft(position, 1, rules),
    ):
        assert call(START, "cs32")
        with pytest.raises(KalahError, match=r"^rules: expected those of the position, cs32"):
            call(START, "standard")


def test_integers_of_numpy_are_integers() -> None:
    assert kalah.Position.start(np.int8(6), np.uint64(4)) == START
    assert START.play(np.int64(3)) == START.play("C")
    assert kalah.perft("6x4", np.array(2)) == 35


def test_errors_of_index_methods_pass_through() -> None:
    with pytest.raises(ZeroDivisionError):
        kalah.Position.start(RaisingIndex())


def test_exceptions_are_value_errors_with_one_base() -> None:
    assert issubclass(KalahError, ValueError)
    assert issubclass(ParseError, KalahError)
    assert issubclass(IllegalMoveError, KalahError)


@pytest.mark.parametrize(
    "call",
    [
        lambda: kalah.Position(),  # type: ignore[call-arg]
        lambda: kalah.Position("6x4", "cs32", 1),  # type: ignore[call-arg]
        lambda: kalah.Position("6x4", rule="cs32"),  # type: ignore[call-arg]
        lambda: kalah.Move(),  # type: ignore[call-arg]
        lambda: kalah.Outcome(1),  # type: ignore[call-arg]
        lambda: START.play(),  # type: ignore[call-arg]
        lambda: START.legal_moves(),  # type: ignore[operator]
    ],
)
def test_wrong_numbers_of_arguments_raise_type_errors(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError):
        call()
