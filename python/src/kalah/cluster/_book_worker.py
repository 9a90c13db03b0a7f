"""The worker of a build of a book: searches leaves with one engine a process."""

from typing import TYPE_CHECKING, Any

from kalah._kalah import Engine, KalahError
from kalah.cluster import _worker

if TYPE_CHECKING:
    from kalah._kalah import _Leaves


class _LeafSearcher:
    """An engine for the leaves of a book."""

    def __init__(self, settings: _worker.Settings) -> None:
        self._rules = settings.rules
        self._engine = Engine(
            memory=settings.memory,
            threads=1 if settings.threads is None else settings.threads,
            tables=_worker.open_tables(settings),
            book=False,
        )

    def search(self, job: "_Leaves") -> list[int]:
        """Returns the gains of the leaves of a job: their margins, because no store has seeds."""
        return [self._gain(leaf) for leaf in job["leaves"]]

    def _gain(self, leaf: str) -> int:
        report = self._engine.analyse(leaf, self._rules, goal="best-margin")
        if report.table_damage is not None or not report.is_exact:
            raise KalahError(report.table_damage or f"the margin of '{leaf}' is not proven")
        return report.margin


def search(version: str, settings: tuple[Any, ...], job: "_Leaves") -> tuple[str, str, Any]:
    """Searches the leaves of a job, and returns the answer with their gains."""
    return _worker.answer(version, lambda: _searchers.get(_worker.Settings(*settings)).search(job))


def _create_searcher(settings: _worker.Settings) -> _LeafSearcher:
    if settings.ends_with_parent:
        _worker.end_with_parent()
    return _LeafSearcher(settings)


_searchers = _worker.ProcessWorker(_create_searcher)
