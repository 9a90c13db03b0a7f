"""The engine protocol: engines that are driven, and functions that are served."""

import codecs
import datetime
import io
import os
import pathlib
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import kalah
from kalah import Game, Move, Position, uki

SERVED = """
import time
import kalah.uki
from kalah.uki import Button, Check, Combo, Spin, String

presses = 0

def on_option(name, value):
    if name == "Delay" and value == 13:
        raise ValueError("an unlucky number")

def choose(position, limits):
    print("this goes to standard error")
    if limits.options["Fails"]:
        raise ZeroDivisionError("no idea")
    if limits.options["Illegal"]:
        return "swap"
    if limits.options["Waits"] or limits.infinite:
        while not limits.stopped:
            time.sleep(0.001)
    limits.info(depth=1, nodes=len(position.legal_moves), gain=0, line=str(position.legal_moves[0]))
    limits.info(depth=2, nodes=99, gain=-3, exact=True, line=str(position.legal_moves[-1]))
    return position.legal_moves[-1]

kalah.uki.serve(
    choose,
    name="Nearest  house",
    author="Springfield",
    options={
        "Fails": Check(False),
        "Illegal": Check(False),
        "Waits": Check(False),
        "Delay": Spin(0, -5, 20),
        "Style": Combo("bold", ("bold", "shy")),
        "Book": String(""),
        "Clear": Button(),
    },
    on_option=on_option,
)
"""


@pytest.fixture
def served(tmp_path: pathlib.Path) -> list[str]:
    """Returns the command of the served engine."""
    script = tmp_path / "engine.py"
    script.write_text(SERVED)
    return [sys.executable, str(script)]


@pytest.fixture
def engine(served: list[str]) -> Iterator[uki.Engine]:
    """Returns the served engine."""
    with uki.Engine(served) as engine:
        yield engine


def script(tmp_path: pathlib.Path, text: str) -> list[str]:
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(text))
    return [sys.executable, "-u", str(path)]


def kalah_command() -> str | None:
    """Returns the program `kalah`: that of the variable KALAH, or the debug build."""
    named = os.environ.get("KALAH")
    if named:
        return named
    built = pathlib.Path(__file__).parents[3] / "target" / "debug" / "kalah"
    return str(built) if built.exists() else None


needs_kalah = pytest.mark.skipif(
    kalah_command() is None, reason="target/debug/kalah is not built, and KALAH names no program"
)


def dialog(text: str, choose: "uki._server.ChooseFunction | None" = None) -> list[str]:
    """Returns the answers of a served engine to the lines of a text."""
    output = io.BytesIO()
    function = choose or (lambda position, _: position.legal_moves[0])
    options: dict[str, uki.Option] = {"Delay": uki.Spin(0, 0, 9), "Clear": uki.Button()}
    uki.serve(
        function, name="First", options=options, stdin=io.BytesIO(text.encode()), stdout=output
    )
    return output.getvalue().decode().splitlines()


def test_a_served_engine_skips_one_byte_order_mark() -> None:
    mark = codecs.BOM_UTF8.decode()
    answers = dialog("uki\nquit\n")
    assert answers[-1] == "ukiok"
    assert dialog(f"{mark}uki\nquit\n") == answers
    assert "ukiok" not in dialog(f"{mark}{mark}uki\nquit\n")


def test_an_engine_has_a_name_and_options(engine: uki.Engine) -> None:
    assert engine.name == "Nearest house"
    assert engine.author == "Springfield"
    assert engine.options == {
        "Fails": uki.Check(False),
        "Illegal": uki.Check(False),
        "Waits": uki.Check(False),
        "Delay": uki.Spin(0, -5, 20),
        "Style": uki.Combo("bold", ("bold", "shy")),
        "Book": uki.String(""),
        "Clear": uki.Button(),
    }


def test_an_engine_plays_and_analyses(engine: uki.Engine) -> None:
    reports: list[uki.Info] = []
    for game in (Game(), Game(rules="standard", moves="CF"), Game(rules="mankalah", moves="A")):
        result = engine.play(game, time=1, on_info=reports.append)
        assert result.move == game.position.legal_moves[-1]
        info = result.info
        assert (info.depth, info.nodes, info.gain, info.is_exact) == (2, 99, -3, True)
        assert info.margin == -3 + game.position.lead
        assert info.line == (result.move,)
        assert engine.analyse(game, nodes=5).gain == -3
        assert engine.choose(game.position) == str(result.move)
    assert [report.depth for report in reports] == [1, 2] * 3
    assert engine.play("4x3", depth=2).move == Move("D")
    engine.new_game(7)
    with pytest.raises(kalah.IllegalMoveError, match=r"Nearest house answers with none in .*: no"):
        engine.play("<1,3,5,0,0> s")


