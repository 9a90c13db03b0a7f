//! Counts of move sequences on packed boards.

use kalah::Position;

use crate::row::{PackedBoard, PackedRow};
use crate::sow_table::SowTable;

/// Counts move sequences like [`kalah::perft`], many times as fast on boards that the search can
/// pack: up to 15 houses and 255 seeds, past the first plies.
///
/// It checks the search's sowing on boards that are too large for a comparison move by move.
///
/// ```
/// use kalah::{Position, Rules};
/// let start = Position::start(6, 4, Rules::STANDARD)?;
/// assert_eq!(kalah_board::perft(&start, 7), kalah::perft(&start, 7));
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    fn count_packed<W: PackedRow>(position: &Position, depth: u32) -> Option<u64> {
        let board = PackedBoard::<W>::from_position(position)?;
        let sow_table = SowTable::from_position(position)?;
        Some(count_leaves(&sow_table, board, depth))
    }
    if depth == 0 || position.is_over() {
        return kalah::perft(position, depth);
    }
    count_packed::<u64>(position, depth)
        .or_else(|| count_packed::<u128>(position, depth))
        .unwrap_or_else(|| kalah::perft(position, depth))
}

/// Counts sequences of `depth` plies, at least 1, in a game that is not over.
fn count_leaves<W: PackedRow>(sow_table: &SowTable<W>, board: PackedBoard<W>, depth: u32) -> u64 {
    if depth == 1 {
        return board.own.occupied_count().into();
    }
    board
        .own
        .occupied_bytes()
        .map(|index| sow_table.sow(board, index))
        .filter(|successor| !successor.is_over)
        .map(|successor| count_leaves(sow_table, successor.board, depth - 1))
        .sum()
}
