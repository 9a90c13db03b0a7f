"""The worker of a tournament: plays pairs of games."""

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


def play(version: str, settings: tuple[Any, ...], pair: "_Pair") -> tuple[str, str, Any]:
    """Plays a pair of games, and returns the answer with their lines of the journal."""
    return _worker.answer(version, lambda: _workers.get(Settings(*settings)).play(pair))


def _create_worker(settings: Settings) -> _TournamentWorker:
    """Prepares the pairs of a tournament."""
    if settings.ends_with_parent:
        _worker.end_with_parent()
    return _TournamentWorker(settings.text)


_workers = _worker.ProcessWorker(_create_worker)


def _kill_programs() -> None:
    worker = _workers.current()
    if worker is not None:
        worker.kill_programs()


_worker.exit_calls.append(_kill_programs)
