"""Proofs on a Dask cluster whose scheduler and workers are killed and stopped."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kalah
from cluster_processes import (
    ALL_TESTS,
    HANG_SECONDS,
    RULES,
    SMALL,
    START,
    assert_solved,
    jobs_in_store,
    start_python,
    wait_until,
)
from kalah.cluster import ClusterError, DaskExecutor, ProofStatus, _worker, prove
from optional import require

require("distributed")

#: The number of workers that are killed.
KILLS = 200 if ALL_TESTS else 6

#: The script that `docs/cluster.md` describes.
SLURM_SCRIPT = Path(__file__).parents[2] / "docs/prove.slurm"

#: The workers of a cluster, each with one thread.
WORKERS = 4

#: A module that workers load: each search adds a line to the file of the cluster.
LOGGING = """
from kalah.cluster import _worker

def log_and_search(version, settings, job, search=_worker.search):
    with open({log!r}, "a") as log:
        log.write(f"{{job[0]}}\\n")
    return search(version, settings, job)

# Dask loads the module more than once.
if _worker.search.__name__ == "search":
    _worker.search = log_and_search
"""

#: A program that starts a worker for each line of arguments. Its processes are copies of this one,
#: which has imported Dask: that takes a tenth of the time of a new process.
WORKER_STARTER = """
import json, os, signal, sys
import kalah.cluster._worker
from distributed.cli.dask_worker import main

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    process = os.fork()
    if process == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        main(json.loads(line))
    print(process, flush=True)
"""

#: A module that makes a worker one of another version.
OTHER_VERSION = """
from kalah.cluster import _worker

