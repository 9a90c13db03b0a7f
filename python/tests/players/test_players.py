"""Players, games and matches."""

import copy
import datetime
import functools
import inspect
import itertools
import os
import pathlib
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kalah
from kalah import Game, Move, Position, Side, Termination
from kalah.players import (
    BuiltinPlayer,
    MatchGame,
    MatchResult,
    Player,
    parse_openings,
    play_game,
    play_match,
    random_openings,
)

Call = Callable[[Any], object]

SPECS = ["first", "random", "minimax:1", "minimax:4", *(f"level:{n}" for n in range(1, 10))]
RULES = ["cs32", "standard", "empty-capture", "mankalah"]


def last(position: Position) -> Move:
    return position.legal_moves[-1]


def bad(_: Position) -> str:
    return "swap"


def call_with(function: Callable[..., Any], name: str, value: Any) -> Any:
    """Returns the game or the match of two players with one more argument."""
    return function("first", "first", **{name: value})


@pytest.mark.parametrize("spec", [*SPECS, "smart:10ms"])
def test_every_built_in_player_chooses_legal_moves(spec: str) -> None:
    for rules in RULES:
        game = play_game(spec, "random", start="3x3", rules=rules, seed=1)
        assert game.is_over
        assert game.termination is Termination.NORMAL
    player = BuiltinPlayer(spec)
    assert player.spec == spec
    assert repr(player) == f"BuiltinPlayer('{spec}')"
    assert isinstance(player, Player)
    with pytest.raises(kalah.IllegalMoveError, match=r"^the game is over$"):
        player.choose("<1,3,5,0,0> s")


def test_a_player_takes_a_position_a_text_or_a_game() -> None:
    player = BuiltinPlayer("first")
    game = Game(moves="CF")
    assert player.choose(game) == player.choose(game.position) == player.choose(str(game.position))
    assert len(game) == 2
    with pytest.raises(TypeError, match="position: expected Position or str, not int"):
        player.choose(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"spec": "human"}, "spec: expected a program such as smart or level:3, not human"),
        ({"spec": "smrt"}, "spec: `smrt` is not a player: expected first, random"),
        ({"spec": "level:11"}, "spec: `level:11`: expected a level from 1 to 10"),
        ({"spec": "minimax:99"}, "spec: `minimax:99`: expected a depth from 1 to 12"),
        ({"spec": "smart", "seed": -1}, "seed: expected 0 to 18446744073709551615, not -1"),
        ({"spec": "smart", "nodes": 0}, "nodes: expected 1 to "),
        ({"spec": "smart", "threads": 0}, "threads: expected 1 to 256, not 0"),
        ({"spec": "smart", "memory": "much"}, "memory: `much` is not an amount of memory"),
        ({"spec": "smart", "memory": 16}, "memory: expected 1048576 to "),
    ],
)
def test_invalid_arguments_of_players_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(kalah.KalahError) as error:
        BuiltinPlayer(**arguments)  # type: ignore[arg-type]
    assert message in str(error.value)


def test_invalid_limits_are_named() -> None:
    player = BuiltinPlayer("smart")
    for limit in (-1, float("nan"), float("inf"), 1e30):
        with pytest.raises(kalah.KalahError, match=r"^time: expected 0 to 1000000000 seconds, not"):
            player.choose("6x4", time=limit)
    with pytest.raises(TypeError, match=r"^time: expected seconds or timedelta, not str"):
        player.choose("6x4", time="1s")  # type: ignore[arg-type]
    with pytest.raises(kalah.KalahError, match=r"^nodes: expected 1 to"):
        player.choose("6x4", nodes=0)
    assert player.choose("3x2", time=1e9) in kalah.Position("3x2").legal_moves


