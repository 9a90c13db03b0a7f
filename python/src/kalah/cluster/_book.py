"""The coordinator of a build of a book, whose jobs search leaves."""

import dataclasses
import datetime
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Any, Final, SupportsIndex

from kalah import _arguments
from kalah._kalah import Position, _BookCoordinator
from kalah.cluster import _book_worker, _forks, _jobs, _worker
from kalah.cluster._jobs import Call, Job, Path
from kalah.typing import PositionLike, RulesLike

DEFAULT_JOB_LEAVES: Final = 8
"""The leaves of a job by default. Leaves in a row share positions."""

MAX_JOB_LEAVES: Final = 1_000_000
"""The maximum number of leaves of a job, as in the extension."""

DEFAULT_LEASE_SECONDS: Final = 30 * 60
"""The time after which a job without an answer is handed out again by default."""

MAX_PLIES: Final = 99
"""The maximum number of plies, as in the extension."""


@dataclasses.dataclass(frozen=True)
class BookStatus:
    """The state of a build of a book."""

    start: Position
    """The start."""
    plies: int
    """The plies from the start to a leaf."""
    leaves: int
    """The leaves, the positions that need all the plies."""
    known_leaves: int
    """Those of the leaves whose margins are known."""
    jobs_in_flight: int
    """The jobs that are handed out and have no result yet."""
    jobs: int
    """The jobs that this call has completed."""
    repeated_jobs: int
    """The number of times that this call has handed out a job again or has taken it back."""
    positions: int | None = None
    """The positions of the book, or `None` before it is complete."""
    margin: int | None = None
    """The margin of the start for its side to move, or `None` before the book is complete."""


def build_book(
    start: PositionLike,
    rules: RulesLike | None,
    store: Path,
    out: Path,
    executor: Executor | Callable[[], Executor],
    *,
    plies: SupportsIndex,
    jobs_in_flight: SupportsIndex | None = None,
    job_leaves: SupportsIndex = DEFAULT_JOB_LEAVES,
    memory: SupportsIndex | str | None = None,
    threads: SupportsIndex | None = None,
    tables: Path | Iterable[Path] | None = None,
    lease: float | datetime.timedelta = DEFAULT_LEASE_SECONDS,
    progress: bool | Callable[[BookStatus], object] | None = None,
) -> BookStatus:
    """Builds an opening book with the workers of an executor, as `kalah book build` does.

    `start` is a start such as `6x5`, or its `Position`, under `rules`, by default `cs32`. The book
    has the exact margins of all positions that it reaches with at most `plies` plies. `store` is
    the file that keeps the results: a new one, or one of an earlier call or of `kalah book build`,
    which is continued. No other process can write it, and it belongs on a disk of this machine.
    `out` is the file of the book, which is written once all leaves are searched.

    `executor` is a `concurrent.futures.Executor`, or a function that creates one. A function is
    called again if the executor breaks, as a process pool does with the first process that is
    killed. The executor runs `jobs_in_flight` jobs, by default as many as it runs at the same time.
    A job has `job_leaves` leaves.

    Each process of the workers has one engine, with `memory` for its hash tables and its endgame
    table: a number of bytes or a text such as `4GiB`, by default a quarter of the machine's memory,
    up to 1 GiB. It searches with `threads` threads, by default one, and takes its endgame table
    from one of the files `tables`, which are paths on the worker's machine, after a check of the
    whole file.

    A job that has no answer after the longer of `lease` seconds and ten times the average time for
    its leaves is handed out again. `progress` is `True` for a progress bar (with tqdm), or a
    function that is called with a `BookStatus`, at most twice a second. Ctrl-C ends the call with
    `KeyboardInterrupt`.

    Raises `ClusterError` if a worker has another version of this package or cannot search, and if
    the executor breaks; `BookError` if the start has no book, if the store is not one of this book,
    is damaged or in use, and if a worker returns margins that its leaves cannot have; and `OSError`
    if a file cannot be written. The store has all results then, and another call goes on with them.
    """
    position = _worker.position_under(start, rules)
    settings = _worker.settings_of(
        position, moves=False, memory=memory, threads=threads, tables=tables
    )
    limit = _jobs.jobs_limit(jobs_in_flight)
    seconds = _arguments.seconds(lease, "lease")
    display: _jobs.Display[BookStatus] | None = _jobs.display(progress)
    plies = _arguments.integer(plies, "plies", 0, MAX_PLIES)
    _jobs.check_executor(executor)
    coordinator = _BookCoordinator(
        position, plies=plies, store=store, out=out, job_leaves=job_leaves
    )
    book = _Book(position, plies, coordinator, settings, os.fspath(store))
    try:
        with _forks.owned(coordinator):
            status = _jobs.Run(book, limit, seconds, display).finish(executor)
            positions, margin = coordinator.finish()
        return dataclasses.replace(status, positions=positions, margin=margin)
    finally:
        coordinator.close()
        if display is not None:
            display.close()


class _Book:
    """The jobs of a build, as `_jobs.Coordinator` has them."""

    def __init__(
        self,
        start: Position,
        plies: int,
        coordinator: _BookCoordinator,
        settings: _worker.Settings,
        path: str,
    ) -> None:
        self._start = start
        self._plies = plies
        self._coordinator = coordinator
        self._settings = settings
        self.path = path

    @property
    def is_finished(self) -> bool:
        """Whether all leaves have results."""
        return self._coordinator.is_finished

    @property
    def completed_jobs(self) -> int:
        """The number of jobs that this call has completed."""
        return self._coordinator.status()["completed_jobs"]

    def call(self, job: Job, *, ends_with_parent: bool) -> Call:
        """Returns the search of the leaves of a job."""
        settings = self._settings._replace(ends_with_parent=ends_with_parent)
        return _book_worker.search, (_worker.VERSION, tuple(settings), job)

    def next_job(self) -> Job | None:
        """Returns the next job, or `None` if there is none now."""
        return self._coordinator.next_job()

    def size(self, job: Job) -> float:
        """Returns the number of leaves of a job."""
        return float(len(job["leaves"]))

    def complete(self, number: int, result: Any, worker: str) -> float:
        """Takes the gains of leaves, and returns their number."""
        self._coordinator.complete(number, result, worker)
        return float(len(result))

    def write(self) -> None:
        """Writes the results to the store."""
        self._coordinator.write()

    def abandon(self, number: int) -> None:
        """Takes a job back."""
        self._coordinator.abandon(number)

    def status(self, repeated_jobs: int) -> BookStatus:
        """Returns the state of the build."""
        status = self._coordinator.status()
        return BookStatus(
            start=self._start,
            plies=self._plies,
            leaves=status["leaves"],
            known_leaves=status["known_leaves"],
            jobs_in_flight=status["jobs_in_flight"],
            jobs=status["completed_jobs"],
            repeated_jobs=repeated_jobs,
        )
