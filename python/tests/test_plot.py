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
    axes = plot.margins(kalah.review(Game("6x4", moves="CF a"), nodes=1000))
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


def test_other_results_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no JSON")
    for results in (text, {}, {"contestants": 1}, {"contestants": [{"name": "a"}]}):
        with pytest.raises(KalahError):
            plot.ratings(results)
    with pytest.raises(KalahError, match="no contestant has a rating"):
        plot.ratings({"contestants": []})
    with pytest.raises(FileNotFoundError):
        plot.ratings(tmp_path / "missing")
