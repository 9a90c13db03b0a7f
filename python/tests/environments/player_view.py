"""Games for the tests of the environments, and what a player sees of a position."""

from kalah import Position, Side

RULES = ["cs32", "standard", "empty-capture", "mankalah"]
SIZES = [(6, 4), (1, 3), (2, 2), (4, 3), (10, 10), (26, 30)]


def expected_observation(position: Position, side: Side) -> list[int]:
    """Returns the houses and the store of `side`, and then those of the other side."""
    other = side.opponent
    return [
        *position.row(side),
        position.store(side),
        *position.row(other),
        position.store(other),
    ]


def action_numbers(position: Position) -> list[int]:
    """Returns the actions of the legal moves: houses from 0 on, and then the swap."""
    return [
        position.houses if move.is_swap else (move.house or 0) - 1 for move in position.legal_moves
    ]
