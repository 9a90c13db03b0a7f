"""Games, their records, and files of records."""

import copy
import errno
import itertools
import os
import pathlib
import pickle
import random
import signal
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest

import kalah
from kalah import Game, Side, Termination

RANDOM_GAMES = 2000
RULES = [
    "cs32",
    "standard",
    "empty-capture",
    "mankalah",
    "ends=stuck,capture=always,swap=yes,first-bonus=yes",
]
BOARDS = ["6x4", "6x4", "4x3", "3x2", "1x1", "1x0", "10x10", "26x1"]

ANNOTATED = """[Event "Saturday"]
[South "Marge"]
[North "Homer \\"Jay\\""]
[Rules "standard"]

{ before } 1. CF a { first } { second } 2. A c { +8 exact } ( 2. B d { inner } ( 2... c ) )
( 1... b ) 3. D *
"""


def random_game(rng: random.Random, rules: str | None = None, *, swap: bool = False) -> Game:
    game = Game(rng.choice(BOARDS), rules or rng.choice(RULES))
    length = rng.choice([0, 1, 2, 5, 1000])
    while len(game) < length and not game.is_over:
        moves = game.position.legal_moves
        use_swap = swap and moves[-1].is_swap
        game.push(moves[-1] if use_swap else rng.choice(moves))
    return game


def test_random_games_round_trip_through_text_pickle_and_copy() -> None:
    rng = random.Random(1)
    swapped = 0
    for number in range(RANDOM_GAMES):
        game = random_game(rng, swap=number % 3 == 0)
        swapped += game.is_swapped
        text = str(game)
        again = Game.parse(text)
        assert again == game, text
        assert str(again) == text
        assert again.moves == game.moves
        assert again.position == game.position
        assert pickle.loads(pickle.dumps(game)) == game
        assert copy.deepcopy(game) == copy.copy(game) == game.copy() == game
        assert again.outcome == game.outcome
        assert (
            game.is_over == (game.termination is Termination.NORMAL) == (game.outcome is not None)
        )
    assert swapped > RANDOM_GAMES // 20


def test_a_game_agrees_with_the_positions_that_it_passes() -> None:
    rng = random.Random(2)
    for _ in range(300):
        game = random_game(rng)
        positions = [game.start]
        for move in game.moves:
            positions.append(positions[-1].play(move))
        assert game.positions == tuple(positions)
        assert [ply.position for ply in game] == positions[1:]
        for before, ply in zip(positions[:-1], game.plies, strict=True):
            assert ply.side is before.to_move
            store = ply.position.store(ply.side) - before.store(ply.side)
            if not ply.position.is_over and ply.captured:
                assert store >= ply.captured
            if not ply.position.is_over and not ply.move.is_swap:
                assert ply.bonus_turn == (ply.position.to_move is ply.side)


def test_pop_takes_back_every_ply() -> None:
    rng = random.Random(3)
    for _ in range(200):
        game = random_game(rng)
        start, moves = Game(game.start), game.moves
        assert all(game.peek() == game.pop() == move for move in reversed(moves))
        assert game == start
        assert not game.headers.keys() - {"Rules", "Position", "Result", "Termination"}
        for error in (game.pop, game.peek):
            with pytest.raises(IndexError, match="no move has been made"):
                error()


def test_moves_are_given_as_text_or_as_an_iterable() -> None:
    game = Game(moves="CF a")
    assert [str(move) for move in game.moves] == ["C", "F", "a"]
    assert Game(moves=["C", 6, kalah.Move("a")]) == game
    assert Game(moves=iter(game.moves)) == game
    swapped = Game(rules="mankalah", moves="A swap b")
    assert swapped.is_swapped
    assert swapped.player_on(Side.SOUTH) is Side.NORTH
    assert swapped.player_on(Side.NORTH) is Side.SOUTH
    with pytest.raises(kalah.IllegalMoveError, match=r"^ply 3: C is a house of South, and"):
        Game(moves="CFC")
    with pytest.raises(kalah.ParseError, match=r"^ply 2: invalid move `\?`"):
        Game(moves="C?")
    with pytest.raises(TypeError, match="move: expected Move, str or int, not float"):
        Game(moves=[1.5])  # type: ignore[list-item]


