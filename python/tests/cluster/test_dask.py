"""Proofs and tournaments on a Dask cluster whose processes are killed and stopped."""

import asyncio
import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import kalah
from cluster.processes import (
    ALL_TESTS,
    HANG_SECONDS,
    RULES,
    SMALL,
    START,
    assert_solved,
    is_ended,
    is_running,
    jobs_in_store,
    start_python,
    wait_until,
)
from kalah.cluster import (
    ClusterError,
    DaskExecutor,
    ProofStatus,
    _jobs,
    _worker,
    prove,
    tournament,
)
from optional import require

Client: Any = require("distributed").Client

#: The number of workers that are killed.
KILLS = 200 if ALL_TESTS else 6

#: The rounds of a tournament, in which a tenth as many workers are killed.
ROUNDS = 200 if ALL_TESTS else 30

#: The workers of a cluster, each with one thread.
WORKERS = 4

#: A module that workers load: each search adds a line to the file of the cluster.
LOGGING = """
from kalah.cluster import _worker

def log_and_search(version, settings, job, search=_worker.search):
    with open({log!r}, "a") as log:
        log.write(f"{{job['number']}}\\n")
    return search(version, settings, job)

# Dask loads the module more than once.
if _worker.search.__name__ == "search":
    _worker.search = log_and_search
"""

#: A program that starts a scheduler or a worker for each line of arguments. These processes are
#: copies of this one, which has imported Dask: that takes a tenth of the time of a new process.
STARTER = """
import json, os, signal, sys
import kalah.cluster._worker
from distributed.cli import dask_scheduler, dask_worker

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    program, *arguments = json.loads(line)
    process = os.fork()
    if process == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        {"scheduler": dask_scheduler, "worker": dask_worker}[program].main(arguments)
    print(process, flush=True)
"""

#: A module that makes a worker one of another version.
OTHER_VERSION = """
from kalah.cluster import _worker

_worker.VERSION = "0.0.1"
"""


