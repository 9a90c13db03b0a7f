"""Reviews of games, and reports and reviews as HTML."""

import os
import pickle
import re
import signal
import threading
import time
from html.parser import HTMLParser

import pytest

import kalah
from kalah import Game, KalahError, Move, Side
from kalah._display.html import _cost, _wins, report_html, review_html

NODES = 20_000


def reviewed(moves: str = "A a B b", start: str = "4x3", rules: str = "standard") -> kalah.Review:
    return kalah.review(Game(start, rules=rules, moves=moves), nodes=NODES)


def test_margins_are_those_of_proofs() -> None:
    review = reviewed()
    for estimate, position in zip(review.margins, review.game.positions, strict=True):
        report = kalah.solve(position)
        sign = 1 if position.to_move is Side.SOUTH else -1
        assert estimate.is_exact
        assert estimate.margin == sign * report.margin
        assert estimate.bounds.lower == estimate.bounds.upper == estimate.margin


def test_lost_chances_are_differences_of_expected_points() -> None:
    review = kalah.review(kalah.Game("8x8", moves="B a"), nodes=2_000)
    for ply in review.plies:
        assert ply.before.chances is not None
        assert ply.after.chances is not None
        before, after = (win + tie / 2 for win, tie, _ in (ply.before.chances, ply.after.chances))
        # A move that the analysis prefers loses none.
        assert ply.lost_chance in (0, pytest.approx(max(before - after, 0), abs=0.002))


def test_costs_are_differences_of_margins() -> None:
    review = reviewed()
    assert review.start == review.margins[0]
    for number, ply in enumerate(review.plies, 1):
        assert ply.number == number
        assert ply.side is ply.player is review.game.plies[number - 1].side
        assert ply.move == review.game.moves[number - 1]
        report = kalah.solve(review.game.positions[number - 1], moves=True)
        margins = {entry.move: entry.margin for entry in report.moves}
        best, worst = max(margins.values()), min(margins.values())
        assert ply.before.margin == best
        assert ply.after.margin == margins[ply.move]
        assert ply.cost.lower == ply.cost.upper == best - margins[ply.move]
        assert ply.is_costly == (ply.cost.lower > 0)
        assert ply.stake == best - worst
        best_moves = {move for move, margin in margins.items() if margin == best}
        assert set(ply.better_moves) == (best_moves if ply.is_costly else set())


def test_accuracy_and_grades_summarize_the_plies() -> None:
    review = reviewed()
    for player in Side:
        plies = [ply for ply in review.plies if ply.player is player]
        accuracy, grades = review.accuracy[player], review.grades[player]
        assert (accuracy.plies, accuracy.unproven) == (len(plies), 0)
        assert accuracy.cost == sum(ply.cost.lower for ply in plies)
        assert accuracy.stake == sum(ply.stake or 0 for ply in plies)
        if accuracy.stake:
            assert accuracy.percent == pytest.approx(100 * (1 - accuracy.cost / accuracy.stake))
        counts = [grades.inaccuracies, grades.mistakes, grades.blunders]
        words = ["inaccuracy", "mistake", "blunder"]
        assert counts == [sum(ply.grade == word for ply in plies) for word in words]


def test_reasons_and_phases_are_those_of_the_program() -> None:
    review = reviewed("BAcBdAbdcBaCcaBdB", "4x3", "cs32")
    plies = {ply.number: ply for ply in review.plies}
    beautiful, only = plies[12].reasons
    assert (beautiful.kind, beautiful.house, beautiful.seeds) == ("beautiful", Move("D"), 4)
    assert (only.kind, only.house, only.turns) == ("only-win", None, None)
    assert plies[12].symbol == "!!"
    missed = reviewed("A", "3x2", "cs32").plies[0].reasons
    assert [repr(reason) for reason in missed] == ["Reason('missed-bonus-turn', house='B')"]
    for player in Side:
        phases = review.phases[player]
        assert list(phases) == ["opening", "middlegame", "endgame"]
        total = review.accuracy[player]
        assert sum(accuracy.plies for accuracy in phases.values()) == total.plies
        assert sum(accuracy.cost for accuracy in phases.values()) == total.cost


def test_a_swap_changes_the_side_of_a_player() -> None:
    review = reviewed("A swap", "3x2", "mankalah")
    swap = review.plies[1]
    assert (swap.side, swap.player) == (Side.NORTH, Side.NORTH)
    after = review.plies
    assert len(after) == 2
    game = Game("3x2", rules="mankalah", moves="A swap")
    game.push(game.position.legal_moves[0])
    ply = kalah.review(game, nodes=NODES).plies[2]
    assert ply.player is not ply.side


def test_the_opening_of_a_tournament_is_not_graded() -> None:
    graded = kalah.review(Game("3x2", moves="A a B"), nodes=NODES)
    game = Game("3x2", moves="A a B")
    game.headers["OpeningPlies"] = "1"
    review = kalah.review(game, nodes=NODES)
    opening, *others = review.plies
    assert (graded.plies[0].grade, graded.plies[0].is_opening_ply) == ("blunder", False)
    assert opening.is_opening_ply
    assert (opening.grade, opening.symbol, opening.is_costly) == (None, "", False)
    assert (opening.reasons, opening.better_moves) == ((), ())
    assert review.margins == graded.margins
    assert tuple(others) == graded.plies[1:]
    assert review.accuracy[Side.SOUTH].plies == 1
    assert review.grades[Side.SOUTH].blunders == 0
    assert pickle.loads(pickle.dumps(review)) == review
    assert "opening of the tournament" in review_html(review)
    game.pop()
    game.pop()
    game.pop()
    game.push("B")
    assert not kalah.review(game, nodes=NODES).plies[0].is_opening_ply


