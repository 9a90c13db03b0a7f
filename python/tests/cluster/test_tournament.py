"""Tournaments on executors: the games of `kalah arena`, and executors that fail in every way."""

import base64
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import kalah
from cluster.executors import (
    ForkingExecutor,
    InlineExecutor,
    InterruptedExecutor,
    KilledPool,
)
from cluster.processes import HANG_SECONDS, is_ended, start_python, wait_until
from kalah.cluster import (
    ClusterError,
    PoolExecutor,
    Sprt,
    TournamentStatus,
    _jobs,
    _worker,
    tournament,
)
from kalah.cluster.__main__ import main

ROOT = Path(__file__).parents[3]

CONTESTANTS = ["first", "level:2", "random"]

#: The options of the tournament whose games are below.
OPTIONS: dict[str, Any] = {
    "start": "4x3",
    "rules": "standard",
    "rounds": 2,
    "time": "nodes=100",
    "seed": 5,
}

#: The moves of the games, as `kalah arena --engine first --engine level:2
#: --engine random --board 4x3 --rules standard --rounds 2 --time nodes=100 --seed 5` plays them.
GAMES = {
    "1.1.1": "D b ADB c A d D a A b C b DB b DC",
    "1.1.2": "D b C c B d D a A cd DBDA a C b B dc",
    "1.2.1": "D b C a A a C b B a D",
    "1.2.2": "D b AB d A c A a A b B d A b C b D",
    "1.3.1": "D b AB c A a A d A c B b C a D",
    "1.3.2": "D b BDC a DA a DC bc C d BC a A",
    "2.4.1": "D d C b B da A c BA b B a D",
    "2.4.2": "D d AB b D c B d",
    "2.5.1": "D d AB b A a A b BC c A d A b CD",
    "2.5.2": "D d ADB a C a D a A",
    "2.6.1": "D d ADC a DA b C c C d",
    "2.6.2": "D d AB b A dc A a A c B d A b B da",
}

#: The pairs of those games.
PAIRS = 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mine"


@pytest.fixture(scope="module")
def pool() -> Iterator[PoolExecutor]:
    executor = PoolExecutor(2)
    yield executor
    executor.shutdown(wait=False)


def play_inline(folder: Path, executor: Executor | None = None, **options: Any) -> TournamentStatus:
    options = {"jobs_in_flight": 1, **OPTIONS, **options}
    contestants = options.pop("contestants", CONTESTANTS)
    return tournament(contestants, folder, executor or InlineExecutor(), **options)


def lines(folder: Path) -> list[str]:
    """Returns the complete lines of the journal."""
    journal = folder / "games.jsonl"
    text = journal.read_text() if journal.exists() else ""
    return [line for line in text.splitlines(keepends=True) if line.endswith("\n")]


def games_in_report(folder: Path) -> int:
    """Returns the number of games in the data of the report."""
    report = (folder / "report.html").read_text()
    data = re.search('<script id="games-index" type="text/plain">([^<]*)</script>', report)
    assert data is not None
    index = json.loads(zlib.decompress(base64.b64decode(data[1])))
    return len(index["games"])


def assert_played(status: TournamentStatus, folder: Path) -> None:
    """Compares the games of a finished tournament with those of `kalah arena`."""
    games = [json.loads(line) for line in lines(folder)]
    assert {game["game"]: game["moves"] for game in games} == GAMES
    assert len(games) == status.games == status.planned_games == len(GAMES)
    assert status.is_finished
    assert status.jobs_in_flight == 0
    assert len(kalah.read_games(folder / "games.kgn")) == len(GAMES)


def test_games_are_those_of_the_arena(tmp_path: Path, pool: PoolExecutor) -> None:
    for number, executor in enumerate([InlineExecutor(), ThreadPoolExecutor(2), pool]):
        folder = tmp_path / str(number)
        status = tournament(CONTESTANTS, folder, executor, **OPTIONS, jobs_in_flight=3)
        assert_played(status, folder)
        assert (status.jobs, status.repeated_jobs) == (PAIRS, 0)
        assert games_in_report(folder) == len(GAMES)


def test_standings_have_the_results(folder: Path) -> None:
    status = play_inline(folder)
    first, second, third = status.standings
    assert [standing.name for standing in status.standings] == ["level:2", "random", "first"]
    assert (first.rank, first.contestant, first.points, first.games) == (1, "level:2", 7.5, 8)
    assert (first.wins, first.ties, first.losses, first.faults) == (7, 1, 0, 0)
    assert (second.points, third.points) == (3.0, 1.5)
    assert first.elo is not None
    assert round(first.elo) == 320
    assert first.elo_interval is not None
    assert [round(end) for end in first.elo_interval] == [131, 508]
    assert status.text.splitlines()[1].startswith("1.  level:2  +320  from +131 to +508 ")
    assert (status.folder, status.sprt) == (str(folder), None)


