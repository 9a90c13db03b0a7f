//! The C functions, called from Rust through their C interface.
#![expect(unsafe_code, reason = "the C functions take pointers")]

use std::ffi::c_void;
use std::ptr;

use kalah::{BySide, FirstPlies, House, Move, Position, Rules, Setup, Side};
use kalah_capi::*;
use proptest::prelude::*;

/// Hole numbers outside a board of six holes a side.
const INVALID_HOLES: [i32; 4] = [-1, 7, i32::MIN, i32::MAX];
/// Invalid side numbers.
const INVALID_SIDES: [i32; 4] = [-1, 2, i32::MIN, i32::MAX];
/// The smart player's time in tests that accept any legal hole.
const MILLISECONDS: u32 = 20;
/// The smart player's time in tests that expect one hole. The proof takes about a millisecond and
/// ends the search.
const PROOF_MILLISECONDS: u32 = 600_000;

/// A board that is freed on drop.
struct OwnedBoard(*mut KalahBoard);

impl OwnedBoard {
    fn new(holes: i32, beans: i32) -> Self {
        let board = kalah_board_new(holes, beans);
        assert!(!board.is_null());
        Self(board)
    }

    fn beans(&self, side: KalahSide, hole: i32) -> i32 {
        // SAFETY: `self` owns a board.
        unsafe { kalah_board_beans(self.0, side, hole) }
    }

    fn in_play(&self, side: KalahSide) -> i32 {
        // SAFETY: `self` owns a board.
        unsafe { kalah_board_beans_in_play(self.0, side) }
    }

    fn total(&self) -> i32 {
        // SAFETY: `self` owns a board.
        unsafe { kalah_board_total_beans(self.0) }
    }

    fn set(&mut self, side: KalahSide, hole: i32, beans: i32) -> bool {
        // SAFETY: `self` owns a board.
        unsafe { kalah_board_set_beans(self.0, side, hole, beans) }
    }

    fn sow(&mut self, side: KalahSide, hole: i32) -> Option<(KalahSide, i32)> {
        let (mut end_side, mut end_hole) = (i32::MIN, i32::MIN);
        // SAFETY: `self` owns a board, and the pointers are valid for writes.
        let sown =
            unsafe { kalah_board_sow(self.0, side, hole, &raw mut end_side, &raw mut end_hole) };
        if !sown {
            assert_eq!(
                (end_side, end_hole),
                (i32::MIN, i32::MIN),
                "a refused sowing wrote its end"
            );
        }
        sown.then_some((end_side, end_hole))
    }

    fn move_to_pot(&mut self, side: KalahSide, hole: i32, owner: KalahSide) -> bool {
        // SAFETY: `self` owns a board.
        unsafe { kalah_board_move_to_pot(self.0, side, hole, owner) }
    }

    /// Returns the callbacks that read this board.
    fn pits(&self) -> KalahPits {
        KalahPits {
            board: self.0.cast(),
            // SAFETY: `self` owns a board.
            holes: unsafe { kalah_board_holes(self.0) },
            beans: Some(read_beans),
            beans_in_play: Some(read_beans_in_play),
        }
    }
}

impl Drop for OwnedBoard {
    fn drop(&mut self) {
        // SAFETY: `self` owns a board, and nothing uses the board after the drop.
        unsafe { kalah_board_free(self.0) }
    }
}

unsafe extern "C" fn read_beans(board: *const c_void, side: KalahSide, hole: i32) -> i32 {
    // SAFETY: `OwnedBoard::pits` passes its board.
    unsafe { kalah_board_beans(board.cast(), side, hole) }
}

unsafe extern "C" fn read_beans_in_play(board: *const c_void, side: KalahSide) -> i32 {
    // SAFETY: `OwnedBoard::pits` passes its board.
    unsafe { kalah_board_beans_in_play(board.cast(), side) }
}

/// Returns the smallest `int`, which is no bean count.
unsafe extern "C" fn read_invalid_count(_: *const c_void, _: KalahSide, _: i32) -> i32 {
    i32::MIN
}

/// Returns the smallest `int` for a row.
unsafe extern "C" fn read_invalid_row_count(_: *const c_void, _: KalahSide) -> i32 {
    i32::MIN
}

fn pointer(pits: Option<&KalahPits>) -> *const KalahPits {
    pits.map_or(ptr::null(), ptr::from_ref)
}

fn effect(
    pits: Option<&KalahPits>,
    mover: KalahSide,
    (side, hole): (KalahSide, i32),
) -> KalahSowEffect {
    // SAFETY: all tests pass null or functions that may be called with the board.
    unsafe { kalah_sow_effect(pointer(pits), mover, side, hole) }
}

