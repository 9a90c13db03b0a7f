"""Proofs on executors: process pools, MPI, and executors that fail in every way."""

import importlib.util
import math
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
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
from cluster.processes import (
    HANG_SECONDS,
    RULES,
    SMALL,
    START,
    assert_solved,
    jobs_in_store,
    start_python,
    wait_until,
)
from kalah import _kalah
from kalah.cluster import (
    ClusterError,
    DaskExecutor,
    PoolExecutor,
    ProofStatus,
    _executors,
    _jobs,
    _worker,
    prove,
)
from kalah.cluster.__main__ import main


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "test.proof"


@pytest.fixture(scope="module")
def pool() -> Iterator[PoolExecutor]:
    executor = PoolExecutor(2)
    yield executor
    executor.shutdown(wait=False)


def prove_inline(store: Path, executor: Executor | None = None, **options: Any) -> ProofStatus:
    options = {"jobs_in_flight": 1, **SMALL, **options}
    return prove(START, RULES, store, executor or InlineExecutor(), **options)


@pytest.mark.parametrize("rules", ["cs32", "standard", "empty-capture", "mankalah"])
@pytest.mark.parametrize("start", ["2x2", "3x2", "3x3", "4x2"])
def test_margins_are_those_of_one_process(
    start: str, rules: str, store: Path, pool: PoolExecutor
) -> None:
    assert_solved(prove(start, rules, store, pool, **SMALL), start)


def test_finished_game_needs_no_job(store: Path) -> None:
    position = kalah.Position("<2,5,3,0,0,0,0> s")
    status = prove(position, None, store, InlineExecutor(), moves=True, jobs_in_flight=1)
    assert (status.margin, status.jobs, status.moves) == (2, 0, ())


def test_proof_without_moves_can_be_extended(store: Path) -> None:
    first = prove_inline(store, moves=False)
    assert (first.margin, first.moves, first.is_finished) == (6, (), True)
    again = prove_inline(store, moves=False)
    assert (again.jobs, again.nodes) == (0, first.nodes)
    # The second call has read the answers of the first one.
    assert first.conditional_leaves == 0 < again.conditional_leaves
    assert_solved(prove_inline(store))


def test_guided_proof_needs_fewer_positions_and_an_existing_store_no_guide(
    store: Path, tmp_path: Path
) -> None:
    # Other memory gives a worker another engine, whose hash tables are empty.
    first = prove_inline(store, memory="8MiB")
    other = tmp_path / "other.proof"
    with pytest.raises(kalah.ProofError, match=r"'<4,.*' under standard, not '<3,.*' under "):
        prove("3x3", RULES, other, InlineExecutor(), guide=store, jobs_in_flight=1)
    with pytest.raises(TypeError, match=r"^guide: expected str, bytes or os.PathLike, not int$"):
        prove_inline(other, guide=3)
    assert not other.exists()
    second = prove_inline(other, guide=store, memory="9MiB")
    assert_solved(second)
    assert 0 < second.nodes < first.nodes
    store.write_text("no store")
    assert_solved(prove_inline(other, guide=store))


def test_interrupted_proof_goes_on_with_all_results(store: Path) -> None:
    interrupts = 0
    while True:
        before = jobs_in_store(store)
        try:
            status = prove_inline(store, InterruptedExecutor(30))
        except KeyboardInterrupt:
            interrupts += 1
            assert jobs_in_store(store) == before + 30
        else:
            break
    assert interrupts > 3
    assert_solved(status)


def test_killed_worker_breaks_a_pool_and_the_store_has_all_results(store: Path) -> None:
    pool = KilledPool(40)
    with pytest.raises(ClusterError, match="a new executor goes on from there"):
        prove(START, RULES, store, pool, **SMALL)
    pool.shutdown(wait=False)
    assert jobs_in_store(store) >= 30
    assert_solved(prove_inline(store))


def test_function_replaces_a_pool_whose_worker_is_killed(store: Path) -> None:
    pools: list[KilledPool] = []

    def create() -> Executor:
        pools.append(KilledPool(10**9 if pools else 40))
        return pools[-1]

    status = prove(START, RULES, store, create, **SMALL)
    assert len(pools) == 2
    assert status.repeated_jobs <= 2
    assert status.jobs == jobs_in_store(store)
    assert_solved(status)


