"""Types of arguments that functions convert, for annotations.

>>> import kalah
>>> from kalah.typing import PositionLike
>>> def first_move(position: PositionLike) -> kalah.Move:
...     return kalah.Position(position).legal_moves[0]
>>> first_move("6x4")
Move('A')
"""

from typing import SupportsIndex, TypeAlias

from kalah._kalah import Move, Position, Rules

__all__ = ["MoveLike", "PositionLike", "RulesLike"]

#: A move, its text, or the number of a house of the side to move.
MoveLike: TypeAlias = Move | str | SupportsIndex

#: A position or its text.
PositionLike: TypeAlias = Position | str

#: Rules or their text.
RulesLike: TypeAlias = Rules | str
