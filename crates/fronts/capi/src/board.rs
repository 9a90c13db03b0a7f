//! Boards that the library keeps for C.

#![expect(unsafe_code, reason = "C passes pointers to these functions")]

use std::ptr;

use kalah::Pit;

use crate::c_values::{
    KALAH_POT, KalahSide, catch_panic, from_c_count, from_c_hole, from_c_side, to_c_count,
    to_c_hole, to_c_side,
};
use crate::run_length_board::RunLengthBoard;

/// A board that the library keeps. `kalah_board_new` and `kalah_board_clone` create one, and
/// `kalah_board_free` frees it. Its only rule is the sowing.
pub struct KalahBoard(RunLengthBoard);

/// Creates a board of `holes` holes a side with `beans` beans in each and empty pots. A number of
/// holes below 1 counts as 1, and a negative number of beans as 0. Time and memory do not depend on
/// the size.
#[unsafe(no_mangle)]
pub extern "C" fn kalah_board_new(holes: i32, beans: i32) -> *mut KalahBoard {
    catch_panic(ptr::null_mut(), || {
        let holes = u32::try_from(holes).unwrap_or(0).max(1);
        let beans = from_c_count(beans).unwrap_or(0);
        into_c_pointer(RunLengthBoard::new(holes, beans))
    })
}

/// Copies `board`; the copy must be freed separately. Returns null for null.
///
/// # Safety
/// `board` is null, or a board of this library that has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_clone(board: *const KalahBoard) -> *mut KalahBoard {
    // SAFETY: the caller guarantees that `board` is null or valid.
    let board = unsafe { board.as_ref() };
    catch_panic(ptr::null_mut(), || {
        into_c_pointer(board.map(|KalahBoard(board)| board.clone()))
    })
}

/// Frees `board`. Does nothing for null.
///
/// # Safety
/// `board` is null, or a board of this library that has not been freed. It must not be used after
/// the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_free(board: *mut KalahBoard) {
    if !board.is_null() {
        // SAFETY: the caller guarantees that `into_c_pointer` returned `board`, which calls
        // `Box::into_raw`, and that `board` has not been freed.
        let board = unsafe { Box::from_raw(board) };
        catch_panic((), || drop(board));
    }
}

/// Returns the number of holes a side, without the pot. Returns 0 for null.
///
/// # Safety
/// `board` is null, or a board of this library that has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_holes(board: *const KalahBoard) -> i32 {
    // SAFETY: the caller guarantees that `board` is null or valid.
    let board = unsafe { board.as_ref() };
    board.map_or(0, |KalahBoard(board)| to_c_count(board.houses().into()))
}

/// Returns the number of beans in a hole, or in the pot for hole `KALAH_POT`. Returns -1 for a hole
/// or a side that does not exist, and for null.
///
/// # Safety
/// `board` is null, or a board of this library that has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_beans(
    board: *const KalahBoard,
    side: KalahSide,
    hole: i32,
) -> i32 {
    // SAFETY: the caller guarantees that `board` is null or valid.
    let board = unsafe { board.as_ref() };
    catch_panic(-1, || {
        let seeds = board.and_then(|KalahBoard(board)| match pit(board, side, hole)? {
            Pit::Store(owner) => Some(board.store(owner)),
            Pit::House(owner, house) => board.house(owner, house),
        });
        seeds.map_or(-1, to_c_count)
    })
}

/// Returns the number of beans in all holes of a side. Returns 0 for a side that does not exist,
/// and for null.
///
/// # Safety
/// `board` is null, or a board of this library that has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_beans_in_play(
    board: *const KalahBoard,
    side: KalahSide,
) -> i32 {
    // SAFETY: the caller guarantees that `board` is null or valid.
    let board = unsafe { board.as_ref() };
    catch_panic(0, || match (board, from_c_side(side)) {
        (Some(KalahBoard(board)), Some(side)) => to_c_count(board.row_total(side)),
        _ => 0,
    })
}

/// Returns the number of beans on the board, in holes and pots. Returns 0 for null.
///
/// # Safety
/// `board` is null, or a board of this library that has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_total_beans(board: *const KalahBoard) -> i32 {
    // SAFETY: the caller guarantees that `board` is null or valid.
    let board = unsafe { board.as_ref() };
    catch_panic(0, || {
        board.map_or(0, |KalahBoard(board)| to_c_count(board.total()))
    })
}

