"""Progress bars of long calls."""

from typing import Any

from kalah._imports.extras import missing
from kalah._kalah import BuildProgress, PositionProgress, Report
from kalah.cluster._book import BookStatus
from kalah.cluster._status import ProofStatus
from kalah.cluster._tournament_status import TournamentStatus

try:
    from tqdm.auto import tqdm
except ImportError:
    raise ImportError(f"progress=True: {missing('tqdm', 'progress')}") from None


class ProgressBar:
    """A bar for the positions or games of a call, or the bounds of an analysis or a proof."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None

    def update(
        self,
        state: BookStatus
        | BuildProgress
        | PositionProgress
        | ProofStatus
        | Report
        | TournamentStatus,
    ) -> None:
        """Displays a new state. The first one makes the bar appear."""
        if isinstance(state, BuildProgress):
            bar = self._open(" positions", state.total)
            bar.set_description(f"layer {state.layer}", refresh=False)
            bar.update(state.done - bar.n)
        elif isinstance(state, PositionProgress):
            bar = self._open(" positions", state.total)
            bar.update(state.done - bar.n)
        elif isinstance(state, BookStatus):
            bar = self._open(" leaves", state.leaves)
            bar.update(state.known_leaves - bar.n)
        elif isinstance(state, TournamentStatus):
            bar = self._open(" games", state.planned_games)
            bar.set_description(f"{state.standings[0].name} leads", refresh=False)
            bar.update(state.games - bar.n)
        elif isinstance(state, ProofStatus):
            bar = self._open(" nodes", None)
            bounds = state.bounds
            text = (
                f"margin {bounds.lower:+} to {bounds.upper:+}, {state.solved_goals} of "
                f"{state.goals} goals"
            )
            bar.set_description(text, refresh=False)
            bar.update(state.nodes - bar.n)
        else:
            bar = self._open(" nodes", None)
            bounds = state.bounds
            text = f"margin {bounds.lower:+} to {bounds.upper:+}, depth {state.depth}"
            bar.set_description(text, refresh=False)
            bar.update(state.nodes - bar.n)

    def _open(self, unit: str, total: int | None) -> "tqdm[Any]":
        if self._bar is None:
            self._bar = tqdm(total=total, unit=unit, unit_scale=True, leave=False)
        return self._bar

    def close(self) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.close()
