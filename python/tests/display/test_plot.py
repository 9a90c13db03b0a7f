"""Plots."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kalah
from kalah import Game, KalahError

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402 - the backend is chosen first

from kalah import plot  # noqa: E402

ARENA: dict[str, Any] = {
    "contestants": [
        {
            "name": "level:3",
            "rating": {
                "kind": "number",
                "elo": 120.5,
                "interval": {"lower": 60.0, "upper": "infinite"},
            },
        },
        {
            "name": "$odd$ <name>",
            "rating": {"kind": "number", "elo": -120.5, "interval": None},
        },
        {"name": "best", "rating": {"kind": "above-all"}},
        {"name": "none", "rating": None},
    ]
}


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def reviewed() -> kalah.Review:
    game = kalah.play_game("level:2", "level:1", start="4x3", seed=3)
    return kalah.review(game, nodes=200_000)


def test_margins_are_the_points_of_the_line() -> None:
    review = reviewed()
    axes = plot.margins(review)
    line = axes.get_lines()[1]
    assert np.asarray(line.get_ydata()).tolist() == [value.margin for value in review.margins]
    graded = [f"{ply.move}{ply.symbol}" for ply in review.plies if ply.grade]
    assert graded
    assert [text.get_text() for text in axes.texts] == graded
    assert axes.get_title() == "Level 2 - Level 1"


def test_exact_margins_and_estimates_have_different_points() -> None:
    axes = plot.margins(kalah.review(Game("6x6", moves="AB c"), nodes=1000))
    assert axes.get_legend_handles_labels()[1] == ["estimate"]
    exact = plot.margins(kalah.review(Game("3x3", moves="A"), nodes=10_000))
    assert exact.get_legend_handles_labels()[1] == ["exact"]


def test_plots_are_drawn_into_given_axes(tmp_path: Path) -> None:
    figure, (left, right) = pyplot.subplots(1, 2)
    assert plot.margins(reviewed(), axes=left) is left
    assert plot.ratings(ARENA, axes=right) is right
    figure.savefig(tmp_path / "plots.png")
    assert (tmp_path / "plots.png").stat().st_size > 1000


def test_ratings_of_a_tournament(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(ARENA))
    for results in (ARENA, path, str(path)):
        axes = plot.ratings(results)
        labels = [label.get_text() for label in axes.get_yticklabels()]
        assert labels == [r"\$odd\$ <name>", "level:3"]


def test_rating_of_a_match() -> None:
    result = kalah.play_match("level:2", "level:1", start="4x3", games=20, seed=1)
    axes = plot.ratings(result)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Level 2"]


def arena(**fields: Any) -> dict[str, Any]:
    """Returns results with one contestant, whose rating has other fields."""
    rating = {"kind": "number", "elo": 1.0, "interval": None} | fields
    return {"contestants": [{"name": "a", "rating": rating}]}


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ({}, "results: expected JSON of kalah arena with contestants"),
        ({"contestants": 1}, "results: contestants: expected a list, not 1"),
        ({"contestants": ["a"]}, "results: expected JSON of kalah arena with contestants[0].name"),
        (
            {"contestants": [{"name": 3}]},
            "results: contestants[0].name: expected a text, not 3",
        ),
        (
            {"contestants": [{"name": "a"}]},
            "results: expected JSON of kalah arena with contestants[0].rating",
        ),
        (arena(elo="1"), "results: contestants[0].rating.elo: expected a number, not `1`"),
        (arena(elo=float("nan")), "results: contestants[0].rating.elo: expected a number, not nan"),
        (arena(elo=True), "results: contestants[0].rating.elo: expected a number, not `True`"),
        (
            arena(elo=10**5000),
            "results: contestants[0].rating.elo: expected a number, not an integer of more than",
        ),
        (arena(interval=3), "results: contestants[0].rating.interval: expected an object or null"),
        (
            arena(interval={"lower": [], "upper": 1}),
            "results: contestants[0].rating.interval.lower: expected a number, not `[]`",
        ),
        ({"contestants": []}, "results: expected a contestant with a rating"),
        ("a\0", "results: expected a path without NUL, not `a\\x00`"),
    ],
    ids=lambda value: value if isinstance(value, str) and "\0" not in value else "",
)
def test_other_results_are_refused(results: Any, message: str) -> None:
    with pytest.raises(KalahError) as error:
        plot.ratings(results)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("content", [b"no JSON", b"\xff", b"[" * 100_000])
def test_files_without_json_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(content)
    with pytest.raises(KalahError, match=r"^results: `.*` is no JSON of kalah arena: "):
        plot.ratings(path)
    with pytest.raises(FileNotFoundError):
        plot.ratings(tmp_path / "missing")


NO_RESULTS: list[Any] = [None, 0, 1.5, ["a"], [], object(), True, np.int64(1), b"x"]


@pytest.mark.parametrize("value", NO_RESULTS, ids=lambda value: type(value).__name__)
def test_wrong_types_are_named(value: Any) -> None:
    kind = type(value).__name__
    review = kalah.review(Game("3x2", moves="A"), nodes=1000)
    with pytest.raises(TypeError, match=f"^review: expected Review, not {kind}$"):
        plot.margins(value)
    wrong_results: list[Any] = [value, review]
    for results in wrong_results:
        message = (
            f"^results: expected MatchResult, a mapping or a path, not {type(results).__name__}"
        )
        with pytest.raises(TypeError, match=message):
            plot.ratings(results)
    if value is not None:
        with pytest.raises(TypeError, match=f"^axes: expected Axes of matplotlib, not {kind}$"):
            plot.margins(review, axes=value)
        with pytest.raises(TypeError, match=f"^axes: expected Axes of matplotlib, not {kind}$"):
            plot.ratings(ARENA, axes=value)


def test_a_game_without_moves_is_drawn() -> None:
    axes = plot.margins(kalah.review(Game("3x2"), nodes=1000))
    assert len(np.asarray(axes.get_lines()[1].get_ydata())) == 1
