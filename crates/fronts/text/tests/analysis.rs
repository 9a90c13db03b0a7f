//! The lines about margins of moves.

use kalah::{House, Labels, Margin, Move, Position, Rules, Side};
use kalah_engine::Bounds;
use kalah_text::{Notation, move_lines};

#[test]
fn moves_are_listed_with_the_best_one_first_and_their_conditions() {
    let position = Position::start(3, 2, Rules::STANDARD).expect("a start");
    let notation = Notation::new(&position, Labels::default());
    let bounds = |lower, upper| Bounds {
        lower: Margin::new(lower),
        upper: Margin::new(upper),
    };
    let moves = [(-4, -4), (8, 8), (2, 6)];
    let lines = |leaves| {
        let moves = (1..).zip(moves).map(|(house, (lower, upper))| {
            let mv = Move::Sow(House::new(house).expect("a house"));
            (mv, bounds(lower, upper))
        });
        move_lines(bounds(8, 8), moves, leaves, Side::South, notation)
    };
    assert_eq!(
        lines(0),
        ["B: +8 exact *", "C: from +2 to +6", "A: -4 exact"]
    );
    assert_eq!(
        lines(1),
        [
            "B: +8, conditional *",
            "C: from +2 to +6",
            "A: -4, conditional"
        ]
    );
}