def test_options_are_checked_by_the_host_and_by_the_engine(engine: uki.Engine) -> None:
    engine.configure({"delay": -5, "Style": "shy", "Book": " a  b ", "Fails": False, "Clear": None})
    for options, message in [
        ({"Delay": 21}, "Delay: expected -5 to 20, not 21"),
        ({"Delay": "x"}, "Delay: expected -5 to 20, not x"),
        ({"Style": "loud"}, "Style: expected bold, shy, not loud"),
        ({"Fails": 1}, "Fails: expected true or false, not 1"),
        ({"Clear": 1}, "Clear: expected no value"),
        ({"Size": 1}, "there is no option `Size`: the options are Fails, Illegal, Waits, Delay,"),
    ]:
        with pytest.raises(kalah.KalahError) as error:
            engine.configure(options)  # type: ignore[arg-type]
        assert message in str(error.value)
    with pytest.raises(uki.EngineError, match="it refuses a command: Delay: an unlucky number"):
        engine.configure({"Delay": 13})
    assert engine.play("6x4").move == Move("F")


def test_a_search_can_be_stopped(engine: uki.Engine) -> None:
    timer = threading.Timer(0.2, engine.stop)
    timer.start()
    start = time.monotonic()
    assert engine.analyse("6x4", infinite=True).gain == -3
    assert time.monotonic() - start > 0.1
    engine.configure({"Waits": True})
    assert engine.play("6x4", time=0.1).move == Move("F")
    with pytest.raises(ZeroDivisionError):
        engine.play("6x4", time=0.1, on_info=lambda _: print(1 // 0))
    assert engine.play("6x4", time=0.1).move == Move("F")


def test_limits_are_checked(engine: uki.Engine) -> None:
    for limits, message in [
        ({"time": -1}, "time: expected 0 to 1000000000 seconds, not -1"),
        ({"time": float("nan")}, "time: expected"),
        ({"time": datetime.timedelta(seconds=-1)}, "time: expected"),
        ({"nodes": 0}, "nodes: expected 1 to 18446744073709551615, not 0"),
        ({"depth": 2**32}, "depth: expected 1 to 4294967295, not 4294967296"),
    ]:
        with pytest.raises(kalah.KalahError) as error:
            engine.play("6x4", **limits)  # type: ignore[arg-type]
        assert message in str(error.value)


NOT_SECONDS: list[Any] = ["1", [], object(), True, b"1"]
NOT_INTEGERS: list[Any] = [1.5, "1", [], object(), True]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("time", NOT_SECONDS),
        ("timeout", NOT_SECONDS),
        ("nodes", NOT_INTEGERS),
        ("depth", NOT_INTEGERS),
        ("clocks", [1, (1, 2), object()]),
        ("infinite", [None, 1, "x"]),
        ("on_info", [1, "x", []]),
    ],
)
def test_wrong_types_of_limits_are_named(engine: uki.Engine, name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(TypeError, match=f"^{name}: expected .*, not {type(value).__name__}$"):
            engine.play("6x4", **{name: value})
    with pytest.raises(TypeError, match=r"^position: expected Position or str, not int$"):
        engine.play(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^seed: expected an integer, not str$"):
        engine.new_game("x")  # type: ignore[arg-type]
    assert engine.play("6x4", nodes=np.int64(5)).move == Move("F")


def test_limits_that_contradict_each_other_are_refused(engine: uki.Engine) -> None:
    message = "^infinite: expected no other limit with it, not time, nodes$"
    with pytest.raises(kalah.KalahError, match=message):
        engine.play("6x4", infinite=True, time=1, nodes=5)
    with pytest.raises(kalah.KalahError, match=r"^timeout: expected more than 0 seconds, not 0$"):
        engine.play("6x4", timeout=0)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"command": 5}, TypeError, "command: expected str or a sequence of words, not int"),
        ({"command": b"x"}, TypeError, "command: expected str or a sequence of words, not bytes"),
        ({"command": ["x", 3]}, TypeError, "command: expected str or a path, not int"),
        ({"command": []}, kalah.KalahError, "command: expected a program, not nothing"),
        ({"command": " "}, kalah.KalahError, "command: expected a program, not nothing"),
        ({"command": "a 'b"}, kalah.KalahError, "command: expected closed quotes, not `a 'b`"),
        ({"command": ["a\0"]}, kalah.KalahError, "command: expected characters without NUL and"),
        ({"command": "\ud800"}, kalah.KalahError, "command: expected characters without NUL and"),
        ({"options": []}, TypeError, "options: expected a mapping, not list"),
        ({"timeout": "1"}, TypeError, "timeout: expected seconds or timedelta, not str"),
        ({"timeout": -1}, kalah.KalahError, "timeout: expected 0 to 1000000000 seconds, not -1"),
        ({"timeout": 0}, kalah.KalahError, "timeout: expected more than 0 seconds, not 0"),
        ({"cwd": 3}, TypeError, "cwd: expected str or a path, not int"),
        ({"env": 3}, TypeError, "env: expected a mapping, not int"),
        ({"env": {"A": 3}}, TypeError, "env: expected str or a path, not int"),
        ({"env": {"A=": "b"}}, kalah.KalahError, "env: expected a name of a variable, not `A=`"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_wrong_arguments_of_an_engine_are_named(
    arguments: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as error:
        uki.Engine(**{"command": [sys.executable]} | arguments)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({3: 1}, TypeError, "options: expected names of class str, not int"),
        ({"Delay": 1.5}, TypeError, "Delay: expected int, bool or str, not float"),
        ({"Delay": None}, kalah.KalahError, "Delay: expected a value, not None"),
        ({"Delay": 10**5000}, kalah.KalahError, "Delay: expected -5 to 20, not an integer of more"),
        ({"Book": "\ud800"}, kalah.KalahError, "Book: expected characters, not `\\ud800`"),
        ({"Book": "x" * 20_000}, kalah.KalahError, "Book: expected a text for a line of 16384"),
        (None, TypeError, "options: expected a mapping, not NoneType"),
    ],
)
def test_wrong_options_are_named_and_none_is_set(
    engine: uki.Engine, options: Any, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as error:
        engine.configure({"Fails": True} | options if options else options)
    assert str(error.value).startswith(message)
    assert engine.play("6x4").move == Move("F")


def test_times_of_clocks_and_values_of_options_are_checked() -> None:
    with pytest.raises(
        kalah.KalahError, match=r"^north: expected 0 to 1000000000 seconds, not -1$"
    ):
        uki.Clocks(1, -1)
    with pytest.raises(
        TypeError, match=r"^south_increment: expected seconds or timedelta, not str"
    ):
        uki.Clocks(1, 1, "x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^min: expected an integer, not float$"):
        uki.Spin(0, 1.5, 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^default: expected bool, not int$"):
        uki.Check(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^choices: expected a sequence of words, not str$"):
        uki.Combo("a", "ab")  # type: ignore[arg-type]
    with pytest.raises(kalah.KalahError, match=r"^choices\[0\]: expected one word, not `a b`$"):
        uki.Combo("a", ("a b",))
    with pytest.raises(TypeError, match=r"^default: expected str, not int$"):
        uki.String(3)  # type: ignore[arg-type]
    assert uki.Combo("a", ["a"]) == uki.Combo("a", ("a",))  # type: ignore[arg-type]


def test_a_report_cannot_begin_another_search(engine: uki.Engine) -> None:
    calls: list[Callable[[], object]] = [
        lambda: engine.play("4x3"),
        engine.ping,
        engine.new_game,
        lambda: engine.configure({"Delay": 3}),
    ]
    for call in calls:
        with pytest.raises(kalah.KalahError, match=r"^the engine is searching: on_info can call"):
            engine.play("6x4", on_info=lambda _, call=call: call())  # type: ignore[misc]
        assert engine.play("4x3").move == Move("D")


def test_another_thread_can_close_an_engine_that_searches(tmp_path: pathlib.Path) -> None:
    answer = "print('info depth 1'); time.sleep(100)"
    with uki.Engine(script(tmp_path, FAULTY.format(answer=answer))) as engine:
        closing = threading.Thread(target=engine.close)
        with pytest.raises(uki.EngineExitError, match="it "):
            engine.play("6x4", on_info=lambda _: closing.start())
        closing.join()


def test_names_of_engines_are_escaped_in_errors(tmp_path: pathlib.Path) -> None:
    program = FAULTY.replace("Faulty", "\\x1b[31mRed").format(answer="print('bestmove Z')")
    message = r"^\\x1b\[31mRed answers with Z in "
    with (
        uki.Engine(script(tmp_path, program)) as engine,
        pytest.raises(kalah.IllegalMoveError, match=message),
    ):
        engine.play("6x4")


def test_an_engine_can_be_closed_during_its_search(engine: uki.Engine) -> None:
    with pytest.raises(uki.EngineExitError, match="it was closed"):
        engine.play("6x4", on_info=lambda _: engine.close())
    with pytest.raises(uki.EngineExitError, match="it was closed"):
        engine.ping()


SEEDED = """
from kalah.uki import Button, Check, Spin, String, serve

def choose(position, limits):
    return 1 + int(limits.options["Seed"]) % 6

serve(choose, name="Seeded", options={{"Seed": {option}}})
"""


@pytest.mark.parametrize(
    "option", ["Spin(0, 0, 99)", "Spin(-2**64 + 1, -2**64 + 1, -1)", "String('0')"]
)
def test_a_seed_is_reduced_to_the_range_of_the_option(tmp_path: pathlib.Path, option: str) -> None:
    with uki.Engine(script(tmp_path, SEEDED.format(option=option))) as engine:
        moves = []
        for seed in (0, 2**64 - 1, 2**63 + 5, 0):
            engine.new_game(seed)
            moves.append(engine.choose(Position("6x4")))
        assert moves[0] == moves[3]
        assert len(set(moves)) > 1


def test_a_program_that_writes_without_end_does_not_fill_the_memory(
    tmp_path: pathlib.Path,
) -> None:
    flood = """
        import sys, threading

        def flood():
            while True:
                sys.stdout.write("info depth 1\\n" * 1000)
                sys.stderr.write("x" * 100_000)

        for line in sys.stdin:
            if line == "uki\\n":
                print("id name Flood\\nukiok")
            elif line == "isready\\n":
                print("readyok")
                threading.Thread(target=flood, daemon=True).start()
    """
    with uki.Engine(script(tmp_path, flood)) as engine:
        while not engine._lines.full():
            time.sleep(0.001)
        with pytest.raises(uki.EngineTimeoutError, match="Flood: it has not answered `bestmove` "):
            engine._wait_for_move(Position("6x4"), None, 0.3)
        assert engine._lines.qsize() <= uki._engine.MAX_WAITING_LINES
    assert not any(reader.is_alive() for reader in engine._readers)


def test_an_exception_of_a_served_function_ends_the_engine(served: list[str]) -> None:
    for option, message in [
        ("Fails", "! ZeroDivisionError: no idea"),
        ("Illegal", "! kalah.IllegalMoveError: "),
    ]:
        with uki.Engine(served, options={option: True}) as engine:
            with pytest.raises(uki.EngineExitError, match="it exited with code 1") as error:
                engine.play("6x4")
            assert message in str(error.value)
            assert "> go" in str(error.value)
            with pytest.raises(uki.EngineExitError, match="it exited with code 1"):
                engine.play("6x4")


def test_a_missing_program_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError) as error:
        uki.Engine(["missing-program"])
    assert error.value.filename == "missing-program"
    with pytest.raises(FileNotFoundError):
        uki.Engine("missing-program --with 'a word'")


@pytest.mark.parametrize(
    ("program", "kind", "message"),
    [
        ("raise SystemExit(3)", uki.EngineExitError, "it exited with code 3"),
        ("print('hello world')\ninput()\ninput()", uki.ProtocolError, "is no message"),
        ("print('bestmove')\ninput()\ninput()", uki.ProtocolError, "is no message"),
        ("print('option name X')\ninput()\ninput()", uki.ProtocolError, "is no message"),
        (
            "print('option name X type spin default')\ninput()\ninput()",
            uki.ProtocolError,
            "expected an option with name, type and default",
        ),
        ("print('x' * 20000)\ninput()\ninput()", uki.ProtocolError, "longer than 16384 bytes"),
        (
            "import sys\nsys.stdout.buffer.write(b'\\xff\\n')\ninput()\ninput()",
            uki.ProtocolError,
            "is not UTF-8 text",
        ),
        ("input()\ninput()", uki.EngineTimeoutError, "it has not answered `ukiok` within 0.3 s"),
        ("import os, signal\nos.kill(os.getpid(), 9)", uki.EngineExitError, "by signal 9"),
    ],
)
def test_a_program_that_is_no_engine_raises_an_error(
    tmp_path: pathlib.Path, program: str, kind: type[uki.EngineError], message: str
) -> None:
    timeout = 0.3 if kind is uki.EngineTimeoutError else 30
    with pytest.raises(kind) as error:
        uki.Engine(script(tmp_path, program), timeout=timeout)
    assert message in str(error.value)
    assert "> uki" in str(error.value)


FAULTY = """
import sys, time
for line in sys.stdin:
    word = line.split()[0]
    if word == "uki":
        print("id name Faulty\\nukiok")
    elif word == "isready":
        print("readyok")
    elif word == "go":
        {answer}
"""


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        ("print('bestmove Z')", kalah.IllegalMoveError, "Faulty answers with Z in"),
        ("print('bestmove ?')", kalah.IllegalMoveError, "invalid move `?`"),
        ("print('bestmove a')", kalah.IllegalMoveError, "South is to move"),
        ("print('info depth x')", uki.ProtocolError, "info depth x: `x`: expected a whole number"),
        ("print('info score win 3')", uki.ProtocolError, "`win`: expected gain or exact"),
        ("print('info wdl 1 0 2')", uki.ProtocolError, "`1 0 2`: expected numbers that add up to"),
        ("print('info line ?')", uki.ProtocolError, "invalid move `?`"),
        ("print('info depth')", uki.ProtocolError, "`depth`: expected a word after it"),
        ("print('error what')", uki.EngineError, "it refuses a command: what"),
        ("sys.exit('out of memory')", uki.EngineExitError, "! out of memory"),
        ("time.sleep(100)", uki.EngineTimeoutError, "it has not answered `bestmove` within 0.3 s"),
    ],
)
def test_a_faulty_answer_raises_an_error(
    tmp_path: pathlib.Path, answer: str, kind: type[Exception], message: str
) -> None:
    with uki.Engine(script(tmp_path, FAULTY.format(answer=answer))) as engine:
        timeout = 0.3 if kind is uki.EngineTimeoutError else 60
        with pytest.raises(kind) as error:
            engine.play("6x4", timeout=timeout)
        assert message in str(error.value)


