use kalah::Position;

/// The gain to expect for the side to move, without looking ahead.
pub(crate) fn evaluate(position: &Position) -> i32 {
    let mover = position.to_move();
    (i32::from(position.row(mover)) - i32::from(position.row(mover.opponent()))) / 4
}