def test_a_refused_move_leaves_the_game_unchanged() -> None:
    game = Game(moves="C")
    before = game.copy()
    for move, error in [
        ("C", kalah.IllegalMoveError),
        ("a", kalah.IllegalMoveError),
        ("swap", kalah.IllegalMoveError),
    ]:
        with pytest.raises(error):
            game.push(move)
    with pytest.raises(kalah.KalahError, match="move: expected 1 to 26, not 27"):
        game.push(27)
    assert game == before


def test_an_annotated_record_is_written_as_it_was_read() -> None:
    game = Game.parse(ANNOTATED)
    again = Game.parse(str(game))
    assert again == game
    assert str(again) == str(game)
    for part in [
        "{ before }",
        "{ first } { second }",
        "( 2. B d { inner } ( 2... c ) )",
        '\\"Jay\\"',
    ]:
        assert part in str(game).replace("\n", " ")
    assert game.headers["North"] == 'Homer "Jay"'
    assert game.comments == ((0, "before"), (3, "first"), (3, "second"), (5, "+8 exact"))
    assert pickle.loads(pickle.dumps(game)) == game


def test_comments_stay_up_to_the_first_ply_taken_back() -> None:
    game = Game.parse(ANNOTATED)
    text = str(game)
    game.push("a")
    assert "( 1... b )" in str(game)
    game.pop()
    assert game.moves == Game.parse(text).moves
    game.pop()
    game.pop()
    game.pop()
    assert game.comments == ((0, "before"), (3, "first"), (3, "second"))
    assert "{ inner }" not in str(game)


def test_comments_can_be_added() -> None:
    game = Game()
    game.add_comment("an empty board\nwould be over")
    game.push("C")
    game.add_comment("  bonus ")
    game.push("F")
    assert game.comments == ((0, "an empty board\nwould be over"), (1, "bonus"))
    assert Game.parse(str(game)) == game
    with pytest.raises(kalah.KalahError, match="a comment cannot hold `}`"):
        game.add_comment("}")
    game.end("resign", Side.NORTH)
    game.add_comment("a pity")
    assert game.termination is Termination.RESIGN


def test_headers_are_a_mapping_with_checked_values() -> None:
    game = Game(rules="standard")
    assert dict(game.headers) == {
        "Rules": "standard",
        "Position": "6x4",
        "Result": "*",
        "Termination": "unfinished",
    }
    game.headers.update(South="Marge", North="Homer", Stake="4 seeds")
    assert list(game.headers) == [
        "South",
        "North",
        "Rules",
        "Position",
        "Result",
        "Termination",
        "Stake",
    ]
    assert game.headers.setdefault("Event", "Saturday") == "Saturday"
    assert game.headers.pop("Stake") == "4 seeds"
    assert "Stake" not in game.headers
    assert len(game.headers) == 7
    with pytest.raises(KeyError):
        game.headers["Stake"]
    with pytest.raises(KeyError):
        del game.headers["Stake"]
    before = game.copy()
    for name, value, message in [
        ("a tag", "x", "invalid tag name `a tag`"),
        ("Rules", "cs32", "the tags Rules and Position say another start"),
        ("Rules", "chess", "the tag Rules: "),
        ("Position", "4x4", "the tags Rules and Position say another start"),
        ("Result", "25-23", "contradicts the board"),
        ("Termination", "normal", "the game was not played to its end"),
        ("Winner", "South", "the game is unfinished"),
        ("Winner", "Marge", "expected South, North or none"),
    ]:
        with pytest.raises(kalah.KalahError, match=message):
            game.headers[name] = value
    with pytest.raises(TypeError):
        game.headers["Event"] = 1  # type: ignore[assignment]
    assert game == before


def test_games_are_equal_if_their_records_are() -> None:
    game = Game(moves="CF")
    other = Game(moves="CF")
    assert game == other
    other.headers["South"] = "Marge"
    assert game != other
    assert game != Game(moves="C")
    assert game != "CF"
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


