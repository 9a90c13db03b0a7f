use kalah::{BySide, Move, Position, Side};

/// Looks for plies that nobody wrote down, within limits for one gap and for a whole text.
pub(super) struct Searcher {
    left: u64,
}

/// Positions that are looked at for one gap: what two turns with all their bonus turns can lead to on the boards that
/// are played on.
const MOST_FOR_ONE: u64 = 200_000;

/// Positions that are looked at for a text: ten thousand games take less, and half a minute.
const MOST_FOR_ALL: u64 = 100_000_000;

/// Plies of a gap. More than in any game of theirs between two answers of a player.
const LONGEST: usize = 300;

/// A gap between two positions.
struct Gap<'a> {
    to: &'a Position,
    /// Whose plies may be any; those of the other side must have been forced, for which nobody is asked.
    is_free: BySide<bool>,
    left: u64,
    path: Vec<Move>,
}

impl Default for Searcher {
    fn default() -> Self {
        Self { left: MOST_FOR_ALL }
    }
}

impl Searcher {
    /// Whether it has looked at all that it may look at.
    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Plies that lead from one position to another. Where several sequences do, it is one of them.
    pub(super) fn between(
        &mut self,
        from: &Position,
        to: &Position,
        is_free: BySide<bool>,
    ) -> Option<Vec<Move>> {
        if from.houses() != to.houses() || from.total() != to.total() {
            return None;
        }
        let most = MOST_FOR_ONE.min(self.left);
        let mut gap = Gap {
            to,
            is_free,
            left: most,
            path: Vec::new(),
        };
        let is_found = gap.close(from);
        self.left -= most - gap.left;
        is_found.then_some(gap.path)
    }
}

impl Gap<'_> {
    /// Whether the gap can be closed from here; the path leads there then.
    fn close(&mut self, from: &Position) -> bool {
        if is_same(from, self.to) {
            return true;
        }
        let is_beyond = |side| from.store(side) > self.to.store(side);
        let is_enough = self.left == 0 || self.path.len() == LONGEST;
        if is_enough || from.is_over() || Side::ALL.into_iter().any(is_beyond) {
            return false;
        }
        let mut choices = from.legal_moves();
        let is_forced = choices.next().is_some() && choices.next().is_none();
        if !is_forced && !self.is_free[from.to_move()] {
            return false;
        }
        for choice in from.legal_moves() {
            self.left = self.left.saturating_sub(1);
            let mut after = from.clone();
            if after.play(choice).is_err() {
                continue;
            }
            self.path.push(choice);
            if self.close(&after) {
                return true;
            }
            self.path.pop();
        }
        false
    }
}

/// Whether two positions have the same seeds everywhere and the same side to move.
fn is_same(one: &Position, other: &Position) -> bool {
    one.to_move() == other.to_move()
        && Side::ALL.into_iter().all(|side| {
            one.store(side) == other.store(side) && one.houses_of(side) == other.houses_of(side)
        })
}
