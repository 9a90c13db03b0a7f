"""The executors of this package, and what a coordinator needs to know of any executor."""

import asyncio
import concurrent.futures
import importlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import resource_tracker
from types import FrameType
from typing import Any, Final, Literal, NoReturn
from weakref import WeakSet

from kalah import _arguments
from kalah._imports.extras import missing
from kalah._kalah import KalahError
from kalah.cluster import _worker

FILE_ENDING: Final = ".json"
"""The ending of the file of a scheduler."""

FILE_POLL_SECONDS: Final = 0.1
"""The time between two looks for the file of a scheduler."""

END_SECONDS: Final = 1.0
"""The time in which a process of a pool ends its programs."""

ENDING_SIGNALS: Final = tuple(
    signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""The signals whose handlers can end a program by an exception."""


def _end_at_signal(_number: int, _frame: FrameType | None) -> NoReturn:
    _worker.end()


def _set_signals() -> None:
    """Sets the signals of a process of a pool: Ctrl-C is ignored, and its programs end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end_at_signal)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def _delayed_signals() -> Iterator[None]:
    """Delays the handlers of signals that end a program, so that a new process gets all its data.

    Processes that are started meanwhile delay Ctrl-C until `_set_signals`.
    """
    delayed: list[tuple[int, FrameType | None]] = []
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], Any]] = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING_SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):
                handlers[number] = handler
                signal.signal(number, lambda *arguments: delayed.append(arguments))
    try:
        with _blocked_interrupts():
            yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for delayed_number, frame in delayed:
            handlers[signal.Signals(delayed_number)](delayed_number, frame)


@contextmanager
def _blocked_interrupts() -> Iterator[None]:
    """Blocks Ctrl-C in this thread and in the processes that it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The first process of a pool starts the resource tracker, too, which unblocks the signal in
    # some versions of Python. It is started before the signal is blocked.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class PoolExecutor(ProcessPoolExecutor):
    """A pool of processes on this machine that end with this process, also during a job.

    The processes ignore Ctrl-C, which a terminal sends to all processes of a program: `prove` and
    `tournament` end them, with the programs that they have started.
    """

    def __init__(self, processes: int) -> None:
        super().__init__(
            processes,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_set_signals,
        )

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hands a call to a process. The first call starts the processes."""
        with _delayed_signals():
            return super().submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002
        """Ends the processes: after their jobs with `wait`, else at once."""
        processes = [] if wait else list((self._processes or {}).values())
        super().shutdown(wait=wait, cancel_futures=cancel_futures or not wait)
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + END_SECONDS
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
            process.kill()


class LostResultError(Exception):
    """The result of a call cannot be fetched, for example because the connection is lost."""


