"""The state of a tournament."""

import dataclasses
import json
import math
from typing import TYPE_CHECKING, Any, Literal

from kalah.players import Interval

if TYPE_CHECKING:
    from kalah._kalah import _TournamentStatus


@dataclasses.dataclass(frozen=True)
class Sprt:
    """A sequential test of two contestants: is the first one stronger by `elo0` or by `elo1`?"""

    elo0: float = 0.0
    """The difference in Elo under the hypothesis H0."""
    elo1: float = 10.0
    """The difference in Elo under the hypothesis H1."""
    alpha: float = 0.05
    """The probability of accepting H1 although H0 is true."""
    beta: float = 0.05
    """The probability of accepting H0 although H1 is true."""


@dataclasses.dataclass(frozen=True)
class SprtStatus:
    """The state of a sequential test."""

    pairs: int
    """The pairs of games that it counts."""
    llr: float
    """The log-likelihood ratio of H1 against H0."""
    lower: float
    """The ratio at which H0 is accepted."""
    upper: float
    """The ratio at which H1 is accepted."""
    verdict: Literal["H0", "H1"] | None
    """The accepted hypothesis, or `None` while the test is undecided."""


@dataclasses.dataclass(frozen=True)
class Standing:
    """The results of a contestant."""

    rank: int
    """One more than the number of contestants with a higher share of their possible points."""
    name: str
    """The name."""
    contestant: str
    """The text from which workers start it."""
    points: float
    """The points: 1 for a win and 1/2 for a tie."""
    games: int
    """The finished games."""
    wins: int
    """The games that it has won."""
    ties: int
    """The games that are tied."""
    losses: int
    """The games that it has lost."""
    faults: int
    """The games that it has lost by its own fault, such as a crash or an illegal move."""
    elo: float | None
    """The strength in Elo, or `None` without comparable games.

    With two contestants it is the difference to the other one, with more that to their mean. It is
    infinite for a contestant that has made all points or none.
    """
    elo_interval: Interval | None
    """The 95 % interval of the strength, or `None` if there are too few games for one."""


@dataclasses.dataclass(frozen=True)
class TournamentStatus:
    """The state of a tournament."""

    folder: str
    """The folder with its games."""
    standings: tuple[Standing, ...]
    """The contestants, the best first."""
    games: int
    """The finished games."""
    planned_games: int
    """The games that are played unless a sequential test ends the tournament."""
    is_finished: bool
    """Whether no further game is played."""
    sprt: SprtStatus | None
    """The sequential test, if there is one."""
    jobs_in_flight: int
    """The pairs that workers play."""
    jobs: int
    """The pairs that this call has completed."""
    repeated_jobs: int
    """The pairs that this call has handed out more than once.

    Their workers were lost, or had no result in the time of the lease.
    """
    text: str
    """The results as `kalah arena` prints them."""


def tournament_status_of(
    folder: str, status: "_TournamentStatus", repeated_jobs: int
) -> TournamentStatus:
    """Returns the state of a tournament from that of its coordinator."""
    results = json.loads(status["results"])
    return TournamentStatus(
        folder=folder,
        standings=tuple(_standing(entry) for entry in results["contestants"]),
        games=results["games_finished"],
        planned_games=results["games_planned"],
        is_finished=results["is_complete"],
        sprt=_sprt(results["sprt"]),
        jobs_in_flight=status["jobs_in_flight"],
        jobs=status["completed_jobs"],
        repeated_jobs=repeated_jobs,
        text=status["text"],
    )


def _standing(entry: dict[str, Any]) -> Standing:
    games = entry["games"]
    elo, interval = _rating(entry["rating"])
    return Standing(
        rank=entry["rank"],
        name=entry["name"],
        contestant=entry["engine"],
        points=entry["points"],
        games=games["wins"] + games["ties"] + games["losses"],
        wins=games["wins"],
        ties=games["ties"],
        losses=games["losses"],
        faults=sum(entry["faults"].values()),
        elo=elo,
        elo_interval=interval,
    )


def _rating(rating: dict[str, Any] | None) -> tuple[float | None, Interval | None]:
    """Returns the strength with its interval."""
    kind = None if rating is None else rating["kind"]
    if rating is None or kind == "unknown":
        return None, None
    if kind != "number":
        return (math.inf if kind == "above-all" else -math.inf), None
    interval = rating["interval"]
    if interval is not None:
        interval = Interval(_elo(interval["lower"]), _elo(interval["upper"]))
    return _elo(rating["elo"]), interval


def _elo(value: float | str) -> float:
    """Returns the number of Elo that can be infinite, such as `+infinite`."""
    if isinstance(value, str):
        return -math.inf if value.startswith("-") else math.inf
    return float(value)


def _sprt(test: dict[str, Any] | None) -> SprtStatus | None:
    if test is None:
        return None
    verdicts: dict[str, Literal["H0", "H1"] | None] = {"h0": "H0", "h1": "H1", "continue": None}
    return SprtStatus(
        pairs=test["pairs"],
        llr=test["llr"],
        lower=test["lower"],
        upper=test["upper"],
        verdict=verdicts[test["verdict"]],
    )
