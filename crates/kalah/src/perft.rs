use crate::Position;

/// How many sequences of exactly `depth` plies there are from a position, a swap being one ply.
///
/// A finished game has no continuation. Counting is the classic check that rules are right. It
/// recurses once a ply.
///
/// ```
/// use kalah::{Position, Rules, perft};
/// assert_eq!(perft(&Position::start(6, 4, Rules::STANDARD)?, 3), 185);
/// # Ok::<(), kalah::SetupError>(())
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal_moves().map(|_| 1_u64).sum(),
        _ => position
            .legal_moves()
            .map(|choice| {
                let mut next = position.clone();
                next.play(choice).map_or(0, |_| perft(&next, depth - 1))
            })
            .sum(),
    }
}