def test_review_of_a_game_without_plies() -> None:
    review = kalah.review(Game("3x2"), nodes=NODES)
    assert review.plies == ()
    assert review.accuracy[Side.SOUTH].percent is None
    assert [estimate.margin for estimate in review.margins] == [4]
    assert "start" in review_html(review)


def test_reviews_with_nodes_are_reproducible() -> None:
    game = Game("6x6", moves="AB c")
    first, second = (kalah.review(game, nodes=2000) for _ in range(2))
    assert first.margins == second.margins
    assert first.plies == second.plies
    assert not first.margins[0].is_exact
    assert first.unproven_count > 0


def test_the_review_keeps_the_game_as_it_was() -> None:
    game = Game("3x2", moves="A")
    review = kalah.review(game, nodes=NODES)
    game.push(game.position.legal_moves[0])
    review.game.pop()
    assert [str(move) for move in review.game.moves] == ["A"]


def test_progress_counts_positions() -> None:
    seen: list[kalah.PositionProgress] = []
    kalah.review(Game("6x4", moves="CF a"), time=0.1, progress=seen.append)
    assert seen
    assert all(0 <= progress.done <= progress.total == 4 for progress in seen)


def test_an_exception_of_progress_ends_the_review() -> None:
    def fail(_: kalah.PositionProgress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        kalah.review(Game("6x4"), time=600, progress=fail)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals between processes")
def test_ctrl_c_ends_a_review() -> None:
    def interrupt(_: kalah.PositionProgress) -> None:
        if not sent.is_set():
            sent.set()
            os.kill(os.getpid(), signal.SIGINT)

    sent = threading.Event()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        kalah.review(Game("6x4", moves="CF a"), time=600, progress=interrupt)
    assert time.monotonic() - start < 300


@pytest.mark.parametrize("arguments", [{"nodes": 0}, {"time": -1}, {"threads": 0}, {"memory": 5}])
def test_values_out_of_range_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(KalahError, match=next(iter(arguments))):
        kalah.review(Game("3x2"), **arguments)  # type: ignore[arg-type]


def test_a_text_is_no_game() -> None:
    with pytest.raises(TypeError):
        kalah.review("3x2")  # type: ignore[arg-type]


class Checker(HTMLParser):
    """Checks that elements are closed in the order of their nesting, and collects the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens an element."""
        assert not any(name.startswith("on") for name, _ in attrs)
        self.open.append(tag)
        self.tags.add(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Ignores an element without content."""

    def handle_endtag(self, tag: str) -> None:
        """Closes the innermost element."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Collects text."""
        self.text += data


def checked(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    assert checker.open == []
    assert "script" not in checker.tags
    return checker


def test_a_report_has_moves_to_iterate_over() -> None:
    report = kalah.solve("3x3", moves=True)
    assert [report[entry.move] for entry in report.moves] == list(report.moves)
    assert [report[number].move for number in (1, 2, 3)] == list(report.position.legal_moves)
    with pytest.raises(TypeError, match="not iterable"):
        iter(report)
    with pytest.raises(TypeError, match="not iterable"):
        "A" in report  # type: ignore[operator]


def test_a_report_shows_exact_margins_and_estimates() -> None:
    exact = report_html(kalah.solve("4x3", moves=True))
    checked(exact)
    assert "≈" not in exact
    estimated = kalah.Engine().analyse("6x6", nodes=2000, lines=2)
    text = checked(estimated._repr_html_()).text
    assert "≈" in text
    assert re.search(r"margin [+-]\d+ to [+-]\d+, estimated (0|[+-]\d+), wins \d+ %", text)
    for entry in estimated.moves[:1]:
        assert " ".join(map(str, entry.line)) in text


def test_percentages_are_rounded_down() -> None:
    for win, text in ((0.0, 0), (0.001, 1), (0.29, 29), (0.789, 78), (0.999, 99)):
        assert _wins((win, 0.0, 1 - win)) == (f", wins {text} %" if win else "")
    assert _wins((0.0, 0.4, 0.6)) == ", wins 0 %"
    ply = kalah.review(Game("8x8", moves="A"), nodes=2_000).plies[0]
    make, (number, sides, move, (before, after, cost, _), stake, words) = ply.__reduce__()
    for lower, lost, expected in (
        (0, 99, ""),
        (0, 119, "about 11 % of a point"),
        (0, 290, "about 29 % of a point"),
        (2, 9, f"cost 2 to {cost.upper}"),
        (2, 19, f"cost 2 to {cost.upper}, about 1 % of a point"),
    ):
        values = (before, after, kalah.Bounds._from_values(lower, cost.upper), lost)
        assert _cost(make(number, sides, move, values, stake, ((), words[1]))) == expected


def test_a_report_of_a_finished_game_has_no_table() -> None:
    html = report_html(kalah.solve("<2,3,5,0,0,0,0> s"))
    assert "table" not in checked(html).tags


def test_names_of_players_are_escaped() -> None:
    game = Game("3x2", moves="A")
    game.headers["South"] = "<script>alert(1)</script>"
    html = kalah.review(game, nodes=NODES)._repr_html_()
    assert "<script>alert(1)</script>" in checked(html).text


def test_a_review_shows_plies_with_grades_and_better_moves() -> None:
    text = checked(review_html(reviewed("A", "3x2", "cs32"))).text
    assert "A??" in text
    assert "cost 12, better: B" in text
    text = checked(review_html(reviewed("A c", "3x2", "cs32"))).text
    assert re.search(r"1\.\s*A", text)
    assert re.search(r"1\.\.\.\s*c", text)
    assert "accuracy 0 % (cost 12 of 12 at stake in 1 of 1 ply), 1 blunder" in text