def test_a_game_can_end_before_its_end_by_the_rules() -> None:
    game = Game(moves="CF")
    game.end(Termination.TIME, Side.SOUTH)
    assert (game.termination, game.winner, game.result) == (Termination.TIME, Side.SOUTH, "*")
    assert game.is_over
    assert not game.position.is_over
    assert game.outcome is None
    assert Game.parse(str(game)) == game
    assert repr(game).endswith("2 plies, time>")
    game.end("adjudicated")
    assert (game.termination, game.winner, game.is_over) == (Termination.ADJUDICATED, None, True)
    game.headers.update(Winner="South", Result="27-21")
    assert (game.result, game.winner, game.outcome) == ("27-21", Side.SOUTH, None)
    assert str(game).endswith(" 27-21\n")
    assert Game.parse(str(game)) == game
    for result in ["27-22", "21-27"]:
        with pytest.raises(kalah.KalahError, match=r"the seeds are|the game has 48 seeds"):
            game.headers["Result"] = result
    with pytest.raises(kalah.KalahError, match="the game was not played to its end"):
        game.end("normal")
    with pytest.raises(kalah.KalahError, match="invalid termination `lunch`"):
        game.end("lunch")
    with pytest.raises(TypeError, match="termination: expected Termination or str, not int"):
        game.end(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^winner: expected Side\.SOUTH or Side\.NORTH, not"):
        game.end("resign", "south")  # type: ignore[arg-type]


def test_no_move_follows_the_end_of_a_game() -> None:
    game = Game(moves="CF")
    game.end("resign", Side.SOUTH)
    before = game.copy()
    with pytest.raises(
        kalah.IllegalMoveError, match=r"^the game has ended with the termination `resign`$"
    ):
        game.push("a")
    assert game == before
    parsed = Game.parse(str(game))
    assert parsed.is_over
    with pytest.raises(kalah.IllegalMoveError, match="the game has ended"):
        parsed.push("a")
    game.end("unfinished")
    game.push("a")
    assert not game.is_over
    with pytest.raises(kalah.IllegalMoveError, match="the game is over"):
        Game("<1,3,0,1,1> s", moves="AA")


def test_pop_takes_back_the_ending() -> None:
    game = Game(moves="CF")
    game.end("resign", Side.SOUTH)
    assert str(game.pop()) == "F"
    assert (game.termination, game.winner) == (Termination.UNFINISHED, None)
    assert not game.is_over
    assert "Winner" not in game.headers
    game.push("F")
    assert game == Game(moves="CF")


@pytest.mark.parametrize("termination", Termination)
def test_the_winner_is_required_where_the_termination_implies_one(termination: Termination) -> None:
    game = Game("1x1", moves="A") if termination is Termination.NORMAL else Game()
    before = game.copy()
    if termination in {Termination.NORMAL, Termination.ADJUDICATED, Termination.UNFINISHED}:
        game.end(termination)
        assert game.winner is before.winner
    else:
        message = rf"^winner: expected .* for the termination `{termination.value}`, not None$"
        with pytest.raises(kalah.KalahError, match=message):
            game.end(termination)
        assert game == before
        game.end(termination, Side.NORTH)
        assert game.winner is Side.NORTH
    assert game.termination is termination
    assert game.headers["Termination"] == termination.value
    assert game.is_over == (termination is not Termination.UNFINISHED)


def test_an_ending_agrees_with_the_board() -> None:
    over = Game("<1,3,0,1,1> s", moves="A")
    assert (over.result, over.termination, over.winner) == ("4-1", Termination.NORMAL, Side.SOUTH)
    over.end("normal", Side.SOUTH)
    before = over.copy()
    message = r"^winner: expected Side\.SOUTH, as the seeds are 4-1, not Side\.NORTH$"
    with pytest.raises(kalah.KalahError, match=message):
        over.end("normal", Side.NORTH)
    with pytest.raises(kalah.KalahError, match=r"^winner: expected None, as the seeds are 0-0"):
        Game("1x0").end("normal", Side.NORTH)
    with pytest.raises(kalah.KalahError, match="played to its end, which is `normal`"):
        over.end("resign", Side.NORTH)
    message = r"^winner: expected None for the termination `unfinished`, not Side\.NORTH$"
    with pytest.raises(kalah.KalahError, match=message):
        Game().end("unfinished", Side.NORTH)
    assert over == before


def test_a_game_is_true_and_has_the_length_of_its_plies() -> None:
    game = Game()
    assert game
    assert len(game) == 0
    assert repr(game) == "<Game: <6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> s cs32, 0 plies, *>"
    assert repr(Game(moves="C").plies[0]).startswith("<Ply: C, then <6,1,0,")


def test_errors_have_game_line_and_column() -> None:
    for text, message in [
        ("1. CF a\n2. C *", "line 2, column 4, turn 2: sowing `C`: house C is empty"),
        ("1. A *\n\n1. A\n(1. B *", "game 2, line 4, column 1: this variation is not closed"),
        ("1. A { *", "line 1, column 6: this comment is not closed"),
    ]:
        with pytest.raises(kalah.ParseError) as error:
            kalah.parse_games(text)
        assert message in str(error.value)
    with pytest.raises(kalah.ParseError, match="another game begins here"):
        Game.parse("1. A * 1. B *")
    with pytest.raises(kalah.ParseError, match="there is no game here"):
        Game.parse("")
    assert kalah.parse_games("") == []


def test_hostile_texts_raise_errors_only() -> None:
    rng = random.Random(4)
    for _ in range(3000):
        characters = list(ANNOTATED)
        for _ in range(rng.randrange(1, 6)):
            index = rng.randrange(len(characters))
            characters[index] = rng.choice(
                ["", "(", ")", "{", "}", "[", '"', "A", "7", ".", "swap", "\0", "é", "*"]
            )
        text = "".join(characters)
        try:
            games = kalah.parse_games(text)
        except kalah.ParseError:
            continue
        assert kalah.parse_games("\n".join(map(str, games))) == games


def test_many_games_round_trip_through_a_file(tmp_path: pathlib.Path) -> None:
    rng = random.Random(5)
    games = [random_game(rng, swap=True) for _ in range(500)] + [Game.parse(ANNOTATED)]
    path = tmp_path / "games.kgn"
    kalah.write_games(path, games)
    assert kalah.read_games(path) == games
    kalah.write_games(str(path), games[:3], append=True)
    assert kalah.read_games(str(path)) == games + games[:3]
    kalah.write_games(path, iter(games[:1]))
    assert kalah.read_games(path) == games[:1]
    kalah.write_games(path, [])
    assert kalah.read_games(path) == []
    kalah.write_games(tmp_path / "new.kgn", games[:2], append=True)
    assert kalah.read_games(tmp_path / "new.kgn") == games[:2]
    assert {path.name for path in tmp_path.iterdir()} == {"games.kgn", "new.kgn"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such locks")
def test_games_that_are_appended_at_once_are_all_kept(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "games.kgn"

    def append_games() -> None:
        for _ in range(8):
            kalah.write_games(path, [Game("3x2")], append=True)

    threads = [threading.Thread(target=append_games) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kalah.read_games(path)) == 64


def test_the_files_of_the_repository_round_trip(tmp_path: pathlib.Path) -> None:
    root = pathlib.Path(__file__).parents[3] / "crates"
    files = sorted(root.glob("*/*/tests/**/*.kgn"))
    valid = 0
    for path in files:
        try:
            games = kalah.read_games(path)
        except kalah.ParseError as error:
            assert str(error).startswith(f"'{path}'")
            continue
        copy_path = tmp_path / "copy.kgn"
        kalah.write_games(copy_path, games)
        assert kalah.read_games(copy_path) == games
        valid += len(games)
    assert valid > 10


def test_a_path_is_a_text_bytes_or_a_path(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "games.kgn"
    for argument in (path, str(path), os.fsencode(path)):
        kalah.write_games(argument, [Game()])
        assert kalah.read_games(argument) == [Game()]
    with pytest.raises(kalah.ParseError, match=r"^path: the text has a surrogate"):
        kalah.read_games("\ud800")


def test_a_missing_or_unreadable_file_raises_an_os_error_with_its_path(
    tmp_path: pathlib.Path,
) -> None:
    missing = tmp_path / "missing" / "games.kgn"
    with pytest.raises(FileNotFoundError) as error:
        kalah.read_games(missing)
    assert (error.value.errno, error.value.filename) == (errno.ENOENT, str(missing))
    with pytest.raises(FileNotFoundError) as error:
        kalah.write_games(missing, [])
    assert error.value.filename == str(missing)
    with pytest.raises(IsADirectoryError):
        kalah.read_games(tmp_path)
    with pytest.raises(IsADirectoryError):
        kalah.write_games(tmp_path, [])
    with pytest.raises(TypeError):
        kalah.read_games(1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="games: expected Game, not str"):
        kalah.write_games(tmp_path / "x.kgn", ["1. A *"])  # type: ignore[list-item]
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_anything_but_records_is_not_changed(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "text.kgn"
    for contents, message in [
        (b"1. A *\n\n1. b *\n", r"text\.kgn': game 2, line 3, column 4, turn 1: "),
        (b"1. A *\n\xff", r"text\.kgn' is not UTF-8 text: byte 8"),
    ]:
        path.write_bytes(contents)
        with pytest.raises(kalah.ParseError, match=message):
            kalah.read_games(path)
        with pytest.raises(kalah.ParseError, match=message):
            kalah.write_games(path, [Game()], append=True)
        assert path.read_bytes() == contents


def test_a_write_keeps_links_and_permissions(tmp_path: pathlib.Path) -> None:
    target, link = tmp_path / "target.kgn", tmp_path / "link.kgn"
    target.write_text("")
    target.chmod(0o640)
    link.symlink_to(target.name)
    kalah.write_games(link, [Game(moves="C")])
    assert link.is_symlink()
    assert len(kalah.read_games(target)[0]) == 1
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.skipif(not pathlib.Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_is_an_os_error_with_the_path() -> None:
    with pytest.raises(OSError, match="/dev/full") as error:
        kalah.write_games("/dev/full", [Game()])
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, "/dev/full")


def test_a_write_that_fails_leaves_the_old_file(tmp_path: pathlib.Path) -> None:
    if os.name != "posix":
        pytest.skip("limits of file sizes are those of POSIX")
    import resource
    import signal

    path = tmp_path / "games.kgn"
    kalah.write_games(path, [Game(moves="C")])
    before = path.read_bytes()
    old_limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    old_handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, old_limit[1]))
        with pytest.raises(OSError, match=r"games\.kgn") as error:
            kalah.write_games(path, [Game(moves="C")] * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old_limit)
        signal.signal(signal.SIGXFSZ, old_handler)
    assert (error.value.errno, error.value.filename) == (errno.EFBIG, str(path))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_text_with_a_surrogate_is_refused() -> None:
    game = Game()
    for call in (
        lambda: Game.parse("\ud800"),
        lambda: kalah.parse_games("\ud800"),
        lambda: game.headers.update(Event="\ud800"),
        lambda: game.add_comment("\ud800"),
        lambda: Game(moves="\ud800"),
    ):
        with pytest.raises(kalah.ParseError, match="surrogate, which is not a character"):
            call()
    with pytest.raises(TypeError, match=r"^text: expected str, not bytes$"):
        Game.parse(b"1. A *")  # type: ignore[arg-type]


class NamedGame(Game):
    """A game of another class."""

    name: str
    notes: list[str]


class SlottedGame(Game):
    """A class with a slot and without other attributes."""

    __slots__ = ("name",)

    name: str


class RequiredArgument(Game):
    """A class whose `__init__` needs an argument."""

    def __new__(cls, *_: object) -> Self:
        """Returns a game without moves."""
        return super().__new__(cls)

    def __init__(self, name: str) -> None:
        """Stores the name."""
        self.name = name


def test_a_subclass_keeps_its_type_and_attributes() -> None:
    game = NamedGame(moves="C")
    game.name, game.notes = "final", ["a pity"]
    copies = [pickle.loads(pickle.dumps(game, protocol)) for protocol in range(6)]
    for again in [*copies, copy.deepcopy(game), copy.copy(game), game.copy()]:
        assert type(again) is NamedGame
        assert again == game
        assert (again.name, again.notes) == ("final", ["a pity"])
    assert copy.deepcopy(game).notes is not game.notes
    assert copy.copy(game).notes is game.notes
    game.copy().push("F")
    assert len(game) == 1
    assert type(NamedGame.parse("1. C *")) is NamedGame
    assert NamedGame.parse("1. C *") == Game.parse("1. C *")


def test_the_constructor_of_a_subclass_is_not_called_for_copies() -> None:
    game = RequiredArgument("final")
    game.push("C")
    for again in (pickle.loads(pickle.dumps(game)), copy.deepcopy(game), game.copy()):
        assert (type(again), again.name, again) == (RequiredArgument, "final", game)


def test_copies_have_the_slots_of_a_subclass() -> None:
    game = SlottedGame(moves="C")
    assert pickle.loads(pickle.dumps(game)) == game
    game.name = "final"
    for again in (pickle.loads(pickle.dumps(game)), copy.deepcopy(game), game.copy()):
        assert (type(again), again.name, again) == (SlottedGame, "final", game)


@pytest.mark.parametrize("state", [None, 5, "1. C *", ("1. C *",), (5, None), ("1. C *", 5)])
def test_a_state_of_another_form_is_refused(state: Any) -> None:
    game = Game(moves="A")
    with pytest.raises(TypeError, match=r"^state: expected "):
        game.__setstate__(state)
    assert game == Game(moves="A")


def test_endless_moves_end_with_the_first_illegal_one() -> None:
    with pytest.raises(kalah.IllegalMoveError, match=r"^ply 3: house A is empty"):
        Game(rules="standard", moves=itertools.chain("A", "a", itertools.repeat("A")))
    with pytest.raises(kalah.IllegalMoveError, match=r"^ply 2: A is a house of South"):
        Game(moves=itertools.repeat("A"))
    with pytest.raises(ZeroDivisionError):
        Game(moves=(3 // (2 - number) for number in range(9)))


def test_an_argument_that_uses_the_game_gets_its_state() -> None:
    class Pop:
        def __index__(self) -> int:
            lengths.append(len(game))
            game.pop()
            assert game == game.copy()
            return 1

        def __repr__(self) -> str:
            lengths.append(len(game))
            return str(game)

    lengths: list[int] = []
    game = Game("6x4", moves="CFa")
    game.push(Pop())
    assert lengths == [3]
    assert [str(move) for move in game.moves] == ["C", "F", "a"]
    with pytest.raises(TypeError, match="winner"):
        game.end("resign", Pop())  # type: ignore[arg-type]
    assert lengths == [3, 3]


def test_plies_can_be_iterated_while_the_game_changes() -> None:
    game = Game(moves="CFa")
    seen = []
    for ply in game:
        seen.append(str(ply.move))
        game.pop()
    assert seen == ["C", "F", "a"]
    assert len(game) == 0


def test_names_that_are_no_text_are_not_among_the_headers() -> None:
    headers = Game().headers
    for name in (5, None, "\ud800", b"Event", ["Event"]):
        assert name not in headers
        with pytest.raises(KeyError):
            headers[name]  # type: ignore[index]
        with pytest.raises(KeyError):
            del headers[name]  # type: ignore[arg-type]


def call_with_interrupt(call: Callable[[], object]) -> None:
    """Calls a function that takes long, and presses Ctrl-C meanwhile."""
    interrupt = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
    interrupt.start()
    try:
        call()
    finally:
        interrupt.join()


def test_ctrl_c_ends_reading_and_writing_of_many_games(tmp_path: Path) -> None:
    path = tmp_path / "games.kgn"
    text = "1. A a * " * 200_000
    path.write_text(text)
    games = [kalah.Game(moves="A a")] * 1_000_000
    calls: list[Callable[[], object]] = [
        lambda: kalah.parse_games(text),
        lambda: kalah.read_games(path),
        lambda: kalah.write_games(tmp_path / "new.kgn", games),
        lambda: kalah.write_games(path, [kalah.Game()], append=True),
    ]
    for call in calls:
        with pytest.raises(KeyboardInterrupt):
            call_with_interrupt(call)
    assert path.read_text() == text