def test_interrupted_tournament_goes_on_with_all_games(folder: Path) -> None:
    interrupts = 0
    while True:
        before = len(lines(folder))
        try:
            status = play_inline(folder, InterruptedExecutor(2))
        except KeyboardInterrupt:
            interrupts += 1
            assert len(lines(folder)) == before + 4
            assert games_in_report(folder) == before + 4
        else:
            break
    assert interrupts == 2
    assert status.jobs == 2
    assert_played(status, folder)


def test_finished_game_of_a_pair_is_not_played_again(folder: Path) -> None:
    jobs: list[Any] = []

    class Watched(InlineExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            jobs.append(args[2])
            return super().submit(fn, *args, **kwargs)

    play_inline(folder)
    # The last line is incomplete, as after a power failure.
    kept = lines(folder)[:3]
    (folder / "games.jsonl").write_text("".join(kept) + lines(folder)[3][:40])
    status = tournament(None, folder, Watched(), jobs_in_flight=1)
    assert lines(folder)[:3] == kept
    assert [job["games"] for job in jobs] == [[2], *[[1, 2]] * 4]
    assert_played(status, folder)


def test_folder_keeps_its_options(folder: Path) -> None:
    with pytest.raises(kalah.TournamentError, match="there is no folder"):
        tournament(None, folder, InlineExecutor(), jobs_in_flight=1)
    play_inline(folder)
    equal: list[dict[str, Any]] = [
        {},
        {"contestants": None, "time": None},
        {"grace": "50ms", "adjudicate": 6},
    ]
    for options in equal:
        assert play_inline(folder, **options).jobs == 0
    for name, value in {
        "contestants": ["first", "level:2"],
        "time": "1s",
        "rounds": 3,
        "grace": 1,
        "adjudicate": 0,
        "openings": "start",
        "sprt": Sprt(),
    }.items():
        with pytest.raises(kalah.TournamentError, match=f"^{name}: the tournament in '"):
            play_inline(folder, None, **{name: value})
    assert len(lines(folder)) == len(GAMES)


def test_decided_test_ends_the_match_and_drops_late_pairs(folder: Path) -> None:
    sprt = Sprt(elo0=0, elo1=300, alpha=0.2, beta=0.2)
    executor = InlineExecutor()
    options: dict[str, Any] = {"contestants": ["smart", "random"], "rounds": 200, "sprt": sprt}
    status = play_inline(folder, executor, jobs_in_flight=10, memory="1MiB", **options)
    assert status.is_finished
    assert status.games < status.planned_games == 400
    test = status.sprt
    assert test is not None
    assert test.verdict == "H1"
    assert test.llr >= test.upper > 0 > test.lower
    assert "H1 accepted" in status.text
    # The pairs that were in flight at the decision are not stored.
    assert 2 * test.pairs == status.games == len(lines(folder)) < 2 * executor.calls
    assert play_inline(folder, jobs_in_flight=10, **options).jobs == 0


def change_lines(change: Callable[[list[str]], Any]) -> Callable[[Any], Any]:
    """Returns a function that changes the lines in an answer."""
    return lambda answer: (answer[0], answer[1], change(answer[2]))


def replaced(old: str, new: str) -> Callable[[Any], Any]:
    """Returns a function that replaces a text in the first line of an answer."""
    return change_lines(lambda lines: [re.sub(old, new, lines[0], count=1), *lines[1:]])


WRONG: list[tuple[Callable[[Any], Any], str]] = [
    (change_lines(lambda lines: lines[:1]), "expected 2 games, not 1"),
    (change_lines(lambda lines: lines[::-1]), r"expected game 1\.1\.1 of contestants 1 and 2"),
    (
        change_lines(lambda lines: ["no line", *lines[1:]]),
        "line 1, column 2: the text is not JSON: `no line`",
    ),
    (change_lines(lambda _: None), "are refused: "),
    (change_lines(lambda _: [1, 2]), "are refused: "),
    (replaced('"moves":"D', '"moves":"A'), "line 1, "),
    (replaced('("moves":"D b [A-D]+)[^"]*', r"\1"), "contradicts the board: the game is not over"),
    (replaced('("stores":{"south":)[0-9]+', r"\g<1>23"), "contradicts the board"),
    (replaced('"game":"1.1', '"game":"1.4'), r"expected game 1\.1\.1 "),
    (replaced('"random"', '"Lisa"'), "expected `level:2` and `random`, not `level:2` and `Lisa`"),
    (replaced('"opening_plies":2', '"opening_plies":1'), "`ply_times_ms` has "),
    (replaced('"rules":"standard"', '"rules":"mankalah"'), "are refused: "),
]


@pytest.mark.parametrize(("answer", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_games_are_refused_and_not_stored(
    answer: Callable[[Any], Any], message: str, folder: Path
) -> None:
    with pytest.raises(kalah.TournamentError, match=message) as caught:
        play_inline(folder, InlineExecutor(answer))
    assert str(caught.value).startswith(f"process {os.getpid()} on ")
    assert "the games of pair 1 are refused: " in str(caught.value)
    assert lines(folder) == []


def test_tournament_goes_on_after_wrong_games(folder: Path) -> None:
    with pytest.raises(kalah.TournamentError, match="are refused"):
        play_inline(folder, InlineExecutor(change_lines(lambda lines: lines[1:])))
    assert_played(play_inline(folder), folder)


def test_other_version_is_refused_with_both_versions(folder: Path) -> None:
    class Old(InlineExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            return super().submit(fn, "0.0.1", *args[1:], **kwargs)

    with pytest.raises(ClusterError) as caught:
        play_inline(folder, Old())
    assert f"has version {_worker.VERSION} of" in str(caught.value)
    assert "has version 0.0.1:" in str(caught.value)
    assert lines(folder) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"second": 9}, "9"), ({"games": [3]}, "a pair has no game 3"), ({"round": "first"}, "round")],
)
def test_pair_that_the_tournament_cannot_have_is_an_error(
    changes: dict[str, Any], message: str, folder: Path
) -> None:
    class Other(InlineExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            return super().submit(fn, *args[:2], args[2] | changes, **kwargs)

    with pytest.raises(ClusterError, match=rf"^process {os.getpid()} on .*: .*{message}"):
        play_inline(folder, Other())


def test_contestant_that_does_not_start_on_a_worker_is_named(folder: Path) -> None:
    options: dict[str, Any] = {"time": "1s", "rounds": 1}
    wrong = ["first", f"cmd={folder}/none,name=Missing"]
    with pytest.raises(ClusterError, match=r"^process \d+ on .*'Missing' cannot take part: "):
        play_inline(folder, contestants=wrong, **options)
    # The folder has no games, and takes other contestants.
    engine = f"cmd='{sys.executable} {ROOT}/docs/greedy.py',name=Greedy"
    status = play_inline(folder, contestants=["first", engine], **options)
    assert {standing.name for standing in status.standings} == {"first", "Greedy"}
    assert [standing.faults for standing in status.standings] == [0, 0]
    assert status.games == 2


def test_relative_folder_of_a_program_is_that_of_the_first_call(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bots, elsewhere = tmp_path / "bots", tmp_path / "elsewhere"
    for path in (bots, elsewhere):
        path.mkdir()
    (bots / "bot.py").write_bytes((ROOT / "docs/greedy.py").read_bytes())
    engine = f"cmd='{sys.executable} bot.py',dir=bots,name=Greedy"
    options: dict[str, Any] = {"contestants": ["first", engine], "time": "1s"}
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        play_inline(folder, InterruptedExecutor(1), **options)
    assert json.loads((folder / "tournament.json").read_text())["started_in"] == str(tmp_path)
    monkeypatch.chdir(elsewhere)
    # The same text names another folder here, so that it is another contestant.
    with pytest.raises(kalah.TournamentError, match="contestants: the tournament in "):
        play_inline(folder, **options)
    status = play_inline(folder, contestants=None, time="1s")
    assert status.games == 4
    assert [standing.faults for standing in status.standings] == [0, 0]


@pytest.mark.parametrize(
    ("contestants", "message"),
    [
        (["first", kalah.players.BuiltinPlayer("first")], "not an object of class BuiltinPlayer"),
        (["first", max], "not an object of class builtin_function_or_method"),
        ("first", "expected an iterable of texts .*, not str"),
        (3, "expected an iterable of texts .*, not int"),
    ],
)
def test_players_of_this_process_are_refused(contestants: Any, message: str, folder: Path) -> None:
    with pytest.raises(TypeError, match=f"^contestants: .*{message}"):
        play_inline(folder, contestants=contestants)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("contestants", ["first"], "a tournament needs at least two engines"),
        ("contestants", ["first", "human"], "contestants: `human` cannot take part"),
        ("contestants", ["first", "levl"], "contestants: `levl` is not a player"),
        ("format", "cup", "format: `cup`: expected round-robin, gauntlet or swiss"),
        ("rounds", 0, "rounds: expected 1 to 1000000, not 0"),
        ("start", "4y3", "position `4y3`"),
        ("rules", "chess", "rules: "),
        ("openings", "plies:9", "openings: `plies:9`: expected a whole number"),
        ("openings", Path("/none"), "/none"),
        ("time", "nodes=0", "time: `0` is not a positive number"),
        ("grace", -1, "grace: expected 0 to 1000000000 seconds, not -1"),
        ("grace", "much", "grace: `much` is not a duration"),
        ("adjudicate", 21, "adjudicate: expected 0 to 20, not 21"),
        ("resign", "seeds=0", "resign: `seeds=0`: expected seeds=N or"),
        ("sprt", Sprt(elo1=-1), "elo1 must be greater than elo0"),
        ("seed", -1, "seed: expected 0 to 18446744073709551615, not -1"),
        ("memory", "much", "memory: `much` is not an amount of memory"),
        ("jobs_in_flight", 0, "jobs_in_flight: expected 1 to 100000, not 0"),
        ("lease", -1, "lease: expected 0 to 1000000000 seconds, not -1"),
    ],
)
def test_invalid_options_are_named(name: str, value: Any, message: str, folder: Path) -> None:
    with pytest.raises((kalah.KalahError, OSError), match=re.escape(message)):
        play_inline(folder, **{"contestants": ["first", "random"], name: value})
    assert not folder.exists()


