"""Kalah: rules, exact margins, endgame tables and players.

>>> import kalah
>>> kalah.solve("5x4", rules="standard").margin
10

These modules are imported at their first use:

- `kalah.players`: the built-in players, games and matches
- `kalah.cluster`: proofs and tournaments on many processes and machines
- `kalah.plot`: margins and ratings as pictures, with matplotlib
- `kalah.uki`: engines that are other programs, and the protocol to write one
- `kalah.gymnasium`, `kalah.pettingzoo`, `kalah.open_spiel`, `kalah.kaggle`: environments for these
  packages, which have to be installed
- `kalah.typing`: the types of arguments
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING, Final

# This package imports the extension module.
from kalah import _imports as _imports
from kalah._dataset import Dataset, dataset
from kalah._environments.registration import register_environments
from kalah._kalah import (
    _VERSION,
    Accuracy,
    BookError,
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
    ProofError,
    Puzzle,
    Reason,
    Report,
    Review,
    ReviewedPly,
    Rules,
    Table,
    TableError,
    TournamentError,
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

__version__: Final = _VERSION

__all__ = [
    "Accuracy",
    "BookError",
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
    "ProofError",
    "Puzzle",
    "Reason",
    "Report",
    "Review",
    "ReviewedPly",
    "Rules",
    "Side",
    "Table",
    "TableError",
    "Termination",
    "TournamentError",
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

if TYPE_CHECKING:
    from kalah import cluster as cluster
    from kalah import players as players
    from kalah import plot as plot
    from kalah import typing as typing
    from kalah import uki as uki
else:
    _SUBMODULES = (
        "cluster",
        "gymnasium",
        "kaggle",
        "open_spiel",
        "pettingzoo",
        "plot",
        "typing",
        "uki",
    )

    def __getattr__(name: str) -> ModuleType:
        if name in _SUBMODULES:
            return importlib.import_module(f"kalah.{name}")
        raise AttributeError(f"module 'kalah' has no attribute {name!r}", name=name)

    def __dir__() -> list[str]:
        return sorted({*globals(), "cluster", "plot", "typing", "uki"})


register_environments()
