use kalah::Position;

use crate::packed::PackedBoard;
use crate::sowings::SowTable;
use crate::word::PackedRow;

/// [`kalah::perft`], many times as fast where the search's own sowing can be used: past the
/// opening of boards of up to 15 houses and 255 seeds.
///
/// It checks that sowing on boards too large for a comparison move by move.
///
/// ```
/// use kalah::{Position, Rules};
/// let start = Position::start(6, 4, Rules::STANDARD)?;
/// assert_eq!(kalah_engine::perft(&start, 7), kalah::perft(&start, 7));
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    fn packed<W: PackedRow>(position: &Position, depth: u32) -> Option<u64> {
        let houses = PackedBoard::<W>::from_position(position)?;
        let sowings = SowTable::from_position(position)?;
        Some(count_leaves(&sowings, houses, depth))
    }
    if depth == 0 || position.is_over() {
        return kalah::perft(position, depth);
    }
    packed::<u64>(position, depth)
        .or_else(|| packed::<u128>(position, depth))
        .unwrap_or_else(|| kalah::perft(position, depth))
}

/// Sequences of `depth` plies, 1 or more, in a game that is not over.
fn count_leaves<W: PackedRow>(sowings: &SowTable<W>, houses: PackedBoard<W>, depth: u32) -> u64 {
    if depth == 1 {
        return houses.own.occupied_count().into();
    }
    houses
        .own
        .occupied_bytes()
        .map(|index| sowings.sow(houses, index))
        .filter(|sown| !sown.is_over)
        .map(|sown| count_leaves(sowings, sown.board, depth - 1))
        .sum()
}