def test_numbers_of_a_sequential_test_are_named(folder: Path) -> None:
    sprt = Sprt(elo1="10")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"sprt\.elo1: expected a number, not str"):
        play_inline(folder, contestants=["first", "random"], sprt=sprt)
    assert not folder.exists()


def test_position_has_its_rules(folder: Path) -> None:
    start = kalah.Position("<4,0,0,1,2,3,1,0,3,3,0> n", "mankalah")
    with pytest.raises(kalah.KalahError, match="rules: expected those of the position, mankalah"):
        play_inline(folder, start=start)
    status = play_inline(folder, start=start, rules=None, contestants=["first", "random"])
    game = json.loads(lines(folder)[0])
    assert (game["position"], game["rules"]) == (str(start), "mankalah")
    assert status.is_finished


def test_killed_worker_breaks_a_pool_and_the_folder_has_all_games(folder: Path) -> None:
    pool = KilledPool(3)
    with pytest.raises(ClusterError, match=f"'{folder}' has all finished jobs"):
        tournament(CONTESTANTS, folder, pool, **OPTIONS)
    pool.shutdown(wait=False)
    assert_played(play_inline(folder), folder)


def test_function_replaces_a_pool_whose_worker_is_killed(folder: Path) -> None:
    pools: list[KilledPool] = []

    def create() -> Executor:
        pools.append(KilledPool(10**9 if pools else 3))
        return pools[-1]

    status = tournament(CONTESTANTS, folder, create, **OPTIONS)
    assert len(pools) == 2
    assert status.repeated_jobs <= 2
    assert status.jobs == PAIRS
    assert_played(status, folder)


