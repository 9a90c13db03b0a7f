"""Builds of books on executors."""

import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

import kalah
from cluster.executors import ForkingExecutor, InlineExecutor, InterruptedExecutor, KilledPool
from kalah.cluster import BookStatus, ClusterError, PoolExecutor, build_book
from kalah.cluster.__main__ import main

#: A book with some ten jobs.
START, PLIES = "4x3", 3


@pytest.fixture(scope="module")
def pool() -> Iterator[PoolExecutor]:
    executor = PoolExecutor(2)
    yield executor
    executor.shutdown(wait=False)


@pytest.fixture
def build(tmp_path: Path) -> Callable[..., BookStatus]:
    """A function that builds a small book in a folder of the test."""

    def build(executor: Executor | Callable[[], Executor], **options: Any) -> BookStatus:
        options = {"plies": PLIES, "memory": "16MiB", **options}
        if isinstance(executor, InlineExecutor):
            options.setdefault("jobs_in_flight", 1)
        start, rules = options.pop("start", START), options.pop("rules", "standard")
        store = options.pop("store", tmp_path / "test.build")
        out = options.pop("out", tmp_path / "test.book")
        return build_book(start, rules, store, out, executor, **options)

    return build


@pytest.mark.parametrize("rules", ["cs32", "standard", "empty-capture", "mankalah"])
def test_books_do_not_depend_on_the_executor(
    rules: str, build: Callable[..., BookStatus], pool: PoolExecutor, tmp_path: Path
) -> None:
    status = build(pool, rules=rules)
    assert status.margin == kalah.solve(START, rules).margin
    assert (status.known_leaves, status.jobs_in_flight) == (status.leaves, 0)
    inline = build(
        InlineExecutor(), rules=rules, store=tmp_path / "2.build", out=tmp_path / "2.book"
    )
    assert (inline.positions, inline.margin) == (status.positions, status.margin)
    assert (tmp_path / "2.book").read_bytes() == (tmp_path / "test.book").read_bytes()


def test_interrupted_build_goes_on_with_all_results(
    build: Callable[..., BookStatus], tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        build(InterruptedExecutor(4))
    assert not (tmp_path / "test.book").exists()
    status = build(InlineExecutor())
    assert status.jobs == -(-(status.leaves - 4 * 8) // 8)
    again = build(InlineExecutor())
    assert (again.jobs, again.margin, again.positions) == (0, status.margin, status.positions)


def test_function_replaces_a_pool_whose_worker_is_killed(
    build: Callable[..., BookStatus],
) -> None:
    pools: list[KilledPool] = []

    def create() -> Executor:
        pools.append(KilledPool(10**9 if pools else 4))
        return pools[-1]

    assert build(create, job_leaves=2).margin == 6
    assert len(pools) == 2


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_process_does_not_keep_the_lock(build: Callable[..., BookStatus]) -> None:
    executor = ForkingExecutor()
    try:
        build(executor)
        # The forked process still runs, and the store can be opened.
        build(InlineExecutor())
    finally:
        executor.end()


WRONG: list[tuple[Callable[[list[int]], Any], str]] = [
    (lambda gains: gains[1:], "expected 8 gains, not 7"),
    (lambda gains: [gains[0] + 1, *gains[1:]], "leaf 0 cannot gain "),
    (lambda gains: [100, *gains[1:]], "leaf 0 cannot gain 100: it has "),
    (lambda gains: [10**20, *gains[1:]], "refused"),
    (lambda _: None, "refused"),
    (lambda _: "gains", "refused"),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_results_are_refused_and_not_stored(
    change: Callable[[list[int]], Any],
    message: str,
    build: Callable[..., BookStatus],
    tmp_path: Path,
) -> None:
    def answer(answer: Any) -> Any:
        kind, worker, gains = answer
        return kind, worker, change(gains)

    with pytest.raises(kalah.BookError, match=message) as caught:
        build(InlineExecutor(answer))
    assert str(caught.value).startswith(f"process {os.getpid()} on ")
    assert "the result of job 0 is refused: " in str(caught.value)
    assert (tmp_path / "test.build").read_text().count("\n") == 1


def test_stores_of_other_books_and_wrong_arguments_are_refused(
    build: Callable[..., BookStatus], tmp_path: Path
) -> None:
    build(InlineExecutor())
    inline = InlineExecutor()
    other = tmp_path / "other.book"
    refused: list[tuple[dict[str, Any], str]] = [
        ({"plies": 2}, "already exists and is not this book"),
        ({"plies": 2, "out": other}, "cannot resume from .*plies=3`, not of .*plies=2`"),
        ({"out": tmp_path / "test.build"}, "is the store: the book needs another file"),
        ({"out": tmp_path}, "is a folder, not a file"),
        ({"out": tmp_path / "none" / "test.book"}, "there is no folder"),
        ({"rules": "mankalah", "plies": 1, "out": other}, "needs more than 1 ply"),
    ]
    for options, message in refused:
        with pytest.raises(kalah.BookError, match=message):
            build(inline, **options)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"plies": 100}, "plies: expected 0 to 99, not 100"),
        ({"job_leaves": 0}, "job_leaves: expected 1 to 1000000, not 0"),
        ({"start": "<3,0,0,3,3,3,3,3,1> s"}, "start: expected a start such as 6x4"),
    ]
    for options, message in wrong:
        with pytest.raises(kalah.KalahError, match=re.escape(message)):
            build(inline, **options)
    assert inline.calls == 0
    store = tmp_path / "test.build"
    store.write_text("no store\n")
    with pytest.raises(kalah.BookError, match="the first line is not that of a build of a book"):
        build(inline)
    with pytest.raises(ClusterError, match=re.escape(f"'{tmp_path / 'none'}'")):
        build(inline, store=tmp_path / "3.build", tables=tmp_path / "none")


def test_command_builds_a_book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, out = tmp_path / "3x2.build", tmp_path / "3x2.book"
    arguments = ["book", "3x2", "--rules", "standard", "--plies", "2", "--processes", "1"]
    assert main([*arguments, "--store", str(store), "--out", str(out), "--quiet"]) == 0
    output = capsys.readouterr().out
    margin = kalah.solve("3x2", "standard").margin
    assert output.startswith(f"'{out}' is complete: ")
    assert output.endswith(f"leaves; the margin of the start is {margin:+}\n")
    assert main([*arguments, "--store", str(store), "--out", str(store), "--quiet"]) == 1
    assert "is the store: the book needs another file" in capsys.readouterr().err
