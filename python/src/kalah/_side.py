"""The two sides of the board."""

import enum


class Side(enum.Enum):
    """A side of the board.

    South has the lower row and makes the first move.

    >>> import kalah
    >>> kalah.Side.SOUTH.opponent
    <Side.NORTH: 'north'>
    """

    SOUTH = "south"
    NORTH = "north"

    @property
    def opponent(self) -> "Side":
        """The other side."""
        return Side.NORTH if self is Side.SOUTH else Side.SOUTH
