"""Executors for the tests of `kalah.cluster`."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from kalah.cluster import PoolExecutor


class InlineExecutor(Executor):
    """Runs each call at once. `answer` changes the answers."""

    def __init__(self, answer: Callable[[Any], Any] = lambda answer: answer) -> None:
        self.answer = answer
        self.calls = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs a call and returns its changed answer."""
        self.calls += 1
        future: Future[Any] = Future()
        future.set_result(self.answer(fn(*args, **kwargs)))
        return future


class InterruptedExecutor(InlineExecutor):
    """Raises `KeyboardInterrupt` at a call."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.last = calls

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs a call, unless it is one too many."""
        if self.calls == self.last:
            raise KeyboardInterrupt
        return super().submit(fn, *args, **kwargs)


class ForkingExecutor(InlineExecutor):
    """Forks this process at the first call. The forked process runs until `end`."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs a call."""
        if self.calls == 0:
            self.read, self.write = os.pipe()
            self.child = os.fork()
            if self.child == 0:
                os.close(self.write)
                os.read(self.read, 1)
                os._exit(0)
        return super().submit(fn, *args, **kwargs)

    def end(self) -> None:
        """Ends the forked process."""
        os.close(self.write)
        os.waitpid(self.child, 0)


class KilledPool(PoolExecutor):
    """A pool of which one process is killed at a job."""

    def __init__(self, job: int) -> None:
        super().__init__(2)
        self.jobs_left = job

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submits a call, and kills a process at the chosen one."""
        future = super().submit(fn, *args, **kwargs)
        self.jobs_left -= 1
        if self.jobs_left == 0:
            os.kill(next(iter(self._processes)), signal.SIGKILL)
        return future