_worker.VERSION = "0.0.1"
"""


class Cluster:
    """A scheduler and workers."""

    def __init__(self, folder: Path, workers: int, preload: str = LOGGING) -> None:
        self.folder = folder
        self.searches = folder / "searches"
        self.preload = folder / "preload.py"
        self.preload.write_text(preload.format(log=str(self.searches)))
        self.workers: list[int] = []
        with (folder / "log").open("a") as log:
            self.starter = start_python(
                *("-c", WORKER_STARTER),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
            )
        self.scheduler = self.start_scheduler(0)
        self.start_workers(workers)

    def start_scheduler(self, port: int) -> subprocess.Popen[str]:
        """Starts the scheduler on a port, and waits until it has its address."""
        file = self.folder / "scheduler.json"
        file.unlink(missing_ok=True)
        options = ["--host", "127.0.0.1", "--port", str(port), "--dashboard-address", "127.0.0.1:0"]
        scheduler = self.start("scheduler", *options, "--scheduler-file", str(file))
        wait_until(lambda: file.exists() and file.read_text().endswith("}"))
        address = file.read_text().split('"address": "')[1].split('"')[0]
        self.address = address
        return scheduler

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts a program of Dask."""
        with (self.folder / "log").open("a") as log:
            return start_python(
                *("-m", "dask", *arguments), stdout=log, stderr=log, cwd=self.folder
            )

    def start_workers(self, number: int) -> None:
        """Starts workers, which connect by and by."""
        arguments = [self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        arguments += ["--memory-limit", "0", "--local-directory", str(self.folder)]
        arguments += ["--preload", str(self.preload)]
        assert self.starter.stdin is not None
        assert self.starter.stdout is not None
        for _ in range(number):
            self.starter.stdin.write(json.dumps(arguments) + "\n")
            self.starter.stdin.flush()
            self.workers.append(int(self.starter.stdout.readline()))

    def kill_worker(self) -> None:
        """Kills a worker and starts another one."""
        worker = self.workers.pop(random.randrange(len(self.workers)))
        os.kill(worker, signal.SIGKILL)
        self.start_workers(1)

    def restart_scheduler(self) -> None:
        """Kills the scheduler, which ends its workers, and starts all again."""
        port = int(self.address.rpartition(":")[2])
        self.scheduler.kill()
        self.scheduler.wait()
        for worker in self.workers:
            wait_until(lambda worker=worker: not is_running(worker))  # type: ignore[misc]
        number = len(self.workers)
        self.workers = []
        self.scheduler = self.start_scheduler(port)
        self.start_workers(number)

    def close(self) -> None:
        """Kills all processes."""
        for worker in self.workers:
            if is_running(worker):
                os.kill(worker, signal.SIGKILL)
        for process in (self.starter, self.scheduler):
            process.kill()
            process.communicate()

    def count_searches(self) -> int:
        """Returns the number of searches that the workers have begun."""
        return len(self.searches.read_text().splitlines()) if self.searches.exists() else 0


def is_running(process: int) -> bool:
    """Returns whether a process exists."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"), WORKERS)
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
        # A killed worker had at most one job, and those in flight at the end are of no use.
        kills = kills_before - interfering.times
        assert cluster.count_searches() - before <= status.jobs + kills + WORKERS
        proofs += 1


def test_stopped_worker_delays_no_other(
    cluster: Cluster, executor: DaskExecutor, store: Path
) -> None:
    stopped = cluster.workers[0]
    stop = Interfering(lambda: os.kill(stopped, signal.SIGSTOP), 1)
    status = prove(START, RULES, store, executor, **SMALL, lease=1, progress=stop)
    assert stop.times == 0
    assert is_running(stopped)
    assert_solved(status)
    assert status.jobs == jobs_in_store(store)
    os.kill(stopped, signal.SIGCONT)


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


def test_restarted_scheduler_is_used_again(
    cluster: Cluster, executor: DaskExecutor, store: Path
) -> None:
    restart = Interfering(cluster.restart_scheduler, 1)
    status = prove(START, RULES, store, executor, **SMALL, progress=restart)
    assert restart.times == 0
    assert_solved(status)
    assert status.jobs == jobs_in_store(store)


def test_lost_scheduler_ends_the_call_and_the_store_has_all_results(
    tmp_path: Path, store: Path
) -> None:
    cluster = Cluster(tmp_path, 1)
    try:
        executor = DaskExecutor(cluster.address, timeout=HANG_SECONDS)
        # The client gives up at once.
        executor._client._timeout = 0
        kill = Interfering(cluster.scheduler.kill, 1)
        with pytest.raises(ClusterError, match="the connection to the scheduler is lost") as caught:
            prove(START, RULES, store, executor, **SMALL, progress=kill)
        assert str(store) in str(caught.value)
        executor.shutdown(wait=False)
    finally:
        cluster.close()
    assert jobs_in_store(store) > 0


def test_worker_of_another_version_is_refused_with_both_versions(
    tmp_path: Path, store: Path
) -> None:
    cluster = Cluster(tmp_path, 1, OTHER_VERSION)
    try:
        options = ["--store", str(store), "--scheduler", cluster.address]
        command = [sys.executable, "-m", "kalah.cluster", "prove", START, *options]
        result = subprocess.run(
            command, capture_output=True, text=True, timeout=HANG_SECONDS, check=False
        )
    finally:
        cluster.close()
    assert result.returncode == 1
    assert (
        "this worker has version 0.0.1 of the package kalah, and the coordinator has version "
        in (result.stderr)
    )
    assert f"{_worker.VERSION}: install the same version on all machines" in result.stderr
    assert os.linesep.join(result.stderr.splitlines()[-1:]).startswith("error: process ")
    assert jobs_in_store(store) == 0


def test_script_for_slurm_proves_a_margin(tmp_path: Path, store: Path) -> None:
    # Slurm's own program starts a worker on each node; this one starts one worker.
    srun = tmp_path / "srun"
    srun.write_text('#!/bin/sh\nexec "$@"\n')
    srun.chmod(0o755)
    folders = [str(tmp_path), str(Path(sys.executable).parent), os.environ["PATH"]]
    result = subprocess.run(
        [SLURM_SCRIPT, START, "--rules", RULES, "--store", str(store), "--memory", "16MiB"],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PATH": os.pathsep.join(folders)},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("South to move: +6 exact\n")
    assert not list(tmp_path.glob("kalah-prove-*"))


def test_scheduler_that_cannot_be_reached_is_an_os_error() -> None:
    with pytest.raises(OSError, match=r"127\.0\.0\.1:1"):
        DaskExecutor("tcp://127.0.0.1:1", timeout=0.1)


def test_errors_are_those_of_the_package() -> None:
    assert issubclass(ClusterError, kalah.KalahError)
