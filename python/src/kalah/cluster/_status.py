"""The state of a proof."""

import dataclasses
from typing import TYPE_CHECKING

from kalah._kalah import Bounds, Move, Position

if TYPE_CHECKING:
    from kalah._kalah import _ProofStatus


@dataclasses.dataclass(frozen=True)
class CurrentGoal:
    """The goal that a proof decides now: whether a margin is at least a target."""

    move: Move | None
    """The move whose margin it is, or `None` for the position."""
    target: int
    """The target for the side to move in the position."""
    expected: bool
    """The answer that is expected by the proof numbers."""
    complete: float
    """The part of a proof of the expected answer that is complete, from 0 to 1."""
    nodes_left: int | None
    """An estimate of the nodes that are left to decide the goal, or `None` if it is too early."""
    line: tuple[Move, ...]
    """The most promising line."""


@dataclasses.dataclass(frozen=True)
class ProofStatus:
    """The state of a proof. Margins are those of the side to move in its position."""

    position: Position
    """The position."""
    bounds: Bounds
    """The proven bounds of its margin."""
    conditional_leaves: int
    """The leaves on which the bounds depend and whose answers were in the store before this call.

    This call has not searched them: the bounds are proven on the condition that the answers are
    right, which `kalah prove check` verifies. A proof that this call has made alone has none.
    """
    moves: tuple[tuple[Move, Bounds], ...]
    """The moves with the proven bounds of their margins.

    There are none if the proof is one of the best move only, and before the margin of the position
    is exact.
    """
    line: tuple[Move, ...]
    """A line of best play, as far as the proof tree has it.

    It is empty before the margin of the position is exact.
    """
    is_finished: bool
    """Whether all margins that were asked for are exact."""
    goals: int
    """The goals in the proof tree."""
    solved_goals: int
    """Those of the goals that are proven or disproven."""
    jobs_in_flight: int
    """The jobs that are handed out and have no result yet."""
    jobs: int
    """The jobs that this call has completed."""
    repeated_jobs: int
    """The number of times that this call has handed out a job again or has taken it back.

    The worker was lost, or had no result in the time of the lease.
    """
    nodes: int
    """The nodes of all completed jobs of the proof."""
    goal: CurrentGoal | None
    """The goal that the proof decides now, or `None` once it is complete."""

    @property
    def margin(self) -> int | None:
        """The margin of the position, or `None` before its bounds are equal.

        It is conditional on the answers of `conditional_leaves`.
        """
        return self.bounds.lower if self.bounds.is_exact else None


def status_of(position: Position, status: "_ProofStatus", repeated_jobs: int) -> ProofStatus:
    """Returns the state of a proof from that of its coordinator."""
    current = status["current_goal"]
    goal = None
    if current is not None:
        goal = CurrentGoal(
            move=current["move"],
            target=current["target"],
            expected=current["expected"],
            complete=current["complete"],
            nodes_left=current["nodes_left"],
            line=tuple(current["line"]),
        )
    return ProofStatus(
        position=position,
        bounds=status["bounds"],
        conditional_leaves=status["conditional_leaves"],
        moves=tuple(status["moves"]),
        line=tuple(status["line"]),
        is_finished=goal is None,
        goals=status["goals"],
        solved_goals=status["solved_goals"],
        jobs_in_flight=status["jobs_in_flight"],
        jobs=status["completed_jobs"],
        repeated_jobs=repeated_jobs,
        nodes=status["nodes"],
        goal=goal,
    )
