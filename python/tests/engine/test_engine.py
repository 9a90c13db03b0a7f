"""The engine, proofs and puzzles."""

import datetime
import gc
import multiprocessing
import os
import resource
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kalah

#: A position whose proof takes hours.
HARD = "8x6"


def margin_by_search(position: kalah.Position, known: dict[kalah.Position, int]) -> int:
    """Returns the margin by searching the whole tree of a small board."""
    if position not in known:
        if position.is_over:
            known[position] = position.lead
        else:
            known[position] = max(
                margin_by_search(after, known)
                * (1 if after.to_move is position.to_move or after.is_over else -1)
                if not after.is_over
                else store_lead(after, position.to_move)
                for after in map(position.play, position.legal_moves)
            )
    return known[position]


def store_lead(position: kalah.Position, side: kalah.Side) -> int:
    return position.store(side) - position.store(side.opponent)


@pytest.mark.parametrize("rules", ["cs32", "standard", "empty-capture"])
@pytest.mark.parametrize("start", ["1x3", "2x2", "2x4", "3x2", "3x3"])
def test_solve_agrees_with_a_search_of_the_whole_tree(start: str, rules: str) -> None:
    position = kalah.Position(start, rules=rules)
    known: dict[kalah.Position, int] = {}
    report = kalah.solve(position, moves=True)
    assert report.is_exact
    assert report.margin == margin_by_search(position, known)
    for entry in report.moves:
        after = position.play(entry.move)
        if after.is_over:
            expected = store_lead(after, position.to_move)
        else:
            sign = 1 if after.to_move is position.to_move else -1
            expected = sign * margin_by_search(after, known)
        assert entry.is_exact
        assert entry.margin == expected


def test_reports_with_equal_limits_are_equal() -> None:
    reports = [kalah.Engine().analyse("6x4", nodes=30_000) for _ in range(2)]
    assert [entry.bounds for entry in reports[0].moves] == [
        entry.bounds for entry in reports[1].moves
    ]
    assert reports[0].line == reports[1].line
    assert reports[0].nodes == reports[1].nodes


def test_line_and_best_move_are_legal() -> None:
    report = kalah.Engine().analyse("6x4", rules="standard", nodes=50_000, lines=3)
    for line in [report.line, *(entry.line for entry in report.moves if entry.line)]:
        position = report.position
        for move in line:
            position = position.play(move)
    assert report.line[0] == report.best_move
    assert sum(1 for entry in report.moves if entry.line) >= 3
    assert report[report.line[0]].margin == report.margin


def test_limits_are_respected() -> None:
    engine = kalah.Engine()
    assert engine.analyse(HARD, nodes=5_000).nodes <= 5_000
    assert engine.analyse(HARD, depth=2).depth <= 2
    assert not engine.analyse(HARD, time=0).is_exact
    assert not engine.analyse(HARD, time=datetime.timedelta(milliseconds=20)).is_exact


def test_chances_add_up_and_are_certain_where_the_result_is_proven() -> None:
    report = kalah.Engine().analyse("8x8", nodes=2_000)
    assert report.chances is not None
    assert sum(report.chances) == pytest.approx(1)
    assert 0 < report.chances[0] < 1
    assert report.best_move is not None
    assert report[report.best_move].chances == report.chances
    solved = kalah.solve("3x2", moves=True)
    assert [entry.chances for entry in solved.moves] == [(0, 0, 1), (1, 0, 0), (0, 1, 0)]


def test_finished_game_has_a_report_without_moves() -> None:
    report = kalah.solve("<2,3,5,0,0,0,0> s")
    assert (report.margin, report.best_move, report.moves, report.line) == (-2, None, (), ())


def test_table_of_the_engine_is_used() -> None:
    table = kalah.Table.build(6, 12, rules="standard")
    position = kalah.Position("<6,18,18,1,0,2,1,3,2,0,1,0,1,0,1> s", rules="standard")
    with kalah.Engine(tables=[table]) as engine:
        report = engine.analyse(position)
    gain = table.probe(position)
    assert gain is not None
    assert report.margin == position.lead + gain
    assert report.nodes == 0


def test_progress_receives_reports() -> None:
    reports: list[kalah.Report] = []
    last = kalah.Engine().analyse(HARD, time=0.5, progress=reports.append)
    assert reports
    assert all(report.position == last.position for report in reports)


