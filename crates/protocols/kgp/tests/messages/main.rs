//! KGP: lines, the two ends of a connection, and the dialect of child processes.

mod child;
mod client;
mod line;
mod observer;
mod session;

use kalah::{House, Position, Rules, Setup};
use kalah_kgp::{KgpBoard, Line};
use proptest::prelude::*;

/// Parses a line that must be well-formed.
fn line(text: &str) -> Line {
    text.parse().expect(text)
}

fn house(number: u32) -> House {
    House::new(number).expect("from 1 to 26")
}

/// Returns the board of a position in text form.
fn board(text: &str) -> KgpBoard {
    let setup: Setup = text.parse().expect(text);
    KgpBoard::from(&setup.position(Rules::STANDARD).expect(text))
}

fn start(houses: u8, seeds: u64) -> Position {
    Position::start(houses, seeds, Rules::STANDARD).expect("a start")
}

fn any_board() -> impl Strategy<Value = KgpBoard> {
    (1..=26_usize).prop_flat_map(|houses| {
        proptest::collection::vec(0..1000_u32, 2 + 2 * houses).prop_map(move |numbers| {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            board(&format!("<{houses},{}>", numbers.join(",")))
        })
    })
}
