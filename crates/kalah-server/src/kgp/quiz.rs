//! Problems for clients that test their implementation of the rules.

use kalah::{House, Position};
use rand::seq::IteratorRandom as _;
use rand::{Rng, RngExt as _};

use crate::kgp::config::is_over_on_server;

/// The maximum number of plies before a problem, fewer than most games have.
const MAX_PLIES: usize = 30;

/// The number of attempts after which a start is one from which nearly every sowing ends the game.
const MAX_ATTEMPTS: usize = 100;

/// Returns a random position and a house to sow in it, or `None` if none is found. The sowing does
/// not end the game, because programs sweep the rest of a finished game differently.
pub(crate) fn random_problem(start: &Position, rng: &mut impl Rng) -> Option<(Position, House)> {
    for _ in 0..MAX_ATTEMPTS {
        let mut position = start.clone();
        for _ in 0..rng.random_range(0..MAX_PLIES) {
            match random_sowing(&position, rng) {
                Some((_, after)) => position = after,
                None => break,
            }
        }
        if let Some((house, _)) = random_sowing(&position, rng) {
            return Some((position, house));
        }
    }
    None
}

/// Returns a random house and the position after its sowing, or `None` if the sowing ends the game.
fn random_sowing(position: &Position, rng: &mut impl Rng) -> Option<(House, Position)> {
    let house = random_house(position, rng)?;
    let mut after = position.clone();
    after.sow(house).ok()?;
    (!is_over_on_server(&after)).then_some((house, after))
}

/// Returns a random legal house, or `None` if the game is over.
pub(crate) fn random_house(position: &Position, rng: &mut impl Rng) -> Option<House> {
    position.legal_houses().choose(rng)
}

#[cfg(test)]
mod tests {
    use kalah::Rules;
    use rand::SeedableRng as _;
    use rand_pcg::Pcg64Mcg;

    use super::*;

    #[test]
    fn no_problem_ends_the_game() {
        let start = Position::start(3, 2, Rules::STANDARD).expect("a start");
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        for _ in 0..100 {
            let (mut position, house) = random_problem(&start, &mut rng).expect("a problem");
            position.sow(house).expect("a legal house");
            assert!(!is_over_on_server(&position));
        }
        let last_move = "<2,0,0,0,1,1,0> s"
            .parse::<kalah::Setup>()
            .expect("a setup");
        let start = last_move.position(Rules::STANDARD).expect("a position");
        assert!(random_problem(&start, &mut rng).is_none());
    }
}
