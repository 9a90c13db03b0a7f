#![expect(unsafe_code, reason = "C calls this function and hands in pointers")]

use std::time::{Duration, Instant};

use kalah::{BySide, FirstPlies, House, Move, PitCounts as _, Player as _, Position, Setup, Side};
use kalah_engine::SmartPlayer;

use crate::column;
use crate::no_panic::catch_panic;
use crate::pits::{CallbackPits, KalahPits};
use crate::rules::RULES;
use crate::side::{KalahSide, from_c_side};

/// What `kalah_smart_choose` answers for a side that has nothing to sow.
pub const KALAH_CANNOT_MOVE: i32 = -1;
/// What `kalah_smart_choose` answers for a board that is too large to think about.
pub const KALAH_TOO_LARGE: i32 = 0;
/// The most holes a side that `kalah_smart_choose` thinks about.
pub const KALAH_MOST_HOLES: i32 = 26;

const _: () = assert!(KALAH_MOST_HOLES == House::MAX as i32);

/// The hole that the library's engine would sow for `to_move`, found within about `milliseconds`.
///
/// `KALAH_CANNOT_MOVE` if all its holes are empty, and where there is no board: null, a missing
/// function or a side that does not exist. `KALAH_TOO_LARGE` for a board of more than
/// `KALAH_MOST_HOLES` holes a side or more than 65,535 beans in all. It keeps nothing from one call
/// to the next, so that any number of threads may call it at once. It reads the board with `beans`
/// alone.
///
/// # Safety
/// `pits` is null or its functions may be called with its `board`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kalah_smart_choose(
    pits: *const KalahPits,
    to_move: KalahSide,
    milliseconds: u32,
) -> i32 {
    // SAFETY: as this function demands.
    let pits = unsafe { CallbackPits::new(pits) };
    catch_panic(KALAH_TOO_LARGE, || {
        let (Some(pits), Some(to_move)) = (pits, from_c_side(to_move)) else {
            return KALAH_CANNOT_MOVE;
        };
        let Some(position) = position(&pits, to_move) else {
            return KALAH_TOO_LARGE;
        };
        match best_house(&position, Duration::from_millis(milliseconds.into())) {
            Some(house) => column::hole_number(to_move, house.number().into(), pits.houses()),
            None => KALAH_CANNOT_MOVE,
        }
    })
}

/// The position on the board, `None` if no position can hold it.
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

/// The house to sow, a legal one whatever the engine says; `None` if there is none.
fn best_house(position: &Position, limit: Duration) -> Option<House> {
    match best_move(position, limit) {
        Some(mv @ Move::Sow(house)) if position.check_legal(mv).is_ok() => Some(house),
        _ => position.legal_houses().next(),
    }
}

/// What the engine chooses. It remembers nothing from one call to the next.
fn best_move(position: &Position, limit: Duration) -> Option<Move> {
    let origin = Instant::now();
    SmartPlayer::new("", move || origin.elapsed()).choose_move(position, limit)
}
