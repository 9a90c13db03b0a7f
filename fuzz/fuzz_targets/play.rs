//! Any choices from any start, legal or not, do the same to a position and to its slow obvious twin.
//!
//! Input: a byte each for the rules, the houses, and who is to move at which ply; a byte for every
//! pit; then a byte for every choice.
#![no_main]

use kalah::reference::ReferencePosition;
use kalah::{BySide, Choice, House, Opening, Setup, Side};
use libfuzzer_sys::fuzz_target;

/// Bytes from here on stand for many seeds.
const MANY: u8 = 200;
/// How many seeds each step beyond that stands for.
const MANY_STEP: u64 = 1191;

fn seeds(byte: u8) -> u64 {
    match byte.checked_sub(MANY) {
        Some(steps) => u64::from(steps) * MANY_STEP,
        None => byte.into(),
    }
}

/// A start of the first bytes, missing ones being 0.
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
        opening: [Opening::PlyOne, Opening::PlyTwo, Opening::Past][usize::from(turn / 2 % 3)],
    }
}

/// A house of the board, or one too many, or a swap.
fn choice(byte: u8, houses: u8) -> Choice {
    match House::new(u32::from(byte % (houses + 2))) {
        Some(house) => Choice::Sow(house),
        None => Choice::Swap,
    }
}

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.iter().copied();
    let rules = kalah_fuzz::rules(bytes.next().unwrap_or_default());
    let setup = setup(&mut bytes);
    let Ok(mut position) = setup.position(rules) else {
        assert_eq!(Ring::set_up(&setup, rules), None);
        return;
    };
    let mut ring = Ring::set_up(&setup, rules).expect("the gate let it pass");
    let total = position.total();
    for byte in bytes {
        assert_eq!(ring, position);
        assert!(position.choices().eq(ring.choices()));
        assert_eq!(position.is_over(), ring.is_over());
        assert_eq!(position.outcome(), ring.outcome());

        let choice = choice(byte, position.houses());
        let (before, mut turned) = (position.clone(), position.turned());
        let played = position.play(choice);
        assert_eq!(played, ring.play(choice), "{choice:?} from {before}");
        assert_eq!(turned.play(choice).is_ok(), played.is_ok());
        assert_eq!(turned.turned(), position);
        assert_eq!(position.total(), total);
        if played.is_err() {
            assert_eq!(position, before);
        }
    }
    assert_eq!(ring, position);
});
