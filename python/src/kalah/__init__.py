"""Kalah: rules, exact margins, endgame tables and players."""

from kalah import _extension as _extension
from kalah._kalah import (
    IllegalMoveError,
    KalahError,
    Move,
    Outcome,
    ParseError,
    Position,
    Rules,
    perft,
)
from kalah._side import Side

__all__ = [
    "IllegalMoveError",
    "KalahError",
    "Move",
    "Outcome",
    "ParseError",
    "Position",
    "Rules",
    "Side",
    "perft",
]
