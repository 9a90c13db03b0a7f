"""Progress bars of long calls."""

from kalah._kalah import BuildProgress, PositionProgress, Report

try:
    from tqdm.auto import tqdm
except ImportError as error:
    message = "progress=True needs tqdm: pip install 'kalah[progress]'"
    raise ImportError(message) from error


class ProgressBar:
    """A bar for the positions of a call, or a line with the bounds of an analysis."""

    def __init__(self) -> None:
        """Create the bar. It appears with the first update."""
        self._bar: tqdm[None] | None = None

    def update(self, state: BuildProgress | PositionProgress | Report) -> None:
        """Display a new state."""
        if isinstance(state, BuildProgress):
            if self._bar is None:
                self._bar = tqdm(total=state.total, unit=" positions", unit_scale=True, leave=False)
            self._bar.set_description(f"layer {state.layer}", refresh=False)
            self._bar.update(state.done - self._bar.n)
        elif isinstance(state, PositionProgress):
            if self._bar is None:
                self._bar = tqdm(total=state.total, unit=" positions", leave=False)
            self._bar.update(state.done - self._bar.n)
        else:
            if self._bar is None:
                self._bar = tqdm(unit=" nodes", unit_scale=True, leave=False)
            bounds = state.bounds
            self._bar.set_description(
                f"margin {bounds.lower:+} to {bounds.upper:+}, depth {state.depth}", refresh=False
            )
            self._bar.update(state.nodes - self._bar.n)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