def test_executor_that_is_shut_down_is_a_cluster_error(store: Path) -> None:
    pool = PoolExecutor(1)
    pool.shutdown()
    message = "the executor takes no more jobs (cannot schedule new futures after shutdown); "
    with pytest.raises(ClusterError, match=f"^{re.escape(message)}'{store}' has all finished jobs"):
        prove(START, RULES, store, pool, **SMALL)


def test_function_that_fails_after_a_broken_pool_is_a_cluster_error(store: Path) -> None:
    pools: list[Executor] = []

    def create() -> Executor:
        if pools:
            raise OSError("no route to host")
        pools.append(KilledPool(40))
        return pools[-1]

    with pytest.raises(
        ClusterError, match=r"no route to host; .* a new executor goes on from there"
    ):
        prove(START, RULES, store, create, **SMALL)
    with pytest.raises(OSError, match=r"^no route to host$"):
        prove(START, RULES, store, create, **SMALL)
    assert_solved(prove_inline(store))


#: A coordinator with a pool of forked processes, which have copies of its files.
FORKED = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
import kalah.cluster
executor = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork"))
kalah.cluster.prove("6x5", "standard", sys.argv[1], executor, memory="16MiB", job_nodes=1000)
"""


def test_killed_coordinator_leaves_neither_lock_nor_processes(store: Path) -> None:
    process = start_python("-W", "ignore", "-c", FORKED, str(store), stdout=subprocess.PIPE)
    wait_until(lambda: jobs_in_store(store) > 10)
    process.kill()
    # The processes of the pool have the output open until they end.
    process.communicate(timeout=HANG_SECONDS)
    jobs = jobs_in_store(store)
    coordinator = _kalah._ProofCoordinator(
        kalah.Position("6x5", "standard"), store=store, moves=False, job_nodes=1000
    )
    assert jobs_in_store(store) == jobs
    coordinator.close()


# The fork of a process with threads, which Python warns of, calls nothing that could wait for one.
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_process_does_not_keep_the_lock(store: Path) -> None:
    executor = ForkingExecutor()
    try:
        prove_inline(store, executor, moves=False)
        # The forked process still runs, and the store can be opened.
        assert_solved(prove_inline(store))
    finally:
        executor.end()


def test_second_coordinator_is_refused_with_the_name_of_the_first(store: Path) -> None:
    class Second(InlineExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            if self.calls == 5:
                with pytest.raises(kalah.ProofError, match=rf"in use by process {os.getpid()} on"):
                    prove_inline(store)
            return super().submit(fn, *args, **kwargs)

    assert_solved(prove_inline(store, Second()))


def change_result(**changes: Any) -> Callable[[Any], Any]:
    """Returns a function that changes the result in an answer."""

    def change(answer: Any) -> Any:
        kind, worker, result = answer
        changed = {name: function(result[name]) for name, function in changes.items()}
        return kind, worker, result | changed

    return change


def numbers(proof: float, disproof: float) -> Callable[[Any], Any]:
    """Returns a function that replaces the numbers of the first move."""
    return lambda children: [{**children[0], "proof": proof, "disproof": disproof}, *children[1:]]


def move(text: str) -> Callable[[Any], Any]:
    """Returns a function that replaces the first move."""
    return lambda children: [{**children[0], "move": text}, *children[1:]]


WRONG: list[tuple[Callable[[Any], Any], str]] = [
    (change_result(children=lambda children: children[1:]), "expected the moves A, B, C, D"),
    (change_result(children=lambda _: []), "not none"),
    (change_result(children=lambda children: children[::-1]), "not D, C, B, A"),
    (change_result(children=lambda children: [*children, children[0]]), "not A, B, C, D, A"),
    (change_result(children=move("a")), "turn|North"),
    (change_result(children=move("x!")), "invalid move"),
    (change_result(children=numbers(math.nan, 1.0)), "the numbers NaN and 1 of the move A"),
    (change_result(children=numbers(-1.0, 1.0)), "the numbers -1 and 1 of the move A"),
    (change_result(children=numbers(0.0, 0.0)), "the numbers 0 and 0 of the move A"),
    (change_result(children=lambda _: None), "refused"),
    (change_result(answer=lambda _: "yes"), "refused"),
    (change_result(answer=lambda _: False), "contradicts"),
    (change_result(nodes=lambda _: -1), "refused"),
    (change_result(nodes=lambda _: 10**9), "at most"),
    (change_result(entries=lambda _: b"x"), "1 bytes of shared entries, expected a multiple of 27"),
    (change_result(entries=lambda _: b"\2" * 27), "shared entry 1 is invalid"),
    (change_result(entries=lambda _: bytes(27 * 257)), "257 shared entries, expected at most 256"),
    (change_result(entries=lambda _: None), "refused"),
    (lambda answer: (*answer[:2], None), "refused"),
]


@pytest.mark.parametrize(("answer", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_results_are_refused_and_not_stored(
    answer: Callable[[Any], Any], message: str, store: Path
) -> None:
    # The first job has an answer, and its proof numbers prove it.
    with pytest.raises(kalah.ProofError, match=message) as caught:
        prove_inline(store, InlineExecutor(answer), job_nodes=10_000)
    assert str(caught.value).startswith(f"process {os.getpid()} on ")
    assert "the result of job 0 is refused: " in str(caught.value)
    assert jobs_in_store(store) == 0
    assert_solved(prove_inline(store))


class RecordingExecutor(InlineExecutor):
    """Keeps the jobs, and gives the answers to them the names of some processes in turn."""

    def __init__(self, processes: int) -> None:
        super().__init__(lambda answer: (answer[0], f"process {self.calls % processes}", answer[2]))
        self.jobs: list[dict[str, Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs a call and returns its answer."""
        self.jobs.append(args[2])
        return super().submit(fn, *args, **kwargs)