/// Sows a hole of `side` counterclockwise, one bean a hole, into the own pot and past the
/// opponent's, without a capture. Writes the side and the hole of the last bean to `end_side` and
/// `end_hole`. Returns false, and changes and writes nothing, for an empty hole, the pot, a hole or
/// a side that does not exist, and for null.
///
/// # Safety
/// `board` is null, or a board of this library that has not been freed and that no other call uses
/// at the same time. `end_side` and `end_hole` are each null or valid for writes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_sow(
    board: *mut KalahBoard,
    side: KalahSide,
    hole: i32,
    end_side: *mut KalahSide,
    end_hole: *mut i32,
) -> bool {
    // SAFETY: the caller guarantees that `board` is null or valid.
    let board = unsafe { board.as_mut() };
    let end = catch_panic(None, || {
        let KalahBoard(board) = board?;
        let Pit::House(side, house) = pit(board, side, hole)? else {
            return None;
        };
        let last = board.sow(side, house)?;
        Some(match last {
            Pit::Store(owner) => (to_c_side(owner), KALAH_POT),
            Pit::House(owner, house) => (to_c_side(owner), to_c_hole(owner, house, board.houses())),
        })
    });
    let Some((side, hole)) = end else {
        return false;
    };
    // SAFETY: the caller guarantees that each is null or valid for writes.
    unsafe {
        if let Some(end_side) = end_side.as_mut() {
            *end_side = side;
        }
        if let Some(end_hole) = end_hole.as_mut() {
            *end_hole = hole;
        }
    }
    true
}

/// Moves all beans of a hole, which may be empty, into the pot of `pot_owner`. Returns false, and
/// changes nothing, for the pot, a hole or a side that does not exist, and for null.
///
/// # Safety
/// `board` is null, or a board of this library that has not been freed and that no other call uses
/// at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_move_to_pot(
    board: *mut KalahBoard,
    side: KalahSide,
    hole: i32,
    pot_owner: KalahSide,
) -> bool {
    // SAFETY: the caller guarantees that `board` is null or valid.
    let board = unsafe { board.as_mut() };
    catch_panic(false, || {
        let (Some(KalahBoard(board)), Some(taker)) = (board, from_c_side(pot_owner)) else {
            return false;
        };
        match pit(board, side, hole) {
            Some(Pit::House(owner, house)) => board.bank(owner, house, taker).is_some(),
            Some(Pit::Store(_)) | None => false,
        }
    })
}

/// Sets the number of beans in a hole, or in the pot for hole `KALAH_POT`. Returns false, and
/// changes nothing, for a negative count, a hole or a side that does not exist, null, and a total
/// that does not fit 64 bits.
///
/// # Safety
/// `board` is null, or a board of this library that has not been freed and that no other call uses
/// at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_set_beans(
    board: *mut KalahBoard,
    side: KalahSide,
    hole: i32,
    beans: i32,
) -> bool {
    // SAFETY: the caller guarantees that `board` is null or valid.
    let board = unsafe { board.as_mut() };
    catch_panic(false, || {
        let (Some(KalahBoard(board)), Some(seeds)) = (board, from_c_count(beans)) else {
            return false;
        };
        match pit(board, side, hole) {
            Some(Pit::Store(owner)) => board.set_store(owner, seeds),
            Some(Pit::House(owner, house)) => board.set_house(owner, house, seeds),
            None => false,
        }
    })
}

/// Moves `board` to C, which then owns it. Returns null for `None`.
fn into_c_pointer(board: Option<RunLengthBoard>) -> *mut KalahBoard {
    board.map_or(ptr::null_mut(), |board| {
        Box::into_raw(Box::new(KalahBoard(board)))
    })
}

/// Converts a side and a hole from C. Returns `None` for a pit that the board does not have.
fn pit(board: &RunLengthBoard, side: KalahSide, hole: i32) -> Option<Pit<u32>> {
    from_c_hole(from_c_side(side)?, hole, board.houses())
}
