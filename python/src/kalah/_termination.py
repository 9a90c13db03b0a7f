"""The ways in which a game can end."""

import enum


class Termination(enum.Enum):
    """The way in which a game ended, with the word of a record as its value.

    >>> import kalah
    >>> kalah.Game().termination
    <Termination.UNFINISHED: 'unfinished'>
    """

    NORMAL = "normal"
    """By the rules."""
    ADJUDICATED = "adjudicated"
    """By a decision before the end, such as a proven margin."""
    RESIGN = "resign"
    """A player resigned."""
    ILLEGAL = "illegal"
    """A player made an illegal move."""
    TIME = "time"
    """A player exceeded its time."""
    CRASH = "crash"
    """A player's program exited."""
    STALL = "stall"
    """A player's program stopped answering."""
    PROTOCOL = "protocol"
    """A player's program broke the protocol."""
    UNFINISHED = "unfinished"
    """The game has not ended."""