class Starter:
    """Starts the processes of clusters."""

    def __init__(self, folder: Path) -> None:
        with (folder / "log").open("a") as log:
            self.process = start_python(
                *("-c", STARTER),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
            )

    def start(self, *arguments: str) -> int:
        """Starts a program of Dask, and returns the number of its process."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(arguments) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


def free_port() -> int:
    """Returns a free port that no outgoing connection gets while a scheduler is restarted.

    Linux gives those from 32768 on to outgoing connections.
    """
    for port in random.sample(range(20_000, 32_000), 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no port is free")


class Cluster:
    """A scheduler and workers."""

    def __init__(
        self, starter: Starter, folder: Path, workers: int, preload: str = LOGGING
    ) -> None:
        self.starter = starter
        self.folder = folder
        self.searches = folder / "searches"
        self.preload = folder / "preload.py"
        self.preload.write_text(preload.format(log=str(self.searches)))
        self.workers: list[int] = []
        self.file = folder / "scheduler.json"
        self.scheduler = self.start_scheduler(free_port())
        self.start_workers(workers)

    def start_scheduler(self, port: int) -> int:
        """Starts the scheduler on a port, and waits until it has its address."""
        self.file.unlink(missing_ok=True)
        options = ["--host", "127.0.0.1", "--port", str(port), "--dashboard-address", "127.0.0.1:0"]
        scheduler = self.starter.start("scheduler", *options, "--scheduler-file", str(self.file))
        wait_until(lambda: self.file.exists() and self.file.read_text().endswith("}"))
        self.address = str(json.loads(self.file.read_text())["address"])
        return scheduler

    def start_workers(self, number: int) -> None:
        """Starts workers, which connect by and by."""
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
        options += ["--preload", str(self.preload), "--local-directory", str(self.folder)]
        for _ in range(number):
            self.workers.append(self.starter.start("worker", self.address, *options))

    def kill_worker(self) -> None:
        """Kills a worker and starts another one."""
        worker = self.workers.pop(random.randrange(len(self.workers)))
        os.kill(worker, signal.SIGKILL)
        self.start_workers(1)

    def restart_scheduler(self) -> None:
        """Kills the scheduler, which ends its workers, and starts all again."""
        port = int(self.address.rpartition(":")[2])
        number = len(self.workers)
        self.close()
        self.scheduler = self.start_scheduler(port)
        self.start_workers(number)

    def close(self) -> None:
        """Kills all processes."""
        for process in [self.scheduler, *self.workers]:
            if is_running(process):
                os.kill(process, signal.SIGKILL)
        for process in [self.scheduler, *self.workers]:
            wait_until(partial(is_ended, process))
        self.workers = []

    def count_searches(self) -> int:
        """Returns the number of searches that the workers have begun."""
        return len(self.searches.read_text().splitlines()) if self.searches.exists() else 0


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starter]:
    starter = Starter(tmp_path_factory.mktemp("starter"))
    yield starter
    starter.process.kill()
    starter.process.communicate()


@pytest.fixture(scope="module")
def cluster(starter: Starter, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(starter, tmp_path_factory.mktemp("cluster"), WORKERS)
    yield cluster
    cluster.close()


@pytest.fixture
def executor(cluster: Cluster) -> Iterator[DaskExecutor]:
    executor = DaskExecutor(cluster.address, timeout=HANG_SECONDS)
    yield executor
    executor.shutdown(wait=False)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "test.proof"


class Interfering:
    """Calls a function at some of the states of a proof, with new results each time."""

    def __init__(self, interfere: Callable[[], Any], times: int) -> None:
        self.interfere = interfere
        self.times = times
        self.jobs = 0

    def __call__(self, status: ProofStatus) -> None:
        """Interferes if there are new results."""
        if self.times and status.jobs not in (0, self.jobs):
            self.times -= 1
            self.jobs = status.jobs
            self.interfere()


def test_killed_workers_cost_only_their_jobs(
    cluster: Cluster, executor: DaskExecutor, tmp_path: Path
) -> None:
    interfering = Interfering(cluster.kill_worker, KILLS)
    proofs = 0
    while interfering.times:
        before, kills_before = cluster.count_searches(), interfering.times
        store = tmp_path / f"{proofs}.proof"
        status = prove(START, RULES, store, executor, **SMALL, progress=interfering)
        assert_solved(status)
        assert status.jobs == jobs_in_store(store)
        # At most the jobs in flight are repeated: those of a kill, and those of the end, whose
        # results are of no use.
        kills = kills_before - interfering.times
        assert cluster.count_searches() - before <= status.jobs + (kills + 1) * WORKERS
        proofs += 1


class KillingExecutor(DaskExecutor):
    """Kills a worker at every tenth call."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster.address, timeout=HANG_SECONDS)
        self.cluster = cluster
        self.calls = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submits a call."""
        future = super().submit(fn, *args, **kwargs)
        self.calls += 1
        if self.calls % 10 == 0:
            self.cluster.kill_worker()
        return future


def test_killed_workers_change_no_game_of_a_tournament(
    cluster: Cluster, executor: DaskExecutor, tmp_path: Path
) -> None:
    killing = KillingExecutor(cluster)
    games = []
    for number, used in enumerate([killing, executor]):
        folder = tmp_path / str(number)
        options: dict[str, Any] = {"start": START, "rules": RULES, "rounds": ROUNDS}
        status = tournament(["smart", "random"], folder, used, **options, time="nodes=2000")
        assert status.is_finished
        assert (status.jobs, status.games) == (ROUNDS, 2 * ROUNDS)
        lines = (folder / "games.jsonl").read_text().splitlines()
        played = {game["game"]: game["moves"] for game in map(json.loads, lines)}
        assert len(played) == len(lines) == status.games
        games.append(played)
    killing.shutdown(wait=False)
    assert killing.calls >= ROUNDS
    assert games[0] == games[1]


def lose_results_after_their_transfer(client: Client) -> None:
    """Makes each result of a client count as lost as soon as the client has it."""
    gather = client._gather

    async def gather_and_lose(futures: list[Any], **options: Any) -> Any:
        results = await gather(futures, **options)
        for future in futures:
            future._state.lose()
        return results

    client._gather = gather_and_lose


@pytest.mark.parametrize("executor_of", [DaskExecutor, Client.get_executor])
def test_worker_is_lost_after_the_transfer_of_its_result(
    cluster: Cluster, store: Path, executor_of: Callable[[Client], Executor]
) -> None:
    with Client(cluster.address, timeout=HANG_SECONDS, set_as_default=False) as client:
        lose_results_after_their_transfer(client)
        status = prove(START, RULES, store, executor_of(client), **SMALL)
        assert client.status == "running"
    assert_solved(status)
    assert status.jobs == jobs_in_store(store)
    assert status.repeated_jobs == 0


def test_result_that_cannot_be_fetched_counts_as_lost(cluster: Cluster, store: Path) -> None:
    with Client(cluster.address, timeout=HANG_SECONDS, set_as_default=False) as client:
        gather, failures = client._gather, [OSError("no route to host"), ValueError("a bad frame")]

        async def fail_twice(futures: list[Any], **options: Any) -> Any:
            if failures:
                raise failures.pop()
            return await gather(futures, **options)

        client._gather = fail_twice
        status = prove(START, RULES, store, DaskExecutor(client), **SMALL)
    assert_solved(status)
    assert status.repeated_jobs == 2


def test_cancelled_call_cancels_no_other(cluster: Cluster) -> None:
    with Client(cluster.address, timeout=HANG_SECONDS, set_as_default=False) as client:
        executor = DaskExecutor(client)
        gather, requested, cancelled = client._gather_remote, Event(), Event()

        async def gather_after_the_cancellation(*arguments: Any) -> Any:
            requested.set()
            await asyncio.to_thread(cancelled.wait, HANG_SECONDS)
            return await gather(*arguments)

        client._gather_remote = gather_after_the_cancellation
        first = executor.submit(pow, 2, 5)
        assert requested.wait(HANG_SECONDS)
        second = executor.submit(pow, 3, 4)
        wait_until(lambda: len(client._gather_keys) == 2)
        first.cancel()
        cancelled.set()
        assert second.result(HANG_SECONDS) == 81
        assert executor.submit(pow, 2, 3).result(HANG_SECONDS) == 8


def test_executor_of_a_client_leaves_it_open(cluster: Cluster) -> None:
    with Client(cluster.address, timeout=HANG_SECONDS, set_as_default=False) as client:
        executor = DaskExecutor(client)
        assert executor.submit(pow, 2, 5).result(HANG_SECONDS) == 32
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 1, 0).result(HANG_SECONDS)
        last = executor.submit(pow, 3, 4)
        executor.shutdown()
        assert last.result(0) == 81
        assert client.status == "running"
        with pytest.raises(RuntimeError, match="cannot schedule new futures after shutdown"):
            executor.submit(pow, 2, 5)


def test_executor_for_some_workers_needs_the_number_of_jobs(cluster: Cluster, store: Path) -> None:
    executor = DaskExecutor(cluster.address, timeout=HANG_SECONDS, resources={"memory": 0})
    try:
        with pytest.raises(kalah.KalahError, match="jobs_in_flight: DaskExecutor does not tell"):
            prove(START, RULES, store, executor, **SMALL)
    finally:
        executor.shutdown(wait=False)


def test_client_that_closes_meanwhile_ends_the_call(cluster: Cluster, store: Path) -> None:
    with Client(cluster.address, timeout=HANG_SECONDS, set_as_default=False) as client:

        def close_and_fail() -> Any:
            client.close()
            raise AttributeError("'NoneType' object has no attribute 'ncores'")

        client.nthreads = close_and_fail
        with pytest.raises(ClusterError, match="the connection to the scheduler is lost"):
            prove(START, RULES, store, DaskExecutor(client), **SMALL)


@pytest.fixture
def frequent_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls functions for progress after each result, also on a busy machine."""
    monkeypatch.setattr(_jobs, "PROGRESS_SECONDS", 0)
    monkeypatch.setattr(_jobs, "PROGRESS_COST_FACTOR", 0)


