//! The C interface of Kalah, for the C++ classes of UCLA's CS 32 assignment.
//!
//! The words here are the assignment's: a board has *holes* and *pots*, and *beans* in them. Holes
//! are numbered from 1 in columns from left to right on both sides, and [`KALAH_POT`], 0, is the
//! pot. A side is [`KALAH_NORTH`] or [`KALAH_SOUTH`].
//!
//! Counts cross the boundary as C's 32-bit `int`: the library counts in 64 bits, and a count that
//! does not fit is told as the largest `int`. No function panics, whatever it is given, as long as
//! pointers are null or what they should be; each says what it returns for a null pointer.
//!
//! `cpp/kalah.h` declares all this for C; `README.md` says how to build a C++ program with it.

mod board;
mod column;
mod count;
mod no_panic;
mod pits;
mod rules;
mod run_length;
mod side;
mod smart;

pub use board::{
    KalahBoard, kalah_board_beans, kalah_board_beans_in_play, kalah_board_clone, kalah_board_free,
    kalah_board_holes, kalah_board_move_to_pot, kalah_board_new, kalah_board_set_beans,
    kalah_board_sow, kalah_board_total_beans,
};
pub use column::KALAH_POT;
pub use pits::KalahPits;
pub use rules::{KalahMeaning, KalahMeaningKind, kalah_is_over, kalah_meaning, kalah_winner};
pub use side::{KALAH_NOBODY, KALAH_NORTH, KALAH_SOUTH, KalahSide};
pub use smart::{KALAH_CANNOT_MOVE, KALAH_MOST_HOLES, KALAH_TOO_LARGE, kalah_smart_choose};
