"""Jobs on an executor: those in flight, lost workers, and jobs that are handed out again."""

import dataclasses
import datetime
import os
import queue
import time
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from typing import Any, Final, Generic, Protocol, TypeAlias, TypeVar

from kalah import _arguments
from kalah._kalah import KalahError
from kalah.cluster import _executors, _worker

Answer: TypeAlias = tuple[str, str, Any]
"""An answer of a worker: its kind, the name of the worker, and the result or the error."""

Job: TypeAlias = Mapping[str, Any]
"""A job as plain values, with its number as `number`."""

Call: TypeAlias = tuple[Callable[..., Answer], tuple[Any, ...]]
"""A function that does a job on a worker, and its arguments."""

Path: TypeAlias = str | os.PathLike[str]

MAX_JOBS: Final = 100_000
"""The maximum number of jobs in flight."""

POLL_SECONDS: Final = 0.5
"""The time between two looks at the leases and at the number of workers."""

PROGRESS_SECONDS: Final = 0.5
"""The least time between two states for `progress`."""

PROGRESS_COST_FACTOR: Final = 50
"""The least time between two states, as a multiple of the time that a state takes."""

LEASE_FACTOR: Final = 10
"""A lease is at least this multiple of the average time of a job of its size."""

MAX_LOST_ROUNDS: Final = 5
"""A call ends if all jobs in flight are lost more often than this without a result."""

StatusT = TypeVar("StatusT", covariant=True)


class ClusterError(KalahError):
    """A worker that cannot do a job, or an executor that takes no more jobs."""


class Coordinator(Protocol[StatusT]):
    """Hands out jobs and stores their results."""

    @property
    def path(self) -> str:
        """The file or folder with the results."""
        ...

    @property
    def is_finished(self) -> bool:
        """Whether no further job is needed."""
        ...

    @property
    def completed_jobs(self) -> int:
        """The number of completed jobs."""
        ...

    def call(self, job: Job, *, ends_with_parent: bool) -> Call:
        """Returns the function that does a job on a worker, and its arguments.

        With `ends_with_parent`, the process of the worker ends with this one.
        """
        ...

    def next_job(self) -> Job | None:
        """Returns a job that is in flight afterwards, or `None` if there is none now."""
        ...

    def size(self, job: Job) -> float:
        """Returns the expected size of a job, in any unit."""
        ...

    def complete(self, number: int, result: Any, worker: str) -> float:
        """Takes the result of a job in flight, and returns the size that the job had."""
        ...

    def write(self) -> None:
        """Stores the results that are not stored yet."""
        ...

    def abandon(self, number: int) -> None:
        """Takes a job back that was in flight."""
        ...

    def status(self, repeated_jobs: int) -> StatusT:
        """Returns the state of the work."""
        ...


class Display(Generic[StatusT]):
    """The function that the argument `progress` gives, and the time of its next call."""

    def __init__(self, update: Callable[[Any], object], close: Callable[[], object]) -> None:
        self._update = update
        self.close = close
        self._next = 0.0

    def update(self, state: Callable[[], StatusT]) -> None:
        """Shows a state, unless the last one is recent."""
        start = time.monotonic()
        if start >= self._next:
            status = state()
            cost = time.monotonic() - start
            self._next = start + max(PROGRESS_SECONDS, PROGRESS_COST_FACTOR * cost)
            self._update(status)


def display(progress: Any) -> Display[Any] | None:
    """Returns the display of an argument `progress`."""
    if progress is None or progress is False:
        return None
    if progress is True:
        from kalah._display.progress import ProgressBar

        bar = ProgressBar()
        return Display(bar.update, bar.close)
    return Display(_arguments.function(progress, "progress"), lambda: None)


def jobs_limit(jobs_in_flight: Any) -> int | None:
    """Returns the number of an argument `jobs_in_flight`."""
    if jobs_in_flight is None:
        return None
    return _arguments.integer(jobs_in_flight, "jobs_in_flight", 1, MAX_JOBS)


def check_executor(executor: Any) -> None:
    """Raises `TypeError` for an argument that is neither an executor nor a function."""
    if not isinstance(executor, Executor) and not callable(executor):
        raise _arguments.type_error(executor, "executor", "Executor or a function that returns one")


class _BrokenError(Exception):
    """The executor takes no more jobs."""