# The fork of a process with threads, which Python warns of, calls nothing that could wait for one.
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_process_does_not_keep_the_lock(folder: Path) -> None:
    executor = ForkingExecutor()
    try:
        play_inline(folder, executor)
        # The forked process still runs, and the folder can be opened.
        assert_played(play_inline(folder), folder)
    finally:
        executor.end()


def test_second_coordinator_is_refused(folder: Path) -> None:
    class Second(InlineExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            if self.calls == 2:
                with pytest.raises(kalah.TournamentError, match="another program is playing"):
                    play_inline(folder)
            return super().submit(fn, *args, **kwargs)

    assert_played(play_inline(folder, Second()), folder)


#: A coordinator whose files can have 3,000 bytes only.
FULL_DISK = """
import resource, sys
from concurrent.futures import ThreadPoolExecutor
import kalah.cluster
executor = ThreadPoolExecutor(2)
resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))
kalah.cluster.tournament(None, sys.argv[1], executor)
"""


def test_full_disk_is_an_error_and_the_folder_goes_on(folder: Path) -> None:
    play_inline(folder)
    (folder / "games.jsonl").write_text("")
    process = start_python("-c", FULL_DISK, str(folder), stderr=subprocess.PIPE)
    _, errors = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 1
    assert re.search(rf"OSError: \[Errno 27\] .*: '{folder}/games.jsonl'", errors), errors
    stored = lines(folder)
    assert 0 < len(stored) < len(GAMES)
    status = play_inline(folder)
    assert lines(folder)[: len(stored)] == stored
    assert_played(status, folder)


@pytest.mark.parametrize(
    ("options", "seconds"),
    [
        ({"time": "nodes=100"}, 1800),
        ({"time": "1s"}, 1800),
        ({"time": "1h", "grace": 0}, 2 * 24 * 3600),
        ({"time": "1h+1s"}, 2 * (2 * 3600 + 24)),
        ({"time": "1h", "lease": 7}, 7),
    ],
    ids=str,
)
def test_lease_follows_the_time_control(
    options: dict[str, Any], seconds: float, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leases = []

    class Watched(_jobs.Run[Any]):
        def __init__(self, coordinator: Any, limit: Any, lease: float, display: Any) -> None:
            leases.append(lease)
            super().__init__(coordinator, limit, lease, display)

    monkeypatch.setattr(_jobs, "Run", Watched)
    play_inline(folder, **options)
    assert leases == [seconds]


def test_progress_is_reported_and_its_exception_raised(folder: Path) -> None:
    states: list[TournamentStatus] = []
    status = play_inline(folder, progress=states.append)
    assert states
    assert all(state.games <= status.games for state in states)
    assert {state.folder for state in states} == {str(folder)}

    def fail(_status: TournamentStatus) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        play_inline(folder.with_name("other"), progress=fail)


COMMAND = [
    "tournament",
    *(word for contestant in CONTESTANTS for word in ("--engine", contestant)),
    *("--board", "4x3", "--rules", "standard", "--rounds", "2"),
    *("--time", "nodes=100", "--seed", "5", "--processes", "2"),
]


def test_command_plays_and_goes_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, "--out", str(folder)]) == 0
    output = capsys.readouterr().out
    assert output.splitlines()[1].startswith("1.  level:2  +320  from +131 to +508 ")
    assert "12 of 12 games" in output
    written = lines(folder)
    for arguments in (COMMAND, ["tournament", "--processes", "1"]):
        assert main([*arguments, "--out", str(folder)]) == 0
        # The time of the moves is that of the first call.
        assert capsys.readouterr().out == output
    assert lines(folder) == written