def test_processes_get_the_entries_of_others(tmp_path: Path) -> None:
    def entries(processes: int, memory: str) -> list[int]:
        executor = RecordingExecutor(processes)
        path = tmp_path / f"{processes}.proof"
        # Other memory gives a worker another engine, whose hash tables are empty.
        prove("5x4", RULES, path, executor, jobs_in_flight=2, memory=memory)
        return [len(job["entries"]) for job in executor.jobs]

    assert set(entries(1, "10MiB")) == {0}
    sizes = entries(2, "11MiB")
    assert sizes[0] == 0 < max(sizes)
    # The jobs after those that both have been given do not repeat them.
    assert sum(size > 0 for size in sizes) < len(sizes)


def test_jobs_become_larger_while_the_coordinator_is_busy(tmp_path: Path) -> None:
    # It does each job itself.
    executor = RecordingExecutor(1)
    options: dict[str, Any] = {"jobs_in_flight": 64, "job_nodes": 1000, "memory": "12MiB"}
    prove("5x3", RULES, tmp_path / "busy.proof", executor, **options)
    # Without a load, one of 64 jobs has at most 1000 * 64 / 128 nodes.
    assert max(job["max_nodes"] for job in executor.jobs[1:]) > 500


def test_other_version_is_refused_with_both_versions(store: Path) -> None:
    class Old(InlineExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            return super().submit(fn, "0.0.1", *args[1:], **kwargs)

    with pytest.raises(ClusterError) as caught:
        prove_inline(store, Old())
    assert f"has version {_worker.VERSION} of" in str(caught.value)
    assert "has version 0.0.1:" in str(caught.value)
    assert jobs_in_store(store) == 0


def test_job_without_an_answer_is_handed_out_again_and_counted_once(store: Path) -> None:
    class Late(InlineExecutor):
        """Answers the first job when it is handed out again, and again with the next job."""

        def __init__(self) -> None:
            super().__init__()
            self.pending: list[Future[Any]] = [Future(), Future()]
            self.answers: list[Future[Any]] = []
            self.jobs: list[int] = []

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            self.jobs.append(args[2]["number"])
            if self.calls in (2, 3):
                self.pending[self.calls - 2].set_result(self.answers[self.calls - 2].result())
            if self.calls > 2:
                return future
            self.answers.append(future)
            self.pending[self.calls - 1].set_running_or_notify_cancel()
            return self.pending[self.calls - 1]

    executor = Late()
    status = prove_inline(store, executor, lease=0)
    assert executor.jobs[:3] == [0, 0, 1]
    assert status.repeated_jobs == 1
    assert status.jobs == executor.calls - 1 == jobs_in_store(store)
    assert_solved(status)


def test_error_of_a_worker_names_it(store: Path) -> None:
    class Failing(InlineExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            if self.calls > 3:
                future = Future()
                future.set_exception(MemoryError("too little"))
            return future

    with pytest.raises(ClusterError, match="MemoryError: too little"):
        prove_inline(store, Failing())
    assert jobs_in_store(store) == 3


def test_jobs_in_flight_are_known_or_asked_for(store: Path) -> None:
    with pytest.raises(kalah.KalahError, match="jobs_in_flight: InlineExecutor does not tell"):
        prove(START, RULES, store, InlineExecutor(), **SMALL)
    with ThreadPoolExecutor(3) as executor:
        assert_solved(prove(START, RULES, store, executor, **SMALL))


def test_tables_of_a_worker_are_checked(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "4.table"
    kalah.Table.build(4, 10, rules=RULES, path=path)
    assert_solved(prove_inline(store, tables=path))
    store.unlink()
    with pytest.raises(ClusterError, match=re.escape(f"'{tmp_path / 'none'}'")):
        prove_inline(store, tables=[path, tmp_path / "none"])
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    damaged = tmp_path / "damaged.table"
    damaged.write_bytes(content)
    with pytest.raises(ClusterError, match=re.escape(f"'{damaged}'")):
        prove_inline(store, tables=damaged)
    other = tmp_path / "other.table"
    kalah.Table.build(3, 4, rules=RULES, path=other)
    with pytest.raises(ClusterError, match="has no positions of"):
        prove_inline(store, tables=other)
    assert jobs_in_store(store) == 0


def test_stores_of_another_proof_or_version_and_damaged_ones_are_refused(store: Path) -> None:
    prove_inline(store)
    with pytest.raises(kalah.ProofError, match=r"under standard, not .* under cs32"):
        prove(START, "cs32", store, InlineExecutor(), jobs_in_flight=1)
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE goals SET target = target + 1 WHERE id = 3")
    connection.close()
    with pytest.raises(kalah.ProofError, match="is damaged: the goal"):
        prove_inline(store)
    with sqlite3.connect(store) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(kalah.ProofError, match="version 9, and this program reads version 1"):
        prove_inline(store)
    store.write_text("no store")
    with pytest.raises(kalah.ProofError, match="is not a proof store"):
        prove_inline(store)


def test_folder_that_cannot_be_written_is_an_os_error() -> None:
    with pytest.raises(OSError, match=re.escape("/proc/self/test.proof")):
        prove_inline(Path("/proc/self/test.proof"))


#: A coordinator whose files can have 100,000 bytes only.
FULL_DISK = """
import resource, sys
from concurrent.futures import ThreadPoolExecutor
import kalah.cluster
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
kalah.cluster.prove(
    "5x4", "standard", sys.argv[1], ThreadPoolExecutor(2), moves=True, memory="16MiB", job_nodes=50
)
"""


def test_full_disk_is_an_error_and_the_store_goes_on(store: Path) -> None:
    process = start_python("-c", FULL_DISK, str(store), stderr=subprocess.PIPE)
    _, errors = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 1
    assert f"kalah.ProofError: cannot use '{store}': " in errors
    jobs = jobs_in_store(store)
    assert jobs > 0
    coordinator = _kalah._ProofCoordinator(
        kalah.Position("5x4", "standard"), store=store, moves=True, job_nodes=50
    )
    coordinator.close()
    assert jobs_in_store(store) == jobs


def test_lost_workers_end_a_proof_that_makes_no_progress(store: Path) -> None:
    class Losing(InlineExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ARG002
            self.calls += 1
            future: Future[Any] = Future()
            future.cancel()
            return future

    with pytest.raises(ClusterError, match=r"the workers of .* jobs were lost one after another"):
        prove_inline(store, Losing())


def test_losses_are_compared_with_the_workers_before_them(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_jobs, "POLL_SECONDS", 0)

    class Shrinking(InlineExecutor):
        """Loses the jobs of ten workers, of which one remains, and its next job."""

        @property
        def num_workers(self) -> int:
            return 10 if self.calls < 10 else 1

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            if self.calls <= 11:
                future = Future()
                future.cancel()
            return future

    status = prove(START, RULES, store, Shrinking(), **SMALL)
    assert status.repeated_jobs == 11
    assert_solved(status)


def test_progress_is_reported_and_its_exception_raised(store: Path) -> None:
    states: list[ProofStatus] = []
    status = prove_inline(store, progress=states.append)
    assert all(state.nodes <= status.nodes for state in states)
    assert states
    assert states[0].goal is not None or states[0].is_finished

    def fail(_status: ProofStatus) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        prove(
            "4x3",
            "cs32",
            store.with_name("other"),
            InlineExecutor(),
            jobs_in_flight=1,
            progress=fail,
        )


@pytest.mark.parametrize(
    "options",
    [
        {"lease": -1},
        {"jobs_in_flight": 0},
        {"threads": 0},
        {"job_nodes": 0},
        {"memory": "much"},
    ],
    ids=str,
)
def test_invalid_options_are_named(options: dict[str, Any], store: Path) -> None:
    with pytest.raises(kalah.KalahError, match=next(iter(options))):
        prove_inline(store, **options)


def test_executor_of_another_type_is_named(store: Path) -> None:
    wrong: list[tuple[Any, str]] = [
        (None, "executor: expected Executor or a function that returns one, not NoneType"),
        (lambda: None, "the result of executor: expected Executor, not NoneType"),
    ]
    for executor, message in wrong:
        with pytest.raises(TypeError, match=f"^{message}$"):
            prove(START, RULES, store, executor, **SMALL)


def test_missing_scheduler_file_is_named(store: Path) -> None:
    pytest.importorskip("distributed")
    name = str(store.with_suffix(".json"))
    with pytest.raises(FileNotFoundError, match=f"there is no scheduler file '{re.escape(name)}'"):
        DaskExecutor(name, timeout=0)


def test_scheduler_of_another_type_is_named() -> None:
    pytest.importorskip("distributed")
    message = "scheduler: expected str or distributed.Client, not int"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        DaskExecutor(8786)


@pytest.mark.parametrize("address", ["pluto", "", "tcp://", "tcp://pluto", "foo://pluto:1", "[::"])
def test_text_that_is_no_address_is_refused(
    store: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed")
    message = f"scheduler: expected `tcp://HOST:PORT` or `NAME.json`, not `{address}`"
    with pytest.raises(kalah.KalahError, match=f"^{re.escape(message)}$"):
        DaskExecutor(address)
    with pytest.raises(SystemExit) as caught:
        main(["prove", START, "--store", str(store), "--scheduler", address])
    assert caught.value.code == 2
    assert capsys.readouterr().err.endswith(f"error: {message}\n")


def test_proof_of_all_moves_goes_on_with_all_moves(store: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        prove_inline(store, InterruptedExecutor(30))
    moves: set[bool] = set()

    class Recording(InlineExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            moves.add(_worker.Settings(*args[1]).moves)
            return super().submit(fn, *args, **kwargs)

    assert_solved(prove_inline(store, Recording(), moves=False))
    assert moves == {True}


@pytest.mark.parametrize("tables", [3, b"x", ["a.table", 3], [b"x"]], ids=str)
def test_tables_of_another_type_are_named(store: Path, tables: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^tables: expected str, os.PathLike or an iterable of them"
    ):
        prove_inline(store, tables=tables)


@pytest.mark.skipif(sys.platform == "win32", reason="needs pipes and devices of Unix")
def test_command_reports_a_closed_pipe_or_full_device_like_kalah(store: Path) -> None:
    arguments = ["-m", "kalah.cluster", "prove", "3x2", "--store", str(store), "--processes", "1"]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as closed, Path("/dev/full").open("w") as full:
        for output, code, error in [
            (closed, 0, ""),
            (full, 1, "error: [Errno 28] No space left on device\n"),
        ]:
            process = start_python(*arguments, "--quiet", stdout=output, stderr=subprocess.PIPE)
            _, message = process.communicate(timeout=HANG_SECONDS)
            assert (process.returncode, message) == (code, error)


def test_command_proves_and_goes_on(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["prove", START, "--rules", RULES, "--store", str(store), "--processes", "2"]
    assert main([*arguments, "--moves", "--memory", "16MiB", "--job-nodes", "500"]) == 0
    output = capsys.readouterr().out.splitlines()
    assert output[:3] == ["South to move: +6 exact", "B: +6 exact *", "C: +2 exact"]
    assert re.fullmatch(
        r"[\d,]+ positions; goals: \d+ of \d+ solved; jobs of this run: \d+, 0 repeated", output[6]
    )
    assert output[5].startswith("Line: B")
    assert main([*arguments, "--guide", str(store)]) == 0
    printed, errors = capsys.readouterr()
    assert "; jobs of this run: 0, 0 repeated\n" in printed
    lines = printed.splitlines()
    assert re.fullmatch(r"South to move: \+6, conditional on \d+ leaves", lines[0])
    assert lines[1:3] == ["B: +6, conditional *", "C: +2, conditional"]
    assert "exact" not in printed
    assert errors.startswith(f"warning: '{store}' exists and goes on without the guide\n")


def test_command_reports_errors_with_exit_codes(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.write_text("no store")
    arguments = ["prove", START, "--store", str(store), "--processes", "1"]
    assert main(arguments) == 1
    assert capsys.readouterr().err == f"error: '{store}' is not a proof store\n"
    for wrong in (
        ["prove", "4y3", *arguments[2:]],
        arguments[:4],
        [*arguments, "--jobs-in-flight", "0"],
    ):
        with pytest.raises(SystemExit) as caught:
            main(wrong)
        assert caught.value.code == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_the_command_with_its_exit_code(number: signal.Signals, store: Path) -> None:
    arguments = ["prove", "6x5", "--store", str(store), "--processes", "2", "--job-nodes", "1000"]
    process = start_python(
        *("-m", "kalah.cluster", *arguments, "--memory", "16MiB"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_until(lambda: jobs_in_store(store) > 3)
    process.send_signal(number)
    output, errors = process.communicate(timeout=HANG_SECONDS)
    message = f"error: interrupted: '{store}' has all results so far, and the same command goes on"
    assert process.returncode == 128 + number
    assert output == ""
    assert errors == "" if number == signal.SIGHUP else errors.startswith(message)


def test_signals_wait_for_the_start_of_a_process() -> None:
    events = []
    # This thread does not block the signal.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(len, "").result()

        def start() -> None:
            with _executors._delayed_signals():
                thread.submit(signal.raise_signal, signal.SIGINT).result()
                events.append("started")

        with pytest.raises(KeyboardInterrupt):
            start()
    assert events == ["started"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("seconds", [0, 0.05, 0.1, 0.2, 0.4])
def test_ctrl_c_during_the_start_of_processes_has_one_message(seconds: float, store: Path) -> None:
    arguments = ["prove", "6x5", "--store", str(store), "--processes", "4", "--job-nodes", "1000"]
    process = start_python(
        *("-m", "kalah.cluster", *arguments, "--memory", "16MiB"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_until(store.exists)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 128 + signal.SIGINT
    assert output == ""
    assert errors.startswith("error: interrupted: ")
    assert errors.count("\n") == 1, errors


def test_mpi_proves_a_margin(store: Path) -> None:
    missing = [name for name in ("mpirun",) if shutil.which(name) is None]
    missing += [name for name in ("mpi4py",) if importlib.util.find_spec(name) is None]
    if missing and "CI" not in os.environ:
        pytest.skip(f"{' and '.join(missing)} not found")
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "4"]
    python = [sys.executable, "-m", "mpi4py.futures", "-m", "kalah.cluster"]
    arguments = ["prove", "5x4", "--rules", RULES, "--store", str(store), "--mpi"]
    result = subprocess.run(
        [*mpirun, *python, *arguments, "--memory", "32MiB"],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("South to move: +10 exact\n")


def test_process_of_a_pool_can_be_stopped_for_longer_than_its_lease(store: Path) -> None:
    class Stopping(PoolExecutor):
        calls = 0

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            self.calls += 1
            future = super().submit(fn, *args, **kwargs)
            if self.calls == 20:
                process = next(iter(self._processes))
                os.kill(process, signal.SIGSTOP)
                # It may hold the lock of the pool's queue, which blocks all other processes.
                threading.Timer(2, os.kill, [process, signal.SIGCONT]).start()
            return future

    executor = Stopping(3)
    status = prove(START, RULES, store, executor, **SMALL, lease=0.5)
    executor.shutdown()
    assert_solved(status)
    assert status.jobs == jobs_in_store(store)
