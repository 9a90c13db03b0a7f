"""The board as SVG, for notebooks."""

import math
from collections.abc import Mapping
from typing import Final
from xml.sax.saxutils import escape

from kalah._kalah import Move, Position
from kalah._side import Side

__all__ = ["board_svg"]

# Lengths are in pixels at the natural size of the picture.
HOUSE_WIDTH: Final = 54
HOUSE_RADIUS: Final = 24
#: The distance between circles of neighbouring houses and between the rows.
GAP: Final = 6
STORE_WIDTH: Final = 56
MARGIN: Final = 8
LABEL_HEIGHT: Final = 18
SEED_RADIUS: Final = 2.6
#: Seeds lie on two rings with these radii; a seed alone on a ring lies at its centre.
OUTER_RING_RADIUS: Final = 11.5
INNER_RING_RADIUS: Final = 4.5
MAX_OUTER_SEEDS: Final = 9
MAX_INNER_SEEDS: Final = 4
#: More seeds are written as a number only.
MAX_DRAWN_SEEDS: Final = 13
#: Longer counts have a smaller font.
MAX_COUNT_DIGITS: Final = 3

#: Notebooks show the picture as an image, which does not have the colours of the page. The board
#: has a background of its own, so that it can be read on every page.
STYLE: Final = {
    "": "color:#222;max-width:100%;height:auto",
    ".board": "fill:#f6f1e7;stroke:#c9bda5",
    "text": "font:13px system-ui,sans-serif;fill:currentColor;text-anchor:middle",
    ".letter": "font-size:11px;opacity:.7",
    ".letter.to-move": "font-weight:bold;opacity:1",
    ".value": "font-size:11px;font-weight:bold",
    ".count": "font-size:15px",
    ".small-count": "font-size:11px",
    ".pit": "fill:currentColor;fill-opacity:.06;stroke:currentColor;stroke-opacity:.45",
    ".pit.to-move": "stroke-opacity:1;stroke-width:1.8",
    ".seed": "fill:currentColor;fill-opacity:.6",
}
DARK_STYLE: Final = {"": "color:#eee", ".board": "fill:#26221c;stroke:#5a5244"}


def board_svg(position: Position, values: Mapping[Move, str] | None = None) -> str:
    """Returns the board of `position` as SVG.

    North's row is above and runs from right to left, South's below from left to right, and each
    store is where the row of its owner ends. The houses of the side to move have a stronger
    outline. `values` has texts that are written at the houses of moves, such as their margins.

    >>> import kalah
    >>> from kalah._display.svg import board_svg
    >>> svg = board_svg(kalah.Position("6x4"), {kalah.Move("C"): "+8"})
    >>> svg.startswith("<svg") and ">+8</text>" in svg
    True
    """
    values = values or {}
    # Above and below the houses are the letters, and beyond them the values.
    above, below = (
        2 * LABEL_HEIGHT if any(move.side is side for move in values) else LABEL_HEIGHT
        for side in (Side.NORTH, Side.SOUTH)
    )
    top = MARGIN + above
    width = 2 * (STORE_WIDTH + MARGIN) + position.houses * HOUSE_WIDTH
    caption_y = top + 4 * HOUSE_RADIUS + GAP + below + LABEL_HEIGHT
    height = caption_y + MARGIN
    title = _title(position)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" class="kalah-board" role="img" '
        f'aria-label="{escape(title, {chr(34): "&quot;"})}">',
        f"<title>{escape(title)}</title>",
        f"<style>{_rules(STYLE)}@media (prefers-color-scheme:dark){{{_rules(DARK_STYLE)}}}</style>",
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="12" class="board"/>',
    ]
    for side in Side:
        parts += _store(position, side, width, top)
        parts += _row(position, side, values, top)
    parts.append(_text(width / 2, caption_y, "caption", _caption(position, values)))
    parts.append("</svg>")
    return "".join(parts)


def _rules(style: Mapping[str, str]) -> str:
    """Returns rules of a style sheet that apply to boards only, not to the page around them."""
    return "".join(
        f".kalah-board {selector}".rstrip() + f"{{{properties}}}"
        for selector, properties in style.items()
    )


def _title(position: Position) -> str:
    """Returns the position in words, for readers that cannot see the picture."""
    stores = ", ".join(
        f"{_name(side)}'s houses {', '.join(map(str, position.row(side)))} "
        f"and store {position.store(side)}"
        for side in Side
    )
    return f"Kalah board: {stores}; {_caption(position, {})}"


