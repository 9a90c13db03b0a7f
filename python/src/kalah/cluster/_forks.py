"""Coordinators in forked processes, which must not keep the locks of their files."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Forgetting(Protocol):
    """A coordinator with a locked file."""

    def forget_after_fork(self) -> None:
        """Leaves the lock to the process that has opened the file."""
        ...


#: The coordinators of this process. The processes of a pool can be forks of this process, and would
#: otherwise keep the locks.
_coordinators: list[Forgetting] = []


@contextmanager
def owned(coordinator: Forgetting) -> Iterator[None]:
    """Makes processes that are forked meanwhile forget a coordinator."""
    _coordinators.append(coordinator)
    try:
        yield
    finally:
        _coordinators.remove(coordinator)


def _forget_coordinators() -> None:
    for coordinator in _coordinators:
        coordinator.forget_after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_coordinators)
