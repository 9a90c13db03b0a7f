#![expect(
    unsafe_code,
    reason = "the board is read through functions that C hands in"
)]

use std::ffi::c_void;

use kalah::{PitCounts, Side};

use crate::side::{KalahSide, to_c_side};
use crate::{KALAH_POT, column, count};

/// A board that the library only reads, whatever keeps it: C tells how.
///
/// The two functions are handed `board` as it is. They are called during the call that the struct
/// is given to, on the same thread, and never with a hole that the board does not have. They must
/// return: neither an exception nor a `longjmp` may leave them. A negative count counts as none.
#[repr(C)]
pub struct KalahPits {
    /// What the functions are to read; the library does not look at it.
    pub board: *const c_void,
    /// How many holes a side has, the pot not counted; fewer than 1 count as 1.
    pub holes: i32,
    /// How many beans lie in a hole, or in the pot for hole `KALAH_POT`.
    pub beans:
        Option<unsafe extern "C" fn(board: *const c_void, side: KalahSide, hole: i32) -> i32>,
    /// How many beans lie in all holes of a side.
    pub beans_in_play: Option<unsafe extern "C" fn(board: *const c_void, side: KalahSide) -> i32>,
}

/// A [`KalahPits`] that lacks nothing.
pub(crate) struct CallbackPits {
    board: *const c_void,
    houses: u32,
    beans: unsafe extern "C" fn(*const c_void, KalahSide, i32) -> i32,
    beans_in_play: unsafe extern "C" fn(*const c_void, KalahSide) -> i32,
}

impl CallbackPits {
    /// `None` for null and where a function is missing.
    ///
    /// # Safety
    /// `pits` is null or its functions may be called with its `board` as long as this value is used.
    pub(crate) unsafe fn new(pits: *const KalahPits) -> Option<Self> {
        // SAFETY: as this function demands.
        let pits = unsafe { pits.as_ref() }?;
        Some(Self {
            board: pits.board,
            houses: u32::try_from(pits.holes).unwrap_or(0).max(1),
            beans: pits.beans?,
            beans_in_play: pits.beans_in_play?,
        })
    }

    /// Seeds in a store.
    pub(crate) fn in_store(&self, owner: Side) -> u64 {
        self.call_beans(owner, KALAH_POT)
    }

    fn call_beans(&self, owner: Side, hole: i32) -> u64 {
        // SAFETY: whoever made this value vouches for the function and the board.
        let beans = unsafe { (self.beans)(self.board, to_c_side(owner), hole) };
        count::from_c_int(beans).unwrap_or(0)
    }
}

impl PitCounts for CallbackPits {
    fn houses(&self) -> u32 {
        self.houses
    }

    fn in_house(&self, owner: Side, house: u32) -> u64 {
        self.call_beans(owner, column::hole_number(owner, house, self.houses))
    }

    fn in_row(&self, owner: Side) -> u64 {
        // SAFETY: whoever made this value vouches for the function and the board.
        let beans = unsafe { (self.beans_in_play)(self.board, to_c_side(owner)) };
        count::from_c_int(beans).unwrap_or(0)
    }
}