@pytest.mark.usefixtures("frequent_progress")
def test_stopped_worker_delays_no_other(
    cluster: Cluster, executor: DaskExecutor, store: Path
) -> None:
    stopped = cluster.workers[0]
    stop = Interfering(lambda: os.kill(stopped, signal.SIGSTOP), 1)
    try:
        status = prove(START, RULES, store, executor, **SMALL, lease=1, progress=stop)
        assert stop.times == 0
        assert is_running(stopped)
    finally:
        os.kill(stopped, signal.SIGCONT)
    assert_solved(status)
    assert status.repeated_jobs > 0
    assert status.jobs == jobs_in_store(store)


def test_killed_coordinator_goes_on_with_all_results(
    cluster: Cluster, executor: DaskExecutor, store: Path
) -> None:
    options = ["--store", str(store), "--scheduler", cluster.address, "--job-nodes", "50"]
    process = start_python(
        *("-m", "kalah.cluster", "prove", START, "--rules", RULES, "--moves", *options),
        *("--memory", "16MiB"),
        stdout=subprocess.DEVNULL,
    )
    wait_until(lambda: jobs_in_store(store) > 20)
    process.kill()
    process.wait()
    before = jobs_in_store(store)
    status = prove(START, RULES, store, executor, **SMALL)
    assert_solved(status)
    assert jobs_in_store(store) == before + status.jobs