def test_a_seed_determines_the_moves_of_a_player() -> None:
    def moves(seed: int) -> list[Move]:
        player = BuiltinPlayer("random", seed=seed)
        first = [player.choose("6x4") for _ in range(40)]
        player.new_game(seed)
        assert [player.choose("6x4") for _ in range(40)] == first
        return first

    assert moves(1) == moves(1) != moves(2)
    games = [str(play_game("level:2", "random", seed=seed)) for seed in (3, 3, 4)]
    assert games[0] == games[1] != games[2]
    assert len({str(play_game("random", "random")) for _ in range(5)}) > 1


def test_smart_within_nodes_is_reproducible() -> None:
    def game() -> Game:
        smart = BuiltinPlayer("smart", nodes=3000, memory="16MiB", name="Lisa")
        return play_game(smart, "level:3", start="4x4", rules="standard", seed=5)

    assert game() == game()
    assert game().headers["South"] == "Lisa"


def test_smart_ends_its_search_at_the_first_limit() -> None:
    # A search of this board without one of the limits would take years.
    moves = Position("10x10").legal_moves
    for player, limits in [
        (BuiltinPlayer("smart:1day"), {"time": 0.05}),
        (BuiltinPlayer("smart:50ms"), {"time": 1e6}),
        (BuiltinPlayer("smart"), {"nodes": 1000}),
        (BuiltinPlayer("smart:50ms", nodes=10**15), {}),
        (BuiltinPlayer("level:10", nodes=1000), {"time": 1e6}),
    ]:
        assert player.choose("10x10", **limits) in moves  # type: ignore[arg-type]


def test_a_game_has_names_and_the_moves_of_its_players() -> None:
    class Nearest:
        name = "Nearest"

        def choose(self, position: Position, /, *, time: float | None = None) -> int:
            assert time == 2
            house = position.legal_moves[-1].house
            assert house is not None
            return house

    game = play_game(Nearest(), last, start="4x3", rules="standard", time=2)
    assert game.headers["South"] == "Nearest"
    assert game.headers["North"] == "last"
    assert game.is_over
    for before, ply in zip(game.positions, game, strict=False):
        assert ply.move == before.legal_moves[-1]


def test_a_swap_exchanges_the_sides_of_the_players() -> None:
    sides: dict[str, set[Side]] = {"south": set(), "north": set()}

    def player(name: str, *, swaps: bool) -> "kalah.players.PlayerLike":
        def choose(position: Position) -> Move:
            sides[name].add(position.to_move)
            moves = [move for move in position.legal_moves if not move.is_swap]
            can_swap = position.legal_moves[-1].is_swap
            return position.legal_moves[-1] if swaps and can_swap else moves[0]

        return choose

    game = play_game(player("south", swaps=False), player("north", swaps=True), rules="mankalah")
    assert game.is_swapped
    assert game.is_over
    assert sides == {"south": {Side.SOUTH, Side.NORTH}, "north": {Side.NORTH, Side.SOUTH}}


@pytest.mark.parametrize("answer", ["swap", "A", "a", "", "x?", 0, 7, -1, 10**30])
def test_an_illegal_move_loses_with_its_termination_in_the_record(answer: str | int) -> None:
    game = play_game("first", lambda _: answer, start="6x4", rules="standard")
    if answer == "a":
        assert game.termination is Termination.NORMAL or game.winner is Side.SOUTH
        return
    assert (game.termination, game.winner) == (Termination.ILLEGAL, Side.SOUTH)
    assert len(game) == 1
    assert game.comments[-1][1].startswith("illegal move by North: ")
    assert Game.parse(str(game)) == game


def test_an_exception_of_a_player_has_the_game_so_far() -> None:
    def fails(position: Position) -> Move:
        if position.store(Side.NORTH) > 3:
            raise ZeroDivisionError("no idea")
        return position.legal_moves[0]

    with pytest.raises(ZeroDivisionError, match="no idea") as error:
        play_game("random", fails, seed=1)
    game = error.value.game  # type: ignore[attr-defined]
    assert len(game) > 0
    assert game.position.store(Side.NORTH) > 3
    assert f"in ply {len(game) + 1}, in which fails is to move" in error.value.__notes__[0]
    with pytest.raises(ZeroDivisionError) as error:
        play_match("random", fails, games=10, seed=1)
    result = error.value.match_result  # type: ignore[attr-defined]
    assert isinstance(result, MatchResult)