def test_command_reports_errors_with_exit_codes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(folder)]
    with pytest.raises(SystemExit):
        main(["tournament", "--processes", "1", *out])
    assert f"'{folder}' has no tournament to continue" in capsys.readouterr().err
    mpi = [*COMMAND[:-2], "--mpi", *out]
    if importlib.util.find_spec("mpi4py") is not None:
        assert main(mpi) == 1
        assert "error: --mpi needs the processes of mpi4py.futures: " in capsys.readouterr().err
    for wrong, message in [
        (["--rounds", "0"], "--rounds: expected 1 to"),
        (["--adjudicate", "6"], "--adjudicate: expected seeds=N, not '6'"),
        (["--adjudicate", "seeds=6", "--play-out"], "--play-out: not allowed with"),
        (["--sprt", "elo2=3"], "--sprt: expected elo0=, elo1=, alpha=, beta= and a number"),
        (["--sprt"], "a sequential test compares exactly two engines, not 3"),
        (["--engine", "human"], "--engine: `human` cannot take part"),
        (["--scheduler", "tcp://pluto:1"], "--scheduler: not allowed with"),
    ]:
        with pytest.raises(SystemExit) as caught:
            main([*COMMAND, *out, *wrong])
        assert caught.value.code == 2
        assert message in capsys.readouterr().err
    assert not folder.exists()


#: An engine that writes its process to a file instead of a move, and reads no further line.
SILENT_ENGINE = """
while read -r line; do case "$line" in
uki) echo ukiok;; isready) echo readyok;; quit) exit;;
go*) echo $$ > {process}.new; mv {process}.new {process}; exec sleep 100000;;
esac; done
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signal_ends_the_command_and_all_programs(
    number: signal.Signals, folder: Path, tmp_path: Path
) -> None:
    engine, file = tmp_path / "engine.sh", tmp_path / "process"
    engine.write_text(SILENT_ENGINE.format(process=file))
    arguments = ["--engine", f"cmd='sh {engine}',name=Silent", "--engine", "first"]
    arguments += ["--out", str(folder), "--processes", "1", "--time", "1h", "--openings", "start"]
    process = start_python(
        *("-m", "kalah.cluster", "tournament", *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_until(file.exists)
    program = int(file.read_text())
    process.send_signal(number)
    output, errors = process.communicate(timeout=HANG_SECONDS)
    wait_until(lambda: is_ended(program))
    assert output == ""
    assert lines(folder) == []
    if number == signal.SIGKILL:
        return
    assert process.returncode == 128 + number
    message = f"error: interrupted: '{folder}' has all results so far, and the same command goes on"
    assert errors.startswith(message)
