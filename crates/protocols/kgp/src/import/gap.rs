//! The search for the plies that a log leaves out.

use kalah::{BySide, Move, Position, Side};

/// The maximum number of positions in the search for one gap: enough for two turns with all their
/// bonus turns on the usual boards.
const MAX_POSITIONS_PER_GAP: u64 = 200_000;

/// The maximum number of positions in all searches of a text. Ten thousand games stay below it; it
/// takes half a minute.
const MAX_POSITIONS_PER_TEXT: u64 = 100_000_000;

/// The maximum number of plies in a gap, more than any known game has between two states of a
/// player.
const MAX_GAP_PLIES: usize = 300;

/// Searches for the plies that a log leaves out, within the limits for a gap and for a text.
pub(super) struct GapSearcher {
    /// The number of positions that may still be searched.
    budget: u64,
}

/// A gap between two positions of a game.
struct Gap<'a> {
    target: &'a Position,
    /// The sides that may have played any move. The moves of the other sides must be forced,
    /// because a server sends no state for a forced move.
    any_move: BySide<bool>,
    /// The number of positions that may still be searched.
    budget: u64,
    path: Vec<Move>,
}

impl Default for GapSearcher {
    fn default() -> Self {
        Self {
            budget: MAX_POSITIONS_PER_TEXT,
        }
    }
}

impl GapSearcher {
    /// Returns whether the limit for the text is reached.
    pub(super) fn is_exhausted(&self) -> bool {
        self.budget == 0
    }

    /// Returns plies that lead from one position to another. If several sequences do, it returns
    /// one of them.
    pub(super) fn find_path(
        &mut self,
        from: &Position,
        target: &Position,
        any_move: BySide<bool>,
    ) -> Option<Vec<Move>> {
        if from.houses() != target.houses() || from.total() != target.total() {
            return None;
        }
        let budget = MAX_POSITIONS_PER_GAP.min(self.budget);
        let mut gap = Gap {
            target,
            any_move,
            budget,
            path: Vec::new(),
        };
        let is_found = gap.search(from);
        self.budget -= budget - gap.budget;
        is_found.then_some(gap.path)
    }
}

impl Gap<'_> {
    /// Extends the path from `from` to the target. Returns false, with the path unchanged, if there
    /// is no way or the limit is reached.
    fn search(&mut self, from: &Position) -> bool {
        if has_equal_board(from, self.target) {
            return true;
        }
        let is_at_limit = self.budget == 0 || self.path.len() == MAX_GAP_PLIES;
        // Stores never shrink.
        let is_past_target = |side| from.store(side) > self.target.store(side);
        if is_at_limit || from.is_over() || Side::ALL.into_iter().any(is_past_target) {
            return false;
        }
        if !self.any_move[from.to_move()] && from.only_move().is_none() {
            return false;
        }
        for mv in from.legal_moves() {
            self.budget = self.budget.saturating_sub(1);
            let mut after = from.clone();
            if after.play(mv).is_err() {
                continue;
            }
            self.path.push(mv);
            if self.search(&after) {
                return true;
            }
            self.path.pop();
        }
        false
    }
}

/// Returns whether two positions have the same seeds everywhere and the same side to move.
fn has_equal_board(one: &Position, other: &Position) -> bool {
    one.to_move() == other.to_move()
        && Side::ALL.into_iter().all(|side| {
            one.store(side) == other.store(side) && one.houses_of(side) == other.houses_of(side)
        })
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    const ANY_MOVE: BySide<bool> = BySide {
        south: true,
        north: true,
    };

    #[test]
    fn gap_costs_the_positions_that_were_searched() {
        let start = Position::start(6, 4, Rules::CS32).expect("a start");
        let mut target = start.clone();
        let first = start.legal_moves().next().expect("a move");
        target.play(first).expect("a legal move");
        let mut searcher = GapSearcher::default();
        for number in 1..=1_000 {
            let path = searcher.find_path(&start, &target, ANY_MOVE);
            assert_eq!(path, Some(vec![first]));
            assert_eq!(searcher.budget, MAX_POSITIONS_PER_TEXT - number);
        }
    }

    #[test]
    fn search_ends_at_the_limit_of_the_text() {
        let start = Position::start(6, 4, Rules::CS32).expect("a start");
        let mut target = start.clone();
        for _ in 0..2 {
            let second = target.legal_moves().nth(1).expect("two moves");
            target.play(second).expect("a legal move");
        }
        let mut searcher = GapSearcher { budget: 1 };
        assert_eq!(searcher.find_path(&start, &target, ANY_MOVE), None);
        assert!(searcher.is_exhausted());
    }
}