class BrokenText:
    """A class whose text cannot be made."""

    def __repr__(self) -> str:
        """Raises."""
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("answer", "quotation"),
    [
        ("\ud800", "`\\ud800`"),
        ("a\nb}", "`a\\nb)`"),
        ("x" * 1000, f"`{'x' * 80}...`"),
        (10**5000, "an integer of more than 40 digits"),
        (None, "`None`"),
        (True, "`True`"),
        (1.5, "1.5"),
        ([], "`[]`"),
        (np.zeros(2), "`array([0., 0.])`"),
        (b"A", "`b'A'`"),
        ([10**5000], "an object of class list"),
        (BrokenText(), "an object of class BrokenText"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_answer_that_is_no_move_loses_and_is_quoted(answer: object, quotation: str) -> None:
    game = play_game("first", lambda _: answer, start="6x4")  # type: ignore[arg-type,return-value]
    assert (game.termination, game.winner) == (Termination.ILLEGAL, Side.SOUTH)
    text = game.comments[-1][1]
    assert text.startswith(f"illegal move by North: {quotation} in {game.position}: ")
    assert len(text) < 500
    assert Game.parse(str(game)) == game


NO_PLAYERS: list[Any] = [None, 0, 1.5, True, [], object(), np.int64(1), np.zeros(2), 10**5000, b"x"]


@pytest.mark.parametrize("value", NO_PLAYERS, ids=lambda value: type(value).__name__)
def test_a_value_of_another_type_is_no_player(value: Any) -> None:
    class Unusable:
        choose = value

    class UnusableNewGame:
        new_game = value

        def choose(self, position: Position, /, *, time: float | None = None) -> Move:
            raise NotImplementedError

    expected = "expected str, an object with a method choose, or a function, not "
    calls: list[tuple[str, Call]] = [
        ("south", lambda player: play_game(player, "first")),
        ("north", lambda player: play_game("first", player)),
        ("first", lambda player: play_match(player, "first", games=0)),
        ("second", lambda player: play_match("first", player, games=0)),
    ]
    for name, call in calls:
        with pytest.raises(TypeError, match=f"^{name}: {expected}{type(value).__name__}"):
            call(value)
        if value is not None:
            with pytest.raises(TypeError, match=rf"^{name}\.choose: expected a method, not "):
                call(Unusable())
            with pytest.raises(TypeError, match=rf"^{name}\.new_game: expected a method, not "):
                call(UnusableNewGame())


def test_a_class_is_no_player() -> None:
    class Nearest:
        def choose(self, position: Position, /, *, time: float | None = None) -> Move:
            raise NotImplementedError

    for player in (BuiltinPlayer, Nearest, int):
        message = f"^south: expected an instance of {player.__name__}, not the class itself$"
        with pytest.raises(TypeError, match=message):
            play_game(player, "first")  # type: ignore[arg-type]


def test_texts_of_players_are_named_by_their_argument() -> None:
    with pytest.raises(kalah.KalahError, match=r"^second: `smrt` is not a player: expected first"):
        play_match("first", "smrt")
    with pytest.raises(kalah.ParseError, match=r"^south: the text has a surrogate"):
        play_game("\ud800", "first")
    player = BuiltinPlayer("first", name="Lisa")

    class Named:
        choose = player.choose
        name: Any = "\ud800"

    with pytest.raises(
        kalah.KalahError, match=r"^south\.name: expected characters, not `\\ud800`$"
    ):
        play_game(Named(), "first")
    Named.name = 3
    with pytest.raises(TypeError, match=r"^south\.name: expected str, not int$"):
        play_game(Named(), "first")


#: The arguments of games and matches: the name, a call with a value, and values of wrong types.
WRONG_TYPES: list[tuple[str, Call, list[Any]]] = [
    (name, functools.partial(call_with, function, name), values)
    for function in (play_game, play_match)
    for name, values in [
        ("start", [0, 1.5, [], object(), True, b"6x4", np.int64(1)]),
        ("rules", [0, 1.5, [], object(), True, b"cs32"]),
        ("seed", [1.5, "x", [], object(), True, np.zeros(2)]),
        ("time", ["x", [], object(), True, b"1", np.zeros(2)]),
        ("games", [None, 1.5, "x", [], object(), True]),
        ("openings", [None, 1.5, "6x4", object(), True, b"x", Game(), np.array(2)]),
        ("on_game", [0, 1.5, "x", [], object(), True]),
    ]
    if name in inspect.signature(function).parameters
]


@pytest.mark.parametrize(
    ("name", "call", "value"),
    [(name, call, value) for name, call, values in WRONG_TYPES for value in values],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_wrong_types_name_the_argument(name: str, call: Call, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{name}: expected .*, not {type(value).__name__}$"):
        call(value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": 3}, "games: expected an even number, not 3"),
        ({"games": -2}, "games: expected 0 to 2000000, not -2"),
        (
            {"games": 10**5000},
            "games: expected 0 to 2000000, not an integer of more than 40 digits",
        ),
        ({"seed": -1}, "seed: expected 0 to 18446744073709551615, not -1"),
        ({"seed": 2**64}, "seed: expected 0 to 18446744073709551615, not 18446744073709551616"),
        ({"time": -1}, "time: expected 0 to 1000000000 seconds, not -1"),
        ({"time": np.float64("nan")}, "time: expected 0 to 1000000000 seconds, not nan"),
        ({"time": 1e300}, "time: expected 0 to 1000000000 seconds, not 1e+300"),
        ({"time": float("inf")}, "time: expected 0 to 1000000000 seconds, not inf"),
        (
            {"time": 10**5000},
            "time: expected 0 to 1000000000 seconds, not an integer of more than 40 ",
        ),
        ({"time": datetime.timedelta(-1)}, "time: expected 0 to 1000000000 seconds, not -86400.0"),
        ({"start": "6x"}, "start: position `6x`, character 1: "),
        ({"start": "\ud800"}, "start: the text has a surrogate"),
        ({"rules": "chess"}, "rules: no rules are called `chess`: "),
        ({"rules": "\ud800"}, "rules: the text has a surrogate"),
        (
            {"start": Position("6x4"), "rules": "standard"},
            "rules: expected those of the position, ",
        ),
        ({"openings": -1}, "openings: expected 0 to 1000, not -1"),
        ({"openings": 1001}, "openings: expected 0 to 1000, not 1001"),
        ({"openings": 50, "start": "1x1"}, "openings: expected so few that the game is not over "),
        ({"openings": 0, "start": "<1,3,5,0,0> s"}, "start: the game is over in <1,3,5,0,0> s"),
        ({"openings": []}, "openings: expected at least one opening"),
        ({"openings": ["6x4"], "start": "6x4"}, "start: expected nothing, because openings has "),
        ({"openings": ["4x3", "6x"]}, "openings[1]: position `6x`, character 1: "),
        ({"openings": [Game()], "rules": "standard"}, "rules: expected those of the game, cs32, "),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_wrong_values_name_the_argument(arguments: dict[str, Any], message: str) -> None:
    for function in (play_game, play_match):
        if arguments.keys() <= inspect.signature(function).parameters.keys():
            with pytest.raises(kalah.KalahError) as error:
                function("first", "first", **arguments)
            assert str(error.value).startswith(message)


def test_rules_that_contradict_a_game_are_refused() -> None:
    opening = Game("6x4", "standard", moves="A")
    assert play_game("first", "first", start=opening, rules="standard").moves[0] == Move("A")
    with pytest.raises(
        kalah.KalahError, match=r"^rules: expected those of the game, standard, not"
    ):
        play_game("first", "first", start=opening, rules="cs32")
    with pytest.raises(TypeError, match=r"^start: expected Position or str, not Game$"):
        play_match("first", "first", start=opening)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"^openings\[1\]: expected Game, Position or str, not None"
    ):
        play_match("first", "first", openings=["6x4", None])  # type: ignore[list-item]


def test_integers_of_numpy_and_endless_openings_are_accepted() -> None:
    result = play_match(
        *("random", "first"), games=np.int64(4), openings=np.uint8(2), start="4x3", seed=np.int64(7)
    )
    assert result == play_match("random", "first", games=4, openings=2, start="4x3", seed=7)
    assert {entry.game.headers["OpeningPlies"] for entry in result.games} == {"2"}
    assert type(result.seed) is int
    starts = itertools.cycle(["3x2", "4x2"])
    result = play_match("first", "first", games=6, openings=starts)
    assert [entry.game.start.houses for entry in result.games] == [3, 3, 4, 4, 3, 3]
    with pytest.raises(kalah.KalahError, match="openings: expected at least one opening"):
        play_match("first", "first", games=0, openings=iter(()))


def test_a_time_limit_reaches_players_in_seconds() -> None:
    times = []

    class Player:
        def choose(self, position: Position, /, *, time: float | None = None) -> Move:
            times.append(time)
            return position.legal_moves[0]

    for time in (2, datetime.timedelta(seconds=2), np.float32(2), None):
        play_game(Player(), "first", start="1x1", time=time)  # type: ignore[arg-type]
    assert times == [2.0, 2.0, 2.0, None]


def test_a_game_continues_a_copy_of_another_one() -> None:
    opening = Game(moves="CF a")
    opening.end("resign", Side.SOUTH)
    game = play_game("first", "first", start=opening)
    assert game.is_over
    assert game.moves[:3] == opening.moves
    assert game.comments == ((3, "the opening"),)
    assert game.headers["OpeningPlies"] == "3"
    assert len(opening) == 3
    over = play_game("first", "first", start="<1,3,5,0,0> s")
    assert over.outcome == kalah.Position("<1,3,5,0,0> s").outcome


def test_a_match_counts_games_and_seeds_of_the_first_player() -> None:
    seen: list[MatchGame] = []
    result = play_match("level:4", "level:1", games=40, start="4x3", seed=7, on_game=seen.append)
    assert tuple(seen) == result.games
    assert result.wins + result.ties + result.losses == 40 == 2 * sum(result.pairs)
    assert result.score == result.wins + result.ties / 2
    assert result.names == ("Level 4", "Level 1")
    margin = 0
    for number, entry in enumerate(result.games):
        game = entry.game
        assert game.is_over
        assert game.outcome is not None
        first_is_south = number % 2 == 0
        assert entry.first_began_as is (Side.SOUTH if first_is_south else Side.NORTH)
        assert game.headers["South" if first_is_south else "North"] == "Level 4"
        assert game.headers["Round"] == f"{number // 2 + 1}.{number % 2 + 1}"
        own = game.outcome.margin(entry.first_began_as)
        margin += own
        assert entry.margin == own
        assert entry.score == (own > 0) + (own == 0) / 2
        if number % 2:
            assert game.moves[:4] == result.games[number - 1].game.moves[:4]
    assert result.margin == margin
    assert result.wins > result.losses
    estimate = result.estimate
    assert estimate is not None
    assert estimate.elo_interval.lower <= estimate.elo <= estimate.elo_interval.upper
    assert estimate.score == result.score / 40
    assert 0.9 < estimate.superiority <= 1
    assert str(result).startswith(f"Level 4 against Level 1: {result.wins} wins, ")
    again = play_match("level:4", "level:1", games=40, start="4x3", seed=7)
    assert again == result
    unseeded = play_match("random", "random", games=4, start="4x3")
    assert play_match("random", "random", games=4, start="4x3", seed=unseeded.seed) == unseeded


def test_a_match_with_swaps_scores_players_and_not_sides() -> None:
    result = play_match(
        "random", "random", games=200, openings=0, start="3x2", rules="mankalah", seed=3
    )
    swapped = [entry for entry in result.games if entry.game.is_swapped]
    assert swapped
    for entry in result.games:
        outcome = entry.game.outcome
        assert outcome is not None
        side = entry.first_began_as.opponent if entry.game.is_swapped else entry.first_began_as
        assert entry.margin == outcome.margin(side)
        assert entry.score == (outcome.winner is side) + (outcome.winner is None) / 2


def test_a_player_of_illegal_moves_loses_its_match() -> None:
    result = play_match("first", bad, games=6, seed=1)
    assert (result.wins, result.ties, result.losses) == (6, 0, 0)
    assert result.pairs == (0, 0, 0, 0, 3)
    assert result.margin == 0
    assert all(entry.game.termination is Termination.ILLEGAL for entry in result.games)
    assert all(entry.margin is None for entry in result.games)
    estimate = result.estimate
    assert estimate is not None
    assert estimate.elo == float("inf")
    assert play_match("first", "first", games=0).estimate is None


def test_openings_are_numbers_of_plies_games_or_positions() -> None:
    positions: list[Position | str] = [Position("<4,0,0,3,3,3,3,1,1,1,1> n"), "4x2"]
    result = play_match("first", "first", games=6, openings=positions)
    starts = [str(entry.game.start) for entry in result.games]
    assert starts[0] == starts[1] == starts[4] == str(positions[0])
    assert starts[2] == "<4,0,0,2,2,2,2,2,2,2,2> s"
    openings = random_openings("4x3", "standard", plies=3, count=5, seed=1)
    assert len({str(opening.position) for opening in openings}) == 5
    result = play_match("first", "first", games=10, openings=openings)
    for number, entry in enumerate(result.games):
        assert entry.game.moves[:3] == openings[number // 2].moves


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"plies": 50, "start": "1x1"},
            "plies: expected so few that the game is not over after th",
        ),
        ({"plies": 1001}, "plies: expected 0 to 1000, not 1001"),
        (
            {"plies": 0, "start": "<1,3,5,0,0> s"},
            "start: expected a position before the end of the ",
        ),
        ({"plies": 1, "count": 0}, "count: expected 1 to 1000000, not 0"),
    ],
)
def test_openings_that_do_not_exist_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(kalah.KalahError) as error:
        random_openings(**{"count": 3} | arguments)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("bord 6x4", "line 2, `bord 6x4`: expected the line `board ...`"),
        ("board 6x4\n? A A", "line 3, `? A A`: turn 1...: sowing `A`: it is North's turn"),
        ("board 6x4\n\n+3 A # odd", "line 4, `+3 A # odd`: a game of 48 seeds cannot end with"),
        ("board 1x1\n? A", "line 3, `? A`: the game is over after the opening"),
        ("board 6x4\n? A\n? A", "line 4, `? A`: this opening leads to the same position as line 3"),
        ("board 6x4", "line 2, `board 6x4`: there are no openings"),
    ],
)
def test_errors_in_lists_of_openings_quote_the_line(lines: str, message: str) -> None:
    with pytest.raises(kalah.ParseError) as error:
        parse_openings(f"rules standard\n{lines}\n")
    assert str(error.value).startswith(message)


