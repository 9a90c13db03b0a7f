//! The run-length board against plain vectors of pits, and at its limits.

use std::hash::{DefaultHasher, Hash, Hasher};

use kalah::reference::ReferenceBoard;
use kalah::{Capture, FirstPlies, Pit, PitCounts as _, Rules, Side, SowEffect};
use proptest::prelude::*;
use proptest::sample::select;

use super::{MAX_HOUSES, RunLengthBoard};

/// Builds a board with the counts of `model`.
fn build_board(model: &ReferenceBoard) -> RunLengthBoard {
    let mut board = RunLengthBoard::new(model.houses(), 0).unwrap();
    for side in Side::ALL {
        for house in (1..=model.houses()).rev() {
            let seeds = model.rows[side][house as usize - 1];
            assert!(board.set_house(side, house, seeds));
        }
        assert!(board.set_store(side, model.stores[side]));
    }
    board
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Sow(Side, u32),
    Bank(Side, u32, Side),
    SetHouse(Side, u32, u64),
    SetStore(Side, u64),
}

fn side() -> impl Strategy<Value = Side> {
    select(Side::ALL.to_vec())
}

fn seeds() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 0..4_u64,
        2 => 0..200_u64,
        1 => any::<u64>(),
        1 => (0..4_u64).prop_map(|less| u64::MAX - less),
    ]
}

fn operations(houses: u32) -> impl Strategy<Value = Vec<Operation>> {
    // Includes numbers outside the board.
    let house = || 0..=houses + 1;
    let operation = prop_oneof![
        6 => (side(), house()).prop_map(|(side, house)| Operation::Sow(side, house)),
        1 => (side(), house(), side()).prop_map(|(owner, house, taker)| Operation::Bank(owner, house, taker)),
        3 => (side(), house(), seeds()).prop_map(|(owner, house, seeds)| Operation::SetHouse(owner, house, seeds)),
        1 => (side(), seeds()).prop_map(|(owner, seeds)| Operation::SetStore(owner, seeds)),
    ];
    prop::collection::vec(operation, 0..40)
}

fn hash(board: &RunLengthBoard) -> u64 {
    let mut hasher = DefaultHasher::new();
    board.hash(&mut hasher);
    hasher.finish()
}

