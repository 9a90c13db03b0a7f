"""Kalah: rules, exact margins, endgame tables and players.

>>> import kalah
>>> kalah.solve("5x4", rules="standard").margin
10
"""

from kalah._kalah import (
    Bounds,
    BuildProgress,
    Engine,
    IllegalMoveError,
    KalahError,
    Move,
    MoveReport,
    Outcome,
    ParseError,
    Position,
    Puzzle,
    Report,
    Rules,
    Table,
    TableError,
    VectorEnv,
    perft,
    puzzle,
    solve,
)
from kalah._side import Side

__all__ = [
    "Bounds",
    "BuildProgress",
    "Engine",
    "IllegalMoveError",
    "KalahError",
    "Move",
    "MoveReport",
    "Outcome",
    "ParseError",
    "Position",
    "Puzzle",
    "Report",
    "Rules",
    "Side",
    "Table",
    "TableError",
    "VectorEnv",
    "perft",
    "puzzle",
    "solve",
]
