#![expect(unsafe_code, reason = "C calls these functions and hands in pointers")]

use std::ptr;

use kalah::Pit;

use crate::no_panic::catch_panic;
use crate::run_length::RunLengthBoard;
use crate::side::{KalahSide, from_c_side, to_c_side};
use crate::{KALAH_POT, column, count};

/// A board, held by the library: made by `kalah_board_new` and `kalah_board_clone`, and given back
/// with `kalah_board_free`. It knows sowing, and no rule of the game beyond it.
pub struct KalahBoard(RunLengthBoard);

/// A new board of `holes` holes a side with `beans` beans in each and empty pots. Fewer holes than
/// 1 count as 1, and fewer beans than 0 as 0. Costs the same at any size.
#[unsafe(no_mangle)]
pub extern "C" fn kalah_board_new(holes: i32, beans: i32) -> *mut KalahBoard {
    catch_panic(ptr::null_mut(), || {
        let holes = u32::try_from(holes).unwrap_or(0).max(1);
        let beans = count::from_c_int(beans).unwrap_or(0);
        into_c_pointer(RunLengthBoard::new(holes, beans))
    })
}

/// A copy of `board`, to be given back on its own. Null for null.
///
/// # Safety
/// `board` is null or a board of this library that has not been given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_clone(board: *const KalahBoard) -> *mut KalahBoard {
    // SAFETY: as this function demands.
    let board = unsafe { board.as_ref() };
    catch_panic(ptr::null_mut(), || {
        into_c_pointer(board.map(|KalahBoard(board)| board.clone()))
    })
}

/// Gives `board` back. Null is no board and nothing happens.
///
/// # Safety
/// `board` is null or a board of this library that has not been given back; it must not be used
/// any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_free(board: *mut KalahBoard) {
    if !board.is_null() {
        // SAFETY: a board that is not null came from `Box::into_raw` in `handed_out`, and nobody
        // else has given it back.
        let board = unsafe { Box::from_raw(board) };
        catch_panic((), || drop(board));
    }
}

/// How many holes a side has, the pot not counted. 0 for null.
///
/// # Safety
/// `board` is null or a board of this library that has not been given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_holes(board: *const KalahBoard) -> i32 {
    // SAFETY: as this function demands.
    let board = unsafe { board.as_ref() };
    board.map_or(0, |KalahBoard(board)| {
        count::to_c_int(board.houses().into())
    })
}

/// How many beans lie in a hole, or in the pot for hole `KALAH_POT`. -1 for a hole or a side that
/// does not exist, and for null.
///
/// # Safety
/// `board` is null or a board of this library that has not been given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_beans(
    board: *const KalahBoard,
    side: KalahSide,
    hole: i32,
) -> i32 {
    // SAFETY: as this function demands.
    let board = unsafe { board.as_ref() };
    catch_panic(-1, || {
        let seeds = board.and_then(|KalahBoard(board)| match pit(board, side, hole)? {
            Pit::Store(owner) => Some(board.store(owner)),
            Pit::House(owner, house) => board.house(owner, house),
        });
        seeds.map_or(-1, count::to_c_int)
    })
}

/// How many beans lie in all holes of a side. 0 for a side that does not exist, and for null.
///
/// # Safety
/// `board` is null or a board of this library that has not been given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_beans_in_play(
    board: *const KalahBoard,
    side: KalahSide,
) -> i32 {
    // SAFETY: as this function demands.
    let board = unsafe { board.as_ref() };
    catch_panic(0, || match (board, self::from_c_side(side)) {
        (Some(KalahBoard(board)), Some(side)) => count::to_c_int(board.row_total(side)),
        _ => 0,
    })
}

/// How many beans lie on the board, in holes and pots. 0 for null.
///
/// # Safety
/// `board` is null or a board of this library that has not been given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_total_beans(board: *const KalahBoard) -> i32 {
    // SAFETY: as this function demands.
    let board = unsafe { board.as_ref() };
    catch_panic(0, || {
        board.map_or(0, |KalahBoard(board)| count::to_c_int(board.total()))
    })
}

/// Sows a hole of `side` counterclockwise, one bean a hole, into the own pot and past the other's,
/// and writes where the last bean fell. False, and nothing is changed or written, for an empty
/// hole, the pot, a hole or a side that does not exist, and for null. Nothing is captured.
///
/// # Safety
/// `board` is null or a board of this library that has not been given back and that nobody else
/// uses during the call. `end_side` and `end_hole` may each be null and are written to otherwise.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_sow(
    board: *mut KalahBoard,
    side: KalahSide,
    hole: i32,
    end_side: *mut KalahSide,
    end_hole: *mut i32,
) -> bool {
    // SAFETY: as this function demands.
    let board = unsafe { board.as_mut() };
    let end = catch_panic(None, || {
        let KalahBoard(board) = board?;
        let Pit::House(side, house) = pit(board, side, hole)? else {
            return None;
        };
        let last = board.sow(side, house)?;
        Some(match last {
            Pit::Store(owner) => (to_c_side(owner), KALAH_POT),
            Pit::House(owner, house) => (
                to_c_side(owner),
                column::hole_number(owner, house, board.houses()),
            ),
        })
    });
    let Some((side, hole)) = end else {
        return false;
    };
    // SAFETY: each is null or may be written to, as this function demands.
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

/// Moves all beans of a hole into the pot of `pot_owner`; of an empty hole there are none to move,
/// and that is no failure. False, and nothing is changed, for the pot, a hole or a side that does
/// not exist, and for null.
///
/// # Safety
/// `board` is null or a board of this library that has not been given back and that nobody else
/// uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_move_to_pot(
    board: *mut KalahBoard,
    side: KalahSide,
    hole: i32,
    pot_owner: KalahSide,
) -> bool {
    // SAFETY: as this function demands.
    let board = unsafe { board.as_mut() };
    catch_panic(false, || {
        let (Some(KalahBoard(board)), Some(taker)) = (board, self::from_c_side(pot_owner)) else {
            return false;
        };
        match pit(board, side, hole) {
            Some(Pit::House(owner, house)) => board.bank(owner, house, taker).is_some(),
            Some(Pit::Store(_)) | None => false,
        }
    })
}

/// Puts exactly `beans` beans into a hole, or into the pot for hole `KALAH_POT`; the totals follow.
/// False, and nothing is changed, for a negative count, a hole or a side that does not exist, null,
/// and for more beans in all than 64 bits can count.
///
/// # Safety
/// `board` is null or a board of this library that has not been given back and that nobody else
/// uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_board_set_beans(
    board: *mut KalahBoard,
    side: KalahSide,
    hole: i32,
    beans: i32,
) -> bool {
    // SAFETY: as this function demands.
    let board = unsafe { board.as_mut() };
    catch_panic(false, || {
        let (Some(KalahBoard(board)), Some(seeds)) = (board, count::from_c_int(beans)) else {
            return false;
        };
        match pit(board, side, hole) {
            Some(Pit::Store(owner)) => board.set_store(owner, seeds),
            Some(Pit::House(owner, house)) => board.set_house(owner, house, seeds),
            None => false,
        }
    })
}

/// A board that C owns from here on; null where there is none.
fn into_c_pointer(board: Option<RunLengthBoard>) -> *mut KalahBoard {
    board.map_or(ptr::null_mut(), |board| {
        Box::into_raw(Box::new(KalahBoard(board)))
    })
}

/// The pit that C names, `None` where there is none.
fn pit(board: &RunLengthBoard, side: KalahSide, hole: i32) -> Option<Pit<u32>> {
    column::pit_at(self::from_c_side(side)?, hole, board.houses())
}
