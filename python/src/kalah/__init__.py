"""Kalah: rules, exact margins, endgame tables and players."""

from kalah._kalah import (
    Game,
    IllegalMoveError,
    KalahError,
    Move,
    Outcome,
    ParseError,
    Ply,
    Position,
    Rules,
    parse_games,
    perft,
    read_games,
    write_games,
)
from kalah._side import Side
from kalah._termination import Termination
from kalah.players import play_game, play_match

__all__ = [
    "Game",
    "IllegalMoveError",
    "KalahError",
    "Move",
    "Outcome",
    "ParseError",
    "Ply",
    "Position",
    "Rules",
    "Side",
    "Termination",
    "parse_games",
    "perft",
    "play_game",
    "play_match",
    "read_games",
    "write_games",
]
