"""The worker of a cluster: answers calls, and searches jobs of proofs with one engine a process.

The arguments and the results are tuples, lists and dicts of plain values, which every version of
the package can read.
"""

import multiprocessing
import os
import platform
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, NoReturn, TypeVar

from kalah import _arguments
from kalah._kalah import (
    _VERSION,
    KalahError,
    Position,
    Rules,
    Table,
    TableError,
    _memory_bytes,
    _ProofWorker,
)
from kalah.typing import PositionLike, RulesLike

if TYPE_CHECKING:
    from kalah._kalah import _Job

VERSION: Final[str] = _VERSION
"""The version of this package."""

RESULT: Final = "result"
"""The kind of an answer with the result of a job."""

ERROR: Final = "error"
"""The kind of an answer with an error as text."""


MAX_THREADS: Final = 256
"""The maximum number of threads of the engine of a process."""


class Settings(NamedTuple):
    """The engine of the workers of a proof or of a book."""

    position: str
    """The position of the proof, or the start of the book."""
    rules: str
    """Its rules."""
    moves: bool
    """Whether the margins of all moves are proven."""
    memory: int | None
    """The memory of the engine of a process in bytes."""
    threads: int | None
    """The threads of the engine of a process."""
    tables: tuple[str, ...]
    """The files of endgame tables on the machine of the worker."""
    ends_with_parent: bool
    """Whether the process ends as soon as the one that has started it ends."""


def position_under(position: PositionLike, rules: RulesLike | None) -> Position:
    """Returns the position of an argument under the rules of another one."""
    if not isinstance(position, Position):
        return Position(position, rules)
    if rules is not None and (Rules(rules) if isinstance(rules, str) else rules) != position.rules:
        raise KalahError(f"rules: expected those of the position, {position.rules}, not {rules}")
    return position


def _thread_count(threads: Any) -> int:
    """Returns the number of an argument `threads`."""
    return _arguments.integer(threads, "threads", 1, MAX_THREADS)


def _table_paths(tables: Any) -> tuple[str, ...]:
    """Returns the paths of an argument `tables`."""
    if tables is None:
        return ()
    if isinstance(tables, str | os.PathLike):
        return (os.fspath(tables),)
    is_iterable = isinstance(tables, Iterable) and not isinstance(tables, bytes)
    paths: list[Any] = list(tables) if is_iterable else [tables]
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise _arguments.type_error(path, "tables", "str, os.PathLike or an iterable of them")
    return tuple(map(os.fspath, paths))


def settings_of(
    position: Position, *, moves: bool, memory: Any, threads: Any, tables: Any
) -> Settings:
    """Returns the settings of the workers from the arguments of a call."""
    return Settings(
        position=str(position),
        rules=str(position.rules),
        moves=moves,
        memory=None if memory is None else _memory_bytes(memory),
        threads=None if threads is None else _thread_count(threads),
        tables=_table_paths(tables),
        ends_with_parent=False,
    )


SettingsT = TypeVar("SettingsT")
WorkerT = TypeVar("WorkerT")


class ProcessWorker(Generic[SettingsT, WorkerT]):
    """The worker of this process, created for its first job and kept for equal settings."""

    def __init__(self, create: Callable[[SettingsT], WorkerT]) -> None:
        self._create = create
        self._current: tuple[int, SettingsT, WorkerT] | None = None
        self._lock = threading.Lock()

    def get(self, settings: SettingsT) -> WorkerT:
        """Returns the worker for these settings. A worker for other settings is dropped first."""
        with self._lock:
            # A forked process has a copy of the worker of its parent.
            if self._current is None or self._current[:2] != (os.getpid(), settings):
                self._current = None
                self._current = (os.getpid(), settings, self._create(settings))
            return self._current[2]

    def current(self) -> WorkerT | None:
        """Returns the worker, or `None` if this process has created none."""
        current = self._current
        return None if current is None or current[0] != os.getpid() else current[2]


def name() -> str:
    """Returns the name of this process in the form that the lock file of a store has."""
    return f"process {os.getpid()} on {platform.node()}"


def answer(version: str, work: Callable[[], Any]) -> tuple[str, str, Any]:
    """Does some work if the coordinator has the version of this package.

    Returns `RESULT`, the name of this process and the result of the work, or `ERROR`, the name and
    the reason as text.
    """
    if version != VERSION:
        return (
            ERROR,
            name(),
            f"this worker has version {VERSION} of the package kalah, and the coordinator has "
            f"version {version}: install the same version on all machines",
        )
    try:
        return RESULT, name(), work()
    except Exception as error:
        return ERROR, name(), f"{type(error).__name__}: {error}"


def search(version: str, settings: tuple[Any, ...], job: "_Job") -> tuple[str, str, Any]:
    """Searches a job of a proof, and returns the answer."""
    return answer(version, lambda: _workers.get(Settings(*settings)).search(job))


def _create_worker(settings: Settings) -> _ProofWorker:
    """Builds the engine for the jobs of a proof."""
    if settings.ends_with_parent:
        end_with_parent()
    return _ProofWorker(
        settings.position,
        settings.rules,
        moves=settings.moves,
        memory=settings.memory,
        threads=settings.threads,
        tables=open_tables(settings),
    )


_workers = ProcessWorker(_create_worker)


def open_tables(settings: Settings) -> list[Table]:
    """Opens the tables and compares their checksums."""
    position = Position(settings.position, settings.rules)
    tables = []
    for path in settings.tables:
        table = Table.open(path)
        if not _fits(table, position):
            raise TableError(f"'{path}': {table!r} has no positions of '{position}'")
        table.verify()
        tables.append(table)
    return tables


def _fits(table: Table, position: Position) -> bool:
    """Returns whether the positions after a position can be in a table."""

    def relevant(rules: Rules) -> tuple[str, str]:
        return rules.ends, rules.capture

    return table.houses == position.houses and relevant(table.rules) == relevant(position.rules)


#: The calls before this process ends early.
exit_calls: list[Callable[[], object]] = []


def end() -> NoReturn:
    """Ends this process at once, also if it does a job."""
    for call in exit_calls:
        call()
    os._exit(1)


def end_with_parent() -> None:
    """Ends this process as soon as the one that has started it ends.

    A process pool does not end its processes if its own process is killed, and they would keep
    their memory.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        end()

    threading.Thread(target=wait, daemon=True).start()
