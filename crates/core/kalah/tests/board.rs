//! Boards against plain vectors of pits, and at their limits.

use kalah::reference::ReferenceBoard;
use kalah::{Board, BoardError, Gain, Margin, Pit, PitCounts as _, Side};
use proptest::prelude::*;
use proptest::sample::select;

/// The maximum number of seeds on a board, stores included.
const MAX_SEEDS: u64 = 65_535;

/// Sets the seeds of a pit of `model` with the errors of [`Board`].
fn set(model: &mut ReferenceBoard, pit: Pit<u32>, seeds: u64) -> Result<(), BoardError> {
    if let Pit::House(_, house) = pit
        && model.pit(pit).is_none()
    {
        let houses = model.houses();
        return Err(BoardError::NoSuchHouse { house, houses });
    }
    if model.set(pit, seeds, MAX_SEEDS) {
        Ok(())
    } else {
        Err(BoardError::TooManySeeds)
    }
}

/// Builds a board with the counts of `model`.
fn build_board(model: &ReferenceBoard) -> Board {
    let mut board = Board::new(model.houses(), 0).unwrap();
    for side in Side::ALL {
        for house in (1..=model.houses()).rev() {
            let seeds = model.rows[side][house as usize - 1];
            board.set_house(side, house, seeds).unwrap();
        }
        board.set_store(side, model.stores[side]).unwrap();
    }
    board
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Sow(Side, u32),
    Bank(Side, u32, Side),
    BankRow(Side, Side),
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
        1 => 0..=70_000_u64,
    ]
}

fn operations(houses: u32) -> impl Strategy<Value = Vec<Operation>> {
    // Includes numbers outside the board.
    let house = || 0..=houses + 1;
    let operation = prop_oneof![
        6 => (side(), house()).prop_map(|(side, house)| Operation::Sow(side, house)),
        1 => (side(), house(), side()).prop_map(|(owner, house, taker)| Operation::Bank(owner, house, taker)),
        1 => (side(), side()).prop_map(|(owner, taker)| Operation::BankRow(owner, taker)),
        3 => (side(), house(), seeds()).prop_map(|(owner, house, seeds)| Operation::SetHouse(owner, house, seeds)),
        1 => (side(), seeds()).prop_map(|(owner, seeds)| Operation::SetStore(owner, seeds)),
    ];
    prop::collection::vec(operation, 0..40)
}

/// Applies `operation` to both. Returns whether it was done rather than refused.
fn apply(
    operation: Operation,
    board: &mut Board,
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
        Operation::BankRow(owner, taker) => {
            prop_assert_eq!(board.bank_row(owner, taker), model.bank_row(owner, taker));
            true
        }
        Operation::SetHouse(owner, house, seeds) => {
            let is_set = board.set_house(owner, house, seeds);
            prop_assert_eq!(is_set, set(model, Pit::House(owner, house), seeds));
            is_set.is_ok()
        }
        Operation::SetStore(owner, seeds) => {
            let is_set = board.set_store(owner, seeds);
            prop_assert_eq!(is_set, set(model, Pit::Store(owner), seeds));
            is_set.is_ok()
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
        let mut board = Board::new(houses, seeds).unwrap();
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
            // Equality depends on the counts alone, not on the operations before.
            prop_assert_eq!(&board, &build_board(&model), "{:?}", operation);
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
    let mut board = Board::new(3, 4).unwrap();
    let before = board.clone();
    for house in [0, 4, 26, 27, u32::MAX] {
        assert_eq!(board.house(Side::South, house), None);
        assert_eq!(board.sow(Side::South, house), None);
        assert_eq!(board.bank(Side::North, house, Side::South), None);
        let refused = board.set_house(Side::South, house, 0).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("there is no house {house} on a board of 3 houses a side")
        );
    }
    assert_eq!(board, before);
}

#[test]
fn house_counts_outside_the_limits_are_refused() {
    for houses in [0, 27, u32::MAX] {
        assert_eq!(
            Board::new(houses, 0).unwrap_err().to_string(),
            format!("invalid board of {houses} houses a side: expected 1 to 26")
        );
    }
    for houses in [1, 26] {
        let board = Board::new(houses, 1).unwrap();
        assert_eq!(board.total(), u64::from(houses) * 2);
    }
}

#[test]
fn totals_beyond_the_limit_are_refused() {
    // 52 houses of 1260 seeds are 65,520.
    let mut board = Board::new(26, 1260).unwrap();
    assert_eq!(Board::new(26, 1261), Err(BoardError::TooManySeeds));
    assert_eq!(Board::new(1, u64::MAX), Err(BoardError::TooManySeeds));
    board.set_store(Side::North, 15).unwrap();
    assert_eq!(board.total(), MAX_SEEDS);
    let full = board.clone();
    for (result, change) in [
        (board.set_store(Side::South, 1), "another store"),
        (board.set_store(Side::North, 16), "the same store"),
        (board.set_store(Side::North, u64::MAX), "64 bits"),
        (board.set_house(Side::South, 26, 1261), "a house"),
    ] {
        assert_eq!(result, Err(BoardError::TooManySeeds), "{change}");
    }
    assert_eq!(board, full);
    assert_eq!(
        BoardError::TooManySeeds.to_string(),
        "a board holds at most 65535 seeds"
    );
}

#[test]
fn margins_and_gains_are_written_with_their_sign() {
    for (seeds, text) in [(3, "+3"), (0, "0"), (-12, "-12")] {
        assert_eq!(Margin::new(seeds).to_string(), text);
        assert_eq!(Gain::new(seeds).to_string(), text);
    }
    assert_eq!(format!("{:>4}", Gain::new(3)), "  +3");
}