def test_lists_of_openings_are_read() -> None:
    files = sorted((pathlib.Path(__file__).parents[3] / "data" / "openings").glob("*.txt"))
    assert files
    for path in files:
        board, rules = path.stem.split("-")
        openings = parse_openings(path.read_text())
        start = Position(board, rules)
        assert all(opening.start == start and not opening.is_over for opening in openings)
        assert len({opening.position for opening in openings}) == len(openings)


def test_threads_can_share_a_player() -> None:
    player = BuiltinPlayer("level:3", seed=1)
    moves: list[Move] = []

    def choose() -> None:
        moves.extend(player.choose("6x4") for _ in range(20))

    threads = [threading.Thread(target=choose) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(moves) == 80


INTERRUPTED = """
import os, signal, sys, threading, time
import kalah
from kalah.players import BuiltinPlayer

player = BuiltinPlayer({spec!r})

def interrupt():
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    while True:
        {call}
except KeyboardInterrupt:
    print(player.choose("2x2"))
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal of POSIX")
@pytest.mark.parametrize(
    ("spec", "call"),
    [
        ("smart", "player.choose('10x10', time=1e6)"),
        ("minimax:12", "player.choose('10x10', time=1e6)"),
        ("level:9", "player.choose('26x1000', time=1e6)"),
        ("first", "kalah.players.random_openings('6x4', plies=12, count=1_000_000)"),
    ],
)
def test_ctrl_c_interrupts_players_and_openings(spec: str, call: str) -> None:
    program = textwrap.dedent(INTERRUPTED).format(spec=spec, call=call)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout in ("A\n", "B\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_cannot_use_a_player() -> None:
    program = """
        import os
        import kalah
        player = kalah.players.BuiltinPlayer("first")
        if os.fork():
            os.wait()
        else:
            for call in (lambda: player.choose("6x4"), player.new_game):
                try:
                    call()
                except kalah.KalahError as error:
                    print(error, flush=True)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    message = "this player belongs to another process: create a player in each process\n"
    assert run.stdout == 2 * message


@pytest.mark.skipif(os.name != "posix", reason="sends a signal of POSIX")
def test_a_handler_of_a_signal_can_let_the_search_go_on() -> None:
    handled = []
    old_handler = signal.signal(signal.SIGALRM, lambda *_: handled.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        assert (
            BuiltinPlayer("smart").choose("10x10", time=0.5) in kalah.Position("10x10").legal_moves
        )
    finally:
        signal.signal(signal.SIGALRM, old_handler)
    assert handled == [1]


def test_random_positions_are_played_by_every_player() -> None:
    rng = random.Random(8)
    players = [BuiltinPlayer(spec, seed=1) for spec in SPECS]
    for opening in random_openings("5x3", "mankalah", plies=6, count=30, seed=2):
        player = rng.choice(players)
        assert player.choose(opening) in opening.position.legal_moves


#: Makes a call in a process that has no memory for the stack of another thread.
WITHOUT_THREADS = """
    import resource
    import kalah
    player = kalah.players.BuiltinPlayer({spec!r}, seed=1)
    engine = kalah.Engine(memory="1MiB")
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    limit = used + 6 * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        {call}
    except OSError:
        print("no thread")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process of Linux")
@pytest.mark.parametrize(
    ("spec", "call", "output"),
    [
        ("first", "player.choose('6x4')", ""),
        ("random", "player.choose('6x4')", ""),
        ("level:3", "player.choose('6x4')", ""),
        ("first", "engine.analyse('<6,20,23,1,0,1,0,0,0,2,0,0,0,1,0> s')", ""),
        ("first", "engine.analyse('6x4', depth=1, nodes=1000)", ""),
        ("minimax:2", "player.choose('6x4')", "no thread\n"),
        ("first", "engine.analyse('6x4', depth=1)", "no thread\n"),
    ],
)
def test_short_work_starts_no_thread(spec: str, call: str, output: str) -> None:
    program = textwrap.dedent(WITHOUT_THREADS).format(spec=spec, call=call)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == output


def test_a_copy_of_a_player_begins_with_its_seed() -> None:
    player = BuiltinPlayer("level:2", name="Lisa", seed=3)
    expected = [player.choose("6x4") for _ in range(20)]
    player.new_game(4)
    after = [player.choose("6x4") for _ in range(20)]
    assert after != expected
    for again in (copy.deepcopy(player), pickle.loads(pickle.dumps(player))):
        assert (again.spec, again.name) == ("level:2", "Lisa")
        assert [again.choose("6x4") for _ in range(20)] == after
    engine = BuiltinPlayer("smart", nodes=1_000, memory="8MiB")
    assert copy.copy(engine).choose("6x4") == engine.choose("6x4")
