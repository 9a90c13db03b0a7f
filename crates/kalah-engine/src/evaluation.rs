use kalah::{Position, SeedCount, Side};

/// The gain to expect for the side to move, without looking ahead.
///
/// Seeds in the own row are swept into the own store if they are never sown, and each house with
/// seeds is a choice. In 300 games of 6x4, 10,000 positions a choice, a quarter of a seed for a seed did
/// no worse than an eighth, a half or nothing; with it, one seed for a house won 163 to 124 against
/// nothing, and two won 152 to 120 against one. The weight of a house is between these two.
pub(crate) fn evaluate(position: &Position) -> i32 {
    let mover = position.to_move();
    (worth_of_row(position, mover) - worth_of_row(position, mover.opponent())) / QUARTERS_PER_SEED
}

const QUARTERS_PER_SEED: i32 = 4;
const QUARTERS_PER_HOUSE: i32 = 6;

/// In quarters of a seed.
fn worth_of_row(position: &Position, side: Side) -> i32 {
    let in_row = position
        .houses_of(side)
        .iter()
        .filter(|&&seeds| seeds > SeedCount::ZERO);
    in_row
        .map(|&seeds| QUARTERS_PER_HOUSE + i32::from(seeds))
        .sum()
}