@pytest.mark.usefixtures("frequent_progress")
def test_restarted_scheduler_is_used_again(
    cluster: Cluster, executor: DaskExecutor, store: Path
) -> None:
    restart = Interfering(cluster.restart_scheduler, 1)
    status = prove(START, RULES, store, executor, **SMALL, progress=restart)
    assert restart.times == 0
    assert_solved(status)
    assert status.jobs == jobs_in_store(store)


@pytest.mark.usefixtures("frequent_progress")
def test_lost_scheduler_ends_the_call_and_the_store_has_all_results(
    starter: Starter, tmp_path: Path, store: Path
) -> None:
    cluster = Cluster(starter, tmp_path, 1)
    try:
        executor = DaskExecutor(cluster.address, timeout=HANG_SECONDS)
        # The client gives up at once.
        executor._client._timeout = 0
        kill = Interfering(lambda: os.kill(cluster.scheduler, signal.SIGKILL), 1)
        with pytest.raises(ClusterError, match="the connection to the scheduler is lost") as caught:
            prove(START, RULES, store, executor, **SMALL, progress=kill)
        assert str(store) in str(caught.value)
        executor.shutdown(wait=False)
    finally:
        cluster.close()
    assert jobs_in_store(store) > 0


def test_worker_of_another_version_is_refused_with_both_versions(
    starter: Starter, tmp_path: Path, store: Path
) -> None:
    cluster = Cluster(starter, tmp_path, 1, OTHER_VERSION)
    executor = DaskExecutor(str(cluster.file), timeout=HANG_SECONDS)
    try:
        with pytest.raises(ClusterError) as caught:
            prove(START, RULES, store, executor, **SMALL)
    finally:
        executor.shutdown(wait=False)
        cluster.close()
    message = (
        "this worker has version 0.0.1 of the package kalah, and the coordinator has version "
        f"{_worker.VERSION}: install the same version on all machines"
    )
    assert re.fullmatch(rf"process \d+ on .*: {re.escape(message)}", str(caught.value))
    assert jobs_in_store(store) == 0


def test_scheduler_that_cannot_be_reached_is_an_os_error() -> None:
    with pytest.raises(OSError, match=r"127\.0\.0\.1:1"):
        DaskExecutor("tcp://127.0.0.1:1", timeout=0.1)
