//! The engine for a board that C keeps.

#![expect(unsafe_code, reason = "C passes pointers to this function")]

use std::time::{Duration, Instant};

use kalah::{BySide, FirstPlies, House, Move, PitCounts as _, Player as _, Position, Setup, Side};
use kalah_engine::SmartPlayer;

use crate::c_values::{KalahSide, catch_panic, from_c_side, to_c_hole};
use crate::rules::{CallbackPits, KalahPits, RULES};

/// The result of `kalah_smart_choose` for a side without a legal move.
pub const KALAH_CANNOT_MOVE: i32 = -1;
/// The result of `kalah_smart_choose` for a board that is too large for the engine.
pub const KALAH_TOO_LARGE: i32 = 0;
/// The maximum number of holes a side for `kalah_smart_choose`.
pub const KALAH_MAX_HOLES: i32 = 26;

const _: () = assert!(KALAH_MAX_HOLES == House::MAX as i32);

/// Searches for about `milliseconds` and returns the hole that `to_move` should sow.
///
/// Returns `KALAH_CANNOT_MOVE` if all holes of `to_move` are empty, for null, for a missing
/// function and for a side that does not exist. Returns `KALAH_TOO_LARGE` for a board of more than
/// `KALAH_MAX_HOLES` holes a side or more than 65,535 beans in all. The function keeps no state, so
/// several threads may call it at the same time. It reads the board through `beans` only.
///
/// # Safety
/// `pits` is null, or its functions may be called with its `board`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_smart_choose(
    pits: *const KalahPits,
    to_move: KalahSide,
    milliseconds: u32,
) -> i32 {
    // SAFETY: the caller guarantees that `pits` is null or its functions may be called.
    let pits = unsafe { CallbackPits::new(pits) };
    catch_panic(KALAH_TOO_LARGE, || {
        let (Some(pits), Some(to_move)) = (pits, from_c_side(to_move)) else {
            return KALAH_CANNOT_MOVE;
        };
        let Some(position) = position(&pits, to_move) else {
            return KALAH_TOO_LARGE;
        };
        match best_house(&position, Duration::from_millis(milliseconds.into())) {
            Some(house) => to_c_hole(to_move, house.number().into(), pits.houses()),
            None => KALAH_CANNOT_MOVE,
        }
    })
}

/// Returns the position on the board, or `None` for a board that is too large for a [`Position`].
fn position(pits: &CallbackPits, to_move: Side) -> Option<Position> {
    let houses = u8::try_from(pits.houses())
        .ok()
        .filter(|&houses| houses <= House::MAX)?;
    let setup = Setup {
        stores: BySide::from_fn(|side| pits.in_store(side)),
        rows: BySide::from_fn(|side| {
            House::all(houses)
                .map(|house| pits.in_house(side, house.number().into()))
                .collect()
        }),
        to_move,
        first_plies: FirstPlies::Later,
    };
    setup.position(RULES).ok()
}

/// Returns a legal house to sow: the choice of the engine, or the first one if the engine makes no
/// legal choice. Returns `None` if there is no legal move.
fn best_house(position: &Position, limit: Duration) -> Option<House> {
    match best_move(position, limit) {
        Some(mv @ Move::Sow(house)) if position.check_legal(mv).is_ok() => Some(house),
        _ => position.legal_houses().next(),
    }
}

/// Returns the move that a new engine chooses.
fn best_move(position: &Position, limit: Duration) -> Option<Move> {
    let origin = Instant::now();
    SmartPlayer::new("", move || origin.elapsed()).choose_move(position, limit)
}