fn is_over(pits: Option<&KalahPits>, to_move: KalahSide) -> bool {
    // SAFETY: all tests pass null or functions that may be called with the board.
    unsafe { kalah_is_over(pointer(pits), to_move) }
}

fn smart_hole(pits: Option<&KalahPits>, to_move: KalahSide) -> i32 {
    smart_hole_within(pits, to_move, MILLISECONDS)
}

fn smart_hole_within(pits: Option<&KalahPits>, to_move: KalahSide, milliseconds: u32) -> i32 {
    // SAFETY: all tests pass null or functions that may be called with the board.
    unsafe { kalah_smart_choose(pointer(pits), to_move, milliseconds) }
}

const TURN_PASSES: KalahSowEffect = KalahSowEffect {
    kind: KalahSowEffectKind::TurnPasses,
    hole: 0,
    from: 0,
};

#[test]
fn null_boards_are_refused() {
    let null = ptr::null_mut::<KalahBoard>();
    // SAFETY: each of these functions accepts null.
    unsafe {
        assert!(kalah_board_clone(null).is_null());
        kalah_board_free(null);
        assert_eq!(kalah_board_holes(null), 0);
        assert_eq!(kalah_board_beans(null, KALAH_SOUTH, 1), -1);
        assert_eq!(kalah_board_beans_in_play(null, KALAH_SOUTH), 0);
        assert_eq!(kalah_board_total_beans(null), 0);
        assert!(!kalah_board_sow(
            null,
            KALAH_SOUTH,
            1,
            ptr::null_mut(),
            ptr::null_mut()
        ));
        assert!(!kalah_board_move_to_pot(null, KALAH_SOUTH, 1, KALAH_SOUTH));
        assert!(!kalah_board_set_beans(null, KALAH_SOUTH, 1, 1));
    }
    assert_eq!(
        effect(None, KALAH_SOUTH, (KALAH_SOUTH, KALAH_POT)),
        TURN_PASSES
    );
    assert!(is_over(None, KALAH_SOUTH));
    assert_eq!(smart_hole(None, KALAH_SOUTH), KALAH_CANNOT_MOVE);
}

#[test]
fn sow_accepts_null_for_the_end() {
    let board = OwnedBoard::new(6, 4);
    // SAFETY: the board is owned, and the function does not write to null.
    assert!(unsafe { kalah_board_sow(board.0, KALAH_NORTH, 2, ptr::null_mut(), ptr::null_mut()) });
    assert_eq!(board.beans(KALAH_NORTH, 2), 0);
    assert_eq!(board.beans(KALAH_SOUTH, 2), 5);
}

#[test]
fn missing_callbacks_are_refused() {
    let board = OwnedBoard::new(6, 4);
    for pits in [
        KalahPits {
            beans: None,
            ..board.pits()
        },
        KalahPits {
            beans_in_play: None,
            ..board.pits()
        },
    ] {
        assert_eq!(
            effect(Some(&pits), KALAH_SOUTH, (KALAH_SOUTH, KALAH_POT)),
            TURN_PASSES
        );
        assert!(is_over(Some(&pits), KALAH_SOUTH));
        assert_eq!(smart_hole(Some(&pits), KALAH_SOUTH), KALAH_CANNOT_MOVE);
    }
}

#[test]
fn invalid_holes_and_sides_are_refused_and_change_nothing() {
    let mut board = OwnedBoard::new(6, 4);
    let holes = INVALID_HOLES.map(|hole| (KALAH_SOUTH, hole));
    let sides = INVALID_SIDES.map(|side| (side, 1));
    for (side, hole) in holes.into_iter().chain(sides) {
        assert_eq!(board.beans(side, hole), -1);
        assert_eq!(board.sow(side, hole), None);
        assert!(!board.move_to_pot(side, hole, KALAH_NORTH));
        assert!(!board.set(side, hole, 1));
        assert_eq!(
            effect(Some(&board.pits()), KALAH_SOUTH, (side, hole)),
            TURN_PASSES
        );
    }
    for side in INVALID_SIDES {
        assert_eq!(board.in_play(side), 0);
        assert!(!board.move_to_pot(KALAH_SOUTH, 1, side));
        let in_pot = (KALAH_SOUTH, KALAH_POT);
        assert_eq!(effect(Some(&board.pits()), side, in_pot), TURN_PASSES);
        assert!(is_over(Some(&board.pits()), side));
        assert_eq!(smart_hole(Some(&board.pits()), side), KALAH_CANNOT_MOVE);
    }
    assert!(!board.set(KALAH_SOUTH, 1, -1));
    assert_eq!(board.sow(KALAH_SOUTH, KALAH_POT), None);
    assert!(!board.move_to_pot(KALAH_SOUTH, KALAH_POT, KALAH_NORTH));
    assert_eq!(board.total(), 48);
    for side in [KALAH_NORTH, KALAH_SOUTH] {
        for hole in 0..=6 {
            assert_eq!(
                board.beans(side, hole),
                if hole == KALAH_POT { 0 } else { 4 }
            );
        }
    }
}

