//! Goals: a position, and the margin that its side to move has to reach.

use kalah::reference::ReferencePosition;
use kalah::{BySide, FirstPlies, House, Move, MoveResult, Pit, Rules, Setup, Side};

/// The greatest absolute value of a target: a margin counts all seeds of the position, at most
/// 65,535, and the lead in its stores counts once more.
pub const MAX_TARGET: i32 = 2 * 65_535 + 2;

/// A goal: that the side to move of a position reaches a margin with best play of both sides.
///
/// Goals that mean the same are equal, because a goal has a normal form: the position is turned to
/// South, its stores are empty where the rules do not depend on them, and the target is even or odd
/// as the number of seeds is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Goal {
    /// A valid position.
    position: Setup,
    target: i32,
}

/// The goal after a move.
#[derive(Clone, Debug)]
pub(crate) struct GoalChild {
    pub(crate) mv: Move,
    /// The goal of the side to move after the move.
    pub(crate) goal: Goal,
    /// Whether the player of the parent also moves in the child. Otherwise the move reaches the
    /// target of the parent if the goal of the child is not reached.
    pub(crate) same_player: bool,
}

impl GoalChild {
    /// Converts the answer of the child's goal into whether the move reaches the parent's target,
    /// or the other way round.
    pub(crate) fn convert(&self, answer: bool) -> bool {
        answer == self.same_player
    }
}

impl Goal {
    /// Returns the goal that the side to move in `position` reaches `target`.
    pub fn new(position: &ReferencePosition, target: i32) -> Self {
        let mover = position.to_move();
        let row = |side| {
            House::all(position.houses())
                .map(|house| position.seeds(Pit::House(side, house)).into())
                .collect()
        };
        let store = |side| u64::from(position.seeds(Pit::Store(side)));
        let mut setup = Setup {
            stores: BySide::new(store(mover), store(mover.opponent())),
            rows: BySide::new(row(mover), row(mover.opponent())),
            to_move: Side::South,
            first_plies: position.first_plies(),
        };
        let mut target = target;
        if setup.first_plies == FirstPlies::Later {
            target -= lead(&setup);
            setup.stores = BySide::new(0, 0);
        }
        let seeds = seeds_in_play(&setup) + signed(setup.stores.south + setup.stores.north);
        Self {
            target: target + (target - seeds).rem_euclid(2),
            position: setup,
        }
    }

    /// Returns the goal with another target, which is even or odd as that of this goal.
    pub(crate) fn with_target(&self, target: i32) -> Self {
        Self {
            position: self.position.clone(),
            target,
        }
    }

    /// The position, with South to move.
    pub fn position(&self) -> &Setup {
        &self.position
    }

    /// The margin that the side to move has to reach.
    pub fn target(&self) -> i32 {
        self.target
    }

    /// Returns the position under `rules`.
    pub(crate) fn reference(&self, rules: Rules) -> ReferencePosition {
        ReferencePosition::from_setup(&self.position, rules).expect("a goal has a valid position")
    }

    /// Returns the answer if it needs no search: the game is over, or the target is out of the
    /// range of the seeds in play.
    pub(crate) fn trivial_answer(&self, rules: Rules) -> Option<bool> {
        let (lower, upper) = margin_range(&self.reference(rules));
        if self.target <= lower {
            Some(true)
        } else if self.target > upper {
            Some(false)
        } else {
            None
        }
    }

    /// Returns the goals after all legal moves by the naive rules.
    pub(crate) fn children(&self, rules: Rules) -> Vec<GoalChild> {
        let position = self.reference(rules);
        let moves = position.legal_moves().into_iter();
        let children = moves.filter_map(|mv| {
            let (after, same_player) = play(&position, mv)?;
            // The other player has to miss the target: to reach more than its negative.
            let target = if same_player {
                self.target
            } else {
                1 - self.target
            };
            Some(GoalChild {
                mv,
                goal: Self::new(&after, target),
                same_player,
            })
        });
        children.collect()
    }
}

/// Returns the position after a move and whether the same player is to move in it; `None` if the
/// move is not legal. After a swap the other player moves, on the same side.
pub(crate) fn play(position: &ReferencePosition, mv: Move) -> Option<(ReferencePosition, bool)> {
    let mut after = position.clone();
    let result = after.play(mv).ok()?;
    let same_player = result != MoveResult::Swapped && after.to_move() == position.to_move();
    Some((after, same_player))
}

/// Returns the least and the greatest margin of the side to move that the seeds in play allow.
pub(crate) fn margin_range(position: &ReferencePosition) -> (i32, i32) {
    let lead = lead_of(position);
    if position.is_over() {
        return (lead, lead);
    }
    let in_play = seeds_in_play(&Goal::new(position, 0).position);
    if position.first_plies() == FirstPlies::Later {
        (lead - in_play, lead + in_play)
    } else {
        // After a swap the stores count for the other player.
        let total = in_play + store(position, Side::South) + store(position, Side::North);
        (-total, total)
    }
}

/// Returns the lead of the side to move in the stores.
pub(crate) fn lead_of(position: &ReferencePosition) -> i32 {
    let mover = position.to_move();
    store(position, mover) - store(position, mover.opponent())
}

fn store(position: &ReferencePosition, side: Side) -> i32 {
    position.seeds(Pit::Store(side)).into()
}

fn lead(setup: &Setup) -> i32 {
    signed(setup.stores.south) - signed(setup.stores.north)
}

/// Returns the seeds in the houses.
pub(crate) fn seeds_in_play(setup: &Setup) -> i32 {
    let rows = setup.rows.south.iter().chain(&setup.rows.north);
    signed(rows.sum())
}

/// Returns a number of seeds of a valid position, which has at most 65,535.
fn signed(seeds: u64) -> i32 {
    i32::try_from(seeds).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use kalah::{Margin, Position};
    use kalah_proof::ProofGoal;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    use super::*;

    /// The prover and the checker define goals without shared code.
    #[test]
    fn goals_are_those_of_the_prover() {
        let mut random = Pcg64::seed_from_u64(7);
        let mut positions = 0;
        for preset in Rules::PRESETS {
            for game in 0..200 {
                let mut position = Position::start(1 + game % 6, 3, preset.rules).unwrap();
                while !position.is_over() {
                    let target = random.random_range(-40..40);
                    let theirs = ProofGoal::new(&position, Margin::new(target));
                    let ours = Goal::new(&ReferencePosition::from(&position), target);
                    assert_eq!(ours.position, Setup::from(theirs.position()));
                    assert_eq!(ours.target, theirs.target().seeds());
                    let moves: Vec<Move> = position.legal_moves().collect();
                    let children = ours.children(preset.rules);
                    assert_eq!(children.len(), moves.len());
                    for (child, &mv) in children.iter().zip(&moves) {
                        let their_child = theirs.child(mv);
                        assert_eq!(child.mv, mv);
                        assert_eq!(child.same_player, their_child.same_player);
                        assert_eq!(child.goal.target, their_child.goal.target().seeds());
                        let their_position = Setup::from(their_child.goal.position());
                        assert_eq!(child.goal.position, their_position);
                        let answer = their_child.goal.trivial_answer();
                        if answer.is_some() {
                            assert_eq!(child.goal.trivial_answer(preset.rules), answer);
                        }
                    }
                    position
                        .play(moves[random.random_range(0..moves.len())])
                        .unwrap();
                    positions += 1;
                }
            }
        }
        assert!(positions > 5000, "{positions}");
    }
}
