//! The extent of the property tests, and the sowings that they expect.

use kalah::{House, Position};
use proptest::test_runner::Config;

use crate::Successor;

/// Returns the configuration of a test of `cases` cases. Under Miri one case is enough to execute
/// all code, and the sow tables of a case alone take seconds to build.
pub(crate) fn cases(cases: u32) -> Config {
    Config::with_cases(if cfg!(miri) { 1 } else { cases })
}

/// Returns the sowing of a house by the rules, with the next position as `board` converts it.
pub(crate) fn expected_sowing<B>(
    position: &Position,
    house: House,
    board: impl Fn(&Position) -> Option<B>,
) -> Successor<B> {
    let mut next = position.clone();
    let result = next.sow(house).expect("a legal house");
    let same_player = next.to_move() == position.to_move();
    let lead = if same_player {
        next.lead()
    } else {
        -next.lead()
    };
    Successor {
        board: board(&next).expect("the board can represent the next position"),
        banked: lead.seeds() - position.lead().seeds(),
        same_player,
        is_over: result.is_game_over(),
    }
}
