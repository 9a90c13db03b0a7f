"""The coordinator of a proof, whose jobs search positions."""

import datetime
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Any, Final, SupportsIndex

from kalah import _arguments
from kalah._kalah import Position, _ProofCoordinator
from kalah.cluster import _forks, _jobs, _worker
from kalah.cluster._jobs import Call, Job, Path
from kalah.cluster._status import ProofStatus, status_of
from kalah.typing import PositionLike, RulesLike

DEFAULT_JOB_NODES: Final = 100_000
"""The least node limit of a job by default, a fraction of a second."""

MAX_JOB_NODES: Final = 10**12
"""The maximum of the least node limit of a job, as in the extension."""

DEFAULT_LEASE_SECONDS: Final = 30 * 60
"""The time after which a job without an answer is handed out again by default."""


def prove(
    position: PositionLike,
    rules: RulesLike | None,
    store: Path,
    executor: Executor | Callable[[], Executor],
    *,
    moves: bool = False,
    guide: Path | None = None,
    jobs_in_flight: SupportsIndex | None = None,
    job_nodes: SupportsIndex = DEFAULT_JOB_NODES,
    memory: SupportsIndex | str | None = None,
    threads: SupportsIndex | None = None,
    tables: Path | Iterable[Path] | None = None,
    lease: float | datetime.timedelta = DEFAULT_LEASE_SECONDS,
    progress: bool | Callable[[ProofStatus], object] | None = None,
) -> ProofStatus:
    """Proves the margin of a position with the workers of an executor.

    `position` is a `Position` or its text, such as `6x5`, under `rules`, by default `cs32`. With
    `moves` the margins of all moves are proven, too. `store` is the file of the proof: a new one,
    or one of an earlier call or of `kalah prove`, which is continued. It has every result at once.
    No other process can write it, and it belongs on a disk of this machine. `guide` is the store of
    an earlier proof of the position: a new proof begins with the goals on which the earlier one
    depends, without their answers, and usually takes less time. An existing store goes on without
    the guide.

    `executor` is a `concurrent.futures.Executor`, or a function that creates one. A function is
    called again if the executor breaks, as a process pool does with the first process that is
    killed. The executor runs `jobs_in_flight` jobs, by default as many as it runs at the same time.
    The node limit of a job is `job_nodes`, and more in large proofs. Jobs in flight share it, and
    each has at least a fifth of `job_nodes`.

    Each process of the workers has one engine, with `memory` for its hash tables and its endgame
    table: a number of bytes or a text such as `4GiB`, by default a quarter of the machine's memory,
    up to 1 GiB. All jobs of the process share it. It builds the endgame table with `threads`
    threads, by default one, or takes it from one of the files `tables`, which are paths on the
    worker's machine, after a check of the whole file.

    A job that has no answer after the longer of `lease` seconds and ten times the average time for
    its number of positions is handed out again. `progress` is `True` for a progress bar (with
    tqdm), or a function that is called with a `ProofStatus`, at most twice a second. Ctrl-C ends
    the call with `KeyboardInterrupt`.

    Raises `ClusterError` if a worker has another version of this package or cannot search, and if
    the executor breaks; `ProofError` if the store or the guide is not one of this position or is
    damaged, and if the store cannot be written or another process writes it; and `OSError` if its
    folder cannot be written. The store has all results then, and another call goes on with them.
    """
    position = _worker.position_under(position, rules)
    settings = _worker.settings_of(
        position, moves=moves, memory=memory, threads=threads, tables=tables
    )
    limit = _jobs.jobs_limit(jobs_in_flight)
    seconds = _arguments.seconds(lease, "lease")
    display: _jobs.Display[ProofStatus] | None = _jobs.display(progress)
    _jobs.check_executor(executor)
    coordinator = _ProofCoordinator(
        position, store=store, moves=moves, job_nodes=job_nodes, guide=guide
    )
    # A store of all moves stays one.
    settings = settings._replace(moves=coordinator.all_moves)
    proof = _Proof(position, coordinator, settings, os.fspath(store))
    try:
        with _forks.owned(coordinator):
            report_load = coordinator.report_load
            run = _jobs.Run(proof, limit, seconds, display, report_load)
            return run.finish(executor)
    finally:
        coordinator.close()
        if display is not None:
            display.close()


class _Proof:
    """The jobs of a proof, as `_jobs.Coordinator` has them."""

    def __init__(
        self,
        position: Position,
        coordinator: _ProofCoordinator,
        settings: _worker.Settings,
        path: str,
    ) -> None:
        self._position = position
        self._coordinator = coordinator
        self._settings = settings
        self.path = path

    @property
    def is_finished(self) -> bool:
        """Whether all margins are proven."""
        return self._coordinator.is_finished

    @property
    def completed_jobs(self) -> int:
        """The number of jobs that this call has completed."""
        return self._coordinator.completed_jobs

    def call(self, job: Job, *, ends_with_parent: bool) -> Call:
        """Returns the search of a job."""
        settings = self._settings._replace(ends_with_parent=ends_with_parent)
        return _worker.search, (_worker.VERSION, tuple(settings), job)

    def next_job(self) -> Job | None:
        """Returns the next job, or `None` if the proof is complete."""
        return self._coordinator.next_job()

    def size(self, job: Job) -> float:
        """Returns the limit of nodes of a job."""
        return float(job["max_nodes"])

    def complete(self, number: int, result: Any, worker: str) -> float:
        """Takes a result, and returns its nodes."""
        self._coordinator.complete(number, result, worker)
        return float(result["nodes"])

    def write(self) -> None:
        """Writes the results to the store."""
        self._coordinator.write()

    def abandon(self, number: int) -> None:
        """Takes a job back."""
        self._coordinator.abandon(number)

    def status(self, repeated_jobs: int) -> ProofStatus:
        """Returns the state of the proof."""
        return status_of(self._position, self._coordinator.status(), repeated_jobs)
