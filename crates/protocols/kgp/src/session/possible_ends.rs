//! The ends that a game can have after its last known position, for the observer of a connection
//! and the import of its log.

use kalah::{BySide, Move, Outcome, Position, SeedCount, Side};

/// The maximum number of positions in a search for the ends of a game: enough for a turn with all
/// its bonus turns on the usual boards.
const MAX_POSITIONS: u32 = 20_000;

/// The maximum number of plies between two states of a client, more than any known game has.
pub(super) const MAX_PLIES: u32 = 300;

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GameResult {
    /// This side has won.
    Win(Side),
    /// Both sides have the same number of seeds.
    Tie,
}

impl GameResult {
    /// Returns the winner, `None` after a tie.
    pub(crate) fn winner(self) -> Option<Side> {
        match self {
            Self::Win(winner) => Some(winner),
            Self::Tie => None,
        }
    }
}

/// The end of a game: its result and its stores.
type PossibleEnd = (GameResult, BySide<SeedCount>);

/// The ends of a game that are possible without a further state for a client.
pub(crate) struct PossibleEnds {
    /// The sides that may play any move. A server sends the other sides a state unless their move
    /// is forced.
    any_move: BySide<bool>,
    /// The different ends.
    ends: Vec<PossibleEnd>,
    /// Whether the game can also go on with a state.
    can_continue: bool,
    /// The number of positions that may still be searched. At 0, the ends may be incomplete.
    budget: u32,
}

impl PossibleEnds {
    /// Searches for the ends of a game that goes on from one of these positions.
    pub(crate) fn new(positions: &[Position], any_move: BySide<bool>) -> Self {
        let mut ends = Self {
            any_move,
            ends: Vec::new(),
            can_continue: false,
            budget: MAX_POSITIONS,
        };
        for position in positions {
            ends.search(position, MAX_PLIES);
        }
        ends
    }

    /// Adds the ends after at most `plies` plies.
    fn search(&mut self, position: &Position, plies: u32) {
        if let Some(result) = result_at_end(position) {
            let end = (result, BySide::from_fn(|side| position.store(side)));
            if !self.ends.contains(&end) {
                self.ends.push(end);
            }
            return;
        }
        if plies == 0 {
            self.budget = 0;
            return;
        }
        let moves = moves_without_state(position, self.any_move);
        self.can_continue |= moves.is_empty();
        for mv in moves {
            self.budget = self.budget.saturating_sub(1);
            if self.budget == 0 {
                return;
            }
            let mut after = position.clone();
            if after.play(mv).is_ok() {
                self.search(&after, plies - 1);
            }
        }
    }

    /// Returns whether the game cannot end without a further state.
    pub(crate) fn is_impossible(&self) -> bool {
        self.ends.is_empty() && self.budget > 0
    }

    /// Returns whether the game must end without a further state.
    pub(crate) fn is_certain(&self) -> bool {
        !self.can_continue && self.budget > 0
    }

    /// Returns the result that all ends have. Returns `None` if there is no end, if the ends
    /// differ, or if the search has not found all of them.
    pub(crate) fn result(&self) -> Option<GameResult> {
        let (result, _) = self.ends.first()?;
        let is_same = self.ends.iter().all(|(other, _)| other == result);
        (self.budget > 0 && is_same).then_some(*result)
    }

    /// Returns the stores that all ends have.
    pub(crate) fn stores(&self) -> Option<BySide<SeedCount>> {
        match self.ends.as_slice() {
            [(_, stores)] if self.budget > 0 => Some(*stores),
            _ => None,
        }
    }

    /// Returns the final stores that all ends have, if none of them leaves seeds in the houses of
    /// a board with this number of `seeds`.
    pub(crate) fn outcome(&self, seeds: SeedCount) -> Option<Outcome> {
        let stores = self.stores()?;
        let in_stores = u32::from(stores.south) + u32::from(stores.north);
        (in_stores == u32::from(seeds)).then_some(Outcome { stores })
    }
}

/// Returns the result if a server ends the game in this position.
pub(crate) fn result_at_end(position: &Position) -> Option<GameResult> {
    if let Some(outcome) = position.outcome() {
        return Some(outcome.winner().map_or(GameResult::Tie, GameResult::Win));
    }
    // A server ends a game when a store has more than half of all seeds.
    let half = position.total().get() / 2;
    let mut sides = Side::ALL.into_iter();
    let winner = sides.find(|&side| position.store(side).get() > half)?;
    Some(GameResult::Win(winner))
}

/// Returns the moves that can follow without a state for a client: any of the sides with
/// `any_move`, and a forced one of the others.
pub(super) fn moves_without_state(position: &Position, any_move: BySide<bool>) -> Vec<Move> {
    if any_move[position.to_move()] {
        position.legal_moves().collect()
    } else {
        position.only_move().into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use kalah::Rules;

    use super::*;

    fn position(text: &str) -> Position {
        let setup: kalah::Setup = text.parse().expect("a setup");
        setup.position(Rules::CS32).expect("a position")
    }

    fn ends_of(text: &str, any_move: bool) -> PossibleEnds {
        PossibleEnds::new(&[position(text)], BySide::new(any_move, any_move))
    }

    #[test]
    fn forced_end_is_certain_with_its_result_and_stores() {
        let ends = ends_of("<3,3,1,0,0,1,0,0,1> s", false);
        assert!(ends.is_certain() && !ends.is_impossible());
        assert_eq!(ends.result(), Some(GameResult::Win(Side::South)));
        let stores = ends.stores().expect("the stores of the only end");
        assert_eq!((stores.south.get(), stores.north.get()), (4, 2));
    }

    #[test]
    fn search_that_is_cut_off_has_no_result() {
        for ends in [ends_of("6x4", true), ends_of("26x100", true)] {
            assert!(!ends.is_certain() && !ends.is_impossible());
            assert_eq!((ends.result(), ends.stores()), (None, None));
        }
        // The ends that were found before the limit may be some of several.
        let stores = BySide::new(SeedCount::ZERO, SeedCount::ZERO);
        let with_budget = |budget| PossibleEnds {
            any_move: BySide::new(false, false),
            ends: vec![(GameResult::Tie, stores)],
            can_continue: false,
            budget,
        };
        let complete = with_budget(1);
        assert_eq!(complete.result(), Some(GameResult::Tie));
        assert_eq!(complete.stores(), Some(stores));
        let incomplete = with_budget(0);
        assert_eq!((incomplete.result(), incomplete.stores()), (None, None));
    }

    #[test]
    fn different_ends_have_a_common_result_only() {
        let one = BySide::new(SeedCount::ZERO, SeedCount::MAX);
        let other = BySide::new(SeedCount::MAX, SeedCount::ZERO);
        let mut ends = PossibleEnds {
            any_move: BySide::new(false, false),
            ends: vec![(GameResult::Tie, one), (GameResult::Tie, other)],
            can_continue: false,
            budget: 1,
        };
        assert_eq!(
            (ends.result(), ends.stores()),
            (Some(GameResult::Tie), None)
        );
        ends.ends.push((GameResult::Win(Side::North), other));
        assert_eq!(ends.result(), None);
    }
}
