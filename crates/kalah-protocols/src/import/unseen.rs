use kalah::{BySide, Move, Position, Side};

/// Looks for plies that nobody wrote down, within limits for one gap and for a whole text.
pub(super) struct GapSearcher {
    budget: u64,
}

/// Positions that are looked at for one gap: what two turns with all their bonus turns can lead to on the boards that
/// are played on.
const MAX_POSITIONS_PER_GAP: u64 = 200_000;

/// Positions that are looked at for a text: ten thousand games take less, and half a minute.
const MAX_POSITIONS_PER_TEXT: u64 = 100_000_000;

/// Plies of a gap. More than in any game of theirs between two answers of a player.
const MAX_GAP_PLIES: usize = 300;

/// A gap between two positions.
struct Gap<'a> {
    target: &'a Position,
    /// Whose plies may be any; those of the other side must have been forced, for which nobody is asked.
    any_move: BySide<bool>,
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
    /// Whether it has looked at all that it may look at.
    pub(super) fn is_exhausted(&self) -> bool {
        self.budget == 0
    }

    /// Plies that lead from one position to another. Where several sequences do, it is one of them.
    pub(super) fn find_path(
        &mut self,
        from: &Position,
        to: &Position,
        is_free: BySide<bool>,
    ) -> Option<Vec<Move>> {
        if from.houses() != to.houses() || from.total() != to.total() {
            return None;
        }
        let most = MAX_POSITIONS_PER_GAP.min(self.budget);
        let mut gap = Gap {
            target: to,
            any_move: is_free,
            budget: most,
            path: Vec::new(),
        };
        let is_found = gap.search(from);
        self.budget -= most - gap.budget;
        is_found.then_some(gap.path)
    }
}

impl Gap<'_> {
    /// Whether the gap can be closed from here; the path leads there then.
    fn search(&mut self, from: &Position) -> bool {
        if is_same(from, self.target) {
            return true;
        }
        let is_beyond = |side| from.store(side) > self.target.store(side);
        let is_enough = self.budget == 0 || self.path.len() == MAX_GAP_PLIES;
        if is_enough || from.is_over() || Side::ALL.into_iter().any(is_beyond) {
            return false;
        }
        let mut moves = from.legal_moves();
        let is_forced = moves.next().is_some() && moves.next().is_none();
        if !is_forced && !self.any_move[from.to_move()] {
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

/// Whether two positions have the same seeds everywhere and the same side to move.
fn is_same(one: &Position, other: &Position) -> bool {
    one.to_move() == other.to_move()
        && Side::ALL.into_iter().all(|side| {
            one.store(side) == other.store(side) && one.houses_of(side) == other.houses_of(side)
        })
}