def test_unknown_parts_of_info_and_illegal_lines_are_skipped(tmp_path: pathlib.Path) -> None:
    report = "info mood good depth 3 hashfull 7 wdl 600 50 350 line CFaA"
    answer = f"print('{report}\\ninfo string hello there\\nbestmove C')"
    with uki.Engine(script(tmp_path, FAULTY.format(answer=answer))) as engine:
        reports: list[uki.Info] = []
        info = engine.play("6x4", on_info=reports.append).info
        assert (info.depth, info.hashfull, info.wdl) == (3, 7, (600, 50, 350))
        assert info.line == (Move("C"), Move("F"), Move("a"), Move("A"))
        assert reports[1].text == "hello there"


def test_closed_engines_refuse_requests(served: list[str]) -> None:
    engine = uki.Engine(served)
    engine.close()
    engine.close()
    with pytest.raises(uki.EngineExitError, match="it was closed"):
        engine.play("6x4")


def test_an_engine_is_a_player_of_games_and_matches(engine: uki.Engine) -> None:
    game = kalah.play_game(engine, "first", start="4x3", time=1)
    assert game.is_over
    assert game.headers["South"] == "Nearest house"
    result = kalah.play_match(engine, "random", games=4, start="4x3", seed=1, time=1)
    assert len(result.games) == 4
    assert all(entry.game.is_over for entry in result.games)