class DaskExecutor(Executor):
    """The executor of a Dask cluster.

    `scheduler` is the address of its scheduler, such as `tcp://pluto:8786`, the path of the file
    with the ending `.json` in which the scheduler has written it, or a `distributed.Client`, which
    stays open after `shutdown`. `options` are arguments of `distributed.Client.submit` for all
    calls. With `resources` and `workers`, `prove` and `tournament` need `jobs_in_flight`.

    A result counts also if its worker is lost a moment later. The executor that
    `distributed.Client.get_executor()` returns can raise an error then.

    Raises `ImportError` if `distributed` is not installed, `KalahError` for a text that is no
    address, and `OSError` if the scheduler cannot be reached within `timeout` seconds.
    """

    def __init__(self, scheduler: Any, *, timeout: float = 30, **options: Any) -> None:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise ImportError(missing("distributed", "cluster")) from None
        self._options = {**options, "pure": False}
        self._futures: WeakSet[Future[Any]] = WeakSet()
        self._is_shut_down = False
        self._owns_client = not isinstance(scheduler, distributed.Client)
        if not self._owns_client:
            self._client = scheduler
            return
        if not isinstance(scheduler, str):
            raise _arguments.type_error(scheduler, "scheduler", "str or distributed.Client")
        check_scheduler(scheduler)
        name = "scheduler_file" if scheduler.endswith(FILE_ENDING) else "address"
        if name == "scheduler_file":
            _wait_for_file(scheduler, timeout)
        address: dict[str, Any] = {name: scheduler}
        self._client = distributed.Client(**address, timeout=timeout, set_as_default=False)

    @property
    def uses_some_workers(self) -> bool:
        """Whether some workers of the cluster get no calls."""
        return bool(self._options.get("workers") or self._options.get("resources"))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hands a call to the scheduler."""
        if self._is_shut_down:
            raise RuntimeError("cannot schedule new futures after shutdown")
        remote = self._client.submit(fn, *args, **kwargs, **self._options)
        loop = self._client.loop.asyncio_loop
        future = asyncio.run_coroutine_threadsafe(_wait_for_result(remote), loop)
        self._futures.add(future)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002
        """Closes the connection.

        With `wait` it waits for the calls in flight. Without, and with `cancel_futures`, it cancels
        them, also those that workers have begun.
        """
        self._is_shut_down = True
        futures = list(self._futures)
        if wait and not cancel_futures:
            concurrent.futures.wait(futures)
        for future in futures:
            future.cancel()
        if self._owns_client:
            self._client.close()


async def _wait_for_result(remote: Any) -> Any:
    """Returns the result of a future of Dask, and cancels it if this coroutine is cancelled."""
    fetching = asyncio.ensure_future(_fetch(remote))
    try:
        # Futures share requests for results. A cancellation of `fetching` would cancel its request,
        # and with it the other futures.
        await asyncio.wait([fetching])
    except asyncio.CancelledError:
        fetching.add_done_callback(_ignore_result)
        if remote.client.status != "closed":
            await remote.cancel()
        raise
    return fetching.result()


async def _fetch(remote: Any) -> Any:
    """Returns the result of a future of Dask.

    Raises the error of its call, and `LostResultError` if the result cannot be fetched.
    """
    try:
        return await remote
    except Exception as error:
        if remote.status == "error":
            raise
        raise LostResultError(f"{type(error).__name__}: {error}") from error


def _ignore_result(future: asyncio.Future[Any]) -> None:
    """Keeps asyncio from logging the error of a future that nothing waits for."""
    if not future.cancelled():
        future.exception()


def without_lost_results(executor: Executor) -> Executor:
    """Returns a `DaskExecutor` with the client and options of an executor of Dask's own class.

    That class reads the result of a future and then its state. If the worker is lost in between, it
    takes the result for an error. Other executors are returned as they are.
    """
    module = sys.modules.get("distributed.cfexecutor")
    if module is not None and isinstance(executor, module.ClientExecutor):
        return DaskExecutor(executor._client, **executor._kwargs)
    return executor


def check_scheduler(scheduler: str) -> None:
    """Raises `KalahError` for a text that is neither an address nor a file of a scheduler.

    A client with such an address would raise an error of its own, and wait for its connection when
    the program ends.

    >>> from kalah.cluster._executors import check_scheduler
    >>> check_scheduler("pluto")
    Traceback (most recent call last):
        ...
    kalah.KalahError: scheduler: expected `tcp://HOST:PORT` or `NAME.json`, not `pluto`
    """
    if scheduler.endswith(FILE_ENDING):
        return
    try:
        comm: Any = importlib.import_module("distributed.comm.addressing")
        registry: Any = importlib.import_module("distributed.comm.registry")
    except ImportError:
        raise ImportError(missing("distributed", "cluster")) from None
    try:
        scheme, location = comm.parse_address(scheduler)
        registry.get_backend(scheme)
        if scheme != "inproc":
            comm.parse_host_port(location)
    except (ValueError, TypeError):
        quoted = _arguments.quoted(scheduler)
        message = f"scheduler: expected `tcp://HOST:PORT` or `NAME.json`, not {quoted}"
        raise KalahError(message) from None


def _wait_for_file(path: str, timeout: float) -> None:
    """Waits until a scheduler has written its file, for which Dask itself waits without a limit."""
    deadline = time.monotonic() + timeout
    while not os.path.exists(path):  # noqa: PTH110
        if time.monotonic() >= deadline:
            raise FileNotFoundError(f"there is no scheduler file '{path}'")
        time.sleep(FILE_POLL_SECONDS)


def dask_client(executor: Executor) -> Any:
    """Returns the client of a Dask executor, or `None` for another executor."""
    distributed = sys.modules.get("distributed")
    client = getattr(executor, "_client", None)
    if distributed is not None and isinstance(client, distributed.Client):
        return client
    return None


def slots(executor: Executor) -> int | None:
    """Returns the number of jobs that an executor runs at the same time; `None` if it is unknown.

    Raises `OSError` or another error if the connection to a scheduler is lost.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from kalah.cluster._executors import slots
    >>> slots(ThreadPoolExecutor(3))
    3
    """
    client = dask_client(executor)
    if client is not None:
        if isinstance(executor, DaskExecutor) and executor.uses_some_workers:
            return None
        return sum(int(threads) for threads in client.nthreads().values())
    # mpi4py has the number of its processes, and the standard library that of those it may start.
    for attribute in ("num_workers", "_max_workers"):
        number = getattr(executor, attribute, None)
        if isinstance(number, int):
            return number
    return None


def connection(executor: Executor) -> Literal["ready", "waiting", "lost"]:
    """Returns whether an executor is connected, connects again to its scheduler, or has ended."""
    client = dask_client(executor)
    if client is None or client.status == "running":
        return "ready"
    return "waiting" if client.status == "connecting" else "lost"


def breaks(error: BaseException) -> bool:
    """Returns whether an executor takes no further jobs after an error of one."""
    return isinstance(error, BrokenExecutor)


def is_lost(error: BaseException) -> bool:
    """Returns whether a job has no result because its worker, or the way to it, was lost."""
    if isinstance(error, CancelledError | LostResultError):
        return True
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(
        error,
        distributed.KilledWorker | distributed.CancelledError | distributed.comm.CommClosedError,
    )
