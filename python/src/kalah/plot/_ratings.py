"""The ratings of a match or of the JSON of a tournament."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kalah import _arguments
from kalah._kalah import KalahError
from kalah.players import MatchResult


class Rating(NamedTuple):
    """A rating with the ends of its interval. An end is `None` if it is infinite or unknown."""

    name: str
    elo: float
    lower: float | None
    upper: float | None


def match_ratings(result: MatchResult) -> Sequence[Rating]:
    estimate = result.estimate
    if estimate is None or abs(estimate.elo) == float("inf"):
        return []
    lower, upper = (_finite(end) for end in estimate.elo_interval)
    return [Rating(result.names[0], estimate.elo, lower, upper)]


def _finite(elo: float) -> float | None:
    return None if abs(elo) == float("inf") else elo


def arena_ratings(results: Any) -> Sequence[Rating]:
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
        ratings.append(Rating(name, _number(rating, place, "elo"), *ends))
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