#[test]
fn negative_counts_from_callbacks_count_as_0() {
    for holes in [i32::MIN, 0, 6, i32::MAX] {
        let pits = KalahPits {
            board: ptr::null(),
            holes,
            beans: Some(read_invalid_count),
            beans_in_play: Some(read_invalid_row_count),
        };
        assert_eq!(
            effect(Some(&pits), KALAH_SOUTH, (KALAH_SOUTH, 1)),
            TURN_PASSES
        );
        assert!(is_over(Some(&pits), KALAH_SOUTH));
        let expected = if holes > KALAH_MAX_HOLES {
            KALAH_TOO_LARGE
        } else {
            KALAH_CANNOT_MOVE
        };
        assert_eq!(smart_hole(Some(&pits), KALAH_NORTH), expected);
    }
}

#[test]
fn smart_choose_reports_boards_that_are_too_large() {
    let board = OwnedBoard::new(27, 1);
    assert_eq!(
        smart_hole(Some(&board.pits()), KALAH_SOUTH),
        KALAH_TOO_LARGE
    );
    let mut board = OwnedBoard::new(26, 0);
    assert!(board.set(KALAH_NORTH, 26, 65_535));
    assert_eq!(smart_hole(Some(&board.pits()), KALAH_NORTH), 26);
    assert!(board.set(KALAH_SOUTH, KALAH_POT, 1));
    assert_eq!(
        smart_hole(Some(&board.pits()), KALAH_NORTH),
        KALAH_TOO_LARGE
    );
}

#[test]
fn smart_choose_finds_the_proven_best_hole_of_both_sides() {
    for side in [KALAH_NORTH, KALAH_SOUTH] {
        let mut board = OwnedBoard::new(5, 0);
        // The hole farthest from the pot captures nine beans; the nearest one gains one bean.
        let (far, middle, near) = if side == KALAH_SOUTH {
            (1, 2, 5)
        } else {
            (5, 4, 1)
        };
        assert!(board.set(side, far, 1) && board.set(side, near, 1));
        assert!(board.set(KALAH_NORTH + KALAH_SOUTH - side, middle, 9));
        // The capture ends the game with at least as many beans as the bonus turn of the nearest
        // hole.
        let proven =
            |board: &OwnedBoard| smart_hole_within(Some(&board.pits()), side, PROOF_MILLISECONDS);
        assert_eq!(proven(&board), far);
        // With beans left on the other side the bonus turn is worth one bean more.
        assert!(board.set(KALAH_NORTH + KALAH_SOUTH - side, far, 9));
        assert_eq!(proven(&board), near);
    }
}

#[test]
fn larger_pot_wins() {
    assert_eq!(kalah_winner(25, 23), KALAH_SOUTH);
    assert_eq!(kalah_winner(23, 25), KALAH_NORTH);
    assert_eq!(kalah_winner(24, 24), KALAH_NO_SIDE);
    assert_eq!(kalah_winner(i32::MIN, i32::MAX), KALAH_NORTH);
}

fn c_side(side: Side) -> KalahSide {
    match side {
        Side::North => KALAH_NORTH,
        Side::South => KALAH_SOUTH,
    }
}

/// The hole number of a house, independent of the conversion in the crate.
fn column(side: Side, house: House, houses: u8) -> i32 {
    match side {
        Side::South => house.number().into(),
        Side::North => (houses + 1 - house.number()).into(),
    }
}

fn assert_same(position: &Position, board: &OwnedBoard) -> Result<(), TestCaseError> {
    for side in Side::ALL {
        let store = position.store(side).get();
        prop_assert_eq!(board.beans(c_side(side), KALAH_POT), i32::from(store));
        for house in House::all(position.houses()) {
            let hole = column(side, house, position.houses());
            let seeds = position.seeds(side, house).get();
            prop_assert_eq!(board.beans(c_side(side), hole), i32::from(seeds));
        }
    }
    Ok(())
}

/// A setup of one to eight houses a side, half of them empty.
fn setups() -> impl Strategy<Value = Setup> {
    (1..=8_usize).prop_flat_map(|houses| {
        let house = prop_oneof![Just(0_u64), 1..20_u64];
        let row = prop::collection::vec(house, houses);
        (row.clone(), row, 0..50_u64, 0..50_u64, any::<bool>()).prop_map(
            |(south_row, north_row, south, north, south_moves)| Setup {
                stores: BySide::new(south, north),
                rows: BySide::new(south_row, north_row),
                to_move: if south_moves {
                    Side::South
                } else {
                    Side::North
                },
                first_plies: FirstPlies::Later,
            },
        )
    })
}

