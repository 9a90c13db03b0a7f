//! Any moves from any start, legal or not, act alike on a position and on the reference.
//!
//! Input: a byte each for the rules, the houses, and who is to move at which ply; a byte for every
//! pit; then a byte for every move.
#![no_main]

use kalah::reference::ReferencePosition;
use kalah::{BySide, FirstPlies, House, Move, Setup, Side};
use libfuzzer_sys::fuzz_target;

/// The first byte that stands for many seeds.
const MANY: u8 = 200;
/// The number of seeds of each step beyond that.
const MANY_STEP: u64 = 1191;

fn seeds(byte: u8) -> u64 {
    match byte.checked_sub(MANY) {
        Some(steps) => u64::from(steps) * MANY_STEP,
        None => byte.into(),
    }
}

/// Builds a setup from the first bytes; missing ones count as 0.
fn setup(bytes: &mut impl Iterator<Item = u8>) -> Setup {
    let mut next = || bytes.next().unwrap_or_default();
    let houses = next() % House::MAX + 1;
    let turn = next();
    let mut row = || (0..houses).map(|_| seeds(next())).collect();
    let rows = BySide::new(row(), row());
    Setup {
        rows,
        stores: BySide::new(seeds(next()), seeds(next())),
        to_move: Side::ALL[usize::from(turn % 2)],
        first_plies: [FirstPlies::PlyOne, FirstPlies::PlyTwo, FirstPlies::Later]
            [usize::from(turn / 2 % 3)],
    }
}

/// Returns a house of the board, the house after its last one, or a swap.
fn any_move(byte: u8, houses: u8) -> Move {
    match House::new(u32::from(byte % (houses + 2))) {
        Some(house) => Move::Sow(house),
        None => Move::Swap,
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.iter().copied();
    let rules = kalah_fuzz::rules(bytes.next().unwrap_or_default());
    let setup = setup(&mut bytes);
    let Ok(mut position) = setup.position(rules) else {
        assert_eq!(ReferencePosition::from_setup(&setup, rules), None);
        return;
    };
    let mut reference = ReferencePosition::from_setup(&setup, rules).expect("a valid setup");
    let total = position.total();
    for byte in bytes {
        assert_eq!(reference, position);
        assert!(position.legal_moves().eq(reference.legal_moves()));
        assert_eq!(position.is_over(), reference.is_over());
        assert_eq!(position.outcome(), reference.outcome());

        let mv = any_move(byte, position.houses());
        let (before, mut flipped) = (position.clone(), position.flipped());
        let result = position.play(mv);
        assert_eq!(result, reference.play(mv), "{mv:?} from {before}");
        assert_eq!(flipped.play(mv).is_ok(), result.is_ok());
        assert_eq!(flipped.flipped(), position);
        assert_eq!(position.total(), total);
        if result.is_err() {
            assert_eq!(position, before);
        }
    }
    assert_eq!(reference, position);
});