def test_progress_receives_the_final_state_of_short_calls(tmp_path: Path) -> None:
    reports: list[kalah.Report] = []
    report = kalah.Engine().analyse("3x3", progress=reports.append)
    assert reports[-1] == report
    positions: list[kalah.PositionProgress] = []
    kalah.review(kalah.Game("3x2", moves="A"), nodes=100, progress=positions.append)
    assert (positions[-1].done, positions[-1].total) == (2, 2)
    layers: list[kalah.BuildProgress] = []
    path = tmp_path / "table"
    kalah.Table.build(3, 4, path=path, progress=layers.append)
    assert layers[-1].done == layers[-1].total == kalah.Table.count(3, 4)
    positions.clear()
    kalah.Table.open(path).verify(progress=positions.append)
    assert positions[-1].done == positions[-1].total == kalah.Table.count(3, 4)


def test_exception_of_the_progress_function_keeps_the_hash_tables() -> None:
    engine = kalah.Engine()

    def fail(_report: kalah.Report) -> None:
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        engine.analyse("4x3", progress=fail)
    assert engine.analyse("4x3").nodes < kalah.Engine().analyse("4x3").nodes


def test_memory_beyond_that_of_the_machine_is_reduced_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"memory: 1\.0 PiB are not available") as caught:
        engine = kalah.Engine(memory=1 << 50)
    assert caught[0].filename == __file__
    assert engine.memory < 1 << 50


def test_exception_of_the_progress_function_stops_the_analysis() -> None:
    engine = kalah.Engine()

    def fail(_report: kalah.Report) -> None:
        raise LookupError("stop")

    with pytest.raises(LookupError, match="stop"):
        engine.analyse(HARD, progress=fail)
    assert engine.analyse("3x3").margin == 2


def test_progress_function_that_uses_its_engine_fails() -> None:
    engine = kalah.Engine()
    with pytest.raises(kalah.KalahError, match="the engine is in use by this thread"):
        engine.analyse(HARD, progress=lambda _report: engine.analyse("3x3"))
    assert engine.analyse("3x3").margin == 2


def test_progress_bar_is_removed() -> None:
    assert kalah.Engine().analyse(HARD, time=0.2, progress=True).moves
    assert kalah.Table.build(5, 14, progress=True).seeds == 14


LONG_CALLS: dict[str, Callable[[kalah.Engine, str], Any]] = {
    "Engine.analyse": lambda engine, _: engine.analyse(HARD),
    "solve": lambda _engine, _: kalah.solve(HARD, threads=2),
    "Table.build": lambda _engine, _: kalah.Table.build(7, 19, threads=2),
    "Table.build with a path": lambda _engine, path: kalah.Table.build(7, 19, path=path),
    "perft": lambda _engine, _: kalah.perft("26x26", 30),
    "puzzle": lambda _engine, _: kalah.puzzle("9x9", seed=3, rating=(2399, 2400)),
}


@pytest.mark.skipif(os.name == "nt", reason="a process sends no signal to itself")
@pytest.mark.parametrize("name", LONG_CALLS)
def test_ctrl_c_ends_a_long_call(name: str, tmp_path: Any) -> None:
    engine = kalah.Engine(threads=2)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            LONG_CALLS[name](engine, str(tmp_path / "table"))
    finally:
        # A call that fails at once leaves no signal for another test.
        timer.cancel()
        timer.join()
    assert engine.analyse("3x3").margin == 2