/// Applies `operation` to both. Returns whether it was done rather than refused.
fn apply(
    operation: Operation,
    board: &mut RunLengthBoard,
    model: &mut ReferenceBoard,
) -> Result<bool, TestCaseError> {
    Ok(match operation {
        Operation::Sow(side, house) => {
            let last = board.sow(side, house);
            prop_assert_eq!(last, model.sow(side, house));
            last.is_some()
        }
        Operation::Bank(owner, house, taker) => {
            let banked = board.bank(owner, house, taker);
            prop_assert_eq!(banked, model.bank(owner, house, taker));
            banked.is_some()
        }
        Operation::SetHouse(owner, house, seeds) => {
            let set = board.set_house(owner, house, seeds);
            prop_assert_eq!(set, model.set(Pit::House(owner, house), seeds, u64::MAX));
            set
        }
        Operation::SetStore(owner, seeds) => {
            let set = board.set_store(owner, seeds);
            prop_assert_eq!(set, model.set(Pit::Store(owner), seeds, u64::MAX));
            set
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn operations_agree_with_plain_vectors(
        (houses, seeds, operations) in
            (1..=9_u32).prop_flat_map(|houses| (Just(houses), 0..9_u64, operations(houses)))
    ) {
        let mut board = RunLengthBoard::new(houses, seeds).unwrap();
        let mut model = ReferenceBoard::new(houses as usize, seeds);
        for operation in operations {
            let before = board.clone();
            let done = apply(operation, &mut board, &mut model)?;
            let conserves = !matches!(operation, Operation::SetHouse(..) | Operation::SetStore(..));
            if conserves {
                prop_assert_eq!(board.total(), before.total(), "{:?}", operation);
            }
            if !done {
                prop_assert_eq!(&board, &before, "{:?} was refused but changed the board", operation);
            }
            // Equality and hash depend on the counts alone, not on the operations before.
            let rebuilt = build_board(&model);
            prop_assert_eq!(&board, &rebuilt, "{:?}", operation);
            prop_assert_eq!(hash(&board), hash(&rebuilt), "{:?}", operation);
            for side in Side::ALL {
                let row = &model.rows[side];
                for (house, &seeds) in (1..).zip(row) {
                    prop_assert_eq!(board.house(side, house), Some(seeds), "{:?}", operation);
                    prop_assert_eq!(board.in_house(side, house), seeds, "{:?}", operation);
                }
                prop_assert_eq!(board.store(side), model.stores[side], "{:?}", operation);
                prop_assert_eq!(board.row_total(side), row.iter().sum::<u64>(), "{:?}", operation);
                prop_assert_eq!(board.in_row(side), board.row_total(side), "{:?}", operation);
            }
            prop_assert_eq!(u128::from(board.total()), model.total(), "{:?}", operation);
        }
    }
}

#[test]
fn house_numbers_outside_the_board_are_refused() {
    let mut board = RunLengthBoard::new(3, 4).unwrap();
    let before = board.clone();
    for house in [0, 4, MAX_HOUSES, u32::MAX] {
        assert_eq!(board.house(Side::South, house), None);
        assert_eq!(board.sow(Side::South, house), None);
        assert_eq!(board.bank(Side::North, house, Side::South), None);
        assert!(!board.set_house(Side::South, house, 0));
    }
    assert_eq!(board, before);
}

#[test]
fn house_counts_outside_the_limits_are_refused() {
    for houses in [0, MAX_HOUSES + 1, u32::MAX] {
        assert_eq!(RunLengthBoard::new(houses, 0), None);
    }
    for houses in [1, MAX_HOUSES] {
        let board = RunLengthBoard::new(houses, 1).unwrap();
        assert_eq!(board.total(), u64::from(houses) * 2);
    }
}

#[test]
fn totals_beyond_64_bits_are_refused() {
    // (2^32 - 2) * (2^32 + 2) is 2^64 - 4.
    let max_in_each = (1 << 32) + 2;
    let mut board = RunLengthBoard::new(MAX_HOUSES, max_in_each).unwrap();
    assert_eq!(board.total(), u64::MAX - 3);
    assert_eq!(RunLengthBoard::new(MAX_HOUSES, max_in_each + 1), None);
    assert_eq!(RunLengthBoard::new(1, u64::MAX), None);

    assert!(board.set_store(Side::North, 3));
    assert_eq!(board.total(), u64::MAX);
    let full = board.clone();
    assert!(!board.set_store(Side::South, 1));
    assert!(!board.set_store(Side::North, u64::MAX));
    assert!(!board.set_house(Side::South, MAX_HOUSES, max_in_each + 1));
    assert_eq!(board, full);

    let mut all_in_one = RunLengthBoard::new(1, 0).unwrap();
    assert!(all_in_one.set_house(Side::North, 1, u64::MAX));
    assert_eq!(
        all_in_one.sow(Side::North, 1),
        Some(Pit::House(Side::North, 1))
    );
    assert_eq!(all_in_one.house(Side::North, 1), Some(u64::MAX / 3));
    assert_eq!(
        all_in_one.bank(Side::North, 1, Side::South),
        Some(u64::MAX / 3)
    );
    assert_eq!(all_in_one.total(), u64::MAX);
}

#[test]
fn largest_board_is_sown_run_by_run() {
    let last = MAX_HOUSES;
    let mut board = RunLengthBoard::new(last, 3).unwrap();
    assert_eq!(
        board.sow(Side::South, last),
        Some(Pit::House(Side::North, 2))
    );
    assert_eq!(board.house(Side::North, 3), Some(3));
    // A lap of exactly 2m+1 seeds comes back to its own house, m, opposite the other's house 1.
    let lap = u64::from(last) * 2 + 1;
    assert!(board.set_house(Side::South, last, lap));
    let last_pit = board.sow(Side::South, last).unwrap();
    assert_eq!(last_pit, Pit::House(Side::South, last));
    assert_eq!(
        Rules::CS32.sow_effect(&board, Side::South, last_pit, FirstPlies::Later),
        SowEffect::Capture(Capture {
            house: last,
            from: 1,
            seeds: 6
        })
    );
    assert_eq!(board.house(Side::South, 1), Some(4));
    assert_eq!(board.house(Side::North, 2), Some(5));
    // A thousand more laps from one house.
    assert!(board.set_house(Side::North, 1, lap * 1000));
    assert_eq!(board.sow(Side::North, 1), Some(Pit::House(Side::North, 1)));
    assert_eq!(board.house(Side::South, 1), Some(1004));
    assert_eq!(
        board.row_total(Side::South) + board.row_total(Side::North) + 2 + 1000,
        board.total()
    );
    for house in 1..=1000 {
        assert!(board.sow(Side::North, house * 2).is_some());
    }
}
