"""The coordinator of a tournament, whose jobs are pairs of games."""

import datetime
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any, Final, Literal, SupportsIndex, TypeAlias

from kalah import _arguments
from kalah._kalah import _TournamentCoordinator
from kalah.cluster import _forks, _jobs, _tournament_worker, _worker
from kalah.cluster._jobs import Call, Job, Path
from kalah.cluster._tournament_status import Sprt, TournamentStatus, tournament_status_of
from kalah.typing import PositionLike, RulesLike

TournamentFormat: TypeAlias = Literal["round-robin", "gauntlet", "swiss"]
"""The format of a tournament."""

MIN_LEASE_SECONDS: Final = 30 * 60
"""The least time by default after which a pair without an answer is handed out again."""


def tournament(
    contestants: Iterable[str] | None,
    folder: Path,
    executor: Executor | Callable[[], Executor],
    *,
    format: TournamentFormat | None = None,  # noqa: A002
    rounds: SupportsIndex | None = None,
    start: PositionLike | None = None,
    rules: RulesLike | None = None,
    openings: Path | None = None,
    time: str | None = None,
    grace: float | datetime.timedelta | str | None = None,
    adjudicate: SupportsIndex | None = None,
    resign: str | None = None,
    sprt: Sprt | None = None,
    seed: SupportsIndex | None = None,
    memory: SupportsIndex | str | None = None,
    jobs_in_flight: SupportsIndex | None = None,
    lease: float | datetime.timedelta | None = None,
    progress: bool | Callable[[TournamentStatus], object] | None = None,
) -> TournamentStatus:
    """Plays a tournament with the workers of an executor.

    `contestants` are at least two texts, as `kalah arena` has them: built-in players such as
    `level:3`, and programs such as `cmd='./mybot --fast',proto=uki,name=Mine`, with paths of the
    machines of the workers. A relative folder `dir=` of a program is within the current folder of
    this process. The tournament keeps it as an absolute one, so that later calls without
    `contestants` go on in any folder. `folder` is that of the tournament: a new one, or one of an
    earlier call or of `kalah arena`, which is continued. It has every finished game at once. No
    other process can play in it, and it belongs on a disk of this machine.

    The other options are those of `kalah arena`, too. In a new tournament, a missing one is the
    default of `kalah arena`. A folder with finished games has its options: given ones must be equal
    to them, and any can be missing, also `contestants`.

    - `format` is `round-robin`, `gauntlet` or `swiss`, and `rounds` the number of rounds, 10, or
      5000 with `sprt`.
    - `start` is the `Position` before any opening, or its text under `rules`; 6x4 under `cs32`,
      unless a program speaks a protocol with other rules.
    - `openings` is the path of a file, or `balanced:K`, `plies:N`, `random:N` or `start`.
    - `time` is `1s` for each move, `10s+0.1s` for a game and each turn, or `nodes=10000`.
    - `grace` is the tolerated delay of an answer, in seconds or as a text such as `50ms`.
    - Games with at most `adjudicate` seeds in the houses end with their proven margin; 0 plays all
      games to their end. By default it is a quarter of all seeds, at most 12.
    - With `resign`, such as `seeds=30,moves=4`, a game is lost when both players have estimated in
      their last 4 moves that one of them loses it by at least 30 seeds.
    - `sprt` ends a match of two contestants as soon as the test is decided.
    - `seed` determines the order of the openings and the random choices of built-in players, and
      `memory` is that of each built-in player that searches, `64MiB`.

    `executor` is a `concurrent.futures.Executor`, or a function that creates one. A function is
    called again if the executor breaks, as a process pool does with the first process that is
    killed. A job is a pair of games with one opening, whose games a worker plays one after another.
    The executor runs `jobs_in_flight` jobs, by default as many as it runs at the same time. One
    player of a game thinks at a time: with time controls, each processor should have one job.

    A pair that has no answer after `lease` seconds, and ten times the average time of a pair, is
    handed out again. By default that is the time that both players have for two games with as many
    plies as there are seeds, and at least half an hour. `progress` is `True` for a progress bar
    (with tqdm), or a function that is called with a `TournamentStatus`, at most twice a second.
    Ctrl-C ends the call with `KeyboardInterrupt`.

    Raises `ClusterError` if a worker has another version of this package or cannot start a
    contestant, and if the executor breaks; `TournamentError` if a worker returns games that are not
    those of its pair, if the folder has no tournament or another one, or if another process plays
    in it; `KalahError` for options that contradict each other; and `OSError` if the folder cannot
    be written. The folder has all games then, and another call goes on with them.
    """
    limit = _jobs.jobs_limit(jobs_in_flight)
    seconds = None if lease is None else _arguments.seconds(lease, "lease")
    display: _jobs.Display[TournamentStatus] | None = _jobs.display(progress)
    _jobs.check_executor(executor)
    if sprt is not None and not isinstance(sprt, Sprt):
        raise _arguments.type_error(sprt, "sprt", "Sprt")
    coordinator = _TournamentCoordinator(
        folder,
        contestants,
        format=format,
        rounds=rounds,
        seed=seed,
        start=start,
        rules=rules,
        openings=openings,
        time=time,
        grace=grace,
        adjudicate=adjudicate,
        resign=resign,
        sprt=None if sprt is None else _hypotheses(sprt),
        memory=memory,
    )
    if seconds is None:
        seconds = max(MIN_LEASE_SECONDS, coordinator.max_pair_seconds() or 0)
    games = _Tournament(coordinator, os.fspath(folder))
    try:
        with _forks.owned(coordinator):
            status = _jobs.Run(games, limit, seconds, display).finish(executor)
    except BaseException:
        # The report has the games so far, but their loss is not the reason why the call ends.
        with suppress(Exception):
            coordinator.write_report()
        raise
    else:
        coordinator.write_report()
        return status
    finally:
        coordinator.close()
        if display is not None:
            display.close()