@dataclasses.dataclass(eq=False)
class _JobInFlight:
    """A job that at least one worker has."""

    job: Job
    futures: set[Future[Answer]]
    handed_out: float
    """The time at which it was handed out last."""
    repetitions: int = 0
    """The number of times that it was handed out again. Each doubles its lease."""

    @property
    def number(self) -> int:
        """The number of the job."""
        return int(self.job["number"])


class Run(Generic[StatusT]):
    """The jobs in flight of a coordinator, from the first to the last."""

    def __init__(
        self,
        coordinator: Coordinator[StatusT],
        limit: int | None,
        lease: float,
        display: Display[StatusT] | None,
        report_load: Callable[[datetime.timedelta, datetime.timedelta], None] | None = None,
    ) -> None:
        """Prepares the jobs of a coordinator.

        `report_load` is called with the time for which this process was busy, and with all time
        since the last call.
        """
        self._coordinator = coordinator
        self._report_load = report_load
        self._fixed_limit = limit
        self._lease = lease
        self._display = display
        self._jobs: dict[int, _JobInFlight] = {}
        self._answers: queue.SimpleQueue[tuple[_JobInFlight, Future[Answer]]] = queue.SimpleQueue()
        self._repeated = 0
        self._losses = 0
        self._limit = 1
        # The largest limit since the last result.
        self._max_limit = 1
        self._ends_with_parent = False
        self._seconds = 0.0
        # The seconds of the last wait for an answer.
        self._waited = 0.0
        self._size = 0.0
        self._next_count = 0.0
        self._next_lease_check = 0.0

    def finish(self, source: Executor | Callable[[], Executor]) -> StatusT:
        """Completes all jobs with an executor, or with those that a function creates."""
        failures = 0
        while not self._coordinator.is_finished:
            completed = self._coordinator.completed_jobs
            executor = source if isinstance(source, Executor) else self._create(source, failures)
            try:
                self._run(_executors.without_lost_results(executor))
            except _BrokenError as error:
                failures = 1 if self._coordinator.completed_jobs > completed else failures + 1
                if isinstance(source, Executor) or failures > MAX_LOST_ROUNDS:
                    raise ClusterError(self._broken_text(error)) from error.__cause__
                self._repeated += len(self._jobs)
            finally:
                self._abandon_all()
                if executor is not source:
                    executor.shutdown(wait=False)
        return self._status()

    def _create(self, create: Callable[[], Executor], failures: int) -> Executor:
        """Creates an executor, the first one or another after `failures` broken ones."""
        try:
            executor = create()
        except OSError as error:
            if failures == 0:
                raise
            raise ClusterError(self._broken_text(error)) from error
        if not isinstance(executor, Executor):
            raise _arguments.type_error(executor, "the result of executor", "Executor")
        return executor

    def _broken_text(self, error: Exception) -> str:
        return (
            f"{error}; '{self._coordinator.path}' has all finished jobs, and the same call with a "
            "new executor goes on from there"
        )

    def _status(self) -> StatusT:
        return self._coordinator.status(self._repeated)

    def _run(self, executor: Executor) -> None:
        self._ends_with_parent = isinstance(executor, ProcessPoolExecutor)
        self._next_count = 0.0
        start = time.monotonic()
        while not self._coordinator.is_finished:
            is_ready = self._check(executor)
            if is_ready:
                self._fill(executor)
            # Here the workers have all the jobs that they can have.
            if self._display is not None:
                self._display.update(self._status)
            self._take_answers()
            if is_ready:
                self._check_leases(executor)
            start = self._report(start)

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
            except Exception as error:
                # A connection that was lost a moment ago can raise any error.
                if not isinstance(error, OSError) and _executors.connection(executor) == "ready":
                    raise
                return False
            if number is None:
                raise KalahError(
                    f"jobs_in_flight: {type(executor).__name__} does not tell how many jobs it "
                    "runs at the same time"
                )
            # A first job waits for the first worker.
            self._limit = max(1, number)
            self._max_limit = max(self._max_limit, self._limit)
        return state == "ready"

    def _fill(self, executor: Executor) -> None:
        while len(self._jobs) < self._limit:
            job = self._coordinator.next_job()
            if job is None:
                return
            in_flight = _JobInFlight(job, set(), time.monotonic())
            self._jobs[in_flight.number] = in_flight
            if not self._submit(executor, in_flight):
                self._lose(in_flight)
                return

    def _submit(self, executor: Executor, in_flight: _JobInFlight) -> bool:
        """Hands a job to an executor. Returns `False` if its connection was lost a moment ago."""
        function, arguments = self._coordinator.call(
            in_flight.job, ends_with_parent=self._ends_with_parent
        )
        try:
            future = executor.submit(function, *arguments)
        except BrokenExecutor as error:
            raise _broken(error) from error
        except Exception as error:
            if _executors.connection(executor) != "ready":
                return False
            if isinstance(error, RuntimeError):
                # The executor was shut down.
                raise _broken(error) from error
            raise
        in_flight.handed_out = time.monotonic()
        in_flight.futures.add(future)
        future.add_done_callback(lambda future: self._answers.put((in_flight, future)))
        return True

    def _take_answers(self) -> None:
        """Takes all answers, and waits a moment for the first one. They are stored together."""
        try:
            self._take(*self._wait())
            while True:
                self._take(*self._answers.get_nowait())
        except queue.Empty:
            pass
        finally:
            self._coordinator.write()

    def _wait(self) -> tuple[_JobInFlight, Future[Answer]]:
        """Waits a moment for an answer."""
        start = time.monotonic()
        try:
            return self._answers.get(timeout=POLL_SECONDS)
        finally:
            self._waited = time.monotonic() - start

    def _take(self, in_flight: _JobInFlight, future: Future[Answer]) -> None:
        in_flight.futures.discard(future)
        number = in_flight.number
        # Another worker can have had the result before.
        if self._jobs.get(number) is not in_flight:
            return
        error = _error(future)
        if error is None:
            kind, worker, value = future.result()
            if kind != _worker.RESULT:
                raise ClusterError(f"{worker}: {value}")
            self._size += self._coordinator.complete(number, value, worker)
            self._seconds += time.monotonic() - in_flight.handed_out
            self._forget(in_flight)
            self._losses = 0
            self._max_limit = self._limit
        elif _executors.breaks(error):
            raise _broken(error) from error
        elif not _executors.is_lost(error):
            raise ClusterError(f"a job failed: {_describe(error)}") from error
        elif not in_flight.futures:
            self._lose(in_flight)
            self._losses += 1
            if self._losses > MAX_LOST_ROUNDS * self._max_limit:
                raise ClusterError(
                    f"the workers of {self._losses} jobs were lost one after another, perhaps for "
                    f"lack of memory: {_describe(error)}"
                ) from error

    def _check_leases(self, executor: Executor) -> None:
        """Hands out the jobs again whose workers have no answer yet. A late answer still counts."""
        now = time.monotonic()
        if now < self._next_lease_check:
            return
        self._next_lease_check = now + POLL_SECONDS
        average = self._seconds / max(1, self._size)
        for in_flight in list(self._jobs.values()):
            size = self._coordinator.size(in_flight.job)
            lease = max(self._lease, POLL_SECONDS, LEASE_FACTOR * average * size)
            lease *= 2**in_flight.repetitions
            is_over = now - in_flight.handed_out > lease
            if is_over and self._submit(executor, in_flight):
                in_flight.repetitions += 1
                self._repeated += 1

    def _report(self, start: float) -> float:
        """Reports the load since a time, and returns the time of the report."""
        end = time.monotonic()
        if self._report_load is not None:
            busy = max(0.0, end - start - self._waited)
            self._report_load(
                datetime.timedelta(seconds=busy), datetime.timedelta(seconds=end - start)
            )
        return end

    def _forget(self, in_flight: _JobInFlight) -> None:
        del self._jobs[in_flight.number]
        for future in in_flight.futures:
            future.cancel()

    def _lose(self, in_flight: _JobInFlight) -> None:
        """Takes a job back whose worker is lost."""
        self._forget(in_flight)
        self._coordinator.abandon(in_flight.number)
        self._repeated += 1

    def _abandon_all(self) -> None:
        """Takes all jobs in flight back."""
        for in_flight in list(self._jobs.values()):
            self._forget(in_flight)
            self._coordinator.abandon(in_flight.number)


def _error(future: Future[Answer]) -> BaseException | None:
    """Returns the exception of a future, also if it was cancelled."""
    try:
        return future.exception()
    except BaseException as error:
        return error


def _broken(error: BaseException) -> _BrokenError:
    return _BrokenError(f"the executor takes no more jobs ({str(error).rstrip('.')})")


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
