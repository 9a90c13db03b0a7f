"""Kalah: rules, exact margins, endgame tables and players.

>>> import kalah
>>> kalah.solve("5x4", rules="standard").margin
10
"""

from kalah import _extension as _extension
from kalah._dataset import Dataset, dataset
from kalah._extras import register_environments
from kalah._kalah import (
    Accuracy,
    Bounds,
    BuildProgress,
    Engine,
    Game,
    GradeCounts,
    IllegalMoveError,
    KalahError,
    MarginEstimate,
    Move,
    MoveReport,
    Outcome,
    ParseError,
    Ply,
    Position,
    PositionProgress,
    Puzzle,
    Report,
    Review,
    ReviewedPly,
    Rules,
    Table,
    TableError,
    VectorEnv,
    parse_games,
    perft,
    puzzle,
    read_games,
    review,
    solve,
    write_games,
)
from kalah._side import Side
from kalah._termination import Termination
from kalah.players import play_game, play_match

__all__ = [
    "Accuracy",
    "Bounds",
    "BuildProgress",
    "Dataset",
    "Engine",
    "Game",
    "GradeCounts",
    "IllegalMoveError",
    "KalahError",
    "MarginEstimate",
    "Move",
    "MoveReport",
    "Outcome",
    "ParseError",
    "Ply",
    "Position",
    "PositionProgress",
    "Puzzle",
    "Report",
    "Review",
    "ReviewedPly",
    "Rules",
    "Side",
    "Table",
    "TableError",
    "Termination",
    "VectorEnv",
    "dataset",
    "parse_games",
    "perft",
    "play_game",
    "play_match",
    "puzzle",
    "read_games",
    "review",
    "solve",
    "write_games",
]

register_environments()
