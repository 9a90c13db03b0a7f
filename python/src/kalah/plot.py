"""Plots with matplotlib: the margins of a game, and the ratings of a tournament.

Needs matplotlib: `pip install 'kalah[plot]'`. Each function draws into axes and returns them; a
notebook displays them, and `axes.figure.savefig` writes a file.

>>> import kalah
>>> from kalah import plot
>>> review = kalah.review(kalah.Game("3x3", moves="A B"), nodes=10_000)
>>> plot.margins(review).get_xlabel()
'ply'
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from kalah import _arguments
from kalah._extras import missing
from kalah._kalah import KalahError, Review, ReviewedPly
from kalah._side import Side
from kalah.players import MatchResult

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


class _Rating(NamedTuple):
    """A rating with the ends of its interval. An end is `None` if it is infinite or unknown."""

    name: str
    elo: float
    lower: float | None
    upper: float | None


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
    >>> result = kalah.play_match("level:2", "random", start="4x3", games=20, seed=1)
    >>> plot.ratings(result).get_xlabel()
    'Elo difference to Random'
    """
    if isinstance(results, MatchResult):
        label = f"Elo difference to {results.names[1]}"
        entries = _match_ratings(results)
    else:
        entries = _arena_ratings(results)
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


def _match_ratings(result: MatchResult) -> Sequence[_Rating]:
    estimate = result.estimate
    if estimate is None or abs(estimate.elo) == float("inf"):
        return []
    lower, upper = (_finite(end) for end in estimate.elo_interval)
    return [_Rating(result.names[0], estimate.elo, lower, upper)]


def _finite(elo: float) -> float | None:
    return None if abs(elo) == float("inf") else elo


def _arena_ratings(results: Any) -> Sequence[_Rating]:
    """Returns the ratings that are numbers, in the order of the standings."""
    if isinstance(results, str | os.PathLike):
        document = _read_json(results)
    elif isinstance(results, Mapping):
        document = results
    else:
        raise _arguments.type_error(results, "results", "MatchResult, a mapping or a path")
    contestants = _field(document, "", "contestants", (list, tuple), "a list")
    ratings = []
    for number, contestant in enumerate(contestants):
        place = f"contestants[{number}]"
        name = _field(contestant, place, "name", str, "a text")
        rating = _field(contestant, place, "rating", (Mapping, type(None)), "an object or null")
        place += ".rating"
        if rating is None or _field(rating, place, "kind", str, "a text") != "number":
            continue
        interval = _field(rating, place, "interval", (Mapping, type(None)), "an object or null")
        ends = (None, None) if interval is None else _interval(interval, f"{place}.interval")
        ratings.append(_Rating(name, _number(rating, place, "elo"), *ends))
    return ratings


def _read_json(path: str | os.PathLike[str]) -> Any:
    """Returns the contents of a JSON file."""
    quoted = _arguments.quoted(str(path))
    if "\0" in str(path):
        raise KalahError(f"results: expected a path without NUL, not {quoted}")
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise KalahError(f"results: {quoted} is no JSON of kalah arena: {error}") from error


def _field(document: Any, place: str, name: str, kind: Any, expected: str) -> Any:
    """Returns a field of an object of the JSON of an arena, which is at `place` in it."""
    path = f"{place}.{name}" if place else name
    if not isinstance(document, Mapping) or name not in document:
        raise KalahError(f"results: expected JSON of kalah arena with {path}")
    value = document[name]
    if not isinstance(value, kind):
        quoted = _arguments.quoted_value(value)
        raise KalahError(f"results: {path}: expected {expected}, not {quoted}")
    return value


def _number(document: Mapping[str, Any], place: str, name: str) -> float:
    value = _field(document, place, name, (int, float), "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if isinstance(value, bool) or not math.isfinite(number):
        quoted = _arguments.quoted_value(value)
        raise KalahError(f"results: {place}.{name}: expected a number, not {quoted}")
    return number


def _interval(interval: Mapping[str, Any], place: str) -> tuple[float | None, float | None]:
    """Returns the ends of an interval. An end that is a text, such as `infinite`, is infinite."""

    def end(name: str) -> float | None:
        value = interval.get(name)
        return None if value is None or isinstance(value, str) else _number(interval, place, name)

    return end("lower"), end("upper")