def test_an_illegal_answer_of_an_engine_loses_its_game(tmp_path: pathlib.Path) -> None:
    for answer in ("swap", "none", "?"):
        command = script(tmp_path, FAULTY.format(answer=f"print('bestmove {answer}')"))
        with uki.Engine(command) as engine:
            game = kalah.play_game(engine, "first")
        assert game.termination is kalah.Termination.ILLEGAL
        assert game.winner is kalah.Side.NORTH


def test_a_long_game_is_sent_as_its_position(engine: uki.Engine) -> None:
    game = Game("26x1000", rules="standard")
    rng = random.Random(1)
    while not game.is_over and len(game) < 20_000:
        game.push(rng.choice(game.position.legal_moves))
    while game.is_over:
        game.pop()
    assert len(game) > 8192
    assert engine.play(game).move == game.position.legal_moves[-1]


def test_served_engines_answer_as_the_document_says() -> None:
    assert dialog("uki\n") == [
        "id name First",
        "option name Delay type spin default 0 min 0 max 9",
        "option name Clear type button",
        "ukiok",
    ]
    assert dialog("isready\r\n\n \t \nisready") == ["readyok", "readyok"]
    assert dialog("position startpos 4x3 rules standard moves B D b\ngo depth 4\nquit\n") == [
        "bestmove A"
    ]
    assert dialog("position startpos 1x1 rules cs32 moves A\ngo movetime 100") == ["bestmove none"]
    assert dialog("go infinite\nstop\n") == ["bestmove A"]
    assert dialog("stop\nnewgame\nsetoption name delay value 9\nsetoption name Clear\n") == []
    assert dialog("position <4,9,8,0,0,2,1,1,0,3,0> n rules standard\ngo") == ["bestmove a"]
    assert dialog("quit\nisready") == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("sing", "`sing`: expected uki, isready, newgame, setoption, position, go, stop or quit"),
        ("go depth soon", "`soon`: expected a whole number"),
        ("go depth", "`depth`: expected a number after it"),
        ("go depth 1 depth 2", "`depth` is repeated"),
        ("go infinite infinite", "`infinite` is repeated"),
        ("go stime 5", "expected both stime and ntime"),
        ("go sinc 5", "expected both stime and ntime"),
        ("go nodes 18446744073709551616", "expected at most 18446744073709551615"),
        ("go nodes " + "9" * 5000, "expected at most 18446744073709551615"),
        ("go mate 3", "`mate`: expected movetime, nodes, depth, stime, ntime, sinc, ninc or inf"),
        ("position startpos 4x3 rules standard moves B b", "ply 2: b is a house of North"),
        ("position startpos", "expected a position: startpos MxN, or"),
        ("position 6x4", "expected a position: startpos MxN, or"),
        ("position", "expected a position: startpos MxN, or"),
        ("position startpos 6x4 rules", "expected one word after rules"),
        ("position startpos 6x4 rules chess", "`chess`"),
        ("position startpos 27x4", "27"),
        ("position <1,2>", "`<1,2>`"),
        ("setoption", "expected setoption name NAME value VALUE"),
        ("setoption name Size value 3", "there is no option `Size`: the options are Delay, Clear"),
        ("setoption name Delay", "Delay: expected a value"),
        ("setoption name Delay value 10", "Delay: expected 0 to 9, not 10"),
        ("setoption name Delay value " + "9" * 5000, "Delay: expected 0 to 9, not 999"),
        ("setoption name Clear value 1", "Clear: expected no value, not 1"),
        ("isready now", "`now`: expected nothing after isready"),
        ("x" * 16_385, "the line is longer than 16384 bytes"),
        ("x" * 100_000, "the line is longer than 16384 bytes"),
    ],
)
def test_a_refused_line_is_answered_with_one_error(line: str, message: str) -> None:
    answers = dialog(f"position startpos 2x2\n{line}\nisready\ngo")
    assert len(answers) == 3, answers
    assert answers[0].startswith("error ")
    assert message in answers[0]
    assert answers[1:] == ["readyok", "bestmove A"]