def test_threads_share_an_engine_and_others_run_meanwhile() -> None:
    engine = kalah.Engine()
    reports: list[kalah.Report] = []
    threads = [
        threading.Thread(target=lambda: reports.append(engine.analyse("6x4", nodes=200_000)))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    # This thread has the lock of the interpreter while the searches run.
    counted = 0
    while any(thread.is_alive() for thread in threads):
        counted += 1
        time.sleep(0)
    assert counted > 0
    assert len(reports) == 3
    assert {report.position for report in reports} == {kalah.Position("6x4")}


def test_close_during_an_analysis_in_another_thread() -> None:
    engine = kalah.Engine()
    reports: list[kalah.Report] = []
    began = threading.Event()

    def analyse() -> None:
        reports.append(engine.analyse(HARD, time=0.6, progress=lambda _report: began.set()))

    thread = threading.Thread(target=analyse)
    thread.start()
    began.wait()
    engine.close()
    thread.join()
    assert len(reports) == 1
    assert engine.is_closed
    with pytest.raises(kalah.KalahError, match="the engine is closed"):
        engine.analyse("3x3")


def use_inherited_objects(
    engine: kalah.Engine, env: kalah.VectorEnv, table: kalah.Table, results: Any
) -> None:
    """Sends what the objects of the parent do in a forked process."""
    calls: list[Callable[[], object]] = [lambda: engine.analyse("3x3"), lambda: env.step([0])]
    for call in calls:
        try:
            call()
        except kalah.KalahError as error:
            results.put(str(error))
    results.put(table.probe("3x1"))
    results.put(kalah.solve("3x3", threads=2).margin)
    results.put(kalah.Table.build(3, 4, threads=2).seeds)
    with engine:
        results.put(repr(engine))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_objects_in_a_forked_process() -> None:
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    table = kalah.Table.build(3, 6)
    objects = (kalah.Engine(), kalah.VectorEnv(1, threads=2), table)
    process = context.Process(target=use_inherited_objects, args=(*objects, results))
    process.start()
    message = "this object belongs to another process: create one in each process"
    received = [results.get(timeout=600) for _ in range(6)]
    process.join()
    assert received == [
        *(message, message, table.probe("3x1"), 2, 4),
        "<Engine, of another process>",
    ]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: kalah.Engine(memory="x"), kalah.KalahError, "memory: `x` is not an amount"),
        (lambda: kalah.Engine(memory=5), kalah.KalahError, "memory: expected 1048576 to"),
        (lambda: kalah.Engine(memory=2.5), TypeError, "memory: expected int"),  # type: ignore[arg-type]
        (lambda: kalah.Engine(threads=0), kalah.KalahError, "threads: expected 1 to 256, not 0"),
        (lambda: kalah.Engine(tables=[3]), TypeError, "tables: expected Table"),  # type: ignore[list-item]
        (lambda: kalah.Engine().analyse("3x3", time=-1), kalah.KalahError, "time: expected"),
        (
            lambda: kalah.Engine().analyse("3x3", time=float("nan")),
            kalah.KalahError,
            "time: expected 0 to 1000000000 seconds, not NaN",
        ),
        (lambda: kalah.Engine().analyse("3x3", nodes=0), kalah.KalahError, "nodes: expected 1 to"),
        (lambda: kalah.Engine().analyse("3x3", goal="win"), kalah.KalahError, "goal: expected"),  # type: ignore[arg-type]
        (lambda: kalah.Engine().analyse("3x3", goal=5), TypeError, "goal: expected str, not int"),  # type: ignore[arg-type]
        (lambda: kalah.solve("3x3", moves=1), TypeError, "moves: expected bool, not int"),  # type: ignore[arg-type]
        (lambda: kalah.solve("3x3", rules=5), TypeError, "rules: expected Rules or str"),  # type: ignore[arg-type]
        (lambda: kalah.solve("3x3", progress=3), TypeError, "progress: expected bool"),  # type: ignore[arg-type]
        (lambda: kalah.puzzle(rating=(0, 9)), kalah.KalahError, "rating: expected 800 to 2400"),
        (
            lambda: kalah.puzzle(rating=(1600, 1200)),
            kalah.KalahError,
            "rating: expected the least rating before the greatest, not (1600, 1200)",
        ),
        (
            lambda: kalah.puzzle("1x1", seed=1),
            kalah.KalahError,
            "500 games in a row have no such puzzle",
        ),
    ],
)
def test_errors_name_the_argument(
    call: Callable[[], Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_memory_stays_level_over_many_engines() -> None:
    def create(count: int) -> None:
        for _ in range(count):
            kalah.Engine(memory="1MiB").analyse("2x2")

    create(200)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    create(2_000)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # An engine has a megabyte of tables at least: a leak would be gigabytes.
    assert after - before < 64 * 1024


def test_puzzle_has_themes_and_several_moves() -> None:
    puzzle = kalah.puzzle("4x3", seed=3, min_moves=2, theme="bonus-chain")
    assert "bonus-chain" in puzzle.themes
    assert puzzle.moves_to_find >= 2
    moves = puzzle.solution_moves
    assert (moves[0], len(moves) >= puzzle.moves_to_find) == (puzzle.solution, True)
    position = puzzle.position
    for move in moves:
        position = position.play(move)
    with pytest.raises(kalah.KalahError, match="theme: `fork` is no theme"):
        kalah.puzzle("4x3", theme="fork")  # type: ignore[arg-type]
    with pytest.raises(kalah.KalahError, match="min_moves: expected 1 to 255"):
        kalah.puzzle("4x3", min_moves=0)


def test_puzzle_has_one_solution() -> None:
    puzzle = kalah.puzzle("5x4", rules="standard", seed=4, min_depth=2)
    assert puzzle.depth >= 2
    values = {
        entry.move: (entry.bounds.lower > 0) - (entry.bounds.upper < 0)
        for entry in puzzle.report.moves
    }
    best = max(values.values())
    assert [move for move, value in values.items() if value == best] == [puzzle.solution]
    assert puzzle.result == {1: "win", 0: "tie"}[best]
