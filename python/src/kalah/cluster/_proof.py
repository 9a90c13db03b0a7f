"""The coordinator of a proof, which hands jobs to an executor."""

import dataclasses
import datetime
import os
import queue
import time
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeAlias

from kalah import _arguments
from kalah._kalah import KalahError, Position, Rules, _ProofCoordinator
from kalah.cluster import _executors, _worker
from kalah.cluster._status import ProofStatus, status_of
from kalah.typing import PositionLike, RulesLike

if TYPE_CHECKING:
    from kalah._kalah import _Job

Answer: TypeAlias = tuple[str, str, Any]
"""An answer of a worker: its kind, the name of the worker, and the result or the error."""

Path: TypeAlias = str | os.PathLike[str]

DEFAULT_JOB_NODES: Final = 100_000
"""The least node limit of a job by default, a fraction of a second."""

MAX_JOBS: Final = 100_000
"""The maximum number of jobs in flight."""

MAX_THREADS: Final = 256
"""The maximum number of threads that build a table."""

DEFAULT_LEASE_SECONDS: Final = 30 * 60
"""The time after which a job without an answer is handed out again by default."""

POLL_SECONDS: Final = 0.5
"""The time between two looks at the leases and at the number of workers."""

PROGRESS_SECONDS: Final = 0.5
"""The least time between two states for `progress`."""

PROGRESS_COST_FACTOR: Final = 50
"""The least time between two states, as a multiple of the time that a state takes."""

LEASE_FACTOR: Final = 10
"""A lease is at least this multiple of the average time of a job of its size."""

MAX_LOST_ROUNDS: Final = 5
"""The number of losses of all jobs in flight, without a result, that end a proof."""


class ClusterError(KalahError):
    """A worker that cannot search, or an executor that takes no more jobs."""