/// Creates the board of a setup.
fn board_of(setup: &Setup) -> OwnedBoard {
    let houses = u8::try_from(setup.rows.south.len()).unwrap();
    let mut board = OwnedBoard::new(houses.into(), 0);
    for side in Side::ALL {
        let store = i32::try_from(setup.stores[side]).unwrap();
        assert!(board.set(c_side(side), KALAH_POT, store));
        for (house, &seeds) in House::all(houses).zip(&setup.rows[side]) {
            let hole = column(side, house, houses);
            assert!(board.set(c_side(side), hole, i32::try_from(seeds).unwrap()));
        }
    }
    board
}

/// Moves the beans of each side into its pot, as a game does at its end.
fn sweep(board: &mut OwnedBoard, houses: u8) {
    for side in [KALAH_NORTH, KALAH_SOUTH] {
        for hole in 1..=houses.into() {
            assert!(board.move_to_pot(side, hole, side));
        }
    }
}

proptest! {
    /// A game through the C functions and a game of a [`Position`] agree after every move.
    #[test]
    fn games_agree_with_positions(setup in setups(), choices in prop::collection::vec(any::<prop::sample::Index>(), 0..60)) {
        let mut position = setup.position(Rules::CS32).unwrap();
        let houses = position.houses();
        let mut board = board_of(&setup);
        if is_over(Some(&board.pits()), c_side(setup.to_move)) {
            sweep(&mut board, houses);
        }
        assert_same(&position, &board)?;
        for choice in choices {
            let legal: Vec<_> = position.legal_houses().collect();
            if legal.is_empty() {
                break;
            }
            let (side, house) = (position.to_move(), legal[choice.index(legal.len())]);
            position.play(Move::Sow(house)).unwrap();

            let mover = c_side(side);
            let end = board.sow(mover, column(side, house, houses)).unwrap();
            let effect = effect(Some(&board.pits()), mover, end);
            let other = c_side(side.opponent());
            if effect.kind == KalahSowEffectKind::Capture {
                prop_assert!(board.move_to_pot(mover, effect.hole, mover));
                prop_assert!(board.move_to_pot(other, effect.from, mover));
            } else {
                prop_assert_eq!((effect.hole, effect.from), (0, 0));
            }
            let to_move = if effect.kind == KalahSowEffectKind::BonusTurn { mover } else { other };
            let over = is_over(Some(&board.pits()), to_move);
            prop_assert_eq!(over, position.is_over());
            if over {
                sweep(&mut board, houses);
            } else {
                prop_assert_eq!(to_move, c_side(position.to_move()));
            }
            assert_same(&position, &board)?;
        }
    }

    /// Arbitrary arguments cause no panic, and sowing and captures keep the total.
    #[test]
    fn arbitrary_arguments_keep_the_board_consistent(
        holes in any::<i32>(),
        beans in any::<i32>(),
        calls in prop::collection::vec((-2..4_i32, any::<i32>(), any::<i32>()), 0..30),
    ) {
        let mut board = OwnedBoard::new(holes, beans);
        // SAFETY: the board is owned.
        let holes = unsafe { kalah_board_holes(board.0) };
        prop_assert!(holes >= 1);
        for (side, hole, beans) in calls {
            // About half of the holes exist.
            let hole = if hole % 2 == 0 { hole.rem_euclid(holes) + 1 } else { hole };
            let before = board.beans(side, hole);
            prop_assert_eq!(board.set(side, hole, beans), before >= 0 && beans >= 0);
            let (sum, total) = (board.in_play(side), board.total());
            prop_assert!(sum >= 0 && total >= sum);
            if let Some((end_side, end_hole)) = board.sow(side, hole) {
                prop_assert!(board.beans(end_side, end_hole) > 0);
            }
            board.move_to_pot(side, hole, side);
            prop_assert_eq!(board.total(), total);
        }
    }

    /// The smart player chooses a legal hole, or reports that there is none.
    #[test]
    fn smart_choose_returns_a_legal_hole(setup in setups()) {
        let board = board_of(&setup);
        let side = c_side(setup.to_move);
        let hole = smart_hole(Some(&board.pits()), side);
        if board.in_play(side) == 0 {
            prop_assert_eq!(hole, KALAH_CANNOT_MOVE);
        } else {
            prop_assert!(board.beans(side, hole) > 0 && hole >= 1);
        }
    }
}