def test_only_some_commands_are_allowed_during_a_search() -> None:
    moved = threading.Event()

    def choose(position: Position, limits: uki.Limits) -> Move:
        while not limits.stopped:
            time.sleep(0.001)
        moved.set()
        return position.legal_moves[1]

    answers = dialog(
        "go infinite\nisready\nuki\nposition startpos 2x2\ngo\nnewgame\nstop\n", choose
    )
    assert moved.is_set()
    assert answers[0] == "readyok"
    assert [line for line in answers if line.startswith("error a search is in progress: ")]
    assert sum(line.startswith("error") for line in answers) == 3
    assert answers[-1] == "bestmove B"


def test_limits_of_a_served_search() -> None:
    seen: list[uki.Limits] = []

    def choose(_: Position, limits: uki.Limits) -> int:
        seen.append(limits)
        return 1

    for line in (
        "go",
        "go movetime 1000",
        "go movetime -5",
        "go nodes 5 depth 3",
        "go stime 16050 ntime 1 sinc 1000 ninc 0",
        "go infinite",
    ):
        dialog(f"{line}\n", choose)
    assert [limits.time for limits in seen] == [5.0, 0.95, 0.0, None, 1.75, None]
    assert (seen[3].nodes, seen[3].depth) == (5, 3)
    assert seen[4].clocks == uki.Clocks(16.05, 0.001, 1.0, 0.0)
    assert seen[5].infinite
    assert seen[0].options == {"Delay": 0}
    assert seen[2].stopped


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"choose": 3}, TypeError, "choose: expected a function, not int"),
        ({"name": 3}, TypeError, "name: expected str, not int"),
        ({"name": " "}, kalah.KalahError, "name: expected a text that is not empty"),
        ({"author": "\ud800"}, kalah.KalahError, "author: expected characters, not `\\ud800`"),
        ({"options": [1]}, TypeError, "options: expected a mapping, not list"),
        ({"options": {3: uki.Button()}}, TypeError, "options: expected str, not int"),
        ({"options": {"a b": uki.Button()}}, kalah.KalahError, "options: expected one word, not "),
        ({"options": {"A": 3}}, TypeError, "options: A: expected Spin, Check, Combo, String or "),
        (
            {"options": {"A": uki.Spin(9, 0, 5)}},
            kalah.KalahError,
            "options: A: expected 0 to 5 as ",
        ),
        (
            {"options": {"A": uki.Combo("b", ("a",))}},
            kalah.KalahError,
            "options: A: expected a as ",
        ),
        (
            {"options": {"A": uki.Button(), "a": uki.Button()}},
            kalah.KalahError,
            "options: expected one option a, in upper or lower case",
        ),
        ({"on_option": 3}, TypeError, "on_option: expected a function, not int"),
        ({"new_game": 3}, TypeError, "new_game: expected a function, not int"),
        ({"stdin": 3}, TypeError, "stdin: expected a binary stream, not int"),
        ({"stdin": io.StringIO("uki")}, TypeError, "stdin: expected a binary stream, not StringIO"),
        ({"stdout": io.StringIO()}, TypeError, "stdout: expected a binary stream, not StringIO"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_wrong_arguments_of_a_served_engine_are_named(
    arguments: dict[str, Any], kind: type[Exception], message: str
) -> None:
    usual = {"choose": print, "name": "A", "stdin": io.BytesIO(b""), "stdout": io.BytesIO()}
    with pytest.raises(kind) as error:
        uki.serve(**usual | arguments)  # type: ignore[arg-type]
    assert str(error.value).startswith(message)


def test_standard_streams_that_are_no_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(kalah.KalahError, match=r"^stdin: expected a binary stream, because sys\."):
        uki.serve(lambda position, _: position.legal_moves[0], name="A")


def test_an_input_that_cannot_be_read_ends_a_served_engine() -> None:
    closed = io.BytesIO()
    closed.close()
    with pytest.raises(ValueError, match="closed file"):
        uki.serve(
            *(lambda position, _: position.legal_moves[0],),
            name="A",
            stdin=closed,
            stdout=io.BytesIO(),
        )


@pytest.mark.parametrize(
    "answer",
    [None, 0, 10**5000, "\ud800", "a", 1.5, [], np.zeros(2)],
    ids=lambda answer: type(answer).__name__,
)
def test_an_answer_that_is_no_legal_move_ends_a_served_engine(answer: Any) -> None:
    with pytest.raises(kalah.IllegalMoveError, match=r"^choose returned .* in <6,0,0,4,4,.*> s: "):
        dialog("go\n", lambda *_: answer)


def test_reports_of_a_served_search_are_checked() -> None:
    def report(**arguments: Any) -> list[str]:
        def choose(position: Position, limits: uki.Limits) -> Move:
            limits.info(**arguments)
            return position.legal_moves[0]

        return dialog("go\n", choose)

    moves = [Move("C"), Move("F")]
    assert report(gain=np.int64(3), line=moves)[0].endswith(" score gain +3 line C F")
    assert report(line="CF a swap")[0].endswith(" line CF a swap")
    for arguments, kind, message in [
        ({"gain": 1.5}, TypeError, "gain: expected an integer, not float"),
        ({"depth": -1}, kalah.KalahError, "depth: expected 0 to 4294967295, not -1"),
        ({"nodes": 2**64}, kalah.KalahError, "nodes: expected 0 to 18446744073709551615, not "),
        ({"line": 3}, TypeError, "line: expected str or moves in a list, not int"),
        ({"line": "C?"}, kalah.KalahError, "line: invalid move `\\?`"),
    ]:
        with pytest.raises(kind, match=f"^{message}"):
            report(**arguments)  # type: ignore[arg-type]


def test_hostile_lines_end_no_engine() -> None:
    rng = random.Random(9)
    words = [
        "uki", "isready", "newgame", "setoption", "position", "go", "stop", "name", "value",
        "Delay", "startpos", "6x4", "rules", "cs32", "moves", "A", "a", "swap", "CF", "depth",
        "nodes", "movetime", "infinite", "-1", "99999999999999999999", "<1,2,3>", "\0", "é", "",
        "<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4>", "n", "ply=2", "stime", "ntime",
    ]  # fmt: skip
    lines = [" ".join(rng.choices(words, k=rng.randrange(6))) for _ in range(3000)]
    answers = dialog("\n".join(lines))
    assert all(
        answer.split()[0] in ("id", "option", "ukiok", "readyok", "error", "bestmove")
        for answer in answers
    )


@pytest.mark.skipif(os.name != "posix", reason="sends a signal of POSIX")
def test_ctrl_c_stops_a_search_and_leaves_the_engine(served: list[str]) -> None:
    program = f"""
        import kalah, os, signal, threading, time
        engine = kalah.uki.Engine({served!r})
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            engine.play("6x4", infinite=True)
        except KeyboardInterrupt:
            print(engine.play("6x4").move)
        engine.close()
    """
    command = [sys.executable, "-c", "import kalah.uki\n" + textwrap.dedent(program)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (run.returncode, run.stdout) == (0, "F\n"), run.stderr


@pytest.mark.skipif(os.name != "posix", reason="sends a signal of POSIX")
def test_ctrl_c_ends_a_served_engine(served: list[str]) -> None:
    with subprocess.Popen(
        served, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"readyok\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) != 0


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_served_engine_ends_with_its_host(served: list[str]) -> None:
    with subprocess.Popen(
        served, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(b"uki\nisready\n")
        process.stdin.flush()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""
    run = subprocess.run(served, input=b"go movetime 50\n", capture_output=True, check=True)
    assert run.stdout.endswith(b"bestmove F\n")


@needs_kalah
def test_the_real_engine_is_driven() -> None:
    command = kalah_command()
    assert command is not None
    with uki.Engine([command, "engine"], options={"Tables": "none", "Threads": 1}) as engine:
        assert engine.name.startswith("Kalah ")
        assert isinstance(engine.options["Threads"], uki.Spin)
        info = engine.analyse("<4,9,8,0,0,2,1,1,0,3,0> n", nodes=100_000)
        assert info.is_exact
        result = engine.play(Game("4x3", "standard", moves="B D b"), nodes=20_000)
        assert result.move == Move("A")
        assert (result.info.gain, result.info.is_exact) == (5, True)
        assert result.info.margin is not None
        assert result.info.line[0] == result.move
        game = kalah.play_game(engine, "random", start="3x3", rules="mankalah", seed=1, time=0.02)
        assert game.is_over
        timer = threading.Timer(0.2, engine.stop)
        timer.start()
        assert engine.play("10x10", infinite=True).move in Position("10x10").legal_moves
    for player in ("level:2", "random", "minimax:2"):
        options: dict[str, int | bool | str] = {"Player": player, "Seed": 1}
        with uki.Engine(f"{command} engine", options=options) as engine:
            assert kalah.play_game(engine, "first", start="4x3", seed=2).is_over


@needs_kalah
def test_kalah_arena_plays_against_a_served_engine(
    served: list[str], tmp_path: pathlib.Path
) -> None:
    command = kalah_command()
    assert command is not None
    folder = tmp_path / "tournament"
    contestant = " ".join(served)
    run = subprocess.run(
        [
            *[command, "arena", "--engine", f"cmd='{contestant}',proto=uki,name=Served"],
            *[
                "--engine",
                "random",
                "--rounds",
                "2",
                "--board",
                "4x3",
                "--play-out",
                "--time",
                "nodes=100",
            ],
            *["--out", str(folder)],
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    records = [path for path in folder.iterdir() if path.suffix == ".kgn"]
    games = [game for path in records for game in kalah.read_games(path)]
    assert games
    assert all(game.termination is kalah.Termination.NORMAL for game in games)