def _hypotheses(sprt: Sprt) -> tuple[float, float, float, float]:
    """Returns the numbers of a sequential test as the extension takes them."""

    def number(name: str) -> float:
        return _arguments.number(getattr(sprt, name), f"sprt.{name}")

    return number("elo0"), number("elo1"), number("alpha"), number("beta")


class _Tournament:
    """The jobs of a tournament, as `_jobs.Coordinator` has them."""

    def __init__(self, coordinator: _TournamentCoordinator, path: str) -> None:
        self._coordinator = coordinator
        self._text = coordinator.worker_text()
        self.path = path

    @property
    def is_finished(self) -> bool:
        """Whether no further game is played."""
        return self._coordinator.is_finished

    @property
    def completed_jobs(self) -> int:
        """The number of pairs that this call has completed."""
        return self._coordinator.status()["completed_jobs"]

    def call(self, job: Job, *, ends_with_parent: bool) -> Call:
        """Returns the play of a pair."""
        settings = _tournament_worker.Settings(self._text, ends_with_parent)
        return _tournament_worker.play, (_worker.VERSION, tuple(settings), job)

    def next_job(self) -> Job | None:
        """Returns the next pair, or `None` if there is none now."""
        return self._coordinator.next_job()

    def size(self, job: Job) -> float:
        """Returns the number of games of a pair that are to be played."""
        return float(len(job["games"]))

    def complete(self, number: int, result: Any, worker: str) -> float:
        """Stores the games of a pair, and returns their number."""
        self._coordinator.complete(number, result, worker)
        return float(len(result))

    def write(self) -> None:
        """Does nothing: `complete` stores each game."""

    def abandon(self, number: int) -> None:
        """Takes a pair back."""
        self._coordinator.abandon(number)

    def status(self, repeated_jobs: int) -> TournamentStatus:
        """Returns the state of the tournament."""
        return tournament_status_of(self.path, self._coordinator.status(), repeated_jobs)
