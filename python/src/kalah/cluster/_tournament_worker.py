"""The worker of a tournament: plays pairs of games."""

import os
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from kalah._kalah import _TournamentWorker
from kalah.cluster import _worker

if TYPE_CHECKING:
    from kalah._kalah import _Pair


class Settings(NamedTuple):
    """The tournament of the workers."""

    text: str
    """The configuration as the coordinator writes it."""
    ends_with_parent: bool
    """Whether the process ends as soon as the one that has started it ends."""


class _Current(NamedTuple):
    process: int
    settings: Settings
    worker: _TournamentWorker


_current: _Current | None = None
_current_lock = threading.Lock()


def play(version: str, settings: tuple[Any, ...], pair: "_Pair") -> tuple[str, str, Any]:
    """Plays a pair of games, and returns the answer with their lines of the journal."""
    return _worker.answer(version, lambda: _prepared(Settings(*settings)).play(pair))


def _prepared(settings: Settings) -> _TournamentWorker:
    """Returns the worker of this process, which is prepared at the first pair of a tournament."""
    global _current
    with _current_lock:
        # A forked process has a copy of the worker of its parent.
        if _current is None or _current[:2] != (os.getpid(), settings):
            _current = None
            if settings.ends_with_parent:
                _worker.end_with_parent()
            _current = _Current(os.getpid(), settings, _TournamentWorker(settings.text))
        return _current.worker


def _kill_programs() -> None:
    current = _current
    if current is not None and current.process == os.getpid():
        current.worker.kill_programs()


_worker.exit_calls.append(_kill_programs)
