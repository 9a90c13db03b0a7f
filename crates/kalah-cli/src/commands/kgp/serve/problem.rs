use kalah::{House, Position};

use super::lots::Rng;

/// A position, and a sowing from it that does not end the game: there programs do not agree on what is swept.
pub(super) fn random_problem(start: &Position, lots: &mut Rng) -> Option<(Position, House)> {
    for _ in 0..MAX_ATTEMPTS {
        let mut position = start.clone();
        for _ in 0..lots.below(MAX_PLIES) {
            let Some(house) = random_house(&position, lots) else {
                break;
            };
            let mut after = position.clone();
            if after.sow(house).is_err() || is_decided(&after) {
                break;
            }
            position = after;
        }
        let Some(house) = random_house(&position, lots) else {
            continue;
        };
        let mut after = position.clone();
        if after.sow(house).is_ok() && !is_decided(&after) {
            return Some((position, house));
        }
    }
    None
}

/// Plies to a position that is asked about: fewer than most games have.
const MAX_PLIES: usize = 30;

/// Tries, after which a start is one of those from which nearly every sowing ends the game.
const MAX_ATTEMPTS: usize = 100;

/// A house that can be sown, if there is one.
pub(super) fn random_house(position: &Position, lots: &mut Rng) -> Option<House> {
    let houses: Vec<House> = position.legal_houses().collect();
    lots.choose(&houses).copied()
}

/// Whether a game is over for a server: by the rules, or because a store has more than half of all seeds.
pub(super) fn is_decided(position: &Position) -> bool {
    position.is_over() || majority_side(position).is_some()
}

/// Whose store has more than half of all seeds.
pub(super) fn majority_side(position: &Position) -> Option<kalah::Side> {
    let half = position.total().get() / 2;
    let mut sides = kalah::Side::ALL.into_iter();
    sides.find(|&side| position.store(side).get() > half)
}