def _caption(position: Position, values: Mapping[Move, str]) -> str:
    """Returns the side to move or the result, and the value of a swap."""
    outcome = position.outcome
    if outcome is None:
        text = f"{_name(position.to_move)} to move"
        swaps = [value for move, value in values.items() if move.is_swap]
        return f"{text}, swap {swaps[0]}" if swaps else text
    if outcome.winner is None:
        return "game over, a tie"
    margin = outcome.margin(outcome.winner)
    return f"game over, {_name(outcome.winner)} wins by {margin}"


def _name(side: Side) -> str:
    return side.value.capitalize()


def _text(x: float, y: float, classes: str, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{classes}">{escape(text)}</text>'


def _store(position: Position, side: Side, width: int, top: int) -> list[str]:
    """Returns the store of a side, North's at the left and South's at the right."""
    is_north = side is Side.NORTH
    store_width, store_height = STORE_WIDTH - MARGIN, 4 * HOUSE_RADIUS + GAP
    left = MARGIN if is_north else width - MARGIN - store_width
    x, y = left + store_width / 2, top + store_height / 2
    label_y = _letter_y(side, top)
    return [
        f'<rect x="{left}" y="{top}" width="{store_width}" height="{store_height}" '
        f'rx="{store_width / 2:g}" class="pit"/>',
        _text(x, label_y, "letter", _name(side)),
        _text(x, y + 5, "count", str(position.store(side))),
    ]


def _letter_y(side: Side, top: int) -> int:
    """Returns the base line of the letters of a side, above or below the houses."""
    bottom = top + 4 * HOUSE_RADIUS + GAP
    return top - 5 if side is Side.NORTH else bottom + LABEL_HEIGHT - 4


def _row(position: Position, side: Side, values: Mapping[Move, str], top: int) -> list[str]:
    """Returns the houses of a side with their letters and values."""
    parts: list[str] = []
    is_north = side is Side.NORTH
    to_move = " to-move" if side is position.to_move and not position.is_over else ""
    value_texts = {move.house: text for move, text in values.items() if move.side is side}
    y = top + HOUSE_RADIUS + (0 if is_north else 2 * HOUSE_RADIUS + GAP)
    letter_y = _letter_y(side, top)
    value_y = letter_y + (-LABEL_HEIGHT if is_north else LABEL_HEIGHT)
    first_letter = ord("a") if is_north else ord("A")
    for index, seeds in enumerate(position.row(side)):
        column = position.houses - 1 - index if is_north else index
        x = MARGIN + STORE_WIDTH + column * HOUSE_WIDTH + HOUSE_WIDTH / 2
        parts.append(_text(x, letter_y, f"letter{to_move}", chr(first_letter + index)))
        if index + 1 in value_texts:
            parts.append(_text(x, value_y, "value", value_texts[index + 1]))
        parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{HOUSE_RADIUS}" class="pit{to_move}"/>')
        if 0 < seeds <= MAX_DRAWN_SEEDS:
            parts += _seeds(x, y - 6, seeds)
            parts.append(_text(x, y + 19, "small-count", str(seeds)))
        else:
            is_short = len(str(seeds)) <= MAX_COUNT_DIGITS
            parts.append(_text(x, y + 5, "count" if is_short else "small-count", str(seeds)))
    return parts


def _seeds(x: float, y: float, seeds: int) -> list[str]:
    """Returns seeds as dots on two rings."""
    inner = seeds if seeds <= MAX_INNER_SEEDS else max(seeds - MAX_OUTER_SEEDS, 1)
    dots = _ring(x, y, INNER_RING_RADIUS, inner) + _ring(x, y, OUTER_RING_RADIUS, seeds - inner)
    return [
        f'<circle cx="{dot_x:.1f}" cy="{dot_y:.1f}" r="{SEED_RADIUS}" class="seed"/>'
        for dot_x, dot_y in dots
    ]


def _ring(x: float, y: float, radius: float, dots: int) -> list[tuple[float, float]]:
    """Returns points at equal distances on a circle, the first one at the left of the centre."""
    if dots == 1:
        return [(x, y)]
    angles = [math.pi + 2 * math.pi * dot / dots for dot in range(dots)]
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]
