"""Plots with matplotlib: the margins of a game, and the ratings of a tournament.

Needs matplotlib: `pip install 'kalah[plot]'`. Each function draws into axes and returns them; a
notebook displays them, and `axes.figure.savefig` writes a file.

>>> import kalah
>>> from kalah import plot
>>> review = kalah.review(kalah.Game("3x3", moves="A B"), nodes=10_000)
>>> plot.margins(review).get_xlabel()
'ply'
"""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kalah import _arguments
from kalah._imports.extras import missing
from kalah._kalah import KalahError, Review, ReviewedPly
from kalah._side import Side
from kalah.players import MatchResult
from kalah.plot._ratings import arena_ratings, match_ratings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Locator

__all__ = ["margins", "ratings"]

#: The colours of grades, distinct with every kind of colour vision.
GRADE_COLORS: Final = {"inaccuracy": "#e69f00", "mistake": "#d55e00", "blunder": "#a00000"}
LINE_COLOR: Final = "#0072b2"
#: The height of a contestant in inches.
ROW_HEIGHT: Final = 0.4

ResultsLike: TypeAlias = MatchResult | Mapping[str, Any] | str | os.PathLike[str]


def margins(review: Review, *, axes: "Axes | None" = None) -> "Axes":
    """Draws the margin of each position of a reviewed game for the player that began as South.

    A filled point is an exact margin, an open point an estimate, and the band has the proven
    bounds. Moves with a grade have their letter and symbol. `axes` are axes of matplotlib, by
    default new ones.

    Raises `TypeError` for other values.

    >>> import kalah
    >>> from kalah import plot
    >>> review = kalah.review(kalah.Game("3x2", moves="A"), nodes=10_000)
    >>> plot.margins(review).get_ylabel()
    'margin of South'
    """
    if not isinstance(review, Review):
        raise _arguments.type_error(review, "review", "Review")
    axes = _axes(axes, height=3.5)
    values = review.margins
    plies = range(len(values))
    expected = [value.margin for value in values]
    lower = [value.bounds.lower for value in values]
    upper = [value.bounds.upper for value in values]
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.fill_between(plies, lower, upper, color=LINE_COLOR, alpha=0.15, linewidth=0)
    axes.plot(plies, expected, color=LINE_COLOR, linewidth=1.2)
    for is_exact, face, label in ((True, LINE_COLOR, "exact"), (False, "white", "estimate")):
        points = [ply for ply in plies if values[ply].is_exact is is_exact]
        if points:
            axes.plot(
                points,
                [expected[ply] for ply in points],
                "o",
                markersize=4,
                color=LINE_COLOR,
                markerfacecolor=face,
                label=label,
            )
    for ply in review.plies:
        _annotate_grade(axes, ply, expected[ply.number])
    names = [review.game.headers.get(side.value.capitalize()) for side in Side]
    south, north = (
        side.value.capitalize() if name in (None, "", "?") else name
        for name, side in zip(names, Side, strict=True)
    )
    axes.set_xlabel("ply")
    axes.set_ylabel(_plain(f"margin of {south}"))
    axes.set_title(_plain(f"{south} - {north}"))
    # Estimates can be far from the margins that the game reaches, and bounds further.
    axes.set_ylim(min(expected) - 4, max(expected) + 4)
    axes.xaxis.set_major_locator(_ply_locator())
    axes.legend(loc="best", fontsize="small")
    return axes


def ratings(results: ResultsLike, *, axes: "Axes | None" = None) -> "Axes":
    """Draws the ratings of the contestants of a tournament with their 95 % intervals.

    `results` are the JSON of `kalah arena --json`, as a mapping or the path of its file, or a
    `MatchResult` of `kalah.players`: the Elo difference of its first player to the second. `axes`
    are axes of matplotlib, by default new ones.

    Raises `TypeError` for other values, `KalahError` for other JSON and for results without a
    rating, and a subclass of `OSError` for a file that cannot be read.

    >>> import kalah
    >>> from kalah import plot
    >>> result = kalah.play_match("level:1", "random", start="4x3", games=20, seed=1)
    >>> plot.ratings(result).get_xlabel()
    'Elo difference to Random'
    """
    if isinstance(results, MatchResult):
        label = f"Elo difference to {results.names[1]}"
        entries = match_ratings(results)
    else:
        entries = arena_ratings(results)
        # The rating of one of two contestants is its difference to the other one.
        is_pair = len(entries) == 2
        label = "Elo difference to the other" if is_pair else "rating (Elo, mean 0)"
    if not entries:
        raise KalahError("results: expected a contestant with a rating")
    axes = _axes(axes, height=1.2 + ROW_HEIGHT * len(entries))
    ends = [end for entry in entries for end in (entry.lower, entry.elo, entry.upper) if end]
    lowest, highest = min([0.0, *ends]), max([0.0, *ends])
    space = 0.1 * (highest - lowest or 1.0)
    axes.axvline(0, color="grey", linewidth=0.8)
    for row, entry in enumerate(reversed(entries)):
        # An interval without an end goes to the edge of the picture.
        lower = lowest - 2 * space if entry.lower is None else entry.lower
        upper = highest + 2 * space if entry.upper is None else entry.upper
        axes.plot([lower, upper], [row, row], color=LINE_COLOR, linewidth=1.5)
        for end in (entry.lower, entry.upper):
            if end is not None:
                axes.plot([end], [row], "|", color=LINE_COLOR)
        axes.plot([entry.elo], [row], "o", color=LINE_COLOR, markersize=5)
    axes.set_xlim(lowest - space, highest + space)
    axes.set_ylim(-0.6, len(entries) - 0.4)
    axes.set_yticks(range(len(entries)), [_plain(entry.name) for entry in reversed(entries)])
    axes.set_xlabel(_plain(label))
    return axes


def _axes(axes: "Axes | None", height: float) -> "Axes":
    """Returns the given axes, or those of a new figure."""
    try:
        from matplotlib import axes as matplotlib_axes
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(missing("matplotlib", "plot")) from error
    if axes is not None:
        if not isinstance(axes, matplotlib_axes.Axes):
            raise _arguments.type_error(axes, "axes", "Axes of matplotlib")
        return axes
    return pyplot.subplots(figsize=(8, height), layout="constrained")[1]


def _ply_locator() -> "Locator":
    """Returns a locator of whole numbers."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True)


def _plain(text: str) -> str:
    """Returns a text that matplotlib draws as it is, without formulas."""
    return text.replace("$", r"\$")


def _annotate_grade(axes: "Axes", ply: ReviewedPly, margin: int) -> None:
    if ply.grade is None:
        return
    color = GRADE_COLORS[ply.grade]
    # A mistake of the player that began as North raises the margin.
    offset = -13 if ply.player is Side.SOUTH else 7
    axes.plot([ply.number], [margin], "o", color=color, markersize=6)
    axes.annotate(
        f"{ply.move}{ply.symbol}",
        (ply.number, margin),
        xytext=(0, offset),
        textcoords="offset points",
        ha="center",
        color=color,
        fontsize="small",
    )