def prove(
    position: PositionLike,
    rules: RulesLike | None,
    store: Path,
    executor: Executor | Callable[[], Executor],
    *,
    moves: bool = False,
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
    No other process can write it, and it belongs on a disk of this machine.

    `executor` is a `concurrent.futures.Executor`, or a function that creates one. A function is
    called again if the executor breaks, as a process pool does with the first process that is
    killed. The executor runs `jobs_in_flight` jobs, by default as many as it runs at the same time.
    A job searches at least `job_nodes` positions before another one can be more promising, and
    more in large proofs.

    Each process of the workers has one engine, with `memory` for its hash tables and its endgame
    table: a number of bytes or a text such as `4GiB`, by default a quarter of the machine's memory,
    up to 1 GiB. All jobs of the process share it. It builds the endgame table with `threads`
    threads, by default one, or takes it from one of the files `tables`, which are paths on the
    worker's machine, after a check of the whole file.

    A job that has no answer after `lease` seconds, and ten times the average time for its number of
    positions, is handed out again. `progress` is `True` for a
    progress bar (with tqdm), or a function that is called with a `ProofStatus`, at most twice a
    second. Ctrl-C ends the call with `KeyboardInterrupt`.

    Raises `ClusterError` if a worker has another version of this package or cannot search, and if
    the executor breaks; `ProofError` if the store is not one of this position, is damaged or cannot
    be written, or another process writes it; and `OSError` if its folder cannot be written. The
    store has all results then, and another call goes on with them.
    """
    position = _position(position, rules)
    limit = None
    if jobs_in_flight is not None:
        limit = _arguments.integer(jobs_in_flight, "jobs_in_flight", 1, MAX_JOBS)
    seconds = _arguments.seconds(lease, "lease")
    display = _display(progress)
    settings = _worker.Settings(
        position=str(position),
        rules=str(position.rules),
        moves=moves,
        memory=memory if memory is None or isinstance(memory, str) else memory.__index__(),
        threads=None if threads is None else _arguments.integer(threads, "threads", 1, MAX_THREADS),
        tables=_paths(tables),
        ends_with_parent=False,
    )
    if not isinstance(executor, Executor):
        _arguments.function(executor, "executor")
    coordinator = _ProofCoordinator(position, store=store, moves=moves, job_nodes=job_nodes)
    _open_coordinators.append(coordinator)
    run = _Run(position, coordinator, settings, os.fspath(store), limit, seconds, display)
    try:
        return run.finish(executor)
    finally:
        _open_coordinators.remove(coordinator)
        coordinator.close()
        if display is not None:
            display.close()


#: The coordinators of this process. The processes of a pool can be forks of this process, and would
#: otherwise keep the lock of the store.
_open_coordinators: list[_ProofCoordinator] = []


def _forget_coordinators() -> None:
    for coordinator in _open_coordinators:
        coordinator.forget_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_coordinators)


def _position(position: PositionLike, rules: RulesLike | None) -> Position:
    if not isinstance(position, Position):
        return Position(position, rules)
    if rules is not None and (Rules(rules) if isinstance(rules, str) else rules) != position.rules:
        raise KalahError(f"rules: expected those of the position, {position.rules}, not {rules}")
    return position


def _paths(tables: Path | Iterable[Path] | None) -> tuple[str, ...]:
    if tables is None:
        return ()
    if isinstance(tables, str | os.PathLike):
        return (os.fspath(tables),)
    return tuple(os.fspath(path) for path in tables)


class _Display:
    """The function that the argument `progress` gives, and the time of its next call."""

    def __init__(
        self, update: Callable[[ProofStatus], object], close: Callable[[], object]
    ) -> None:
        self._update = update
        self.close = close
        self._next = 0.0

    def update(self, state: Callable[[], ProofStatus]) -> None:
        """Shows a state, unless the last one is recent."""
        start = time.monotonic()
        if start >= self._next:
            status = state()
            cost = time.monotonic() - start
            self._next = start + max(PROGRESS_SECONDS, PROGRESS_COST_FACTOR * cost)
            self._update(status)


def _display(progress: Any) -> _Display | None:
    if progress is None or progress is False:
        return None
    if progress is True:
        from kalah._progress import ProgressBar

        bar = ProgressBar()
        return _Display(bar.update, bar.close)
    return _Display(_arguments.function(progress, "progress"), lambda: None)


class _BrokenError(Exception):
    """The executor takes no more jobs."""


@dataclasses.dataclass(eq=False)
class _JobInFlight:
    """A job that at least one worker has."""

    job: "_Job"
    futures: set[Future[Answer]]
    handed_out: float
    """The time at which it was handed out last."""


class _Run:
    """The jobs in flight of a proof, from the first to the last."""

    def __init__(
        self,
        position: Position,
        coordinator: _ProofCoordinator,
        settings: _worker.Settings,
        store: str,
        limit: int | None,
        lease: float,
        display: _Display | None,
    ) -> None:
        self._position = position
        self._coordinator = coordinator
        self._settings = settings
        self._store = store
        self._fixed_limit = limit
        self._lease = lease
        self._display = display
        self._jobs: dict[int, _JobInFlight] = {}
        self._answers: queue.SimpleQueue[tuple[_JobInFlight, Future[Answer]]] = queue.SimpleQueue()
        self._repeated = 0
        self._losses = 0
        self._limit = 1
        self._seconds = 0.0
        self._nodes = 0
        self._next_count = 0.0
        self._next_lease_check = 0.0

    def finish(self, source: Executor | Callable[[], Executor]) -> ProofStatus:
        """Completes the proof with an executor, or with those that a function creates."""
        failures = 0
        while not self._coordinator.is_finished:
            completed = self._completed()
            executor = source if isinstance(source, Executor) else source()
            try:
                self._run(executor)
            except _BrokenError as error:
                failures = 1 if self._completed() > completed else failures + 1
                if isinstance(source, Executor) or failures > MAX_LOST_ROUNDS:
                    raise ClusterError(self._broken_text(error)) from error.__cause__
                self._repeated += len(self._jobs)
            finally:
                self._abandon_all()
                if executor is not source:
                    executor.shutdown(wait=False)
        return self._status()

    def _completed(self) -> int:
        return self._coordinator.status()[5]

    def _broken_text(self, error: _BrokenError) -> str:
        return (
            f"{error}: '{self._store}' has all results but those of the jobs in flight, and the "
            "same call with a new executor goes on with them"
        )

    def _status(self) -> ProofStatus:
        return status_of(self._position, self._coordinator.status(), self._repeated)

    def _run(self, executor: Executor) -> None:
        settings = self._settings
        if isinstance(executor, ProcessPoolExecutor):
            settings = settings._replace(ends_with_parent=True)
        self._next_count = 0.0
        while not self._coordinator.is_finished:
            is_ready = self._check(executor)
            if is_ready:
                self._fill(executor, settings)
            self._take_answers()
            if is_ready:
                self._check_leases(executor, settings)
            if self._display is not None:
                self._display.update(self._status)

    def _check(self, executor: Executor) -> bool:
        """Returns whether an executor takes jobs now, and counts its workers from time to time."""
        state = _executors.connection(executor)
        if state == "lost":
            raise _BrokenError("the connection to the scheduler is lost")
        now = time.monotonic()
        if state == "ready" and now >= self._next_count:
            self._next_count = now + POLL_SECONDS
            try:
                number = self._fixed_limit or _executors.slots(executor)
            except OSError:
                # The connection was lost a moment ago.
                return False
            if number is None:
                raise KalahError(
                    f"jobs_in_flight: {type(executor).__name__} does not tell how many jobs it "
                    "runs at the same time"
                )
            # A first job waits for the first worker.
            self._limit = max(1, number)
        return state == "ready"

    def _fill(self, executor: Executor, settings: _worker.Settings) -> None:
        while len(self._jobs) < self._limit:
            job = self._coordinator.next_job()
            if job is None:
                return
            in_flight = _JobInFlight(job, set(), time.monotonic())
            self._jobs[job[0]] = in_flight
            if not self._submit(executor, settings, in_flight):
                self._lose(in_flight)
                return

    def _submit(
        self, executor: Executor, settings: _worker.Settings, in_flight: _JobInFlight
    ) -> bool:
        """Hands a job to an executor. Returns `False` if its connection was lost a moment ago."""
        arguments = _worker.VERSION, tuple(settings), in_flight.job
        try:
            future = executor.submit(_worker.search, *arguments)
        except BrokenExecutor as error:
            raise _BrokenError(f"the executor is broken, {error}") from error
        except Exception:
            if _executors.connection(executor) == "ready":
                raise
            return False
        in_flight.handed_out = time.monotonic()
        in_flight.futures.add(future)
        future.add_done_callback(lambda future: self._answers.put((in_flight, future)))
        return True

    def _take_answers(self) -> None:
        """Takes all answers, and waits a moment for the first one."""
        try:
            self._take(*self._answers.get(timeout=POLL_SECONDS))
            while True:
                self._take(*self._answers.get_nowait())
        except queue.Empty:
            pass

    def _take(self, in_flight: _JobInFlight, future: Future[Answer]) -> None:
        in_flight.futures.discard(future)
        number = in_flight.job[0]
        # Another worker can have had the result before.
        if self._jobs.get(number) is not in_flight:
            return
        error = _error(future)
        if error is None:
            kind, worker, value = future.result()
            if kind != _worker.RESULT:
                raise ClusterError(f"{worker}: {value}")
            self._coordinator.complete(number, value, worker)
            self._seconds += time.monotonic() - in_flight.handed_out
            self._nodes += value[2]
            self._forget(in_flight)
            self._losses = 0
        elif _executors.breaks(error):
            raise _BrokenError(f"the executor is broken, {error}") from error
        elif not _executors.is_lost(error):
            raise ClusterError(f"a job could not be searched: {_describe(error)}") from error
        elif not in_flight.futures:
            self._lose(in_flight)
            self._losses += 1
            if self._losses > MAX_LOST_ROUNDS * self._limit:
                raise ClusterError(
                    f"the workers of {self._losses} jobs were lost one after another, perhaps for "
                    f"lack of memory: {_describe(error)}"
                ) from error

    def _check_leases(self, executor: Executor, settings: _worker.Settings) -> None:
        """Hands out the jobs again whose workers have no answer yet. A late answer still counts."""
        now = time.monotonic()
        if now < self._next_lease_check:
            return
        self._next_lease_check = now + POLL_SECONDS
        seconds_per_node = self._seconds / max(1, self._nodes)
        for in_flight in list(self._jobs.values()):
            max_nodes = in_flight.job[5]
            lease = max(self._lease, LEASE_FACTOR * seconds_per_node * max_nodes)
            is_over = now - in_flight.handed_out > lease
            if is_over and self._submit(executor, settings, in_flight):
                self._repeated += 1

    def _forget(self, in_flight: _JobInFlight) -> None:
        del self._jobs[in_flight.job[0]]
        for future in in_flight.futures:
            future.cancel()

    def _lose(self, in_flight: _JobInFlight) -> None:
        """Takes a job back whose worker is lost."""
        self._forget(in_flight)
        self._coordinator.abandon(in_flight.job[0])
        self._repeated += 1

    def _abandon_all(self) -> None:
        """Takes all jobs in flight back."""
        for in_flight in list(self._jobs.values()):
            self._forget(in_flight)
            self._coordinator.abandon(in_flight.job[0])


def _error(future: Future[Answer]) -> BaseException | None:
    """Returns the exception of a future, also if it was cancelled."""
    try:
        return future.exception()
    except BaseException as error:
        return error


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
