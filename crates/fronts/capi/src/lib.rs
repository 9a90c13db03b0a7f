//! The C interface of Kalah, for the C++ classes of UCLA's CS 32 assignment.
//!
//! The interface uses the terms of the assignment: a board has *holes* and *pots* with *beans* in
//! them. Holes are numbered from 1 in columns from left to right on both sides, and [`KALAH_POT`],
//! 0, is the pot. A side is [`KALAH_NORTH`] or [`KALAH_SOUTH`].
//!
//! Counts are 32-bit `int`s in C and 64-bit numbers in the library. A count that does not fit an
//! `int` is returned as the largest `int`. With null or valid pointers no function panics or has
//! undefined behaviour, whatever the other arguments are.
//!
//! `cpp/kalah.h` declares the functions for C. `README.md` describes how to build a C++ program
//! with the library.

mod board;
mod c_values;
mod rules;
mod run_length_board;
mod smart_player;

pub use board::{
    KalahBoard, kalah_board_beans, kalah_board_beans_in_play, kalah_board_clone, kalah_board_free,
    kalah_board_holes, kalah_board_move_to_pot, kalah_board_new, kalah_board_set_beans,
    kalah_board_sow, kalah_board_total_beans,
};
pub use c_values::{KALAH_NO_SIDE, KALAH_NORTH, KALAH_POT, KALAH_SOUTH, KalahSide};
pub use rules::{
    KalahPits, KalahSowEffect, KalahSowEffectKind, kalah_is_over, kalah_sow_effect, kalah_winner,
};
pub use smart_player::{KALAH_CANNOT_MOVE, KALAH_MAX_HOLES, KALAH_TOO_LARGE, kalah_smart_choose};
