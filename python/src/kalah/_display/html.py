"""Reports and reviews as HTML, for notebooks."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Final

from kalah._display.svg import board_svg
from kalah._kalah import (
    Accuracy,
    Bounds,
    GradeCounts,
    MarginEstimate,
    Move,
    Report,
    Review,
    ReviewedPly,
)
from kalah._side import Side

__all__ = ["report_html", "review_html"]

#: The page has the colours: the text inherits them, and the lines are a part of the text's colour.
STYLE: Final = {
    "": "display:block;color:inherit;font:14px system-ui,sans-serif",
    "table": "border-collapse:collapse;margin:.5em 0;background:none;color:inherit",
    "tr": "background:none",
    "th,.kalah-report td": "padding:.15em .8em .15em 0;text-align:left;vertical-align:top;"
    "border:0 solid;background:none;color:inherit",
    "thead th": "border-bottom-width:1px;font-weight:600",
    ".number": "text-align:right;font-variant-numeric:tabular-nums",
    ".estimate": "opacity:.75",
    ".best": "font-weight:bold",
    ".inaccuracy,.kalah-report .mistake,.kalah-report .blunder": "font-weight:bold",
}

#: The mark of a margin that is not proven. Programs print it as "estimated".
ESTIMATE_MARK: Final = "≈"


def report_html(report: Report) -> str:
    """Returns the board of a report with the margin of each move, and a table of the moves.

    A margin that is not proven has the mark ≈ and its bounds.

    >>> import kalah
    >>> from kalah._display.html import report_html
    >>> html = report_html(kalah.solve("3x3", moves=True))
    >>> "margin +2, exact" in html and "≈" not in html
    True
    """
    values = {entry.move: _margin(entry.margin, entry.is_exact) for entry in report.moves}
    rows = [
        _row(
            [
                ("best" if entry.move == report.best_move else "", str(entry.move)),
                (_number_class(is_exact=entry.is_exact), values[entry.move]),
                ("", "exact" if entry.is_exact else _bounds(entry.bounds)),
                ("", " ".join(map(str, entry.line))),
            ]
        )
        for entry in report.moves
    ]
    headings = ["move", "margin", "bounds", "line"]
    if not any(entry.line for entry in report.moves):
        headings.pop()
        rows = [row.replace("<td></td></tr>", "</tr>") for row in rows]
    parts = [board_svg(report.position, values), _paragraph(_report_summary(report))]
    if rows:
        parts.append(_table(headings, rows))
    return _block(parts)


def review_html(review: Review) -> str:
    """Returns the last board of a review, a table of its plies, and the accuracy of both players.

    Margins are those of the player that began as South. A margin that is not proven has the mark ≈
    and its bounds.

    >>> import kalah
    >>> from kalah._display.html import review_html
    >>> html = review_html(kalah.review(kalah.Game("3x2", moves="A"), nodes=10_000))
    >>> "A??" in html and "cost 12, better: B" in html
    True
    """
    game = review.game
    names = {side: _player_name(game.headers.get(side.value.capitalize()), side) for side in Side}
    margins = review.margins
    rows = [_row([("", "start"), ("", ""), *_estimate_cells(margins[0]), ("", "")])]
    rows += [
        _row(
            [
                (_number_class(is_exact=True), turn),
                (ply.grade or "", f"{ply.move}{ply.symbol}"),
                *_estimate_cells(after),
                ("", _cost(ply)),
            ]
        )
        for turn, ply, after in zip(_turns(review.plies), review.plies, margins[1:], strict=True)
    ]
    summary = [
        f"{names[player]}: {_accuracy(review.accuracy[player])}{_grades(review.grades[player])}"
        for player in Side
    ]
    caption = f"Margins are those of {names[Side.SOUTH]}."
    parts = [board_svg(game.position), *map(_paragraph, [*summary, caption])]
    parts.append(_table(["turn", "move", "margin", "bounds", "cost"], rows))
    return _block(parts)


def _margin(margin: int, is_exact: bool) -> str:  # noqa: FBT001 - a pair of properties of a report
    return _signed(margin) if is_exact else f"{ESTIMATE_MARK} {_signed(margin)}"


def _signed(margin: int) -> str:
    return f"{margin:+}" if margin else "0"


def _bounds(bounds: Bounds) -> str:
    return f"{_signed(bounds.lower)} to {_signed(bounds.upper)}"


def _number_class(*, is_exact: bool) -> str:
    return "number" if is_exact else "number estimate"


def _estimate_cells(estimate: MarginEstimate) -> list[tuple[str, str]]:
    bounds = "exact" if estimate.is_exact else _bounds(estimate.bounds)
    margin = _margin(estimate.margin, estimate.is_exact)
    return [(_number_class(is_exact=estimate.is_exact), margin), ("", bounds)]


def _wins(chances: tuple[float, float, float] | None) -> str:
    """Returns `, wins 79 %`, and nothing if the result is proven or the chances are unknown."""
    if chances is None or 1 in chances:
        return ""
    # Only a win that is excluded has 0 %.
    percent = max(_percent(chances[0]), 1) if chances[0] else 0
    return f", wins {percent} %"


def _percent(probability: float) -> int:
    """Returns the percentage of a probability in thousandths, rounded down."""
    return round(1000 * probability) // 10


def _report_summary(report: Report) -> str:
    if report.is_exact:
        margin = f"margin {_signed(report.margin)}, exact"
    else:
        margin = (
            f"margin {_bounds(report.bounds)}, estimated {_signed(report.margin)}"
            f"{_wins(report.chances)}"
        )
    best_move = "" if report.best_move is None else f"best move {report.best_move}, "
    work = "opening book" if report.is_from_book else f"{report.nodes:,} nodes"
    return f"{best_move}{margin}, {work}, {report.time:.2f} s"


def _player_name(name: str | None, side: Side) -> str:
    return side.value.capitalize() if name in (None, "", "?") else f"{name}"


def _turns(plies: Iterable[ReviewedPly]) -> Iterator[str]:
    """Returns the turn of each ply as in records: `5.` for South, `5...` for North."""
    number, side = 1, None
    for ply in plies:
        if ply.side is Side.SOUTH and side is Side.NORTH:
            number += 1
        side = ply.side
        yield f"{number}." if side is Side.SOUTH else f"{number}..."


def _cost(ply: ReviewedPly) -> str:
    """Returns the proven cost in seeds, and the lost chance where a result is not proven."""
    if ply.is_opening_ply:
        return "opening of the tournament"
    lower, upper = ply.cost.lower, ply.cost.upper
    costs = [f"cost {lower}" if lower == upper else f"cost {lower} to {upper}"]
    if not ply.is_costly:
        costs.clear()
    is_proven = all(1 in (value.chances or ()) for value in (ply.before, ply.after))
    lost = 0 if is_proven else _percent(ply.lost_chance or 0)
    if lost and (ply.is_costly or ply.grade):
        costs.append(f"about {lost} % of a point")
    if ply.better_moves:
        costs.append(f"better: {_moves(ply.better_moves)}")
    return ", ".join(costs)


def _moves(moves: Iterable[Move]) -> str:
    return " or ".join(map(str, moves))


def _accuracy(accuracy: Accuracy) -> str:
    made = accuracy.plies + accuracy.unproven
    plies = f"{accuracy.plies} of {made} {'ply' if made == 1 else 'plies'}"
    if accuracy.percent is None:
        reason = f"{plies} proven" if accuracy.unproven else "nothing at stake"
        return f"no accuracy ({reason})"
    # The percentage is rounded down, so that 100 % means no cost.
    percent = int(accuracy.percent)
    return f"accuracy {percent} % (cost {accuracy.cost} of {accuracy.stake} at stake in {plies})"


def _grades(grades: GradeCounts) -> str:
    counts: Mapping[str, int] = {
        "blunder": grades.blunders,
        "mistake": grades.mistakes,
        "inaccuracy": grades.inaccuracies,
    }
    plurals = {"inaccuracy": "inaccuracies"}
    texts = [
        f", {count} {word if count == 1 else plurals.get(word, word + 's')}"
        for word, count in counts.items()
        if count
    ]
    return "".join(texts)


def _row(cells: Iterable[tuple[str, str]]) -> str:
    """Returns a row of a table. Each cell has a class and a text."""
    parts = [
        f'<td class="{classes}">{escape(text)}</td>' if classes else f"<td>{escape(text)}</td>"
        for classes, text in cells
    ]
    return f"<tr>{''.join(parts)}</tr>"


def _table(headings: Iterable[str], rows: Iterable[str]) -> str:
    cells = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _paragraph(text: str) -> str:
    return f"<div>{escape(text)}</div>"


def _block(parts: Iterable[str]) -> str:
    rules = "".join(
        f".kalah-report {selector}".rstrip() + f"{{{properties}}}"
        for selector, properties in STYLE.items()
    )
    return f'<div class="kalah-report"><style>{rules}</style>{"".join(parts)}</div>'
