"""The rules of the game, written a second time as plainly as possible.

The tests compare the package with this implementation. It shares no code with the package, and
it favours obvious steps over speed.
"""

from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

SideName = Literal["south", "north"]

OPPONENT: dict[SideName, SideName] = {"south": "north", "north": "south"}


@dataclass(frozen=True)
class ReferenceRules:
    """The four fields of a rule set."""

    ends: str
    capture: str
    swap: bool
    first_bonus: bool

    @property
    def text(self) -> str:
        """The list of the fields, which `kalah.Rules` parses."""
        yes_no = {True: "yes", False: "no"}
        return (
            f"ends={self.ends},capture={self.capture},"
            f"swap={yes_no[self.swap]},first-bonus={yes_no[self.first_bonus]}"
        )


ALL_RULES = [
    ReferenceRules(ends, capture, swap, first_bonus)
    for ends, capture, swap, first_bonus in product(
        ("stuck", "row"), ("opposite", "always"), (False, True), (False, True)
    )
]

PRESETS = {
    "cs32": ReferenceRules("stuck", "opposite", swap=False, first_bonus=True),
    "standard": ReferenceRules("row", "opposite", swap=False, first_bonus=True),
    "empty-capture": ReferenceRules("row", "always", swap=False, first_bonus=True),
    "mankalah": ReferenceRules("row", "opposite", swap=True, first_bonus=False),
}


@dataclass(frozen=True)
class ReferencePosition:
    """A position whose rows are tuples in the sowing order of their owner."""

    rules: ReferenceRules
    rows: dict[SideName, tuple[int, ...]]
    stores: dict[SideName, int]
    to_move: SideName
    ply: int

    @staticmethod
    def start(houses: int, seeds: int, rules: ReferenceRules) -> "ReferencePosition":
        """Returns the start of a game, which is over at once without seeds."""
        row = (seeds,) * houses
        position = ReferencePosition(
            rules,
            {"south": row, "north": row},
            {"south": 0, "north": 0},
            "south",
            1,
        )
        return position.swept_if_over()

    @property
    def is_over(self) -> bool:
        """Whether both rows are empty."""
        return sum(self.rows["south"]) + sum(self.rows["north"]) == 0

    @property
    def can_swap(self) -> bool:
        """Whether the second player may exchange sides, which is at ply 2 only."""
        return self.rules.swap and self.ply == 2 and self.to_move == "north" and not self.is_over

    @property
    def legal_moves(self) -> list[str]:
        """The letters of the houses with seeds, then the swap."""
        first = ord("A") if self.to_move == "south" else ord("a")
        moves = [
            chr(first + index) for index, seeds in enumerate(self.rows[self.to_move]) if seeds > 0
        ]
        return [*moves, "swap"] if self.can_swap else moves

    def play(self, move: str) -> "ReferencePosition":
        """Returns the position after a legal move."""
        assert move in self.legal_moves
        if move == "swap":
            return replace(self, ply=self.ply + 1)
        mover, other = self.to_move, OPPONENT[self.to_move]
        houses = len(self.rows[mover])
        house = ord(move.upper()) - ord("A")

        # One list of all pits that the mover sows into, in order. The store of the other side is
        # not among them.
        pits = [*self.rows[mover], self.stores[mover], *self.rows[other]]
        store = houses
        seeds, pits[house] = pits[house], 0
        last = house
        for _ in range(seeds):
            last = (last + 1) % len(pits)
            pits[last] += 1

        if last < houses and pits[last] == 1:
            opposite = len(pits) - 1 - last
            if pits[opposite] > 0 or self.rules.capture == "always":
                pits[store] += pits[last] + pits[opposite]
                pits[last] = pits[opposite] = 0

        bonus = last == store and (self.rules.first_bonus or self.ply > 1)
        rows: dict[SideName, tuple[int, ...]] = {
            mover: tuple(pits[:houses]),
            other: tuple(pits[houses + 1 :]),
        }
        stores: dict[SideName, int] = {mover: pits[store], other: self.stores[other]}
        to_move = mover if bonus else other
        return ReferencePosition(self.rules, rows, stores, to_move, self.ply + 1).swept_if_over()

    def swept_if_over(self) -> "ReferencePosition":
        """Returns the position, with all seeds in the stores if the game is over in it."""
        stuck = sum(self.rows[self.to_move]) == 0
        any_empty = min(sum(row) for row in self.rows.values()) == 0
        if not (stuck if self.rules.ends == "stuck" else any_empty):
            return self
        empty = (0,) * len(self.rows["south"])
        stores: dict[SideName, int] = {
            side: self.stores[side] + sum(self.rows[side]) for side in OPPONENT
        }
        return replace(self, rows={"south": empty, "north": empty}, stores=stores)

    @property
    def text(self) -> str:
        """The text of the position, with the ply where the rules depend on it."""
        counts = [
            len(self.rows["south"]),
            self.stores["south"],
            self.stores["north"],
            *self.rows["south"],
            *self.rows["north"],
        ]
        text = f"<{','.join(map(str, counts))}> {self.to_move[0]}"
        depends_on_ply_one = self.rules.swap or not self.rules.first_bonus
        if self.ply == 1 and depends_on_ply_one and not self.is_over:
            return f"{text} ply=1"
        if self.can_swap:
            return f"{text} ply=2"
        return text
