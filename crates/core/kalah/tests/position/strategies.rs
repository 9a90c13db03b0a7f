//! Random rules and setups, and parsers for valid texts, shared by the tests of positions.

use kalah::{
    BySide, CaptureRule, EndRule, FirstPlies, FirstPlyRules, House, HouseRules, Position, Rules,
    SeedCount, Setup, Side,
};
use proptest::prelude::*;
use proptest::sample::select;

/// Returns all 16 rule sets.
pub(crate) fn all_rules() -> Vec<Rules> {
    let mut all = Vec::new();
    for ends in [EndRule::Stuck, EndRule::Row] {
        for capture in [CaptureRule::Opposite, CaptureRule::Always] {
            for (swap, first_bonus) in [(false, true), (false, false), (true, true), (true, false)]
            {
                all.push(Rules {
                    house_rules: HouseRules { ends, capture },
                    first_ply_rules: FirstPlyRules { swap, first_bonus },
                });
            }
        }
    }
    all
}

pub(crate) fn any_rules() -> impl Strategy<Value = Rules> {
    select(all_rules())
}

pub(crate) fn any_side() -> impl Strategy<Value = Side> {
    select(Side::ALL.to_vec())
}

pub(crate) fn any_first_plies() -> impl Strategy<Value = FirstPlies> {
    select(vec![
        FirstPlies::PlyOne,
        FirstPlies::PlyTwo,
        FirstPlies::Later,
    ])
}

/// Seeds of one pit of a row of this kind.
fn pit(houses: u8, kind: PitKind) -> BoxedStrategy<u64> {
    let lap = u64::from(houses) * 2 + 1;
    match kind {
        PitKind::Sparse => prop_oneof![6 => Just(0_u64), 2 => Just(1), 1 => 0..=lap].boxed(),
        PitKind::Dense => (0..=lap).boxed(),
        PitKind::Laps => (0..4_u64, 0..3_u64)
            .prop_map(move |(laps, more)| (laps * lap + more).saturating_sub(1))
            .boxed(),
        PitKind::Huge => prop_oneof![3 => 0..3_u64, 1 => 0..=u64::from(SeedCount::MAX)].boxed(),
    }
}

#[derive(Clone, Copy, Debug)]
enum PitKind {
    Sparse,
    Dense,
    Laps,
    Huge,
}

/// Valid setups of every size.
pub(crate) fn playable_setups() -> impl Strategy<Value = Setup> {
    let kinds = select(vec![
        PitKind::Sparse,
        PitKind::Dense,
        PitKind::Laps,
        PitKind::Huge,
    ]);
    let houses = prop_oneof![1..=6_u8, 1..=House::MAX];
    (houses, kinds.clone(), kinds).prop_flat_map(|(houses, south, north)| {
        let row = |kind| prop::collection::vec(pit(houses, kind), usize::from(houses));
        let store = || prop_oneof![Just(0), 0..100_u64, 0..=u64::from(SeedCount::MAX)];
        (row(south), row(north), store(), store())
            .prop_flat_map(|pits| (Just(pits), any_side(), any_first_plies()))
            .prop_map(
                |((south, north, in_south, in_north), to_move, first_plies)| {
                    let mut setup = Setup {
                        stores: BySide::new(in_south, in_north),
                        rows: BySide::new(south, north),
                        to_move,
                        first_plies,
                    };
                    keep_within_limit(&mut setup);
                    setup
                },
            )
    })
}

/// Setups of tiny boards, whose games can be searched completely.
pub(crate) fn tiny_setups() -> impl Strategy<Value = Setup> {
    (1..=3_u8).prop_flat_map(|houses| {
        let row = || prop::collection::vec(0..=3_u64, usize::from(houses));
        (
            row(),
            row(),
            0..3_u64,
            0..3_u64,
            any_side(),
            any_first_plies(),
        )
            .prop_map(
                |(south, north, in_south, in_north, to_move, first_plies)| Setup {
                    stores: BySide::new(in_south, in_north),
                    rows: BySide::new(south, north),
                    to_move,
                    first_plies,
                },
            )
    })
}

/// Removes seeds from the later pits until the setup is valid.
fn keep_within_limit(setup: &mut Setup) {
    let BySide { south, north } = &mut setup.rows;
    let rows = south.iter_mut().chain(north);
    let mut room = u64::from(SeedCount::MAX);
    for pit in rows.chain([&mut setup.stores.south, &mut setup.stores.north]) {
        *pit = room.min(*pit);
        room -= *pit;
    }
}

/// Returns a generator of numbers below its argument, the same for the same `seed` (Vigna's
/// splitmix64).
pub(crate) fn dice(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = seed;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % below as u64).expect("less than a usize")
    }
}

/// Parses a valid position.
pub(crate) fn position(text: &str, rules: Rules) -> Position {
    let setup: Setup = text.parse().unwrap();
    setup.position(rules).unwrap()
}

/// Parses the letter of a house.
pub(crate) fn house(letter: char) -> House {
    House::from_letter(letter).unwrap().1
}
